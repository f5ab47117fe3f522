// SPDX-License-Identifier: BSD-2-Clause
// Reads what this process uses, from the kernel.
#ifndef IBTRAPD_METRICS_PROCESS_USE_H
#define IBTRAPD_METRICS_PROCESS_USE_H

#include <stdint.h>

// A number that the kernel does not tell is -1.
struct process_use {
    int64_t cpu_us;                         // of all threads since the start, in both modes
    int64_t resident_bytes, virtual_bytes;  // memory
    int64_t descriptors, descriptors_limit; // open now; as many as may be open
};

void process_use_read(struct process_use *out);

#endif
