// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"

#include <string.h>

static const struct snapshot_receiver *own_receivers_of(const struct agent_snapshot *snapshot,
                                                        const struct table_row *row)
{
    return &snapshot->gateway.receivers[row->at];
}

static bool kind(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    return put_number(out, own_receivers_of(snapshot, row)->kind);
}

static bool address(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_text(out, own_receivers_of(snapshot, row)->address, 255);
}

static bool own_receivers_state(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    return put_number(out, own_receivers_of(snapshot, row)->state);
}

static bool own_receivers_reason(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    return put_text(out, own_receivers_of(snapshot, row)->reason, 255);
}

static bool own_receivers_last_change(const struct agent_snapshot *snapshot,
                                      const struct table_row *row, struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, own_receivers_of(snapshot, row)->changed_at);
}

static bool sent(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    return put_number(out, (int64_t)own_receivers_of(snapshot, row)->sent);
}

static bool own_receivers_acknowledged(const struct agent_snapshot *snapshot,
                                       const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, (int64_t)own_receivers_of(snapshot, row)->acknowledged);
}

static bool retried(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_number(out, (int64_t)own_receivers_of(snapshot, row)->retried);
}

static bool filtered(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    return put_number(out, (int64_t)own_receivers_of(snapshot, row)->filtered);
}

static bool dropped(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_number(out, (int64_t)own_receivers_of(snapshot, row)->dropped);
}

static bool lag_events(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    return put_gauge(out, own_receivers_of(snapshot, row)->lag_events);
}

static bool own_receivers_lag_seconds(const struct agent_snapshot *snapshot,
                                      const struct table_row *row, struct agentx_value *out)
{
    int64_t oldest = own_receivers_of(snapshot, row)->oldest_us, age = snapshot->time_us - oldest;
    return put_gauge(out, oldest != 0 && age > 0 ? (uint64_t)(age / CLOCK_US_PER_S) : 0);
}

static bool last_success(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    return put_time_stamp(out, snapshot, own_receivers_of(snapshot, row)->last_success_at);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdRcvKind", 2, AGENTX_INTEGER, .get = kind},
    {"ibtrapdRcvAddress", 3, AGENTX_OCTETS, .get = address},
    {"ibtrapdRcvState", 4, AGENTX_INTEGER, .get = own_receivers_state},
    {"ibtrapdRcvReason", 5, AGENTX_OCTETS, .get = own_receivers_reason},
    {"ibtrapdRcvLastChange", 6, AGENTX_TIME_TICKS, .get = own_receivers_last_change},
    {"ibtrapdRcvSent", 7, AGENTX_COUNTER64, .get = sent},
    {"ibtrapdRcvAcknowledged", 8, AGENTX_COUNTER64, .get = own_receivers_acknowledged},
    {"ibtrapdRcvRetried", 9, AGENTX_COUNTER64, .get = retried},
    {"ibtrapdRcvFiltered", 10, AGENTX_COUNTER64, .get = filtered},
    {"ibtrapdRcvDropped", 11, AGENTX_COUNTER64, .get = dropped},
    {"ibtrapdRcvLagEvents", 12, AGENTX_GAUGE32, .get = lag_events},
    {"ibtrapdRcvLagSeconds", 13, AGENTX_GAUGE32, .get = own_receivers_lag_seconds},
    {"ibtrapdRcvLastSuccess", 14, AGENTX_TIME_TICKS, .get = last_success},
};

// Makes a row's index: the name, with its length before it, as it varies (RFC 2578 7.7).
static void own_receivers_index_of(const struct agent_snapshot *snapshot, size_t at,
                                   struct agentx_oid *out)
{
    const char *name = snapshot->gateway.receivers[at].name;
    agentx_oid_add(out, (uint32_t)strlen(name));
    agentx_oid_add_octets(out, (const uint8_t *)name, strlen(name));
}

static bool own_receivers_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return table_seek_sorted(snapshot, snapshot->gateway.receiver_count, own_receivers_index_of,
                             ids, length, after, &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 3, 1};

const struct table OWN_RECEIVERS = {"ibtrapdReceiverTable",           ENTRY,
                                    sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                    sizeof COLUMNS / sizeof *COLUMNS, own_receivers_seek};
