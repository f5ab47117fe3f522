// SPDX-License-Identifier: BSD-2-Clause
// Reads the lines that a program appends to its log file. Finds its place again after a restart,
// when the file was renamed, and when the file was copied and truncated: the octets before the
// place tell the file. For one thread.
// Decides: From which line on does the gateway read the subnet manager's log?
#pragma once

#include "base/error.h"
#include "base/log.h"

enum {
    LOG_TAIL_LINE_MAX = 4096,     // octets of a line that are read; the rest is skipped
    LOG_TAIL_PLACE_SIZE = 256,    // as long as a cursor of systemd's journal
    LOG_TAIL_ROUND_MAX = 1 << 20, // octets of one round
    LOG_TAIL_FILES_MAX = 256,     // rotated files in which the place is looked for
};

struct log_tail;

// `place`: from log_tail_place of an earlier run; empty: the present end of the file. Both texts
// are copied, the log outlives the result. Opens nothing yet.
struct log_tail *log_tail_new(const char *path, const char *place, struct log *log);
void log_tail_free(struct log_tail *tail);

// Calls `each` for each line that has ended since, without its end, until `each` returns false,
// for LOG_TAIL_ROUND_MAX octets at most. A line for which `each` returned false comes again. True:
// there is more to read at once.
bool log_tail_round(struct log_tail *tail, bool (*each)(void *ctx, const char *line), void *ctx);

// The place behind the last line that `each` took; within `each`: behind the present line. Empty
// before the first round.
void log_tail_place(struct log_tail *tail, char out[LOG_TAIL_PLACE_SIZE]);
