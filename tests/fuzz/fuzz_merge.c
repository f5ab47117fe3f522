// SPDX-License-Identifier: BSD-2-Clause
// Successive sweeps of a small fabric, merged in order: nodes and ports that do not answer, cables
// that move, nodes without power. The input is a list of steps, an octet each with its arguments.
// After each sweep the fuzzer's own oracle checks the merged snapshot by the rules of
// topology/merge.h; a complete sweep is the truth.
#include "fuzz.h"
#include "input.h"

#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "topology/changes.h"
#include "topology/diff.h"
#include "topology/merge.h"

enum {
    NODES = 10,
    SWITCHES = 5, // the first ones
    PORTS = 4,    // of a switch, from 1; a host has two
    OWN = NODES - 1,
    STEPS_MAX = 200,
    NONE = -1,
};

// The fabric as it is.
struct plain_port {
    int peer, peer_port; // NONE: no cable
    bool deaf;           // does not answer PortInfo
};
static struct plain_node {
    bool deaf, powerless, nameless;
    struct plain_port ports[PORTS + 1];
} nodes[NODES];

static bool in_order; // of the nodes' indices, or in the reverse one

static int port_count(int node)
{
    return node < SWITCHES ? PORTS : 2;
}

static uint64_t guid_of(int node)
{
    return 0x100 + (uint64_t)(in_order ? node : NODES - node) * 16;
}

static void unlink_port(int node, int port)
{
    struct plain_port *p = &nodes[node].ports[port];
    if (p->peer == NONE)
        return;
    nodes[p->peer].ports[p->peer_port].peer = NONE;
    p->peer = NONE;
}

static void link_ports(int a, int port_a, int b, int port_b)
{
    if (a == b && port_a == port_b)
        return;
    unlink_port(a, port_a);
    unlink_port(b, port_b);
    nodes[a].ports[port_a] = (struct plain_port){.peer = b, .peer_port = port_b};
    nodes[b].ports[port_b] = (struct plain_port){.peer = a, .peer_port = port_a};
}

// Each switch has a cable to the next one and a host; the own node is at the first.
static void begin(void)
{
    memset(nodes, 0, sizeof nodes);
    for (int n = 0; n < NODES; n++) {
        for (int p = 0; p <= PORTS; p++)
            nodes[n].ports[p].peer = NONE;
    }
    for (int n = 0; n < SWITCHES; n++)
        link_ports(n, 3, SWITCHES + n, 1);
    for (int n = 0; n + 1 < SWITCHES; n++)
        link_ports(n, 1, n + 1, 2);
    link_ports(0, 4, OWN, 1);
}

// A sweep.

struct sweep {
    struct fabric_builder *builder;
    uint32_t numbers[NODES]; // the builder's; FABRIC_NONE: not found
    bool complete;
};

static bool is_up(const struct plain_port *port)
{
    return port->peer != NONE && !nodes[port->peer].powerless;
}

static void sweep_node(struct sweep *s, int n)
{
    struct fabric_node node = {.guid = guid_of(n),
                               .type = n < SWITCHES ? FABRIC_SWITCH : FABRIC_CA,
                               .port_count = (uint8_t)port_count(n)};
    if (!nodes[n].nameless)
        snprintf(node.description, sizeof node.description, "node%d", n);
    s->numbers[n] = fabric_builder_node(s->builder, &node);
    REQUIRE(s->numbers[n] != FABRIC_NONE);
}

static void sweep_port(struct sweep *s, int n, int p)
{
    const struct plain_port *port = &nodes[n].ports[p];
    const bool up = is_up(port);
    struct fabric_port made = {.number = (uint8_t)p, .known = !port->deaf};
    if (made.known) {
        made.guid = n < SWITCHES ? 0 : guid_of(n) + (uint64_t)p;
        made.lid = n < SWITCHES ? 0 : (uint16_t)(1 + n * 4 + p);
        made.state = up ? FABRIC_ACTIVE : FABRIC_DOWN;
        made.silent = up && nodes[port->peer].deaf;
    }
    REQUIRE(fabric_builder_port(s->builder, s->numbers[n], &made));
    s->complete = s->complete && made.known && !made.silent;
}

// From the own node over all ports that answer; a host forwards nothing.
static struct fabric *look(void)
{
    struct sweep s = {.builder = fabric_builder_new(), .complete = true};
    int queue[NODES], end = 0;
    REQUIRE(s.builder);
    for (int n = 0; n < NODES; n++)
        s.numbers[n] = FABRIC_NONE;
    sweep_node(&s, queue[end++] = OWN);
    for (int first = 0; first < end; first++) {
        const int n = queue[first];
        for (int p = 1; p <= port_count(n); p++) {
            const struct plain_port *port = &nodes[n].ports[p];
            const bool leads_on =
                is_up(port) && !port->deaf && !nodes[port->peer].deaf && (n < SWITCHES || n == OWN);
            sweep_port(&s, n, p);
            if (leads_on && s.numbers[port->peer] == FABRIC_NONE)
                sweep_node(&s, queue[end++] = port->peer);
            if (leads_on)
                REQUIRE(fabric_builder_link(s.builder, s.numbers[n], (uint8_t)p,
                                            s.numbers[port->peer], (uint8_t)port->peer_port));
        }
    }
    struct fabric *seen = fabric_builder_finish(s.builder, 0, 0, s.complete);
    REQUIRE(seen);
    return seen;
}

// The oracle.

static const struct fabric_port *port_of(const struct fabric *f, uint64_t guid, uint8_t number)
{
    const uint32_t node = fabric_find_node(f, guid);
    const uint32_t port = node == FABRIC_NONE ? FABRIC_NONE : fabric_find_port(f, node, number);
    return port == FABRIC_NONE ? NULL : &f->ports[port];
}

static bool has_node(const struct fabric *f, uint64_t guid)
{
    return fabric_find_node(f, guid) != FABRIC_NONE;
}

// The sweep saw the port neither down nor linked.
static bool is_open(const struct fabric *seen, uint64_t guid, uint8_t number)
{
    const struct fabric_port *port = port_of(seen, guid, number);
    const bool down = port && port->known && !port->silent && port->state == FABRIC_DOWN;
    return !port || (!down && port->peer_node == FABRIC_NONE);
}

// Whether an open port of this seen node, or of this missing one that can be hidden, leads to the
// known node behind a port.
static bool hides(const struct fabric *known, const struct fabric *seen, const bool *hidden,
                  const struct fabric_port *port)
{
    const struct fabric_node *peer = &known->nodes[port->peer_node];
    return has_node(seen, peer->guid) ? is_open(seen, peer->guid, port->peer_port)
                                      : peer->type == FABRIC_SWITCH && hidden[port->peer_node];
}

// Which known nodes an open port can hide, by index.
static void find_hidden(const struct fabric *known, const struct fabric *seen, bool *hidden)
{
    memset(hidden, 0, NODES * sizeof *hidden);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 0; n < known->node_count; n++) {
            const struct fabric_node *node = &known->nodes[n];
            const bool settled = hidden[n] || has_node(seen, node->guid);
            for (uint32_t i = 0; i < node->ports && !settled && !hidden[n]; i++) {
                const struct fabric_port *port = &known->ports[node->first_port + i];
                hidden[n] = port->peer_node != FABRIC_NONE && hides(known, seen, hidden, port);
            }
            more |= hidden[n] && !settled;
        }
    }
}

static uint64_t missed[NODES]; // 0: none
static uint32_t missed_count;

static bool was_missed(uint64_t guid)
{
    for (uint32_t i = 0; i < missed_count; i++) {
        if (missed[i] == guid)
            return true;
    }
    return false;
}

// A seen node is there; a missing node while a port can hide the node, or for a sweep.
static void check_nodes(const struct fabric *known, const struct fabric *seen,
                        const struct fabric *merged)
{
    bool hidden[NODES];
    uint64_t now[NODES];
    uint32_t count = 0, expected = seen->node_count;
    find_hidden(known, seen, hidden);
    for (uint32_t i = 0; i < seen->node_count; i++)
        REQUIRE(has_node(merged, seen->nodes[i].guid));
    for (uint32_t i = 0; i < known->node_count && !seen->complete; i++) {
        const uint64_t guid = known->nodes[i].guid;
        if (has_node(seen, guid))
            continue;
        const bool stays = hidden[i] || !was_missed(guid);
        REQUIRE(has_node(merged, guid) == stays);
        REQUIRE(!stays || merged->nodes[fabric_find_node(merged, guid)].silent);
        expected += stays;
        if (!hidden[i] && stays)
            now[count++] = guid;
    }
    REQUIRE(merged->node_count == expected);
    memcpy(missed, now, count * sizeof *now);
    missed_count = count;
}

static bool is_same_link(const struct fabric *f, const struct fabric *merged, uint32_t port)
{
    const struct fabric_port *there = port_of(
        f, merged->nodes[fabric_node_of_port(merged, port)].guid, merged->ports[port].number);
    return there && diff_same_peer(f, there, merged, &merged->ports[port]);
}

// Whether the node behind a port with a link looks like a second one with its GUID, which does not
// take its place: where the known link led nobody answers now, and where the seen one leads nobody
// answered before (merge.h).
static bool is_twin(const struct fabric *known, const struct fabric *seen, uint64_t guid,
                    uint8_t number)
{
    const struct fabric_port *before = port_of(known, guid, number),
                             *now = port_of(seen, guid, number);
    if (!before || !now || before->peer_node == FABRIC_NONE || now->peer_node == FABRIC_NONE)
        return false;
    const struct fabric_port *left =
        port_of(seen, known->nodes[before->peer_node].guid, before->peer_port);
    const struct fabric_port *taken =
        port_of(known, seen->nodes[now->peer_node].guid, now->peer_port);
    return left && left->silent && taken && taken->silent && taken->peer_node == FABRIC_NONE;
}

// Whether either end of a seen link looks so.
static bool is_to_twin(const struct fabric *known, const struct fabric *seen, uint64_t guid,
                       uint8_t number)
{
    const struct fabric_port *port = port_of(seen, guid, number);
    return is_twin(known, seen, guid, number) ||
           is_twin(known, seen, seen->nodes[port->peer_node].guid, port->peer_port);
}

// The links are the seen links, but for a twin's link, and the known links that the sweep does not
// contradict.
static void check_links(const struct fabric *known, const struct fabric *seen,
                        const struct fabric *merged)
{
    for (uint32_t i = 0; i < merged->port_count; i++) {
        const uint64_t guid = merged->nodes[fabric_node_of_port(merged, i)].guid;
        const uint32_t peer = fabric_peer(merged, i);
        const struct fabric_port *there = port_of(seen, guid, merged->ports[i].number);
        REQUIRE(peer == FABRIC_NONE || fabric_peer(merged, peer) == i);
        REQUIRE(there || port_of(known, guid, merged->ports[i].number));
        if (there && there->peer_node != FABRIC_NONE)
            REQUIRE(is_same_link(seen, merged, i) ||
                    (!seen->complete && is_to_twin(known, seen, guid, merged->ports[i].number) &&
                     (peer == FABRIC_NONE || is_same_link(known, merged, i))));
        else
            REQUIRE(peer == FABRIC_NONE || (!seen->complete && is_same_link(known, merged, i)));
        REQUIRE(!there || !there->known || merged->ports[i].state == there->state);
    }
}

static void count_difference(void *ctx, const struct diff_item *item)
{
    (void)item;
    ++*(unsigned *)ctx;
}

// A restart reads the same snapshot.
static void check_record(const struct fabric *fabric)
{
    struct error err;
    size_t size;
    unsigned differences = 0;
    uint8_t *record = fabric_record_write(fabric, &size);
    REQUIRE(record);
    struct fabric *again = fabric_record_read(record, size, &err);
    REQUIRE(again);
    diff_fabrics(fabric, again, count_difference, &differences);
    REQUIRE(differences == 0);
    fabric_unref(again);
    free(record);
}

static void check_changes(const struct fabric *before, const struct fabric *after)
{
    struct changes changes = {0};
    changes_between(before, after, NULL, &changes);
    for (uint32_t i = 0; i < changes.count; i++)
        REQUIRE(changes.all[i].cause == FABRIC_NONE || changes.all[i].cause < i);
    changes_clear(&changes);
}

// Whether a node that did not tell its name has the name of before, and nothing else differs.
static bool got_its_name_back(const struct fabric_node *seen, const struct fabric_node *merged)
{
    return seen->description[0] == '\0' && merged->description[0] != '\0' &&
           seen->type == merged->type && seen->port_count == merged->port_count;
}

struct comparison {
    const struct fabric *seen, *merged;
    unsigned differences;
};

static void compare_with_merged(void *ctx, const struct diff_item *item)
{
    struct comparison *c = ctx;
    c->differences +=
        item->kind != DIFF_NODE_ALTERED ||
        !got_its_name_back(&c->seen->nodes[item->before], &c->merged->nodes[item->after]);
}

// Sweeps, merges like the topology, and returns the known fabric.
static struct fabric *sweep(struct fabric *known, struct merge_memory *memory)
{
    struct fabric *seen = look(), *merged = merge_fabrics(known, seen, memory, NULL);
    struct comparison comparison = {.seen = seen, .merged = merged};
    REQUIRE(merged && merged->complete == seen->complete);
    check_nodes(known, seen, merged);
    check_links(known, seen, merged);
    check_changes(known, merged);
    diff_fabrics(seen, merged, compare_with_merged, &comparison);
    REQUIRE(!seen->complete || comparison.differences == 0);
    REQUIRE(memory->missed_count == missed_count && !memory->full);
    fabric_unref(seen);
    fabric_unref(known);
    return merged;
}

static void change(struct input *in, uint64_t step)
{
    const int node = (int)(step / 8 % NODES),
              port = 1 + (int)(step / 8 % (uint64_t)port_count(node));
    const uint64_t other = input_number(in, 1);
    const int peer = (int)(other % NODES);
    switch (step % 8) {
    case 1:
        nodes[node].deaf = !nodes[node].deaf && node != OWN;
        break;
    case 2:
        nodes[node].powerless = !nodes[node].powerless && node != OWN;
        break;
    case 3:
        nodes[node].ports[1 + (int)other % port_count(node)].deaf ^= true;
        break;
    case 4:
        unlink_port(node, 1 + (int)other % port_count(node));
        break;
    case 5:
        nodes[node].nameless ^= true;
        break;
    default:
        link_ports(node, port, peer, 1 + (int)(other / NODES) % port_count(peer));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct merge_memory memory = {0};
    in_order = input_number(&in, 1) % 2;
    missed_count = 0;
    begin();
    struct fabric *known = look();
    merge_note(&memory, known);
    for (unsigned n = 0; input_left(&in) > 0 && n < STEPS_MAX; n++) {
        const uint64_t step = input_number(&in, 1);
        if (step % 8 == 0)
            known = sweep(known, &memory);
        else
            change(&in, step);
    }
    known = sweep(known, &memory);
    check_record(known);
    fabric_unref(known);
    free(memory.missed);
    return 0;
}
