// SPDX-License-Identifier: BSD-2-Clause
// The commands about the gateway as a whole.
#ifndef IBTRAPD_CTL_GATEWAY_COMMANDS_H
#define IBTRAPD_CTL_GATEWAY_COMMANDS_H

#include "ctl/command.h"

command_run gateway_commands_status;
command_run gateway_commands_catalogue;
command_run gateway_commands_log;
command_run gateway_commands_reload;

// Sends a command that takes no items and reports nothing.
command_run gateway_commands_send;

#endif
