// SPDX-License-Identifier: BSD-2-Clause
// The commands about SNMP contexts.
#ifndef IBTRAPD_CTL_CONTEXT_COMMANDS_H
#define IBTRAPD_CTL_CONTEXT_COMMANDS_H

#include "ctl/command.h"

command_run context_commands_list, context_commands_communities;

#endif
