#include "agent/own.h"
#include "agent/put.h"
#include "agent/view_alarms.h"
#include "agent/view_events.h"
#include "mib_root.h"
#include "model/catalogue.h"

static const struct view_alarm *of(const struct view *view, const struct table_row *row)
{
    return view_alarms_at(view_alarms_of(view), row->at);
}

static bool key(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, of(view, row)->key, 255);
}

static bool event_id(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, of(view, row)->event_id, 40);
}

static bool event_name(const struct view *view, const struct table_row *row,
                       struct agentx_value *out)
{
    return put_text(out, of(view, row)->type, 64);
}

static bool severity(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_number(out, of(view, row)->severity);
}

static bool category(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    const struct catalogue_entry *type = catalogue_find(of(view, row)->type);
    return type && put_number(out, type->category);
}

static bool raised(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_date(out, of(view, row)->raised_us);
}

static bool last(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_date(out, of(view, row)->last_us);
}

static bool count(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_gauge(out, of(view, row)->count);
}

static bool node_guid(const struct view *view, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_guid(out, of(view, row)->node_guid);
}

// The event that raised it knows the name and the port; the journal may have dropped it.
static bool node_name(const struct view *view, const struct table_row *row,
                      struct agentx_value *out)
{
    struct event *event = view_events_read(view->source->journal, of(view, row)->sequence);
    put_text(out, event ? event->subject.name : "", 255);
    event_release(event);
    return true;
}

static bool port(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    enum { UNKNOWN_PORT = 255 };
    struct event *event = view_events_read(view->source->journal, of(view, row)->sequence);
    put_number(out, event ? (int64_t)field_get(event, FIELD_SUBJECT_PORT).number : UNKNOWN_PORT);
    event_release(event);
    return true;
}

static bool text(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, of(view, row)->text, 1024);
}

static bool acknowledged(const struct view *view, const struct table_row *row,
                         struct agentx_value *out)
{
    return put_truth(out, of(view, row)->acknowledged);
}

static bool shelved(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_truth(out, of(view, row)->shelved);
}

static bool note(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    return put_text(out, of(view, row)->note, 255);
}

static const struct table_column COLUMNS[] = {
    {"ibtrapdActiveKey", 2, AGENTX_OCTETS, key, SETTING_NONE},
    {"ibtrapdActiveEventId", 3, AGENTX_OCTETS, event_id, SETTING_NONE},
    {"ibtrapdActiveEventName", 4, AGENTX_OCTETS, event_name, SETTING_NONE},
    {"ibtrapdActiveSeverity", 5, AGENTX_INTEGER, severity, SETTING_NONE},
    {"ibtrapdActiveCategory", 6, AGENTX_INTEGER, category, SETTING_NONE},
    {"ibtrapdActiveRaised", 7, AGENTX_OCTETS, raised, SETTING_NONE},
    {"ibtrapdActiveLast", 8, AGENTX_OCTETS, last, SETTING_NONE},
    {"ibtrapdActiveCount", 9, AGENTX_GAUGE32, count, SETTING_NONE},
    {"ibtrapdActiveNodeGuid", 10, AGENTX_OCTETS, node_guid, SETTING_NONE},
    {"ibtrapdActiveNodeName", 11, AGENTX_OCTETS, node_name, SETTING_NONE},
    {"ibtrapdActivePort", 12, AGENTX_GAUGE32, port, SETTING_NONE},
    {"ibtrapdActiveText", 13, AGENTX_OCTETS, text, SETTING_NONE},
    {"ibtrapdActiveAcknowledged", 14, AGENTX_INTEGER, acknowledged, SETTING_NONE},
    {"ibtrapdActiveShelved", 15, AGENTX_INTEGER, shelved, SETTING_NONE},
    {"ibtrapdActiveNote", 16, AGENTX_OCTETS, note, SETTING_NONE},
};

static void index_of(const struct view *view, size_t at, struct agentx_oid *out)
{
    agentx_oid_add(out, view_alarms_at(view_alarms_of(view), at)->number);
}

static bool seek(const struct view *view, const uint32_t *ids, size_t length, bool after,
                 struct table_row *row, struct agentx_oid *found)
{
    return table_seek_sorted(view, view_alarms_count(view_alarms_of(view)), index_of, ids, length,
                             after, &row->at, found);
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 4, 1};

const struct table OWN_ALARMS = {"ibtrapdAlarmTable",
                                 ENTRY,
                                 sizeof ENTRY / sizeof *ENTRY,
                                 COLUMNS,
                                 sizeof COLUMNS / sizeof *COLUMNS,
                                 seek};
