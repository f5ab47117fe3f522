// SPDX-License-Identifier: BSD-2-Clause
// Writes whole lines to standard output, which may be a pipe without a reader.
#ifndef IBTRAPD_SINK_OUTPUT_H
#define IBTRAPD_SINK_OUTPUT_H

#include "base/error.h"

#include <stddef.h>

// Writes all octets; the last one is a line feed. Waits up to four seconds for a reader. False with
// a sentence: a part of the line may be written; the next call ends it first.
bool output_write(const char *octets, size_t size, struct error *err);

#endif
