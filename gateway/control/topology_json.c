// SPDX-License-Identifier: BSD-2-Clause
#include "control/topology_json.h"

#include "control/answer.h"
#include "ctl/protocol.h"
#include "ib/mad.h"
#include "model/words.h"
#include "topology/changes.h"

enum { TYPE_COUNT = 4 }; // switches, hosts, routers, others

static const char *type_word(uint8_t type)
{
    const char *word = words_node_type(type);
    return word[0] != '\0' ? word : "unknown";
}

static const char *name_of(const struct fabric_node *node, const struct names *names)
{
    const char *name = names_find(names, node->guid);
    return name ? name : node->description;
}

// The LID of the port; all ports of a switch have that of its port 0.
static uint16_t lid_of(const struct fabric *fabric, uint32_t node, const struct fabric_port *port)
{
    if (fabric->nodes[node].type != FABRIC_SWITCH)
        return port->lid;
    uint32_t zero = fabric_find_port(fabric, node, 0);
    return zero == FABRIC_NONE ? 0 : fabric->ports[zero].lid;
}

static json_t *peer_json(const struct fabric *fabric, uint32_t port, const struct names *names)
{
    uint32_t peer = fabric_peer(fabric, port);
    if (peer == FABRIC_NONE)
        return json_null();
    uint32_t node = fabric->ports[port].peer_node;
    const struct fabric_node *n = &fabric->nodes[node];
    const struct fabric_port *p = &fabric->ports[peer];
    return json_pack("{s:o, s:i, s:s, s:s, s:i, s:o}", "guid", answer_guid(n->guid), "port",
                     (int)p->number, "type", type_word(n->type), "name", name_of(n, names), "lid",
                     (int)lid_of(fabric, node, p), "port_guid", answer_guid(p->guid));
}

static json_t *widths_json(uint8_t bits)
{
    json_t *list = json_array();
    for (unsigned bit = 1; bit <= 16; bit <<= 1) {
        if (bits & bit)
            json_array_append_new(list, json_integer(fabric_lanes((uint8_t)bit)));
    }
    return list;
}

static json_t *speeds_json(uint16_t bits)
{
    json_t *list = json_array();
    uint16_t bit;
    for (size_t i = 0; (bit = fabric_speed_at(i)) != 0; i++) {
        if (bits & bit)
            json_array_append_new(list, json_string(fabric_speed_word(bit)));
    }
    return list;
}

static json_t *topology_json_port(const struct fabric *fabric, uint32_t index,
                                  const struct names *names)
{
    const struct fabric_port *p = &fabric->ports[index];
    json_t *port = json_pack("{s:i, s:o, s:i, s:i, s:s, s:b, s:o}", "port", (int)p->number, "guid",
                             answer_guid(p->guid), "lid", (int)p->lid, "lmc", (int)p->lmc, "state",
                             mad_port_state_words(p->state), "silent", (int)p->silent, "peer",
                             peer_json(fabric, index, names));
    if (!p->known || p->state == FABRIC_DOWN)
        return port;
    json_t *rates = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:I}", "width", (int)fabric_lanes(p->width_active), "speed",
        fabric_speed_word(p->speed_active), "widths_enabled", widths_json(p->width_enabled),
        "widths_supported", widths_json(p->width_supported), "speeds_enabled",
        speeds_json(p->speed_enabled), "speeds_supported", speeds_json(p->speed_supported),
        "capabilities", (json_int_t)p->capabilities);
    json_object_update(port, rates);
    json_decref(rates);
    return port;
}

static json_t *node_json(const struct fabric *fabric, uint32_t index, const struct names *names)
{
    const struct fabric_node *n = &fabric->nodes[index];
    json_t *ports = json_array();
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        json_array_append_new(ports, topology_json_port(fabric, i, names));
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:b, s:o}", "guid",
                     answer_guid(n->guid), "system_guid", answer_guid(n->system_guid), "type",
                     type_word(n->type), "name", name_of(n, names), "description", n->description,
                     "port_count", (int)n->port_count, "vendor", (int)n->vendor, "device",
                     (int)n->device, "revision", (json_int_t)n->revision, "silent", (int)n->silent,
                     "ports", ports);
}

static json_t *topology_json_sm(const struct fabric *fabric, const struct fabric_sm *sm,
                                const struct names *names)
{
    static const char *const STATES[] = {"not active", "discovering", "standby", "master"};
    const struct fabric_node *n = &fabric->nodes[sm->node];
    return json_pack("{s:o, s:o, s:i, s:s, s:i, s:i, s:s}", "guid", answer_guid(sm->guid), "node",
                     answer_guid(n->guid), "port", (int)sm->port, "name", name_of(n, names), "lid",
                     (int)sm->lid, "priority", (int)sm->priority, "state",
                     sm->state < 4 ? STATES[sm->state] : "unknown");
}

static json_t *controller_json(const struct fabric *fabric, const struct fabric_controller *c,
                               const struct names *names)
{
    const struct fabric_node *n = &fabric->nodes[c->node];
    return json_pack("{s:o, s:o, s:s, s:i, s:s}", "guid", answer_guid(c->guid), "node",
                     answer_guid(n->guid), "node_name", name_of(n, names), "slot", (int)c->slot,
                     "name", c->name);
}

static json_t *head_json(const struct fabric *fabric, int64_t number)
{
    return json_pack("{s:i, s:I, s:o, s:I, s:b, s:o, s:I, s:I}", "version", PROTOCOL_VERSION,
                     "snapshot", (json_int_t)number, "time", answer_time(fabric->time_us),
                     "time_us", (json_int_t)fabric->time_us, "complete", (int)fabric->complete,
                     "subnet_prefix", answer_guid(fabric->subnet_prefix), "node_count",
                     (json_int_t)fabric->node_count, "link_count",
                     (json_int_t)fabric_count_links(fabric));
}

json_t *topology_sms_json(const struct fabric *fabric, const struct names *names)
{
    json_t *sms = json_array();
    for (uint32_t i = 0; i < fabric->sm_count; i++)
        json_array_append_new(sms, topology_json_sm(fabric, &fabric->sms[i], names));
    return sms;
}

static json_t *controllers_json(const struct fabric *fabric, const struct names *names)
{
    json_t *controllers = json_array();
    for (uint32_t i = 0; i < fabric->controller_count; i++)
        json_array_append_new(controllers, controller_json(fabric, &fabric->controllers[i], names));
    return controllers;
}

// Nodes are written in TYPE_COUNT walks over all nodes, one for each type. Returns the walk of a
// type.
static uint32_t walk_of(uint8_t type)
{
    static const uint32_t WALKS[TYPE_COUNT] = {
        [FABRIC_SWITCH] = 0, [FABRIC_CA] = 1, [FABRIC_ROUTER] = 2, [0] = 3};
    return WALKS[type < TYPE_COUNT ? type : 0];
}

json_t *topology_json(const struct fabric *fabric, int64_t number, const struct names *names,
                      uint32_t first)
{
    json_t *out = head_json(fabric, number), *nodes = json_array();
    uint32_t ports = 0, place = first;
    if (first == 0) {
        json_object_set_new(out, "sms", topology_sms_json(fabric, names));
        json_object_set_new(out, "controllers", controllers_json(fabric, names));
    }
    for (; place < TYPE_COUNT * fabric->node_count && ports < TOPOLOGY_PAGE_PORTS; place++) {
        uint32_t i = place % fabric->node_count;
        if (walk_of(fabric->nodes[i].type) != place / fabric->node_count)
            continue;
        json_array_append_new(nodes, node_json(fabric, i, names));
        ports += fabric->nodes[i].ports + 1U;
    }
    json_object_set_new(out, "nodes", nodes);
    if (place < TYPE_COUNT * fabric->node_count)
        json_object_set_new(out, "more",
                            json_pack("{s:I, s:I}", "first", (json_int_t)place, "time_us",
                                      (json_int_t)fabric->time_us));
    return out;
}

json_t *topology_list_json(struct journal *journal)
{
    struct journal_snapshot kept[JOURNAL_SNAPSHOTS_MAX + 1];
    size_t n = journal_list_snapshots(journal, kept);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:I, s:I}", "snapshot", (json_int_t)kept[i].number, "time",
                            answer_time(kept[i].time_us), "nodes", (json_int_t)kept[i].nodes,
                            "links", (json_int_t)kept[i].links));
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "snapshots", list);
}

// Changes.

static json_t *endpoint_json(const struct endpoint *who)
{
    return json_pack("{s:o, s:o, s:s, s:i, s:i, s:s}", "guid", answer_guid(who->guid), "node",
                     answer_guid(who->node_guid), "type", type_word(who->type), "port",
                     (int)who->port, "lid", (int)who->lid, "name", who->name);
}

static json_t *change_json(const struct change *change, const struct event_builder *builder)
{
    const struct catalogue_entry *type = catalogue_get(change->type);
    struct event *event = event_builder_from_change(builder, change, false, NULL, NULL);
    if (!event)
        return NULL;
    json_t *out = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o}", "event", type->name, "title",
        type->title, "severity", severity_word(event->severity), "text", event->text, "subject",
        endpoint_json(&change->subject), "peer", endpoint_json(&change->peer), "switch",
        answer_guid(change->switch_guid), "sm", answer_guid(change->sm_guid), "affected",
        (json_int_t)change->affected, "reason", change->reason, "cause",
        change->cause == FABRIC_NONE ? json_null() : json_integer(change->cause));
    event_unref(event);
    return out;
}

static json_t *side_json(const struct topology_side *side)
{
    return json_pack("{s:I, s:o, s:I, s:b}", "snapshot", (json_int_t)side->number, "time",
                     answer_time(side->fabric->time_us), "time_us",
                     (json_int_t)side->fabric->time_us, "complete", (int)side->fabric->complete);
}

json_t *topology_diff_json(const struct topology_side *from, const struct topology_side *to,
                           const struct event_builder *builder, uint32_t first)
{
    struct changes changes = {0};
    json_t *list = json_array();
    changes_between(from->fabric, to->fabric, builder->names, &changes);
    uint32_t i = first;
    for (; i < changes.count && i - first < TOPOLOGY_PAGE_CHANGES; i++)
        json_array_append_new(list, change_json(&changes.all[i], builder));
    json_t *out =
        json_pack("{s:i, s:o, s:o, s:I, s:o}", "version", PROTOCOL_VERSION, "from", side_json(from),
                  "to", side_json(to), "change_count", (json_int_t)changes.count, "changes", list);
    if (i < changes.count)
        json_object_set_new(out, "more",
                            json_pack("{s:I, s:I, s:I}", "first", (json_int_t)i, "from_time_us",
                                      (json_int_t)from->fabric->time_us, "to_time_us",
                                      (json_int_t)to->fabric->time_us));
    changes_clear(&changes);
    return out;
}
