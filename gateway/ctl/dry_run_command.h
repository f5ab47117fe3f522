// `ibtrapctl dry-run`: which events each receiver would get under another configuration.
#ifndef IBTRAPD_CTL_DRY_RUN_COMMAND_H
#define IBTRAPD_CTL_DRY_RUN_COMMAND_H

#include "ctl/command.h"

// Sends the text of the file to the daemon. Refused, too, when the file cannot be read or is no
// good configuration.
command_run dry_run_command;

#endif
