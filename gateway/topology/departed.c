// SPDX-License-Identifier: BSD-2-Clause
#include "topology/departed.h"

#include "topology/describe.h"

void departed_ports_remember(struct departed_ports *departed, const struct systems *systems,
                             const struct fabric *after, const struct names *names)
{
    const struct fabric *before = systems->fabric;
    uint32_t b = 0;
    for (uint32_t a = 0; a < before->port_guid_count; a++) {
        uint64_t guid = before->port_guids[a].guid;
        while (b < after->port_guid_count && after->port_guids[b].guid < guid)
            b++;
        if (b < after->port_guid_count && after->port_guids[b].guid == guid)
            continue;
        struct endpoint *slot = &departed->ports[departed->next++ % DEPARTED_PORTS_MAX];
        *slot = (struct endpoint){0};
        describe_port(before, before->port_guids[a].port, names, slot);
        describe_system(systems, slot);
        slot->lid = 0;
    }
}

const struct endpoint *departed_ports_find(const struct departed_ports *departed, uint64_t guid)
{
    for (size_t back = 1; back <= DEPARTED_PORTS_MAX && back <= departed->next; back++) {
        const struct endpoint *port =
            &departed->ports[(departed->next - back) % DEPARTED_PORTS_MAX];
        if (port->guid == guid || port->node_guid == guid)
            return port;
    }
    return NULL;
}
