// SPDX-License-Identifier: BSD-2-Clause
// The command "watch": alarms, receivers and events at a terminal, as they change.
#ifndef IBTRAPD_CTL_WATCH_COMMAND_H
#define IBTRAPD_CTL_WATCH_COMMAND_H

#include "ctl/command.h"

command_run watch_command;

#endif
