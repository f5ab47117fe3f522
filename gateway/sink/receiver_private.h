// SPDX-License-Identifier: BSD-2-Clause
// A receiver from within: shared by the files receiver_*.c of sink/ only.
#pragma once

#include "base/hash.h"
#include "sink/audience.h"
#include "sink/receiver.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    RECEIVER_OUTCOMES_MAX = 2048, // latest events whose outcome is kept
    RECEIVER_REFUSALS_KEPT = 16,  // latest events that the receiver refused, with the reason
};

// Events, counted by the thread; any thread reads the counters. struct receiver_status has their
// meaning.
struct receiver_counts {
    atomic_uint_fast64_t sent, filtered, dropped, handed, repeated;
    atomic_int_fast64_t delivered_at;
};

// What became of the latest events.
struct receiver_outcomes {
    struct {
        int64_t sequence, time_us; // UTC
        enum receiver_outcome outcome;
    } all[RECEIVER_OUTCOMES_MAX]; // by sequence number modulo the size
    struct {
        int64_t sequence;
        char reason[RECEIVER_REASON_SIZE];
    } refusals[RECEIVER_REFUSALS_KEPT]; // a ring
    size_t refusal_count;
};

// A trial finds out whether a receiver refuses one event, the suspect, or everything. The receiver
// gets the suspect and other events, the probes, in turn, each alone. The suspect is given up when
// the receiver takes a probe, refuses the suspect and takes a probe again. While the receiver takes
// no probe, everything waits. Events of the suspect's alarm are no probes: the order of an alarm's
// events stays.
struct receiver_trial {
    uint64_t suspect; // the number of its ticket; 0: there is no trial
    bool probing;     // the next event is a probe, not the suspect
    uint64_t probe;   // no earlier event is the next probe; with `probed`: the present probe
    bool probed;      // a probe is under way
    bool vouched;     // the receiver took an event between two refusals of the suspect
    bool lonely;      // there was no probe at the last attempt
    int64_t retry_at; // of the suspect
    char reason[RECEIVER_REASON_SIZE]; // for which the receiver refuses the suspect
};

// Brings a receiver into line (receiver_again.c): first ends of alarms, the latest ends first, then
// the active alarms, both with numbers up to `through`. The receiver reads on only then. Until the
// ends are done, the cursor of a receiver that was gone stays where it was.
struct receiver_resync {
    bool active;
    int64_t ends_before;  // the ends from this number on are done; 0: all are
    int64_t ends_after;   // no earlier end is sent
    int64_t alarms_after; // the alarms up to this number are done
    int64_t through;
    uint64_t last;    // the number behind the last ticket; 0: it is not known yet
    bool gave_up;     // the receiver did not get all of it
    int64_t sure_at;  // behind this number the receiver knows how the alarms stand; 0: noted
    struct hash keys; // of the alarms of which the receiver hears in later events
    struct hash_node *nodes;
};

struct receiver {
    struct sink sink;
    struct receiver_options options;
    int handle; // of its cursor in the journal
    struct audience audience;
    pthread_t thread;

    // Used by the thread only.
    bool is_open;
    unsigned failures; // in a row
    bool has_problem, notified_failing;
    int64_t retry_at;
    int64_t flushed; // the value of `flush_through` that was obeyed
    double tokens;
    int64_t tokens_at;
    int64_t read_through;           // the last sequence number read from the journal
    int64_t had_after, had_through; // not sent again after the cursor moved backwards
    int64_t unknown_through;        // the receiver may lack events up to this number
    struct tickets tickets;         // of the events under way: read, and not passed by the cursor
    struct receiver_trial trial;
    struct receiver_resync resync;
    char given_up[EVENT_REASON_SIZE]; // the last event of which nobody was told; empty: none
    int64_t tell_at;                  // not before

    atomic_bool stop, paused, hurried;
    atomic_int_fast64_t stop_by, flush_through;
    atomic_int_fast64_t resend;    // the number of an event to be sent again; 0: none
    atomic_bool recalled;          // a failing alarm is active that the thread does not know
    atomic_int_fast64_t oldest_us; // of the events under way; 0: there is none
    struct histogram times;
    struct receiver_counts counts;
    bool is_busy;                // `keep` is to be called again at once
    pthread_mutex_t filter_lock; // guards the filter's trap group
    pthread_mutex_t lock;        // guards the members below
    pthread_cond_t has_ended;
    bool ended;                    // the thread
    bool left;                     // nobody waits for the thread any longer
    struct receiver_status status; // without what `counts` has
    struct receiver_outcomes outcomes;
};

// The i-th event under way, from the oldest one.
static inline struct ticket *receiver_at(struct receiver *receiver, size_t i)
{
    return tickets_at(&receiver->tickets, receiver->tickets.first + i);
}

// Only the receiver's own thread writes a counter, so no locked addition is needed.
static inline void receiver_count(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline void receiver_end(struct ticket *ticket, enum receiver_outcome outcome)
{
    ticket->state = TICKET_DONE;
    ticket->outcome = outcome;
}

static inline int64_t receiver_now_of(const struct receiver *receiver)
{
    return clock_monotonic(receiver->options.clock);
}

// Trials (receiver_trial.c). For the receiver's thread.

// Whether the i-th event under way may be sent now.
bool receiver_trial_allows(struct receiver *receiver, size_t at);

// The sink failed as the receiver refused the ticket with the number; 0: for another reason. Call
// it before the tickets are taken back. Returns whether this shows that the receiver fails.
bool receiver_trial_fail(struct receiver *receiver, uint64_t refused, const char *problem);

// The receiver took events, or the engine skipped some. May give up the suspect.
void receiver_trial_pass(struct receiver *receiver);

// All events were looked at, and none is in flight. Returns 0 unless a trial lacks a probe; then
// the suspect is the next.
int64_t receiver_trial_wait(struct receiver *receiver);

// Tells of events that were given up, at times.
void receiver_trial_tell(struct receiver *receiver, int64_t now);

// Events that are sent again (receiver_again.c). For the receiver's thread.

// Begins to bring the receiver into line, also by the ends of alarms with numbers beyond
// `ends_after`. receiver_again_free frees what that takes.
void receiver_again_begin(struct receiver *receiver, int64_t ends_after);
void receiver_again_free(struct receiver *receiver);

// Whether receiver_again_read has something to do.
bool receiver_again_waits(struct receiver *receiver);

// Adds events that are to be sent again to the events under way, if the journal has them. Returns
// true if there may be more: then read nothing else.
bool receiver_again_read(struct receiver *receiver);

// Moves the cursor. A receiver that was left behind may have a successor, and the cursor is the
// successor's.
void receiver_advance(struct receiver *receiver, int64_t through);

// Notes in the journal that the receiver is in line, once it is.
void receiver_again_end(struct receiver *receiver);

// What a receiver's thread does: reads events from the journal, passes the events to the sink in
// order, and moves the cursor, until the receiver is asked to stop. `arg` is a struct receiver.
void *receiver_thread_run(void *arg);
