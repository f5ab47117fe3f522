// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"

#define COUNTER(member)                                                                            \
    static bool member(const struct agent_snapshot *snapshot, const struct table_row *row,         \
                       struct agentx_value *out)                                                   \
    {                                                                                              \
        (void)row;                                                                                 \
        return put_number(out, (int64_t)snapshot->gateway.flow.member);                            \
    }

COUNTER(reports)
COUNTER(acknowledged)
COUNTER(repeated)
COUNTER(malformed)
COUNTER(foreign)
COUNTER(ring_full)
COUNTER(events)
COUNTER(suppressed)
COUNTER(journalled)
COUNTER(dropped)

static bool oldest_event(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)row;
    int64_t base = snapshot_base(snapshot);
    if (snapshot->first_event == 0)
        return put_number(out, 0);
    return put_number(out, snapshot->first_event > base ? event_number(snapshot->first_event) : 1);
}

static bool newest_event(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)row;
    return put_number(out, event_number(snapshot->last_event));
}

static bool since(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out)
{
    (void)row;
    return put_time_stamp(out, snapshot, snapshot->gateway.flow.since);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdFlowReports", 1, AGENTX_COUNTER64, .get = reports},
    {"ibtrapdFlowAcknowledged", 2, AGENTX_COUNTER64, .get = acknowledged},
    {"ibtrapdFlowRepeated", 3, AGENTX_COUNTER64, .get = repeated},
    {"ibtrapdFlowMalformed", 4, AGENTX_COUNTER64, .get = malformed},
    {"ibtrapdFlowForeign", 5, AGENTX_COUNTER64, .get = foreign},
    {"ibtrapdFlowRingFull", 6, AGENTX_COUNTER64, .get = ring_full},
    {"ibtrapdFlowEvents", 7, AGENTX_COUNTER64, .get = events},
    {"ibtrapdFlowHeldBack", 8, AGENTX_COUNTER64, .get = suppressed},
    {"ibtrapdFlowJournalled", 9, AGENTX_COUNTER64, .get = journalled},
    {"ibtrapdFlowDropped", 10, AGENTX_COUNTER64, .get = dropped},
    {"ibtrapdFlowOldestEvent", 11, AGENTX_GAUGE32, .get = oldest_event},
    {"ibtrapdFlowNewestEvent", 12, AGENTX_GAUGE32, .get = newest_event},
    {"ibtrapdFlowSince", 13, AGENTX_TIME_TICKS, .get = since},
};

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 6};

const struct table OWN_FLOW = {"ibtrapdFlow",
                               ENTRY,
                               sizeof ENTRY / sizeof *ENTRY,
                               COLUMNS,
                               sizeof COLUMNS / sizeof *COLUMNS,
                               table_seek_scalar};
