// SPDX-License-Identifier: BSD-2-Clause
// Whether a receiver works: its failures and attempts, and who is told of them. Receiver's thread.
#ifndef IBTRAPD_SINK_RECEIVER_HEALTH_H
#define IBTRAPD_SINK_RECEIVER_HEALTH_H

#include "sink/receiver_private.h"

// Closes the sink, if it is open. The events in flight wait again.
void receiver_health_close(struct receiver *receiver);

// Notes that opening or sending failed, closes the sink, and sets when to try again. A receiver
// that refuses an event is not failing: it is, once it refuses the next one, too. Then the attempts
// stay as rare as they have become, so that little is given up until it is repaired.
void receiver_health_fail(struct receiver *receiver, const struct error *err);

// Notes that the sink could not keep the receiver's state (sink.h). It stays open: what the sink
// could do is done, and it tries the rest again.
void receiver_health_fall_behind(struct receiver *receiver, const struct error *err);

// Notes that the receiver took an event, or has the state: it works.
void receiver_health_succeed(struct receiver *receiver);

#endif
