// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot.h"

#include "base/memory.h"

#include <stdlib.h>

// Lists the switches and routers. They ascend by GUID, as the fabric's nodes do.
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

// The first event of the journal's file; while that is not available, of its memory; 0: none.
static int64_t first_event(struct journal *journal, int64_t last)
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
    snapshot->references = 1;
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
    snapshot->first_event = first_event(source->journal, snapshot->last_event);
    source->gateway(source->ctx, &snapshot->gateway);
    snapshot->events = events;
    snapshot_list_switches(snapshot);
    if (!events || snapshot_events_update(events, source->journal))
        return snapshot;
    snapshot_unref(snapshot);
    return NULL;
}

struct agent_snapshot *snapshot_ref(struct agent_snapshot *snapshot)
{
    snapshot->references++;
    return snapshot;
}

const struct snapshot_alarms *snapshot_alarms_of(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    if (!of->alarms)
        of->alarms = snapshot_alarms_take(snapshot->source->journal, snapshot->time_us);
    return of->alarms;
}

const struct interface_list *snapshot_interfaces_of(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    if (!of->interfaces)
        of->interfaces =
            interface_list_make(snapshot->fabric, snapshot->numbers, snapshot->source->fabric_of);
    return of->interfaces;
}

bool snapshot_sa_was_away(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    const bool away = of->sa_away;
    of->sa_away = false;
    return away;
}

void snapshot_pass_over(const struct agent_snapshot *snapshot)
{
    ((struct agent_snapshot *)snapshot)->sa_away = false; // its content stays
}

int64_t snapshot_take_ticket(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    const int64_t ticket = of->ticket;
    of->ticket = 0;
    return ticket;
}

void snapshot_unref(struct agent_snapshot *snapshot)
{
    if (!snapshot || --snapshot->references > 0)
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
        records_free(snapshot->records[i]);
    demand_answer_unref(snapshot->fetched);
    free(snapshot->switches);
    free(snapshot);
}
