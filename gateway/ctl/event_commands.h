// The commands about events.
#ifndef IBTRAPD_CTL_EVENT_COMMANDS_H
#define IBTRAPD_CTL_EVENT_COMMANDS_H

#include "ctl/command.h"

// Writes the events that the options choose, oldest first; without --since and --limit the last 50.
// With --follow it goes on with new ones and returns only when it cannot; in JSON that is one
// object a line.
command_run event_commands_list;

// Writes all about one event.
command_run event_commands_explain;

// Sends a test event and waits, at most ten seconds, until the receivers have it. Refused, too,
// when a receiver that should have it does not.
command_run event_commands_test;

#endif
