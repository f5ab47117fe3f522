// SPDX-License-Identifier: BSD-2-Clause
// The events under way to one receiver. The engine (receiver_thread.c) gives the sink a ticket with
// each event. The sink says of each ticket, in any order, that the receiver has the event or
// refuses the event. If the sink fails, the engine sends again each event that the receiver does
// not have. Only the receiver's own thread uses tickets.
//
// Decides: In which order does a receiver get events?
// Decides: When does an event or an inform wait for the answer to another one?
//
// The engine sends events in the order of the journal. With an order key, an event waits while an
// event with the same key, or the event's root cause, is in flight. After a refusal that may be
// meant for any of several events, the engine sends each of these events alone.
#pragma once

#include "model/event.h"

enum { TICKETS_MAX = 4096 };

enum ticket_state {
    TICKET_WAITING,   // the event is to be sent, for the first time or again
    TICKET_IN_FLIGHT, // the sink has the event, and the receiver has not answered
    TICKET_REFUSED,   // the receiver refuses the event; the sink fails
    TICKET_DOUBTED,   // the receiver refuses this event or another one; the sink fails
    TICKET_DONE,      // nothing is left to do for the event
};

// The outcome of an event at a receiver.
enum receiver_outcome {
    RECEIVER_WAITING,   // not sent, or not confirmed
    RECEIVER_DELIVERED, // the receiver has confirmed it
    RECEIVER_FILTERED,  // it did not pass the receiver's filter
    RECEIVER_GIVEN_UP,  // too old, or flushed, or refused too often
    RECEIVER_PASSED,    // unknown: too long ago, or before this start
    RECEIVER_SENT,      // the kernel took it; this receiver confirms nothing
};

// All members but `mark` are the engine's.
struct ticket {
    struct event *event;
    int64_t sequence; // number in the journal
    uint64_t mark;    // the sink's own; 0 when the engine gives the ticket
    uint64_t id, key; // digests of the identifier and of the order key, if the sink has such a key
    enum ticket_state state;
    enum receiver_outcome outcome; // once TICKET_DONE
    unsigned refusals;             // how often the receiver refused the event
    uint64_t passed_before;        // events that the receiver had taken at the first refusal
    bool had;                      // the receiver had the event before the cursor moved backwards
    bool tried, handed;            // the event was passed to the sink; the sink accepted the event
    bool alone;                    // the event goes alone
};

// Tickets have consecutive numbers from 1 on. A number is never used for another event.
struct tickets {
    struct ticket ring[TICKETS_MAX];
    uint64_t base;           // the number whose place is the first of the ring
    uint64_t first;          // the number of the oldest event under way
    size_t count;            // events under way
    size_t handed;           // of these, from the oldest on: passed to the sink, or TICKET_DONE
    uint64_t oldest, newest; // in flight; `newest` is the ticket of the event in `send`
    size_t in_flight;
    size_t done; // events that the receiver confirmed since the engine looked
    bool alone;  // the event in flight goes alone
    uint64_t watched;
    int64_t watched_at; // for tickets_stalled_us

    // Set by a sink whose events may overtake each other on their way. Returns a digest of what
    // keeps events in order, DIGEST_OF_NOTHING if the event may overtake all others. NULL: the
    // way keeps the order.
    uint64_t (*order_key)(const struct event *event);
};

static inline struct ticket *tickets_at(struct tickets *t, uint64_t number)
{
    return &t->ring[(number - t->base) % TICKETS_MAX];
}

// For sinks.

// Says what the receiver answered: TICKET_DONE, TICKET_REFUSED or TICKET_DOUBTED. An answer for a
// ticket that is not in flight counts for nothing. After the last two verdicts, the call of the
// sink has to fail with the receiver's reason.
void tickets_settle(struct tickets *t, uint64_t number, enum ticket_state verdict);

// The next ticket in flight behind that number, the oldest one behind 0; returns 0 if there is
// none.
uint64_t tickets_behind(struct tickets *t, uint64_t number);

// An order key: the digest of the alarm key.
uint64_t tickets_alarm_key(const struct event *event);

// For how long the oldest ticket in flight has been the oldest one, as far as the calls of this
// function show (microseconds; `now` is monotonic).
int64_t tickets_stalled_us(struct tickets *t, int64_t now);

// For the engine.

// Gives the sink the ticket of an event that waits. Returns false if the event has to wait longer.
bool tickets_give(struct tickets *t, uint64_t number);

// Takes the newest ticket back: the sink did not accept the event.
void tickets_take_back(struct tickets *t);

// Takes all tickets back: the sink is closed. The events wait again.
void tickets_take_all_back(struct tickets *t);

// The number of the oldest ticket that the receiver refused; 0 if there is none.
uint64_t tickets_refused(struct tickets *t);
