// A test event for any row of the catalogue, to try the way to the receivers with: as if it had
// happened to a given node, or to one that does not exist. It follows from the row: from its
// origin, its fields and its `test`.
#ifndef IBTRAPD_EVENT_TEST_EVENT_H
#define IBTRAPD_EVENT_TEST_EVENT_H

#include "event/event_builder.h"

struct test_event {
    enum catalogue_event type;
    struct endpoint subject; // whom it is about; with a port, where the event is about a port
    struct endpoint peer;    // the other end of its link; zero: none
    char receiver[65];       // the only one that gets it; empty: all
};

// Fills in a subject that does not exist, of a type that suits the event, and a switch that it
// hangs on.
void test_event_make_up(struct test_event *test);

// A new event, the caller's, marked as a test: its text begins with "[test] ", its alarm's key is
// "test". A notice is the octets that would have told of it. NULL when memory is short.
struct event *test_event_make(const struct event_builder *builder, const struct test_event *test);

#endif
