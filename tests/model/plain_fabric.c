// SPDX-License-Identifier: BSD-2-Clause
#include "plain_fabric.h"

#include "require.h"

#include "model/fabric_builder.h"

#include <string.h>

// Making one.

static uint8_t add_node(struct plain_fabric *f, struct generated_chance *chance,
                        enum fabric_type type, uint8_t ports)
{
    static const char *const NAMES[] = {
        [FABRIC_CA] = "host", [FABRIC_SWITCH] = "switch", [FABRIC_ROUTER] = "router"};
    REQUIRE(f->node_count < PLAIN_NODES_MAX);
    uint8_t index = (uint8_t)f->node_count++;
    struct plain_node *n = &f->nodes[index];
    *n = (struct plain_node){.type = type, .ports = ports, .powered = true};
    // The order of GUIDs decides about ends of links and root causes, so it is random.
    n->guid =
        UINT64_C(0x0002C90300000000) | generated_below(chance, 0xFFFF) << 12 | (unsigned)index << 4;
    snprintf(n->name, sizeof n->name, "%s%u", NAMES[type], index);
    return index;
}

static bool is_free(const struct plain_fabric *f, struct plain_end end)
{
    for (unsigned i = 0; i < f->cable_count; i++) {
        const struct plain_cable *c = &f->cables[i];
        for (unsigned e = 0; c->plugged && e < 2; e++) {
            if (c->ends[e].node == end.node && c->ends[e].port == end.port)
                return false;
        }
    }
    return true;
}

// Its port is 0 if no port is free.
static struct plain_end find_free(const struct plain_fabric *f, uint8_t node)
{
    for (uint8_t port = 1; port <= f->nodes[node].ports; port++) {
        if (is_free(f, (struct plain_end){node, port}))
            return (struct plain_end){node, port};
    }
    return (struct plain_end){node, 0};
}

static void add_cable(struct plain_fabric *f, uint8_t a, uint8_t b)
{
    struct plain_end end_a = find_free(f, a), end_b = find_free(f, b);
    if (a == b || end_a.port == 0 || end_b.port == 0 || f->cable_count == PLAIN_CABLES_MAX)
        return;
    f->cables[f->cable_count++] = (struct plain_cable){.ends = {end_a, end_b}, .plugged = true};
}

void plain_fabric_make(struct plain_fabric *f, uint64_t seed)
{
    struct generated_chance chance = {seed};
    *f = (struct plain_fabric){0};
    const unsigned switches = 2 + generated_below(&chance, 9);
    const unsigned hosts = 3 + generated_below(&chance, 22);
    const unsigned spare = generated_below(&chance, switches + 1);
    add_node(f, &chance, FABRIC_CA, 1);
    for (unsigned i = 0; i < switches; i++) {
        uint8_t node = add_node(f, &chance, FABRIC_SWITCH, PLAIN_PORTS_MAX);
        add_cable(f, i == 0 ? PLAIN_GATEWAY : (uint8_t)(1 + generated_below(&chance, i)), node);
    }
    for (unsigned i = 0; i < spare; i++)
        add_cable(f, (uint8_t)(1 + generated_below(&chance, switches)),
                  (uint8_t)(1 + generated_below(&chance, switches)));
    for (unsigned i = 0; i < hosts; i++) {
        const enum fabric_type type = i == 0 && switches > 3 ? FABRIC_ROUTER : FABRIC_CA;
        const uint8_t ports = (uint8_t)(1 + (generated_below(&chance, 3) == 0));
        uint8_t node = add_node(f, &chance, type, ports);
        for (unsigned p = 0; p < ports; p++)
            add_cable(f, (uint8_t)(1 + generated_below(&chance, switches)), node);
    }
}

// Looking at it.

static bool carries(const struct plain_fabric *f, const struct plain_cable *c)
{
    return c->plugged && f->nodes[c->ends[0].node].powered && f->nodes[c->ends[1].node].powered;
}

// Only switches, and the node where the sweep begins, pass the SMP on.
static bool passes(const struct plain_fabric *f, const struct plain_sight *sight, uint8_t node)
{
    return sight->nodes[node] && (f->nodes[node].type == FABRIC_SWITCH || node == PLAIN_GATEWAY);
}

void plain_fabric_look(const struct plain_fabric *f, uint8_t silent, struct plain_sight *sight)
{
    *sight = (struct plain_sight){.silent = silent, .complete = true};
    sight->nodes[PLAIN_GATEWAY] = true;
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < f->cable_count; i++) {
            const struct plain_cable *c = &f->cables[i];
            const uint8_t a = c->ends[0].node, b = c->ends[1].node;
            if (sight->cables[i] || !carries(f, c) || !(passes(f, sight, a) || passes(f, sight, b)))
                continue;
            if (a == silent || b == silent) {
                sight->complete = false;
                continue;
            }
            sight->nodes[a] = sight->nodes[b] = sight->cables[i] = more = true;
        }
    }
}

static void build_port(struct fabric_builder *builder, uint32_t node, const struct plain_node *n,
                       uint8_t number, const struct plain_cable *up, bool silent)
{
    const bool is_switch = n->type == FABRIC_SWITCH;
    const uint16_t lid = (uint16_t)(((n->guid >> 4 & 0xFF) + 1) * 4 + number);
    const struct fabric_port port = {
        .number = number,
        .known = true,
        .silent = silent,
        .state = up || number == 0 ? FABRIC_ACTIVE : FABRIC_DOWN,
        .physical = up || number == 0 ? 5 : 2,
        .width_enabled = 3,
        .width_supported = 3,
        .speed_enabled = FABRIC_EDR * 2 - 1,
        .speed_supported = FABRIC_EDR * 2 - 1,
        .width_active = up && up->degraded ? 1 : 2,
        .speed_active = FABRIC_EDR,
        .guid = !is_switch    ? n->guid + number
                : number == 0 ? n->guid
                              : 0,
        .lid = is_switch && number != 0 ? 0 : lid,
        .peer_node = FABRIC_NONE,
    };
    REQUIRE(fabric_builder_port(builder, node, &port));
}

// A switch shows all of its ports, another node those that the sweep came in by.
static void build_node(struct fabric_builder *builder, const struct plain_fabric *f,
                       const struct plain_sight *sight, uint8_t index)
{
    const struct plain_node *n = &f->nodes[index];
    struct fabric_node node = {.guid = n->guid,
                               .system_guid = n->guid + 3,
                               .type = (uint8_t)n->type,
                               .port_count = n->ports,
                               .vendor = 0x2C9,
                               .device = 0x1017};
    snprintf(node.description, sizeof node.description, "%s",
             n->nameless ? "MT4119 ConnectX5" : n->name);
    uint32_t number = fabric_builder_node(builder, &node);
    REQUIRE(number != FABRIC_NONE);
    const struct plain_cable *up[PLAIN_PORTS_MAX + 1] = {0};
    bool silent[PLAIN_PORTS_MAX + 1] = {0};
    for (unsigned i = 0; i < f->cable_count; i++) {
        const struct plain_cable *c = &f->cables[i];
        for (unsigned e = 0; carries(f, c) && e < 2; e++) {
            if (c->ends[e].node != index)
                continue;
            up[c->ends[e].port] = c;
            silent[c->ends[e].port] = !sight->cables[i];
        }
    }
    const bool is_switch = n->type == FABRIC_SWITCH;
    for (uint8_t p = is_switch ? 0 : 1; p <= n->ports; p++) {
        if (is_switch || (up[p] && !silent[p]))
            build_port(builder, number, n, p, up[p], silent[p]);
    }
}

struct fabric *plain_fabric_sweep(const struct plain_fabric *f, const struct plain_sight *sight,
                                  int64_t utc_us)
{
    struct fabric_builder *builder = fabric_builder_new();
    REQUIRE(builder);
    for (uint8_t i = 0; i < f->node_count; i++) {
        if (sight->nodes[i])
            build_node(builder, f, sight, i);
    }
    for (unsigned i = 0; i < f->cable_count; i++) {
        const struct plain_end *ends = f->cables[i].ends;
        if (sight->cables[i])
            REQUIRE(fabric_builder_link(
                builder, fabric_builder_find(builder, f->nodes[ends[0].node].guid), ends[0].port,
                fabric_builder_find(builder, f->nodes[ends[1].node].guid), ends[1].port));
    }
    struct fabric *fabric =
        fabric_builder_finish(builder, utc_us, UINT64_C(0xFE80000000000000), sight->complete);
    REQUIRE(fabric);
    return fabric;
}

// Changing it.

static bool is_fixed(const struct plain_fabric *f, unsigned cable)
{
    return cable >= f->cable_count || f->cables[cable].ends[0].node == PLAIN_GATEWAY;
}

bool plain_fabric_plug(struct plain_fabric *f, unsigned cable)
{
    struct plain_cable *c = &f->cables[cable];
    if (is_fixed(f, cable) || c->plugged || !is_free(f, c->ends[0]) || !is_free(f, c->ends[1]))
        return false;
    return c->plugged = true;
}

bool plain_fabric_unplug(struct plain_fabric *f, unsigned cable)
{
    if (is_fixed(f, cable) || !f->cables[cable].plugged)
        return false;
    f->cables[cable].plugged = false;
    return true;
}

// A cable joins two nodes, at least one switch among the two.
static bool may_join(const struct plain_fabric *f, uint8_t a, uint8_t b)
{
    return a != b && (f->nodes[a].type == FABRIC_SWITCH || f->nodes[b].type == FABRIC_SWITCH);
}

bool plain_fabric_move(struct plain_fabric *f, unsigned cable, unsigned end, unsigned node)
{
    struct plain_cable *c = &f->cables[cable];
    const struct plain_end other = c->ends[!end];
    if (is_fixed(f, cable) || (!c->plugged && !is_free(f, other)))
        return false;
    for (unsigned i = 0; i < f->node_count; i++) {
        uint8_t candidate = (uint8_t)((node + i) % f->node_count);
        struct plain_end place = find_free(f, candidate);
        if (candidate == PLAIN_GATEWAY || place.port == 0 || !may_join(f, candidate, other.node))
            continue;
        c->ends[end] = place;
        return c->plugged = true;
    }
    return false;
}

bool plain_fabric_swap(struct plain_fabric *f, unsigned one, unsigned other)
{
    struct plain_cable *a = &f->cables[one], *b = &f->cables[other];
    if (one == other || is_fixed(f, one) || is_fixed(f, other) || !a->plugged || !b->plugged ||
        !may_join(f, a->ends[0].node, b->ends[1].node) ||
        !may_join(f, b->ends[0].node, a->ends[1].node))
        return false;
    struct plain_end kept = a->ends[1];
    a->ends[1] = b->ends[1];
    b->ends[1] = kept;
    return true;
}

bool plain_fabric_power(struct plain_fabric *f, unsigned node, bool on)
{
    if (node >= f->node_count || node <= PLAIN_GATEWAY + 1 || f->nodes[node].powered == on)
        return false;
    f->nodes[node].powered = on;
    return true;
}

bool plain_fabric_rename(struct plain_fabric *f, unsigned node)
{
    f->nodes[node].nameless = !f->nodes[node].nameless;
    return true;
}

bool plain_fabric_degrade(struct plain_fabric *f, unsigned cable, bool on)
{
    if (is_fixed(f, cable) || f->cables[cable].degraded == on)
        return false;
    f->cables[cable].degraded = on;
    return true;
}

// Showing it.

void plain_fabric_print_cable(const struct plain_fabric *f, unsigned cable, FILE *out)
{
    const struct plain_cable *c = &f->cables[cable];
    fprintf(out, "cable %u (%s/%u - %s/%u)", cable, f->nodes[c->ends[0].node].name, c->ends[0].port,
            f->nodes[c->ends[1].node].name, c->ends[1].port);
}

void plain_fabric_print(const struct plain_fabric *f, FILE *out)
{
    for (unsigned i = 0; i < f->node_count; i++)
        fprintf(out, "  %s 0x%016llx%s\n", f->nodes[i].name, (unsigned long long)f->nodes[i].guid,
                i == PLAIN_GATEWAY ? ", the gateway's" : "");
    for (unsigned i = 0; i < f->cable_count; i++) {
        fprintf(out, "  ");
        plain_fabric_print_cable(f, i, out);
        fprintf(out, "\n");
    }
}
