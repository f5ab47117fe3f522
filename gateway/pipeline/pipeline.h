// From report, sweep or counter reading to journal, in one thread: event -> policy -> journal ->
// answer to the subnet manager. What waits together is committed together; nobody is answered
// before the commit. The receivers read behind the journal.
#ifndef IBTRAPD_PIPELINE_PIPELINE_H
#define IBTRAPD_PIPELINE_PIPELINE_H

#include "event/test_event.h"
#include "ib/sa_client.h"
#include "journal/journal.h"
#include "pipeline/correlator.h"
#include "pipeline/event_counts.h"
#include "policy/policy.h"

enum {
    PIPELINE_QUEUE_MAX =
        65536,                // reports that wait at most: a new master sends one per port at once
    PIPELINE_BATCH_MAX = 512, // of them in one commit
    PIPELINE_OTHERS_MAX = 1024, // places for other things beside these: nobody sends them again
    PIPELINE_CALLS_MAX = 16,    // of these for calls: so many threads may call at once
};

struct pipeline_counters {
    uint64_t events;   // made
    uint64_t repeated; // reports answered again without a new event
    size_t queued;     // items that wait; for reports there is room below PIPELINE_QUEUE_MAX
    struct policy_counters policy;
};

// Which events go to the receivers, where two gateways share a subnet.
enum pipeline_role {
    PIPELINE_ACTIVE,  // all
    PIPELINE_STANDBY, // those about this gateway itself; the others are journalled, and suppressed
    PIPELINE_UNKNOWN, // as standby; what a sweep found waits for the next one
};

struct pipeline_options {
    struct event_builder builder;
    struct journal *journal;   // the pipeline is its writer; outlives the pipeline
    struct topology *topology; // likewise
    struct thresholds *thresholds;
    struct policy_options policy;
    // The role now, or as a sweep's result tells (otherwise `fabric` is NULL). Pipeline's thread.
    // NULL: active.
    enum pipeline_role (*role)(void *ctx, const struct fabric *fabric);
    // A notice tells that the fabric changed: look at it. Pipeline's thread. NULL: nobody looks.
    void (*request_sweep)(void *ctx);
    // The level of GswEventSeverity up to which events of that switch are sent as gswEventTrap.
    // Pipeline's thread. NULL: none is.
    enum event_level (*event_trap_level)(void *ctx, uint64_t switch_guid);
    // Answers a report; called in the pipeline's thread after the commit.
    void (*acknowledge)(void *ctx, const struct sa_report *report);
    void *ctx;
    struct log *log; // of what is lost
};

struct pipeline;

// Starts the thread. NULL with a sentence when memory or threads are short.
struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err);

// Takes over a report made with malloc; false when there is no room. Any thread; never waits.
bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report);

// Makes an event of the occurrence. Any thread; never waits. When memory or room is short, the
// event is lost, and the log says so. After the stop, and while `pipeline` is still NULL, nothing
// happens.
void pipeline_put_occurrence(struct pipeline *pipeline,
                             const struct event_builder_occurrence *occurrence,
                             uint64_t subnet_prefix);

// Makes an event of the sample. False: no memory, or no room. Any thread; never waits.
bool pipeline_put_test_event(struct pipeline *pipeline, const struct test_event *test);

// Both take over what they get, whatever becomes of it. A sweep's result that finds no room is
// dropped: the next one tells the same. Any thread; never waits.
void pipeline_put_fabric(struct pipeline *pipeline, struct fabric *fabric);
void pipeline_put_counters(struct pipeline *pipeline, struct counter_reading *reading);

// What belongs to the pipeline's thread.
struct pipeline_context {
    struct event_builder *builder;
    struct policy *policy;
    int64_t now_us; // policy's clock
    void (*take)(void *pipeline,
                 struct event *event); // as if it had happened; takes over the event
    void *pipeline;
};

// Runs `call` in the pipeline's thread and waits for its end. There is always room for it. False
// after the stop: it did not run. Not in the pipeline's thread.
bool pipeline_call(struct pipeline *pipeline,
                   void (*call)(void *ctx, const struct pipeline_context *inside), void *ctx);

// Handles what is queued, tells what policy_end has to say, and ends the thread. What is put from
// then on is refused.
void pipeline_stop(struct pipeline *pipeline);
void pipeline_free(struct pipeline *pipeline); // a stopped one; NULL is allowed

// Grows while the pipeline makes progress, even if there is nothing to do: then twice a second. Any
// thread.
uint64_t pipeline_progress(struct pipeline *pipeline);

void pipeline_get_counters(struct pipeline *pipeline, struct pipeline_counters *out); // any thread

// What the counters have come to: a reference, the caller's. NULL: nothing was read yet. Any
// thread.
struct accumulated_counters *pipeline_accumulated(struct pipeline *pipeline);

// Any thread may read them while the pipeline lives.
const struct event_counts *pipeline_event_counts(const struct pipeline *pipeline);

#endif
