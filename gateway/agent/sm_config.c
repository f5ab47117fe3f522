// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmConfigTable, with one row, for the master subnet manager. Its settings are in
// files of its host: only those that MADs tell have a value.
#include "agent/field.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

enum { ENABLE = 1, ROW_ACTIVE = 1 };

#define MASTER(name, expression)                                                                   \
    static bool sm_config_##name(const struct agent_snapshot *snapshot,                            \
                                 const struct table_row *row, struct agentx_value *out)            \
    {                                                                                              \
        const struct fabric_sm *sm = &snapshot->fabric->sms[row->at];                              \
        return expression;                                                                         \
    }

MASTER(guid, put_guid(out, sm->guid))
MASTER(priority, put_number(out, sm->priority))
MASTER(state, put_number(out, sm->state))
MASTER(activity, sm->counts &&put_number(out, sm->activity))

static bool sm_config_enabled(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, ENABLE);
}

static bool sm_config_status(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, ROW_ACTIVE);
}

// What the subnet manager set at its own port.
static bool sm_config_of_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    return row->port != FABRIC_NONE && field_of_port(snapshot, row, out);
}

#define OF_PORT(which)                                                                             \
    AGENTX_INTEGER, .get = sm_config_of_port, .field = {.field = (which), .form = FIELD_NUMBER}

static const struct table_column COLUMNS[] = {
    {"ibSmConfigSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmConfigGUID", 2, AGENTX_OCTETS, .get = sm_config_guid},
    {"ibSmConfigPriority", 3, AGENTX_INTEGER, .get = sm_config_priority},
    {"ibSmConfigSMKey", 4, AGENTX_OCTETS, .get = field_get_key,
     .field = {.field = ATTRIBUTE_FIELD(0, 0, 64)}},
    {"ibSmConfigAdminStatus", 5, AGENTX_INTEGER, .get = sm_config_enabled},
    {"ibSmConfigOperStatus", 6, AGENTX_INTEGER, .get = sm_config_state},
    {"ibSmConfigActCount", 7, AGENTX_COUNTER32, .get = sm_config_activity},
    {"ibSmConfigStatus", 8, AGENTX_INTEGER, .get = sm_config_status},
    {"ibSmConfigSweepInterval", 9, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigResponseTimeout", 10, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigPortAgingTime", 11, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMinUnicastLID", 12, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMaxUnicastLID", 13, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigDefaultLMC", 14, OF_PORT(PORT_INFO_LMC)},
    {"ibSmConfigMasterPollInterval", 15, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMasterPollRetries", 16, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMKeyLeasePeriod", 17, OF_PORT(PORT_INFO_MKEY_LEASE_PERIOD)},
};

static bool sm_config_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    const uint32_t master = fabric ? fabric_master(fabric) : FABRIC_NONE;
    if (master == FABRIC_NONE)
        return false;
    const struct fabric_sm *sm = &fabric->sms[master];
    row->at = master;
    row->node = sm->node;
    row->port = fabric_find_port(fabric, sm->node, sm->port);
    found->length = 0;
    sm_add_guid(found, fabric->subnet_prefix);
    const int order = agentx_oid_compare(found->ids, found->length, ids, length);
    return after ? order > 0 : order == 0;
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 1, 1, 1};

const struct table SM_CONFIG = {"ibSmConfigTable",
                                ENTRY,
                                sizeof ENTRY / sizeof *ENTRY,
                                COLUMNS,
                                sizeof COLUMNS / sizeof *COLUMNS,
                                sm_config_seek};
