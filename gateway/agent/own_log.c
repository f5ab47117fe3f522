// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"
#include "model/catalogue.h"

// Most columns are a field of the event.
#define COLUMN(name, syntax, size, source)                                                         \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        (void)snapshot;                                                                            \
        return put_field(out, row->event, syntax, size, source);                                   \
    }

COLUMN(event_id, MIB_OCTETS, 0, FIELD_EVENT_ID)
COLUMN(event_name, MIB_OCTETS, 0, FIELD_EVENT_NAME)
COLUMN(event_time, MIB_DATE_AND_TIME, MIB_DATE_SIZE, FIELD_TIME)
COLUMN(severity, MIB_INTEGER32, 0, FIELD_SEVERITY)
COLUMN(category, MIB_INTEGER32, 0, FIELD_CATEGORY)
COLUMN(alarm_state, MIB_INTEGER32, 0, FIELD_ALARM_STATE)
COLUMN(alarm_key, MIB_OCTETS, 0, FIELD_ALARM_KEY)
COLUMN(subnet_prefix, MIB_OCTETS, 8, FIELD_SUBNET_PREFIX)
COLUMN(node_guid, MIB_OCTETS, 8, FIELD_SUBJECT_NODE_GUID)
COLUMN(node_name, MIB_OCTETS, 0, FIELD_SUBJECT_NAME)
COLUMN(node_type, MIB_INTEGER32, 0, FIELD_SUBJECT_TYPE)
COLUMN(port, MIB_UNSIGNED32, 0, FIELD_SUBJECT_PORT)
COLUMN(peer_guid, MIB_OCTETS, 8, FIELD_PEER_NODE_GUID)
COLUMN(peer_name, MIB_OCTETS, 0, FIELD_PEER_NAME)
COLUMN(peer_port, MIB_UNSIGNED32, 0, FIELD_PEER_PORT)
COLUMN(text, MIB_OCTETS, 0, FIELD_TEXT)
COLUMN(raw_notice, MIB_OCTETS, 0, FIELD_RAW)
COLUMN(repeat_count, MIB_UNSIGNED32, 0, FIELD_REPEAT_COUNT)
COLUMN(found_late, MIB_TRUTH, 0, FIELD_FOUND_LATE)
COLUMN(trap_number, MIB_UNSIGNED32, 0, FIELD_TRAP)
COLUMN(reason, MIB_OCTETS, 0, FIELD_REASON)
COLUMN(held_back, MIB_OCTETS, 0, FIELD_SUPPRESSED)

// The issuer's LID if a Report caused the event, otherwise the subject's.
static bool own_log_lid(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    (void)snapshot;
    const struct event *event = row->event;
    return put_number(out, event->raw_size > 0 ? event->issuer.lid : event->subject.lid);
}

static bool vendor_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    (void)snapshot;
    const struct notice *notice = &row->event->notice;
    return put_number(out, notice->generic ? 0 : notice->producer);
}

static bool put_counter(struct agentx_value *out, const struct event *event, enum mib_syntax syntax,
                        enum field source)
{
    return event->derived || catalogue_has_field(event->type, source)
               ? put_field(out, event, syntax, 0, source)
               : put_octets(out, "", 0);
}

static bool counter_name_of(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    (void)snapshot;
    return put_counter(out, row->event, MIB_OCTETS, FIELD_COUNTER);
}

static bool counter_old(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    (void)snapshot;
    return put_counter(out, row->event, MIB_DIGITS, FIELD_COUNTER_OLD);
}

static bool counter_new(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    (void)snapshot;
    return put_counter(out, row->event, MIB_DIGITS, FIELD_COUNTER_NEW);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdLogEventId", 2, AGENTX_OCTETS, .get = event_id},
    {"ibtrapdLogEventName", 3, AGENTX_OCTETS, .get = event_name},
    {"ibtrapdLogTime", 4, AGENTX_OCTETS, .get = event_time},
    {"ibtrapdLogSeverity", 5, AGENTX_INTEGER, .get = severity},
    {"ibtrapdLogCategory", 6, AGENTX_INTEGER, .get = category},
    {"ibtrapdLogAlarmState", 7, AGENTX_INTEGER, .get = alarm_state},
    {"ibtrapdLogAlarmKey", 8, AGENTX_OCTETS, .get = alarm_key},
    {"ibtrapdLogSubnetPrefix", 9, AGENTX_OCTETS, .get = subnet_prefix},
    {"ibtrapdLogNodeGuid", 10, AGENTX_OCTETS, .get = node_guid},
    {"ibtrapdLogNodeName", 11, AGENTX_OCTETS, .get = node_name},
    {"ibtrapdLogNodeType", 12, AGENTX_INTEGER, .get = node_type},
    {"ibtrapdLogPort", 13, AGENTX_GAUGE32, .get = port},
    {"ibtrapdLogLid", 14, AGENTX_GAUGE32, .get = own_log_lid},
    {"ibtrapdLogPeerGuid", 15, AGENTX_OCTETS, .get = peer_guid},
    {"ibtrapdLogPeerName", 16, AGENTX_OCTETS, .get = peer_name},
    {"ibtrapdLogPeerPort", 17, AGENTX_GAUGE32, .get = peer_port},
    {"ibtrapdLogText", 18, AGENTX_OCTETS, .get = text},
    {"ibtrapdLogRawNotice", 19, AGENTX_OCTETS, .get = raw_notice},
    {"ibtrapdLogRepeatCount", 20, AGENTX_GAUGE32, .get = repeat_count},
    {"ibtrapdLogFoundLate", 21, AGENTX_INTEGER, .get = found_late},
    {"ibtrapdLogTrapNumber", 22, AGENTX_GAUGE32, .get = trap_number},
    {"ibtrapdLogVendorId", 23, AGENTX_GAUGE32, .get = vendor_id},
    {"ibtrapdLogCounterName", 24, AGENTX_OCTETS, .get = counter_name_of},
    {"ibtrapdLogCounterOldValue", 25, AGENTX_OCTETS, .get = counter_old},
    {"ibtrapdLogCounterNewValue", 26, AGENTX_OCTETS, .get = counter_new},
    {"ibtrapdLogReason", 27, AGENTX_OCTETS, .get = reason},
    {"ibtrapdLogHeldBack", 28, AGENTX_OCTETS, .get = held_back},
};

// The least sequence number of a row that the request may return; 0: there is no such row.
static int64_t least_of(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after)
{
    int64_t base = snapshot_base(snapshot);
    if (length == 0)
        return after ? base + 1 : 0;
    if (ids[0] > EVENT_NUMBER_MAX)
        return 0;
    if (after)
        return base + ids[0] + 1;
    return length == 1 && ids[0] > 0 ? base + ids[0] : 0;
}

static bool own_log_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                         bool after, struct table_row *row, struct agentx_oid *found)
{
    int64_t least = least_of(snapshot, ids, length, after);
    int64_t sequence =
        least ? snapshot_events_read_next(snapshot->source->journal, least, &row->event) : 0;
    found->length = 0;
    if (sequence != 0 && sequence <= snapshot->last_event && (after || sequence == least))
        return agentx_oid_add(found, event_number(sequence));
    event_unref(row->event);
    row->event = NULL;
    return false;
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 5, 1};

const struct table OWN_EVENT_LOG = {"ibtrapdEventLogTable",           ENTRY,
                                    sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                    sizeof COLUMNS / sizeof *COLUMNS, own_log_seek};
