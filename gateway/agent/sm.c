// SPDX-License-Identifier: BSD-2-Clause
#include "agent/sm.h"

#include "agent/put.h"
#include "base/wire.h"

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
