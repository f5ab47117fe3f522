// SPDX-License-Identifier: BSD-2-Clause
// The subnet manager's log as a source of events, and its list of unhealthy ports as alarms.
// Decides: When has the gateway told of a line of the subnet manager's log?
#pragma once

#include "daemon/gateway.h"

// Starts to read the log of the configuration, if there is one, from the place in the journal on,
// and the list. An alarm of the list ends when the list has the port no longer, also after a
// restart, and when no list is configured any more.
// The pipeline and the SA client run. A commit has the events of lines and the place behind the
// lines: no restart tells of a line twice, and none leaves a line out.
bool sm_log_source_start(struct gateway *g, struct error *err);
