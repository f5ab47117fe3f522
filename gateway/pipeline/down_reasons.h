// SPDX-License-Identifier: BSD-2-Clause
// Why links went down, as their ends tell: adds the answers to the events about lost links, nodes
// and ports. A sweep brings the answers before its snapshot. An answer that comes later raises the
// alarm again, with the reason in the sentence: policy suppresses this event as a duplicate, and
// the alarm has the new sentence. Pipeline's thread.
// Decides: What happens when an end of a link tells late why the link went down?
#pragma once

#include "event/event_builder.h"
#include "model/link_reason.h"

enum { DOWN_REASONS_WAITING_MAX = 64 };          // events; further events stay without late answers
#define DOWN_REASONS_US (INT64_C(120) * 1000000) // an event waits for late answers

// Starts zeroed.
struct down_reasons {
    struct link_reasons *latest; // NULL: none
    struct down_reasons_waiting {
        struct event *event; // a copy of an emitted event; or the event itself
        int64_t since_us;
        int64_t until_us; // when to emit the event without an answer; 0: a copy
    } waiting[DOWN_REASONS_WAITING_MAX];
    size_t count;
    size_t next; // of down_reasons_next
};

// Keeps a copy of the list.
void down_reasons_take(struct down_reasons *reasons, const struct link_reasons *list,
                       int64_t now_us);

// Returns the next event that waited and is explained now, the caller's; NULL: there is none.
struct event *down_reasons_next(struct down_reasons *reasons, const struct event_builder *builder);

// Adds the reasons of the list to an event about a change, if the row of the event has such fields.
// Lets the event wait if the answers are still to come.
void down_reasons_explain(struct down_reasons *reasons, struct event *event, int64_t now_us);

// Lets an event about a link that came back wait for its answers: takes over the reference. Returns
// false without room: the event stays the caller's.
bool down_reasons_hold(struct down_reasons *reasons, struct event *event, int64_t until_us);

// Returns the next event that waited until then in vain, the caller's; NULL: there is none.
struct event *down_reasons_expired(struct down_reasons *reasons, int64_t now_us);

void down_reasons_forget(struct down_reasons *reasons); // the list, after a snapshot
void down_reasons_clear(struct down_reasons *reasons);
