#include "control/receiver_answers.h"

#include "control/answer.h"

#include <string.h>

static const char *state_word(const struct delivery_status *s)
{
    if (s->paused)
        return "paused";
    return s->problem[0] ? "failing" : "working";
}

static json_t *receiver_json(struct delivery *delivery)
{
    const struct receiver *r = delivery_receiver(delivery);
    struct delivery_status s;
    delivery_get_status(delivery, &s);
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", r->name,
                     "kind", r->kind, "address", answer_text(r->address), "state", state_word(&s),
                     "sent", (json_int_t)s.sent, "filtered", (json_int_t)s.filtered, "queued",
                     (json_int_t)s.lag, "failed", (json_int_t)s.failed, "dropped",
                     (json_int_t)s.dropped, "cursor", (json_int_t)s.cursor, "problem",
                     answer_text(s.problem));
}

json_t *receiver_answers_list(struct delivery *const *deliveries, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, receiver_json(deliveries[i]));
    return list;
}

struct delivery *receiver_answers_find(const struct receiver_answers *answers, const char *name)
{
    for (size_t i = 0; i < answers->count; i++) {
        if (strcmp(delivery_receiver(answers->deliveries[i])->name, name) == 0)
            return answers->deliveries[i];
    }
    return NULL;
}

static void pause_it(struct delivery *delivery)
{
    delivery_pause(delivery, true);
}

static void resume_it(struct delivery *delivery)
{
    delivery_pause(delivery, false);
}

static const struct {
    const char *command;
    void (*act)(struct delivery *delivery);
} ACTIONS[] = {
    {"receiver-pause", pause_it},
    {"receiver-resume", resume_it},
    {"receiver-flush", delivery_flush},
};

static json_t *act(const struct receiver_answers *answers, const json_t *request,
                   void (*action)(struct delivery *delivery))
{
    char name[65];
    struct delivery *delivery = NULL;
    if (answer_read_text(request, "name", name, sizeof name))
        delivery = receiver_answers_find(answers, name);
    if (!delivery)
        return answer_refuse("there is no receiver of that name; 'ibtrapctl receivers' lists them");
    action(delivery);
    return json_pack("{s:i, s:o}", "version", 1, "receiver", receiver_json(delivery));
}

json_t *receiver_answers_get(const struct receiver_answers *answers, const char *command,
                             const json_t *request)
{
    if (strcmp(command, "receivers") == 0)
        return json_pack("{s:i, s:o}", "version", 1, "receivers",
                         receiver_answers_list(answers->deliveries, answers->count));
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++) {
        if (strcmp(command, ACTIONS[i].command) == 0)
            return act(answers, request, ACTIONS[i].act);
    }
    return NULL;
}
