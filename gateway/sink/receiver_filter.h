// SPDX-License-Identifier: BSD-2-Clause
// What of an event a receiver may know. Receiver's thread.
#ifndef IBTRAPD_SINK_RECEIVER_FILTER_H
#define IBTRAPD_SINK_RECEIVER_FILTER_H

#include "sink/receiver_private.h"

// audience_view for this receiver.
struct event *receiver_filter_view(struct receiver *receiver, struct event *event);

#endif
