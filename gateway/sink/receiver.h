// SPDX-License-Identifier: BSD-2-Clause
// A running receiver: a thread that reads the journal from the receiver's cursor and passes each
// event to the sink, in order and at the configured rate, until the receiver has the event. A
// receiver that is slow, dead or unresolvable delays no other receiver, and not the journal.
//
// Decides: When is a receiver failing, and when does a receiver work again?
// Decides: When does ibtrapd give up an event?
// Decides: Which events does a receiver get a second time, marked as sent again?
#pragma once

#include "base/clock.h"
#include "base/histogram.h"
#include "base/log.h"
#include "base/random.h"
#include "base/turns.h"
#include "journal/journal.h"
#include "model/filter.h"
#include "sink/sink.h"

enum {
    RECEIVER_REFUSALS = 4, // refusals of an event, after which other events are tried before it
    RECEIVER_REASON_SIZE = 256,
    RECEIVER_RESYNC_KEYS = 65536, // alarms, of each of which the last end is sent again
};

// How long a receiver that stops waits for the answers to the events in flight.
#define RECEIVER_CONFIRM_US (5 * CLOCK_US_PER_S)

// RECEIVER_REFUSES: the receiver refused events that were given up; others pass.
enum receiver_change { RECEIVER_FAILING, RECEIVER_BACK, RECEIVER_REFUSES };

// The state that the successor of a receiver takes over, for instance after a reload.
struct receiver_carried {
    bool paused;
    int64_t flush_through; // events up to this number are given up
};

struct receiver_options {
    struct filter filter;
    double rate;        // events/s; 0: no limit
    unsigned burst;     // events that may be sent at once after a pause
    int64_t age_max_us; // events older than this are given up as by a flush; 0: none is
    bool was_failing;   // the predecessor's alarm is still active
    bool backlog;       // the receiver was gone, and begins at its old cursor
    // For journal_note_section; 0: none. Less than 0: the receiver is not in line. The thread then
    // sends the last ends of alarms, and the active alarms again, marked, if the filter passes
    // them, before the receiver goes on, and notes the negated number. No end comes of an alarm of
    // which the receiver heard something later. Without JOURNAL_ALL_ENDS the ends are those that
    // the receiver missed while the receiver was gone. journal_ask_line lets a running receiver do
    // the same with all ends.
    int64_t section;
    struct receiver_carried carried;

    // The receiver's thread calls this when the receiver fails, when the receiver works again, and
    // every ten minutes at most when an event is given up that the receiver refused; `dropped` is
    // then the number of such events.
    void (*change)(void *ctx, const char *receiver, enum receiver_change change, const char *reason,
                   uint64_t dropped);
    void *ctx;
    struct journal *journal;
    struct turns *turns; // with the processors; NULL: without turns
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

struct receiver_status {
    // Events that the receiver has: confirmed, or sent to a receiver that confirms nothing. Events
    // that the filter refused. Failed attempts. Events that were given up or have expired.
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
    bool hurried;      // receiver_hurry asked for an attempt that has not ended
    bool untried;      // it has taken no event yet, and no attempt failed: nobody knows it works
    unsigned failures; // in a row
    char problem[512]; // why the last attempt failed; empty: all is well
};

// For `ibtrapctl explain`.
struct receiver_event_outcome {
    enum receiver_outcome outcome;
    int64_t time_us; // UTC; 0: not known
    // The reason, if the event was given up after refusals and is among the latest of these; else
    // empty.
    char reason[RECEIVER_REASON_SIZE];
};

struct receiver;

// Starts the thread. Copies the sink, and frees the sink at the end. Takes a reference to the
// filter's trap group. Returns NULL with a sentence if there are too many receivers or threads; the
// sink then stays the caller's.
struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err);

// Asks the thread to end when all events are delivered, or at `stop_by` (monotonic microseconds).
// After `stop_by` the thread sends no further event. A receiver that works waits
// RECEIVER_CONFIRM_US longer for the answers to the events in flight, because the successor would
// send these events again. Events that are not delivered stay in the journal.
void receiver_request_stop(struct receiver *receiver, int64_t stop_by);

// Waits for the thread's end for `patience_us` at most (microseconds), and frees nothing. Returns
// false as receiver_finish does. Call this only from the thread that will call receiver_finish.
bool receiver_await_end(struct receiver *receiver, int64_t patience_us);

// Waits for the thread's end for `patience_us` at most (microseconds), then frees everything.
// Returns false if the thread is still in a call of the sink, such as a write to a disk that hangs.
// Then nothing is freed, and the options and all that the sink uses have to outlive the receiver;
// the receiver no longer moves its cursor or reports. receiver_finish may be called again, by the
// same thread.
bool receiver_finish(struct receiver *receiver, int64_t patience_us);

// Makes the receiver open its files again, as after a logrotate. Any thread.
void receiver_reopen(struct receiver *receiver);

// Replaces the trap group of its filter from the next event on, taking a reference. Any thread.
void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group);

// Pauses or resumes: while paused, events wait in the journal. Any thread.
void receiver_pause(struct receiver *receiver, bool paused);

// Makes a failing receiver try again at once. Any thread.
void receiver_hurry(struct receiver *receiver);

// Gives up all events that wait now, but for those that end an alarm or raise an alarm that stands.
// Any thread.
void receiver_flush(struct receiver *receiver);

// Sends an event of the journal again, marked, if the filter passes the event. Returns false if the
// receiver has not begun with the last such event. Any thread.
bool receiver_resend(struct receiver *receiver, int64_t number);

// Says that the predecessor's alarm turned out to be active, as if `was_failing` had been true: the
// next event that the receiver takes ends the alarm. Any thread.
void receiver_recall_failing(struct receiver *receiver);

// What the successor takes over. Any thread.
struct receiver_carried receiver_carried(const struct receiver *receiver);

// The outcome of an event. Any thread.
struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence);

const char *receiver_outcome_word(enum receiver_outcome outcome); // such as "delivered"

// Why the receiver does not get an event: as audience_refusal, or "a test of another receiver".
// Returns NULL if the receiver gets the event. Any thread.
const char *receiver_refusal(struct receiver *receiver, const struct event *event);

const struct sink *receiver_sink(const struct receiver *receiver);
void receiver_get_status(struct receiver *receiver, struct receiver_status *out); // any thread

// The times from an event to the writing of the event to the receiver's socket or file, for each
// attempt. Any thread; valid until receiver_finish.
const struct histogram *receiver_times(const struct receiver *receiver);
