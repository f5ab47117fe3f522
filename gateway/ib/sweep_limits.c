// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_limits.h"

#include "base/clock.h"

enum {
    GROWTH = 4,
    NODES_LEAST = 1024,
    PORTS_LEAST = 16 * NODES_LEAST,
    PORTS_EACH = 8, // ports for each node: a fat tree of three levels has six
};
static const int64_t PART_US_LEAST = 60 * CLOCK_US_PER_S;

struct sweep_size sweep_limits_measure(const struct fabric *fabric)
{
    struct sweep_size size = {.nodes = fabric->node_count};
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        size.ports += node->type == FABRIC_SWITCH ? node->port_count + 1U : node->ports;
    }
    return size;
}

static uint32_t sweep_limits_grow(uint32_t expected, uint32_t least, uint64_t bound)
{
    uint64_t limit = (uint64_t)GROWTH * expected + least;
    return (uint32_t)(expected > 0 && limit < bound ? limit : bound);
}

struct sweep_limits sweep_limits_for(const struct sweep_size *expected,
                                     const struct sweep_bounds *bounds)
{
    if (bounds->nodes == 0)
        return (struct sweep_limits){0};
    struct sweep_limits limits = {
        .nodes = sweep_limits_grow(expected->nodes, NODES_LEAST, bounds->nodes),
        .ports = sweep_limits_grow(expected->ports, PORTS_LEAST,
                                   (uint64_t)PORTS_EACH * bounds->nodes + PORTS_LEAST),
        .part_us = PART_US_LEAST + expected->nodes * bounds->silent_us,
    };
    if (expected->nodes == 0 || bounds->part_us < limits.part_us)
        limits.part_us = bounds->part_us;
    return limits;
}
