// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/emitter.h"

#include "model/catalogue.h"
#include "topology/alarm_key.h"

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

// The master subnet manager's silence.

// Names the alarm about the silence as the root cause, if the event's alarm follows from it. If the
// journal cannot read the alarm's event yet, both are about one subnet manager.
static void emitter_blame_sm(const struct emitter *e, struct event *event)
{
    struct policy_alarm silence;
    if (!event->type->follows_sm || event->test || event->cause_id[0] != '\0' ||
        !policy_find_alarm_of(e->policy, catalogue_get(CATALOGUE_SM_UNREACHABLE), &silence))
        return;
    struct event *about = journal_find(e->journal, silence.last_number);
    if (!about || event->sm_guid == 0 || event->sm_guid == about->sm_guid)
        snprintf(event->cause_id, sizeof event->cause_id, "%s", silence.event_id);
    event_unref(about);
}

// A sweep may have missed the subnet manager before its silence was noticed.
static void emitter_blame_sm_late(const struct emitter *e, const struct event *silence,
                                  int64_t now_us)
{
    const struct alarm_key sm = {.kind = ALARM_KEY_SM, .guid = silence->sm_guid};
    struct policy_alarm vanished;
    char key[EVENT_KEY_SIZE];
    if (silence->test || silence->type != catalogue_get(CATALOGUE_SM_UNREACHABLE))
        return;
    alarm_key_write(key, &sm);
    if (policy_find_alarm(e->policy, key, &vanished) && !vanished.cause_key)
        policy_set_cause(e->policy, key, silence->alarm_key, now_us);
}

void emitter_emit_report(struct emitter *emitter, struct event *event,
                         const struct journal_report *report)
{
    const int64_t now = emitter_now(emitter);
    topology_add_other_names(emitter->topology, event);
    log_debug(emitter->log, "event %s %s made: %s%s", event->id, event->type->name, event->text,
              emitter->active ? "" : "; this gateway is not active");
    emitter_work(emitter, now);
    emitter_blame_sm(emitter, event);
    policy_process(emitter->policy, event, now);
    emitter_drain(emitter, now, event, report);
    emitter_blame_sm_late(emitter, event, now);
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
    journal_each_alarm(emitter->journal, JOURNAL_OPEN_ALARMS, restore_alarm, &r);
}

void emitter_restore_left_out(const struct emitter *emitter)
{
    struct restore r = {.policy = emitter->policy,
                        .utc = clock_utc(emitter->builder.clock),
                        .monotonic = emitter_now(emitter),
                        .unknown = true};
    if (policy_left_out_alarms(emitter->policy))
        journal_each_alarm(emitter->journal, JOURNAL_ACTIVE_ALARMS, restore_alarm, &r);
}

void event_counts_add(struct event_counts *counts, const struct event *event)
{
    size_t kind = (size_t)(event->type - catalogue_get(0));
    atomic_fetch_add(event->test ? &counts->tests : &counts->events[kind][event->severity], 1);
    if (event->link_cause[0] != '\0' && !event->test && !event->retold) {
        const unsigned told = event->local_reason > 1 ? event->local_reason : event->remote_reason;
        atomic_fetch_add(&counts->lost_links[told < EVENT_COUNTS_LINK_REASONS ? told : 0], 1);
    }
    if (event->suppressed[0] != '\0')
        atomic_fetch_add(&counts->reasons[policy_reason_find(event->suppressed)], 1);
}
