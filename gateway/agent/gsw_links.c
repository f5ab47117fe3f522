// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static const struct fabric_node *gsw_links_peer(const struct agent_snapshot *snapshot,
                                                const struct table_row *row)
{
    return &snapshot->fabric->nodes[gsw_port(snapshot, row)->peer_node];
}

// A link to another element: hosts are none.
static bool gsw_links_has_link(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    return gsw_port(snapshot, row)->peer_node != FABRIC_NONE &&
           gsw_is_element(gsw_links_peer(snapshot, row));
}

static bool gsw_links_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    return gsw_seek_port(snapshot, ids, length, after, gsw_links_has_link, row, found);
}

static bool neighbour_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(gsw_links_peer(snapshot, row), id);
    return put_octets(out, id, sizeof id);
}

static bool neighbour_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    return put_number(out, gsw_port(snapshot, row)->peer_port);
}

static const struct table_column COLUMNS[] = {
    {"gswTopoComSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswTopoComPortIndex", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswTopoComNbSwitchId", 3, AGENTX_OCTETS, .get = neighbour_id},
    {"gswTopoComNbSwitchPort", 4, AGENTX_INTEGER, .get = neighbour_port},
    {"gswTopoComSwitchStatus", 5, AGENTX_INTEGER, .get = gsw_get_one},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 5, 1, 1};

const struct table GSW_LINKS = {"gswTopoComTable",
                                ENTRY,
                                sizeof ENTRY / sizeof *ENTRY,
                                COLUMNS,
                                sizeof COLUMNS / sizeof *COLUMNS,
                                gsw_links_seek};
