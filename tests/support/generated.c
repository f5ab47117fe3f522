// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"

#include "model/fabric_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void need_true(bool ok)
{
    if (!ok)
        abort();
}

uint64_t generated_next(struct generated_chance *chance)
{
    uint64_t x = chance->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint32_t generated_below(struct generated_chance *chance, uint32_t limit)
{
    return (uint32_t)(generated_next(chance) >> 32) % limit;
}

void generated_clear(struct generated *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        free(g->nodes[i].ports);
    free(g->nodes);
    free(g->sms);
    free(g->controllers);
    *g = (struct generated){0};
}

// Consecutive numbers get GUIDs that are not consecutive.
static uint64_t made_guid(uint32_t number)
{
    uint64_t reversed = 0;
    for (unsigned bit = 0; bit < 24; bit++)
        reversed |= (uint64_t)(number >> bit & 1) << (23 - bit);
    return UINT64_C(0x0002C90300000000) | reversed << 4;
}

static uint16_t next_lid(struct generated *g)
{
    return g->last_lid < 0xBFFF ? ++g->last_lid : 0;
}

static struct fabric_port made_port(const struct fabric_node *node, uint8_t number)
{
    return (struct fabric_port){
        .number = number,
        .known = true,
        .state = FABRIC_DOWN,
        .physical = 2,
        .width_enabled = 3,
        .width_supported = 3,
        .speed_enabled = FABRIC_EDR * 2 - 1,
        .speed_supported = FABRIC_EDR * 2 - 1,
        .guid = node->type != FABRIC_SWITCH ? node->guid + number
                : number == 0               ? node->guid
                                            : 0,
        .peer_node = FABRIC_NONE,
    };
}

uint32_t generated_add(struct generated *g, enum fabric_type type, uint64_t guid, const char *name,
                       uint8_t ports)
{
    if (g->count == g->capacity) {
        g->capacity = g->capacity > 0 ? g->capacity * 2 : 64;
        g->nodes = need(realloc(g->nodes, g->capacity * sizeof *g->nodes));
    }
    struct generated_node *n = &g->nodes[g->count];
    *n = (struct generated_node){.node.guid = guid ? guid : made_guid(g->count + 1)};
    n->node.system_guid = n->node.guid + 3;
    n->node.type = (uint8_t)type;
    n->node.port_count = ports;
    n->node.vendor = 0x2C9;
    n->node.device = type == FABRIC_SWITCH ? 0xCF08 : 0x1017;
    snprintf(n->node.description, sizeof n->node.description, "%s", name);
    n->ports = need(calloc(ports + 1u, sizeof *n->ports));
    for (unsigned i = 0; i <= ports; i++)
        n->ports[i].port = made_port(&n->node, (uint8_t)i);
    if (type == FABRIC_SWITCH) {
        n->ports[0].port.state = FABRIC_ACTIVE;
        n->ports[0].port.lid = next_lid(g);
    } else {
        n->ports[0].absent = true;
    }
    return g->count++;
}

struct fabric_port *generated_port(struct generated *g, uint32_t node, uint8_t number)
{
    return &g->nodes[node].ports[number].port;
}

void generated_unlink(struct generated *g, uint32_t node, uint8_t number)
{
    struct fabric_port *port = generated_port(g, node, number);
    if (port->peer_node == FABRIC_NONE)
        return;
    struct fabric_port *peer = generated_port(g, port->peer_node, port->peer_port);
    port->state = peer->state = FABRIC_DOWN;
    port->physical = peer->physical = 2;
    port->width_active = peer->width_active = 0;
    port->speed_active = peer->speed_active = 0;
    port->peer_node = peer->peer_node = FABRIC_NONE;
    port->peer_port = peer->peer_port = 0;
}

static void connect(struct generated *g, uint32_t node, uint8_t number, uint32_t peer,
                    uint8_t peer_port)
{
    struct fabric_port *port = generated_port(g, node, number);
    port->state = FABRIC_ACTIVE;
    port->physical = 5;
    port->width_active = 2;
    port->speed_active = FABRIC_EDR;
    port->peer_node = peer;
    port->peer_port = peer_port;
    if (g->nodes[node].node.type != FABRIC_SWITCH && port->lid == 0)
        port->lid = next_lid(g);
}

void generated_link(struct generated *g, uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b)
{
    generated_unlink(g, a, port_a);
    generated_unlink(g, b, port_b);
    connect(g, a, port_a, b, port_b);
    connect(g, b, port_b, a, port_a);
}

static void remove_services(struct generated *g, uint32_t node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        if (g->sms[i].node != node)
            g->sms[kept++] = g->sms[i];
    }
    g->sm_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < g->controller_count; i++) {
        if (g->controllers[i].node != node)
            g->controllers[kept++] = g->controllers[i];
    }
    g->controller_count = kept;
}

void generated_remove(struct generated *g, uint32_t node)
{
    for (unsigned i = 0; i <= g->nodes[node].node.port_count; i++)
        generated_unlink(g, node, (uint8_t)i);
    g->nodes[node].removed = true;
    remove_services(g, node);
}

void generated_rename(struct generated *g, uint32_t node, const char *name)
{
    struct fabric_node *n = &g->nodes[node].node;
    snprintf(n->description, sizeof n->description, "%s", name);
}

void generated_sm(struct generated *g, uint32_t node, uint8_t port, uint8_t priority, uint8_t state)
{
    struct fabric_port *p = generated_port(g, node, port);
    uint32_t i = 0;
    while (i < g->sm_count && (g->sms[i].node != node || g->sms[i].port != port))
        i++;
    if (i == g->sm_count)
        g->sms = need(realloc(g->sms, ++g->sm_count * sizeof *g->sms));
    g->sms[i] = (struct fabric_sm){.guid = p->guid,
                                   .node = node,
                                   .port = port,
                                   .lid = p->lid,
                                   .priority = priority,
                                   .state = state};
    p->capabilities |= FABRIC_IS_SM;
}

void generated_controller(struct generated *g, uint32_t node, uint8_t slot, uint64_t guid,
                          const char *name)
{
    g->controllers =
        need(realloc(g->controllers, (g->controller_count + 1) * sizeof *g->controllers));
    struct fabric_controller *controller = &g->controllers[g->controller_count++];
    *controller = (struct fabric_controller){.guid = guid, .node = node, .slot = slot};
    snprintf(controller->name, sizeof controller->name, "%s", name);
    generated_port(g, node, 1)->capabilities |= FABRIC_IS_DM;
}

static uint32_t add_named(struct generated *g, enum fabric_type type, const char *prefix,
                          uint32_t number, const char *suffix, uint8_t ports)
{
    char name[64];
    snprintf(name, sizeof name, "%s%u%s", prefix, number, suffix);
    return generated_add(g, type, 0, name, ports);
}

// Each pod: `half` leaves, each linked to the pod's `half` aggregating switches; port j + 1 of a
// leaf is its host j, port half + j + 1 its uplink to switch j.
static void add_pod(struct generated *g, uint32_t pod, uint32_t hosts, uint8_t half, uint32_t *aggs)
{
    for (uint32_t j = 0; j < half; j++)
        aggs[j] = add_named(g, FABRIC_SWITCH, "agg", pod * half + j, "", (uint8_t)(2 * half));
    for (uint32_t i = 0; i < half && i * half < hosts; i++) {
        uint32_t leaf =
            add_named(g, FABRIC_SWITCH, "leaf", pod * half + i, "", (uint8_t)(2 * half));
        for (uint32_t j = 0; j < half; j++)
            generated_link(g, leaf, (uint8_t)(half + j + 1), aggs[j], (uint8_t)(i + 1));
        for (uint32_t j = 0; j < half && i * half + j < hosts; j++) {
            uint32_t number = (pod * half + i) * half + j;
            uint32_t host = add_named(g, FABRIC_CA, "node", number, " HCA-1", 1);
            generated_link(g, host, 1, leaf, (uint8_t)(j + 1));
        }
    }
}

// Uplink u of the aggregating switches j of all pods goes to the spines of group j, in turn.
static void add_spines(struct generated *g, uint32_t pods, uint8_t half, const uint32_t *aggs)
{
    uint32_t per_group = (pods + 1) / 2;
    for (uint32_t j = 0; j < half; j++) {
        uint32_t first = g->count;
        for (uint32_t i = 0; i < per_group; i++)
            add_named(g, FABRIC_SWITCH, "spine", j * per_group + i, "", (uint8_t)(2 * half));
        for (uint32_t k = 0; k < pods * half; k++)
            generated_link(g, aggs[k / half * half + j], (uint8_t)(half + k % half + 1),
                           first + k % per_group, (uint8_t)(k / per_group + 1));
    }
}

void generated_fat_tree(struct generated *g, uint32_t hosts, uint8_t half)
{
    uint32_t per_pod = (uint32_t)half * half, pods = (hosts + per_pod - 1) / per_pod;
    uint32_t *aggs = need(malloc((size_t)pods * half * sizeof *aggs));
    for (uint32_t pod = 0; pod < pods; pod++) {
        uint32_t left = hosts - pod * per_pod;
        add_pod(g, pod, left < per_pod ? left : per_pod, half, aggs + pod * half);
    }
    add_spines(g, pods, half, aggs);
    free(aggs);
}

// Picks a random linked or unlinked external port of a node that exists. False: none was found.
static bool pick_port(const struct generated *g, struct generated_chance *chance, bool linked,
                      uint32_t *node, uint8_t *number)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        *node = generated_below(chance, g->count);
        const struct generated_node *n = &g->nodes[*node];
        *number = (uint8_t)(1 + generated_below(chance, n->node.port_count));
        const struct generated_port *port = &n->ports[*number];
        if (!n->removed && !port->absent && (port->port.peer_node != FABRIC_NONE) == linked)
            return true;
    }
    return false;
}

static void link_by_chance(struct generated *g, struct generated_chance *chance)
{
    uint32_t a, b;
    uint8_t port_a, port_b;
    if (pick_port(g, chance, false, &a, &port_a) && pick_port(g, chance, false, &b, &port_b) &&
        a != b)
        generated_link(g, a, port_a, b, port_b);
}

// Links a node to a random switch.
static void hang(struct generated *g, struct generated_chance *chance, uint32_t node, uint8_t port)
{
    uint32_t peer;
    uint8_t peer_port;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        if (pick_port(g, chance, false, &peer, &peer_port) && peer != node &&
            g->nodes[peer].node.type == FABRIC_SWITCH) {
            generated_link(g, node, port, peer, peer_port);
            return;
        }
    }
}

static void add_by_chance(struct generated *g, struct generated_chance *chance)
{
    static const enum fabric_type TYPES[] = {FABRIC_SWITCH, FABRIC_SWITCH, FABRIC_CA,
                                             FABRIC_CA,     FABRIC_CA,     FABRIC_CA,
                                             FABRIC_CA,     FABRIC_ROUTER};
    enum fabric_type type = TYPES[generated_below(chance, 8)];
    uint8_t ports = (uint8_t)(type == FABRIC_SWITCH ? 8 : 1 + generated_below(chance, 2));
    uint32_t node = add_named(g, type, type == FABRIC_SWITCH ? "switch" : "host",
                              generated_below(chance, 40), "", ports);
    for (unsigned i = 1; i <= ports && i <= 2; i++)
        hang(g, chance, node, (uint8_t)i);
    if (type == FABRIC_CA && generated_below(chance, 4) == 0)
        generated_sm(g, node, 1, (uint8_t)generated_below(chance, 16),
                     (uint8_t)generated_below(chance, 4));
    if (type == FABRIC_CA && generated_below(chance, 4) == 0)
        generated_controller(g, node, (uint8_t)(1 + generated_below(chance, 3)),
                             generated_next(chance), "SRP.T10");
}

void generated_random(struct generated *g, struct generated_chance *chance)
{
    add_named(g, FABRIC_SWITCH, "switch", 0, "", 8);
    uint32_t nodes = 3 + generated_below(chance, 30), links = generated_below(chance, 10);
    for (uint32_t i = 0; i < nodes; i++)
        add_by_chance(g, chance);
    for (uint32_t i = 0; i < links; i++)
        link_by_chance(g, chance);
}

static void mutate_port(struct generated *g, struct generated_chance *chance)
{
    uint32_t node;
    uint8_t number;
    if (!pick_port(g, chance, true, &node, &number))
        return;
    struct fabric_port *port = generated_port(g, node, number);
    switch (generated_below(chance, 6)) {
    case 0:
        port->width_active = 1;
        break;
    case 1:
        port->speed_active = FABRIC_SDR;
        break;
    case 2:
        port->lid = next_lid(g);
        break;
    case 3:
        port->capabilities ^= FABRIC_IS_SM;
        break;
    case 4:
        port->capabilities ^= FABRIC_IS_DM;
        break;
    default:
        port->known = !port->known;
        break;
    }
}

static void mutate_once(struct generated *g, struct generated_chance *chance)
{
    uint32_t node = generated_below(chance, g->count);
    uint8_t number;
    switch (generated_below(chance, 8)) {
    case 0:
        add_by_chance(g, chance);
        break;
    case 1:
        generated_remove(g, node);
        break;
    case 2:
        generated_rename(g, node, "renamed");
        break;
    case 3:
        if (pick_port(g, chance, true, &node, &number))
            generated_unlink(g, node, number);
        break;
    case 4:
        if (pick_port(g, chance, true, &node, &number))
            hang(g, chance, node, number);
        break;
    case 5:
        g->nodes[node].ports[g->nodes[node].node.port_count].absent ^=
            g->nodes[node].ports[g->nodes[node].node.port_count].port.peer_node == FABRIC_NONE;
        break;
    case 6:
        link_by_chance(g, chance);
        break;
    default:
        mutate_port(g, chance);
        break;
    }
}

void generated_mutate(struct generated *g, struct generated_chance *chance)
{
    uint32_t count = generated_below(chance, 8);
    for (uint32_t i = 0; i < count; i++)
        mutate_once(g, chance);
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
    struct generated_chance chance = {seed};
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; seed != 0 && i > 1; i--) {
        uint32_t j = generated_below(&chance, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void look_at_node(struct fabric_builder *builder, const struct generated_node *n,
                         bool backwards)
{
    uint32_t number = fabric_builder_node(builder, &n->node);
    need_true(number != FABRIC_NONE);
    unsigned last = n->node.port_count;
    for (unsigned i = 0; i <= last; i++) {
        const struct generated_port *port = &n->ports[backwards ? last - i : i];
        if (!port->absent)
            need_true(fabric_builder_port(builder, number, &port->port));
    }
}

static void look_at_links(struct fabric_builder *builder, const struct generated *g, uint32_t node)
{
    const struct generated_node *n = &g->nodes[node];
    uint32_t number = fabric_builder_find(builder, n->node.guid);
    for (unsigned i = 0; i <= n->node.port_count; i++) {
        const struct fabric_port *port = &n->ports[i].port;
        if (port->peer_node == FABRIC_NONE)
            continue;
        uint32_t peer = fabric_builder_find(builder, g->nodes[port->peer_node].node.guid);
        need_true(fabric_builder_link(builder, number, port->number, peer, port->peer_port));
    }
}

static void look_at_services(struct fabric_builder *builder, const struct generated *g)
{
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct fabric_sm sm = g->sms[i];
        sm.node = fabric_builder_find(builder, g->nodes[sm.node].node.guid);
        need_true(fabric_builder_sm(builder, &sm));
    }
    for (uint32_t i = 0; i < g->controller_count; i++) {
        struct fabric_controller controller = g->controllers[i];
        controller.node = fabric_builder_find(builder, g->nodes[controller.node].node.guid);
        need_true(fabric_builder_controller(builder, &controller));
    }
}

struct fabric *generated_look(const struct generated *g, uint64_t order)
{
    struct fabric_builder *builder = need(fabric_builder_new());
    uint32_t *nodes = need(malloc((g->count + 1) * sizeof *nodes));
    shuffle(nodes, g->count, order);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->nodes[nodes[i]].removed)
            look_at_node(builder, &g->nodes[nodes[i]], order & 1);
    }
    shuffle(nodes, g->count, order ? order + 1 : 0);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->nodes[nodes[i]].removed)
            look_at_links(builder, g, nodes[i]);
    }
    look_at_services(builder, g);
    free(nodes);
    return need(fabric_builder_finish(builder, 0, UINT64_C(0xFE80000000000000), true));
}
