// SPDX-License-Identifier: BSD-2-Clause
// Which events a receiver gets. An event may tell a receiver only about things that the receiver
// can know.
//
// Decides: Why did a receiver not get an event?
// Decides: Which receivers get the clear of an alarm?
// Decides: When does a receiver get an event although the event is suppressed?
//
// Policy decides once for all receivers, and suppresses the alarms that follow from a root cause. A
// receiver whose filter refuses the root cause hears nothing of these alarms then. So this receiver
// gets these alarms and their ends, although both are suppressed. In the same way a receiver gets
// the events about each part of a host or box, if the receiver's filter says so.
#pragma once

#include "journal/journal.h"
#include "model/filter.h"

#include <pthread.h>

// How the events of one receiver are judged.
struct audience {
    const struct filter *filter;
    pthread_mutex_t *lock; // guards the filter; NULL: nothing changes it
    struct journal *journal;
    int handle; // of the receiver's cursor there: when its filter changed; below 0: it never did
};

// Why the receiver does not get the event: "suppressed", or the item of the filter that refuses the
// event. Returns NULL if the receiver gets the event. Any thread; may read the journal.
//
// A receiver gets the clear of an alarm if the filter passed an event that told receivers of the
// alarm; the journal has such events while the alarm is open. A receiver also gets the clears of
// alarms that began before the filter was in force, because the receiver may know the alarms. A
// receiver gets no raise that repeats an earlier raise.
const char *audience_refusal(const struct audience *audience, const struct event *event);

// Whether the event with the number, or an earlier event about the same raised alarm, told the
// receiver of the alarm. Any thread; may read the journal.
enum audience_told { AUDIENCE_NOT_TOLD, AUDIENCE_TOLD, AUDIENCE_UNKNOWN };
enum audience_told audience_was_told(const struct audience *audience, int64_t number);

// The event as the receiver gets it: a reference to the event, or to a copy that says nothing of
// the suppression and does not refer to an event that the receiver may not have. The caller's. Any
// thread.
struct event *audience_view(const struct audience *audience, struct event *event);

// A copy of the event that does not refer to the event that it clears. The caller's. Any thread.
struct event *audience_without_reference(const struct event *event);
