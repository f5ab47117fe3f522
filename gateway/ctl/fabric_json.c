// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/fabric_json.h"

#include "ctl/protocol.h"
#include "topology/describe.h"

const char *fabric_json_type(uint8_t type)
{
    const char *word = fabric_type_word(type);
    return word[0] != '\0' ? word : "unknown";
}

uint16_t fabric_json_lid(const struct fabric *fabric, uint32_t node, const struct fabric_port *port)
{
    if (fabric->nodes[node].type != FABRIC_SWITCH)
        return port->lid;
    uint32_t zero = fabric_find_port(fabric, node, 0);
    return zero == FABRIC_NONE ? 0 : fabric->ports[zero].lid;
}

static json_t *fabric_json_peer(const struct fabric *fabric, uint32_t port,
                                const struct names *names)
{
    uint32_t peer = fabric_peer(fabric, port);
    if (peer == FABRIC_NONE)
        return json_null();
    uint32_t node = fabric->ports[port].peer_node;
    const struct fabric_node *n = &fabric->nodes[node];
    const struct fabric_port *p = &fabric->ports[peer];
    char label[NAMES_NAME_SIZE];
    return json_pack("{s:o, s:i, s:s, s:s, s:i, s:o}", "guid", protocol_guid(n->guid), "port",
                     (int)p->number, "type", fabric_json_type(n->type), "name",
                     describe_label(fabric, node, peer, names, label), "lid",
                     (int)fabric_json_lid(fabric, node, p), "port_guid", protocol_guid(p->guid));
}

static json_t *fabric_json_widths(uint8_t bits)
{
    json_t *list = json_array();
    for (unsigned bit = 1; bit <= 16; bit <<= 1) {
        if (bits & bit)
            json_array_append_new(list, json_integer(fabric_lanes((uint8_t)bit)));
    }
    return list;
}

static json_t *fabric_json_speeds(uint16_t bits)
{
    json_t *list = json_array();
    uint16_t bit;
    for (size_t i = 0; (bit = fabric_speed_at(i)) != 0; i++) {
        if (bits & bit)
            json_array_append_new(list, json_string(fabric_speed_word(bit)));
    }
    return list;
}

static json_t *fabric_json_port(const struct fabric *fabric, uint32_t index,
                                const struct names *names)
{
    const struct fabric_port *p = &fabric->ports[index];
    json_t *port = json_pack("{s:i, s:o, s:i, s:i, s:s, s:b, s:o}", "port", (int)p->number, "guid",
                             protocol_guid(p->guid), "lid", (int)p->lid, "lmc", (int)p->lmc,
                             "state", fabric_state_word(p->state), "silent", (int)p->silent, "peer",
                             fabric_json_peer(fabric, index, names));
    if (!p->known || p->state == FABRIC_DOWN)
        return port;
    json_t *rates = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:I}", "width", (int)fabric_lanes(p->width_active), "speed",
        fabric_speed_word(p->speed_active), "widths_enabled", fabric_json_widths(p->width_enabled),
        "widths_supported", fabric_json_widths(p->width_supported), "speeds_enabled",
        fabric_json_speeds(p->speed_enabled), "speeds_supported",
        fabric_json_speeds(p->speed_supported), "capabilities", (json_int_t)p->capabilities);
    json_object_update(port, rates);
    json_decref(rates);
    return port;
}

json_t *fabric_json_node(const struct systems *systems, uint32_t index, const struct names *names)
{
    const struct fabric *fabric = systems->fabric;
    const struct fabric_node *n = &fabric->nodes[index];
    json_t *ports = json_array();
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        json_array_append_new(ports, fabric_json_port(fabric, i, names));
    char label[NAMES_NAME_SIZE];
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:b, s:o}", "guid",
        protocol_guid(n->guid), "system_guid", protocol_guid(n->system_guid), "system",
        protocol_text(systems_of(systems, index)->name), "type", fabric_json_type(n->type), "name",
        describe_label(fabric, index, FABRIC_NONE, names, label), "description", n->description,
        "port_count", (int)n->port_count, "vendor", (int)n->vendor, "device", (int)n->device,
        "revision", (json_int_t)n->revision, "silent", (int)n->silent, "ports", ports);
}

static json_t *fabric_json_sm(const struct fabric *fabric, const struct fabric_sm *sm,
                              const struct names *names)
{
    static const char *const STATES[] = {"not active", "discovering", "standby", "master"};
    const struct fabric_node *n = &fabric->nodes[sm->node];
    char label[NAMES_NAME_SIZE];
    return json_pack("{s:o, s:o, s:i, s:s, s:i, s:i, s:s}", "guid", protocol_guid(sm->guid), "node",
                     protocol_guid(n->guid), "port", (int)sm->port, "name",
                     describe_label(fabric, sm->node, FABRIC_NONE, names, label), "lid",
                     (int)sm->lid, "priority", (int)sm->priority, "state",
                     sm->state < 4 ? STATES[sm->state] : "unknown");
}

static json_t *fabric_json_controller(const struct fabric *fabric,
                                      const struct fabric_controller *c, const struct names *names)
{
    const struct fabric_node *n = &fabric->nodes[c->node];
    char label[NAMES_NAME_SIZE];
    return json_pack("{s:o, s:o, s:s, s:i, s:s}", "guid", protocol_guid(c->guid), "node",
                     protocol_guid(n->guid), "node_name",
                     describe_label(fabric, c->node, FABRIC_NONE, names, label), "slot",
                     (int)c->slot, "name", c->name);
}

json_t *fabric_json_sms(const struct fabric *fabric, const struct names *names)
{
    json_t *sms = json_array();
    for (uint32_t i = 0; i < fabric->sm_count; i++)
        json_array_append_new(sms, fabric_json_sm(fabric, &fabric->sms[i], names));
    return sms;
}

static json_t *fabric_json_controllers(const struct fabric *fabric, const struct names *names)
{
    json_t *controllers = json_array();
    for (uint32_t i = 0; i < fabric->controller_count; i++)
        json_array_append_new(controllers,
                              fabric_json_controller(fabric, &fabric->controllers[i], names));
    return controllers;
}

static json_t *fabric_json_system(const struct systems *systems, const struct system *system)
{
    json_t *parts = json_array();
    for (uint32_t i = 0; i < system->count; i++) {
        const uint32_t node = systems->parts[system->first + i];
        json_array_append_new(parts, protocol_guid(systems->fabric->nodes[node].guid));
    }
    return json_pack("{s:o, s:o, s:s, s:o}", "name", protocol_text(system->name), "guid",
                     protocol_guid(system->guid), "type", system->is_box ? "box" : "host", "parts",
                     parts);
}

static json_t *fabric_json_systems(const struct systems *systems)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < systems->count; i++)
        json_array_append_new(list, fabric_json_system(systems, &systems->all[i]));
    return list;
}

json_t *fabric_json_head(const struct systems *systems, int64_t number, const struct names *names)
{
    const struct fabric *fabric = systems->fabric;
    return json_pack(
        "{s:i, s:I, s:o, s:I, s:b, s:o, s:I, s:I, s:o, s:o, s:o}", "version", PROTOCOL_VERSION,
        "snapshot", (json_int_t)number, "time", protocol_time(fabric->time_us), "time_us",
        (json_int_t)fabric->time_us, "complete", (int)fabric->complete, "subnet_prefix",
        protocol_guid(fabric->subnet_prefix), "node_count", (json_int_t)fabric->node_count,
        "link_count", (json_int_t)fabric_count_links(fabric), "sms", fabric_json_sms(fabric, names),
        "controllers", fabric_json_controllers(fabric, names), "systems",
        fabric_json_systems(systems));
}

// Changes.

static json_t *fabric_json_endpoint(const struct endpoint *who)
{
    return json_pack("{s:o, s:o, s:s, s:i, s:i, s:s}", "guid", protocol_guid(who->guid), "node",
                     protocol_guid(who->node_guid), "type", fabric_json_type(who->type), "port",
                     (int)who->port, "lid", (int)who->lid, "name", who->name);
}

json_t *fabric_json_change(const struct change *change, const struct event_builder *builder)
{
    const struct catalogue_entry *type = catalogue_get(change->type);
    struct event *event = event_builder_from_change(builder, change, false, NULL, NULL);
    if (!event)
        return NULL;
    json_t *out = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o}", "event", type->name, "title",
        type->title, "severity", severity_word(event->severity), "text", event->text, "subject",
        fabric_json_endpoint(&change->subject), "peer", fabric_json_endpoint(&change->peer),
        "switch", protocol_guid(change->switch_guid), "sm", protocol_guid(change->sm_guid),
        "affected", (json_int_t)change->affected, "reason", change->reason, "cause",
        change->cause == FABRIC_NONE ? json_null() : json_integer(change->cause));
    event_unref(event);
    return out;
}

json_t *fabric_json_side(const struct fabric *fabric, int64_t number)
{
    return json_pack("{s:I, s:o, s:I, s:b}", "snapshot", (json_int_t)number, "time",
                     protocol_time(fabric->time_us), "time_us", (json_int_t)fabric->time_us,
                     "complete", (int)fabric->complete);
}
