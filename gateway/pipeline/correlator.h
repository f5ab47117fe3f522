// SPDX-License-Identifier: BSD-2-Clause
// Makes events from the results of sweeps and from counter readings, and accumulates the counters.
// The pipeline's thread only, but for the functions that any thread may call.
//
// Decides: How long does an alarm about some adapters of a host wait for the others?
#pragma once

#include "model/link_reason.h"
#include "pipeline/emitter.h"
#include "pipeline/inactive_links.h"
#include "pipeline/seen_notices.h"
#include "topology/accumulated.h"
#include "topology/devices.h"
#include "topology/expectation.h"
#include "topology/measured_errors.h"

// How long after a sweep that found nodes waiting the next sweep looks: a subnet manager sends no
// trap when it makes a port ACTIVE.
#define CORRELATOR_LOOK_US (INT64_C(5) * 1000000)

// What is not read. No alarm stands that only this would end.
struct correlator_sources {
    bool no_sweeps; // nothing is swept or read
    bool no_counters, no_registers;
};

// How long an alarm about some adapters of a host waits for the others, which may follow.
#define CORRELATOR_GROW_US (INT64_C(5) * 1000000)

struct correlator_options {
    struct emitter *emitter;
    struct counter_watch *watch;
    // Asks for an early reading of these switches' counters (pipeline/interruptions.h). May be
    // NULL.
    void (*read_counters)(void *ctx, const uint64_t *switches, size_t count);
    // Asks these ports why their links went down. Returns for how long an event waits for the
    // answer, which comes as correlator_take_reasons; 0: nobody is asked. May be NULL.
    int64_t (*ask_reasons)(void *ctx, const struct link_reasons *ports);
    void *ctx;
    int64_t age_us; // age at which alarms about missing things end; 0: never
    struct inactive_links_limits inactive;
    struct correlator_sources sources;
    struct devices *devices; // outlives the correlator
    // The expected topology, a reference that the correlator takes over; NULL: none.
    struct expectation *expectation;
};

struct correlator;

struct correlator *correlator_new(const struct correlator_options *options);
void correlator_free(struct correlator *correlator); // NULL is allowed

// Changes options.age_us and options.inactive, from the next sweep on.
void correlator_change_limits(struct correlator *correlator, int64_t age_us,
                              const struct inactive_links_limits *inactive);

// Changes options.sources, and ends the alarms without a source. Drops snapshots and readings that
// arrive late.
void correlator_change_sources(struct correlator *correlator,
                               const struct correlator_sources *sources);

// Changes options.expectation, and takes over the reference. If the fabric is known, makes the
// alarms agree with the expectation at once. NULL ends these alarms, also if the fabric is not
// known.
void correlator_change_expectation(struct correlator *correlator, struct expectation *expectation);

// Ends the alarms about an expected topology, if no topology is expected any more, and the
// alarms without a source: perhaps no sweep comes. Call it once policy has the alarms of the
// journal.
void correlator_end_unseen(struct correlator *correlator);

// Remembers an event that was made from a Notice about a change of the fabric: traps 64, 65, 128,
// 144 and 145. Returns false for other events. After true, a sweep can find the change. Marks the
// traps 64, 65 and 128 as events that await the sweep: what the sweep finds says more.
bool correlator_note_event(struct correlator *correlator, struct event *event);

// Notes the number of the event noted last, which the journal has now. The next sweep that begins
// later tells of the trap, or of a change that explains the trap.
void correlator_note_number(struct correlator *correlator, const struct event *event);

// Takes up the traps that waited for a sweep when the gateway was killed (held_traps.h), once the
// journal can be read.
void correlator_restore_held(struct correlator *correlator);

// Tells of the traps that no sweep explained in their time, and of the interrupted links that no
// end explained; `all`: of all that wait.
void correlator_tell_held(struct correlator *correlator, bool all);

// Makes events from a sweep's result, takes over the reference, and makes the alarms agree with the
// result (reconcile.h). Returns whether something changed since the last sweep.
bool correlator_take_snapshot(struct correlator *correlator, struct fabric *seen);

// Whether nodes wait (topology_waits_until), and a sweep should look. True once.
bool correlator_wants_sweep(struct correlator *correlator);

void correlator_take_reading(struct correlator *correlator, const struct counter_reading *reading);

// Counts since the start: there was no room for an alarm.
struct correlator_unwatched {
    uint64_t errors; // times that an error counter grew (counter_watch_overflowed)
    uint64_t waits;  // times that a port had to wait (the same)
};

void correlator_get_unwatched(struct correlator *correlator,
                              struct correlator_unwatched *out); // any thread

// Keeps why links went down, for the changes of the next snapshot, and adds late answers to the
// alarms (down_reasons.h).
void correlator_take_reasons(struct correlator *correlator, const struct link_reasons *list);

// Makes events of what devices tell of themselves and their modules (device_alarms.h).
void correlator_take_registers(struct correlator *correlator,
                               const struct device_readings *readings);

// The accumulated counters after the last reading: a reference, the caller's. NULL: there was no
// reading yet. Any thread.
struct accumulated_counters *correlator_accumulated(struct correlator *correlator);

// The error rates after the last reading: a reference, the caller's. NULL: there was no reading
// yet. Any thread.
struct measured_errors *correlator_measured_errors(struct correlator *correlator);

// The expectation in force: a reference, the caller's. NULL: there is none. Any thread.
struct expectation *correlator_expectation(struct correlator *correlator);
