// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

#include <string.h>

enum { GUID_IDS = 8, ID_IDS = MIB_GLOBAL_ID_SIZE, IDS = ID_IDS + 1 };

static bool switch_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    uint8_t id[MIB_GLOBAL_ID_SIZE], type = 0;
    uint64_t guid = row->event->switch_guid;
    snapshot_events_switch(snapshot->events, guid, &guid, &type);
    mib_put_global_id(id, guid, type);
    return put_octets(out, id, sizeof id);
}

static bool gsw_events_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    (void)snapshot;
    return put_number(out, (int64_t)row->at);
}

static bool time_info(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    (void)snapshot;
    return put_field(out, row->event, MIB_DATE_TEXT, 0, FIELD_TIME);
}

static bool level(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out)
{
    (void)snapshot;
    return put_field(out, row->event, MIB_INTEGER32, 0, FIELD_EVENT_LEVEL);
}

static bool repeat_count(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)snapshot;
    return put_field(out, row->event, MIB_INTEGER32, 0, FIELD_EVENT_TIMES);
}

static bool gsw_events_description(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot;
    return put_field(out, row->event, MIB_ASCII, 0, FIELD_TEXT);
}

static const struct table_column COLUMNS[] = {
    {"gswEventSwitchId", 1, AGENTX_OCTETS, .get = switch_id},
    {"gswEventIndex", 2, AGENTX_INTEGER, .get = gsw_events_number},
    {"gswEventTimeInfo", 3, AGENTX_OCTETS, .get = time_info},
    {"gswEventLevel", 4, AGENTX_INTEGER, .get = level},
    {"gswEventRepeatCount", 5, AGENTX_INTEGER, .get = repeat_count},
    {"gswEventDescr", 6, AGENTX_OCTETS, .get = gsw_events_description},
};

// The first row that a request may return.
struct begin {
    uint64_t guid;
    uint32_t number; // the least event_number; applies only to the switch with this GUID
};

static bool begin_after_switch(struct begin *out, uint64_t guid)
{
    *out = (struct begin){guid + 1, 0};
    return guid != UINT64_MAX;
}

// Appends the GswGlobalId of the switch or router with events that has the GUID; of any other
// GUID, that of a switch.
static void gsw_events_add_id(const struct agent_snapshot *snapshot, uint64_t guid,
                              struct agentx_oid *out)
{
    uint64_t found;
    uint8_t id[MIB_GLOBAL_ID_SIZE], type = 0;
    if (!snapshot_events_switch(snapshot->events, guid, &found, &type) || found != guid)
        type = 0;
    mib_put_global_id(id, guid, type);
    agentx_oid_add_octets(out, id, sizeof id);
}

// The GUID at the begin of `ids`, with zeroes for the octets that are missing. False: `guid` is the
// greatest that is less, as an id is no octet.
static bool gsw_events_read_guid(const uint32_t *ids, size_t length, uint64_t *guid)
{
    bool is_beyond = false;
    *guid = 0;
    for (size_t i = 0; i < GUID_IDS; i++) {
        uint32_t id = i < length ? ids[i] : 0;
        is_beyond |= id > UINT8_MAX;
        *guid = *guid << 8 | (is_beyond ? UINT8_MAX : id);
    }
    return !is_beyond;
}

// Sets `out` to the first possible row whose index is greater than `ids`. These may be any numbers.
// False: there is none.
static bool begin_after(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        struct begin *out)
{
    struct agentx_oid id = {.length = 0};
    uint64_t guid;
    if (!gsw_events_read_guid(ids, length, &guid))
        return begin_after_switch(out, guid);
    *out = (struct begin){guid, 0};
    gsw_events_add_id(snapshot, guid, &id);
    const size_t compared = length < ID_IDS ? length : ID_IDS;
    const int order = agentx_oid_compare(ids, compared, id.ids, compared);
    if (length > GUID_IDS && order > 0)
        return begin_after_switch(out, guid);
    if (length < IDS || order != 0)
        return true;
    if (ids[IDS - 1] >= EVENT_NUMBER_MAX)
        return begin_after_switch(out, guid);
    out->number = ids[IDS - 1] + 1;
    return true;
}

static bool begin_at(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                     struct begin *out)
{
    struct agentx_oid id = {.length = 0};
    if (length != IDS || ids[IDS - 1] > EVENT_NUMBER_MAX ||
        !gsw_events_read_guid(ids, length, &out->guid))
        return false;
    out->number = ids[IDS - 1];
    gsw_events_add_id(snapshot, out->guid, &id);
    return agentx_oid_compare(ids, ID_IDS, id.ids, id.length) == 0;
}

static bool name_row(const struct agent_snapshot *snapshot, uint64_t guid, int64_t sequence,
                     struct table_row *row, struct agentx_oid *found)
{
    row->at = event_number(sequence);
    found->length = 0;
    gsw_events_add_id(snapshot, guid, found);
    return agentx_oid_add(found, event_number(sequence));
}

// Finds the first readable event from `begin` on; without `after`, only the event at `begin`.
static bool gsw_events_find(const struct agent_snapshot *snapshot, struct begin begin, bool after,
                            struct table_row *row, struct agentx_oid *found)
{
    uint64_t guid;
    uint8_t type;
    while (snapshot_events_switch(snapshot->events, begin.guid, &guid, &type) &&
           (after || guid == begin.guid)) {
        int64_t least = snapshot_base(snapshot) + (guid == begin.guid ? begin.number : 0);
        int64_t sequence = snapshot_events_find(snapshot->events, snapshot->source->journal,
                                                snapshot_range(snapshot), guid, least, &row->event);
        if (sequence != 0 && (after || sequence == least))
            return name_row(snapshot, guid, sequence, row, found);
        event_unref(row->event);
        row->event = NULL;
        if (!after || !begin_after_switch(&begin, guid))
            return false;
    }
    return false;
}

static bool gsw_events_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                            size_t length, bool after, struct table_row *row,
                            struct agentx_oid *found)
{
    struct begin begin = {0};
    if (!snapshot->events)
        return false;
    return after ? begin_after(snapshot, ids, length, &begin) &&
                       gsw_events_find(snapshot, begin, true, row, found)
                 : begin_at(snapshot, ids, length, &begin) && begin.number > 0 &&
                       gsw_events_find(snapshot, begin, false, row, found);
}

static const uint32_t ENTRY[] = {1, 3, 6, 1, 3, 2, 2, 1, 15, 1, 1};

const struct table GSW_EVENTS = {
    "gswEventTable", ENTRY, sizeof ENTRY / sizeof *ENTRY, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS,
    gsw_events_seek};
