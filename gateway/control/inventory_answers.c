// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "control/answer.h"
#include "ctl/protocol.h"
#include "model/device_values.h"
#include "model/filter.h"
#include "topology/describe.h"
#include "topology/devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 500 }; // items; a page ends with a node

static json_t *inventory_answers_value(enum device_value value, const uint8_t *octets)
{
    struct device_value_read read;
    const unsigned lanes = device_value_lanes(value);
    json_t *list = json_array();
    size_t known = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        known += device_value_read(value, octets, lane, &read);
        json_array_append_new(list, device_value_is_text(value) ? protocol_text(read.text)
                                                                : json_real(read.number));
    }
    if (known > 0 && lanes == 1) {
        json_t *one = json_incref(json_array_get(list, 0));
        json_decref(list);
        return one;
    }
    if (known > 0)
        return list;
    json_decref(list);
    return NULL;
}

json_t *inventory_answers_values(const struct control *c, uint64_t guid, uint8_t port)
{
    struct device_record record = {.time_us = 0};
    json_t *values = json_object();
    int64_t time_us = 0;
    for (int i = 0; i < DEVICE_VALUES; i++) {
        const enum register_page page = device_value_page((enum device_value)i);
        if (device_value_is_of_port((enum device_value)i) != (port > 0) ||
            !devices_find(c->parts->devices, guid, port, page, &record))
            continue;
        json_t *one = inventory_answers_value((enum device_value)i, record.reading.octets);
        if (one)
            json_object_set_new(values, device_value_name((enum device_value)i), one);
        time_us = record.time_us;
    }
    json_object_set_new(values, "time", protocol_time(time_us));
    if (time_us != 0)
        return values;
    json_decref(values);
    return NULL;
}

static void inventory_answers_name(const struct control *c, json_t *item, const char *name_item,
                                   uint32_t node)
{
    char label[NAMES_NAME_SIZE];
    json_object_set_new(
        item, name_item,
        protocol_text(describe_label(c->fabric, node, FABRIC_NONE, c->names, label)));
}

static void inventory_answers_add(const struct control *c, uint32_t node, uint8_t number,
                                  json_t *list)
{
    const uint64_t guid = c->fabric->nodes[node].guid;
    json_t *item = inventory_answers_values(c, guid, number);
    const uint32_t peer = fabric_peer(c->fabric, fabric_find_port(c->fabric, node, number));
    if (!item)
        return;
    inventory_answers_name(c, item, "node", node);
    json_object_set_new(item, "guid", protocol_guid(guid));
    json_object_set_new(item, "port", json_integer(number));
    if (peer != FABRIC_NONE) {
        const uint32_t other = fabric_node_of_port(c->fabric, peer);
        inventory_answers_name(c, item, "peer", other);
        json_object_set_new(item, "peer_guid", protocol_guid(c->fabric->nodes[other].guid));
        json_object_set_new(item, "peer_port", json_integer(c->fabric->ports[peer].number));
    }
    json_array_append_new(list, item);
}

static void inventory_answers_add_node(const struct control *c, uint32_t node, json_t *list)
{
    const struct fabric_node *n = &c->fabric->nodes[node];
    inventory_answers_add(c, node, 0, list);
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (c->fabric->ports[i].number > 0)
            inventory_answers_add(c, node, c->fabric->ports[i].number, list);
    }
}

static bool inventory_answers_is_chosen(const struct control *c, uint32_t node,
                                        const struct filter_list *nodes)
{
    char label[NAMES_NAME_SIZE], guid[20];
    snprintf(guid, sizeof guid, "0x%016" PRIx64, c->fabric->nodes[node].guid);
    return nodes->count == 0 || filter_list_has(nodes, guid) ||
           filter_list_has(nodes, systems_of(c->systems, node)->name) ||
           filter_list_has(nodes, describe_label(c->fabric, node, FABRIC_NONE, c->names, label));
}

json_t *inventory_answers_list(struct control *c, const json_t *request)
{
    struct filter_list nodes = {.count = 0};
    char after[20];
    if (!answer_read_text(request, "node", nodes.patterns[0], sizeof nodes.patterns[0]) ||
        !answer_read_text(request, "after", after, sizeof after))
        return answer_refuse("'node' must be a pattern, and 'after' a GUID");
    nodes.count = nodes.patterns[0][0] != '\0';
    if (!c->fabric)
        return answer_refuse("no sweep of the fabric has ended yet");
    const uint64_t last = strtoull(after, NULL, 16);
    json_t *list = json_array(), *more = NULL;
    for (uint32_t i = 0; i < c->fabric->node_count && !more; i++) {
        if (c->fabric->nodes[i].guid <= last || !inventory_answers_is_chosen(c, i, &nodes))
            continue;
        inventory_answers_add_node(c, i, list);
        if (json_array_size(list) >= PAGE)
            more = json_pack("{s:s, s:o}", "node", nodes.patterns[0], "after",
                             protocol_guid(c->fabric->nodes[i].guid));
    }
    json_t *answer = json_pack("{s:i, s:b, s:o}", "version", PROTOCOL_VERSION, "is_read",
                               (int)c->settings.vendor_registers, "inventory", list);
    if (more)
        json_object_set_new(answer, "more", more);
    return answer;
}
