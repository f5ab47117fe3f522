// SPDX-License-Identifier: BSD-2-Clause
// The commands about receivers.
#ifndef IBTRAPD_CTL_RECEIVER_COMMANDS_H
#define IBTRAPD_CTL_RECEIVER_COMMANDS_H

#include "ctl/command.h"

#include <jansson.h>

command_run receiver_commands_list;

// Pauses, resumes or flushes a receiver, as `wire` of the command's row says.
command_run receiver_commands_change;

// Writes the receivers of the answer, with a head if it is the first page. Returns true.
bool receiver_commands_show(FILE *out, const json_t *answer, bool first);

#endif
