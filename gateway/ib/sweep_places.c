// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_places.h"

bool sweep_places_now(struct fabric_builder *builder, uint32_t node, uint8_t port,
                      struct sweep_place *out)
{
    unsigned count = fabric_builder_get(builder, node)->port_count;
    for (unsigned i = 0; i <= count; i++) { // `port` first
        uint8_t number = (uint8_t)(i == 0 ? port : i);
        const struct fabric_port *p = fabric_builder_get_port(builder, node, number);
        if (p && p->peer_node != FABRIC_NONE) {
            *out = (struct sweep_place){p->peer_node, p->peer_port};
            return true;
        }
    }
    return false;
}

// Whether the port of the known node, by its GUID, can still lead where it did before.
static bool sweep_places_is_open(struct fabric_builder *builder, uint64_t guid, uint8_t number)
{
    uint32_t node = fabric_builder_find(builder, guid);
    const struct fabric_port *port =
        node != FABRIC_NONE ? fabric_builder_get_port(builder, node, number) : NULL;
    bool down = port && port->known && port->state == FABRIC_DOWN;
    return !port || (!down && port->peer_node == FABRIC_NONE);
}

bool sweep_places_may_be_elsewhere(const struct fabric *known, struct fabric_builder *builder,
                                   uint64_t guid, const struct sweep_place *place)
{
    uint32_t number = known ? fabric_find_node(known, guid) : FABRIC_NONE;
    if (number == FABRIC_NONE)
        return false;
    const uint64_t here = fabric_builder_get(builder, place->node)->guid;
    const struct fabric_node *node = &known->nodes[number];
    bool may = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const struct fabric_port *port = &known->ports[i];
        if (port->peer_node == FABRIC_NONE)
            continue;
        uint64_t peer = known->nodes[port->peer_node].guid;
        if (peer == here && port->peer_port == place->port)
            return false;
        may = may || sweep_places_is_open(builder, peer, port->peer_port);
    }
    return may;
}
