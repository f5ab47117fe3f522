// SPDX-License-Identifier: BSD-2-Clause
#include "fake_fabric.h"

#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "model/fabric_builder.h"

enum { DATA = 64, PATH = 128, LINK_UP = 5, POLLING = 2 };

// Random numbers: the same for the same seed.

unsigned fake_fabric_chance(struct fake_fabric *f, unsigned limit)
{
    f->seed = f->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(f->seed >> 33) % limit;
}

static void fill_random(void *ctx, void *out, size_t size)
{
    uint8_t *octets = out;
    for (size_t i = 0; i < size; i++)
        octets[i] = (uint8_t)fake_fabric_chance(ctx, 256);
}

// Building.

static bool serve(void *ctx, const struct fake_request *request, struct fake_answer *answer);

void fake_fabric_init(struct fake_fabric *f, uint64_t seed)
{
    memset(f, 0, offsetof(struct fake_fabric, port));
    f->seed = seed;
    f->liar.node = -1;
    f->random = (struct random){fill_random, f};
    fake_port_init(&f->port, serve, f);
    f->port.latency_us = 20;
    f->port.from = (struct mad_address){.lid = 0xFFFF};
}

int fake_fabric_add(struct fake_fabric *f, enum fabric_type type, uint8_t port_count)
{
    assert_true(f->count < FAKE_FABRIC_NODES && port_count <= FAKE_FABRIC_PORTS);
    int n = f->count++;
    struct fake_node *node = &f->nodes[n];
    node->guid = UINT64_C(0x0002c90000000000) + (uint64_t)((n * 7919) % 10007) * 0x100;
    node->type = (uint8_t)type;
    node->port_count = port_count;
    snprintf(node->description, sizeof node->description, "%s %d",
             type == FABRIC_SWITCH ? "leaf" : "host", n);
    for (int i = 0; i <= FAKE_FABRIC_PORTS; i++) {
        node->ports[i].peer = -1;
        node->ports[i].lid = (uint16_t)(1 + n * 3 + i);
        node->ports[i].speeds = 7;
    }
    return n;
}

void fake_fabric_unlink(struct fake_fabric *f, int node, uint8_t port)
{
    struct fake_fabric_port *a = &f->nodes[node].ports[port];
    if (a->peer >= 0)
        f->nodes[a->peer].ports[a->peer_port].peer = -1;
    a->peer = -1;
}

void fake_fabric_link(struct fake_fabric *f, int a, uint8_t port_a, int b, uint8_t port_b)
{
    fake_fabric_unlink(f, a, port_a);
    fake_fabric_unlink(f, b, port_b);
    f->nodes[a].ports[port_a].peer = b;
    f->nodes[a].ports[port_a].peer_port = port_b;
    f->nodes[b].ports[port_b].peer = a;
    f->nodes[b].ports[port_b].peer_port = port_a;
}

// A port of the switch that is down; 0: none.
static uint8_t find_free(struct fake_fabric *f, int node)
{
    const struct fake_node *n = &f->nodes[node];
    unsigned first = fake_fabric_chance(f, n->port_count);
    for (unsigned i = 0; i < n->port_count; i++) {
        uint8_t port = (uint8_t)(1 + (first + i) % n->port_count);
        if (n->ports[port].peer < 0)
            return port;
    }
    return 0;
}

// Links the node to one of the first `switches` switches that has a free port. False: none was
// found.
static bool hang_on(struct fake_fabric *f, int node, uint8_t port, int switches)
{
    for (int tries = 0; tries < 1000; tries++) {
        int s = (int)fake_fabric_chance(f, (unsigned)switches);
        uint8_t to = find_free(f, s);
        if (to == 0 || (s == node && to == port))
            continue;
        fake_fabric_link(f, node, port, s, to);
        return true;
    }
    return false;
}

void fake_fabric_generate(struct fake_fabric *f, int switches, int hosts)
{
    for (int i = 0; i < switches; i++) {
        int s = fake_fabric_add(f, FABRIC_SWITCH, (uint8_t)(8 + fake_fabric_chance(f, 32)));
        if (i > 0)
            hang_on(f, s, find_free(f, s), i);
    }
    for (int i = 0; i < hosts; i++) {
        enum fabric_type type = fake_fabric_chance(f, 20) == 0 ? FABRIC_ROUTER : FABRIC_CA;
        int h = fake_fabric_add(f, type, (uint8_t)(1 + fake_fabric_chance(f, 2)));
        bool hangs = false;
        for (uint8_t port = 1; port <= f->nodes[h].port_count; port++)
            hangs = hang_on(f, h, port, switches) || hangs;
        if (i == 0)
            f->own = h;
        if (!hangs)
            f->count--; // every switch is full
    }
    for (int i = 0; i < switches * 2; i++) { // some end at the switch where they begin
        int s = (int)fake_fabric_chance(f, (unsigned)switches);
        uint8_t port = find_free(f, s);
        if (port != 0)
            hang_on(f, s, port, switches);
    }
}

// Answering.

static void write_node_info(const struct fake_node *node, uint8_t arrival, uint8_t *data)
{
    data[0] = data[1] = 1;
    data[2] = node->type;
    data[3] = node->port_count;
    wire_put(data + 4, 8, node->guid ^ 1);
    wire_put(data + 12, 8, node->guid);
    wire_put(data + 20, 8, node->type == FABRIC_SWITCH ? node->guid : node->guid + arrival);
    wire_put(data + 30, 2, 0xD00D);
    wire_put(data + 32, 4, 0xA0);
    data[36] = arrival;
    wire_put(data + 37, 3, node->mellanox ? 0x0002c9 : 0x001122);
}

static void write_port_info(const struct fake_node *node, uint8_t number, uint8_t *data)
{
    // A made-up switch may have more ports than a fake one; they are all alike.
    const struct fake_fabric_port *port = &node->ports[number <= FAKE_FABRIC_PORTS ? number : 1];
    bool up = number == 0 || port->peer >= 0 || node->lies;
    wire_put(data + 16, 2, port->lid);
    wire_put(data + 20, 4, (number == 1 ? 0x10002 : 0x10000) | (node->extends ? 0x4000 : 0));
    data[29] = data[30] = 3;
    data[31] = 2;
    data[32] = (uint8_t)(port->speeds << 4 | (up ? FABRIC_ACTIVE : FABRIC_DOWN));
    data[33] = (uint8_t)((up ? LINK_UP : POLLING) << 4);
    data[35] = (uint8_t)(4 << 4 | port->speeds);
}

static bool write_answer(const struct fake_node *node, uint8_t arrival, uint8_t *mad)
{
    const bool extended = mad[20] & 0x80;
    uint32_t modifier = wire_get32(mad + 20) & 0x7FFFFFFF;
    memset(mad + DATA, 0, 64);
    switch (wire_get16(mad + 16)) {
    case 0x10:
        memcpy(mad + DATA, node->description, 64);
        return !node->nameless;
    case 0x11:
        write_node_info(node, arrival, mad + DATA);
        return true;
    case 0x15:
        if (modifier > node->port_count ||
            (modifier <= FAKE_FABRIC_PORTS && node->ports[modifier].deaf))
            return false;
        write_port_info(node, (uint8_t)modifier, mad + DATA);
        if (extended && node->extends) {
            mad[DATA + 62] = 0x23; // active EDR, supported FDR and EDR
            mad[DATA + 63] = 0x03; // enabled
        }
        return true;
    case 0xFF90:
        mad[DATA + 7] = mad[DATA + 11] = mad[DATA + 15] = node->mellanox;
        return node->mellanox != 0;
    default:
        return false;
    }
}

// Lying.

void fake_fabric_lie(struct fake_fabric *f, int node, uint8_t port_count)
{
    f->liar = (struct fake_liar){.node = node, .port_count = port_count, .attempt = 1};
    for (int i = 0; i <= FAKE_FABRIC_PORTS; i++)
        f->liar.claims[i] = -1;
    f->nodes[node].lies = true;
}

static uint64_t mix(uint64_t hash, const uint8_t *octets, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ octets[i]) * UINT64_C(0x100000001b3);
    return hash;
}

// Whether the liar answers this attempt of a query.
static bool liar_answers(struct fake_fabric *f, const uint8_t *mad)
{
    uint64_t query = mix(mix(mad[7], mad + 16, 8), mad + PATH, SMP_HOPS_MAX + 1);
    size_t slot = mad[15];
    if (f->asked[slot].query != query)
        f->asked[slot].attempts = 0;
    f->asked[slot].query = query;
    if (++f->asked[slot].attempts < f->liar.attempt)
        return false;
    f->asked[slot].attempts = 0;
    return true;
}

// Makes up the node behind the liar that a route leads to: `rest` are the ports from the liar on.
static bool make_up(struct fake_fabric *f, const uint8_t *mad, const uint8_t *rest, size_t hops,
                    uint8_t *arrival)
{
    struct fake_node *node = &f->made_up;
    int claimed = hops == 1 ? f->liar.claims[rest[0]] : -1;
    if (claimed >= 0) {
        *node = f->nodes[claimed];
    } else {
        *node = (struct fake_node){.guid = mix(f->liar.series + 0xcbf29ce484222325, rest, hops),
                                   .type = f->liar.port_count ? FABRIC_SWITCH : FABRIC_CA,
                                   .port_count = f->liar.port_count ? f->liar.port_count : 1};
        snprintf(node->description, sizeof node->description, "made up");
    }
    node->lies = true;
    *arrival = 1;
    bool exists = hops == 1 || (claimed < 0 && f->liar.port_count > 0 && rest[hops - 1] != 1);
    return exists && liar_answers(f, mad);
}

// The node at the end of a directed route. NULL: the route leads nowhere.
static const struct fake_node *follow(struct fake_fabric *f, const uint8_t *mad, uint8_t *arrival)
{
    int at = f->own;
    *arrival = f->nodes[at].type == FABRIC_SWITCH ? 0 : 1;
    for (unsigned i = 1; i <= mad[7]; i++) {
        const struct fake_node *node = &f->nodes[at];
        uint8_t out = mad[PATH + i];
        bool passes = node->type == FABRIC_SWITCH || (i == 1 && out == *arrival);
        if (!passes || out == 0 || out > node->port_count)
            return NULL;
        if (node->ports[out].peer < 0 && at == f->liar.node)
            return make_up(f, mad, mad + PATH + i, mad[7] - i + 1, arrival) ? &f->made_up : NULL;
        if (node->ports[out].peer < 0)
            return NULL;
        at = node->ports[out].peer;
        *arrival = node->ports[out].peer_port;
    }
    return &f->nodes[at];
}

static bool is_lost(struct fake_fabric *f)
{
    return fake_fabric_chance(f, 100) < f->loss;
}

static bool serve(void *ctx, const struct fake_request *request, struct fake_answer *answer)
{
    struct fake_fabric *f = ctx;
    uint8_t *mad = answer->octets, arrival;
    assert_int_equal(request->agent, MAD_AGENT_SMP);
    assert_int_equal(request->to.lid, 0xFFFF);
    assert_int_equal(request->to.qpn, 0);
    assert_true(wire_get32(request->octets + 12) & MAD_TID_SWEEPER);
    assert_int_equal(request->octets[1], MAD_CLASS_SMP_DIRECT);
    assert_int_equal(request->octets[3], 1);
    memcpy(mad, request->octets, MAD_SIZE);
    const struct fake_node *node = follow(f, mad, &arrival);
    if (!node || is_lost(f))
        return false;
    const bool trusted = node->mkey == 0 || node->mkey == wire_get64(mad + 24);
    if (node->deaf || !(trusted || node->level0 || node->level1))
        return false;
    mad[3] = 0x81;
    wire_put(mad + 4, 2, 0x8000);
    wire_put(mad + 8, 4, 0xFEDC); // the kernel's part of the TransactionID
    if (!write_answer(node, arrival, mad) || is_lost(f))
        return false;
    if (wire_get16(mad + 16) == 0x15) {
        wire_put(mad + DATA, 8, trusted || node->level0 ? node->mkey : 0);
        mad[DATA + 34] |= (uint8_t)(node->level1 ? 0x40 : 0);
    }
    bool real = node != &f->made_up;
    answer->late_us = real ? 0 : f->liar.late_us;
    return !f->tamper || !real || f->tamper(f->tamper_ctx, (int)(node - f->nodes), mad);
}

// What a complete sweep should find.

static struct fabric_port true_port(const struct fake_node *node, uint8_t number)
{
    const struct fake_fabric_port *port = &node->ports[number];
    bool up = number == 0 || port->peer >= 0, outside = node->type == FABRIC_SWITCH && number > 0;
    uint64_t guid = node->type == FABRIC_SWITCH ? node->guid : node->guid + number;
    return (struct fabric_port){
        .number = number,
        .known = true,
        .guid = outside ? 0 : guid,
        .lid = outside ? 0 : port->lid,
        .state = up ? FABRIC_ACTIVE : FABRIC_DOWN,
        .physical = up ? LINK_UP : POLLING,
        .width_active = 2,
        .width_enabled = 3,
        .width_supported = 3,
        .speed_active = FABRIC_QDR,
        .speed_enabled = port->speeds,
        .speed_supported = port->speeds,
        .capabilities = outside       ? 0
                        : number == 1 ? 0x10002
                                      : 0x10000,
    };
}

static void build_node(struct fabric_builder *builder, const struct fake_node *node)
{
    struct fabric_node n = {.guid = node->guid,
                            .system_guid = node->guid ^ 1,
                            .type = node->type,
                            .port_count = node->port_count,
                            .vendor = node->mellanox ? 0x0002c9 : 0x001122,
                            .device = 0xD00D,
                            .revision = 0xA0};
    snprintf(n.description, sizeof n.description, "%s", node->description);
    uint32_t number = fabric_builder_node(builder, &n);
    bool is_switch = node->type == FABRIC_SWITCH;
    for (unsigned i = is_switch ? 0 : 1; i <= node->port_count; i++) {
        struct fabric_port port = true_port(node, (uint8_t)i);
        if (is_switch || node->ports[i].peer >= 0) // others cannot be reached
            assert_true(fabric_builder_port(builder, number, &port));
    }
}

struct fabric *fake_fabric_truth(const struct fake_fabric *f)
{
    struct fabric_builder *builder = fabric_builder_new();
    for (int i = 0; i < f->count; i++)
        build_node(builder, &f->nodes[i]);
    for (int i = 0; i < f->count; i++) {
        for (uint8_t p = 1; p <= f->nodes[i].port_count; p++) {
            const struct fake_fabric_port *port = &f->nodes[i].ports[p];
            if (port->peer < 0)
                continue;
            uint32_t a = fabric_builder_find(builder, f->nodes[i].guid);
            uint32_t b = fabric_builder_find(builder, f->nodes[port->peer].guid);
            assert_true(fabric_builder_link(builder, a, p, b, port->peer_port));
        }
    }
    return fabric_builder_finish(builder, SUPPORT_UTC_US, 0, true);
}
