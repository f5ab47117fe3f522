// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

struct snapshot_alarms {
    struct snapshot_alarm *alarms;
    size_t count, room;
    int64_t now_us;
};

enum { TEXTS = 5 };

// Copies all texts of an alarm into one allocation: most texts are far shorter than their limits.
static void snapshot_alarms_copy_texts(struct snapshot_alarm *out, const struct alarm *alarm)
{
    const char *texts[TEXTS] = {alarm->key, alarm->event_id, alarm->type, alarm->text, alarm->note};
    const char **places[TEXTS] = {&out->key, &out->event_id, &out->type, &out->text, &out->note};
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++)
        size += strlen(texts[i]) + 1;
    char *to = memory_get(size);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t length = strlen(texts[i]) + 1;
        *places[i] = memcpy(to, texts[i], length);
        to += length;
    }
}

static struct snapshot_alarm *snapshot_alarms_add(struct snapshot_alarms *alarms)
{
    MEMORY_MAKE_ROOM(alarms->alarms, alarms->count, alarms->room);
    return &alarms->alarms[alarms->count];
}

static void snapshot_alarms_copy(void *ctx, const struct alarm *alarm)
{
    struct snapshot_alarms *alarms = ctx;
    struct snapshot_alarm *out = snapshot_alarms_add(alarms);
    snapshot_alarms_copy_texts(out, alarm);
    out->number = event_number(alarm->event_sequence);
    out->sequence = alarm->event_sequence;
    out->severity = alarm->severity;
    out->node_guid = alarm->node_guid;
    out->count = alarm->count;
    out->raised_us = alarm->raised_us;
    out->last_us = alarm->last_us;
    out->acknowledged = alarm->acknowledged_us != 0;
    out->shelved = alarm->shelved_until_us > alarms->now_us;
    alarms->count++;
}

static int snapshot_alarms_compare(const void *a, const void *b)
{
    const struct snapshot_alarm *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static struct snapshot_alarms *snapshot_alarms_take(struct journal *journal, int64_t now_us)
{
    struct snapshot_alarms *alarms = memory_zeroed(1, sizeof *alarms);
    alarms->now_us = now_us;
    journal_each_alarm_after(journal, 0, SNAPSHOT_ALARMS_MAX, snapshot_alarms_copy, alarms);
    if (alarms->count > 0)
        qsort(alarms->alarms, alarms->count, sizeof *alarms->alarms, snapshot_alarms_compare);
    return alarms;
}

void snapshot_alarms_free(struct snapshot_alarms *alarms)
{
    if (!alarms)
        return;
    for (size_t i = 0; i < alarms->count; i++)
        free((char *)alarms->alarms[i].key); // the allocation begins with the key
    free(alarms->alarms);
    free(alarms);
}

size_t snapshot_alarms_count(const struct snapshot_alarms *alarms)
{
    return alarms->count;
}

const struct snapshot_alarm *snapshot_alarms_at(const struct snapshot_alarms *alarms, size_t at)
{
    return &alarms->alarms[at];
}

const struct snapshot_alarms *snapshot_alarms_of(struct agent_snapshot *snapshot)
{
    if (!snapshot->alarms)
        snapshot->alarms = snapshot_alarms_take(snapshot->source->journal, snapshot->time_us);
    return snapshot->alarms;
}
