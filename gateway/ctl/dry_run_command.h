// `ibtrapctl dry-run`: which events would go where under another configuration.
#ifndef IBTRAPD_CTL_DRY_RUN_COMMAND_H
#define IBTRAPD_CTL_DRY_RUN_COMMAND_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

// Sends the text of the file `path` to the daemon on `socket`; `events`: how many of the journal's
// last ones; 0: as many as the daemon thinks. False with a sentence when the file cannot be read or
// is no good configuration, or there is no answer.
bool dry_run_command(FILE *out, const char *socket, const char *path, int64_t events, bool json,
                     struct error *err);

#endif
