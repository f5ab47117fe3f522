// SPDX-License-Identifier: BSD-2-Clause
#include "picture/picture.h"

#include "base/memory.h"
#include "model/catalogue.h"
#include "picture/hosts.h"
#include "topology/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *picture_state_word(enum picture_state state)
{
    static const char *const WORDS[PICTURE_STATES] = {"good", "missing", "degraded", "fault"};
    return WORDS[state];
}

void picture_name(const struct picture_node *node, char out[PICTURE_NAME_SIZE])
{
    text_clean(node->name, PICTURE_NAME_SIZE, out, PICTURE_NAME_SIZE);
    if (out[strspn(out, " ")] == '\0')
        snprintf(out, PICTURE_NAME_SIZE, "0x%016" PRIx64, node->guid);
}

// The fabric.

static void picture_take_nodes(struct picture *p)
{
    for (uint32_t i = 0; i < p->fabric->node_count; i++) {
        const struct fabric_node *node = &p->fabric->nodes[i];
        char label[NAMES_NAME_SIZE];
        const char *name = describe_label(p->fabric, i, FABRIC_NONE, p->names, label);
        char *own = name == label ? memory_copy(label) : NULL;
        p->nodes[p->node_count++] = (struct picture_node){.guid = node->guid,
                                                          .one = i,
                                                          .next = FABRIC_NONE,
                                                          .name = own ? own : name,
                                                          .own_name = own,
                                                          .type = node->type,
                                                          .silent = node->silent};
    }
}

static void picture_take_links(struct picture *p)
{
    for (uint32_t i = 0; i < p->fabric->node_count; i++) {
        const struct fabric_node *node = &p->fabric->nodes[i];
        for (uint32_t port = node->first_port; port < node->first_port + node->ports; port++) {
            const uint32_t peer = fabric_peer(p->fabric, port);
            const struct fabric_port *from = &p->fabric->ports[port];
            p->link_of[port] = peer == FABRIC_NONE ? FABRIC_NONE
                               : peer < port       ? p->link_of[peer]
                                                   : p->link_count;
            if (peer == FABRIC_NONE || peer < port)
                continue;
            p->links[p->link_count++] = (struct picture_link){.node = i,
                                                              .peer = from->peer_node,
                                                              .port = from->number,
                                                              .peer_port = from->peer_port,
                                                              .width = from->width_active,
                                                              .speed = from->speed_active};
        }
    }
    p->present_links = p->link_count;
}

struct picture *picture_new(const struct fabric *fabric, const struct names *names,
                            const struct systems *systems, bool show_hosts)
{
    struct picture *p = memory_get(sizeof *p);
    *p = (struct picture){.fabric = fabric,
                          .names = names,
                          .systems = systems && systems->fabric == fabric ? systems : NULL,
                          .show_hosts = show_hosts,
                          .node_room = fabric->node_count + PICTURE_ABSENT_MAX,
                          .link_room = fabric->port_count / 2 + 1 + PICTURE_ABSENT_MAX};
    p->nodes = memory_zeroed(p->node_room, sizeof *p->nodes);
    p->links = memory_zeroed(p->link_room, sizeof *p->links);
    p->link_of = memory_zeroed(fabric->port_count, sizeof *p->link_of);
    picture_take_nodes(p);
    picture_take_links(p);
    return p;
}

void picture_free(struct picture *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->node_count; i++) {
        free(p->nodes[i].own_name);
        free(p->nodes[i].system);
    }
    free(p->nodes);
    free(p->links);
    free(p->link_of);
    free(p->order);
    free(p);
}

// Alarms.

// The state of a subject with an alarm of that event. PICTURE_GOOD: nothing to look at.
static enum picture_state picture_state_of(const struct alarm_key *what, const char *event)
{
    const struct catalogue_entry *type = catalogue_find(event);
    const size_t length = strlen(event);
    static const char MISSING[] = "-missing";
    if (!type || type->severity > SEVERITY_WARNING)
        return PICTURE_GOOD;
    if (length >= sizeof MISSING && strcmp(event + length - sizeof MISSING + 1, MISSING) == 0)
        return PICTURE_MISSING;
    if (what->kind == ALARM_KEY_RATE || strcmp(event, "link-below-expected") == 0)
        return PICTURE_DEGRADED;
    return PICTURE_FAULT;
}

static void picture_worsen(enum picture_state *state, enum picture_state to)
{
    if (to > *state)
        *state = to;
}

// The index of the node; an absent one is added. FABRIC_NONE: there are too many.
static uint32_t picture_find(struct picture *p, uint64_t guid)
{
    uint32_t i = fabric_find_node(p->fabric, guid);
    if (i != FABRIC_NONE)
        return i;
    for (i = p->fabric->node_count; i < p->node_count; i++) {
        if (p->nodes[i].guid == guid)
            return i;
    }
    if (i == p->node_room) {
        p->cut = true;
        return FABRIC_NONE;
    }
    const char *name = names_find(p->names, guid);
    p->nodes[p->node_count++] = (struct picture_node){
        .guid = guid, .one = i, .next = FABRIC_NONE, .name = name ? name : "", .absent = true};
    return i;
}

// The type of an absent node, as the name of the event tells it; 0: unknown.
static uint8_t picture_type_of(const char *event)
{
    return strncmp(event, "host-", 5) == 0     ? FABRIC_CA
           : strncmp(event, "router-", 7) == 0 ? FABRIC_ROUTER
           : strncmp(event, "switch-", 7) == 0 ? FABRIC_SWITCH
                                               : 0;
}

static void picture_mark_node(struct picture *p, uint64_t guid, const char *event,
                              enum picture_state state)
{
    const uint32_t i = picture_find(p, guid);
    if (i == FABRIC_NONE)
        return;
    picture_worsen(&p->nodes[i].state, state);
    if (p->nodes[i].absent && p->nodes[i].type == 0)
        p->nodes[i].type = picture_type_of(event);
}

static bool picture_is_link(const struct picture *p, const struct picture_link *link,
                            const struct alarm_key *what)
{
    return p->nodes[link->node].guid == what->guid && link->port == what->port &&
           p->nodes[link->peer].guid == what->peer_guid && link->peer_port == what->peer_port;
}

// Marks a link that is not in the fabric.
static void picture_mark_absent(struct picture *p, const struct alarm_key *what,
                                enum picture_state state)
{
    uint32_t i = p->present_links;
    while (i < p->link_count && !picture_is_link(p, &p->links[i], what))
        i++;
    if (i == p->link_count) {
        if (i - p->present_links == PICTURE_ABSENT_MAX) {
            p->cut = true;
            return;
        }
        const uint32_t node = picture_find(p, what->guid), peer = picture_find(p, what->peer_guid);
        if (node == FABRIC_NONE || peer == FABRIC_NONE || node == peer)
            return;
        p->links[p->link_count++] = (struct picture_link){.node = node,
                                                          .peer = peer,
                                                          .port = what->port,
                                                          .peer_port = what->peer_port,
                                                          .absent = true};
    }
    picture_worsen(&p->links[i].state, state);
}

static void picture_mark_link(struct picture *p, const struct alarm_key *what,
                              enum picture_state state)
{
    const uint32_t port = fabric_find_end(p->fabric, what->guid, what->port);
    const uint32_t peer = fabric_find_end(p->fabric, what->peer_guid, what->peer_port);
    if (port != FABRIC_NONE && peer != FABRIC_NONE && fabric_peer(p->fabric, port) == peer)
        picture_worsen(&p->links[p->link_of[port]].state, state);
    else
        picture_mark_absent(p, what, state);
}

static void picture_mark_port(struct picture *p, const struct alarm_key *what, const char *event,
                              enum picture_state state)
{
    const uint32_t port = fabric_find_end(p->fabric, what->guid, what->port);
    if (port != FABRIC_NONE && p->link_of[port] != FABRIC_NONE)
        picture_worsen(&p->links[p->link_of[port]].state, state);
    else
        picture_mark_node(p, what->guid, event, state);
}

bool picture_read_key(const char *key, struct alarm_key *out)
{
    for (const char *at = key; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (alarm_key_read(at, out))
            return true;
    }
    return false;
}

void picture_add_alarm(struct picture *p, const char *key, const char *event, bool follows)
{
    struct alarm_key what;
    if (!picture_read_key(key, &what))
        return;
    enum picture_state state = picture_state_of(&what, event);
    if (state == PICTURE_GOOD)
        return;
    if (follows)
        state = PICTURE_MISSING;
    if (what.kind == ALARM_KEY_NODE)
        picture_mark_node(p, what.guid, event, state);
    else if (what.kind == ALARM_KEY_PORT)
        picture_mark_port(p, &what, event, state);
    else if (what.kind == ALARM_KEY_LINK || what.kind == ALARM_KEY_RATE)
        picture_mark_link(p, &what, state);
}

void picture_name_absent(struct picture *p, uint64_t guid, const char *name, const char *system)
{
    for (uint32_t i = p->fabric->node_count; i < p->node_count; i++) {
        struct picture_node *node = &p->nodes[i];
        if (node->guid == guid && !node->system && system[0] != '\0')
            node->system = memory_copy(system);
        if (node->guid == guid && node->name[0] == '\0' && name[0] != '\0')
            node->name = node->own_name = memory_copy(name);
    }
}

// Hosts with several adapters.

static const char *picture_host_of(const struct picture *p, uint32_t node)
{
    const struct picture_node *n = &p->nodes[node];
    if (n->absent)
        return n->system && n->type != FABRIC_SWITCH ? n->system : "";
    const struct system *s = p->systems ? systems_of(p->systems, node) : NULL;
    return s && !s->is_box && s->has_devices ? s->name : "";
}

// The first adapter of a host stands for all, with the name of the host.
static void picture_join_hosts(struct picture *p)
{
    const size_t count = p->node_count;
    const char **hosts = memory_get((count + 1) * sizeof *hosts);
    uint32_t *room = memory_get((2 * count + 1) * sizeof *room);
    for (uint32_t i = 0; i < count; i++)
        hosts[i] = picture_host_of(p, i);
    hosts_group(hosts, p->node_count, room, room + count);
    for (uint32_t i = 0; i < count; i++) {
        struct picture_node *n = &p->nodes[i], *first = &p->nodes[room[i]];
        n->one = room[i];
        n->next = room[count + i];
        picture_worsen(&first->state, n->state);
        first->silent = first->silent || n->silent;
        if (n != first || n->next == FABRIC_NONE)
            continue;
        char *own = memory_copy(hosts[i]);
        free(n->own_name);
        n->name = n->own_name = own;
    }
    for (uint32_t i = 0; i < p->link_count; i++) {
        p->links[i].node = room[p->links[i].node];
        p->links[i].peer = room[p->links[i].peer];
    }
    free(hosts);
    free(room);
}

// Homes: which switch a host is drawn at.

// An absent node of unknown type is a switch if more than one link leads to it.
static void picture_guess_types(struct picture *p)
{
    for (uint32_t n = p->fabric->node_count; n < p->node_count; n++) {
        unsigned links = 0;
        for (uint32_t i = p->present_links; p->nodes[n].type == 0 && i < p->link_count; i++)
            links += p->links[i].node == n || p->links[i].peer == n;
        if (p->nodes[n].type == 0)
            p->nodes[n].type = links > 1 ? FABRIC_SWITCH : FABRIC_CA;
    }
}

static void picture_set_home(struct picture *p, uint32_t node, uint32_t at)
{
    struct picture_node *n = &p->nodes[node];
    if (n->type != FABRIC_SWITCH && n->home == FABRIC_NONE && p->nodes[at].type == FABRIC_SWITCH)
        n->home = at;
}

static void picture_find_homes(struct picture *p)
{
    for (uint32_t i = 0; i < p->node_count; i++)
        p->nodes[i].home = FABRIC_NONE;
    for (uint32_t i = 0; i < p->link_count; i++) {
        picture_set_home(p, p->links[i].node, p->links[i].peer);
        picture_set_home(p, p->links[i].peer, p->links[i].node);
    }
}

static void picture_note_link(struct picture_node *node, uint32_t other, enum picture_state state)
{
    picture_worsen(&node->near, state);
    if (node->home == other)
        picture_worsen(&node->whole, state);
}

static void picture_find_states(struct picture *p)
{
    for (uint32_t i = 0; i < p->node_count; i++)
        p->nodes[i].whole = p->nodes[i].state;
    for (uint32_t i = 0; i < p->link_count; i++) {
        const struct picture_link *link = &p->links[i];
        picture_note_link(&p->nodes[link->node], link->peer, link->state);
        picture_note_link(&p->nodes[link->peer], link->node, link->state);
    }
}

static bool picture_is_troubled(const struct picture_node *node)
{
    return node->state != PICTURE_GOOD || node->near != PICTURE_GOOD || node->absent;
}

static void picture_show_nodes(struct picture *p)
{
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (p->nodes[i].home != FABRIC_NONE)
            p->nodes[p->nodes[i].home].troubled_hosts += picture_is_troubled(&p->nodes[i]);
    }
    for (uint32_t i = 0; i < p->node_count; i++) {
        struct picture_node *n = &p->nodes[i];
        const struct picture_node *home = n->home == FABRIC_NONE ? NULL : &p->nodes[n->home];
        n->shown = n->one == i &&
                   (n->type != FABRIC_CA || !home || p->show_hosts ||
                    (picture_is_troubled(n) && home->troubled_hosts <= PICTURE_TROUBLED_HOSTS));
    }
}

// A link between two nodes of layer 0 has no switch to count the link.
static void picture_show_direct_links(struct picture *p)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        const uint32_t ends[] = {p->links[i].node, p->links[i].peer};
        if (p->nodes[ends[0]].type == FABRIC_SWITCH || p->nodes[ends[1]].type == FABRIC_SWITCH)
            continue;
        p->nodes[ends[0]].shown = p->nodes[ends[1]].shown = true;
    }
}

static void picture_place_host(struct picture *p, uint32_t node, uint32_t at)
{
    struct picture_node *n = &p->nodes[node];
    if (n->home == at && n->shown && n->place == FABRIC_NONE)
        n->place = p->nodes[at].shown_hosts++;
}

// Places hosts in the order of the switch's ports; absent hosts follow.
static void picture_place_hosts(struct picture *p)
{
    for (uint32_t i = 0; i < p->node_count; i++)
        p->nodes[i].place = FABRIC_NONE;
    for (uint32_t i = 0; i < p->fabric->node_count; i++) {
        const struct fabric_node *node = &p->fabric->nodes[i];
        for (uint32_t port = node->first_port; port < node->first_port + node->ports; port++) {
            if (p->link_of[port] != FABRIC_NONE)
                picture_place_host(p, p->nodes[p->fabric->ports[port].peer_node].one, i);
        }
    }
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (p->nodes[i].home != FABRIC_NONE)
            picture_place_host(p, i, p->nodes[i].home);
    }
}

static void picture_count_host(struct picture *p, uint32_t at, uint32_t node)
{
    if (p->nodes[at].type == FABRIC_SWITCH && p->nodes[node].type != FABRIC_SWITCH) {
        p->nodes[at].hosts++;
        p->nodes[at].folded += !p->nodes[node].shown;
    }
}

static void picture_count_hosts(struct picture *p)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        picture_count_host(p, p->links[i].node, p->links[i].peer);
        picture_count_host(p, p->links[i].peer, p->links[i].node);
    }
}

// The end of the higher layer comes first.
static void picture_turn_links(struct picture *p)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        struct picture_link *link = &p->links[i];
        if (p->nodes[link->node].layer >= p->nodes[link->peer].layer)
            continue;
        const struct picture_link was = *link;
        link->node = was.peer;
        link->peer = was.node;
        link->port = was.peer_port;
        link->peer_port = was.port;
    }
}

// Layers, and the order of the switches in each layer.

enum { WISH_STEPS = 64 }; // of a place

// The links between switches, from both ends, by node.
struct picture_graph {
    uint32_t *first, *peers; // those of node i: from peers[first[i]] on, before peers[first[i + 1]]
    uint32_t *queue;
    uint32_t *hosts; // that count for the layer
    uint64_t *wish;  // the middle of the neighbours in the layer below, in steps
};

static bool picture_is_switch(const struct picture *p, uint32_t node)
{
    return p->nodes[node].type == FABRIC_SWITCH;
}

static bool picture_joins_switches(const struct picture *p, const struct picture_link *link)
{
    return picture_is_switch(p, link->node) && picture_is_switch(p, link->peer);
}

static void picture_fill_graph(const struct picture *p, struct picture_graph *g)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        if (picture_joins_switches(p, &p->links[i])) {
            g->first[p->links[i].node + 1]++;
            g->first[p->links[i].peer + 1]++;
        }
    }
    for (uint32_t i = 0; i < p->node_count; i++)
        g->first[i + 1] += g->first[i];
    memcpy(g->queue, g->first, p->node_count * sizeof *g->queue); // where the next one goes
    for (uint32_t i = 0; i < p->link_count; i++) {
        const struct picture_link *link = &p->links[i];
        if (picture_joins_switches(p, link)) {
            g->peers[g->queue[link->node]++] = link->peer;
            g->peers[g->queue[link->peer]++] = link->node;
        }
    }
}

static void picture_open_graph(const struct picture *p, struct picture_graph *g)
{
    *g = (struct picture_graph){.first = memory_zeroed(p->node_count + 1U, sizeof *g->first),
                                .peers = memory_zeroed((size_t)2 * p->link_count, sizeof *g->peers),
                                .queue = memory_zeroed(p->node_count, sizeof *g->queue),
                                .hosts = memory_zeroed(p->node_count, sizeof *g->hosts),
                                .wish = memory_zeroed(p->node_count, sizeof *g->wish)};
    picture_fill_graph(p, g);
}

static void picture_close_graph(struct picture_graph *g)
{
    free(g->first);
    free(g->peers);
    free(g->queue);
    free(g->hosts);
    free(g->wish);
}

// Whether a host is part of the switch, as its aggregation node is.
static bool picture_is_inside(const struct picture *p, uint32_t node, uint32_t at)
{
    if (p->nodes[node].absent || p->nodes[at].absent)
        return false;
    const struct fabric_node *n = &p->fabric->nodes[node];
    return n->system_guid != 0 && n->system_guid == p->fabric->nodes[at].system_guid;
}

static void picture_count_layer_hosts(const struct picture *p, struct picture_graph *g)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        const uint32_t ends[] = {p->links[i].node, p->links[i].peer};
        for (unsigned e = 0; e < 2; e++) {
            const uint32_t at = ends[e], node = ends[1 - e];
            g->hosts[at] += picture_is_switch(p, at) && p->nodes[node].type == FABRIC_CA &&
                            !picture_is_inside(p, node, at);
        }
    }
}

static bool picture_is_edge(const struct picture_graph *g, uint32_t node)
{
    uint32_t with_more = 0;
    for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++)
        with_more += g->hosts[g->peers[i]] > g->hosts[node];
    return g->hosts[node] > 0 && with_more <= g->hosts[node];
}

static void picture_take_layer(struct picture *p, struct picture_graph *g, uint32_t node,
                               uint32_t layer, uint32_t *count)
{
    if (layer > PICTURE_LAYERS_MAX)
        layer = PICTURE_LAYERS_MAX;
    p->nodes[node].layer = layer;
    p->layers = layer > p->layers ? layer : p->layers;
    g->queue[(*count)++] = node;
}

// Gives a layer to every switch with a path to the switches in the queue.
static uint32_t picture_spread_layers(struct picture *p, struct picture_graph *g, uint32_t from,
                                      uint32_t count)
{
    for (; from < count; from++) {
        const uint32_t node = g->queue[from];
        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            if (p->nodes[g->peers[i]].layer == 0)
                picture_take_layer(p, g, g->peers[i], p->nodes[node].layer + 1, &count);
        }
    }
    return count;
}

// Switches without a path to an edge switch are in layer 1.
static void picture_find_layers(struct picture *p, struct picture_graph *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->node_count; i++) {
        p->nodes[i].edge = picture_is_switch(p, i) && picture_is_edge(g, i);
        if (p->nodes[i].edge)
            picture_take_layer(p, g, i, 1, &count);
    }
    count = picture_spread_layers(p, g, 0, count);
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (picture_is_switch(p, i) && p->nodes[i].layer == 0)
            picture_take_layer(p, g, i, 1, &count);
    }
    p->order_count = count;
}

// Compares two numbers of m and n digits by their values.
static int picture_compare_numbers(const char *a, size_t m, const char *b, size_t n)
{
    for (; m > 0 && *a == '0'; m--)
        a++;
    for (; n > 0 && *b == '0'; n--)
        b++;
    return m != n ? (m < n ? -1 : 1) : memcmp(a, b, m);
}

// Compares names by the values of their numbers: leaf2 comes before leaf10.
static int picture_compare_names(const char *a, const char *b)
{
    int order = 0;
    while (order == 0 && *a != '\0' && *b != '\0') {
        const size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
        const bool numbers = m > 0 && n > 0;
        order =
            numbers ? picture_compare_numbers(a, m, b, n) : (unsigned char)*a - (unsigned char)*b;
        a += numbers ? m : 1;
        b += numbers ? n : 1;
    }
    return order != 0 ? order : (*a != '\0') - (*b != '\0');
}

// A switch for qsort, which has no context.
struct picture_row {
    const struct picture_node *node;
    uint32_t index;
    uint64_t wish;
};

static int picture_compare_rows(const void *a, const void *b)
{
    const struct picture_row *x = a, *y = b;
    if (x->wish != y->wish)
        return x->wish < y->wish ? -1 : 1;
    if ((x->node->name[0] == '\0') != (y->node->name[0] == '\0'))
        return x->node->name[0] == '\0' ? 1 : -1;
    const int order = picture_compare_names(x->node->name, y->node->name);
    if (order != 0)
        return order;
    return x->node->guid < y->node->guid ? -1 : x->node->guid > y->node->guid;
}

uint32_t picture_layer_size(const struct picture *p, uint32_t from, uint32_t end)
{
    uint32_t i = from;
    while (i < end && p->nodes[p->order[i]].layer == p->nodes[p->order[from]].layer)
        i++;
    return i - from;
}

// Puts the switches into the order of their layers.
static void picture_gather_layers(struct picture *p, const struct picture_graph *g)
{
    uint32_t next[PICTURE_LAYERS_MAX + 2] = {0};
    for (uint32_t i = 0; i < p->order_count; i++)
        next[p->nodes[g->queue[i]].layer + 1]++;
    for (size_t layer = 1; layer < PICTURE_LAYERS_MAX + 2; layer++)
        next[layer] += next[layer - 1];
    for (uint32_t i = 0; i < p->order_count; i++)
        p->order[next[p->nodes[g->queue[i]].layer]++] = g->queue[i];
}

// Sets where the neighbours in the layer below are. The places of that layer are final.
static void picture_set_wishes(const struct picture *p, struct picture_graph *g, uint32_t from,
                               uint32_t count)
{
    for (uint32_t k = from; k < from + count; k++) {
        const uint32_t node = p->order[k];
        uint64_t sum = 0, below = 0;
        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            if (p->nodes[g->peers[i]].layer + 1 == p->nodes[node].layer) {
                sum += p->nodes[g->peers[i]].place;
                below++;
            }
        }
        g->wish[node] = below > 0 ? sum * WISH_STEPS / below : 0;
    }
}

// Sorts a layer.
static void picture_sort_layer(struct picture *p, const struct picture_graph *g,
                               struct picture_row *rows, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = p->order[from + i];
        rows[i] = (struct picture_row){&p->nodes[node], node, g->wish[node]};
    }
    qsort(rows, count, sizeof *rows, picture_compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        p->order[from + i] = rows[i].index;
        p->nodes[rows[i].index].place = i;
    }
}

// Sets layers, places and `order`. Within a layer, switches come by their names, numbers in names
// by value. Switches of a higher layer come first by the middle of their neighbours in the layer
// below. Each layer is sorted once.
static void picture_arrange(struct picture *p)
{
    struct picture_graph g;
    picture_open_graph(p, &g);
    picture_count_layer_hosts(p, &g);
    picture_find_layers(p, &g);
    struct picture_row *rows = memory_get(p->order_count * sizeof *rows);
    p->order = memory_get(p->order_count * sizeof *p->order);
    picture_gather_layers(p, &g);
    for (uint32_t from = 0, count; from < p->order_count; from += count) {
        count = picture_layer_size(p, from, p->order_count);
        picture_set_wishes(p, &g, from, count);
        picture_sort_layer(p, &g, rows, from, count);
    }
    free(rows);
    picture_close_graph(&g);
}

void picture_finish(struct picture *p)
{
    picture_guess_types(p);
    picture_join_hosts(p);
    picture_find_homes(p);
    picture_find_states(p);
    picture_show_nodes(p);
    picture_show_direct_links(p);
    picture_place_hosts(p);
    picture_count_hosts(p);
    picture_arrange(p);
    picture_turn_links(p);
}
