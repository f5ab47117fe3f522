// SPDX-License-Identifier: BSD-2-Clause
#include "control/receiver_answers.h"

#include "control/answer.h"
#include "ctl/protocol.h"

#include <string.h>

static const char *state_word(const struct receiver_status *s)
{
    if (s->paused)
        return "paused";
    return s->problem[0] ? "failing" : "working";
}

static json_t *receiver_json(struct receiver *receiver)
{
    const struct sink *r = receiver_sink(receiver);
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    json_t *delivered = s.confirms ? json_integer((json_int_t)s.sent) : json_null();
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name",
                     r->name, "kind", r->kind, "address", answer_text(r->address), "state",
                     state_word(&s), "sent", (json_int_t)s.handed, "delivered", delivered,
                     "filtered", (json_int_t)s.filtered, "queued", (json_int_t)s.lag, "failed",
                     (json_int_t)s.failed, "dropped", (json_int_t)s.dropped, "refused",
                     (json_int_t)s.refused, "cursor", (json_int_t)s.cursor, "problem",
                     answer_text(s.problem));
}

json_t *receiver_answers_all(const struct control *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->receiver_count; i++)
        json_array_append_new(list, receiver_json(c->receivers[i]));
    return list;
}

json_t *receiver_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "receivers",
                     receiver_answers_all(c));
}

struct receiver *receiver_answers_find(const struct control *c, const char *name)
{
    for (size_t i = 0; i < c->receiver_count; i++) {
        if (strcmp(receiver_sink(c->receivers[i])->name, name) == 0)
            return c->receivers[i];
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
