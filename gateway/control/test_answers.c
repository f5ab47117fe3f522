// SPDX-License-Identifier: BSD-2-Clause
#include "control/test_answers.h"

#include "control/answer.h"
#include "control/event_answers.h"
#include "control/receiver_answers.h"
#include "ctl/protocol.h"
#include "topology/describe.h"

#include <stdlib.h>
#include <string.h>

static uint32_t find_by_guid(const struct fabric *fabric, const char *word)
{
    char *end;
    uint64_t guid = strtoull(word, &end, 16);
    if (*end != '\0')
        return FABRIC_NONE;
    uint32_t port = fabric_find_port_guid(fabric, guid);
    return port == FABRIC_NONE ? fabric_find_node(fabric, guid) : fabric_node_of_port(fabric, port);
}

static uint32_t find_by_name(const struct fabric *fabric, const struct names *names,
                             const char *word)
{
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const char *name = names_find(names, fabric->nodes[i].guid);
        if (strcmp(name ? name : fabric->nodes[i].description, word) == 0)
            return i;
    }
    return FABRIC_NONE;
}

// Returns a port of the node, preferring one with a link. FABRIC_NONE: the node has no ports.
static uint32_t choose_port(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric_peer(fabric, i) != FABRIC_NONE)
            return i;
    }
    return n->ports > 0 ? n->first_port : FABRIC_NONE;
}

static void test_answers_describe(const struct fabric *fabric, const struct names *names,
                                  uint32_t node, struct test_event *out)
{
    uint32_t port = choose_port(fabric, node);
    uint32_t peer = port == FABRIC_NONE ? FABRIC_NONE : fabric_peer(fabric, port);
    if (port == FABRIC_NONE)
        describe_node(fabric, node, names, &out->subject);
    else
        describe_port(fabric, port, names, &out->subject);
    if (peer != FABRIC_NONE)
        describe_port(fabric, peer, names, &out->peer);
}

static bool find_node(const char *word, const struct fabric *fabric, const struct names *names,
                      struct test_event *out, struct error *err)
{
    if (!fabric)
        return error_set(err, "no sweep of the fabric has ended yet, so that no node is known");
    bool is_guid = strncmp(word, "0x", 2) == 0;
    uint32_t node = is_guid ? find_by_guid(fabric, word) : find_by_name(fabric, names, word);
    if (node == FABRIC_NONE)
        return error_set(err, "no node '%s' is known; 'ibtrapctl topology' lists names and GUIDs",
                         word);
    test_answers_describe(fabric, names, node, out);
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
        return error_set(err,
                         "there is no receiver of that name; 'ibtrapctl receivers' lists them");
    if (!answer_read_text(request, "node", node, sizeof node))
        return error_set(err, "the node must be a name or a GUID");
    if (node[0] != '\0')
        return find_node(node, c->fabric, c->names, out, err);
    test_event_make_up(out);
    return true;
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
    return json_pack("{s:i, s:I}", "version", PROTOCOL_VERSION, "last", (json_int_t)last);
}
