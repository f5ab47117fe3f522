// SPDX-License-Identifier: BSD-2-Clause
#include "topology/describe.h"

#include "base/wire.h"

#include <inttypes.h>

const char *describe_name(const struct fabric_node *node, uint64_t port_guid,
                          const struct names *names)
{
    const char *name = names_find_port(names, node->guid, port_guid);
    return name ? name : node->description;
}

// The first of a node's ports that has a GUID, or FABRIC_NONE.
static uint32_t describe_find_port_with_guid(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric->ports[i].guid != 0)
            return i;
    }
    return FABRIC_NONE;
}

// The port at the other end of a link: of the port, or else of the node's first port with a link.
static uint32_t describe_find_neighbour(const struct fabric *fabric, uint32_t node, uint32_t port)
{
    const struct fabric_node *n = &fabric->nodes[node];
    uint32_t peer = port != FABRIC_NONE ? fabric_peer(fabric, port) : FABRIC_NONE;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports && peer == FABRIC_NONE; i++)
        peer = fabric_peer(fabric, i);
    return peer;
}

// A switch's own system has an aggregation node.
static const char *describe_word(const struct fabric_node *node,
                                 const struct fabric_node *neighbour)
{
    const bool is_inside = neighbour && node->type == FABRIC_CA &&
                           neighbour->type == FABRIC_SWITCH && node->system_guid != 0 &&
                           node->system_guid == neighbour->system_guid;
    return is_inside                     ? "aggregation node"
           : node->type == FABRIC_SWITCH ? "switch"
           : node->type == FABRIC_ROUTER ? "router"
           : node->type == FABRIC_CA     ? "host"
                                         : "node";
}

static void describe_add_place(struct text *text, const struct fabric *fabric, uint32_t node,
                               uint32_t port, const struct names *names)
{
    enum { END_OF_GUID = 0xFFFFFF };
    const struct fabric_node *n = &fabric->nodes[node];
    const uint32_t peer =
        n->type == FABRIC_SWITCH ? FABRIC_NONE : describe_find_neighbour(fabric, node, port);
    const struct fabric_node *neighbour =
        peer != FABRIC_NONE ? &fabric->nodes[fabric_node_of_port(fabric, peer)] : NULL;
    const char *name = neighbour ? names_of_node(names, neighbour, fabric->ports[peer].guid) : NULL;
    text_add(text, names_refuse(names, n) ? describe_word(n, neighbour) : n->description);
    if (name)
        text_addf(text, " at %s port %u", name, (unsigned)fabric->ports[peer].number);
    else
        text_addf(text, " ..%06x", (unsigned)(n->guid & END_OF_GUID));
}

const char *describe_label(const struct fabric *fabric, uint32_t node, uint32_t port,
                           const struct names *names, char out[NAMES_NAME_SIZE])
{
    const uint32_t named = port != FABRIC_NONE ? port : describe_find_port_with_guid(fabric, node);
    const uint64_t guid = named != FABRIC_NONE ? fabric->ports[named].guid : 0;
    const char *name = names_of_node(names, &fabric->nodes[node], guid);
    struct text text = text_in(out, NAMES_NAME_SIZE);
    if (!name)
        describe_add_place(&text, fabric, node, port, names);
    return name ? name : out;
}

static void describe_set_name(const struct fabric *fabric, uint32_t node, uint32_t port,
                              const struct names *names, struct endpoint *out)
{
    const char *name = describe_label(fabric, node, port, names, out->name);
    out->nameless = name == out->name && names_refuse(names, &fabric->nodes[node]);
    if (name != out->name) {
        struct text text = text_in(out->name, sizeof out->name);
        text_add(&text, name);
    }
}

static void describe_set_gid(const struct fabric *fabric, uint64_t port_guid, struct endpoint *out)
{
    if (port_guid == 0)
        return;
    wire_put(out->gid, 8, fabric->subnet_prefix);
    wire_put(out->gid + 8, 8, port_guid);
}

// The port that has the LID and GUID of this port: for a switch, its port 0, or FABRIC_NONE if that
// is not known; otherwise the port itself.
static uint32_t describe_find_addressed_port(const struct fabric *fabric, uint32_t node,
                                             uint32_t port)
{
    bool is_switch = fabric->nodes[node].type == FABRIC_SWITCH;
    return is_switch ? fabric_find_port(fabric, node, 0) : port;
}

static void describe_set_address(const struct fabric *fabric, uint32_t port, struct endpoint *out)
{
    if (port == FABRIC_NONE)
        return;
    out->lid = fabric->ports[port].lid;
    describe_set_gid(fabric, fabric->ports[port].guid, out);
}

void describe_port(const struct fabric *fabric, uint32_t port, const struct names *names,
                   struct endpoint *out)
{
    uint32_t index = fabric_node_of_port(fabric, port);
    const struct fabric_node *node = &fabric->nodes[index];
    uint64_t guid = fabric->ports[port].guid;
    bool is_node = node->type == FABRIC_SWITCH || guid == 0;
    *out = (struct endpoint){
        .guid = is_node ? node->guid : guid,
        .node_guid = node->guid,
        .type = node->type,
        .port = fabric->ports[port].number,
    };
    describe_set_address(fabric, describe_find_addressed_port(fabric, index, port), out);
    describe_set_name(fabric, index, port, names, out);
}

void describe_node(const struct fabric *fabric, uint32_t node, const struct names *names,
                   struct endpoint *out)
{
    const struct fabric_node *n = &fabric->nodes[node];
    uint32_t port = describe_find_port_with_guid(fabric, node);
    *out = (struct endpoint){.guid = n->guid, .node_guid = n->guid, .type = n->type};
    describe_set_address(fabric, describe_find_addressed_port(fabric, node, port), out);
    describe_set_name(fabric, node, FABRIC_NONE, names, out);
}

const char *describe_name_in_system(const struct names *names, const struct fabric_node *node)
{
    const char *name = names_find(names, node->guid);
    return name || names_refuse(names, node) ? name : node->description;
}

static const char *describe_find_name(void *ctx, const struct fabric_node *node, bool *now)
{
    const char *name = describe_name_in_system(*(const struct names **)ctx, node);
    *now = name != NULL;
    return name ? name : "";
}

// The systems take a reference, which changes a fabric in nothing else.
struct systems *describe_systems(const struct fabric *fabric, const struct names *names,
                                 const struct filter_list *patterns)
{
    return systems_make((struct fabric *)fabric,
                        &(struct systems_names){patterns, describe_find_name, &names});
}

bool describe_system(const struct systems *systems, struct endpoint *who)
{
    const uint32_t node = systems && who->node_guid != 0
                              ? fabric_find_node(systems->fabric, who->node_guid)
                              : FABRIC_NONE;
    if (node != FABRIC_NONE)
        describe_system_of(systems, node, who);
    return node != FABRIC_NONE;
}

void describe_system_of(const struct systems *systems, uint32_t node, struct endpoint *who)
{
    const struct system *system = systems_of(systems, node);
    struct text text = text_in(who->system, sizeof who->system);
    text_add(&text, system->name);
    if (who->nameless && !system->is_box && system->name[0] != '\0') {
        text = text_in(who->name, sizeof who->name);
        text_add(&text, system->name);
        who->nameless = false;
    }
}

uint32_t describe_count_nameless(const struct systems *systems, const struct names *names)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < systems->fabric->node_count; i++)
        count += systems_of(systems, i)->name[0] == '\0' &&
                 !names_of_node(names, &systems->fabric->nodes[i], 0);
    return count;
}

void describe_add_name(struct text *text, const struct endpoint *who)
{
    if (who->name[0] != '\0')
        text_add(text, who->name);
    else
        text_addf(text, "0x%016" PRIx64, who->node_guid);
}

void describe_add_port(struct text *text, const struct endpoint *who)
{
    text_addf(text, "port %u of %s", (unsigned)who->port, who->nameless ? "the " : "");
    describe_add_name(text, who);
}

void describe_sm(const struct fabric *fabric, uint32_t sm, const struct names *names,
                 struct endpoint *out)
{
    const struct fabric_sm *s = &fabric->sms[sm];
    uint32_t port = fabric_find_port(fabric, s->node, s->port);
    if (port != FABRIC_NONE)
        describe_port(fabric, port, names, out);
    else
        describe_node(fabric, s->node, names, out);
    out->guid = s->guid;
    out->lid = s->lid;
}
