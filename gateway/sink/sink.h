// What every kind of receiver promises. One thread, the receiver's own, makes all calls; they may
// wait, but for no longer than five seconds, and no other receiver notices.
#ifndef IBTRAPD_SINK_SINK_H
#define IBTRAPD_SINK_SINK_H

#include "base/error.h"
#include "model/event.h"

enum sink_result {
    SINK_DONE,    // the receiver has it, or the kernel has for what is not acknowledged
    SINK_PENDING, // handed over; `wait` will tell when the receiver has it
    SINK_SKIPPED, // there is nothing in this event for it; says nothing about its health
    SINK_FAILED,  // it has not
};

struct sink {
    // Makes ready to send: resolves names, connects, agrees on keys. Called before the first event
    // and again after each failure. False: not now, `err` says why; nothing is left open.
    bool (*open)(void *self, struct error *err);

    // Hands one event on, in the order of the calls. Never called with more than `window` events
    // pending. After SINK_FAILED (`err` says why) the engine closes, and hands over again,
    // after the next open, this event and all that were pending, in the same order. A pending event
    // may stay in the receiver until `wait`, which the engine calls when it has no more to hand
    // over.
    enum sink_result (*send)(void *self, const struct event *event, struct error *err);

    // Waits up to `timeout_ms` (0: only looks) for acknowledgements. Returns of how many more
    // events, the oldest pending ones, it is now certain that the receiver has them;
    // acknowledgements out of order are kept until those before them came. -1: failed, as for send.
    // NULL when window is 0.
    int (*wait)(void *self, int timeout_ms, struct error *err);

    // Closes what open opened. Not called when nothing is open.
    void (*close)(void *self);

    // SIGHUP or a reload: log files are opened again. Any thread; only sets a flag. NULL: nothing
    // to do.
    void (*reopen)(void *self);

    void (*free)(void *self);
    void *self;

    unsigned window; // events that may be pending; 0: `send` never returns SINK_PENDING
    char name[65];
    const char *kind;  // "snmp", "syslog", "file", "agentx"
    char address[320]; // for the status, as people write it
};

#endif
