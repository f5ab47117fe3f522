// SPDX-License-Identifier: BSD-2-Clause
// `ibtrapctl dry-run`: which events each receiver would get under another configuration.
#ifndef IBTRAPD_CTL_DRY_RUN_COMMAND_H
#define IBTRAPD_CTL_DRY_RUN_COMMAND_H

#include "ctl/command.h"

// Sends the text of the file to the daemon. Also refused if the file cannot be read or is not a
// valid configuration.
command_run dry_run_command;

#endif
