// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot.h"

#include "base/memory.h"

#include <stdlib.h>

// Lists the switches and routers. They ascend by GUID, like the fabric's nodes.
static void snapshot_list_switches(struct agent_snapshot *snapshot)
{
    const struct fabric *fabric = snapshot->fabric;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++)
        snapshot->switch_count += fabric_is_element(fabric->nodes[i].type);
    snapshot->switches = memory_get(snapshot->switch_count * sizeof *snapshot->switches);
    size_t n = 0;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++) {
        if (fabric_is_element(fabric->nodes[i].type))
            snapshot->switches[n++] = i;
    }
}

// The first event of the journal's file; without a file, of the journal's memory; 0: none.
static int64_t snapshot_first_event(struct journal *journal, int64_t last)
{
    struct journal_status status;
    journal_get_status(journal, &status);
    int64_t first = status.first > 0 ? status.first : journal_first_in_memory(journal);
    return first <= last ? first : 0;
}

struct agent_snapshot *snapshot_take(const struct snapshot_source *source,
                                     struct snapshot_events *events)
{
    struct agent_snapshot *snapshot = memory_zeroed(1, sizeof *snapshot);
    snapshot->time_us = clock_utc(source->clock);
    snapshot->now = clock_monotonic(source->clock);
    snapshot->master_started_at = source->master_started_at;
    snapshot->source = source;
    snapshot->fabric = topology_current(source->topology);
    snapshot->names = topology_names(source->topology);
    snapshot->accumulated = source->sums(source->ctx);
    snapshot->errors = source->errors ? source->errors(source->ctx) : NULL;
    snapshot->settings = source->settings(source->ctx);
    snapshot->numbers = journal_node_numbers(source->journal);
    snapshot->last_event = journal_last(source->journal);
    snapshot->first_event = snapshot_first_event(source->journal, snapshot->last_event);
    source->gateway(source->ctx, &snapshot->gateway);
    snapshot->events = events;
    snapshot_list_switches(snapshot);
    if (!events || snapshot_events_update(events, source->journal))
        return snapshot;
    snapshot_free(snapshot);
    return NULL;
}

void snapshot_free(struct agent_snapshot *snapshot)
{
    if (!snapshot)
        return;
    fabric_unref(snapshot->fabric);
    names_unref(snapshot->names);
    accumulated_unref(snapshot->accumulated);
    measured_errors_unref(snapshot->errors);
    settings_unref(snapshot->settings);
    snapshot_alarms_free(snapshot->alarms);
    node_numbers_unref(snapshot->numbers);
    free(snapshot->interfaces);
    for (size_t i = 0; i < RECORDS_KINDS; i++)
        sa_records_free(snapshot->records[i]);
    free(snapshot->switches);
    free(snapshot);
}

const struct interface_list *snapshot_interfaces_of(struct agent_snapshot *snapshot)
{
    if (!snapshot->interfaces)
        snapshot->interfaces =
            interface_list_make(snapshot->fabric, snapshot->numbers, snapshot->source->fabric_of);
    return snapshot->interfaces;
}

// The active alarms.

static void snapshot_alarms_add(void *ctx, const struct alarm *alarm)
{
    struct snapshot_alarms *alarms = ctx;
    if (alarms->count == SNAPSHOT_ALARMS_MAX)
        return;
    MEMORY_MAKE_ROOM(alarms->all, alarms->count, alarms->room);
    alarms->all[alarms->count] = (struct compact_alarm){0};
    compact_alarm_pack(&alarms->all[alarms->count++], alarm);
}

static int snapshot_alarms_compare(const void *a, const void *b)
{
    const uint32_t x = event_number(((const struct compact_alarm *)a)->event_sequence);
    const uint32_t y = event_number(((const struct compact_alarm *)b)->event_sequence);
    return (x > y) - (x < y);
}

static struct snapshot_alarms *snapshot_alarms_take(struct journal *journal)
{
    struct snapshot_alarms *alarms = memory_zeroed(1, sizeof *alarms);
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, snapshot_alarms_add, alarms);
    if (alarms->count > 0)
        qsort(alarms->all, alarms->count, sizeof *alarms->all, snapshot_alarms_compare);
    return alarms;
}

void snapshot_alarms_free(struct snapshot_alarms *alarms)
{
    for (size_t i = 0; alarms && i < alarms->count; i++)
        compact_alarm_clear(&alarms->all[i]);
    free(alarms ? alarms->all : NULL);
    free(alarms);
}

const struct snapshot_alarms *snapshot_alarms_of(struct agent_snapshot *snapshot)
{
    if (!snapshot->alarms)
        snapshot->alarms = snapshot_alarms_take(snapshot->source->journal);
    return snapshot->alarms;
}
