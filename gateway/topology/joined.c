// SPDX-License-Identifier: BSD-2-Clause
#include "topology/joined.h"

#include "base/memory.h"
#include "base/search.h"
#include "model/fabric_builder.h"
#include "topology/diff.h"

#include <stdlib.h>
#include <string.h>

struct joined {
    const struct fabric *before, *now;
    const struct systems *systems; // of `now`
    const struct systems *systems_before;
    const struct joined_waiting *waiting;
    const struct joined_absence *absence;
    int64_t *since; // by system: since when its nodes wait
    bool *waits;    // by port
    bool *holds;    // by node: the node came, and may wait for others
    bool *lacks;    // by node: `holds`, and its system may get further parts
    bool *visited;  // by node
    uint32_t
        *numbers;     // in the builder, by node; FABRIC_NONE: only links that wait connect the node
    uint32_t *island; // nodes that links connect; see joined_connects
    struct fabric_builder *builder;
};

// Whether the earlier fabric had the link of this port, too.
static bool joined_had_link(const struct fabric *before, const struct fabric *now, uint32_t node,
                            const struct fabric_port *port)
{
    const uint32_t then = fabric_find_node(before, now->nodes[node].guid);
    const uint32_t same =
        then != FABRIC_NONE ? fabric_find_port(before, then, port->number) : FABRIC_NONE;
    return same != FABRIC_NONE && diff_same_peer(before, &before->ports[same], now, port);
}

// Returns whether a link waits.
static bool joined_find_waiting(struct joined *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->now->node_count; i++) {
        const struct fabric_node *n = &j->now->nodes[i];
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            j->waits[k] = fabric_is_inactive(j->now, k) &&
                          !joined_had_link(j->before, j->now, i, &j->now->ports[k]);
            any = any || j->waits[k];
        }
    }
    return any;
}

static bool joined_is_new(const struct joined *j, uint32_t node)
{
    return fabric_find_node(j->before, j->now->nodes[node].guid) == FABRIC_NONE;
}

// Since when the node itself waits.
static int64_t joined_node_since(const struct joined *j, uint32_t node)
{
    const struct joined_waiting *w = j->waiting;
    const uint64_t guid = j->now->nodes[node].guid;
    uint32_t at;
    SEARCH_FIRST(at, 0, w->count, w->all[at].guid < guid);
    return at < w->count && w->all[at].guid == guid ? w->all[at].since_us : j->now->time_us;
}

// The nodes of a system wait as long as the first node does.
static int64_t joined_since(const struct joined *j, uint32_t node)
{
    return j->since[j->systems->of[node]];
}

static void joined_find_holds(struct joined *j)
{
    for (uint32_t s = 0; s < j->systems->count; s++)
        j->since[s] = INT64_MAX;
    for (uint32_t i = 0; i < j->now->node_count; i++) {
        const int64_t own = joined_node_since(j, i);
        j->holds[i] = joined_is_new(j, i);
        if (j->holds[i] && own < joined_since(j, i))
            j->since[j->systems->of[i]] = own;
    }
    for (uint32_t i = 0; i < j->now->node_count; i++) {
        const int64_t held_us = j->now->time_us - joined_since(j, i);
        j->holds[i] = j->holds[i] && held_us >= 0 && held_us < JOINED_HOLD_US;
    }
}

// Parts that are not there.

static int joined_compare_groups(const void *a, const void *b)
{
    const uint64_t m = *(const uint64_t *)a, n = *(const uint64_t *)b;
    return m < n ? -1 : m > n;
}

// The group of a node that left with others; 0: there is none.
static uint64_t joined_group(const struct joined_absence *absence, uint64_t guid)
{
    uint32_t at;
    SEARCH_FIRST(at, 0, absence->count, absence->all[at].guid < guid);
    return at < absence->count && absence->all[at].guid == guid ? absence->all[at].group : 0;
}

// Whether no part of the system is known from before, or hangs on a switch that is new, too.
static bool joined_is_unknown(const struct joined *j, const struct system *s)
{
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        const struct fabric_node *n = &j->now->nodes[j->systems->parts[i]];
        if (!j->holds[j->systems->parts[i]] || joined_group(j->absence, n->guid) != 0)
            return false;
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            const uint32_t peer = j->now->ports[k].peer_node;
            if (peer != FABRIC_NONE && joined_is_new(j, peer))
                return false;
        }
    }
    return true;
}

static int joined_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names of the systems from before, and of systems that left lately: a host with a new adapter
// has a known name. The caller frees the list.
static const char **joined_list_names(const struct joined *j, size_t *count)
{
    const struct departed_ports *departed = j->absence->departed;
    const size_t room = j->systems_before->count + DEPARTED_PORTS_MAX + (size_t)1;
    const char **names = memory_get(room * sizeof *names);
    *count = 0;
    for (uint32_t s = 0; s < j->systems_before->count; s++)
        names[(*count)++] = j->systems_before->all[s].name;
    for (size_t i = 0; i < DEPARTED_PORTS_MAX && i < departed->next; i++)
        names[(*count)++] = departed->ports[i].system;
    qsort(names, *count, sizeof *names, joined_compare_names);
    return names;
}

static bool joined_is_recent(const struct joined *j, uint32_t system)
{
    return j->systems->all[system].has_devices && j->since[system] != INT64_MAX &&
           j->now->time_us - j->since[system] < JOINED_NEW_US;
}

static void joined_find_new_hosts(struct joined *j)
{
    const char **names = NULL;
    size_t count;
    for (uint32_t s = 0; s < j->systems->count; s++) {
        const struct system *one = &j->systems->all[s];
        if (!joined_is_recent(j, s) || !joined_is_unknown(j, one))
            continue;
        names = names ? names : joined_list_names(j, &count);
        const bool known =
            bsearch(&one->name, names, count, sizeof *names, joined_compare_names) != NULL;
        for (uint32_t i = one->first; !known && i < one->first + one->count; i++)
            j->lacks[j->systems->parts[i]] = true;
    }
    free(names);
}

// Finds the nodes that lack parts of their systems. Returns whether there are any.
static bool joined_find_lacking(struct joined *j)
{
    const struct joined_absence *absence = j->absence;
    uint64_t *groups = memory_get(((size_t)absence->count + 1) * sizeof *groups);
    uint32_t count = 0;
    bool any = false;
    for (uint32_t i = 0; i < absence->count; i++) {
        if (fabric_find_node(j->now, absence->all[i].guid) == FABRIC_NONE)
            groups[count++] = absence->all[i].group;
    }
    qsort(groups, count, sizeof *groups, joined_compare_groups);
    for (uint32_t i = 0; count > 0 && i < j->now->node_count; i++) {
        const uint64_t group = j->holds[i] ? joined_group(absence, j->now->nodes[i].guid) : 0;
        j->lacks[i] = group != 0 &&
                      bsearch(&group, groups, count, sizeof *groups, joined_compare_groups) != NULL;
    }
    free(groups);
    if (absence->has_base)
        joined_find_new_hosts(j);
    for (uint32_t i = 0; i < j->now->node_count; i++)
        any = any || j->lacks[i];
    return any;
}

// A host that lacks adapters keeps no other node waiting. A box does: nodes hang on the box.
static bool joined_stands_alone(const struct joined *j, uint32_t node)
{
    return j->lacks[node] && !systems_of(j->systems, node)->is_box;
}

// Whether a link of the node makes both ends one island.
static bool joined_connects(const struct joined *j, uint32_t node, uint32_t port)
{
    const uint32_t peer = j->now->ports[port].peer_node;
    if (peer == FABRIC_NONE || j->visited[peer] || j->holds[peer] != j->holds[node] ||
        joined_stands_alone(j, node) || joined_stands_alone(j, peer))
        return false;
    return j->holds[node] || !j->waits[port];
}

static void joined_reach(struct joined *j, uint32_t node, uint32_t *count)
{
    j->visited[node] = true;
    j->island[(*count)++] = node;
}

static void joined_reach_parts(struct joined *j, uint32_t node, uint32_t *count)
{
    const struct system *s = systems_of(j->systems, node);
    for (uint32_t i = s->first; j->holds[node] && i < s->first + s->count; i++) {
        const uint32_t part = j->systems->parts[i];
        if (j->holds[part] && !j->visited[part])
            joined_reach(j, part, count);
    }
}

// Collects the node's island. Returns how many nodes the island has.
static uint32_t joined_find_island(struct joined *j, uint32_t node)
{
    uint32_t count = 0;
    joined_reach(j, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct fabric_node *n = &j->now->nodes[j->island[i]];
        joined_reach_parts(j, j->island[i], &count);
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            if (joined_connects(j, j->island[i], k))
                joined_reach(j, j->now->ports[k].peer_node, &count);
        }
    }
    return count;
}

// Whether all nodes of the island are new, and a link or a node waits.
static bool joined_is_apart(const struct joined *j, uint32_t count)
{
    bool waits = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct fabric_node *n = &j->now->nodes[j->island[i]];
        if (!joined_is_new(j, j->island[i]))
            return false;
        waits = waits || j->lacks[j->island[i]];
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++)
            waits = waits || j->waits[k];
    }
    return waits;
}

static void joined_add_node(struct joined *j, uint32_t node)
{
    const struct fabric_node *n = &j->now->nodes[node];
    j->numbers[node] = fabric_builder_node(j->builder, n);
    for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++)
        fabric_builder_port(j->builder, j->numbers[node], &j->now->ports[k]);
}

static void joined_add_nodes(struct joined *j)
{
    for (uint32_t i = 0; i < j->now->node_count; i++) {
        if (j->visited[i])
            continue;
        const uint32_t count = joined_find_island(j, i);
        const bool apart = joined_is_apart(j, count);
        for (uint32_t k = 0; k < count; k++) {
            j->numbers[j->island[k]] = FABRIC_NONE;
            if (!apart)
                joined_add_node(j, j->island[k]);
        }
    }
}

static void joined_add_links(struct joined *j)
{
    for (uint32_t i = 0; i < j->now->node_count; i++) {
        const struct fabric_node *n = &j->now->nodes[i];
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            const struct fabric_port *port = &j->now->ports[k];
            if (port->peer_node != FABRIC_NONE && port->peer_node >= i && !j->waits[k] &&
                j->numbers[i] != FABRIC_NONE && j->numbers[port->peer_node] != FABRIC_NONE)
                fabric_builder_link(j->builder, j->numbers[i], port->number,
                                    j->numbers[port->peer_node], port->peer_port);
        }
    }
}

// The port in `now` of a port of `before`; FABRIC_NONE: it is not there, or waits with its node.
static uint32_t joined_port_now(const struct joined *j, uint32_t node, uint8_t number,
                                uint32_t *node_now)
{
    *node_now = fabric_find_node(j->now, j->before->nodes[node].guid);
    if (*node_now == FABRIC_NONE || j->numbers[*node_now] == FABRIC_NONE)
        return FABRIC_NONE;
    return fabric_find_port(j->now, *node_now, number);
}

static bool joined_is_free(const struct joined *j, uint32_t node, uint8_t number)
{
    const struct fabric_port *port = fabric_builder_get_port(j->builder, j->numbers[node], number);
    return port && port->peer_node == FABRIC_NONE;
}

// Keeps the former link of a port whose new link waits.
static void joined_keep_link(struct joined *j, uint32_t node, const struct fabric_port *port)
{
    uint32_t a, b;
    const uint32_t first = joined_port_now(j, node, port->number, &a);
    const uint32_t second = first != FABRIC_NONE
                                ? joined_port_now(j, port->peer_node, port->peer_port, &b)
                                : FABRIC_NONE;
    if (second != FABRIC_NONE && (j->waits[first] || j->waits[second]) &&
        joined_is_free(j, a, port->number) && joined_is_free(j, b, port->peer_port))
        fabric_builder_link(j->builder, j->numbers[a], port->number, j->numbers[b],
                            port->peer_port);
}

static void joined_keep_links(struct joined *j)
{
    for (uint32_t i = 0; i < j->before->node_count; i++) {
        const struct fabric_node *n = &j->before->nodes[i];
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            const struct fabric_port *port = &j->before->ports[k];
            if (port->peer_node != FABRIC_NONE && port->peer_node >= i)
                joined_keep_link(j, i, port);
        }
    }
}

static void joined_add_services(struct joined *j)
{
    const struct fabric *now = j->now;
    for (uint32_t i = 0; i < now->sm_count; i++) {
        struct fabric_sm sm = now->sms[i];
        sm.node = j->numbers[sm.node];
        if (sm.node != FABRIC_NONE)
            fabric_builder_sm(j->builder, &sm);
    }
    for (uint32_t i = 0; i < now->controller_count; i++) {
        struct fabric_controller controller = now->controllers[i];
        controller.node = j->numbers[controller.node];
        if (controller.node != FABRIC_NONE)
            fabric_builder_controller(j->builder, &controller);
    }
    for (uint32_t i = 0; i < now->pkey_table_count; i++) {
        const struct fabric_pkey_table *t = &now->pkey_tables[i];
        if (j->numbers[t->node] != FABRIC_NONE)
            fabric_builder_pkeys(j->builder, j->numbers[t->node], t->port, &now->pkeys[t->first],
                                 t->count);
    }
}

static struct fabric *joined_build(struct joined *j)
{
    j->builder = fabric_builder_new();
    joined_add_nodes(j);
    joined_add_links(j);
    joined_keep_links(j);
    joined_add_services(j);
    return fabric_builder_finish(j->builder, j->now->time_us, j->now->subnet_prefix,
                                 j->now->complete);
}

static void joined_note_waiting(const struct joined *j, bool built, struct joined_waiting *waiting)
{
    struct joined_waiting now = {0};
    const uint32_t nodes = built ? j->now->node_count : 0;
    now.all = memory_get(((size_t)nodes + 1) * sizeof *now.all);
    for (uint32_t i = 0; i < nodes; i++) {
        const int64_t since_us = joined_since(j, i);
        if (j->numbers[i] != FABRIC_NONE)
            continue;
        const bool is_new = j->lacks[i] && joined_group(j->absence, j->now->nodes[i].guid) == 0;
        const int64_t end_us = since_us + (is_new ? JOINED_NEW_US : JOINED_HOLD_US);
        now.all[now.count++] = (struct joined_waiter){j->now->nodes[i].guid, since_us};
        if (j->holds[i] && (now.until_us == 0 || end_us < now.until_us))
            now.until_us = end_us;
    }
    free(waiting->all);
    *waiting = now;
}

struct fabric *joined_fabric(const struct systems *before, const struct systems *now,
                             const struct joined_absence *absence, struct joined_waiting *waiting)
{
    const size_t nodes = now->fabric->node_count, ports = now->fabric->port_count;
    struct joined j = {.before = before->fabric,
                       .systems_before = before,
                       .now = now->fabric,
                       .systems = now,
                       .waiting = waiting,
                       .absence = absence,
                       .since = memory_get(((size_t)now->count + 1) * sizeof *j.since),
                       .waits = memory_zeroed(ports + 1, sizeof *j.waits),
                       .holds = memory_zeroed(nodes + 1, sizeof *j.holds),
                       .lacks = memory_zeroed(nodes + 1, sizeof *j.lacks),
                       .visited = memory_zeroed(nodes + 1, sizeof *j.visited),
                       .numbers = memory_get((nodes + 1) * sizeof *j.numbers),
                       .island = memory_get((nodes + 1) * sizeof *j.island)};
    bool any = joined_find_waiting(&j);
    joined_find_holds(&j);
    any = joined_find_lacking(&j) || any;
    struct fabric *joined = any ? joined_build(&j) : fabric_ref(now->fabric);
    joined_note_waiting(&j, any, waiting);
    free(j.waits);
    free(j.since);
    free(j.holds);
    free(j.lacks);
    free(j.visited);
    free(j.numbers);
    free(j.island);
    return joined;
}

bool joined_is_dark(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    bool inactive = false;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric_peer(fabric, i) == FABRIC_NONE)
            continue;
        if (!fabric_is_inactive(fabric, i))
            return false;
        inactive = true;
    }
    return inactive;
}

bool joined_lacks_link(const struct fabric *joined, const struct fabric *now, uint64_t node_guid)
{
    const uint32_t node = joined != now ? fabric_find_node(now, node_guid) : FABRIC_NONE;
    if (node == FABRIC_NONE)
        return false;
    const struct fabric_node *n = &now->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        const struct fabric_port *port = &now->ports[i];
        if (port->peer_node != FABRIC_NONE && !joined_had_link(joined, now, node, port))
            return true;
    }
    return false;
}
