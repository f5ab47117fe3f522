// SPDX-License-Identifier: BSD-2-Clause
// By what an event belongs together with others, whose order matters.
#ifndef IBTRAPD_SINK_FORMAT_KEY_H
#define IBTRAPD_SINK_FORMAT_KEY_H

#include "model/event.h"

enum { FORMAT_KEY_SIZE = EVENT_KEY_SIZE };

// Writes the key of the alarm that the event raises or clears, or else the GUID of the port or node
// that it is about, or that reported it, as 0x and 16 digits, or where no GUID is known "lid" and
// the LID. Returns its length; 0: it belongs to nothing, as the gateway's own occurrences.
size_t format_key(const struct event *event, char out[FORMAT_KEY_SIZE]);

#endif
