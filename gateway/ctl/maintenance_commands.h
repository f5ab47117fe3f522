// `ibtrapctl maintenance ...`: times in which receivers hear nothing of nodes that are worked on.
#ifndef IBTRAPD_CTL_MAINTENANCE_COMMANDS_H
#define IBTRAPD_CTL_MAINTENANCE_COMMANDS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

// "90" minutes from now, or "2026-11-21T04:06:39Z". UTC, microseconds since 1970. False: neither.
bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out);

// Each asks the daemon on `socket`. False with a sentence when it refuses, or there is no answer.
// Without nodes, all are meant.
bool maintenance_commands_start(const char *socket, const char *name, int64_t until_us,
                                char *const *nodes, int node_count, struct error *err);
bool maintenance_commands_stop(const char *socket, const char *name, struct error *err);
bool maintenance_commands_list(FILE *out, const char *socket, bool json, struct error *err);

#endif
