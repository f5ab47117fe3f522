// SPDX-License-Identifier: BSD-2-Clause
#include "control/context_answers.h"

#include "control/answer.h"
#include "ctl/protocol.h"

enum { PAGE = 1000 };

static const char *context_type_word(uint8_t type)
{
    return type == FABRIC_SWITCH ? "switch" : type == FABRIC_ROUTER ? "router" : "host";
}

static json_t *context_json(const struct control *c, const struct fabric_node *node,
                            const struct fabric_port *port)
{
    char context[CONTEXTS_NAME_SIZE];
    const char *known = names_find(c->names, node->guid);
    contexts_name(port->guid, context);
    return json_pack("{s:o, s:s, s:o, s:i, s:s}", "name",
                     protocol_text(known ? known : node->description), "type",
                     context_type_word(node->type), "guid", protocol_guid(node->guid), "port",
                     (int)port->number, "context", context);
}

// Fills `list` with the contexts of port GUIDs greater than `after`, if there are any. Returns the
// last one; 0: there are no more.
static uint64_t context_add_page(const struct control *c, uint64_t after, json_t *list)
{
    const struct fabric *fabric = c->fabric;
    for (uint32_t i = 0; i < fabric->port_guid_count; i++) {
        const struct fabric_port_key *key = &fabric->port_guids[i];
        const struct fabric_node *node = &fabric->nodes[fabric_node_of_port(fabric, key->port)];
        const struct fabric_port *port = &fabric->ports[key->port];
        if (key->guid <= after || !agent_has_context(c->parts->subagent, key->guid))
            continue;
        json_array_append_new(list, context_json(c, node, port));
        if (json_array_size(list) == PAGE)
            return key->guid;
    }
    return 0;
}

json_t *context_answers_list(struct control *c, const json_t *request)
{
    char after[CONTEXTS_NAME_SIZE], last[CONTEXTS_NAME_SIZE];
    uint64_t guid = 0;
    struct agent_status status;
    if (!answer_read_text(request, "after", after, sizeof after) ||
        (after[0] != '\0' && !contexts_read_name(after, &guid)))
        return answer_refuse("'after' must be a context");
    if (!c->parts->subagent)
        return answer_refuse("there are no contexts without an item 'socket' in the section "
                             "'subagent' of the configuration");
    agent_get_status(c->parts->subagent, &status);
    if (status.contexts_of == CONTEXTS_OFF)
        return answer_refuse("there are no contexts: the section 'subagent' of the configuration "
                             "has 'contexts = \"off\"'");
    json_t *list = json_array();
    guid = c->fabric ? context_add_page(c, guid, list) : 0;
    if (guid == 0)
        return json_pack("{s:i, s:o}", "most", CONTEXTS_MAX, "contexts", list);
    contexts_name(guid, last);
    return json_pack("{s:i, s:o, s:{s:s}}", "most", CONTEXTS_MAX, "contexts", list, "more", "after",
                     last);
}
