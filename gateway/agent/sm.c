// SPDX-License-Identifier: BSD-2-Clause
#include "agent/sm.h"

#include "agent/put.h"
#include "base/wire.h"

#include <string.h>

const struct fabric_node *sm_node(const struct agent_snapshot *snapshot,
                                  const struct table_row *row)
{
    return &snapshot->fabric->nodes[row->node];
}

const struct fabric_port *sm_port(const struct agent_snapshot *snapshot,
                                  const struct table_row *row)
{
    return &snapshot->fabric->ports[row->port];
}

void sm_add_guid(struct agentx_oid *oid, uint64_t guid)
{
    uint8_t octets[sizeof guid];
    wire_put(octets, sizeof octets, guid);
    agentx_oid_add_octets(oid, octets, sizeof octets);
}

static void sm_node_index(const struct agent_snapshot *snapshot, size_t at, struct agentx_oid *out)
{
    sm_add_guid(out, snapshot->fabric->subnet_prefix);
    sm_add_guid(out, snapshot->fabric->nodes[at].guid);
}

// The fabric's ports ascend by node and number.
static void sm_port_index(const struct agent_snapshot *snapshot, size_t at, struct agentx_oid *out)
{
    const struct fabric *fabric = snapshot->fabric;
    sm_node_index(snapshot, fabric_node_of_port(fabric, (uint32_t)at), out);
    agentx_oid_add(out, fabric->ports[at].number);
}

bool sm_seek_node(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, bool (*has)(const struct fabric_node *node), struct table_row *row,
                  struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    if (!fabric || !table_seek_sorted(snapshot, fabric->node_count, sm_node_index, ids, length,
                                      after, &row->at, found))
        return false;
    while (row->at < fabric->node_count && !has(&fabric->nodes[row->at])) {
        if (!after)
            return false;
        row->at++;
    }
    if (row->at == fabric->node_count)
        return false;
    row->node = (uint32_t)row->at;
    found->length = 0;
    sm_node_index(snapshot, row->at, found);
    return true;
}

bool sm_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, bool (*has)(const struct fabric_port *port), struct table_row *row,
                  struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    if (!fabric || !table_seek_sorted(snapshot, fabric->port_count, sm_port_index, ids, length,
                                      after, &row->at, found))
        return false;
    while (row->at < fabric->port_count && !has(&fabric->ports[row->at])) {
        if (!after)
            return false;
        row->at++;
    }
    if (row->at == fabric->port_count)
        return false;
    row->port = (uint32_t)row->at;
    row->node = fabric_node_of_port(fabric, row->port);
    row->number = fabric->ports[row->port].number;
    found->length = 0;
    sm_port_index(snapshot, row->at, found);
    return true;
}

enum { SM_NODE_LENGTH = 16 }; // of the index of a node

static bool sm_find_tail(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                         sm_next *next, struct table_row *row)
{
    const struct fabric *fabric = snapshot->fabric;
    struct agentx_oid at;
    const size_t used = length < SM_NODE_LENGTH ? length : SM_NODE_LENGTH;
    table_seek_sorted(snapshot, fabric->node_count, sm_node_index, ids, used, false, &row->at, &at);
    for (bool first = true; row->at < fabric->node_count; row->at++, first = false) {
        row->node = (uint32_t)row->at;
        const bool within = first && length > SM_NODE_LENGTH &&
                            agentx_oid_compare(at.ids, at.length, ids, SM_NODE_LENGTH) == 0;
        if (next(snapshot, ids + SM_NODE_LENGTH, within ? length - SM_NODE_LENGTH : 0, row))
            return true;
    }
    return false;
}

bool sm_seek_tail(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, size_t tail_length, sm_next *next, struct table_row *row,
                  struct agentx_oid *found)
{
    uint32_t from[AGENTX_OID_MAX] = {0};
    const size_t whole = SM_NODE_LENGTH + tail_length;
    if (!snapshot->fabric || length > AGENTX_OID_MAX || (!after && length != whole))
        return false;
    if (length > 0)
        memcpy(from, ids, length * sizeof *from);
    // The row itself is the first one after the index that is less by one.
    size_t used = length;
    if (!after && length > 0 && from[length - 1]-- == 0)
        used--;
    if (!sm_find_tail(snapshot, from, used, next, row))
        return false;
    found->length = 0;
    sm_node_index(snapshot, row->node, found);
    for (size_t i = 0; i < tail_length; i++)
        agentx_oid_add(found, row->tail[i]);
    return after || agentx_oid_compare(found->ids, found->length, ids, length) == 0;
}

bool sm_get_prefix(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    (void)row;
    return put_guid(out, snapshot->fabric->subnet_prefix);
}

bool sm_get_node_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_guid(out, sm_node(snapshot, row)->guid);
}

bool sm_get_port_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    (void)snapshot;
    return put_number(out, row->number);
}
