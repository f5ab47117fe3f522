// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"
#include "model/catalogue.h"
#include "model/field.h"

static const struct snapshot_alarm *own_alarms_of(const struct agent_snapshot *snapshot,
                                                  const struct table_row *row)
{
    return snapshot_alarms_at(snapshot_alarms_of(snapshot), row->at);
}

static bool key(const struct agent_snapshot *snapshot, const struct table_row *row,
                struct agentx_value *out)
{
    return put_text(out, own_alarms_of(snapshot, row)->key, 255);
}

static bool event_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    return put_text(out, own_alarms_of(snapshot, row)->event_id, 40);
}

static bool event_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    return put_text(out, own_alarms_of(snapshot, row)->type, 64);
}

static bool severity(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    return put_number(out, own_alarms_of(snapshot, row)->severity);
}

static bool category(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    const struct catalogue_entry *type = catalogue_find(own_alarms_of(snapshot, row)->type);
    return type && put_number(out, type->category);
}

static bool raised(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_date(out, own_alarms_of(snapshot, row)->raised_us);
}

static bool last(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    return put_date(out, own_alarms_of(snapshot, row)->last_us);
}

static bool own_alarms_count(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return put_gauge(out, own_alarms_of(snapshot, row)->count);
}

static bool node_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_guid(out, own_alarms_of(snapshot, row)->node_guid);
}

// Name and port come from the event that raised the alarm. They are unknown if the journal has
// dropped it.
static bool node_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    struct event *event =
        snapshot_events_read(snapshot->source->journal, own_alarms_of(snapshot, row)->sequence);
    put_text(out, event ? event->subject.name : "", 255);
    event_unref(event);
    return true;
}

static bool port(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    enum { UNKNOWN_PORT = 255 };
    struct event *event =
        snapshot_events_read(snapshot->source->journal, own_alarms_of(snapshot, row)->sequence);
    put_number(out, event ? (int64_t)field_get(event, FIELD_SUBJECT_PORT).number : UNKNOWN_PORT);
    event_unref(event);
    return true;
}

static bool text(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    return put_text(out, own_alarms_of(snapshot, row)->text, 1024);
}

static bool own_alarms_acknowledged(const struct agent_snapshot *snapshot,
                                    const struct table_row *row, struct agentx_value *out)
{
    return put_truth(out, own_alarms_of(snapshot, row)->acknowledged);
}

static bool shelved(const struct agent_snapshot *snapshot, const struct table_row *row,
                    struct agentx_value *out)
{
    return put_truth(out, own_alarms_of(snapshot, row)->shelved);
}

static bool own_alarms_note(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    return put_text(out, own_alarms_of(snapshot, row)->note, 255);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdActiveKey", 2, AGENTX_OCTETS, .get = key},
    {"ibtrapdActiveEventId", 3, AGENTX_OCTETS, .get = event_id},
    {"ibtrapdActiveEventName", 4, AGENTX_OCTETS, .get = event_name},
    {"ibtrapdActiveSeverity", 5, AGENTX_INTEGER, .get = severity},
    {"ibtrapdActiveCategory", 6, AGENTX_INTEGER, .get = category},
    {"ibtrapdActiveRaised", 7, AGENTX_OCTETS, .get = raised},
    {"ibtrapdActiveLast", 8, AGENTX_OCTETS, .get = last},
    {"ibtrapdActiveCount", 9, AGENTX_GAUGE32, .get = own_alarms_count},
    {"ibtrapdActiveNodeGuid", 10, AGENTX_OCTETS, .get = node_guid},
    {"ibtrapdActiveNodeName", 11, AGENTX_OCTETS, .get = node_name},
    {"ibtrapdActivePort", 12, AGENTX_GAUGE32, .get = port},
    {"ibtrapdActiveText", 13, AGENTX_OCTETS, .get = text},
    {"ibtrapdActiveAcknowledged", 14, AGENTX_INTEGER, .get = own_alarms_acknowledged},
    {"ibtrapdActiveShelved", 15, AGENTX_INTEGER, .get = shelved},
    {"ibtrapdActiveNote", 16, AGENTX_OCTETS, .get = own_alarms_note},
};

static void own_alarms_index_of(const struct agent_snapshot *snapshot, size_t at,
                                struct agentx_oid *out)
{
    agentx_oid_add(out, snapshot_alarms_at(snapshot_alarms_of(snapshot), at)->number);
}

static bool own_alarms_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                            size_t length, bool after, struct table_row *row,
                            struct agentx_oid *found)
{
    return table_seek_sorted(snapshot, snapshot_alarms_count(snapshot_alarms_of(snapshot)),
                             own_alarms_index_of, ids, length, after, &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 4, 1};

const struct table OWN_ALARMS = {"ibtrapdAlarmTable",
                                 ENTRY,
                                 sizeof ENTRY / sizeof *ENTRY,
                                 COLUMNS,
                                 sizeof COLUMNS / sizeof *COLUMNS,
                                 own_alarms_seek};
