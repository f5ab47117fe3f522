// SPDX-License-Identifier: BSD-2-Clause
// IBTRAPD-MIB, about the gateway itself: subscriptions, receivers, active alarms, maintenance
// windows, the event log, the flow of Reports and events.
#include "agent/column.h"
#include "mib_root.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "tables/tables.h"

#include <string.h>

// ibtrapdSubscriptionTable.

static size_t own_count_subscriptions(struct look *look)
{
    return look->snapshot->gateway.subscription_count;
}

static const struct snapshot_subscription *own_subscription(const struct look *look)
{
    return &look->snapshot->gateway.subscriptions[look->at];
}

static void own_enter_subscription(struct look *look)
{
    agentx_oid_add(&look->found, own_subscription(look)->trap);
}

GETTER(own_of_subscription, field_of_struct(own_subscription(look), look, out))

#define SUBSCRIPTION(member, ...)                                                                  \
    .get = own_of_subscription, FIELD_MEMBER(struct snapshot_subscription, member, __VA_ARGS__)

static const struct table_column OWN_SUBSCRIPTIONS_COLUMNS[] = {
    {"ibtrapdSubState", 2, AGENTX_INTEGER, SUBSCRIPTION(state, FIELD_NUMBER)},
    {"ibtrapdSubStatus", 3, AGENTX_GAUGE32, SUBSCRIPTION(status, FIELD_NUMBER)},
    {"ibtrapdSubReason", 4, AGENTX_OCTETS, SUBSCRIPTION(reason, FIELD_ARRAY, .most = 255)},
    {"ibtrapdSubLastChange", 5, AGENTX_TIME_TICKS, SUBSCRIPTION(changed_at, FIELD_STAMP)},
    {"ibtrapdSubReports", 6, AGENTX_COUNTER64, SUBSCRIPTION(reports, FIELD_NUMBER)},
    {"ibtrapdSubLastReport", 7, AGENTX_TIME_TICKS, SUBSCRIPTION(last_report_at, FIELD_STAMP)},
};

const struct table OWN_SUBSCRIPTIONS = {
    "ibtrapdSubscriptionTable", TABLE_OID(MIB_ROOT_IDS, 1, 2, 1),
    TABLE_COLUMNS(OWN_SUBSCRIPTIONS_COLUMNS),
    TABLE_SORTED(own_count_subscriptions, own_enter_subscription)};

// ibtrapdReceiverTable.

static size_t own_count_receivers(struct look *look)
{
    return look->snapshot->gateway.receiver_count;
}

static const struct snapshot_receiver *own_receiver(const struct look *look)
{
    return &look->snapshot->gateway.receivers[look->at];
}

// The index is the name, with its length before it, because the length varies (RFC 2578 7.7).
static void own_enter_receiver(struct look *look)
{
    const char *name = own_receiver(look)->name;
    agentx_oid_add(&look->found, (uint32_t)strlen(name));
    agentx_oid_add_octets(&look->found, (const uint8_t *)name, strlen(name));
}

GETTER(own_of_receiver, field_of_struct(own_receiver(look), look, out))

static bool own_lag_seconds(struct look *look, struct agentx_value *out)
{
    const int64_t oldest = own_receiver(look)->oldest_us, age = look->snapshot->time_us - oldest;
    return put_gauge(out, oldest != 0 && age > 0 ? (uint64_t)(age / CLOCK_US_PER_S) : 0);
}

#define RECEIVER(member, ...)                                                                      \
    .get = own_of_receiver, FIELD_MEMBER(struct snapshot_receiver, member, __VA_ARGS__)

static const struct table_column OWN_RECEIVERS_COLUMNS[] = {
    {"ibtrapdRcvKind", 2, AGENTX_INTEGER, RECEIVER(kind, FIELD_NUMBER)},
    {"ibtrapdRcvAddress", 3, AGENTX_OCTETS, RECEIVER(address, FIELD_ARRAY, .most = 255)},
    {"ibtrapdRcvState", 4, AGENTX_INTEGER, RECEIVER(state, FIELD_NUMBER)},
    {"ibtrapdRcvReason", 5, AGENTX_OCTETS, RECEIVER(reason, FIELD_ARRAY, .most = 255)},
    {"ibtrapdRcvLastChange", 6, AGENTX_TIME_TICKS, RECEIVER(changed_at, FIELD_STAMP)},
    {"ibtrapdRcvSent", 7, AGENTX_COUNTER64, RECEIVER(sent, FIELD_NUMBER)},
    {"ibtrapdRcvAcknowledged", 8, AGENTX_COUNTER64, RECEIVER(acknowledged, FIELD_NUMBER)},
    {"ibtrapdRcvRetried", 9, AGENTX_COUNTER64, RECEIVER(retried, FIELD_NUMBER)},
    {"ibtrapdRcvFiltered", 10, AGENTX_COUNTER64, RECEIVER(filtered, FIELD_NUMBER)},
    {"ibtrapdRcvDropped", 11, AGENTX_COUNTER64, RECEIVER(dropped, FIELD_NUMBER)},
    {"ibtrapdRcvLagEvents", 12, AGENTX_GAUGE32, RECEIVER(lag_events, FIELD_GAUGE)},
    {"ibtrapdRcvLagSeconds", 13, AGENTX_GAUGE32, .get = own_lag_seconds},
    {"ibtrapdRcvLastSuccess", 14, AGENTX_TIME_TICKS, RECEIVER(last_success_at, FIELD_STAMP)},
};

const struct table OWN_RECEIVERS = {"ibtrapdReceiverTable", TABLE_OID(MIB_ROOT_IDS, 1, 3, 1),
                                    TABLE_COLUMNS(OWN_RECEIVERS_COLUMNS),
                                    TABLE_SORTED(own_count_receivers, own_enter_receiver)};

// ibtrapdAlarmTable.

static size_t own_count_alarms(struct look *look)
{
    return snapshot_alarms_of(look->snapshot)->count;
}

static const struct compact_alarm *own_alarm(const struct look *look)
{
    return &snapshot_alarms_of(look->snapshot)->all[look->at];
}

static void own_enter_alarm(struct look *look)
{
    agentx_oid_add(&look->found, event_number(own_alarm(look)->event_sequence));
}

static bool own_of_alarm(struct look *look, struct agentx_value *out)
{
    struct alarm alarm;
    compact_alarm_unpack(own_alarm(look), &alarm);
    return field_of_struct(&alarm, look, out);
}

static bool own_alarm_category(struct look *look, struct agentx_value *out)
{
    const char *type = own_alarm(look)->type;
    return type && put_number(out, catalogue_find(type)->category);
}

GETTER(own_alarm_shelved,
       put_truth(out, own_alarm(look)->shelved_until_us > look->snapshot->time_us))

// Name and port come from the event that raised the alarm, the system from the last event. They are
// unknown if the journal has dropped the event.
static struct event *own_raising_event(const struct look *look)
{
    return journal_read_at(look->snapshot->source->journal, own_alarm(look)->event_sequence);
}

static bool own_alarm_node_name(struct look *look, struct agentx_value *out)
{
    struct event *event = own_raising_event(look);
    put_text(out, event ? event->subject.name : "", 255);
    event_unref(event);
    return true;
}

static bool own_alarm_port(struct look *look, struct agentx_value *out)
{
    enum { UNKNOWN_PORT = 255 };
    struct event *event = own_raising_event(look);
    put_number(out, event ? (int64_t)field_get(event, FIELD_SUBJECT_PORT).number : UNKNOWN_PORT);
    event_unref(event);
    return true;
}

static struct event *own_last_event(const struct look *look)
{
    return journal_read_at(look->snapshot->source->journal, own_alarm(look)->last_sequence);
}

static bool own_alarm_system(struct look *look, struct agentx_value *out)
{
    struct event *event = own_last_event(look);
    put_text(out, event ? event->subject.system : "", EVENT_SYSTEM_SIZE - 1);
    event_unref(event);
    return true;
}

static bool own_alarm_parts(struct look *look, struct agentx_value *out)
{
    struct event *event = own_last_event(look);
    put_gauge(out, event ? field_get(event, (enum field)look->column->field.field).number : 0);
    event_unref(event);
    return true;
}

GETTER(own_alarm_fabric, put_text(out, look->snapshot->source->fabric_name, EVENT_FABRIC_SIZE - 1))

#define ALARM(member, ...)       .get = own_of_alarm, FIELD_MEMBER(struct alarm, member, __VA_ARGS__)
#define ALARM_TEXT(member, size) ALARM(member, FIELD_ARRAY, .most = (size))

static const struct table_column OWN_ALARMS_COLUMNS[] = {
    {"ibtrapdActiveKey", 2, AGENTX_OCTETS, ALARM_TEXT(key, 255)},
    {"ibtrapdActiveEventId", 3, AGENTX_OCTETS, ALARM_TEXT(event_id, 40)},
    {"ibtrapdActiveEventName", 4, AGENTX_OCTETS, ALARM_TEXT(type, 64)},
    {"ibtrapdActiveSeverity", 5, AGENTX_INTEGER, ALARM(severity, FIELD_NUMBER)},
    {"ibtrapdActiveCategory", 6, AGENTX_INTEGER, .get = own_alarm_category},
    {"ibtrapdActiveRaised", 7, AGENTX_OCTETS, ALARM(raised_us, FIELD_DATE)},
    {"ibtrapdActiveLast", 8, AGENTX_OCTETS, ALARM(last_us, FIELD_DATE)},
    {"ibtrapdActiveCount", 9, AGENTX_GAUGE32, ALARM(count, FIELD_GAUGE)},
    {"ibtrapdActiveNodeGuid", 10, AGENTX_OCTETS, ALARM(node_guid, FIELD_OCTETS)},
    {"ibtrapdActiveNodeName", 11, AGENTX_OCTETS, .get = own_alarm_node_name},
    {"ibtrapdActivePort", 12, AGENTX_GAUGE32, .get = own_alarm_port},
    {"ibtrapdActiveText", 13, AGENTX_OCTETS, ALARM_TEXT(text, 1024)},
    {"ibtrapdActiveAcknowledged", 14, AGENTX_INTEGER, ALARM(acknowledged_us, FIELD_TRUTH)},
    {"ibtrapdActiveShelved", 15, AGENTX_INTEGER, .get = own_alarm_shelved},
    {"ibtrapdActiveNote", 16, AGENTX_OCTETS, ALARM_TEXT(note, 255)},
    {"ibtrapdActiveCauseEventId", 17, AGENTX_OCTETS, ALARM_TEXT(cause_id, 40)},
    {"ibtrapdActiveSuppressed", 18, AGENTX_OCTETS, ALARM_TEXT(suppressed, 32)},
    {"ibtrapdActiveSystem", 19, AGENTX_OCTETS, .get = own_alarm_system},
    {"ibtrapdActiveParts", 20, AGENTX_GAUGE32, .get = own_alarm_parts,
     .field = {.field = FIELD_PARTS}},
    {"ibtrapdActivePartsChanged", 21, AGENTX_GAUGE32, .get = own_alarm_parts,
     .field = {.field = FIELD_PARTS_CHANGED}},
    {"ibtrapdActiveFabric", 22, AGENTX_OCTETS, .get = own_alarm_fabric},
};

const struct table OWN_ALARMS = {"ibtrapdAlarmTable", TABLE_OID(MIB_ROOT_IDS, 1, 4, 1),
                                 TABLE_COLUMNS(OWN_ALARMS_COLUMNS),
                                 TABLE_SORTED(own_count_alarms, own_enter_alarm)};

// ibtrapdWindowTable.

static size_t own_count_windows(struct look *look)
{
    return look->snapshot->gateway.window_count;
}

static void own_enter_window(struct look *look)
{
    agentx_oid_add(&look->found, (uint32_t)look->at + 1);
}

GETTER(own_of_window, field_of_struct(&look->snapshot->gateway.windows[look->at], look, out))

#define WINDOW(member, ...)                                                                        \
    .get = own_of_window, FIELD_MEMBER(struct snapshot_window, member, __VA_ARGS__)

static const struct table_column OWN_WINDOWS_COLUMNS[] = {
    {"ibtrapdWindowName", 2, AGENTX_OCTETS, WINDOW(name, FIELD_ARRAY, .most = 63)},
    {"ibtrapdWindowUntil", 3, AGENTX_OCTETS, WINDOW(until_us, FIELD_DATE)},
    {"ibtrapdWindowAll", 4, AGENTX_INTEGER, WINDOW(all, FIELD_TRUTH)},
    {"ibtrapdWindowNodes", 5, AGENTX_OCTETS, WINDOW(nodes, FIELD_ARRAY, .most = 255)},
    {"ibtrapdWindowWho", 6, AGENTX_OCTETS, WINDOW(who, FIELD_ARRAY, .most = 63)},
    {"ibtrapdWindowComment", 7, AGENTX_OCTETS, WINDOW(comment, FIELD_ARRAY, .most = 255)},
};

const struct table OWN_WINDOWS = {"ibtrapdWindowTable", TABLE_OID(MIB_ROOT_IDS, 1, 9, 1),
                                  TABLE_COLUMNS(OWN_WINDOWS_COLUMNS),
                                  TABLE_SORTED(own_count_windows, own_enter_window)};

// ibtrapdEventLogTable. Most columns are a field of the event: `field`, with the syntax `form` and
// the size `most`.

GETTER(own_event_field, put_field(out, look->event, (enum mib_syntax)look->column->field.form,
                                  look->column->field.most, (enum field)look->column->field.field))

// The issuer's LID if a Report caused the event, otherwise the subject's.
GETTER(own_event_lid, put_number(out, look->event->raw_size > 0 ? look->event->issuer.lid
                                                                : look->event->subject.lid))

GETTER(own_event_system, put_text(out, look->event->subject.system, EVENT_SYSTEM_SIZE - 1))

GETTER(own_event_vendor,
       put_number(out, look->event->notice.generic ? 0 : look->event->notice.producer))

static bool own_event_counter(struct look *look, struct agentx_value *out)
{
    const struct event *event = look->event;
    const bool has =
        event->derived || catalogue_has_field(event->type, (enum field)look->column->field.field);
    return has ? own_event_field(look, out) : field_empty(look, out);
}

#define EVENT(syntax, octets, source)                                                              \
    .get = own_event_field, .field = {.field = (source), .form = (syntax), .most = (octets)}
#define EVENT_COUNTER(syntax, source)                                                              \
    .get = own_event_counter, .field = {.field = (source), .form = (syntax)}

static const struct table_column OWN_EVENT_LOG_COLUMNS[] = {
    {"ibtrapdLogEventId", 2, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_EVENT_ID)},
    {"ibtrapdLogEventName", 3, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_EVENT_NAME)},
    {"ibtrapdLogTime", 4, AGENTX_OCTETS, EVENT(MIB_DATE_AND_TIME, MIB_DATE_SIZE, FIELD_TIME)},
    {"ibtrapdLogSeverity", 5, AGENTX_INTEGER, EVENT(MIB_INTEGER32, 0, FIELD_SEVERITY)},
    {"ibtrapdLogCategory", 6, AGENTX_INTEGER, EVENT(MIB_INTEGER32, 0, FIELD_CATEGORY)},
    {"ibtrapdLogAlarmState", 7, AGENTX_INTEGER, EVENT(MIB_INTEGER32, 0, FIELD_ALARM_STATE)},
    {"ibtrapdLogAlarmKey", 8, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_ALARM_KEY)},
    {"ibtrapdLogSubnetPrefix", 9, AGENTX_OCTETS, EVENT(MIB_OCTETS, 8, FIELD_SUBNET_PREFIX)},
    {"ibtrapdLogNodeGuid", 10, AGENTX_OCTETS, EVENT(MIB_OCTETS, 8, FIELD_SUBJECT_NODE_GUID)},
    {"ibtrapdLogNodeName", 11, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_SUBJECT_NAME)},
    {"ibtrapdLogNodeType", 12, AGENTX_INTEGER, EVENT(MIB_INTEGER32, 0, FIELD_SUBJECT_TYPE)},
    {"ibtrapdLogPort", 13, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_SUBJECT_PORT)},
    {"ibtrapdLogLid", 14, AGENTX_GAUGE32, .get = own_event_lid},
    {"ibtrapdLogPeerGuid", 15, AGENTX_OCTETS, EVENT(MIB_OCTETS, 8, FIELD_PEER_NODE_GUID)},
    {"ibtrapdLogPeerName", 16, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_PEER_NAME)},
    {"ibtrapdLogPeerPort", 17, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_PEER_PORT)},
    {"ibtrapdLogText", 18, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_TEXT)},
    {"ibtrapdLogRawNotice", 19, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_RAW)},
    {"ibtrapdLogRepeatCount", 20, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_REPEAT_COUNT)},
    {"ibtrapdLogFoundLate", 21, AGENTX_INTEGER, EVENT(MIB_TRUTH, 0, FIELD_FOUND_LATE)},
    {"ibtrapdLogTrapNumber", 22, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_TRAP)},
    {"ibtrapdLogVendorId", 23, AGENTX_GAUGE32, .get = own_event_vendor},
    {"ibtrapdLogCounterName", 24, AGENTX_OCTETS, EVENT_COUNTER(MIB_OCTETS, FIELD_COUNTER)},
    {"ibtrapdLogCounterOldValue", 25, AGENTX_OCTETS, EVENT_COUNTER(MIB_DIGITS, FIELD_COUNTER_OLD)},
    {"ibtrapdLogCounterNewValue", 26, AGENTX_OCTETS, EVENT_COUNTER(MIB_DIGITS, FIELD_COUNTER_NEW)},
    {"ibtrapdLogReason", 27, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_REASON)},
    {"ibtrapdLogHeldBack", 28, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_SUPPRESSED)},
    {"ibtrapdLogSystem", 29, AGENTX_OCTETS, .get = own_event_system},
    {"ibtrapdLogParts", 30, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_PARTS)},
    {"ibtrapdLogPartsChanged", 31, AGENTX_GAUGE32, EVENT(MIB_UNSIGNED32, 0, FIELD_PARTS_CHANGED)},
    {"ibtrapdLogFabric", 32, AGENTX_OCTETS, EVENT(MIB_OCTETS, 0, FIELD_FABRIC)},
};

// The least sequence number of a row that the request may return; 0: there is no such row.
static int64_t own_least_event(const struct look *look)
{
    const int64_t base = snapshot_base(look->snapshot);
    if (look->length == 0)
        return look->after ? base + 1 : 0;
    if (look->ids[0] > EVENT_NUMBER_MAX)
        return 0;
    if (look->after)
        return base + look->ids[0] + 1;
    return look->length == 1 && look->ids[0] > 0 ? base + look->ids[0] : 0;
}

static bool own_seek_event(struct look *look)
{
    const int64_t least = own_least_event(look);
    const int64_t sequence =
        least ? snapshot_events_read_next(look->snapshot->source->journal, least, &look->event) : 0;
    if (sequence != 0 && sequence <= look->snapshot->last_event &&
        (look->after || sequence == least))
        return agentx_oid_add(&look->found, event_number(sequence));
    event_unref(look->event);
    look->event = NULL;
    return false;
}

const struct table OWN_EVENT_LOG = {"ibtrapdEventLogTable", TABLE_OID(MIB_ROOT_IDS, 1, 5, 1),
                                    TABLE_COLUMNS(OWN_EVENT_LOG_COLUMNS), .seek = own_seek_event};

// ibtrapdFlow.

GETTER(own_of_flow, field_of_struct(&look->snapshot->gateway.flow, look, out))
GETTER(own_newest_event, put_number(out, event_number(look->snapshot->last_event)))

static bool own_oldest_event(struct look *look, struct agentx_value *out)
{
    const int64_t base = snapshot_base(look->snapshot), first = look->snapshot->first_event;
    if (first == 0)
        return put_number(out, 0);
    return put_number(out, first > base ? event_number(first) : 1);
}

#define FLOW(member, how) .get = own_of_flow, FIELD_MEMBER(struct snapshot_flow, member, how)

static const struct table_column OWN_FLOW_COLUMNS[] = {
    {"ibtrapdFlowReports", 1, AGENTX_COUNTER64, FLOW(reports, FIELD_NUMBER)},
    {"ibtrapdFlowAcknowledged", 2, AGENTX_COUNTER64, FLOW(acknowledged, FIELD_NUMBER)},
    {"ibtrapdFlowRepeated", 3, AGENTX_COUNTER64, FLOW(repeated, FIELD_NUMBER)},
    {"ibtrapdFlowMalformed", 4, AGENTX_COUNTER64, FLOW(malformed, FIELD_NUMBER)},
    {"ibtrapdFlowForeign", 5, AGENTX_COUNTER64, FLOW(foreign, FIELD_NUMBER)},
    {"ibtrapdFlowRingFull", 6, AGENTX_COUNTER64, FLOW(ring_full, FIELD_NUMBER)},
    {"ibtrapdFlowEvents", 7, AGENTX_COUNTER64, FLOW(events, FIELD_NUMBER)},
    {"ibtrapdFlowHeldBack", 8, AGENTX_COUNTER64, FLOW(suppressed, FIELD_NUMBER)},
    {"ibtrapdFlowJournalled", 9, AGENTX_COUNTER64, FLOW(journalled, FIELD_NUMBER)},
    {"ibtrapdFlowDropped", 10, AGENTX_COUNTER64, FLOW(dropped, FIELD_NUMBER)},
    {"ibtrapdFlowOldestEvent", 11, AGENTX_GAUGE32, .get = own_oldest_event},
    {"ibtrapdFlowNewestEvent", 12, AGENTX_GAUGE32, .get = own_newest_event},
    {"ibtrapdFlowSince", 13, AGENTX_TIME_TICKS, FLOW(since, FIELD_STAMP)},
};

const struct table OWN_FLOW = {"ibtrapdFlow", TABLE_OID(MIB_ROOT_IDS, 1, 6),
                               TABLE_COLUMNS(OWN_FLOW_COLUMNS), .seek = table_seek_scalar};
