// SPDX-License-Identifier: BSD-2-Clause
// Makes Reports, sweeps and counter readings into committed events: event -> policy -> journal ->
// answer to the subnet manager. Reports that wait together are committed together, and answered
// after the commit. The receivers read the events from the journal.
//
// Two threads take turns: the leader makes events, while the other thread commits the events of
// before. "The pipeline's thread" is the leader.
// Decides: When is a Report acknowledged?
#pragma once

#include "event/test_event.h"
#include "ib/sa_client.h"
#include "journal/journal.h"
#include "pipeline/correlator.h"
#include "pipeline/emitter.h"
#include "policy/policy.h"
#include "topology/link_history.h"

enum {
    PIPELINE_QUEUE_MAX =
        65536, // Reports that may wait: a new master SM sends a Report for each port
    PIPELINE_BATCH_MAX = EMITTER_BATCH_MAX, // Reports in one commit
    PIPELINE_OTHERS_MAX = 1024, // further places, not for Reports: all other items are sent once
    PIPELINE_CALLS_MAX = 16,    // part of these, for calls only: so many threads may call at once
};

struct pipeline_counters {
    uint64_t events;   // made
    uint64_t repeated; // Reports answered again without a new event
    size_t queued;     // items that wait; below PIPELINE_QUEUE_MAX there is room for Reports
    struct policy_counters policy;
    struct correlator_unwatched unwatched;
};

// Which events receivers get from this gateway, if two gateways share a subnet.
enum pipeline_role {
    PIPELINE_ACTIVE,  // all
    PIPELINE_STANDBY, // events about this gateway; the others are suppressed as standby
    PIPELINE_UNKNOWN, // the sweep that left the role unknown is dropped
};

struct pipeline_options {
    struct event_builder builder;
    struct journal *journal;              // the pipeline is its writer; outlives the pipeline
    struct topology *topology;            // outlives the pipeline, too
    struct correlator_options correlator; // the pipeline sets `emitter` and `ctx`
    struct link_history *link_history;    // NULL: none
    struct policy_options policy;
    // The present role; `fabric`, unless NULL, is a sweep's result to decide by. Pipeline's thread.
    // A NULL function: active.
    enum pipeline_role (*role)(void *ctx, const struct fabric *fabric);
    // Asks for a sweep, as a Notice says that the fabric changed. Pipeline's thread. May be NULL.
    void (*request_sweep)(void *ctx);
    // The level of GswEventSeverity up to which events of that switch are sent as gswEventTrap.
    // Pipeline's thread. A NULL function: no event is sent.
    enum event_level (*event_trap_level)(void *ctx, uint64_t switch_guid);
    // The journal, unreadable at the start, has been read: policy and counters have the alarms,
    // policy the windows. Pipeline's thread. May be NULL.
    void (*read_late)(void *ctx);
    // Answers a Report. Called after the commit, in the thread that committed; both threads may
    // call the function at the same time.
    void (*acknowledge)(void *ctx, const struct sa_report *report);
    void *ctx;
    struct log *log;
};

struct pipeline;

// Starts the thread. NULL with a sentence when threads are short.
struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err);

// Takes over a Report made with malloc. Returns false if there is no room: the Report
// stays the caller's. Any thread; never waits.
bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report);

// Makes an event of the occurrence. Any thread; never waits. When room is short, the
// event is lost, and the log says so. After the stop, and while `pipeline` is still NULL, nothing
// happens.
void pipeline_put_occurrence(struct pipeline *pipeline,
                             const struct event_builder_occurrence *occurrence,
                             uint64_t subnet_prefix);

// Makes a test event. False: there is no room. Any thread; never waits.
bool pipeline_put_test_event(struct pipeline *pipeline, const struct test_event *test);

// Both take over their argument in any case. Without room the argument is dropped: the next sweep
// or reading shows the same. Any thread; never waits.
void pipeline_put_fabric(struct pipeline *pipeline, struct fabric *fabric);
void pipeline_put_counters(struct pipeline *pipeline, struct counter_reading *reading);

// Takes over its argument, made with malloc: why links went down that the next snapshot lacks, or
// an answer that came later. Without room, the alarms about these links are told without reasons.
void pipeline_put_reasons(struct pipeline *pipeline, struct link_reasons *list);

// Takes over its argument, made with malloc: what devices tell of themselves and their modules.
void pipeline_put_registers(struct pipeline *pipeline, struct device_readings *readings);

// The parts that only the pipeline's thread may use.
struct pipeline_context {
    struct event_builder *builder;
    struct policy *policy;
    struct emitter *emitter;
    int64_t now_us; // policy's clock
    struct correlator *correlator;
};

// Runs `call` in the pipeline's thread, and waits for the end of `call`. There is always room for a
// call. Returns false after the stop: `call` did not run. Any thread but the pipeline's.
bool pipeline_call(struct pipeline *pipeline,
                   void (*call)(void *ctx, const struct pipeline_context *inside), void *ctx);

// Handles all queued items and the events of policy_end, and ends the threads. Refuses further
// items. False: a thread hangs in the journal; the pipeline lives on with this thread then.
bool pipeline_stop(struct pipeline *pipeline);
void pipeline_free(struct pipeline *pipeline); // a stopped one; NULL is allowed

// Grows while the pipeline makes progress, even if there is nothing to do: then twice a second. Any
// thread.
uint64_t pipeline_progress(struct pipeline *pipeline);

// Whether this gateway notifies receivers now. NULL, a pipeline that does not run yet: false. Any
// thread.
bool pipeline_is_active(const struct pipeline *pipeline);

void pipeline_get_counters(struct pipeline *pipeline, struct pipeline_counters *out); // any thread

// For the functions of the correlator that any thread may call, while the pipeline lives.
struct correlator *pipeline_correlator(const struct pipeline *pipeline);

// Any thread may read them while the pipeline lives.
const struct event_counts *pipeline_event_counts(const struct pipeline *pipeline);
