// SPDX-License-Identifier: BSD-2-Clause
// The commands about alarms.
#ifndef IBTRAPD_CTL_ALARM_COMMANDS_H
#define IBTRAPD_CTL_ALARM_COMMANDS_H

#include "ctl/command.h"

#include <jansson.h>

command_run alarm_commands_list;
command_run alarm_commands_acknowledge;
command_run alarm_commands_shelve;
command_run alarm_commands_clear;

// Writes a page of active alarms; the first has a head. Returns true.
bool alarm_commands_show(FILE *out, const json_t *page, bool first);

#endif
