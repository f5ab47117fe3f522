// SPDX-License-Identifier: BSD-2-Clause
// The commands about the fabric as it should be: a topology file is written, or compared with the
// fabric.
#ifndef IBTRAPD_CTL_EXPECTATION_COMMANDS_H
#define IBTRAPD_CTL_EXPECTATION_COMMANDS_H

#include "ctl/command.h"

command_run expectation_commands_save;
command_run expectation_commands_check;

#endif
