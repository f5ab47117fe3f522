#include "agent/own.h"
#include "agent/put.h"
#include "mib_root.h"

static const struct view_subscription *of(const struct view *view, const struct table_row *row)
{
    return &view->gateway.subscriptions[row->at];
}

static bool state(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, of(view, row)->state);
}

static bool status(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, of(view, row)->status);
}

static bool reason(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, of(view, row)->reason, 255);
}

static bool last_change(const struct view *view, const struct table_row *row,
                        struct agentx_value *out)
{
    return put_time_stamp(out, view, of(view, row)->changed_at);
}

static bool reports(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, (int64_t)of(view, row)->reports);
}

static bool last_report(const struct view *view, const struct table_row *row,
                        struct agentx_value *out)
{
    return put_time_stamp(out, view, of(view, row)->last_report_at);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdSubState", 2, AGENTX_INTEGER, state, SETTING_NONE},
    {"ibtrapdSubStatus", 3, AGENTX_GAUGE32, status, SETTING_NONE},
    {"ibtrapdSubReason", 4, AGENTX_OCTETS, reason, SETTING_NONE},
    {"ibtrapdSubLastChange", 5, AGENTX_TIME_TICKS, last_change, SETTING_NONE},
    {"ibtrapdSubReports", 6, AGENTX_COUNTER64, reports, SETTING_NONE},
    {"ibtrapdSubLastReport", 7, AGENTX_TIME_TICKS, last_report, SETTING_NONE},
};

static void index_of(const struct view *view, size_t at, struct agentx_oid *out)
{
    agentx_oid_add(out, view->gateway.subscriptions[at].trap);
}

static bool seek(const struct view *view, const uint32_t *ids, size_t length, bool after,
                 struct table_row *row, struct agentx_oid *found)
{
    return table_seek_sorted(view, view->gateway.subscription_count, index_of, ids, length, after,
                             &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 2, 1};

const struct table OWN_SUBSCRIPTIONS = {"ibtrapdSubscriptionTable",       ENTRY,
                                        sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                        sizeof COLUMNS / sizeof *COLUMNS, seek};
