// SPDX-License-Identifier: BSD-2-Clause
#include "agent/fabric_device.h"

#include "agent/device.h"
#include "base/text.h"

bool fabric_device_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return snapshot->fabric && table_seek_scalar(snapshot, ids, length, after, row, found);
}

bool fabric_device_find(const struct agent_snapshot *snapshot, uint64_t least,
                        struct table_row *row)
{
    const struct interface_list *list = snapshot->fabric ? snapshot_interfaces_of(snapshot) : NULL;
    if (!list || least > INT32_MAX)
        return false;
    row->at = interface_list_find(list, snapshot->fabric, (uint32_t)least, &row->node, &row->port);
    return row->at > 0;
}

bool fabric_device_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    const uint64_t least = length == 0 ? 0 : (uint64_t)ids[0] + after;
    if ((!after && length != 1) || !fabric_device_find(snapshot, least, row) ||
        (!after && row->at != ids[0]))
        return false;
    found->length = 0;
    return agentx_oid_add(found, (uint32_t)row->at);
}

// Counts the nodes of a type.
static unsigned fabric_device_count(const struct fabric *fabric, uint8_t type)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++)
        n += fabric->nodes[i].type == type;
    return n;
}

bool fabric_device_descr(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    char text[512];
    const struct fabric *fabric = snapshot->fabric;
    struct text t = text_in(text, sizeof text);
    (void)row;
    text_addf(&t, "InfiniBand fabric, subnet prefix 0x%016llx, %u switches, %u hosts, %u routers",
              (unsigned long long)fabric->subnet_prefix, fabric_device_count(fabric, FABRIC_SWITCH),
              fabric_device_count(fabric, FABRIC_CA), fabric_device_count(fabric, FABRIC_ROUTER));
    return device_put_text(out, text);
}

bool fabric_device_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    char text[512];
    struct text t = text_in(text, sizeof text);
    (void)row;
    text_addf(&t, "fabric@%s", snapshot->source->gateway_name);
    return device_put_text(out, text);
}
