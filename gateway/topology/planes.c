// SPDX-License-Identifier: BSD-2-Clause
#include "topology/planes.h"

static bool planes_is_one(const struct fabric *fabric, uint32_t port, uint32_t other)
{
    return port == other ||
           (fabric->ports[port].guid != 0 && fabric->ports[port].guid == fabric->ports[other].guid);
}

struct planes planes_of(const struct fabric *fabric, uint32_t port)
{
    struct planes planes = {.first = FABRIC_NONE, .linked = FABRIC_NONE};
    if (port == FABRIC_NONE)
        return planes;
    const struct fabric_node *n = &fabric->nodes[fabric_node_of_port(fabric, port)];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (!planes_is_one(fabric, port, i))
            continue;
        const bool linked = fabric->ports[i].peer_node != FABRIC_NONE;
        planes.first = planes.first == FABRIC_NONE ? i : planes.first;
        planes.linked = linked && planes.linked == FABRIC_NONE ? i : planes.linked;
        planes.count++;
        planes.active += linked;
    }
    return planes;
}

bool planes_are_missing(const struct planes *planes)
{
    return planes->active > 0 && planes->active < planes->count;
}

void planes_describe(struct text *text, const struct fabric *fabric, const struct planes *planes)
{
    const struct fabric_node *n = &fabric->nodes[fabric_node_of_port(fabric, planes->first)];
    unsigned named = 0;
    text_addf(text, "%u of %u planes", planes->active, planes->count);
    for (uint32_t i = planes->first; i < n->first_port + n->ports; i++) {
        if (planes_is_one(fabric, planes->first, i) && fabric->ports[i].peer_node == FABRIC_NONE)
            text_addf(text, "%s%u", named++ > 0 ? ", " : "; no link at port ",
                      fabric->ports[i].number);
    }
}
