// SPDX-License-Identifier: BSD-2-Clause
// A port, a subnet manager and a whole fabric in the benchmark's own process, instead of
// libibumad's port. The fabric is a fat tree that answers sweeps and counter readings, changes
// between them, and sends Reports of many kinds at a rate. The inner fabric replaces fabrics beyond
// a simulator's size. Its memory is shared memory (RssShmem): all other memory belongs to the
// gateway.
#pragma once

#include "ib/mad_io.h"

struct inner_fabric;

struct inner_fabric_options {
    uint32_t hosts;
    uint32_t changes; // hosts that are down in a sweep and up again in the next
    double rate;      // Reports a second; 0: none
    uint32_t window;  // unanswered Reports at most
};

// Call it before any thread starts. NULL: out of memory.
struct inner_fabric *inner_fabric_new(const struct inner_fabric_options *options);
void inner_fabric_free(struct inner_fabric *f);

struct mad_opener inner_fabric_opener(struct inner_fabric *f);
