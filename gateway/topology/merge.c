// SPDX-License-Identifier: BSD-2-Clause
#include "topology/merge.h"

#include "base/memory.h"
#include "model/fabric_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_LEAST = 1024, PORTS_LEAST = 16 * NODES_LEAST, CONTROLLERS_LEAST = 1024 };
enum { RANKS = 17 }; // of `sightings`: how many bits it has

enum fate {
    GONE,
    SEEN,
    HIDDEN, // missing, and an open port can hide the node
    MISSED, // missing for the first time, and no open port can hide the node
};

struct merge {
    const struct fabric *known, *seen;
    struct fabric_builder *builder; // begins with the nodes of `seen`, by the same indices
    uint8_t *fates;                 // enum fate, by known node
    uint32_t *numbers;              // index in the builder, by known node; FABRIC_NONE: not there
    uint32_t *queue;                // room for all known nodes
    struct merge_size room;         // for what was not seen; `ports` for those of missing nodes,
                                    // and for as many of seen nodes
    uint32_t excess;                // missing nodes without room
    struct merge_memory memory;     // after this sweep
};

// Room.

static uint32_t merge_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t merge_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct merge_size merge_learn(const struct merge_memory *memory, const struct fabric *seen)
{
    const struct merge_size none = {.controllers = memory->most.controllers};
    const struct merge_size *most = seen->complete ? &none : &memory->most;
    return (struct merge_size){merge_larger(most->nodes, seen->node_count),
                               merge_larger(most->ports, seen->port_count),
                               merge_larger(most->controllers, seen->controller_count)};
}

void merge_note(struct merge_memory *memory, const struct fabric *seen)
{
    memory->missed_count = 0;
    memory->most = merge_learn(memory, seen);
}

static struct merge_size merge_find_room(const struct merge_size *most, const struct fabric *seen)
{
    return (struct merge_size){
        merge_smaller(merge_larger(most->nodes, NODES_LEAST), FABRIC_NODES_MAX - seen->node_count),
        merge_smaller(merge_larger(most->ports, PORTS_LEAST),
                      (FABRIC_PORTS_MAX - seen->port_count) / 2),
        merge_smaller(merge_larger(most->controllers, CONTROLLERS_LEAST),
                      FABRIC_CONTROLLERS_MAX - seen->controller_count)};
}

// How often sweeps found a known node. A complete sweep counts as all.
static uint16_t merge_sightings(const struct merge *m, uint32_t node)
{
    return m->known->complete ? UINT16_MAX : m->known->nodes[node].sightings;
}

static unsigned merge_rank(const struct merge *m, uint32_t node)
{
    unsigned rank = 0;
    for (uint16_t left = merge_sightings(m, node); left > 0; left >>= 1)
        rank++;
    return rank;
}

static void merge_find_seen(struct merge *m)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        uint64_t guid = m->known->nodes[i].guid;
        while (j < m->seen->node_count && m->seen->nodes[j].guid < guid)
            j++;
        bool found = j < m->seen->node_count && m->seen->nodes[j].guid == guid;
        m->fates[i] = found ? SEEN : GONE;
        m->numbers[i] = found ? j : FABRIC_NONE;
    }
}

// The index in `seen` of a port of a known node that was seen; FABRIC_NONE: the port was not seen.
static uint32_t merge_seen_port(const struct merge *m, uint32_t node, uint8_t number)
{
    return fabric_find_port(m->seen, m->numbers[node], number);
}

static bool merge_is_open(const struct merge *m, uint32_t node, uint8_t number)
{
    if (m->fates[node] != SEEN)
        return true;
    uint32_t index = merge_seen_port(m, node, number);
    if (index == FABRIC_NONE)
        return true;
    const struct fabric_port *port = &m->seen->ports[index];
    bool down = port->known && !port->silent && port->state == FABRIC_DOWN;
    return !down && port->peer_node == FABRIC_NONE;
}

static bool merge_is_hidden(const struct merge *m, uint32_t node)
{
    const struct fabric_node *n = &m->known->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        const struct fabric_port *port = &m->known->ports[i];
        if (port->peer_node != FABRIC_NONE && m->fates[port->peer_node] == SEEN &&
            merge_is_open(m, port->peer_node, port->peer_port))
            return true;
    }
    return false;
}

// Finds the missing nodes that an open port can hide: first the nodes with a link to an open port
// of a seen node, then the nodes with a link to a hidden switch.
static void merge_find_hidden(struct merge *m)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        if (m->fates[i] == GONE && merge_is_hidden(m, i)) {
            m->fates[i] = HIDDEN;
            m->queue[end++] = i;
        }
    }
    for (uint32_t first = 0; first < end; first++) {
        const struct fabric_node *n = &m->known->nodes[m->queue[first]];
        if (n->type != FABRIC_SWITCH)
            continue;
        for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
            uint32_t peer = m->known->ports[i].peer_node;
            if (peer != FABRIC_NONE && m->fates[peer] == GONE) {
                m->fates[peer] = HIDDEN;
                m->queue[end++] = peer;
            }
        }
    }
}

static void merge_find_missed(struct merge *m, const struct merge_memory *last)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        uint64_t guid = m->known->nodes[i].guid;
        if (m->fates[i] != GONE)
            continue;
        while (j < last->missed_count && last->missed[j] < guid)
            j++;
        if (j < last->missed_count && last->missed[j] == guid)
            continue;
        m->fates[i] = MISSED;
        m->memory.missed[m->memory.missed_count++] = guid;
    }
}

static bool merge_is_missing(const struct merge *m, uint32_t node)
{
    return m->fates[node] == HIDDEN || m->fates[node] == MISSED;
}

static bool merge_has_room(const struct merge *m)
{
    uint64_t nodes = 0, ports = 0;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        nodes += merge_is_missing(m, i);
        ports += merge_is_missing(m, i) ? m->known->nodes[i].ports : 0;
    }
    return nodes <= m->room.nodes && ports <= m->room.ports;
}

// Lets the missing nodes without room go.
static void merge_find_excess(struct merge *m)
{
    if (merge_has_room(m))
        return;
    struct merge_size left = m->room;
    for (unsigned rank = RANKS; rank-- > 0;) {
        for (uint32_t i = 0; i < m->known->node_count; i++) {
            const uint32_t ports = m->known->nodes[i].ports;
            if (!merge_is_missing(m, i) || merge_rank(m, i) != rank)
                continue;
            if (left.nodes > 0 && left.ports >= ports) {
                left.nodes--;
                left.ports -= ports;
            } else {
                m->fates[i] = GONE;
                m->excess++;
            }
        }
    }
}

static void merge_find_description(const struct merge *m, struct fabric_node *node)
{
    const uint32_t known = fabric_find_node(m->known, node->guid);
    const struct endpoint *gone =
        m->memory.departed ? departed_ports_find(m->memory.departed, node->guid) : NULL;
    struct text text = text_in(node->description, sizeof node->description);
    if (known != FABRIC_NONE)
        text_add(&text, m->known->nodes[known].description);
    else if (gone && !gone->nameless)
        text_add(&text, gone->name);
}

// `room` guarantees that all nodes and ports fit into the builder, here and below.
static void merge_add_seen_nodes(struct merge *m)
{
    for (uint32_t i = 0; i < m->seen->node_count; i++) {
        const struct fabric_node *node = &m->seen->nodes[i];
        struct fabric_node copy = *node;
        if (node->description[0] == '\0')
            merge_find_description(m, &copy);
        fabric_builder_node(m->builder, &copy);
        for (uint32_t k = 0; k < node->ports; k++)
            fabric_builder_port(m->builder, i, &m->seen->ports[node->first_port + k]);
    }
}

static void merge_add_seen_links(struct merge *m)
{
    for (uint32_t i = 0; i < m->seen->node_count; i++) {
        const struct fabric_node *node = &m->seen->nodes[i];
        for (uint32_t k = 0; k < node->ports; k++) {
            const struct fabric_port *port = &m->seen->ports[node->first_port + k];
            if (port->peer_node != FABRIC_NONE && port->peer_node >= i)
                fabric_builder_link(m->builder, i, port->number, port->peer_node, port->peer_port);
        }
    }
}

// Adds an unseen known node as silent.
static void merge_add_known_node(struct merge *m, uint32_t node)
{
    struct fabric_node copy = m->known->nodes[node];
    copy.silent = true;
    if (m->numbers[node] == FABRIC_NONE)
        m->numbers[node] = fabric_builder_node(m->builder, &copy);
    struct fabric_node *merged = fabric_builder_get(m->builder, m->numbers[node]);
    const uint32_t sightings = merge_sightings(m, node);
    merged->sightings = (uint16_t)merge_smaller(
        UINT16_MAX, m->fates[node] == SEEN ? sightings + merged->sightings + 1 : sightings);
}

// `room`: for ports of seen nodes.
static void merge_add_known_port(struct merge *m, uint32_t node, const struct fabric_port *known,
                                 uint32_t *room)
{
    struct fabric_port port = *known;
    const struct fabric_port *seen =
        fabric_builder_get_port(m->builder, m->numbers[node], known->number);
    if (seen && (seen->known || !known->known))
        return;
    if (seen)
        port.silent = seen->silent;
    if (!seen && m->fates[node] == SEEN) {
        if (*room == 0)
            return;
        --*room;
    }
    fabric_builder_port(m->builder, m->numbers[node], &port);
}

static void merge_add_known_nodes(struct merge *m)
{
    uint32_t room = m->room.ports;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        const struct fabric_node *node = &m->known->nodes[i];
        if (m->fates[i] == GONE)
            continue;
        merge_add_known_node(m, i);
        for (uint32_t k = 0; k < node->ports; k++)
            merge_add_known_port(m, i, &m->known->ports[node->first_port + k], &room);
    }
}

// Whether a port has no link yet. A port without room cannot have a link.
static bool merge_is_free(const struct merge *m, uint32_t node, uint8_t number)
{
    const struct fabric_port *port = fabric_builder_get_port(m->builder, m->numbers[node], number);
    return port && port->peer_node == FABRIC_NONE;
}

static bool merge_link_stays(const struct merge *m, uint32_t node, const struct fabric_port *port)
{
    uint32_t peer = port->peer_node;
    if (peer == FABRIC_NONE || m->fates[node] == GONE || m->fates[peer] == GONE)
        return false;
    if (!merge_is_free(m, node, port->number) || !merge_is_free(m, peer, port->peer_port))
        return false;
    if (m->fates[node] == MISSED || m->fates[peer] == MISSED)
        return true;
    return merge_is_open(m, node, port->number) && merge_is_open(m, peer, port->peer_port);
}

static bool merge_was_silent(const struct merge *m, const struct fabric_node *seen_node,
                             uint8_t number)
{
    uint32_t port = fabric_find_end(m->known, seen_node->guid, number);
    return port != FABRIC_NONE && m->known->ports[port].silent &&
           m->known->ports[port].peer_node == FABRIC_NONE;
}

// Whether a sweep found another node with the GUID of a known node, and took the other node for the
// known node. A sweep that meets two nodes with one GUID makes the port to the second node silent.
// So the known node was met second if the port to the known node is silent now, and the port to the
// other node was silent before.
static bool merge_is_swapped(const struct merge *m, uint32_t node, const struct fabric_port *port)
{
    uint32_t peer = port->peer_node;
    if (peer == FABRIC_NONE || m->fates[node] != SEEN || m->fates[peer] != SEEN)
        return false;
    uint32_t now = merge_seen_port(m, node, port->number),
             place = merge_seen_port(m, peer, port->peer_port);
    if (now == FABRIC_NONE || place == FABRIC_NONE || !m->seen->ports[place].silent)
        return false;
    uint32_t other = m->seen->ports[now].peer_node;
    return other != FABRIC_NONE &&
           merge_was_silent(m, &m->seen->nodes[other], m->seen->ports[now].peer_port);
}

static void merge_add_known_link(struct merge *m, uint32_t node, const struct fabric_port *port)
{
    fabric_builder_link(m->builder, m->numbers[node], port->number, m->numbers[port->peer_node],
                        port->peer_port);
}

// Gives the known node its link back, and makes the port to the other node silent again.
static void merge_swap_back(struct merge *m, uint32_t node, const struct fabric_port *port)
{
    const struct fabric_port *now = &m->seen->ports[merge_seen_port(m, node, port->number)];
    merge_add_known_link(m, node, port);
    fabric_builder_get_port(m->builder, m->numbers[port->peer_node], port->peer_port)->silent =
        false;
    fabric_builder_get_port(m->builder, now->peer_node, now->peer_port)->silent = true;
}

static void merge_add_known_links(struct merge *m)
{
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        const struct fabric_node *node = &m->known->nodes[i];
        for (uint32_t k = 0; k < node->ports; k++) {
            const struct fabric_port *port = &m->known->ports[node->first_port + k];
            if (merge_is_swapped(m, i, port))
                merge_swap_back(m, i, port);
            else if (merge_link_stays(m, i, port))
                merge_add_known_link(m, i, port);
        }
    }
}

// Whether a node may have controllers that were not seen: it is missing and stays, or its I/O unit
// did not answer, or the PortInfo of a port, which says whether there is an I/O unit, is not known.
static bool merge_may_have_more(const struct merge *m, uint32_t node)
{
    if (m->fates[node] != SEEN)
        return m->fates[node] != GONE;
    const struct fabric_node *n = &m->seen->nodes[m->numbers[node]];
    bool may = n->unit_silent;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        may = may || !m->seen->ports[i].known;
    return may;
}

// Adds the unseen known controllers of nodes of the rank.
static void merge_add_known_controllers(struct merge *m, unsigned rank, uint32_t *room)
{
    for (uint32_t i = 0; i<m->known->controller_count && * room> 0; i++) {
        struct fabric_controller controller = m->known->controllers[i];
        if (merge_rank(m, controller.node) != rank || !merge_may_have_more(m, controller.node))
            continue;
        controller.node = m->numbers[controller.node];
        --*room;
        fabric_builder_controller(m->builder, &controller);
    }
}

// A seen controller replaces the known controller in its slot.
static void merge_add_services(struct merge *m)
{
    uint32_t room = m->room.controllers;
    for (unsigned rank = RANKS; rank-- > 0;)
        merge_add_known_controllers(m, rank, &room);
    for (uint32_t i = 0; i < m->seen->controller_count; i++)
        fabric_builder_controller(m->builder, &m->seen->controllers[i]);
    for (uint32_t i = 0; i < m->seen->sm_count; i++)
        fabric_builder_sm(m->builder, &m->seen->sms[i]);
}

static void merge_add_table(struct merge *m, const struct fabric *from, uint32_t table,
                            uint32_t number)
{
    const struct fabric_pkey_table *t = &from->pkey_tables[table];
    fabric_builder_pkeys(m->builder, number, t->port, &from->pkeys[t->first], t->count);
}

// A port's seen table comes before its known table. Without room for all tables, some known tables
// are dropped.
static void merge_add_pkeys(struct merge *m)
{
    for (uint32_t i = 0; i < m->seen->pkey_table_count; i++)
        merge_add_table(m, m->seen, i, m->seen->pkey_tables[i].node);
    for (uint32_t i = 0; i < m->known->pkey_table_count; i++) {
        const uint32_t node = m->known->pkey_tables[i].node;
        if (m->fates[node] != GONE && m->numbers[node] != FABRIC_NONE)
            merge_add_table(m, m->known, i, m->numbers[node]);
    }
}

// A node that a complete sweep did not find is gone.
static void merge_add_missing(struct merge *m, const struct merge_memory *last)
{
    if (m->seen->complete)
        return;
    merge_find_hidden(m);
    merge_find_missed(m, last);
    merge_find_excess(m);
    merge_add_known_nodes(m);
    merge_add_known_links(m);
}

static struct fabric *merge_build(struct merge *m, const struct merge_memory *last)
{
    m->memory.most = merge_learn(last, m->seen);
    m->room = merge_find_room(&m->memory.most, m->seen);
    merge_find_seen(m);
    merge_add_seen_nodes(m);
    merge_add_seen_links(m);
    merge_add_missing(m, last);
    merge_add_services(m);
    merge_add_pkeys(m);
    return fabric_builder_finish(m->builder, m->seen->time_us, m->seen->subnet_prefix,
                                 m->seen->complete);
}

// Logs the fates of the known nodes that the sweep did not find.
static void merge_log_fates(const struct merge *m, struct log *log)
{
    static const char *const WORDS[] = {
        [GONE] = "gone: two sweeps in a row did not find it, or there is no room for it",
        [HIDDEN] = "kept: a port that did not answer can hide it",
        [MISSED] = "kept: one sweep missed it, and no port can hide it",
    };
    if (!log_is_debug(log))
        return;
    for (uint32_t i = 0; i < m->known->node_count; i++) {
        const struct fabric_node *node = &m->known->nodes[i];
        if (m->fates[i] != SEEN)
            log_debug(log, "node 0x%016" PRIx64 " (%s) is %s", node->guid, node->description,
                      m->seen->complete ? "gone: a complete sweep did not find it"
                                        : WORDS[m->fates[i]]);
    }
}

// `full`: it was before.
static void merge_warn_of_excess(const struct merge *m, bool full, struct log *log)
{
    if (m->excess > 0 && !full && log)
        log_write(
            log, LOG_LEVEL_WARNING,
            "%u nodes that the sweep did not find count as gone, since more than %u are "
            "missing: look for a switch that makes up nodes, and for ports that do not answer",
            (unsigned)m->excess, (unsigned)(m->room.nodes));
}

struct fabric *merge_fabrics(const struct fabric *known, const struct fabric *seen,
                             struct merge_memory *memory, struct log *log)
{
    struct merge m = {.known = known, .seen = seen, .memory = {.departed = memory->departed}};
    size_t count = (size_t)m.known->node_count + 1;
    m.builder = fabric_builder_new();
    m.fates = memory_zeroed(count, sizeof *m.fates);
    m.numbers = memory_get(count * sizeof *m.numbers);
    m.queue = memory_get(count * sizeof *m.queue);
    m.memory.missed = memory_get(count * sizeof *m.memory.missed);
    struct fabric *merged = merge_build(&m, memory);
    m.memory.full = m.excess > 0;
    merge_log_fates(&m, log);
    merge_warn_of_excess(&m, memory->full, log);
    free(memory->missed);
    *memory = m.memory;
    free(m.fates);
    free(m.numbers);
    free(m.queue);
    return merged;
}
