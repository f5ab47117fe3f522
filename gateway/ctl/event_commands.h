// SPDX-License-Identifier: BSD-2-Clause
// The commands about events.
#ifndef IBTRAPD_CTL_EVENT_COMMANDS_H
#define IBTRAPD_CTL_EVENT_COMMANDS_H

#include "ctl/command.h"

// Writes the events that the options choose, oldest first; without --since and --limit the last 50.
// With --follow, also writes new events, and returns only after a failure; as JSON, it then writes
// one object per line.
command_run event_commands_list;

// Writes all about one event.
command_run event_commands_explain;

// Sends a test event and waits, at most ten seconds, until the receivers have it. Also refused if a
// receiver that should get the event does not have it by then.
command_run event_commands_test;

#endif
