// SPDX-License-Identifier: BSD-2-Clause
// The command about links that fail again and again.
#ifndef IBTRAPD_CTL_LINK_COMMANDS_H
#define IBTRAPD_CTL_LINK_COMMANDS_H

#include "ctl/command.h"

command_run link_commands_list;

#endif
