// SPDX-License-Identifier: BSD-2-Clause
// The contract of a sink, the code that sends events to one receiver. Each kind of receiver has a
// sink of its own. The receiver's own thread makes all calls. A call waits for five seconds at
// most, and reads a bounded number of octets, whatever the receiver sends.
//
// A sink only reports the receiver's answer to each event (sink/tickets.h). The engine decides
// about order, waiting, repeats and giving up.
#pragma once

#include "base/error.h"
#include "sink/tickets.h"

enum sink_result {
    SINK_DONE,    // sent: the kernel has the event, and nothing will confirm the event
    SINK_PENDING, // taken: the sink settles the ticket once the receiver has answered
    SINK_SKIPPED, // the event has nothing for this receiver
    SINK_BLOCKED, // not taken, as there is no room before the next answer: send it after `wait`
    SINK_FAILED,  // not taken; `err` says why
};

// What a call of `keep` did, zeroed by the engine.
struct sink_progress {
    bool is_busy;    // there is more to do than one call does, or an answer is to come
    unsigned failed; // attempts
};

struct sink {
    // Prepares to send: resolves names, connects, agrees on keys. The engine calls `open` before
    // the first event and again after each failure. `tickets` outlives the sink; it is unused, and
    // may be NULL, if `in_flight_max` is 0. Returns false with a sentence, and leaves nothing open.
    // NULL if there is nothing to prepare.
    bool (*open)(void *self, struct tickets *tickets, struct error *err);

    // Sends one event. The ticket of the event is `tickets->newest`. At most `in_flight_max`
    // tickets are in flight. After SINK_FAILED, the engine closes and opens the sink, and sends all
    // events again that the receiver does not have. The sink may keep an event in a buffer until
    // `wait`.
    enum sink_result (*send)(void *self, const struct event *event, struct error *err);

    // Writes what the sink keeps in buffers, and waits up to `timeout_ms` (0: not at all) until
    // a ticket is settled. With a timeout above 0, the engine has no event that may be sent now.
    // Returns false with a sentence if the sink failed, as for `send`. NULL if `in_flight_max` is
    // 0.
    bool (*wait)(void *self, int timeout_ms, struct error *err);

    // Takes in what happened by itself, such as the reports of a library, and does not wait. The
    // engine calls `idle` every few seconds while the sink is open and no ticket is in flight.
    // NULL if nothing happens by itself.
    void (*idle)(void *self);

    // For kinds that keep a state of the receiver equal to a state of the gateway, such as the
    // alarm list. Makes both states equal as far as possible now, and does not wait for more. The
    // engine opens the sink at the start, and calls `keep` every few seconds and after events, but
    // not while the receiver is paused; of a busy sink, the engine calls `keep` again at once.
    // Returns false with a sentence if the receiver, or a part of the receiver, does not have the
    // state; the sink stays open. NULL for kinds of events only.
    bool (*keep)(void *self, struct sink_progress *progress, struct error *err);

    // Undoes `open`. Called only after `open` succeeded. NULL if there is nothing to undo.
    void (*close)(void *self);

    // Makes the sink open its files again, after SIGHUP or a reload. Only sets a flag. Any thread.
    // NULL if there is nothing to do.
    void (*reopen)(void *self);

    void (*free)(void *self);
    void *self;

    unsigned in_flight_max; // tickets in flight; 0: `send` never returns SINK_PENDING
    char name[65];
    const char *kind;  // "snmp", "syslog", "file", "agentx"
    char address[320]; // for the status, such as "udp 192.0.2.1 port 162"
};
