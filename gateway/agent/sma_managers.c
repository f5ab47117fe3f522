// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB: ibSmaSmInfoTable, with a row where a subnet manager is at the context's end port.
#include "agent/device.h"
#include "agent/field.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/search.h"

enum { UNKNOWN = 5 }; // ibSmaSmState

#define MANAGER(name, expression)                                                                  \
    static bool sma_managers_##name(const struct agent_snapshot *snapshot,                         \
                                    const struct table_row *row, struct agentx_value *out)         \
    {                                                                                              \
        const struct fabric_sm *sm = &snapshot->fabric->sms[row->at];                              \
        return expression;                                                                         \
    }

MANAGER(guid, put_guid(out, sm->guid))
MANAGER(activity, sm->counts &&put_number(out, sm->activity))
MANAGER(priority, put_number(out, sm->priority))
MANAGER(state, put_number(out, sm->state <= FABRIC_MASTER ? sm->state + 1 : UNKNOWN))

static const struct table_column COLUMNS[] = {
    {"ibSmaSmGuid", 2, AGENTX_OCTETS, .get = sma_managers_guid},
    {"ibSmaSmSmKey", 3, AGENTX_OCTETS, .get = field_get_key,
     .field = {.field = ATTRIBUTE_FIELD(0, 0, 64)}},
    {"ibSmaSmSmpCount", 4, AGENTX_COUNTER32, .get = sma_managers_activity},
    {"ibSmaSmPriority", 5, AGENTX_GAUGE32, .get = sma_managers_priority},
    {"ibSmaSmState", 6, AGENTX_INTEGER, .get = sma_managers_state},
};

static bool sma_managers_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                              size_t length, bool after, struct table_row *row,
                              struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    if (!device_seek_end_port(snapshot, ids, length, after, row, found))
        return false;
    const uint64_t guid = device_port(snapshot, row)->guid;
    SEARCH_FIRST(row->at, 0, fabric->sm_count, fabric->sms[row->at].guid < guid);
    return row->at < fabric->sm_count && fabric->sms[row->at].guid == guid;
}

static const uint32_t ENTRY[] = {TABLES_SMA_IDS, 1, 12, 1, 1, 1};

const struct table SMA_MANAGERS = TABLE("ibSmaSmInfoTable", ENTRY, COLUMNS, sma_managers_seek);
