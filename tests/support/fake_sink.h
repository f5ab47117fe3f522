// A receiver in memory that fails, waits, or acknowledges when told to.
#ifndef IBTRAPD_TESTS_FAKE_RECEIVER_H
#define IBTRAPD_TESTS_FAKE_RECEIVER_H

#include "sink/sink.h"
#include "support_clock.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FAKE_RECEIVER_KEPT = 20000, FAKE_RECEIVER_OPENS = 32 };

enum fake_receiver_answers {
    FAKE_RECEIVER_ALL,      // acknowledges all that are pending
    FAKE_RECEIVER_REVERSED, // one a call, the youngest first
    FAKE_RECEIVER_NONE,
};

struct fake_sink {
    pthread_mutex_t lock;
    pthread_cond_t changed;

    // What it does.
    unsigned window; // 0: every event is done at once
    enum fake_receiver_answers answers;
    unsigned done_every; // with a window: every n-th is done at once; 0: none
    unsigned refuse_open, refuse_send, fail_wait; // so many times; each counts down
    unsigned send_before_fail;                    // sends that work before refuse_send counts
    bool hold;                                    // send waits

    // What was done with it.
    bool holding, is_open;
    unsigned opens, closes, frees;
    int64_t opened_at[FAKE_RECEIVER_OPENS];
    unsigned long taken[FAKE_RECEIVER_KEPT]; // numbers of the events handed over, again or not
    int64_t taken_at[FAKE_RECEIVER_KEPT];
    size_t count;
    unsigned long
        had[FAKE_RECEIVER_KEPT]; // of those it has for certain, in the order of its saying so
    size_t had_count;
    unsigned long pending[FAKE_RECEIVER_KEPT];
    bool answered[FAKE_RECEIVER_KEPT]; // of the pending ones
    size_t pending_count, pending_most;
    bool waited;
    size_t taken_before_waiting; // handed over before the first wait that was no mere look

    // Virtual time: only the test and those who sleep move it on.
    struct support_time time;
    struct clock clock;
};

void fake_receiver_init(struct fake_sink *fake);
void fake_receiver_release(struct fake_sink *fake);
struct sink fake_receiver_as_receiver(struct fake_sink *fake);

// The number that an event's identifier is.
unsigned long fake_receiver_number(const struct event *event);

// Waits until so many events were handed over, or are certain, or until one is held; fails the test
// after a minute.
void fake_receiver_wait_taken(struct fake_sink *fake, size_t count);
void fake_receiver_wait_had(struct fake_sink *fake, size_t count);
void fake_receiver_wait_opens(struct fake_sink *fake, unsigned count);
void fake_receiver_wait_holding(struct fake_sink *fake);
void fake_receiver_let_go(struct fake_sink *fake);
void fake_receiver_answer(struct fake_sink *fake, enum fake_receiver_answers answers);

#endif
