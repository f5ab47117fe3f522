// Brings the journal's events to one receiver: in order, paced, again and again until it has them.
// A thread each: a receiver that is slow, dead or cannot be resolved delays nobody else, and never
// the journal.
#ifndef IBTRAPD_SINK_RECEIVER_H
#define IBTRAPD_SINK_RECEIVER_H

#include "base/clock.h"
#include "base/histogram.h"
#include "base/log.h"
#include "base/random.h"
#include "journal/journal.h"
#include "model/filter.h"
#include "sink/sink.h"

enum { RECEIVER_OUTCOMES_MAX = 2048 }; // events whose fate is remembered

// What became of an event at a receiver.
enum receiver_outcome {
    RECEIVER_WAITING, // its turn has not come, or it is not confirmed
    RECEIVER_DELIVERED,
    RECEIVER_FILTERED, // the receiver does not want it
    RECEIVER_GIVEN_UP, // too old, or flushed
    RECEIVER_PASSED,   // its turn is over; too long ago, or before this start: what became of it is
                       // not known
};

struct receiver_event_outcome {
    enum receiver_outcome outcome;
    int64_t time_us; // UTC; 0: not known
};

enum receiver_change { RECEIVER_FAILING, RECEIVER_BACK };

struct receiver_options {
    struct filter filter;
    double rate;        // events/s; 0: as fast as it takes them
    unsigned burst;     // events that may go at once when there was a pause
    int64_t age_max_us; // what is older when its turn comes is given up; 0: nothing is
    bool was_failing;   // its predecessor was, and nobody has told of its end

    // Called in the delivery's thread when the receiver fails and when it works again.
    void (*change)(void *ctx, const char *receiver, enum receiver_change change, const char *reason,
                   uint64_t dropped);
    void *ctx;
    struct journal *journal;
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

struct receiver_status {
    uint64_t sent, filtered, failed, dropped; // events; failed attempts; events given up or gone
    uint64_t handed,
        repeated; // events handed over, each counted once; attempts after an event's first
    int64_t changed_at,
        delivered_at;    // monotonic: when `problem` came or went; the last delivery's; 0: never
    int64_t cursor, lag; // lag: events it does not have yet
    int64_t oldest_us;   // UTC: when the oldest of these happened; 0: there is none
    size_t pending;      // handed over, not acknowledged yet
    bool paused;
    unsigned failures; // in a row
    char problem[512]; // why the last attempt failed; empty: all is well
};

struct receiver;

// Starts the thread. The filter's trap group is kept. The receiver is copied and freed at stop.
// NULL with a sentence when memory or threads are short; the receiver then stays the caller's.
struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err);

// From now on it goes on only until all is delivered, or until `stop_by` (monotonic microseconds).
// What is not delivered then stays in the journal.
void receiver_request_stop(struct receiver *receiver, int64_t stop_by);

// Waits for the thread's end, then frees everything.
void receiver_finish(struct receiver *receiver);

// Makes the receiver open its files again, as after a logrotate. Any thread.
void receiver_reopen(struct receiver *receiver);

// Another trap group of its filter, which it keeps a reference to, from the next event on. Any
// thread.
void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group);

// While paused nothing is handed over; events wait in the journal. Any thread.
void receiver_pause(struct receiver *receiver, bool paused);

// Gives up everything that waits now. Any thread.
void receiver_flush(struct receiver *receiver);

// Any thread. "waiting", "delivered" and so on are the words for it.
struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence);
const char *receiver_outcome_word(enum receiver_outcome outcome);

// Why the receiver does not get an event: "suppressed", "a test of another receiver", or the item
// of its section that the event does not pass. NULL: it gets it. Any thread.
const char *receiver_refusal(struct receiver *receiver, const struct event *event);

const struct sink *receiver_sink(const struct receiver *receiver);
void receiver_get_status(struct receiver *receiver, struct receiver_status *out); // any thread

// From an event's time to its being handed to the receiver's socket or file; one that is handed
// over again counts again. Any thread, until receiver_finish.
const struct histogram *receiver_times(const struct receiver *receiver);

#endif
