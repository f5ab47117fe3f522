// SPDX-License-Identifier: BSD-2-Clause
#include "topology/planes.h"

#include "topology/describe.h"

enum { PLANES_IN_A_ROW = 4, PLANES_ONE_LANE = 1 };

static bool planes_is_linked(const struct fabric *fabric, uint32_t port)
{
    return fabric->ports[port].peer_node != FABRIC_NONE;
}

static void planes_add(const struct fabric *fabric, struct planes *planes, uint32_t port)
{
    const bool linked = planes_is_linked(fabric, port);
    if (planes->count < PLANES_MAX)
        planes->ports[planes->count] = port;
    planes->linked = linked && planes->linked == FABRIC_NONE ? port : planes->linked;
    planes->count++;
    planes->active += linked;
}

static struct planes planes_alone(const struct fabric *fabric, uint32_t port)
{
    struct planes planes = {.linked = FABRIC_NONE};
    if (port != FABRIC_NONE)
        planes_add(fabric, &planes, port);
    return planes;
}

static struct planes planes_of_host(const struct fabric *fabric, uint32_t port)
{
    struct planes planes = {.linked = FABRIC_NONE};
    const struct fabric_node *n = &fabric->nodes[fabric_node_of_port(fabric, port)];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric->ports[i].guid == fabric->ports[port].guid)
            planes_add(fabric, &planes, i);
    }
    return planes;
}

// The group of the port in its box.
static struct planes planes_of_box(const struct systems *systems, uint32_t port)
{
    struct planes planes = {.linked = FABRIC_NONE};
    const struct fabric *fabric = systems->fabric;
    const uint32_t node = fabric_node_of_port(fabric, port);
    const struct system *box = systems_of(systems, node);
    const uint8_t number = fabric->ports[port].number;
    for (uint32_t i = box->first; i < box->first + box->count && planes.count <= PLANES_MAX; i++) {
        const uint32_t part = systems->parts[i];
        const uint32_t at = fabric_find_port(fabric, part, number);
        if (fabric->nodes[part].type == FABRIC_SWITCH && at != FABRIC_NONE)
            planes_add(fabric, &planes, at);
    }
    if (planes.count > 1)
        return planes;
    planes = (struct planes){.linked = FABRIC_NONE};
    const unsigned first = (number - 1U) / PLANES_IN_A_ROW * PLANES_IN_A_ROW + 1;
    for (unsigned i = first; i < first + PLANES_IN_A_ROW; i++) {
        const uint32_t at = fabric_find_port(fabric, node, (uint8_t)i);
        if (at != FABRIC_NONE)
            planes_add(fabric, &planes, at);
    }
    return planes;
}

static bool planes_may_be(const struct fabric *fabric, uint32_t port)
{
    const struct fabric_port *p = &fabric->ports[port];
    return p->number != 0 && (p->speed_supported & FABRIC_XDR) &&
           (!planes_is_linked(fabric, port) || p->width_active == PLANES_ONE_LANE);
}

static bool planes_has(const struct planes *planes, uint32_t port)
{
    for (unsigned i = 0; i < planes->count; i++) {
        if (planes->ports[i] == port)
            return true;
    }
    return false;
}

// Whether each link of a group leads to the other group, and the ports may be planes.
static bool planes_lead_to(const struct fabric *fabric, const struct planes *planes,
                           const struct planes *others)
{
    for (unsigned i = 0; i < planes->count; i++) {
        const uint32_t port = planes->ports[i];
        if (!planes_may_be(fabric, port) ||
            (planes_is_linked(fabric, port) && !planes_has(others, fabric_peer(fabric, port))))
            return false;
    }
    return true;
}

static struct planes planes_of_switch(const struct systems *systems, uint32_t port)
{
    const struct fabric *fabric = systems->fabric;
    if (!planes_may_be(fabric, port))
        return planes_alone(fabric, port);
    const struct planes near = planes_of_box(systems, port);
    const uint32_t peer = fabric_peer(fabric, near.linked);
    if (peer == FABRIC_NONE ||
        fabric->nodes[fabric_node_of_port(fabric, peer)].type != FABRIC_SWITCH ||
        planes_has(&near, peer))
        return planes_alone(fabric, port);
    const struct planes far = planes_of_box(systems, peer);
    if (near.count != far.count || near.count > PLANES_MAX ||
        !planes_lead_to(fabric, &near, &far) || !planes_lead_to(fabric, &far, &near))
        return planes_alone(fabric, port);
    return near.ports[0] < far.ports[0] ? near : far;
}

struct planes planes_of(const struct systems *systems, uint32_t port)
{
    const struct fabric *fabric = systems->fabric;
    if (port == FABRIC_NONE)
        return planes_alone(fabric, port);
    if (fabric->nodes[fabric_node_of_port(fabric, port)].type == FABRIC_SWITCH)
        return planes_of_switch(systems, port);
    const struct planes planes = planes_of_host(fabric, port);
    return fabric->ports[port].guid != 0 && planes.count <= PLANES_MAX ? planes
                                                                       : planes_alone(fabric, port);
}

bool planes_are_missing(const struct planes *planes)
{
    return planes->active > 0 && planes->active < planes->count;
}

void planes_describe(struct text *text, const struct fabric *fabric, const struct planes *planes,
                     const struct names *names)
{
    unsigned named = 0;
    text_addf(text, "%u of %u planes", planes->active, planes->count);
    for (unsigned i = 0; i < planes->count; i++) {
        const uint32_t port = planes->ports[i];
        struct endpoint end;
        if (planes_is_linked(fabric, port))
            continue;
        text_add(text, named++ > 0 ? ", " : "; no link at ");
        describe_port(fabric, port, names, &end);
        if (end.type == FABRIC_SWITCH)
            describe_add_port(text, &end);
        else
            text_addf(text, "port %u", fabric->ports[port].number);
    }
}
