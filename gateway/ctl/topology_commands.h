// `ibtrapctl topology ...`: the fabric as ibtrapd knows it, and as it was.
#ifndef IBTRAPD_CTL_TOPOLOGY_COMMANDS_H
#define IBTRAPD_CTL_TOPOLOGY_COMMANDS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

// Each asks the daemon on `socket`. Snapshots are told by number; 0: the fabric as it is now. False
// with a sentence when there is no answer, or what was asked for is not there; part may have been
// written then.

// Nodes and links in the form of ibnetdiscover(8); with `json` all that is known of them.
bool topology_commands_show(FILE *out, const char *socket, int64_t snapshot, bool json,
                            struct error *err);

// The snapshots that are kept.
bool topology_commands_list(FILE *out, const char *socket, bool json, struct error *err);

// What changed from one to the other, a sentence a line.
bool topology_commands_diff(FILE *out, const char *socket, int64_t from, int64_t to, bool json,
                            struct error *err);

#endif
