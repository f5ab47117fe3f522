// SPDX-License-Identifier: BSD-2-Clause
// A receiver in memory that fails, waits or confirms at the test's word.
#pragma once

#include "sink/sink.h"
#include "support_clock.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FAKE_RECEIVER_KEPT = 20000, FAKE_RECEIVER_OPENS = 32 };

enum fake_receiver_answers {
    FAKE_RECEIVER_ALL,      // confirms all pending events
    FAKE_RECEIVER_REVERSED, // confirms one event in each call, the youngest first
    FAKE_RECEIVER_NONE,
};

struct fake_sink {
    pthread_mutex_t lock;
    pthread_cond_t changed;

    // Set by the test.
    unsigned window; // 0: send confirms every event at once
    enum fake_receiver_answers answers;
    unsigned done_every; // with a window: send confirms every n-th event at once; 0: none
    _Atomic unsigned refuse_open, refuse_send, fail_wait; // how many calls fail; each counts down
    unsigned send_before_fail;                 // sends that succeed before refuse_send counts
    bool hold;                                 // send blocks
    bool one_at_a_time;                        // an event has to follow each pending one
    unsigned long refuse_from, refuse_through; // numbers of the events that it refuses; 0: none
    bool doubts;                               // it does not say which event in flight it refuses
    bool overtakes;                            // its events may overtake each other
    bool refuses_in_send;                      // it refuses at once, not later with the answers
    bool keeps_state;                          // it is the sink of a state
    atomic_bool behind;                        // which it cannot keep
    atomic_uint attempts_failed;               // which the next call of `keep` tells of
    atomic_bool busy;                          // and there is more to do
    int64_t answers_at; // from then on (monotonic) it confirms all pending events; 0: never

    // Recorded.
    bool holding, is_open;
    unsigned opens, closes, frees;
    atomic_uint idles; // calls of `idle`, which must not come while an event is pending
    atomic_uint keeps; // calls of `keep`
    int64_t opened_at[FAKE_RECEIVER_OPENS];
    unsigned long taken[FAKE_RECEIVER_KEPT]; // numbers of the events sent, repetitions included
    int64_t taken_at[FAKE_RECEIVER_KEPT];
    size_t count;
    unsigned long
        had[FAKE_RECEIVER_KEPT]; // numbers of the confirmed events, in the order of confirmation
    size_t had_count;
    size_t marked;    // of the events sent: those with the mark of events sent again
    size_t referring; // of the events sent: those that refer to the event that they clear
    size_t dangling;  // of these: those that refer to an event that was not taken
    unsigned long pending[FAKE_RECEIVER_KEPT];
    bool answered[FAKE_RECEIVER_KEPT];   // of the pending events
    uint64_t ticket[FAKE_RECEIVER_KEPT]; // likewise
    struct tickets *tickets;
    size_t pending_count, pending_most;
    bool waited;
    size_t taken_before_waiting; // events sent before the first wait with a timeout

    // Virtual time: passes only when the test advances it or a thread sleeps.
    struct support_time time;
    struct clock clock;
};

void fake_receiver_init(struct fake_sink *fake);
void fake_receiver_release(struct fake_sink *fake);
struct sink fake_receiver_as_receiver(struct fake_sink *fake);

// The number that an event's identifier consists of.
unsigned long fake_receiver_number(const struct event *event);

// Wait until `count` events were sent, or are confirmed, or until a send is blocked. Fail the test
// after a minute.
void fake_receiver_wait_taken(struct fake_sink *fake, size_t count);
void fake_receiver_wait_had(struct fake_sink *fake, size_t count);
void fake_receiver_wait_opens(struct fake_sink *fake, unsigned count);
void fake_receiver_wait_holding(struct fake_sink *fake);
void fake_receiver_let_go(struct fake_sink *fake);
void fake_receiver_answer(struct fake_sink *fake, enum fake_receiver_answers answers);
