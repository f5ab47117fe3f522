// SPDX-License-Identifier: BSD-2-Clause
// How much a sweep may find, and how long it may take: relative to how large the fabric is expected
// to be, so that a switch that makes up nodes is stopped soon. Pure.
#ifndef IBTRAPD_IB_SWEEP_LIMITS_H
#define IBTRAPD_IB_SWEEP_LIMITS_H

#include "model/fabric.h"

// A limit of 0 does not limit.
struct sweep_limits {
    uint32_t nodes, ports; // that sweep_smp finds
    int64_t part_us;       // that each part takes
};

// The size of a fabric. The ports of each switch are as many as its NodeInfo says, and port 0;
// those of other nodes are the linked ones. Zero: not known.
struct sweep_size {
    uint32_t nodes, ports;
};

struct sweep_size sweep_limits_measure(const struct fabric *fabric);

// What the limits never exceed, and how long a node takes that does not answer, with as many others
// as are asked at a time.
struct sweep_bounds {
    uint32_t nodes; // 0: there are no limits
    int64_t part_us;
    int64_t silent_us;
};

// Four times the expected size and 1,024 nodes, and the time in which as many nodes as expected do
// not answer, and a minute; at most the bounds, which also hold if no size is expected. So three
// liars can have as many nodes as the whole fabric before the others are too late.
struct sweep_limits sweep_limits_for(const struct sweep_size *expected,
                                     const struct sweep_bounds *bounds);

#endif
