// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/emitter.h"

#include "model/catalogue.h"

#include <stdio.h>
#include <string.h>

int64_t emitter_now(const struct emitter *emitter)
{
    return clock_monotonic(emitter->builder.clock);
}

void emitter_commit(struct emitter *emitter)
{
    journal_commit(emitter->journal);
    emitter->uncommitted = 0;
}

// Writes what policy returns to the journal. `given`: the event that was made from `report`.
static void emitter_drain(struct emitter *e, int64_t now_us, const struct event *given,
                          const struct journal_report *report)
{
    static const struct journal_report NONE;
    struct event *event;
    while ((event = policy_next(e->policy, now_us)) != NULL) {
        e->look(e->ctx, event);
        journal_append(e->journal, event, event == given && report ? report : &NONE);
        if (++e->uncommitted >= (e->in_sweep ? EMITTER_SWEEP_MAX : EMITTER_EVENTS_MAX))
            emitter_commit(e);
    }
}

void emitter_work(struct emitter *emitter, int64_t now_us)
{
    emitter_drain(emitter, now_us, NULL, NULL);
}

void emitter_emit_report(struct emitter *emitter, struct event *event,
                         const struct journal_report *report)
{
    const int64_t now = emitter_now(emitter);
    topology_add_other_names(emitter->topology, event);
    log_debug(emitter->log, "event %s %s made: %s%s", event->id, event->type->name, event->text,
              emitter->active ? "" : "; this gateway is not active");
    emitter_work(emitter, now);
    policy_process(emitter->policy, event, now);
    emitter_drain(emitter, now, event, report);
    event_unref(event);
}

void emitter_emit(struct emitter *emitter, struct event *event)
{
    emitter_emit_report(emitter, event, NULL);
}

void emitter_end_alarm(struct emitter *emitter, const char *key, const struct catalogue_entry *type,
                       const char *reason)
{
    const int64_t now = emitter_now(emitter);
    emitter_work(emitter, now);
    if (policy_clear_alarm(emitter->policy, key, reason, now))
        emitter_work(emitter, now);
    else
        emitter_emit(emitter, event_builder_end_of_alarm(&emitter->builder, key, type, reason));
}

// Restoring.

struct restore {
    struct policy *policy;
    int64_t utc, monotonic; // now
    bool unknown;           // only alarms that policy does not know
};

static void restore_window(void *ctx, const struct maintenance_window *window)
{
    const struct restore *r = ctx;
    struct maintenance_window monotonic = *window;
    monotonic.until_us += r->monotonic - r->utc;
    if (window->until_us > r->utc)
        policy_start_maintenance(r->policy, &monotonic, r->monotonic);
}

static void restore_alarm(void *ctx, const struct alarm *alarm)
{
    const struct restore *r = ctx;
    if (!r->unknown || !policy_is_raised(r->policy, alarm->key))
        policy_restore_alarm(r->policy, alarm, r->utc, r->monotonic);
}

void emitter_restore(const struct emitter *emitter)
{
    struct restore r = {.policy = emitter->policy,
                        .utc = clock_utc(emitter->builder.clock),
                        .monotonic = emitter_now(emitter)};
    journal_each_maintenance(emitter->journal, restore_window, &r);
    journal_each_open_alarm(emitter->journal, restore_alarm, &r);
}

void emitter_restore_left_out(const struct emitter *emitter)
{
    struct restore r = {.policy = emitter->policy,
                        .utc = clock_utc(emitter->builder.clock),
                        .monotonic = emitter_now(emitter),
                        .unknown = true};
    if (policy_left_out_alarms(emitter->policy))
        journal_each_alarm(emitter->journal, restore_alarm, &r);
}

void event_counts_add(struct event_counts *counts, const struct event *event)
{
    size_t kind = (size_t)(event->type - catalogue_get(0));
    atomic_fetch_add(event->test ? &counts->tests : &counts->events[kind][event->severity], 1);
    if (event->suppressed[0] != '\0')
        atomic_fetch_add(&counts->reasons[policy_reason_find(event->suppressed)], 1);
}
