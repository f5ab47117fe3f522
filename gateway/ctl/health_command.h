// SPDX-License-Identifier: BSD-2-Clause
// The command "health": the verdict on the gateway, as monitoring plugins give it.
#ifndef IBTRAPD_CTL_HEALTH_COMMAND_H
#define IBTRAPD_CTL_HEALTH_COMMAND_H

#include "ctl/command.h"

command_run health_command;

#endif
