// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmNodeInfoTable.
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"
#include "base/text.h"

#include <string.h>

#define NODE(name, expression)                                                                     \
    static bool sm_nodes_##name(const struct agent_snapshot *snapshot,                             \
                                const struct table_row *row, struct agentx_value *out)             \
    {                                                                                              \
        const struct fabric_node *node = sm_node(snapshot, row);                                   \
        return expression;                                                                         \
    }

NODE(base_version, put_known(out, node->base_version))
NODE(class_version, put_known(out, node->class_version))
NODE(type, put_number(out, node->type))
NODE(num_ports, put_number(out, node->port_count))
NODE(system_guid, put_guid(out, node->system_guid))
NODE(partition_cap, put_known(out, node->partition_cap))
NODE(device, put_big_endian(out, node->device, 2))
NODE(revision, put_big_endian(out, node->revision, 4))
NODE(local_port, node->partition_cap != 0 && put_number(out, node->local_port))
NODE(vendor, put_big_endian(out, node->vendor, 3))

// The node's first port with a known GUID: port 0 of a switch.
static bool sm_nodes_port_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    const struct fabric_node *node = sm_node(snapshot, row);
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        if (snapshot->fabric->ports[i].guid != 0)
            return put_guid(out, snapshot->fabric->ports[i].guid);
    }
    return false;
}

// The node description as a DisplayString.
static bool sm_nodes_description(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    char text[64 + 1];
    text_ascii(sm_node(snapshot, row)->description, text, sizeof text);
    return put_octets(out, text, strlen(text));
}

static const struct table_column COLUMNS[] = {
    {"ibSmNodeInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmNodeInfoNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmNodeInfoBaseVersion", 3, AGENTX_INTEGER, .get = sm_nodes_base_version},
    {"ibSmNodeInfoClassVersion", 4, AGENTX_INTEGER, .get = sm_nodes_class_version},
    {"ibSmNodeInfoType", 5, AGENTX_INTEGER, .get = sm_nodes_type},
    {"ibSmNodeInfoNumPorts", 6, AGENTX_INTEGER, .get = sm_nodes_num_ports},
    {"ibSmNodeInfoSystemImageGUID", 7, AGENTX_OCTETS, .get = sm_nodes_system_guid},
    {"ibSmNodeInfoPortGUID", 8, AGENTX_OCTETS, .get = sm_nodes_port_guid},
    {"ibSmNodeInfoPartitionCap", 9, AGENTX_INTEGER, .get = sm_nodes_partition_cap},
    {"ibSmNodeInfoDeviceID", 10, AGENTX_OCTETS, .get = sm_nodes_device},
    {"ibSmNodeInfoRevision", 11, AGENTX_OCTETS, .get = sm_nodes_revision},
    {"ibSmNodeInfoLocalPortNum", 12, AGENTX_INTEGER, .get = sm_nodes_local_port},
    {"ibSmNodeInfoVendorID", 13, AGENTX_OCTETS, .get = sm_nodes_vendor},
    {"ibSmNodeInfoDescription", 14, AGENTX_OCTETS, .get = sm_nodes_description},
};

static bool sm_nodes_has(const struct fabric_node *node)
{
    (void)node;
    return true;
}

static bool sm_nodes_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found)
{
    return sm_seek_node(snapshot, ids, length, after, sm_nodes_has, row, found);
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 2, 1, 1};

const struct table SM_NODES = {"ibSmNodeInfoTable",
                               ENTRY,
                               sizeof ENTRY / sizeof *ENTRY,
                               COLUMNS,
                               sizeof COLUMNS / sizeof *COLUMNS,
                               sm_nodes_seek};
