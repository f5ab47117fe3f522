// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/text.h"

#include <string.h>

// The node description as a DisplayString.
static bool gsw_ib_nodes_description(const struct agent_snapshot *snapshot,
                                     const struct table_row *row, struct agentx_value *out)
{
    char text[64 + 1];
    text_ascii(gsw_node(snapshot, row)->description, text, sizeof text);
    return put_octets(out, text, strlen(text));
}

static bool base_version(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    uint8_t version = gsw_node(snapshot, row)->base_version;
    return version != 0 && put_number(out, version);
}

static bool class_version(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    uint8_t version = gsw_node(snapshot, row)->class_version;
    return version != 0 && put_number(out, version);
}

static bool gsw_ib_nodes_type(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->type);
}

static bool gsw_ib_nodes_ports(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->port_count);
}

static bool gsw_ib_nodes_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    return put_guid(out, gsw_node(snapshot, row)->guid);
}

// The GUID of the management port: a switch's port 0, or a router's first port with a known GUID.
static bool port_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    const struct fabric_node *node = gsw_node(snapshot, row);
    for (uint32_t i = 0; i < node->ports; i++) {
        const struct fabric_port *port = &snapshot->fabric->ports[node->first_port + i];
        if (port->guid != 0)
            return put_guid(out, port->guid);
    }
    return false;
}

static bool device(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->device);
}

// The MIB has a signed number: its 32 bits are those of the revision.
static bool gsw_ib_nodes_revision(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, (int32_t)gsw_node(snapshot, row)->revision);
}

static bool vendor(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->vendor);
}

static const struct table_column COLUMNS[] = {
    {"gswIBNodeSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBNodeString", 2, AGENTX_OCTETS, .get = gsw_ib_nodes_description},
    {"gswIBBaseVersion", 3, AGENTX_INTEGER, .get = base_version},
    {"gswIBClassVersion", 4, AGENTX_INTEGER, .get = class_version},
    {"gswIBNodeType", 5, AGENTX_INTEGER, .get = gsw_ib_nodes_type},
    {"gswIBNumPorts", 6, AGENTX_INTEGER, .get = gsw_ib_nodes_ports},
    {"gswIBNodeGUID", 7, AGENTX_OCTETS, .get = gsw_ib_nodes_guid},
    {"gswIBPortGUID", 8, AGENTX_OCTETS, .get = port_guid},
    {"gswIBDeviceID", 9, AGENTX_INTEGER, .get = device},
    {"gswIBRevision", 10, AGENTX_INTEGER, .get = gsw_ib_nodes_revision},
    {"gswIBVendorID", 11, AGENTX_INTEGER, .get = vendor},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 20, 1};

const struct table GSW_IB_NODES = {"gswIBNodeTable",
                                   ENTRY,
                                   sizeof ENTRY / sizeof *ENTRY,
                                   COLUMNS,
                                   sizeof COLUMNS / sizeof *COLUMNS,
                                   gsw_seek_element};
