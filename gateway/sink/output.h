// Whole lines to standard output, which may be a pipe that nobody reads.
#ifndef IBTRAPD_SINK_OUTPUT_H
#define IBTRAPD_SINK_OUTPUT_H

#include "base/error.h"

#include <stddef.h>

// Writes all octets, the last of which is a newline. Waits up to four seconds for a reader. False
// with a sentence; then the line may stand there in part, and the next call ends it first.
bool output_write(const char *octets, size_t size, struct error *err);

#endif
