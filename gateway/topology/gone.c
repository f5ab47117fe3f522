#include "topology/gone.h"

#include "topology/changes.h"

void gone_remember(struct gone *gone, const struct fabric *before, const struct fabric *after,
                   const struct names *names)
{
    uint32_t b = 0;
    for (uint32_t a = 0; a < before->port_guid_count; a++) {
        uint64_t guid = before->port_guids[a].guid;
        while (b < after->port_guid_count && after->port_guids[b].guid < guid)
            b++;
        if (b < after->port_guid_count && after->port_guids[b].guid == guid)
            continue;
        struct endpoint *slot = &gone->ports[gone->next++ % GONE_MAX];
        *slot = (struct endpoint){0};
        changes_describe_port(before, before->port_guids[a].port, names, slot);
        slot->lid = 0;
    }
}

const struct endpoint *gone_find(const struct gone *gone, uint64_t guid)
{
    for (size_t back = 1; back <= GONE_MAX && back <= gone->next; back++) {
        const struct endpoint *port = &gone->ports[(gone->next - back) % GONE_MAX];
        if (port->guid == guid || port->node_guid == guid)
            return port;
    }
    return NULL;
}
