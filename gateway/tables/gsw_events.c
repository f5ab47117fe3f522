// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: gswEventTable, the events about each element, by GswGlobalId and event number.
#include "agent/column.h"
#include "tables/tables.h"

enum { GUID_IDS = 8, ID_IDS = MIB_GLOBAL_ID_SIZE, IDS = ID_IDS + 1 };

static bool gsw_events_id(struct look *look, struct agentx_value *out)
{
    uint8_t id[MIB_GLOBAL_ID_SIZE], type = 0;
    uint64_t guid = look->event->switch_guid;
    snapshot_events_switch(look->snapshot->events, guid, &guid, &type);
    mib_put_global_id(id, guid, type);
    return put_octets(out, id, sizeof id);
}

GETTER(gsw_events_number, put_number(out, (int64_t)look->at))
GETTER(gsw_events_time, put_field(out, look->event, MIB_DATE_TEXT, 0, FIELD_TIME))
GETTER(gsw_events_level, put_field(out, look->event, MIB_INTEGER32, 0, FIELD_EVENT_LEVEL))
GETTER(gsw_events_repeats, put_field(out, look->event, MIB_INTEGER32, 0, FIELD_EVENT_TIMES))
GETTER(gsw_events_text, put_field(out, look->event, MIB_ASCII, 0, FIELD_TEXT))

static const struct table_column GSW_EVENTS_COLUMNS[] = {
    {"gswEventSwitchId", 1, AGENTX_OCTETS, .get = gsw_events_id},
    {"gswEventIndex", 2, AGENTX_INTEGER, .get = gsw_events_number},
    {"gswEventTimeInfo", 3, AGENTX_OCTETS, .get = gsw_events_time},
    {"gswEventLevel", 4, AGENTX_INTEGER, .get = gsw_events_level},
    {"gswEventRepeatCount", 5, AGENTX_INTEGER, .get = gsw_events_repeats},
    {"gswEventDescr", 6, AGENTX_OCTETS, .get = gsw_events_text},
};

// The first row that a request may return.
struct begin {
    uint64_t guid;
    uint32_t number; // the least event_number; applies only to the element with this GUID
};

static bool gsw_events_begin_after_guid(struct begin *out, uint64_t guid)
{
    *out = (struct begin){guid + 1, 0};
    return guid != UINT64_MAX;
}

// Appends the GswGlobalId of the element with events that has the GUID; of any other GUID, the id
// of a switch.
static void gsw_events_add_id(const struct look *look, uint64_t guid, struct agentx_oid *out)
{
    uint64_t found;
    uint8_t id[MIB_GLOBAL_ID_SIZE], type = 0;
    if (!snapshot_events_switch(look->snapshot->events, guid, &found, &type) || found != guid)
        type = 0;
    mib_put_global_id(id, guid, type);
    agentx_oid_add_octets(out, id, sizeof id);
}

// Reads the GUID at the begin of the wanted index, with zeroes for the octets that are missing.
// Returns false if an identifier is no octet: then `guid` is the greatest lesser GUID.
static bool gsw_events_read_guid(const struct look *look, uint64_t *guid)
{
    bool is_beyond = false;
    *guid = 0;
    for (size_t i = 0; i < GUID_IDS; i++) {
        const uint32_t id = i < look->length ? look->ids[i] : 0;
        is_beyond |= id > UINT8_MAX;
        *guid = *guid << 8 | (is_beyond ? UINT8_MAX : id);
    }
    return !is_beyond;
}

// Sets `out` to the first possible row whose index is greater than the wanted index, which may have
// any identifiers. Returns false if there is none.
static bool gsw_events_begin_after(const struct look *look, struct begin *out)
{
    struct agentx_oid id = {.length = 0};
    uint64_t guid;
    if (!gsw_events_read_guid(look, &guid))
        return gsw_events_begin_after_guid(out, guid);
    *out = (struct begin){guid, 0};
    gsw_events_add_id(look, guid, &id);
    const size_t compared = look->length < ID_IDS ? look->length : ID_IDS;
    const int order = agentx_oid_compare(look->ids, compared, id.ids, compared);
    if (look->length > GUID_IDS && order > 0)
        return gsw_events_begin_after_guid(out, guid);
    if (look->length < IDS || order != 0)
        return true;
    if (look->ids[IDS - 1] >= EVENT_NUMBER_MAX)
        return gsw_events_begin_after_guid(out, guid);
    out->number = look->ids[IDS - 1] + 1;
    return true;
}

static bool gsw_events_begin_at(const struct look *look, struct begin *out)
{
    struct agentx_oid id = {.length = 0};
    if (look->length != IDS || look->ids[IDS - 1] > EVENT_NUMBER_MAX ||
        !gsw_events_read_guid(look, &out->guid))
        return false;
    out->number = look->ids[IDS - 1];
    gsw_events_add_id(look, out->guid, &id);
    return out->number > 0 && agentx_oid_compare(look->ids, ID_IDS, id.ids, id.length) == 0;
}

// Finds the first readable event from `begin` on; without look->after, only the event at `begin`.
static bool gsw_events_find(struct look *look, struct begin begin)
{
    const struct agent_snapshot *s = look->snapshot;
    uint64_t guid;
    uint8_t type;
    while (snapshot_events_switch(s->events, begin.guid, &guid, &type) &&
           (look->after || guid == begin.guid)) {
        const int64_t least = snapshot_base(s) + (guid == begin.guid ? begin.number : 0);
        const int64_t sequence = snapshot_events_find(s->events, s->source->journal,
                                                      snapshot_range(s), guid, least, &look->event);
        if (sequence != 0 && (look->after || sequence == least)) {
            look->at = event_number(sequence);
            gsw_events_add_id(look, guid, &look->found);
            return agentx_oid_add(&look->found, event_number(sequence));
        }
        event_unref(look->event);
        look->event = NULL;
        if (!look->after || !gsw_events_begin_after_guid(&begin, guid))
            return false;
    }
    return false;
}

static bool gsw_events_seek(struct look *look)
{
    struct begin begin = {0};
    return look->snapshot->events &&
           (look->after ? gsw_events_begin_after(look, &begin)
                        : gsw_events_begin_at(look, &begin)) &&
           gsw_events_find(look, begin);
}

const struct table GSW_EVENTS = {"gswEventTable", TABLE_OID(TABLES_GSW_IDS, 15, 1, 1),
                                 TABLE_COLUMNS(GSW_EVENTS_COLUMNS), .seek = gsw_events_seek};
