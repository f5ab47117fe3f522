// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot_events.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum { READ_AHEAD = 64, KEPT_MAX = 2 * SNAPSHOT_EVENTS_PER_SWITCH_MAX };

// The latest events of a switch, in a ring.
struct of_switch {
    uint64_t guid;
    uint8_t type; // enum fabric_type; 0: unknown
    int64_t *sequences;
    size_t begin, count, room; // `room` is a power of two
};

struct snapshot_events {
    struct of_switch *switches; // ascending by GUID
    size_t count, room;
    int64_t read_through;   // the last event that was read
    int64_t stored_through; // the last event that is surely on disk
    bool begun;
};

struct snapshot_events *snapshot_events_new(void)
{
    return memory_zeroed(1, sizeof(struct snapshot_events));
}

void snapshot_events_free(struct snapshot_events *events)
{
    if (!events)
        return;
    for (size_t i = 0; i < events->count; i++)
        free(events->switches[i].sequences);
    free(events->switches);
    free(events);
}

// The index of the first switch whose GUID is not less.
static size_t snapshot_events_place_of(const struct snapshot_events *events, uint64_t guid)
{
    size_t place;
    SEARCH_FIRST(place, 0, events->count, events->switches[place].guid < guid);
    return place;
}

static const struct of_switch *snapshot_events_find_switch(const struct snapshot_events *events,
                                                           uint64_t guid)
{
    size_t at = events ? snapshot_events_place_of(events, guid) : 0;
    return events && at < events->count && events->switches[at].guid == guid ? &events->switches[at]
                                                                             : NULL;
}

static bool snapshot_events_has_place(const struct snapshot_events *events, uint64_t guid)
{
    return events->count < SNAPSHOT_EVENTS_SWITCHES_MAX ||
           snapshot_events_find_switch(events, guid);
}

// Finds or adds a switch.
static struct of_switch *snapshot_events_get(struct snapshot_events *events, uint64_t guid)
{
    size_t at = snapshot_events_place_of(events, guid);
    if (at < events->count && events->switches[at].guid == guid)
        return &events->switches[at];
    MEMORY_MAKE_ROOM(events->switches, events->count, events->room);
    struct of_switch *new = &events->switches[at];
    memmove(new + 1, new, (events->count - at) * sizeof *new);
    events->count++;
    *new = (struct of_switch){.guid = guid};
    return new;
}

static int64_t snapshot_events_at(const struct of_switch *s, size_t i)
{
    return s->sequences[(s->begin + i) & (s->room - 1)];
}

static void snapshot_events_grow(struct of_switch *s)
{
    size_t room = s->room ? 2 * s->room : 8;
    int64_t *grown = memory_get(room * sizeof *grown);
    for (size_t i = 0; i < s->count; i++)
        grown[i] = snapshot_events_at(s, i);
    free(s->sequences);
    s->sequences = grown;
    s->room = room;
    s->begin = 0;
}

static void snapshot_events_copy(struct snapshot_events *events, int64_t sequence,
                                 const struct event *event)
{
    if (!event || event->switch_guid == 0 || event->test ||
        !snapshot_events_has_place(events, event->switch_guid))
        return;
    struct of_switch *s = snapshot_events_get(events, event->switch_guid);
    if (s->count == KEPT_MAX) {
        s->begin = (s->begin + 1) & (s->room - 1);
        s->count--;
    }
    if (s->count == s->room)
        snapshot_events_grow(s);
    s->sequences[(s->begin + s->count++) & (s->room - 1)] = sequence;
    if (s->type == 0)
        s->type = event_type_of(event, event->switch_guid);
}

// Copies events into the index and drops their references.
static void snapshot_events_copy_all(struct snapshot_events *events,
                                     const struct journal_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snapshot_events_copy(events, items[i].sequence, items[i].event);
        events->read_through = items[i].sequence;
        event_unref(items[i].event);
    }
}

// Skips the events on a disk that fails, up to the first in memory. False: there are none to skip.
static bool snapshot_events_skip(struct snapshot_events *events, struct journal *journal)
{
    int64_t before = journal_first_in_memory(journal) - 1;
    bool skips = before > events->read_through;
    if (skips)
        events->read_through = before;
    return skips;
}

static void snapshot_events_forget(struct of_switch *s, int64_t from, int64_t until)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t sequence = snapshot_events_at(s, i);
        if (sequence < from || sequence >= until)
            s->sequences[(s->begin + kept++) & (s->room - 1)] = sequence;
    }
    s->count = kept;
}

// Removes the events that were read while the disk failed and expired in memory, unwritten.
static void snapshot_events_forget_lost(struct snapshot_events *events, struct journal *journal)
{
    int64_t from = events->stored_through + 1;
    struct journal_status status;
    struct journal_item item;
    journal_get_status(journal, &status);
    if (from <= events->read_through) {
        if (journal_read(journal, from - 1, &item, 1) == 0)
            return;
        event_unref(item.event);
        for (size_t i = 0; item.sequence > from && i < events->count; i++)
            snapshot_events_forget(&events->switches[i], from, item.sequence);
    }
    if (status.last > events->stored_through)
        events->stored_through = status.last;
}

bool snapshot_events_update(struct snapshot_events *events, struct journal *journal)
{
    snapshot_events_forget_lost(events, journal);
    int64_t last = journal_last(journal);
    if (!events->begun || events->read_through < last - SNAPSHOT_EVENTS_READ_MAX)
        events->read_through =
            last > SNAPSHOT_EVENTS_READ_MAX ? last - SNAPSHOT_EVENTS_READ_MAX : 0;
    events->begun = true;
    while (events->read_through < last) {
        struct journal_item items[READ_AHEAD];
        size_t n = journal_read(journal, events->read_through, items, READ_AHEAD);
        snapshot_events_copy_all(events, items, n);
        if (n == 0 && !snapshot_events_skip(events, journal))
            return false;
    }
    return true;
}

bool snapshot_events_switch(const struct snapshot_events *events, uint64_t guid, uint64_t *found,
                            uint8_t *type)
{
    size_t i = snapshot_events_place_of(events, guid);
    if (i == events->count)
        return false;
    *found = events->switches[i].guid;
    *type = events->switches[i].type;
    return true;
}

static int64_t snapshot_events_read_from(struct journal *journal, int64_t sequence,
                                         struct event **event)
{
    struct journal_item item;
    while (journal_read(journal, sequence - 1, &item, 1) == 1) {
        *event = item.event;
        if (item.event)
            return item.sequence;
        sequence = item.sequence + 1; // this record cannot be read
    }
    return 0;
}

int64_t snapshot_events_read_next(struct journal *journal, int64_t sequence, struct event **event)
{
    int64_t in_memory = journal_first_in_memory(journal);
    int64_t found = snapshot_events_read_from(journal, sequence, event);
    return found != 0 || sequence >= in_memory
               ? found
               : snapshot_events_read_from(journal, in_memory, event);
}

// The places in a switch's ring whose events are in a range. The journal may have dropped the first
// events.
struct places {
    size_t begin, end;
};

static struct places snapshot_events_places(const struct of_switch *s,
                                            struct snapshot_events_range range)
{
    struct places p = {0, 0};
    if (!s)
        return p;
    SEARCH_FIRST(p.end, 0, s->count, snapshot_events_at(s, p.end) <= range.last);
    size_t latest =
        p.end < SNAPSHOT_EVENTS_PER_SWITCH_MAX ? 0 : p.end - SNAPSHOT_EVENTS_PER_SWITCH_MAX;
    SEARCH_FIRST(p.begin, latest, p.end, snapshot_events_at(s, p.begin) <= range.after);
    return p;
}

int64_t snapshot_events_find(const struct snapshot_events *events, struct journal *journal,
                             struct snapshot_events_range range, uint64_t guid, int64_t sequence,
                             struct event **event)
{
    const struct of_switch *s = snapshot_events_find_switch(events, guid);
    struct places p = snapshot_events_places(s, range);
    for (;;) {
        SEARCH_FIRST(p.begin, p.begin, p.end, snapshot_events_at(s, p.begin) < sequence);
        if (p.begin == p.end)
            return 0;
        sequence = snapshot_events_read_next(journal, snapshot_events_at(s, p.begin), event);
        if (sequence == 0 || sequence == snapshot_events_at(s, p.begin))
            return sequence;
        event_unref(*event); // the next readable event is another one: the journal dropped this
        *event = NULL;
    }
}

// The journal drops the oldest events first, so all events after the first readable event are
// there.
uint32_t snapshot_events_count(const struct snapshot_events *events, struct journal *journal,
                               struct snapshot_events_range range, uint64_t guid)
{
    const struct of_switch *s = snapshot_events_find_switch(events, guid);
    struct places p = snapshot_events_places(s, range);
    struct event *event = NULL;
    int64_t first = snapshot_events_find(events, journal, range, guid, 0, &event);
    event_unref(event);
    if (first == 0)
        return 0;
    SEARCH_FIRST(p.begin, p.begin, p.end, snapshot_events_at(s, p.begin) < first);
    return (uint32_t)(p.end - p.begin);
}
