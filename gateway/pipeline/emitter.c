// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/emitter.h"

#include "model/catalogue.h"

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
        if (++e->uncommitted >= (e->in_sweep ? EMITTER_SWEEP_MAX : EMITTER_BATCH_MAX))
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
