// SPDX-License-Identifier: BSD-2-Clause
#include "agent/device.h"

#include "agent/put.h"
#include "base/text.h"
#include "mib_root.h"

enum { DEVICES = 3 }; // ibtrapdDevices of the IBTRAPD-MIB, below its root
enum { DISPLAY_STRING_MAX = 255 };

const struct fabric_node *device_node(const struct agent_snapshot *snapshot,
                                      const struct table_row *row)
{
    return &snapshot->fabric->nodes[row->node];
}

const struct fabric_port *device_port(const struct agent_snapshot *snapshot,
                                      const struct table_row *row)
{
    return &snapshot->fabric->ports[row->port];
}

const char *device_name(const struct agent_snapshot *snapshot, const struct fabric_node *node)
{
    const char *known = names_find(snapshot->names, node->guid);
    return known ? known : node->description;
}

bool device_put_text(struct agentx_value *out, const char *text)
{
    char ascii[DISPLAY_STRING_MAX + 1];
    text_ascii(text, ascii, sizeof ascii);
    return put_text(out, ascii, DISPLAY_STRING_MAX);
}

static const char *device_word(const struct fabric_node *node)
{
    return node->type == FABRIC_SWITCH ? "switch" : node->type == FABRIC_ROUTER ? "router" : "host";
}

bool device_put_description(struct agentx_value *out, const struct fabric_node *node)
{
    char text[512];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "InfiniBand %s, %u port%s, vendor 0x%06x, device 0x%04x, revision 0x%x, GUID ",
              device_word(node), (unsigned)node->port_count, node->port_count == 1 ? "" : "s",
              (unsigned)node->vendor, (unsigned)node->device, (unsigned)node->revision);
    text_addf(&t, "0x%016llx: %s", (unsigned long long)node->guid, node->description);
    return device_put_text(out, text);
}

bool device_put_kind(struct agentx_value *out, const struct fabric_node *node)
{
    static const uint32_t ROOT[] = {MIB_ROOT_IDS, DEVICES};
    for (size_t i = 0; i < sizeof ROOT / sizeof *ROOT; i++)
        agentx_oid_add(&out->oid, ROOT[i]);
    return agentx_oid_add(&out->oid, node->type);
}

// False: the end port is not in the fabric any more.
static bool device_enter(const struct agent_snapshot *snapshot, struct table_row *row)
{
    row->port = snapshot->fabric ? snapshot->scope.port : FABRIC_NONE;
    if (row->port == FABRIC_NONE)
        return false;
    row->node = fabric_node_of_port(snapshot->fabric, row->port);
    return true;
}

bool device_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after, struct table_row *row, struct agentx_oid *found)
{
    return device_enter(snapshot, row) &&
           table_seek_scalar(snapshot, ids, length, after, row, found);
}

bool device_seek_switch(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after, struct table_row *row, struct agentx_oid *found)
{
    return device_enter(snapshot, row) && device_node(snapshot, row)->type == FABRIC_SWITCH &&
           table_seek_scalar(snapshot, ids, length, after, row, found);
}

// The number that a port has in an index.
static uint8_t device_index(uint8_t number)
{
    return number == 0 ? DEVICE_PORT_0 : number;
}

// Whether the port belongs to the device: all ports of a switch, else the end port itself.
static bool device_has(const struct agent_snapshot *snapshot, const struct fabric_node *node,
                       uint32_t port)
{
    return node->type == FABRIC_SWITCH || port == snapshot->scope.port;
}

// Finds the device's port with the smallest index from `least` on.
static bool device_find_port(const struct agent_snapshot *snapshot, uint64_t least,
                             unsigned greatest, struct table_row *row)
{
    const struct fabric_node *node = device_node(snapshot, row);
    unsigned best = greatest + 1;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const uint8_t index = device_index(snapshot->fabric->ports[i].number);
        if (index < least || index >= best || !device_has(snapshot, node, i))
            continue;
        best = index;
        row->port = i;
        row->number = index;
    }
    return best <= greatest;
}

static bool device_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after, unsigned greatest, struct table_row *row,
                        struct agentx_oid *found)
{
    const uint64_t least = length == 0 ? 0 : (uint64_t)ids[0] + after;
    if (!device_enter(snapshot, row) || (!after && length != 1) ||
        !device_find_port(snapshot, least, greatest, row) || (!after && row->number != ids[0]))
        return false;
    found->length = 0;
    return agentx_oid_add(found, row->number);
}

bool device_seek_end_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found)
{
    if (!device_enter(snapshot, row))
        return false;
    row->number = device_index(device_port(snapshot, row)->number);
    found->length = 0;
    agentx_oid_add(found, row->number);
    const int order = agentx_oid_compare(found->ids, found->length, ids, length);
    return after ? order > 0 : order == 0;
}

bool device_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                      bool after, struct table_row *row, struct agentx_oid *found)
{
    return device_seek(snapshot, ids, length, after, DEVICE_PORT_0, row, found);
}

bool device_seek_data_port(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    return device_seek(snapshot, ids, length, after, DEVICE_PORT_0 - 1, row, found);
}

void device_add_port_name(struct text *t, const struct agent_snapshot *snapshot, uint32_t node,
                          uint8_t port)
{
    if (snapshot->scope.fabric) {
        char ascii[FABRIC_DESCRIPTION_SIZE];
        text_ascii(device_name(snapshot, &snapshot->fabric->nodes[node]), ascii, sizeof ascii);
        text_addf(t, "%s/", ascii);
    }
    text_addf(t, "%u", (unsigned)port);
}

static bool device_find_in_box(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, const struct box *box,
                               device_has_row *has, struct table_row *row)
{
    if (!after) {
        for (size_t i = 0; i < box->length; i++)
            row->tail[i] = ids[i];
        return has(snapshot, row);
    }
    for (bool more = box_begin_after(box, ids, length, row->tail); more;
         more = box_count_up(box, row->tail)) {
        if (has(snapshot, row))
            return true;
    }
    return false;
}

bool device_seek_box(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                     bool after, const struct box *box, device_has_row *has, struct table_row *row,
                     struct agentx_oid *found)
{
    if (!device_enter(snapshot, row) || (!after && length != box->length))
        return false;
    for (size_t i = 0; !after && i < length; i++) {
        if (ids[i] < box->first[i] || ids[i] > box->last[i])
            return false;
    }
    if (!device_find_in_box(snapshot, ids, length, after, box, has, row))
        return false;
    found->length = 0;
    for (size_t i = 0; i < box->length; i++)
        agentx_oid_add(found, row->tail[i]);
    return true;
}
