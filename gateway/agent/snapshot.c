// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot.h"

#include <stdlib.h>

// Lists the switches and routers. They ascend by GUID, as the fabric's nodes do. False: out of
// memory.
static bool list_switches(struct agent_snapshot *snapshot)
{
    const struct fabric *fabric = snapshot->fabric;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++)
        snapshot->switch_count += fabric_is_element(fabric->nodes[i].type);
    snapshot->switches = malloc((snapshot->switch_count + 1) * sizeof *snapshot->switches);
    if (!snapshot->switches)
        return false;
    size_t n = 0;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++) {
        if (fabric_is_element(fabric->nodes[i].type))
            snapshot->switches[n++] = i;
    }
    return true;
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
    struct agent_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (!snapshot)
        return NULL;
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
    bool ok = !events || snapshot_events_update(events, source->journal);
    snapshot->events = events;
    if (ok && list_switches(snapshot))
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
    of->was_short = of->was_short || !of->alarms;
    return of->alarms;
}

const struct interface_list *snapshot_interfaces_of(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    if (!of->interfaces)
        of->interfaces =
            interface_list_make(snapshot->fabric, snapshot->numbers, snapshot->source->fabric_of);
    of->was_short = of->was_short || !of->interfaces;
    return of->interfaces;
}

bool snapshot_was_short(const struct agent_snapshot *snapshot)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    const bool was_short = of->was_short || of->sa_away;
    of->was_short = of->sa_away = false;
    return was_short;
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
