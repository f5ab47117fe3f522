// SPDX-License-Identifier: BSD-2-Clause
#include "control/receiver_answers.h"

#include "control/answer.h"
#include "ctl/protocol.h"

#include <string.h>

static const char *state_word(const struct receiver_status *s)
{
    if (s->paused)
        return "paused";
    if (s->problem[0] != '\0')
        return "failing";
    return s->untried ? "untried" : "working";
}

static json_t *receiver_json(struct receiver *receiver)
{
    const struct sink *r = receiver_sink(receiver);
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    json_t *delivered = s.confirms ? json_integer((json_int_t)s.sent) : json_null();
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name",
                     r->name, "kind", r->kind, "address", protocol_text(r->address), "state",
                     state_word(&s), "sent", (json_int_t)s.handed, "delivered", delivered,
                     "filtered", (json_int_t)s.filtered, "queued", (json_int_t)s.lag, "failed",
                     (json_int_t)s.failed, "dropped", (json_int_t)s.dropped, "refused",
                     (json_int_t)s.refused, "cursor", (json_int_t)s.cursor, "problem",
                     protocol_text(s.problem));
}

json_t *receiver_answers_all(const struct control *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->parts->receiver_count; i++)
        json_array_append_new(list, receiver_json(c->parts->receivers[i]));
    return list;
}

static void receiver_answers_add_gone(void *ctx, const struct journal_receiver_state *state)
{
    if (state->gone_us != 0)
        json_array_append_new(ctx, json_pack("{s:o, s:o, s:I}", "name", protocol_text(state->name),
                                             "since", protocol_time(state->gone_us), "cursor",
                                             (json_int_t)state->cursor));
}

// The receivers that are gone, and how many events they did not get.
static json_t *receiver_answers_gone(struct journal *journal)
{
    size_t i;
    json_t *one, *list = json_array();
    journal_each_receiver(journal, receiver_answers_add_gone, list);
    int64_t last = journal_last(journal);
    json_array_foreach(list, i, one)
    {
        int64_t cursor = json_integer_value(json_object_get(one, "cursor"));
        json_object_set_new(one, "queued",
                            json_integer(journal_between(journal, cursor, last + 1)));
    }
    return list;
}

json_t *receiver_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    return json_pack("{s:i, s:o, s:o}", "version", PROTOCOL_VERSION, "receivers",
                     receiver_answers_all(c), "gone", receiver_answers_gone(c->parts->journal));
}

struct receiver *receiver_answers_find(const struct control *c, const char *name)
{
    for (size_t i = 0; i < c->parts->receiver_count; i++) {
        if (strcmp(receiver_sink(c->parts->receivers[i])->name, name) == 0)
            return c->parts->receivers[i];
    }
    return NULL;
}

// The receiver that item "name" names, or NULL.
static struct receiver *receiver_answers_of(const struct control *c, const json_t *request)
{
    char name[65];
    return answer_read_text(request, "name", name, sizeof name) ? receiver_answers_find(c, name)
                                                                : NULL;
}

// The answer after a change of the receiver; `receiver` NULL: there is none of that name.
static json_t *receiver_answers_finish(struct receiver *receiver)
{
    if (!receiver)
        return answer_refuse("there is no receiver of that name; 'ibtrapctl receivers' lists them");
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "receiver",
                     receiver_json(receiver));
}

json_t *receiver_answers_pause(struct control *c, const json_t *request)
{
    struct receiver *receiver = receiver_answers_of(c, request);
    if (receiver)
        receiver_pause(receiver, true);
    return receiver_answers_finish(receiver);
}

json_t *receiver_answers_resume(struct control *c, const json_t *request)
{
    struct receiver *receiver = receiver_answers_of(c, request);
    if (receiver)
        receiver_pause(receiver, false);
    return receiver_answers_finish(receiver);
}

json_t *receiver_answers_flush(struct control *c, const json_t *request)
{
    struct receiver *receiver = receiver_answers_of(c, request);
    if (receiver)
        receiver_flush(receiver);
    return receiver_answers_finish(receiver);
}

json_t *receiver_answers_forget(struct control *c, const json_t *request)
{
    char name[65];
    if (receiver_answers_of(c, request))
        return answer_refuse("that receiver is in use: delete its section and reload first");
    if (!answer_read_text(request, "name", name, sizeof name) ||
        !journal_forget_gone_receiver(c->parts->journal, name))
        return answer_refuse("no receiver of that name is gone; 'ibtrapctl receivers' lists them");
    return answer_done();
}
