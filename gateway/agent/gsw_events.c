// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

#include <string.h>

enum { GUID_IDS = 8, TAIL_IDS = 8, IDS = GUID_IDS + TAIL_IDS + 1, IB_SWITCH = 2 };

// The octets that follow the GUID in the GswGlobalId of a switch.
static const uint32_t TAIL[TAIL_IDS] = {0, 0, 0, 0, 0, 0, 0, IB_SWITCH};

static bool switch_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    (void)snapshot;
    return put_field(out, row->event, MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE, FIELD_SWITCH_GUID);
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
    {"gswEventSwitchId", 1, AGENTX_OCTETS, switch_id, SETTING_NONE},
    {"gswEventIndex", 2, AGENTX_INTEGER, gsw_events_number, SETTING_NONE},
    {"gswEventTimeInfo", 3, AGENTX_OCTETS, time_info, SETTING_NONE},
    {"gswEventLevel", 4, AGENTX_INTEGER, level, SETTING_NONE},
    {"gswEventRepeatCount", 5, AGENTX_INTEGER, repeat_count, SETTING_NONE},
    {"gswEventDescr", 6, AGENTX_OCTETS, gsw_events_description, SETTING_NONE},
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

// Sets `out` to the first possible row whose index is greater than `ids`. These may be any numbers.
// False: there is none.
static bool begin_after(const uint32_t *ids, size_t length, struct begin *out)
{
    uint64_t guid = 0;
    bool is_beyond = false; // the ids are greater than any GUID with the same first octets
    for (size_t i = 0; i < GUID_IDS; i++) {
        uint32_t id = i < length ? ids[i] : 0;
        is_beyond |= id > UINT8_MAX;
        guid = guid << 8 | (is_beyond ? UINT8_MAX : id);
    }
    if (is_beyond)
        return begin_after_switch(out, guid);
    *out = (struct begin){guid, 0};
    if (length <= GUID_IDS)
        return true;
    size_t tail = length - GUID_IDS < TAIL_IDS ? length - GUID_IDS : TAIL_IDS;
    int order = agentx_oid_compare(ids + GUID_IDS, tail, TAIL, tail);
    if (order > 0)
        return begin_after_switch(out, guid);
    if (order == 0 && length >= IDS) {
        if (ids[IDS - 1] >= EVENT_NUMBER_MAX)
            return begin_after_switch(out, guid);
        out->number = ids[IDS - 1] + 1;
    }
    return true;
}

static bool begin_at(const uint32_t *ids, size_t length, struct begin *out)
{
    bool fits = length == IDS && memcmp(ids + GUID_IDS, TAIL, sizeof TAIL) == 0 &&
                ids[IDS - 1] <= EVENT_NUMBER_MAX;
    *out = (struct begin){.number = fits ? ids[IDS - 1] : 0};
    for (size_t i = 0; fits && i < GUID_IDS; i++) {
        fits = ids[i] <= UINT8_MAX;
        out->guid = out->guid << 8 | ids[i];
    }
    return fits;
}

static bool name_row(uint64_t guid, int64_t sequence, struct table_row *row,
                     struct agentx_oid *found)
{
    uint8_t octets[GUID_IDS];
    row->at = event_number(sequence);
    found->length = 0;
    wire_put(octets, sizeof octets, guid);
    agentx_oid_add_octets(found, octets, sizeof octets);
    for (size_t i = 0; i < TAIL_IDS; i++)
        agentx_oid_add(found, TAIL[i]);
    return agentx_oid_add(found, event_number(sequence));
}

// Finds the first readable event from `begin` on; without `after`, only the event at `begin`.
static bool gsw_events_find(const struct agent_snapshot *snapshot, struct begin begin, bool after,
                            struct table_row *row, struct agentx_oid *found)
{
    uint64_t guid;
    while (snapshot_events_switch(snapshot->events, begin.guid, &guid) &&
           (after || guid == begin.guid)) {
        int64_t least = snapshot_base(snapshot) + (guid == begin.guid ? begin.number : 0);
        int64_t sequence = snapshot_events_find(snapshot->events, snapshot->source->journal,
                                                snapshot_range(snapshot), guid, least, &row->event);
        if (sequence != 0 && (after || sequence == least))
            return name_row(guid, sequence, row, found);
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
    struct begin begin;
    bool any = after ? begin_after(ids, length, &begin) : begin_at(ids, length, &begin);
    return any && snapshot->events && (after || begin.number > 0) &&
           gsw_events_find(snapshot, begin, after, row, found);
}

static const uint32_t ENTRY[] = {1, 3, 6, 1, 3, 2, 2, 1, 15, 1, 1};

const struct table GSW_EVENTS = {
    "gswEventTable", ENTRY, sizeof ENTRY / sizeof *ENTRY, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS,
    gsw_events_seek};
