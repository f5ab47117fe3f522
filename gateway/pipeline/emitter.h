// SPDX-License-Identifier: BSD-2-Clause
// Gives events to policy, and writes what policy returns to the journal. The parts of the pipeline
// share the emitter. Pipeline's thread.
#pragma once

#include "event/event_builder.h"
#include "journal/journal.h"
#include "model/catalogue.h"
#include "model/event.h"
#include "policy/policy.h"
#include "topology/topology.h"

#include <stdatomic.h>

enum {
    EMITTER_BATCH_MAX = 512, // Reports in one commit
    // Events in one commit. A full batch has room for one more event a Report: the emitter must not
    // commit by itself, and wait for the disk, while another thread could commit the batch.
    EMITTER_EVENTS_MAX = 2 * EMITTER_BATCH_MAX,
    // Events of one sweep in one commit, together with its snapshot: what the journal's memory
    // holds beside a batch. A sweep with more is found again, in part, after a crash.
    EMITTER_SWEEP_MAX = JOURNAL_MEMORY_MAX - EMITTER_EVENTS_MAX,
};

struct emitter {
    struct event_builder builder; // has the latest subnet prefix
    struct policy *policy;
    struct journal *journal;
    struct topology *topology;
    struct log *log;
    void (*look)(void *ctx, struct event *event); // at each event, before the journal has the event
    void *ctx;
    bool active;        // this gateway notifies receivers
    bool in_sweep;      // a sweep's changes, and its snapshot, are appended now
    size_t uncommitted; // events since the last commit
};

// Takes over the reference. `report`: the Report that the event was made from; NULL: none. Commits
// after EMITTER_EVENTS_MAX events, as one item can cause far more events; the events of a sweep
// wait for the sweep's snapshot, up to EMITTER_SWEEP_MAX events.
void emitter_emit(struct emitter *emitter, struct event *event);
void emitter_emit_report(struct emitter *emitter, struct event *event,
                         const struct journal_report *report);

// Ends the alarm with that key by an event alarm-cleared. Policy may have had no room for
// the alarm. `type`: of the event that raised the alarm; NULL: unknown.
void emitter_end_alarm(struct emitter *emitter, const char *key, const struct catalogue_entry *type,
                       const char *reason);

// Does the work that policy has due by `now_us`, on policy's clock.
void emitter_work(struct emitter *emitter, int64_t now_us);

void emitter_commit(struct emitter *emitter);

// Restores policy from the journal: maintenance windows and open alarms. Call it before the first
// event, or when the journal was read late: then the journal has the alarms of this run, too.
void emitter_restore(const struct emitter *emitter);

// Restores active alarms for which policy had no room, as far as there is room now.
void emitter_restore_left_out(const struct emitter *emitter);

int64_t emitter_now(const struct emitter *emitter); // policy's clock

// Counts events by kind and severity, all test events together, and suppressed events by reason.
// One thread adds, any thread reads.

enum {
    EVENT_COUNTS_SEVERITIES = SEVERITY_DEBUG + 1,
    EVENT_COUNTS_LINK_REASONS = 64, // model/link_reason.h
};

// Zero-initialised.
struct event_counts {
    atomic_uint_fast64_t events[CATALOGUE_COUNT][EVENT_COUNTS_SEVERITIES];
    atomic_uint_fast64_t lost_links[EVENT_COUNTS_LINK_REASONS]; // by local_reason; 0: by another
    atomic_uint_fast64_t tests; // test events of all kinds; `events` has none of them
    atomic_uint_fast64_t reasons[POLICY_REASON_COUNT]; // POLICY_PASSES counts nothing
};

void event_counts_add(struct event_counts *counts, const struct event *event);
