// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/held_traps.h"

#include "base/memory.h"
#include "base/wire.h"
#include "model/catalogue.h"
#include "policy/policy_types.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, TRACES_MAX = 8192 };

// What an event says of traps.
struct held_trace {
    enum { HELD_TRAP, HELD_COPY, HELD_CHANGE } kind;
    int64_t number;
    uint16_t trap;
    bool removes; // a change
    struct {
        uint64_t guids[3];
        uint16_t lid;
    } ends[2];              // a trap has one
    char id[EVENT_ID_SIZE]; // of the trap
};

struct held_traces {
    struct held_trace *all; // the newest first
    size_t count, capacity;
};

static void held_note_end(struct held_trace *trace, size_t i, const struct endpoint *who)
{
    trace->ends[i].guids[0] = who->guid;
    trace->ends[i].guids[1] = trace->kind == HELD_CHANGE ? who->node_guid : 0;
    trace->ends[i].guids[2] = trace->kind == HELD_CHANGE ? wire_get64(who->gid + 8) : 0;
    trace->ends[i].lid = who->lid;
}

static void held_note(struct held_traces *traces, const struct event *event, int64_t number)
{
    struct held_trace one = {.number = number, .trap = event->type->trap};
    const bool is_trap = strcmp(event->suppressed, policy_reason_word(POLICY_AWAITS_SWEEP)) == 0;
    const bool is_copy = event->retold && event->type->trap != 0;
    if (!is_trap && !is_copy && event->type->origin != CATALOGUE_FROM_CHANGE)
        return;
    one.kind = is_trap ? HELD_TRAP : is_copy ? HELD_COPY : HELD_CHANGE;
    one.removes = event->type->alarm == ALARM_RAISES;
    memcpy(one.id, is_trap ? event->id : event->related_id, sizeof one.id);
    held_note_end(&one, 0, &event->subject);
    if (one.kind == HELD_CHANGE)
        held_note_end(&one, 1, &event->peer);
    MEMORY_MAKE_ROOM(traces->all, traces->count, traces->capacity);
    traces->all[traces->count++] = one;
}

// Reads the end of the journal.
static void held_read(struct journal *journal, struct held_traces *traces)
{
    struct journal_item items[CHUNK];
    int64_t before = journal_last(journal) + 1, newest_us = 0;
    size_t read = 0, got;
    bool over = false;
    while (!over && read < TRACES_MAX &&
           (got = journal_read_back(journal, before, items, CHUNK)) > 0) {
        for (size_t i = 0; i < got; i++) {
            const struct event *event = items[i].event;
            before = items[i].sequence;
            newest_us = newest_us == 0 && event ? event->time_us : newest_us;
            over = over || (event && newest_us - event->time_us > HELD_TRAPS_US);
            if (event && !over)
                held_note(traces, event, before);
            event_unref(items[i].event);
        }
        read += got;
    }
}

static bool held_is_about(const struct held_trace *trap, const struct held_trace *change)
{
    const uint64_t guid = trap->ends[0].guids[0];
    const uint16_t lid = trap->ends[0].lid;
    bool about = false;
    for (size_t i = 0; i < 2; i++) {
        about = about || (lid != 0 && lid == change->ends[i].lid);
        for (size_t k = 0; k < 3; k++)
            about = about || (guid != 0 && guid == change->ends[i].guids[k]);
    }
    return about;
}

// Whether receivers know what the trap says: by a copy, by a later change, or, of a port in or out
// of service, by the last change before.
static bool held_is_told(const struct held_traces *traces, const struct held_trace *trap)
{
    const struct held_trace *last = NULL;
    for (size_t i = 0; i < traces->count; i++) {
        const struct held_trace *one = &traces->all[i];
        if (one->kind == HELD_COPY && strcmp(one->id, trap->id) == 0)
            return true;
        if (one->kind != HELD_CHANGE || !held_is_about(trap, one))
            continue;
        if (one->number > trap->number)
            return true;
        last = last ? last : one;
    }
    return last && trap->trap != NOTICE_LINK_STATE &&
           last->removes == (trap->trap == NOTICE_GID_OUT_OF_SERVICE);
}

size_t held_traps_find(struct journal *journal, struct event **out, size_t n)
{
    struct held_traces traces = {0};
    size_t count = 0;
    held_read(journal, &traces);
    for (size_t i = 0; i < traces.count && count < n; i++) {
        struct event *event =
            traces.all[i].kind == HELD_TRAP && !held_is_told(&traces, &traces.all[i])
                ? journal_read_one(journal, traces.all[i].number)
                : NULL;
        if (event)
            out[n - ++count] = event;
    }
    memmove(out, out + n - count, count * sizeof(struct event *));
    free(traces.all);
    return count;
}
