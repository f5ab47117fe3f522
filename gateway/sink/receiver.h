// SPDX-License-Identifier: BSD-2-Clause
// A running receiver: a thread that reads the journal from the receiver's cursor and passes each
// event to its sink, in order, at the configured rate, until the receiver has it. A slow or dead
// receiver, or one whose name does not resolve, delays neither other receivers nor the journal.
#ifndef IBTRAPD_SINK_RECEIVER_H
#define IBTRAPD_SINK_RECEIVER_H

#include "base/clock.h"
#include "base/histogram.h"
#include "base/log.h"
#include "base/random.h"
#include "base/turns.h"
#include "journal/journal.h"
#include "model/filter.h"
#include "sink/outcomes.h"
#include "sink/sink.h"

enum {
    RECEIVER_ATTEMPTS_MAX = 5, // an event that the receiver refused as often is given up
};

// How long a receiver that stops waits for the confirmations of the events in flight.
#define RECEIVER_CONFIRM_US (5 * CLOCK_US_PER_S)

enum receiver_change { RECEIVER_FAILING, RECEIVER_BACK };

// What a receiver's successor, such as a changed one after a reload, takes over from it.
struct receiver_carried {
    bool paused;
    int64_t flush_through; // events up to this number are given up
};

struct receiver_options {
    struct filter filter;
    double rate;        // events/s; 0: no limit
    unsigned burst;     // events that may be sent at once after a pause
    int64_t age_max_us; // events older than this are given up; 0: none is
    bool was_failing;   // the alarm of its predecessor is still active
    bool backlog;       // if it was gone, it goes on where it stopped
    int64_t section;    // for journal_note_section; 0: none
    struct receiver_carried carried;

    // Called in the receiver's thread when it fails, and when it works again.
    void (*change)(void *ctx, const char *receiver, enum receiver_change change, const char *reason,
                   uint64_t dropped);
    void *ctx;
    struct journal *journal;
    struct turns *turns; // with the processors; NULL: it runs when it likes
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

struct receiver_status {
    // Events that it has: confirmed, or sent if it confirms nothing; events; failed attempts; given
    // up or expired.
    uint64_t sent, filtered, failed, dropped;
    uint64_t refused; // of those dropped: the receiver refused them
    bool confirms;
    uint64_t handed,
        repeated; // events passed to the sink, each counted once; further attempts
    int64_t changed_at,
        delivered_at;    // monotonic: when `untried` or `problem` changed; when an event was
                         // delivered; 0: never
    int64_t cursor, lag; // lag: events that it does not have yet
    int64_t oldest_us;   // UTC: when the oldest of these happened; 0: there are none
    bool paused;
    bool untried;      // it has taken no event yet, and no attempt failed: nobody knows it works
    unsigned failures; // in a row
    char problem[512]; // why the last attempt failed; empty: all is well
};

struct receiver;

// Starts the thread. Copies the sink, and frees it at the end. Takes a reference to the filter's
// trap group. Returns NULL with a sentence if there are too many receivers or threads; the sink
// then stays the caller's.
struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err);

// Asks the thread to end when every event is delivered, or at `stop_by` (monotonic microseconds).
// By then it sends no further event. If it works, it waits RECEIVER_CONFIRM_US more for the
// confirmations of those in flight, as its successor would send them again. Events not delivered
// stay in the journal.
void receiver_request_stop(struct receiver *receiver, int64_t stop_by);

// Waits for the thread's end for `patience_us` at most (microseconds); frees nothing. False: as
// receiver_finish. The thread that will call that calls it.
bool receiver_await_end(struct receiver *receiver, int64_t patience_us);

// Waits for the thread's end for `patience_us` at most (microseconds), then frees everything.
// False: the thread is still in a call of the sink, such as a write to a disk that hangs. Then
// nothing is freed, and the options and what the sink uses have to outlive the receiver, which no
// longer moves its cursor nor reports; receiver_finish may be called again. One thread calls it.
bool receiver_finish(struct receiver *receiver, int64_t patience_us);

// Makes the receiver open its files again, as after a logrotate. Any thread.
void receiver_reopen(struct receiver *receiver);

// Replaces the trap group of its filter from the next event on, taking a reference. Any thread.
void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group);

// Pauses or resumes: while paused, events wait in the journal. Any thread.
void receiver_pause(struct receiver *receiver, bool paused);

// Gives up all events that wait now. Any thread.
void receiver_flush(struct receiver *receiver);

// The alarm of its predecessor turned out to be active, as if `was_failing` had been true: the next
// event that it takes ends it. Any thread.
void receiver_recall_failing(struct receiver *receiver);

// What its successor takes over. Any thread.
struct receiver_carried receiver_carried(const struct receiver *receiver);

// The outcome of an event. Any thread.
struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence);

// Why the receiver does not get an event: as audience_refusal, or "a test of another receiver";
// NULL: it gets the event. Any thread.
const char *receiver_refusal(struct receiver *receiver, const struct event *event);

const struct sink *receiver_sink(const struct receiver *receiver);
void receiver_get_status(struct receiver *receiver, struct receiver_status *out); // any thread

// The times from an event to its writing to the receiver's socket or file; each attempt counts. Any
// thread; valid until receiver_finish.
const struct histogram *receiver_times(const struct receiver *receiver);

#endif
