// SPDX-License-Identifier: BSD-2-Clause
// An agent snapshot of a made-up fabric, journal and gateway, for tests of the tables. Aborts if
// memory runs out.
#pragma once

#include "agent/snapshot.h"

// A fat tree with a router, events about its switches, active alarms, subscriptions and receivers.
// Valid until the process ends. Its clock stands still: no row becomes too old.
struct agent_snapshot *made_view(void);
