// A view of a fabric, a journal and a gateway that are made up, for tests of the tables. Runs out
// of memory by aborting.
#ifndef IBTRAPD_TESTS_MADE_VIEW_H
#define IBTRAPD_TESTS_MADE_VIEW_H

#include "agent/snapshot.h"

// A fat tree with a router, events about its switches, active alarms, subscriptions and receivers.
// Lives until the end.
struct agent_snapshot *made_view(void);

#endif
