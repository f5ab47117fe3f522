// SPDX-License-Identifier: BSD-2-Clause
// The command "topology" as a picture, with --dot or --svg.
#ifndef IBTRAPD_CTL_PICTURE_COMMAND_H
#define IBTRAPD_CTL_PICTURE_COMMAND_H

#include "ctl/command.h"

// Whether the arguments ask for a picture.
bool picture_command_wanted(const struct arguments *a);

command_run picture_command;

#endif
