#include "agent/own.h"
#include "agent/put.h"
#include "mib_root.h"

static const struct snapshot_subscription *of(const struct agent_snapshot *snapshot,
                                              const struct table_row *row)
{
    return &snapshot->gateway.subscriptions[row->at];
}

static bool state(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out)
{
    return put_number(out, of(snapshot, row)->state);
}

static bool status(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_number(out, of(snapshot, row)->status);
}

static bool reason(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_text(out, of(snapshot, row)->reason, 255);
}

static bool last_change(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, of(snapshot, row)->changed_at);
}

static bool reports(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_number(out, (int64_t)of(snapshot, row)->reports);
}

static bool last_report(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, of(snapshot, row)->last_report_at);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdSubState", 2, AGENTX_INTEGER, state, SETTING_NONE},
    {"ibtrapdSubStatus", 3, AGENTX_GAUGE32, status, SETTING_NONE},
    {"ibtrapdSubReason", 4, AGENTX_OCTETS, reason, SETTING_NONE},
    {"ibtrapdSubLastChange", 5, AGENTX_TIME_TICKS, last_change, SETTING_NONE},
    {"ibtrapdSubReports", 6, AGENTX_COUNTER64, reports, SETTING_NONE},
    {"ibtrapdSubLastReport", 7, AGENTX_TIME_TICKS, last_report, SETTING_NONE},
};

static void index_of(const struct agent_snapshot *snapshot, size_t at, struct agentx_oid *out)
{
    agentx_oid_add(out, snapshot->gateway.subscriptions[at].trap);
}

static bool seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                 bool after, struct table_row *row, struct agentx_oid *found)
{
    return table_seek_sorted(snapshot, snapshot->gateway.subscription_count, index_of, ids, length,
                             after, &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 2, 1};

const struct table OWN_SUBSCRIPTIONS = {"ibtrapdSubscriptionTable",       ENTRY,
                                        sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                        sizeof COLUMNS / sizeof *COLUMNS, seek};
