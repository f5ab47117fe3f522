// SPDX-License-Identifier: BSD-2-Clause
#include "ib/node_mad.h"
#include "ib/sweep_ask.h"
#include "ib/sweep_branches.h"

#include <stdio.h>
#include <string.h>

enum { LINK_UP = 5, LINK_ERROR_RECOVERY = 6 }; // PortPhysicalState

// Where a node is: the port of another node that leads there. Two nodes with one GUID answer at two
// places, and only one node can be the known node.

// A port of a node, by the builder's number. The own node has no place: FABRIC_NONE.
struct place {
    uint32_t node;
    uint8_t port;
};

// The place at which the sweep found the node: the other end of this port's link, or of another
// link if the port has no link. Returns false if the node has no links.
static bool sweep_smp_place_now(struct fabric_builder *builder, uint32_t node, uint8_t port,
                                struct place *out)
{
    unsigned count = fabric_builder_get(builder, node)->port_count;
    for (unsigned i = 0; i <= count; i++) { // `port` first
        uint8_t number = (uint8_t)(i == 0 ? port : i);
        const struct fabric_port *p = fabric_builder_get_port(builder, node, number);
        if (p && p->peer_node != FABRIC_NONE) {
            *out = (struct place){p->peer_node, p->peer_port};
            return true;
        }
    }
    return false;
}

// Whether the port of the known node, by its GUID, can still lead where it did before.
static bool sweep_smp_is_open(struct fabric_builder *builder, uint64_t guid, uint8_t number)
{
    uint32_t node = fabric_builder_find(builder, guid);
    const struct fabric_port *port =
        node != FABRIC_NONE ? fabric_builder_get_port(builder, node, number) : NULL;
    bool down = port && port->known && port->state == FABRIC_DOWN;
    return !port || (!down && port->peer_node == FABRIC_NONE);
}

// Whether a node that answered at this place, and that the sweep has not found yet, may have its
// place elsewhere: `known` has the node at other places only, and the sweep has not yet seen all
// these links down or leading to another node.
static bool sweep_smp_may_be_elsewhere(const struct fabric *known, struct fabric_builder *builder,
                                       uint64_t guid, const struct place *place)
{
    uint32_t number = fabric_find_node(known, guid);
    if (number == FABRIC_NONE)
        return false;
    const uint64_t here = fabric_builder_get(builder, place->node)->guid;
    const struct fabric_node *node = &known->nodes[number];
    bool may = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const struct fabric_port *port = &known->ports[i];
        if (port->peer_node == FABRIC_NONE)
            continue;
        uint64_t peer = known->nodes[port->peer_node].guid;
        if (peer == here && port->peer_port == place->port)
            return false;
        may = may || sweep_smp_is_open(builder, peer, port->peer_port);
    }
    return may;
}

struct walk {
    struct sweep_part part; // its branches have the builder's numbers of nodes
    unsigned in_flight;     // requests in the batch
    uint32_t nodes, ports;  // found; a switch counts the ports of its NodeInfo
    uint8_t own_port;
};

// The port that leads to the branch: the place of the node that answers there.
static struct place sweep_smp_place(const struct walk *walk, uint32_t branch)
{
    const struct sweep_branch b = sweep_branches_at(walk->part.branches, branch);
    if (b.parent == SWEEP_BRANCHES_NONE)
        return (struct place){.node = FABRIC_NONE};
    return (struct place){sweep_branches_at(walk->part.branches, b.parent).node, b.port};
}

static struct fabric_port *sweep_smp_port_of(const struct walk *walk, uint32_t branch)
{
    const struct place place = sweep_smp_place(walk, branch);
    return place.node != FABRIC_NONE
               ? fabric_builder_get_port(walk->part.builder, place.node, place.port)
               : NULL;
}

// Requests. The batch never has more requests than may be in flight, because the walk chooses a
// request just before its sending.

static bool sweep_smp_has_answered(const struct walk *walk, uint32_t branch)
{
    return sweep_branches_at(walk->part.branches, branch).node != SWEEP_BRANCHES_NONE;
}

// Whether the node behind the branch is known, because the link was found from its other end.
static bool sweep_smp_is_known(const struct walk *walk, uint32_t branch)
{
    const struct fabric_port *port = sweep_smp_port_of(walk, branch);
    return port && port->peer_node != FABRIC_NONE;
}

// The GUID of the port to which a query for NodeInfo leads: from OpenSM's file or, else, from
// `known`. 0: not known, or no port has an M_Key of its own.
static uint64_t sweep_smp_guid_behind(const struct walk *walk, uint32_t branch)
{
    const struct fabric *known = walk->part.sweep->known;
    const struct place place = sweep_smp_place(walk, branch);
    if (!walk->part.sweep->mkeys)
        return 0;
    if (place.node == FABRIC_NONE)
        return walk->part.sweep->own_guid;
    const uint32_t parent = sweep_branches_at(walk->part.branches, branch).parent;
    const uint64_t guid =
        mkeys_find_behind(walk->part.sweep->mkeys,
                          sweep_branches_at(walk->part.branches, parent).port_guid, place.port);
    if (guid != 0 || !known)
        return guid;
    const uint64_t above = fabric_builder_get(walk->part.builder, place.node)->guid;
    uint32_t port = fabric_peer(known, fabric_find_end(known, above, place.port));
    if (port != FABRIC_NONE && known->ports[port].guid == 0) // of a switch
        port = fabric_find_port(known, fabric_node_of_port(known, port), 0);
    return port != FABRIC_NONE ? known->ports[port].guid : 0;
}

static sweep_take sweep_smp_take;

static void sweep_smp_ask(struct walk *walk, const struct sweep_branches_query *query)
{
    const uint64_t guid = query->is_node
                              ? sweep_smp_guid_behind(walk, query->branch)
                              : sweep_branches_at(walk->part.branches, query->branch).port_guid;
    walk->in_flight++;
    sweep_part_ask(&walk->part,
                   &(struct sweep_query){.take = sweep_smp_take,
                                         .guid = guid,
                                         .at = query->branch,
                                         .modifier = query->port,
                                         .attribute = query->is_node   ? SMP_NODE_INFO
                                                      : query->is_port ? SMP_PORT_INFO
                                                                       : SMP_NODE_DESCRIPTION,
                                         .mgmt_class = MAD_CLASS_SMP_DIRECT});
}

static void sweep_smp_ask_more(struct walk *walk)
{
    struct sweep_branches_query query;
    while (walk->in_flight < walk->part.sweep->requests.in_flight &&
           sweep_branches_next(walk->part.branches, walk->in_flight == 0, &query)) {
        if (!query.is_node || sweep_smp_has_answered(walk, query.branch) ||
            !sweep_smp_is_known(walk, query.branch))
            sweep_smp_ask(walk, &query);
    }
}

// News.

// A cable may move between two queries about a node, and the answers are those of two nodes then.
// So a further query for NodeInfo follows answers that differ from `known`; other answers do no
// harm. A link that was not in `known` makes the sweep ask the node that the route passes before.
static void sweep_smp_doubt(struct walk *walk, uint32_t branch)
{
    if (walk->part.sweep->known)
        sweep_branches_ask_again(walk->part.branches, branch);
}

static const struct fabric_port *sweep_smp_known_port(const struct walk *walk, uint64_t guid,
                                                      uint8_t number)
{
    const struct fabric *known = walk->part.sweep->known;
    const uint32_t at = fabric_find_end(known, guid, number);
    return at != FABRIC_NONE ? &known->ports[at] : NULL;
}

// The speeds are not known yet.
static bool sweep_smp_is_as_known(const struct fabric_port *known, const struct fabric_port *port)
{
    return known && known->lid == port->lid && known->lmc == port->lmc &&
           known->state == port->state && known->physical == port->physical &&
           known->width_active == port->width_active &&
           known->width_enabled == port->width_enabled &&
           known->width_supported == port->width_supported &&
           known->capabilities == port->capabilities;
}

// Forgets what was said of the node that the branch led to.
static void sweep_smp_withdraw(struct walk *walk, uint32_t branch)
{
    struct fabric_builder *builder = walk->part.builder;
    const uint32_t node = sweep_branches_at(walk->part.branches, branch).node;
    walk->part.sweep->complete = false;
    fabric_builder_get(builder, node)->description[0] = '\0';
    for (unsigned i = 0; i <= fabric_builder_get(builder, node)->port_count; i++) {
        struct fabric_port *port = fabric_builder_get_port(builder, node, (uint8_t)i);
        if (!port)
            continue;
        *port = (struct fabric_port){.number = port->number,
                                     .guid = port->guid,
                                     .silent = i > 0,
                                     .peer_node = port->peer_node,
                                     .peer_port = port->peer_port};
        if (port->peer_node != FABRIC_NONE)
            fabric_builder_get_port(builder, port->peer_node, port->peer_port)->silent = true;
        fabric_builder_link(builder, node, (uint8_t)i, node, (uint8_t)i); // removes the link
    }
}

// Searches behind a port, which was added before, of the node that the branch leads to.
static void sweep_smp_search_behind(struct walk *walk, uint32_t branch, struct fabric_port *port)
{
    if (sweep_branches_at(walk->part.branches, branch).hops == SMP_HOPS_MAX)
        port->silent = true;
    else
        sweep_branches_add(walk->part.branches, branch, port->number);
}

// NodeInfo.

// A node and its port that answered, from NodeInfo.
struct found {
    struct fabric_node node;
    uint64_t port_guid;
    uint8_t port;
    uint32_t number; // of the node; FABRIC_NONE: not seen before
};

static bool sweep_smp_is_free_for(const struct walk *walk, uint32_t node, uint8_t number,
                                  uint32_t peer, uint8_t peer_port)
{
    const struct fabric_port *port = fabric_builder_get_port(walk->part.builder, node, number);
    return !port || port->peer_node == FABRIC_NONE ||
           (port->peer_node == peer && port->peer_port == peer_port);
}

// Whether the known node can be the node that answered at the place. If not, two nodes have one
// GUID, or the node's cable was moved during the sweep.
static bool sweep_smp_is_same(const struct walk *walk, const struct place *place,
                              const struct found *found)
{
    const struct fabric_node *known = fabric_builder_get(walk->part.builder, found->number);
    return known->type == found->node.type && known->port_count == found->node.port_count &&
           (place->node == FABRIC_NONE ||
            sweep_smp_is_free_for(walk, found->number, found->port, place->node, place->port));
}

static void sweep_smp_note_twin(struct walk *walk, const struct place *other,
                                const struct found *found)
{
    struct sweep *sweep = walk->part.sweep;
    if (sweep->twin_count == SWEEP_TWINS_MAX || other->node == FABRIC_NONE)
        return;
    struct sweep_twin *twin = &sweep->twins[sweep->twin_count++];
    *twin =
        (struct sweep_twin){.guid = found->node.guid,
                            .other_guid = fabric_builder_get(walk->part.builder, other->node)->guid,
                            .other_port = other->port};
    struct place kept;
    if (sweep_smp_place_now(walk->part.builder, found->number, found->port, &kept)) {
        twin->kept_guid = fabric_builder_get(walk->part.builder, kept.node)->guid;
        twin->kept_port = kept.port;
    }
}

// Whether the answer fits the earlier ones.
static bool sweep_smp_fits(struct walk *walk, const struct place *place, const struct found *found)
{
    if (found->number != FABRIC_NONE && !sweep_smp_is_same(walk, place, found)) {
        sweep_smp_note_twin(walk, place, found);
        return false;
    }
    return place->node == FABRIC_NONE ||
           (found->port > 0 &&
            sweep_smp_is_free_for(walk, place->node, place->port, found->number, found->port));
}

// Whether the node may be made up, because the node was not known before.
static bool sweep_smp_is_stranger(const struct walk *walk, uint64_t guid)
{
    const struct sweep *sweep = walk->part.sweep;
    const struct fabric *before = sweep->trusted ? sweep->trusted : sweep->known;
    return before && fabric_find_node(before, guid) == FABRIC_NONE;
}

// Whether the known node had the place.
static bool sweep_smp_was_there(const struct walk *walk, const struct place *place,
                                const struct found *found)
{
    const struct fabric *known = walk->part.sweep->known;
    const struct fabric_port *port = sweep_smp_known_port(
        walk, fabric_builder_get(walk->part.builder, place->node)->guid, place->port);
    return port && port->peer_node != FABRIC_NONE &&
           known->nodes[port->peer_node].guid == found->node.guid && port->peer_port == found->port;
}

static void sweep_smp_visit(struct walk *walk, uint32_t branch, const struct place *place,
                            const struct found *found)
{
    bool is_new = found->number == FABRIC_NONE, is_switch = found->node.type == FABRIC_SWITCH;
    uint32_t number = fabric_builder_node(walk->part.builder, &found->node);
    if (number == FABRIC_NONE ||
        (place->node != FABRIC_NONE &&
         !fabric_builder_link(walk->part.builder, place->node, place->port, number, found->port))) {
        walk->part.sweep->full = true;
        return;
    }
    if (place->node == FABRIC_NONE)
        walk->own_port = found->port;
    sweep_branches_answered(walk->part.branches, branch, number, found->port_guid,
                            sweep_smp_is_stranger(walk, found->node.guid));
    if (is_new)
        sweep_branches_ask_name(walk->part.branches, branch);
    if (!is_switch)
        sweep_branches_ask_ports(walk->part.branches, branch, found->port, found->port);
    else if (is_new)
        sweep_branches_ask_ports(walk->part.branches, branch, 0, found->node.port_count);
    walk->nodes += is_new;
    if (is_new && walk->part.sweep->found)
        walk->part.sweep->found(walk->part.sweep->found_ctx, (uint32_t)walk->nodes);
    walk->ports += !is_switch ? 1 : is_new ? found->node.port_count + 1U : 0;
    if (place->node != FABRIC_NONE && !sweep_smp_was_there(walk, place, found))
        sweep_smp_doubt(walk, sweep_branches_at(walk->part.branches, branch).parent);
}

// Takes the answer to the further query: the same node has to be there.
static void sweep_smp_check_again(struct walk *walk, uint32_t branch, const uint8_t *data)
{
    struct found found;
    const uint32_t node = sweep_branches_at(walk->part.branches, branch).node;
    if (!data || !smp_read_node_info(data, &found.node, &found.port_guid, &found.port) ||
        found.node.guid != fabric_builder_get(walk->part.builder, node)->guid ||
        found.port_guid != sweep_branches_at(walk->part.branches, branch).port_guid)
        sweep_smp_withdraw(walk, branch);
}

static void sweep_smp_handle_node(struct walk *walk, uint32_t branch, const uint8_t *data)
{
    struct found found;
    const struct place place = sweep_smp_place(walk, branch);
    if (!data || !smp_read_node_info(data, &found.node, &found.port_guid, &found.port))
        return;
    found.number = fabric_builder_find(walk->part.builder, found.node.guid);
    if (found.number == FABRIC_NONE && place.node != FABRIC_NONE &&
        sweep_smp_may_be_elsewhere(walk->part.sweep->known, walk->part.builder, found.node.guid,
                                   &place) &&
        sweep_branches_postpone(walk->part.branches, branch))
        return;
    if (sweep_smp_fits(walk, &place, &found))
        sweep_smp_visit(walk, branch, &place, &found);
    else
        walk->part.sweep->complete = false; // answers contradict each other
}

// PortInfo.

static bool sweep_smp_is_up(const struct fabric_port *port)
{
    return port->state > FABRIC_DOWN || port->physical == LINK_UP ||
           port->physical == LINK_ERROR_RECOVERY;
}

// Whether to search behind the port: its link is up, its other end is not known, and it belongs to
// a switch or to the own node, since other nodes do not forward SMPs.
static bool sweep_smp_leads_on(const struct walk *walk, uint32_t branch,
                               const struct fabric_port *port)
{
    uint32_t node = sweep_branches_at(walk->part.branches, branch).node;
    bool is_switch = fabric_builder_get(walk->part.builder, node)->type == FABRIC_SWITCH;
    bool is_own = sweep_branches_at(walk->part.branches, branch).hops == 0;
    return port->number > 0 && (is_switch || is_own) && sweep_smp_is_up(port) &&
           port->peer_node == FABRIC_NONE;
}

static void sweep_smp_note_locked(struct walk *walk, uint32_t node, uint8_t port)
{
    struct sweep *sweep = walk->part.sweep;
    if (sweep->locked_count++ < SWEEP_LOCKED_MAX)
        sweep->locked[sweep->locked_count - 1] =
            (struct sweep_locked){fabric_builder_get(walk->part.builder, node)->guid, port};
}

// Of a switch, only port 0 has an M_Key.
static void sweep_smp_check_mkey(struct walk *walk, uint32_t branch, uint8_t number,
                                 const uint8_t *data)
{
    const uint32_t node = sweep_branches_at(walk->part.branches, branch).node;
    const uint64_t mkey =
        sweep_part_mkey(&walk->part, sweep_branches_at(walk->part.branches, branch).port_guid);
    if (mkey != 0 &&
        (number == 0 || fabric_builder_get(walk->part.builder, node)->type != FABRIC_SWITCH) &&
        smp_has_other_mkey(data, mkey))
        sweep_smp_note_locked(walk, node, 0);
}

static void sweep_smp_handle_port(struct walk *walk, uint32_t branch, uint8_t number,
                                  const uint8_t *data)
{
    uint32_t node = sweep_branches_at(walk->part.branches, branch).node;
    uint8_t type = fabric_builder_get(walk->part.builder, node)->type;
    // A port without an answer may be up, and counts as silent.
    struct fabric_port port = {.number = number, .silent = number > 0};
    if (data) {
        smp_read_port_info(data, type, number, &port);
        sweep_smp_check_mkey(walk, branch, number, data);
    }
    if (type != FABRIC_SWITCH || number == 0)
        port.guid = sweep_branches_at(walk->part.branches, branch).port_guid;
    const uint64_t guid = fabric_builder_get(walk->part.builder, node)->guid;
    if (data && !sweep_smp_is_as_known(sweep_smp_known_port(walk, guid, number), &port))
        sweep_smp_doubt(walk, branch);
    if (!fabric_builder_port(walk->part.builder, node, &port)) {
        walk->part.sweep->full = true;
        return;
    }
    struct fabric_port *added = fabric_builder_get_port(walk->part.builder, node, number);
    if (sweep_smp_leads_on(walk, branch, added))
        sweep_smp_search_behind(walk, branch, added);
}

// NodeDescription.

static void sweep_smp_handle_description(struct walk *walk, uint32_t branch, const uint8_t *data)
{
    struct fabric_node *node =
        fabric_builder_get(walk->part.builder, sweep_branches_at(walk->part.branches, branch).node);
    if (!data) {
        walk->part.sweep->complete = false;
        return;
    }
    smp_read_description(data, node->description);
    const struct fabric_node *known = sweep_part_known(&walk->part, node->guid);
    if (!known || strcmp(known->description, node->description) != 0)
        sweep_smp_doubt(walk, branch);
}

// All answers.

// The limit that the sweep has reached; NULL: none.
static const char *sweep_smp_limit(const struct walk *walk)
{
    const struct sweep_limits *limits = &walk->part.sweep->limits;
    if (limits->nodes > 0 && walk->nodes > limits->nodes)
        return "its limit of nodes";
    if (limits->ports > 0 && walk->ports > limits->ports)
        return "its limit of ports";
    return NULL;
}

static void sweep_smp_take(struct sweep_part *part, const struct sweep_query *query,
                           const struct request_answer *answer)
{
    struct walk *walk = part->own;
    walk->in_flight--;
    sweep_branches_waited(walk->part.branches, query->at, answer->waited_us);
    if (query->attribute == SMP_NODE_INFO && sweep_smp_has_answered(walk, query->at))
        sweep_smp_check_again(walk, query->at, answer->data);
    else if (query->attribute == SMP_NODE_INFO)
        sweep_smp_handle_node(walk, query->at, answer->data);
    else if (query->attribute == SMP_PORT_INFO)
        sweep_smp_handle_port(walk, query->at, (uint8_t)query->modifier, answer->data);
    else
        sweep_smp_handle_description(walk, query->at, answer->data);
    sweep_smp_ask_more(walk);
    if (walk->part.sweep->full || sweep_smp_limit(walk))
        requests_end(part->batch);
}

// The whole sweep.

// Marks the ports behind which nothing answered.
static void sweep_smp_mark_silent(struct walk *walk)
{
    for (uint32_t i = 0; i < sweep_branches_count(walk->part.branches); i++) {
        struct fabric_port *port = sweep_smp_port_of(walk, i);
        if (port && sweep_branches_at(walk->part.branches, i).node == SWEEP_BRANCHES_NONE)
            port->silent = true;
    }
}

// Notes the ports behind which nothing answered to an M_Key.
static void sweep_smp_note_all_locked(struct walk *walk)
{
    for (uint32_t i = 1; i < sweep_branches_count(walk->part.branches); i++) {
        const struct fabric_port *port = sweep_smp_port_of(walk, i);
        if (port && port->silent &&
            sweep_part_mkey(&walk->part, sweep_smp_guid_behind(walk, i)) != 0)
            sweep_smp_note_locked(walk, sweep_smp_place(walk, i).node, port->number);
    }
}

// False with a sentence: the own port is down or silent, and the sweep says nothing about the
// fabric.
static bool sweep_smp_check_own_port(const struct walk *walk, struct error *err)
{
    uint32_t own = sweep_branches_at(walk->part.branches, 0).node;
    if (own == SWEEP_BRANCHES_NONE)
        return error_set(err, "the own port does not answer directed-route SMPs");
    const struct fabric_port *port =
        fabric_builder_get_port(walk->part.builder, own, walk->own_port);
    return !port || !port->known || sweep_smp_is_up(port) || error_set(err, "the own port is down");
}

static bool sweep_smp_was_known(void *ctx, uint32_t node)
{
    const struct walk *walk = ctx;
    return !sweep_smp_is_stranger(walk, fabric_builder_get(walk->part.builder, node)->guid);
}

static void sweep_smp_note_overflow(struct walk *walk)
{
    const char *limit = sweep_smp_limit(walk);
    struct place place = sweep_smp_place(
        walk, sweep_branches_largest(walk->part.branches, sweep_smp_was_known, walk));
    if (place.node == FABRIC_NONE)
        place = (struct place){sweep_branches_at(walk->part.branches, 0).node, 0};
    struct sweep_overflow *overflow = &walk->part.sweep->overflow;
    *overflow = (struct sweep_overflow){.happened = true,
                                        .limit = limit ? limit : "its time limit",
                                        .nodes = walk->nodes,
                                        .port = place.port};
    if (place.node == FABRIC_NONE)
        return;
    const struct fabric_node *node = fabric_builder_get(walk->part.builder, place.node);
    overflow->node_guid = node->guid;
    snprintf(overflow->node, sizeof overflow->node, "%s", node->description);
}

static bool sweep_smp_run(struct walk *walk, struct error *err)
{
    sweep_branches_add(walk->part.branches, SWEEP_BRANCHES_NONE, 0);
    sweep_smp_ask_more(walk);
    bool ok = sweep_part_end(&walk->part, err);
    if (ok && walk->part.ended)
        sweep_smp_note_overflow(walk);
    sweep_smp_mark_silent(walk);
    ok = ok && sweep_smp_check_own_port(walk, err);
    sweep_check_silence(walk->part.sweep, walk->part.builder);
    sweep_smp_note_all_locked(walk);
    return ok;
}

bool sweep_smp(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_branches *branches = sweep_branches_new();
    struct walk walk = {
        .part = {.sweep = sweep, .builder = builder, .branches = branches, .own = &walk}};
    sweep_part_begin(&walk.part);
    const bool ok = sweep_smp_run(&walk, err) && sweep_speeds(sweep, builder, branches, err);
    sweep_branches_free(branches);
    return ok;
}
