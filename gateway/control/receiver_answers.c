// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "control/answer.h"
#include "ctl/protocol.h"
#include "topology/comparison.h"
#include "topology/describe.h"

#include <stdlib.h>
#include <string.h>

static const char *receiver_answers_state_word(const struct receiver_status *s)
{
    if (s->paused)
        return "paused";
    if (s->problem[0] != '\0')
        return "failing";
    return s->untried ? "untried" : "working";
}

static json_t *receiver_answers_json(struct receiver *receiver)
{
    const struct sink *r = receiver_sink(receiver);
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    json_t *delivered = s.confirms ? json_integer((json_int_t)s.sent) : json_null();
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name",
                     r->name, "kind", r->kind, "address", protocol_text(r->address), "state",
                     receiver_answers_state_word(&s), "sent", (json_int_t)s.sent, "delivered",
                     delivered, "filtered", (json_int_t)s.filtered, "queued", (json_int_t)s.lag,
                     "failed", (json_int_t)s.failed, "dropped", (json_int_t)s.dropped, "refused",
                     (json_int_t)s.refused, "cursor", (json_int_t)s.cursor, "problem",
                     protocol_text(s.problem));
}

json_t *receiver_answers_all(const struct control *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->parts->receiver_count; i++)
        json_array_append_new(list, receiver_answers_json(c->parts->receivers[i]));
    return list;
}

// The receivers that are gone, and how many events each receiver did not get.
static json_t *receiver_answers_gone(struct journal *journal)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX];
    const size_t n = journal_list_receivers(journal, all);
    const int64_t last = journal_last(journal);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        if (all[i].gone_us != 0)
            json_array_append_new(
                list,
                json_pack("{s:o, s:o, s:I, s:I}", "name", protocol_text(all[i].name), "since",
                          protocol_time(all[i].gone_us), "cursor", (json_int_t)all[i].cursor,
                          "queued", (json_int_t)journal_between(journal, all[i].cursor, last + 1)));
    }
    return list;
}

json_t *receiver_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    return json_pack("{s:i, s:o, s:o}", "version", PROTOCOL_VERSION, "receivers",
                     receiver_answers_all(c), "gone", receiver_answers_gone(c->parts->journal));
}

static struct receiver *receiver_answers_find(const struct control *c, const char *name)
{
    for (size_t i = 0; i < c->parts->receiver_count; i++) {
        if (strcmp(receiver_sink(c->parts->receivers[i])->name, name) == 0)
            return c->parts->receivers[i];
    }
    return NULL;
}

// The receiver with the name in item "name", or NULL.
static struct receiver *receiver_answers_of(const struct control *c, const json_t *request)
{
    char name[65];
    return answer_read_text(request, "name", name, sizeof name) ? receiver_answers_find(c, name)
                                                                : NULL;
}

#define NO_RECEIVER "there is no receiver of that name; 'ibtrapctl receivers' lists them"

json_t *receiver_answers_change(struct control *c, const json_t *request)
{
    struct receiver *receiver = receiver_answers_of(c, request);
    if (!receiver)
        return answer_refuse(NO_RECEIVER);
    if (strcmp(c->command, "receiver-flush") == 0)
        receiver_flush(receiver);
    else
        receiver_pause(receiver, strcmp(c->command, "receiver-pause") == 0);
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "receiver",
                     receiver_answers_json(receiver));
}

struct receiver_line {
    struct journal *journal;
    char name[65];
    bool runs;
};

// Commits the wish to the journal before the client gets its answer.
static void receiver_answers_ask_line(void *ctx, const struct pipeline_context *inside)
{
    struct receiver_line *line = ctx;
    (void)inside;
    line->runs = journal_ask_line(line->journal, line->name);
    journal_commit(line->journal);
    journal_wake(line->journal);
}

json_t *receiver_answers_resync(struct control *c, const json_t *request)
{
    struct receiver_line line = {.journal = c->parts->journal};
    if (answer_read_text(request, "name", line.name, sizeof line.name) &&
        !pipeline_call(c->parts->pipeline, receiver_answers_ask_line, &line))
        return answer_refuse("the gateway is stopping");
    return line.runs ? json_pack("{s:i, s:{s:s}}", "version", PROTOCOL_VERSION, "receiver", "name",
                                 line.name)
                     : answer_refuse(NO_RECEIVER);
}

json_t *receiver_answers_resend(struct control *c, const json_t *request)
{
    int64_t number = 0;
    struct receiver *receiver = receiver_answers_of(c, request);
    if (!receiver)
        return answer_refuse(NO_RECEIVER);
    if (!answer_read_number(request, "number", journal_last(c->parts->journal), &number) ||
        number == 0)
        return answer_refuse("the journal has no event of that number; 'ibtrapctl events' lists "
                             "the numbers");
    if (!receiver_resend(receiver, number))
        return answer_refuse("the receiver has yet to begin with another event; try it again");
    return answer_done();
}

json_t *receiver_answers_forget(struct control *c, const json_t *request)
{
    char name[65];
    if (receiver_answers_of(c, request))
        return answer_refuse("that receiver is in use: delete its section and reload first");
    if (!answer_read_text(request, "name", name, sizeof name) ||
        !journal_forget_receiver(c->parts->journal, name, true))
        return answer_refuse("no receiver of that name is gone; 'ibtrapctl receivers' lists them");
    return answer_done();
}

// Test events.

static uint32_t receiver_answers_find_by_guid(const struct fabric *fabric, const char *word)
{
    char *end;
    uint64_t guid = strtoull(word, &end, 16);
    if (*end != '\0')
        return FABRIC_NONE;
    uint32_t port = fabric_find_port_guid(fabric, guid);
    return port == FABRIC_NONE ? fabric_find_node(fabric, guid) : fabric_node_of_port(fabric, port);
}

static uint32_t receiver_answers_find_by_name(const struct fabric *fabric,
                                              const struct names *names, const char *word)
{
    char label[NAMES_NAME_SIZE];
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (strcmp(describe_name(&fabric->nodes[i], 0, names), word) == 0 ||
            strcmp(describe_label(fabric, i, FABRIC_NONE, names, label), word) == 0)
            return i;
    }
    return FABRIC_NONE;
}

// Returns a port of the node, preferring one with a link. FABRIC_NONE: the node has no ports.
static uint32_t receiver_answers_choose_port(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    const uint32_t linked = comparison_first_linked(fabric, node);
    return linked == FABRIC_NONE && n->ports > 0 ? n->first_port : linked;
}

static void receiver_answers_describe(const struct fabric *fabric, const struct names *names,
                                      uint32_t node, struct test_event *out)
{
    uint32_t port = receiver_answers_choose_port(fabric, node);
    uint32_t peer = fabric_peer(fabric, port);
    if (port == FABRIC_NONE)
        describe_node(fabric, node, names, &out->subject);
    else
        describe_port(fabric, port, names, &out->subject);
    if (peer != FABRIC_NONE)
        describe_port(fabric, peer, names, &out->peer);
}

static bool receiver_answers_find_node(const char *word, const struct fabric *fabric,
                                       const struct names *names, struct test_event *out,
                                       struct error *err)
{
    if (!fabric)
        return error_set(err, "no sweep of the fabric has ended yet, so that no node is known");
    bool is_guid = strncmp(word, "0x", 2) == 0;
    uint32_t node = is_guid ? receiver_answers_find_by_guid(fabric, word)
                            : receiver_answers_find_by_name(fabric, names, word);
    if (node == FABRIC_NONE)
        return error_set(err, "no node '%s' is known; 'ibtrapctl topology' lists names and GUIDs",
                         word);
    receiver_answers_describe(fabric, names, node, out);
    return true;
}

bool test_answers_read(const struct control *c, const json_t *request, struct test_event *out,
                       struct error *err)
{
    char event[64], node[NAMES_NAME_SIZE];
    *out = (struct test_event){0};
    if (!answer_read_text(request, "event", event, sizeof event))
        return error_set(err, "'event' must be an identifier; 'ibtrapctl catalogue' lists them");
    const struct catalogue_entry *type = catalogue_find(event);
    if (!type)
        return event_answers_refuse(event, err);
    out->type = catalogue_event_of(type);
    if (!answer_read_text(request, "receiver", out->receiver, sizeof out->receiver) ||
        (out->receiver[0] && !receiver_answers_find(c, out->receiver)))
        return error_set(err, NO_RECEIVER);
    if (!answer_read_text(request, "node", node, sizeof node))
        return error_set(err, "the node must be a name or a GUID");
    if (node[0] != '\0')
        return receiver_answers_find_node(node, c->fabric, c->names, out, err);
    test_event_make_up(out);
    return true;
}

// Who tests has just mended a receiver. `only`: the name of the receiver of the test; empty: all.
static void receiver_answers_hurry(const struct control *c, const char *only)
{
    for (size_t i = 0; i < c->parts->receiver_count; i++) {
        if (only[0] == '\0' || strcmp(receiver_sink(c->parts->receivers[i])->name, only) == 0)
            receiver_hurry(c->parts->receivers[i]);
    }
}

json_t *test_answers_send(struct control *c, const json_t *request)
{
    struct error err;
    struct test_event test;
    int64_t last = journal_last(c->parts->journal);
    if (!test_answers_read(c, request, &test, &err))
        return answer_refuse("%s", err.text);
    if (!pipeline_put_test_event(c->parts->pipeline, &test))
        return answer_refuse("ibtrapd is too busy for a test now");
    receiver_answers_hurry(c, test.receiver);
    return json_pack("{s:i, s:I}", "version", PROTOCOL_VERSION, "last", (json_int_t)last);
}
