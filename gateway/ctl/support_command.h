// SPDX-License-Identifier: BSD-2-Clause
// The command "support": all that a developer needs to know of a gateway, in one file, without
// secrets.
#ifndef IBTRAPD_CTL_SUPPORT_COMMAND_H
#define IBTRAPD_CTL_SUPPORT_COMMAND_H

#include "ctl/command.h"

command_run support_command;

#endif
