// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmLinkTable, with a row for either end of each link.
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

static bool sm_links_to_node(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    const uint32_t peer = sm_port(snapshot, row)->peer_node;
    return put_guid(out, snapshot->fabric->nodes[peer].guid);
}

static bool sm_links_to_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return put_number(out, sm_port(snapshot, row)->peer_port);
}

static const struct table_column COLUMNS[] = {
    {"ibSmLinkSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmLinkFromNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmLinkFromPortNum", 3, AGENTX_INTEGER, .get = sm_get_port_number},
    {"ibSmLinkToNodeGUID", 4, AGENTX_OCTETS, .get = sm_links_to_node},
    {"ibSmLinkToPortNum", 5, AGENTX_INTEGER, .get = sm_links_to_port},
};

static bool sm_links_has(const struct fabric_port *port)
{
    return port->peer_node != FABRIC_NONE;
}

static bool sm_links_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found)
{
    return sm_seek_port(snapshot, ids, length, after, sm_links_has, row, found);
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 9, 1, 1};

const struct table SM_LINKS = {
    "ibSmLinkTable", ENTRY, sizeof ENTRY / sizeof *ENTRY, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS,
    sm_links_seek};
