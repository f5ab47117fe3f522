// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: gswIBSwTable and gswIBTopoTable.
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

// What its ports have counted (PortInfo.M_KeyViolations), whether or not a trap told of it.
static bool bad_mkeys(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    const struct fabric_node *node = gsw_node(snapshot, row);
    int64_t violations = 0;
    bool known = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const struct fabric_port *port = &snapshot->fabric->ports[i];
        if (gsw_speaks_for_element(node, port)) {
            known = true;
            violations += fabric_port_info(port, PORT_INFO_MKEY_VIOLATIONS);
        }
    }
    return known && put_number(out, violations);
}

static const struct table_column SWITCH_COLUMNS[] = {
    {"gswIBSwSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBBadMKeyCounter", 6, AGENTX_INTEGER, .get = bad_mkeys},
    {"gswIBBadBKeyCounter", 7, AGENTX_INTEGER, .get = NULL},
    {"gswIBSwitchChangeReason", 8, AGENTX_INTEGER, .get = gsw_get_one},
};

static const uint32_t SWITCH_ENTRY[] = {TABLES_GSW_IDS, 2, 25, 1};

const struct table GSW_IB_SWITCHES = {"gswIBSwTable",
                                      SWITCH_ENTRY,
                                      sizeof SWITCH_ENTRY / sizeof *SWITCH_ENTRY,
                                      SWITCH_COLUMNS,
                                      sizeof SWITCH_COLUMNS / sizeof *SWITCH_COLUMNS,
                                      gsw_seek_element};

static const struct table_column TOPOLOGY_COLUMNS[] = {
    {"gswIBTopoSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBTopoChangeReason", 2, AGENTX_INTEGER, .get = gsw_get_one},
};

static const uint32_t TOPOLOGY_ENTRY[] = {TABLES_GSW_IDS, 5, 5, 1};

const struct table GSW_IB_TOPOLOGY = {"gswIBTopoTable",
                                      TOPOLOGY_ENTRY,
                                      sizeof TOPOLOGY_ENTRY / sizeof *TOPOLOGY_ENTRY,
                                      TOPOLOGY_COLUMNS,
                                      sizeof TOPOLOGY_COLUMNS / sizeof *TOPOLOGY_COLUMNS,
                                      gsw_seek_element};
