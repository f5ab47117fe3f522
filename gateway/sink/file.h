// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `file`: writes one JSON object per line to a file or to standard output.
//
// Decides: When does a file receiver have an event?
#pragma once

#include "sink/sink.h"

// Fills `out`. The path stays the caller's and outlives the sink; "-" is standard output, which is
// not synced. With `fsync`, an event is sent when the disk has its line; lines that wait together
// share a sync. Otherwise an event is sent when the kernel has its line.
//
// Creates a missing file, writable by its owner and readable by its group. After `reopen`, opens
// the file again for the next event. Removes a line that could not be written whole, and ends an
// unfinished last line. The caller blocks or ignores SIGPIPE in the receiver's thread.
void file_sink(struct sink *out, const char *name, const char *path, bool fsync);

// Whether this process could write to the path now; "-" is always good. Neither creates nor waits.
// Returns false with advice in a sentence.
bool file_sink_check(const char *path, struct error *err);

// Writes whole lines to standard output, which may be a pipe without a reader.
// Writes all octets; the last octet is a line feed. Waits up to four seconds for a reader. Returns
// false with a sentence if a part of the line may be missing; the next call ends this line first.
bool output_write(const char *octets, size_t size, struct error *err);
