#include "control/receiver_answers.h"

#include "control/answer.h"

#include <string.h>

static const char *state_word(const struct receiver_status *s)
{
    if (s->paused)
        return "paused";
    return s->problem[0] ? "failing" : "working";
}

static json_t *receiver_answers_json(struct receiver *receiver)
{
    const struct sink *r = receiver_sink(receiver);
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", r->name,
                     "kind", r->kind, "address", answer_text(r->address), "state", state_word(&s),
                     "sent", (json_int_t)s.sent, "filtered", (json_int_t)s.filtered, "queued",
                     (json_int_t)s.lag, "failed", (json_int_t)s.failed, "dropped",
                     (json_int_t)s.dropped, "cursor", (json_int_t)s.cursor, "problem",
                     answer_text(s.problem));
}

json_t *receiver_answers_list(struct receiver *const *receivers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, receiver_answers_json(receivers[i]));
    return list;
}

struct receiver *receiver_answers_find(const struct receiver_answers *answers, const char *name)
{
    for (size_t i = 0; i < answers->count; i++) {
        if (strcmp(receiver_sink(answers->receivers[i])->name, name) == 0)
            return answers->receivers[i];
    }
    return NULL;
}

static void pause_it(struct receiver *receiver)
{
    receiver_pause(receiver, true);
}

static void resume_it(struct receiver *receiver)
{
    receiver_pause(receiver, false);
}

static const struct {
    const char *command;
    void (*act)(struct receiver *receiver);
} ACTIONS[] = {
    {"receiver-pause", pause_it},
    {"receiver-resume", resume_it},
    {"receiver-flush", receiver_flush},
};

static json_t *act(const struct receiver_answers *answers, const json_t *request,
                   void (*action)(struct receiver *receiver))
{
    char name[65];
    struct receiver *receiver = NULL;
    if (answer_read_text(request, "name", name, sizeof name))
        receiver = receiver_answers_find(answers, name);
    if (!receiver)
        return answer_refuse("there is no receiver of that name; 'ibtrapctl receivers' lists them");
    action(receiver);
    return json_pack("{s:i, s:o}", "version", 1, "receiver", receiver_answers_json(receiver));
}

json_t *receiver_answers_get(const struct receiver_answers *answers, const char *command,
                             const json_t *request)
{
    if (strcmp(command, "receivers") == 0)
        return json_pack("{s:i, s:o}", "version", 1, "receivers",
                         receiver_answers_list(answers->receivers, answers->count));
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++) {
        if (strcmp(command, ACTIONS[i].command) == 0)
            return act(answers, request, ACTIONS[i].act);
    }
    return NULL;
}
