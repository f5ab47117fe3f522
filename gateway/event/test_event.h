// SPDX-License-Identifier: BSD-2-Clause
// Makes a test event for any row of the catalogue, to try the way to the receivers: as if the event
// had happened to a given node, or to one that does not exist. The row's origin, fields and `test`
// determine the contents.
#ifndef IBTRAPD_EVENT_TEST_EVENT_H
#define IBTRAPD_EVENT_TEST_EVENT_H

#include "event/event_builder.h"

struct test_event {
    enum catalogue_event type;
    struct endpoint subject; // the node that it is about, or its port if the event is about one
    struct endpoint peer;    // the other end of its link; zero: none
    char receiver[65];       // the only receiver that gets it; empty: all get it
};

// Fills in a subject that does not exist, of a type that suits the event, and as its peer a switch.
void test_event_make_up(struct test_event *test);

// A new event, the caller's, marked as a test: its text begins with "[test] ", and if it raises or
// clears an alarm, the key is "test". A row of CATALOGUE_FROM_NOTICE gets its event from an encoded
// Notice.
struct event *test_event_make(const struct event_builder *builder, const struct test_event *test);

#endif
