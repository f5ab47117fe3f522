// SPDX-License-Identifier: BSD-2-Clause
// Which events a receiver gets, and as what: an event may say only what its receiver can know.
//
// Policy decides once for all receivers, and suppresses the alarms that follow from a root cause. A
// receiver whose filter refuses the root cause hears nothing of these alarms then. So it gets them,
// and their ends, although they are suppressed.
#ifndef IBTRAPD_SINK_AUDIENCE_H
#define IBTRAPD_SINK_AUDIENCE_H

#include "journal/journal.h"
#include "model/filter.h"

#include <pthread.h>

// By what the events of one receiver are judged.
struct audience {
    const struct filter *filter;
    pthread_mutex_t *lock; // guards the filter; NULL: nothing changes it
    struct journal *journal;
    int handle; // of the receiver's cursor there: when its filter changed; below 0: it never did
};

// Why the receiver does not get the event: "suppressed", or the item of its filter that the event
// does not pass; NULL: it gets the event. Any thread; may read the journal.
//
// It gets the clear of each alarm that began before the filter was in force: it may have been told
// of that alarm.
const char *audience_refusal(const struct audience *audience, const struct event *event);

// The event as the receiver gets it: a reference to the event, or to a copy that says nothing of
// its suppression and does not refer to an event that the receiver may not have got. The caller's.
// Any thread.
struct event *audience_view(const struct audience *audience, struct event *event);

#endif
