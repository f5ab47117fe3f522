// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"

static const struct snapshot_subscription *
own_subscriptions_of(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    return &snapshot->gateway.subscriptions[row->at];
}

static bool own_subscriptions_state(const struct agent_snapshot *snapshot,
                                    const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, own_subscriptions_of(snapshot, row)->state);
}

static bool own_subscriptions_status(const struct agent_snapshot *snapshot,
                                     const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, own_subscriptions_of(snapshot, row)->status);
}

static bool own_subscriptions_reason(const struct agent_snapshot *snapshot,
                                     const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, own_subscriptions_of(snapshot, row)->reason, 255);
}

static bool own_subscriptions_last_change(const struct agent_snapshot *snapshot,
                                          const struct table_row *row, struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, own_subscriptions_of(snapshot, row)->changed_at);
}

static bool reports(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_number(out, (int64_t)own_subscriptions_of(snapshot, row)->reports);
}

static bool last_report(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, own_subscriptions_of(snapshot, row)->last_report_at);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdSubState", 2, AGENTX_INTEGER, .get = own_subscriptions_state},
    {"ibtrapdSubStatus", 3, AGENTX_GAUGE32, .get = own_subscriptions_status},
    {"ibtrapdSubReason", 4, AGENTX_OCTETS, .get = own_subscriptions_reason},
    {"ibtrapdSubLastChange", 5, AGENTX_TIME_TICKS, .get = own_subscriptions_last_change},
    {"ibtrapdSubReports", 6, AGENTX_COUNTER64, .get = reports},
    {"ibtrapdSubLastReport", 7, AGENTX_TIME_TICKS, .get = last_report},
};

static void own_subscriptions_index_of(const struct agent_snapshot *snapshot, size_t at,
                                       struct agentx_oid *out)
{
    agentx_oid_add(out, snapshot->gateway.subscriptions[at].trap);
}

static bool own_subscriptions_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                   size_t length, bool after, struct table_row *row,
                                   struct agentx_oid *found)
{
    return table_seek_sorted(snapshot, snapshot->gateway.subscription_count,
                             own_subscriptions_index_of, ids, length, after, &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 2, 1};

const struct table OWN_SUBSCRIPTIONS = {"ibtrapdSubscriptionTable",       ENTRY,
                                        sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                        sizeof COLUMNS / sizeof *COLUMNS, own_subscriptions_seek};
