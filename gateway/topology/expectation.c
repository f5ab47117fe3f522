// SPDX-License-Identifier: BSD-2-Clause
#include "topology/expectation.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/node_name.h"
#include "model/topology_csv.h"
#include "topology/comparison.h"
#include "topology/describe.h"
#include "topology/link_rate.h"
#include "topology/root_causes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct expectation {
    struct systems *systems; // of the expected fabric
    bool by_name;
    // By node: the GUID that the node had when it was there last; 0: never yet, or the node has a
    // GUID. For expectation_compare.
    uint64_t *last;
    _Atomic unsigned references;
};

// One of both fabrics. Arrays are by the index of its nodes.
struct expectation_side {
    const struct fabric *fabric;
    const struct systems *systems;
    const struct names *names; // NULL: the descriptions
    uint32_t *counterpart;     // the same node on the other side; FABRIC_NONE: it is not there
    struct root_causes causes;
    uint32_t *number; // of the difference about the node
};

// A comparison under way.
struct survey {
    struct expectation_side expected, now;
    const uint64_t *last; // of struct expectation
    bool by_table;        // the expected nodes have names and no GUIDs
    bool *told;           // by port of `now`: a difference says where it leads
    expectation_each *each;
    void *ctx;
    uint32_t count; // differences so far
};

struct expectation *expectation_new(struct fabric *expected, bool by_name,
                                    const struct filter_list *host_names)
{
    struct expectation *expectation = memory_get(sizeof *expectation);
    *expectation =
        (struct expectation){describe_systems(expected, NULL, host_names), by_name,
                             memory_zeroed((size_t)expected->node_count + 1, sizeof(uint64_t)), 1};
    fabric_unref(expected);
    return expectation;
}

struct expectation *expectation_ref(struct expectation *expectation)
{
    if (expectation)
        atomic_fetch_add_explicit(&expectation->references, 1, memory_order_relaxed);
    return expectation;
}

void expectation_unref(struct expectation *expectation)
{
    if (!expectation ||
        atomic_fetch_sub_explicit(&expectation->references, 1, memory_order_acq_rel) > 1)
        return;
    systems_unref(expectation->systems);
    free(expectation->last);
    free(expectation);
}

static void expectation_set_key(struct change *change, struct alarm_key key)
{
    key.about = ALARM_ABOUT_EXPECTED;
    key.event = change->type;
    alarm_key_write(change->alarm_key, &key);
}

// Tools.

static void survey_tell(struct survey *s, const struct change *change, bool unseen)
{
    s->each(s->ctx, change, unseen);
    s->count++;
}

// Whether nobody knows the other end of the port's link: a node there did not answer.
static bool expectation_is_unseen(const struct fabric *now, uint32_t node, uint8_t number)
{
    if (now->complete)
        return false;
    const uint32_t index = fabric_find_port(now, node, number);
    if (now->nodes[node].silent || index == FABRIC_NONE)
        return true;
    const struct fabric_port *port = &now->ports[index];
    return port->peer_node == FABRIC_NONE &&
           (!port->known || port->silent || port->state != FABRIC_DOWN);
}

// Describes a port of the present fabric, seen or unseen.
static void survey_describe_present(const struct survey *s, uint32_t node, uint8_t number,
                                    struct endpoint *out)
{
    const struct fabric *now = s->now.fabric;
    const uint32_t port = fabric_find_port(now, node, number);
    if (port != FABRIC_NONE)
        describe_port(now, port, s->now.names, out);
    else
        describe_node(now, node, s->now.names, out);
    out->port = number;
}

// Describes a node that is not there. Nobody knows its addresses.
static void survey_forget_address(const struct survey *s, uint32_t node, struct endpoint *out)
{
    memset(out->gid, 0, sizeof out->gid);
    if (topology_csv_is_made(out->node_guid))
        out->guid = out->node_guid = s->last[node];
}

// Describes an expected port by the present fabric, else by the expected fabric, which knows no
// addresses.
static void survey_describe_expected(const struct survey *s, uint32_t port, struct endpoint *out)
{
    const struct fabric *expected = s->expected.fabric;
    const uint32_t node = fabric_node_of_port(expected, port);
    if (s->expected.counterpart[node] != FABRIC_NONE) {
        survey_describe_present(s, s->expected.counterpart[node], expected->ports[port].number,
                                out);
        return;
    }
    describe_port(expected, port, s->now.names, out);
    survey_forget_address(s, node, out);
}

// The port at the other end of the link in the present fabric; FABRIC_NONE: none.
static uint32_t survey_find_peer(const struct survey *s, uint32_t node, uint8_t number)
{
    return fabric_peer(s->now.fabric, fabric_find_port(s->now.fabric, node, number));
}

// Nodes that are on one side only.

// The node's port towards the other nodes, in this order: a port that leads to a switch of both
// sides, to another node of both sides, to a switch, anywhere. FABRIC_NONE: no port leads anywhere.
static uint32_t expectation_uplink(const struct expectation_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    uint32_t best = FABRIC_NONE;
    int best_rank = -1;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        const uint32_t peer = side->fabric->ports[i].peer_node;
        if (peer == FABRIC_NONE)
            continue;
        const int rank =
            2 * (side->counterpart[peer] != FABRIC_NONE) + comparison_is_switch(side->fabric, peer);
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

// Whether a missing node may be there, behind a port that nobody knows enough of.
static bool survey_is_node_unseen(const struct survey *s, uint32_t node)
{
    const struct fabric *expected = s->expected.fabric;
    const struct fabric_node *n = &expected->nodes[s->expected.causes.root[node]];
    bool placed = false;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        const uint32_t peer = expected->ports[i].peer_node;
        const uint32_t present = peer != FABRIC_NONE ? s->expected.counterpart[peer] : FABRIC_NONE;
        if (present == FABRIC_NONE)
            continue;
        placed = true;
        if (expectation_is_unseen(s->now.fabric, present, expected->ports[i].peer_port))
            return true;
    }
    return !placed && !s->now.fabric->complete;
}

// Sets `peer` to where the missing node should hang, and says what is there instead.
static void survey_set_place(const struct survey *s, uint32_t port, struct change *change)
{
    const struct fabric *expected = s->expected.fabric;
    const uint32_t peer = fabric_peer(expected, port);
    const uint32_t present = s->expected.counterpart[fabric_node_of_port(expected, peer)];
    change->uplink = expected->ports[port].number;
    survey_describe_expected(s, peer, &change->peer);
    if (change->switch_guid == 0 && fabric_is_element(change->peer.type))
        change->switch_guid = change->peer.node_guid;
    const uint32_t instead = survey_find_peer(s, present, expected->ports[peer].number);
    if (instead == FABRIC_NONE)
        return;
    struct endpoint other;
    describe_port(s->now.fabric, instead, s->now.names, &other);
    struct text t = text_in(change->reason, sizeof change->reason);
    text_add(&t, "in its place is ");
    describe_add_port(&t, &other);
}

// Adds the place of an unexpected node.
static void survey_set_present_place(const struct survey *s, uint32_t port, struct change *change)
{
    const struct expectation_side *side = &s->now;
    change->uplink = side->fabric->ports[port].number;
    describe_port(side->fabric, fabric_peer(side->fabric, port), side->names, &change->peer);
    if (change->switch_guid == 0)
        change->switch_guid = comparison_switch_guid(side->fabric, port);
}

// Whether no planner lists the node: a switch that is expected has the node in its box.
static bool survey_is_inside(const struct survey *s, uint32_t node)
{
    const struct fabric *now = s->now.fabric;
    const uint32_t port = expectation_uplink(&s->now, node);
    const uint32_t peer = port != FABRIC_NONE ? now->ports[port].peer_node : FABRIC_NONE;
    return s->by_table && peer != FABRIC_NONE && s->now.counterpart[peer] != FABRIC_NONE &&
           now->nodes[peer].type == FABRIC_SWITCH && now->nodes[node].system_guid != 0 &&
           now->nodes[node].system_guid == now->nodes[peer].system_guid;
}

// Tells of a node of one side alone.
static void survey_tell_node(struct survey *s, const struct expectation_side *side, uint32_t node)
{
    const bool missing = side == &s->expected;
    const struct fabric_node *n = &side->fabric->nodes[node];
    const uint32_t port = expectation_uplink(side, node), root = side->causes.root[node];
    struct change change = {.type = missing ? comparison_node_event(n->type, NODE_MISSING)
                                            : CATALOGUE_NODE_UNEXPECTED,
                            .switch_guid = fabric_is_element(n->type) ? n->guid : 0,
                            .cause = root == node ? FABRIC_NONE : side->number[root]};
    describe_node(side->fabric, node, s->now.names, &change.subject);
    if (missing)
        survey_forget_address(s, node, &change.subject);
    if (change.switch_guid != 0)
        change.switch_guid = change.subject.node_guid;
    if (port != FABRIC_NONE && missing)
        survey_set_place(s, port, &change);
    else if (port != FABRIC_NONE)
        survey_set_present_place(s, port, &change);
    describe_system(side->systems, &change.subject);
    root_causes_add_parts(&side->causes, node, s->now.names, &change);
    if (root == node)
        root_causes_add_nodes(&side->causes, node, s->now.names,
                              missing ? ROOT_CAUSES_MISSING : ROOT_CAUSES_CAME, &change);
    expectation_set_key(&change, (struct alarm_key){.kind = ALARM_KEY_NODE, .guid = n->guid});
    side->number[node] = s->count;
    survey_tell(s, &change, missing && survey_is_node_unseen(s, node));
}

// Root causes first.
static void survey_tell_nodes(struct survey *s, const struct expectation_side *side)
{
    const uint32_t *root = side->causes.root;
    for (int roots = 1; roots >= 0; roots--) {
        for (uint32_t i = 0; i < side->fabric->node_count; i++) {
            if (root[i] != FABRIC_NONE && (root[i] == i) == roots &&
                (side == &s->expected || !survey_is_inside(s, i)))
                survey_tell_node(s, side, i);
        }
    }
}

// Links between nodes that are both there.

// An end of an expected link.
struct expected_end {
    uint32_t port;    // of the expected fabric
    uint32_t node;    // of the present one
    uint8_t number;   // of the port
    uint32_t present; // the port in the present fabric; FABRIC_NONE: it was not seen
    uint32_t peer;    // what it is connected to there; FABRIC_NONE: nothing
};

static struct expected_end survey_find_end(const struct survey *s, uint32_t port)
{
    const struct fabric *expected = s->expected.fabric, *now = s->now.fabric;
    struct expected_end end = {.port = port,
                               .node = s->expected.counterpart[fabric_node_of_port(expected, port)],
                               .number = expected->ports[port].number};
    end.present = fabric_find_port(now, end.node, end.number);
    end.peer = fabric_peer(now, end.present);
    return end;
}

// A difference about an expected link whose nodes are both there.
static struct change survey_describe_link(const struct survey *s, enum catalogue_event type,
                                          const struct expected_end *a,
                                          const struct expected_end *b)
{
    const struct fabric_node *nodes = s->now.fabric->nodes;
    struct change change = {.type = type, .cause = FABRIC_NONE};
    survey_describe_present(s, a->node, a->number, &change.subject);
    survey_describe_present(s, b->node, b->number, &change.peer);
    comparison_set_switch(&change);
    expectation_set_key(&change, (struct alarm_key){.kind = ALARM_KEY_LINK,
                                                    .guid = nodes[a->node].guid,
                                                    .port = a->number,
                                                    .peer_guid = nodes[b->node].guid,
                                                    .peer_port = b->number});
    return change;
}

static void survey_tell_missing_link(struct survey *s, const struct expected_end *a,
                                     const struct expected_end *b)
{
    const struct change change = survey_describe_link(s, CATALOGUE_LINK_MISSING, a, b);
    survey_tell(s, &change,
                expectation_is_unseen(s->now.fabric, a->node, a->number) ||
                    expectation_is_unseen(s->now.fabric, b->node, b->number));
}

// `a` is connected elsewhere, `b` perhaps, too.
static void survey_tell_miscabled(struct survey *s, const struct expected_end *a,
                                  const struct expected_end *b)
{
    struct change change = survey_describe_link(s, CATALOGUE_LINK_MISCABLED, a, b);
    const struct endpoint wanted = change.peer;
    struct endpoint other;
    describe_port(s->now.fabric, a->peer, s->now.names, &change.peer);
    comparison_set_switch(&change);
    struct text t = text_in(change.reason, sizeof change.reason);
    describe_add_port(&t, &wanted);
    if (b->peer != FABRIC_NONE) {
        describe_port(s->now.fabric, b->peer, s->now.names, &other);
        text_add(&t, ", which is connected to ");
        describe_add_port(&t, &other);
    }
    s->told[a->present] = s->told[a->peer] = true;
    if (b->peer != FABRIC_NONE)
        s->told[b->present] = s->told[b->peer] = true;
    survey_tell(s, &change, false);
}

// Whether the link is narrower or slower than `wanted`, which may have no width or speed. Fewer
// lanes that are faster may have the same rate.
static bool expectation_is_below(const struct link_rate *rate, uint8_t width, uint16_t speed)
{
    if (rate->known && width != 0 && speed != 0)
        return fabric_bits_per_second(rate->width, rate->speed) <
               fabric_bits_per_second(width, speed);
    return rate->known && ((width != 0 && fabric_lanes(rate->width) < fabric_lanes(width)) ||
                           (speed != 0 && fabric_is_slower(rate->speed, speed)));
}

static void survey_check_rate(struct survey *s, const struct expected_end *a,
                              const struct expected_end *b)
{
    const struct fabric_port *ports = s->expected.fabric->ports;
    const struct fabric_port *from =
        ports[a->port].width_active != 0 ? &ports[a->port] : &ports[b->port];
    const struct link_rate rate = link_rate_of(s->now.fabric, a->present, b->present);
    const bool unseen = !rate.known && (from->width_active != 0 || from->speed_active != 0);
    if (!unseen && !expectation_is_below(&rate, from->width_active, from->speed_active))
        return;
    struct change change = survey_describe_link(s, CATALOGUE_LINK_BELOW_EXPECTED, a, b);
    struct text t = text_in(change.reason, sizeof change.reason);
    if (!unseen)
        fabric_add_rate(&t, rate.width, rate.speed);
    text_add(&t, unseen ? "an unknown rate instead of " : " instead of ");
    fabric_add_rate(&t, from->width_active, from->speed_active ? from->speed_active : rate.speed);
    survey_tell(s, &change, unseen);
}

static void survey_check_link(struct survey *s, uint32_t port)
{
    const uint32_t peer = fabric_peer(s->expected.fabric, port);
    const uint32_t first = comparison_first_end(s->expected.fabric, port, peer);
    const struct expected_end a = survey_find_end(s, first);
    const struct expected_end b = survey_find_end(s, first == port ? peer : port);
    if (a.peer != FABRIC_NONE && a.peer == b.present)
        survey_check_rate(s, &a, &b);
    else if (a.peer != FABRIC_NONE)
        survey_tell_miscabled(s, &a, &b);
    else if (b.peer != FABRIC_NONE)
        survey_tell_miscabled(s, &b, &a);
    else
        survey_tell_missing_link(s, &a, &b);
}

// Whether this is the end of its link that a walk over all ports meets first.
static bool expectation_is_first_met(const struct fabric_port *port, uint32_t node)
{
    return port->peer_node != FABRIC_NONE &&
           (port->peer_node > node || (port->peer_node == node && port->peer_port > port->number));
}

// Whether a port of one fabric leads to the counterpart of the other end in the other fabric. The
// fast way for the same link on both sides, the most frequent case.
static bool expectation_leads_to(const struct fabric *fabric, uint32_t node,
                                 const struct fabric_port *like, uint32_t peer,
                                 const struct fabric_port **found)
{
    const uint32_t port = fabric_find_port(fabric, node, like->number);
    *found = port != FABRIC_NONE ? &fabric->ports[port] : NULL;
    return *found && (*found)->peer_node == peer && (*found)->peer_port == like->peer_port;
}

// Whether this end of the link is as expected.
static bool survey_is_as_expected(const struct survey *s, uint32_t node,
                                  const struct fabric_port *port)
{
    const struct fabric_port *now;
    return expectation_leads_to(s->now.fabric, s->expected.counterpart[node], port,
                                s->expected.counterpart[port->peer_node], &now) &&
           port->width_active != 0 && port->speed_active != 0 && now->known &&
           fabric_lanes(now->width_active) >= fabric_lanes(port->width_active) &&
           !fabric_is_slower(now->speed_active, port->speed_active);
}

static void survey_check_links(struct survey *s)
{
    const struct fabric *expected = s->expected.fabric;
    for (uint32_t node = 0; node < expected->node_count; node++) {
        const struct fabric_node *n = &expected->nodes[node];
        for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
            const struct fabric_port *port = &expected->ports[i];
            // A missing node tells of its links.
            if (expectation_is_first_met(port, node) &&
                s->expected.counterpart[node] != FABRIC_NONE &&
                s->expected.counterpart[port->peer_node] != FABRIC_NONE &&
                !survey_is_as_expected(s, node, port))
                survey_check_link(s, i);
        }
    }
}

static void survey_tell_unexpected_link(struct survey *s, uint32_t port)
{
    const struct fabric *now = s->now.fabric;
    const uint32_t peer = fabric_peer(now, port), first = comparison_first_end(now, port, peer);
    struct change change = {.type = CATALOGUE_LINK_UNEXPECTED, .cause = FABRIC_NONE};
    if (s->told[port] || s->told[peer])
        return;
    comparison_describe_link(now, first, s->now.names, &change);
    expectation_set_key(&change, (struct alarm_key){.kind = ALARM_KEY_LINK,
                                                    .guid = change.subject.node_guid,
                                                    .port = change.subject.port,
                                                    .peer_guid = change.peer.node_guid,
                                                    .peer_port = change.peer.port});
    survey_tell(s, &change, false);
}

static void survey_check_present_links(struct survey *s)
{
    const struct fabric *now = s->now.fabric;
    const struct fabric_port *expected;
    for (uint32_t node = 0; node < now->node_count; node++) {
        const struct fabric_node *n = &now->nodes[node];
        for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
            const struct fabric_port *port = &now->ports[i];
            if (expectation_is_first_met(port, node) && s->now.counterpart[node] != FABRIC_NONE &&
                s->now.counterpart[port->peer_node] != FABRIC_NONE &&
                !expectation_leads_to(s->expected.fabric, s->now.counterpart[node], port,
                                      s->now.counterpart[port->peer_node], &expected))
                survey_tell_unexpected_link(s, i);
        }
    }
}

// Which node is which.

// A node by its name. The digest comes first, because digests sort faster than texts. A stranger
// may choose names of one digest: sorting then takes as long as without digests.
struct match_name {
    uint64_t digest;
    const char *name;
    size_t length;
    uint32_t node;
};

static int match_name_compare(const void *a, const void *b)
{
    const struct match_name *m = a, *n = b;
    if (m->digest != n->digest)
        return m->digest < n->digest ? -1 : 1;
    if (m->length != n->length)
        return m->length < n->length ? -1 : 1;
    return memcmp(m->name, n->name, m->length);
}

// Cuts the name of a switch down to the machine's part.
static void match_name_cut(const struct fabric_node *node, struct match_name *one)
{
    const struct node_name found = fabric_is_element(node->type)
                                       ? node_name_read("MF0;%h:%d", one->name)
                                       : (struct node_name){0};
    if (found.length > 0) {
        one->name = found.host;
        one->length = found.length;
    }
}

// The nodes that are not matched yet by their names, sorted; without empty names.
static struct match_name *match_name_list(const struct fabric *fabric, const struct names *names,
                                          bool cut, const uint32_t *matched, size_t *count)
{
    struct match_name *list = memory_get(((size_t)fabric->node_count + 1) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const char *name = names_find(names, fabric->nodes[i].guid);
        if (!name)
            name = fabric->nodes[i].description;
        struct match_name one = {.name = name, .length = strlen(name), .node = i};
        if (name[0] == '\0' || matched[i] != FABRIC_NONE)
            continue;
        if (cut)
            match_name_cut(&fabric->nodes[i], &one);
        one.digest = digest_add(DIGEST_OF_NOTHING, one.name, one.length);
        list[(*count)++] = one;
    }
    qsort(list, *count, sizeof *list, match_name_compare);
    return list;
}

static bool match_name_is_unique(const struct match_name *list, size_t count, size_t at)
{
    return (at == 0 || match_name_compare(&list[at - 1], &list[at]) != 0) &&
           (at + 1 == count || match_name_compare(&list[at], &list[at + 1]) != 0);
}

// A node of a table has the type that its ports suggest.
static bool expectation_may_be(const struct fabric_node *expected, const struct fabric_node *now)
{
    return expected->type == now->type || topology_csv_is_made(expected->guid);
}

// `names` NULL: the descriptions are the names of `now`. `cut`: the machine's part of the names of
// its switches.
static void expectation_match_by_name(const struct fabric *expected, const struct fabric *now,
                                      const struct names *names, bool cut, uint32_t *there,
                                      uint32_t *wanted)
{
    size_t m = 0, n = 0, i = 0, j = 0;
    struct match_name *a = match_name_list(expected, NULL, false, there, &m);
    struct match_name *b = match_name_list(now, names, cut, wanted, &n);
    while (i < m && j < n) {
        const int order = match_name_compare(&a[i], &b[j]);
        if (order == 0 && match_name_is_unique(a, m, i) && match_name_is_unique(b, n, j) &&
            expectation_may_be(&expected->nodes[a[i].node], &now->nodes[b[j].node])) {
            there[a[i].node] = b[j].node;
            wanted[b[j].node] = a[i].node;
        }
        i += order <= 0;
        j += order >= 0;
    }
    free(a);
    free(b);
}

// ibnetdiscover takes names of switches from a node-name-map, and names of hosts from the hosts.
// Sets there[i] to the index in `now` of node i of `expected`, and wanted[j] the other way; both
// are FABRIC_NONE before. `by_name` (expectation.h): first by the names that `names` (may be NULL)
// has for the nodes of `now`, then by their descriptions, and last by GUID.
static void expectation_match(bool by_name, bool made, const struct fabric *expected,
                              const struct fabric *now, const struct names *names, uint32_t *there,
                              uint32_t *wanted)
{
    if ((by_name || made) && names)
        expectation_match_by_name(expected, now, names, false, there, wanted);
    if (by_name || made)
        expectation_match_by_name(expected, now, NULL, false, there, wanted);
    if (made)
        expectation_match_by_name(expected, now, NULL, true, there, wanted);
    else
        diff_match_nodes(expected, now, there, wanted);
}

// The whole.

static void expectation_open_side(struct expectation_side *side, const struct systems *systems,
                                  const struct names *names)
{
    *side = (struct expectation_side){.fabric = systems->fabric,
                                      .systems = systems,
                                      .names = names,
                                      .counterpart = fabric_indices(systems->fabric->node_count),
                                      .number = fabric_indices(systems->fabric->node_count)};
}

static void expectation_close_side(struct expectation_side *side)
{
    free(side->counterpart);
    root_causes_close(&side->causes);
    free(side->number);
}

static void expectation_note_last(struct expectation *expectation, const struct fabric *now,
                                  const uint32_t *there)
{
    const struct fabric *expected = expectation->systems->fabric;
    for (uint32_t i = 0; i < expected->node_count; i++) {
        if (there[i] != FABRIC_NONE && topology_csv_is_made(expected->nodes[i].guid))
            expectation->last[i] = now->nodes[there[i]].guid;
    }
}

static bool expectation_is_table(const struct fabric *expected)
{
    return expected->node_count > 0 && topology_csv_is_made(expected->nodes[0].guid);
}

void expected_links_open(struct expected_links *links, const struct expectation *expectation,
                         const struct fabric *now, const struct names *names)
{
    const struct fabric *expected = expectation->systems->fabric;
    uint32_t *there = fabric_indices(expected->node_count);
    *links = (struct expected_links){expectation, now, names, fabric_indices(now->node_count)};
    expectation_match(expectation->by_name, expectation_is_table(expected), expected, now, names,
                      there, links->wanted);
    free(there);
}

void expected_links_close(struct expected_links *links)
{
    free(links->wanted);
}

bool expected_links_find(const struct expected_links *links, uint32_t node, uint8_t port,
                         struct endpoint *out, bool *is_there)
{
    const struct fabric *expected = links->expectation->systems->fabric, *now = links->now;
    const uint32_t own = links->wanted[node];
    const uint32_t end = own == FABRIC_NONE
                             ? FABRIC_NONE
                             : fabric_peer(expected, fabric_find_port(expected, own, port));
    if (end == FABRIC_NONE)
        return false;
    const uint32_t peer = fabric_peer(now, fabric_find_port(now, node, port));
    *is_there =
        peer != FABRIC_NONE &&
        links->wanted[fabric_node_of_port(now, peer)] == fabric_node_of_port(expected, end) &&
        now->ports[peer].number == expected->ports[end].number;
    describe_port(expected, end, links->names, out);
    return true;
}

void expectation_compare(struct expectation *expectation, const struct systems *now,
                         const struct names *names, expectation_each *each, void *ctx)
{
    const struct fabric *expected = expectation->systems->fabric;
    struct survey s = {.each = each,
                       .ctx = ctx,
                       .last = expectation->last,
                       .by_table = expectation_is_table(expected)};
    expectation_open_side(&s.expected, expectation->systems, NULL);
    expectation_open_side(&s.now, now, names);
    s.told = memory_zeroed((size_t)now->fabric->port_count + 1, sizeof *s.told);
    expectation_match(expectation->by_name, s.by_table, expected, now->fabric, names,
                      s.expected.counterpart, s.now.counterpart);
    expectation_note_last(expectation, now->fabric, s.expected.counterpart);
    root_causes_open(&s.expected.causes, s.expected.systems, s.expected.counterpart);
    root_causes_open(&s.now.causes, s.now.systems, s.now.counterpart);
    survey_tell_nodes(&s, &s.expected);
    survey_check_links(&s);
    survey_tell_nodes(&s, &s.now);
    survey_check_present_links(&s);
    expectation_close_side(&s.expected);
    expectation_close_side(&s.now);
    free(s.told);
}
