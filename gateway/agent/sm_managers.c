// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmSMInfoTable. The master has its row in ibSmConfigTable, all others have theirs
// here.
#include "agent/field.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

#define MANAGER(name, expression)                                                                  \
    static bool sm_managers_##name(const struct agent_snapshot *snapshot,                          \
                                   const struct table_row *row, struct agentx_value *out)          \
    {                                                                                              \
        const struct fabric_sm *sm = &snapshot->fabric->sms[row->at];                              \
        return expression;                                                                         \
    }

MANAGER(guid, put_guid(out, sm->guid))
MANAGER(activity, sm->counts &&put_number(out, (int32_t)sm->activity)) // the same 32 bits, signed
MANAGER(priority, put_number(out, sm->priority))
MANAGER(state, put_number(out, sm->state))

static const struct table_column COLUMNS[] = {
    {"ibSmSMInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSMInfoGUID", 2, AGENTX_OCTETS, .get = sm_managers_guid},
    {"ibSmSMInfoSMKey", 3, AGENTX_OCTETS, .get = field_get_key,
     .field = {.field = ATTRIBUTE_FIELD(0, 0, 16)}},
    {"ibSmSMInfoActCount", 4, AGENTX_INTEGER, .get = sm_managers_activity},
    {"ibSmSMInfoPriority", 5, AGENTX_INTEGER, .get = sm_managers_priority},
    {"ibSmSMInfoSMState", 6, AGENTX_INTEGER, .get = sm_managers_state},
};

static void sm_managers_index(const struct agent_snapshot *snapshot, size_t at,
                              struct agentx_oid *out)
{
    sm_add_guid(out, snapshot->fabric->subnet_prefix);
    sm_add_guid(out, snapshot->fabric->sms[at].guid);
}

static bool sm_managers_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    const uint32_t count = fabric ? fabric->sm_count : 0;
    if (!table_seek_sorted(snapshot, count, sm_managers_index, ids, length, after, &row->at, found))
        return false;
    if (row->at != fabric_master(fabric))
        return true;
    if (!after || ++row->at == count)
        return false;
    found->length = 0;
    sm_managers_index(snapshot, row->at, found);
    return true;
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 8, 1, 1};

const struct table SM_MANAGERS = {"ibSmSMInfoTable",
                                  ENTRY,
                                  sizeof ENTRY / sizeof *ENTRY,
                                  COLUMNS,
                                  sizeof COLUMNS / sizeof *COLUMNS,
                                  sm_managers_seek};
