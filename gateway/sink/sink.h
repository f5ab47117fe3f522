// SPDX-License-Identifier: BSD-2-Clause
// The contract of a sink: the code that sends events to one receiver. Each kind of receiver
// implements it. The receiver's own thread makes all calls. A call may wait, but for five seconds
// at most, and reads a bounded number of octets, whatever the receiver sends; other receivers are
// not affected.
#ifndef IBTRAPD_SINK_SINK_H
#define IBTRAPD_SINK_SINK_H

#include "base/error.h"
#include "model/event.h"

enum sink_result {
    SINK_DONE,    // sent: the kernel has the event, and nothing will confirm it
    SINK_PENDING, // sent; `wait` returns when the receiver has confirmed it
    SINK_SKIPPED, // the event has nothing for this receiver; says nothing about its health
    SINK_BLOCKED, // not sent: it has to follow a pending event; send it again after `wait`
    SINK_FAILED,  // not delivered; `err` says why
};

struct sink {
    // Prepares to send: resolves names, connects, agrees on keys. Called before the first event and
    // again after each failure. False with a sentence; nothing is left open.
    bool (*open)(void *self, struct error *err);

    // Sends one event. Never called while `in_flight_max` events are pending. After SINK_FAILED,
    // the caller calls close and open, and sends this event and all pending ones again, in the same
    // order. The sink may buffer a pending event until `wait`, which the caller calls when it has
    // no further event.
    enum sink_result (*send)(void *self, const struct event *event, struct error *err);

    // Waits up to `timeout_ms` (0: not at all) for confirmations. Returns how many of the oldest
    // pending events the receiver has confirmed; a confirmation out of order counts once the
    // earlier ones have come. -1 with a sentence: failed, as for send. NULL if `in_flight_max` is
    // 0.
    int (*wait)(void *self, int timeout_ms, struct error *err);

    // After `send` or `wait` failed, before `close`: which event the receiver has refused, counted
    // from the oldest pending one, 0; the one passed to a failing `send` follows the last. -1:
    // none, it failed otherwise. An event that is refused RECEIVER_ATTEMPTS_MAX times is given up.
    // NULL: receivers of this kind refuse no event.
    int (*refused)(void *self);

    // Takes in what happened of its own accord, such as the reports of a library, and does not
    // wait. The caller calls it every few seconds while the sink is open and nothing is pending.
    // NULL: nothing happens then.
    void (*idle)(void *self);

    // Of a kind that keeps a state of its receiver equal to one of the gateway, such as the alarm
    // list: makes it so as far as it can now, and does not wait for more. The caller opens the sink
    // at once, and calls this every few seconds while it is open and not paused, and after events.
    // False with a sentence: the receiver, or a part of it, does not have the state. The caller
    // tells so, leaves the sink open, and calls again. NULL: the kind has events only.
    bool (*keep)(void *self, struct error *err);

    // Undoes open. Not called unless open succeeded.
    void (*close)(void *self);

    // Makes the sink open its files again, after SIGHUP or a reload. Only sets a flag; any thread.
    // NULL: nothing to do.
    void (*reopen)(void *self);

    void (*free)(void *self);
    void *self;

    unsigned in_flight_max; // events that may be pending; 0: `send` never returns SINK_PENDING
    char name[65];
    const char *kind;  // "snmp", "syslog", "file", "agentx"
    char address[320]; // for the status, such as "udp 192.0.2.1 port 162"
};

#endif
