// SPDX-License-Identifier: BSD-2-Clause
// Drives one sink as the engine does (sink/receiver_thread.c), but step by step, without a thread
// and without a journal. A driver of zeros is ready for driver_open.
#pragma once

#include "sink/sink.h"

struct driver {
    struct sink sink;
    struct tickets tickets; // of the events that were sent and did not end in order
};

bool driver_open(struct driver *d, const struct sink *sink, struct error *err);

// Sends an event. After driver_close, the events that did not end are to be sent again, in their
// order; an event that the receiver had confirmed is not sent then.
enum sink_result driver_send(struct driver *d, const struct event *event, struct error *err);

// Returns how many of the oldest events have ended; 0 if the oldest event has not; -1 with a
// sentence if the sink failed.
int driver_wait(struct driver *d, int timeout_ms, struct error *err);

// The same without waiting, for events that ended before `send` failed.
int driver_ended(struct driver *d);

// After a failure: which event the receiver has refused, counted from the oldest event in flight,
// 0; -1 if the receiver has refused none.
int driver_refused(struct driver *d);

// Gives up the oldest event.
void driver_give_up(struct driver *d);

void driver_close(struct driver *d);

// Frees the sink, and forgets all events.
void driver_free(struct driver *d);
