// SPDX-License-Identifier: BSD-2-Clause
// Events with everything that an event can have, for the formats.
#pragma once

#include "model/event.h"

// The members of an event that are text.
struct full_event_text {
    char *text;
    size_t size;
};
enum { FULL_EVENT_TEXTS = 25 };
void full_event_texts(struct event *event, struct full_event_text out[FULL_EVENT_TEXTS]);

// An event of the catalogue's row with the members that every event has; the caller's.
struct event *full_event_begin(int type);

// Likewise, with all members at their largest. Each text is `piece` as often as it fits.
struct event *full_event_make(int type, const char *piece);
