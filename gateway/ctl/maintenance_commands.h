// SPDX-License-Identifier: BSD-2-Clause
// The commands about maintenance windows: times in which events about some nodes are suppressed.
#ifndef IBTRAPD_CTL_MAINTENANCE_COMMANDS_H
#define IBTRAPD_CTL_MAINTENANCE_COMMANDS_H

#include "ctl/command.h"

#include <stdint.h>

command_run maintenance_commands_start; // without patterns: all nodes
command_run maintenance_commands_stop;
command_run maintenance_commands_list;

// Reads the end of a window: "90" minutes after `now_us`, or "2026-11-21T04:06:39Z". UTC,
// microseconds since 1970. False: the text is neither.
bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out);

#endif
