// SPDX-License-Identifier: BSD-2-Clause
// Makes a test event for any row of the catalogue, to try the way to the receivers. The event looks
// as if it had happened to a given node, or to a made-up node. The row's origin, fields and `test`
// determine the contents.
#pragma once

#include "event/event_builder.h"

struct test_event {
    enum catalogue_event type;
    struct endpoint subject; // a node, or its port for an event about a port
    struct endpoint peer;    // the other end of its link; zero: none
    char receiver[65];       // the only receiver that gets it; empty: all get it
};

// Fills in a made-up subject of a type that suits the event, and as its peer a made-up switch.
void test_event_make_up(struct test_event *test);

// A new event, the caller's, marked as a test: its text begins with "[test] ", and if it raises or
// clears an alarm, the key is "test". A row of CATALOGUE_FROM_NOTICE gets its event from an encoded
// Notice.
struct event *test_event_make(const struct event_builder *builder, const struct test_event *test);
