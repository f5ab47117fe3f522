// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/inactive_links.h"

#include "base/memory.h"
#include "pipeline/statements.h"
#include "topology/comparison.h"
#include "topology/describe.h"
#include "topology/joined.h"
#include "topology/root_causes.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 10, SAMPLES_OFTEN = 5 };

struct inactive_link {
    struct alarm_key key;
    uint32_t port;      // of the first end, in the current fabric
    uint32_t run;       // samples since the link was active
    uint16_t samples;   // bit 0: the last one; 1: inactive
    int64_t sampled_us; // policy's clock
    bool now;           // inactive in the current fabric
    uint32_t root;      // the place in the list of the link that is the root cause; or its own
    uint32_t behind;    // links whose root cause it is
};

struct inactive {
    struct emitter *emitter;
    struct fabric *fabric;
    struct systems *systems; // of the fabric
    const struct inactive_links_limits *limits;
    struct inactive_links *links;
    struct inactive_links next; // the list after this sweep, ascending
    int64_t now_us;
};

// The list.

static int inactive_compare(const void *a, const void *b)
{
    const struct alarm_key *m = &((const struct inactive_link *)a)->key,
                           *n = &((const struct inactive_link *)b)->key;
    const int first = counter_compare_ports(m->guid, m->port, n->guid, n->port);
    return first != 0
               ? first
               : counter_compare_ports(m->peer_guid, m->peer_port, n->peer_guid, n->peer_port);
}

static struct inactive_link *inactive_find(const struct inactive_links *links,
                                           const struct alarm_key *key)
{
    const struct inactive_link wanted = {.key = *key};
    return links->count == 0
               ? NULL
               : bsearch(&wanted, links->all, links->count, sizeof *links->all, inactive_compare);
}

// The port of the link's first end, if the link is there; else FABRIC_NONE.
static uint32_t inactive_port(const struct fabric *fabric, const struct alarm_key *key)
{
    const uint32_t port = fabric_find_end(fabric, key->guid, key->port);
    const uint32_t peer = fabric_peer(fabric, port);
    const bool same = peer != FABRIC_NONE && fabric->ports[peer].number == key->peer_port &&
                      fabric->nodes[fabric_node_of_port(fabric, peer)].guid == key->peer_guid;
    return same ? port : FABRIC_NONE;
}

// Begins with what is known of the link, and counts the sweep.
static void inactive_add(struct inactive *a, const struct alarm_key *key, uint32_t port, bool now)
{
    struct inactive_links *next = &a->next;
    const struct inactive_link *known = inactive_find(a->links, key);
    struct inactive_link one = known ? *known : (struct inactive_link){.key = *key};
    one.port = port;
    one.now = now;
    if (!known || a->now_us - one.sampled_us >= a->limits->interval_us / 8 * 7) {
        one.samples =
            (uint16_t)(((unsigned)one.samples << 1 | (unsigned)now) & ((1U << SAMPLES) - 1));
        one.sampled_us = a->now_us;
        one.run += now;
    }
    if (!now)
        one.run = 0;
    if (one.samples == 0 && !now)
        return;
    MEMORY_MAKE_ROOM(next->all, next->count, next->capacity);
    next->all[next->count++] = one;
}

static void inactive_list(struct inactive *a)
{
    for (uint32_t port = 0; port < a->fabric->port_count; port++) {
        const uint32_t peer = fabric_peer(a->fabric, port);
        if (peer == FABRIC_NONE || peer < port || !fabric_is_inactive(a->fabric, port))
            continue;
        struct alarm_key key = comparison_link(a->fabric, port, ALARM_KEY_LINK);
        key.about = ALARM_ABOUT_INACTIVE;
        inactive_add(a, &key, port, true);
    }
    for (size_t i = 0; i < a->links->count; i++) {
        const struct alarm_key *key = &a->links->all[i].key;
        const uint32_t port = inactive_port(a->fabric, key);
        if (port != FABRIC_NONE && !fabric_is_inactive(a->fabric, port))
            inactive_add(a, key, port, false);
    }
    if (a->next.count > 1)
        qsort(a->next.all, a->next.count, sizeof *a->next.all, inactive_compare);
    inactive_links_clear(a->links);
    *a->links = a->next;
}

// What is true.

static unsigned inactive_count(const struct inactive_link *one)
{
    unsigned count = 0;
    for (unsigned bit = 0; bit < SAMPLES; bit++)
        count += one->samples >> bit & 1;
    return count;
}

// Whether the link was inactive often, and active in between.
static bool inactive_is_often(const struct inactive_link *one)
{
    unsigned begins = 0;
    for (unsigned bit = 0; bit < SAMPLES; bit++)
        begins += (one->samples >> bit & 3) == 1;
    return inactive_count(one) >= SAMPLES_OFTEN && begins > 1;
}

static bool inactive_is_due(const struct inactive *a, const struct inactive_link *one)
{
    return a->limits->sweeps > 0 && (one->run >= a->limits->sweeps || inactive_is_often(one));
}

// Root causes.

// Sets `dark` of each node: FABRIC_NONE if the node is dark, the form of root_causes_find.
static uint32_t *inactive_find_roots(const struct fabric *fabric)
{
    uint32_t *dark = memory_zeroed((size_t)fabric->node_count + 1, sizeof *dark);
    uint32_t *root = fabric_indices(fabric->node_count);
    for (uint32_t i = 0; i < fabric->node_count; i++)
        dark[i] = joined_is_dark(fabric, i) ? FABRIC_NONE : 0;
    root_causes_find(fabric, dark, root);
    free(dark);
    return root;
}

// The dark node that explains why the link is inactive; FABRIC_NONE: each end has active links.
static uint32_t inactive_root_of(const struct fabric *fabric, const uint32_t *root,
                                 const struct inactive_link *one)
{
    const uint32_t first = root[fabric_node_of_port(fabric, one->port)];
    return first != FABRIC_NONE ? first : root[fabric->ports[one->port].peer_node];
}

// Whether the link is one of the root cause itself: `lit`, to a node that is not dark.
static bool inactive_leads(const struct fabric *fabric, const uint32_t *root,
                           const struct inactive_link *one, bool lit)
{
    const uint32_t first = fabric_node_of_port(fabric, one->port),
                   second = fabric->ports[one->port].peer_node,
                   node = inactive_root_of(fabric, root, one);
    return one->now && node != FABRIC_NONE && (first == node || second == node) &&
           (!lit || root[first] == FABRIC_NONE || root[second] == FABRIC_NONE);
}

// The first link of a dark node is the root cause of all links behind the node: preferably one to a
// node that is not dark.
static void inactive_set_roots(const struct inactive *a)
{
    const struct inactive_links *links = a->links;
    uint32_t *root = inactive_find_roots(a->fabric);
    uint32_t *leader = fabric_indices(a->fabric->node_count);
    for (uint32_t i = 0; i < 2 * links->count; i++) {
        const uint32_t at = i % (uint32_t)links->count;
        if (!inactive_leads(a->fabric, root, &links->all[at], i == at))
            continue;
        const uint32_t node = inactive_root_of(a->fabric, root, &links->all[at]);
        leader[node] = leader[node] == FABRIC_NONE ? at : leader[node];
    }
    for (uint32_t i = 0; i < links->count; i++) {
        const uint32_t node = inactive_root_of(a->fabric, root, &links->all[i]);
        const bool behind = links->all[i].now && node != FABRIC_NONE && leader[node] != FABRIC_NONE;
        links->all[i].root = behind ? leader[node] : i;
    }
    free(leader);
    free(root);
}

// The host at an end of the link; the number of systems: there is none.
static uint32_t inactive_host(const struct inactive *a, const struct inactive_link *one)
{
    const uint32_t ends[] = {fabric_node_of_port(a->fabric, one->port),
                             a->fabric->ports[one->port].peer_node};
    for (size_t i = 0; one->now && i < 2; i++) {
        if (!systems_of(a->systems, ends[i])->is_box)
            return a->systems->of[ends[i]];
    }
    return a->systems->count;
}

// Whether receivers know of the link's alarm by itself.
static bool inactive_is_told(const struct inactive *a, const struct inactive_link *one)
{
    struct policy_alarm alarm;
    char key[EVENT_KEY_SIZE];
    alarm_key_write(key, &one->key);
    return policy_find_alarm(a->emitter->policy, key, &alarm) && !alarm.cause_key;
}

// One link of a host is the root cause of the host's other links: preferably one that is told
// already.
static void inactive_join_hosts(const struct inactive *a)
{
    struct inactive_link *all = a->links->all;
    uint32_t *first = fabric_indices(a->systems->count);
    for (uint32_t i = 0; i < 3 * a->links->count; i++) {
        const uint32_t at = i % (uint32_t)a->links->count;
        const uint32_t host = inactive_host(a, &all[at]);
        const bool fits = all[at].root == at && host < a->systems->count &&
                          inactive_is_due(a, &all[at]) &&
                          (i != at || inactive_is_told(a, &all[at]));
        if (fits && first[host] == FABRIC_NONE)
            first[host] = at;
        if (fits && i >= 2 * a->links->count)
            all[at].root = first[host];
    }
    for (uint32_t i = 0; i < a->links->count; i++) {
        const uint32_t root = all[i].root;
        all[i].root = all[root].root;
        all[i].behind = 0;
    }
    for (uint32_t i = 0; i < a->links->count; i++)
        all[all[i].root].behind += all[i].root != i;
    free(first);
}

// Events.

static const char *inactive_state_word(const struct fabric_port *port)
{
    return port->state == FABRIC_INITIALIZE ? "Init"
           : port->state == FABRIC_ARMED    ? "Armed"
           : port->state == FABRIC_ACTIVE   ? "Active"
                                            : "Down";
}

// Makes the change about the link.
static void inactive_describe(const struct inactive *a, const struct inactive_link *one,
                              struct change *change)
{
    const uint32_t peer = fabric_peer(a->fabric, one->port);
    comparison_describe_link(a->fabric, comparison_first_end(a->fabric, one->port, peer),
                             a->emitter->builder.names, change);
}

// Adds "both ends are in state Init", or "port 3 of leaf1 is in state Init, port 1 of h1 Armed".
static void inactive_add_states(struct text *t, const struct fabric *fabric, uint32_t port,
                                const struct change *change)
{
    const struct fabric_port *a = &fabric->ports[port],
                             *b = &fabric->ports[fabric_peer(fabric, port)];
    if (a->known && b->known && a->state == b->state) {
        text_addf(t, "both ends are in state %s", inactive_state_word(a));
        return;
    }
    describe_add_port(t, &change->subject);
    text_addf(t, " is in state %s", a->known ? inactive_state_word(a) : "unknown");
    text_add(t, ", ");
    describe_add_port(t, &change->peer);
    text_addf(t, " %s", b->known ? inactive_state_word(b) : "unknown");
}

// Adds the other links of the host by their ports, or how many links are behind a switch.
static void inactive_add_behind(const struct inactive *a, const struct inactive_link *one,
                                struct text *t)
{
    enum { NAMED = 5 };
    const uint32_t self = (uint32_t)(one - a->links->all), host = inactive_host(a, one);
    struct change change = {0};
    unsigned named = 0;
    char list[EVENT_REASON_SIZE];
    struct text ports = text_in(list, sizeof list);
    bool same = host < a->systems->count;
    for (uint32_t i = 0; i < a->links->count; i++) {
        const struct inactive_link *other = &a->links->all[i];
        if (other->root != self || i == self)
            continue;
        same = same && inactive_host(a, other) == host;
        if (named++ >= NAMED)
            continue;
        inactive_describe(a, other, &change);
        text_add(&ports, named > 1 ? ", " : "");
        describe_add_port(&ports, &change.subject);
    }
    text_addf(t, "; %u %slink%s %s%s not active either", (unsigned)one->behind, same ? "more " : "",
              one->behind == 1 ? "" : "s", same ? "of the host " : "behind it ",
              one->behind == 1 ? "is" : "are");
    if (same)
        text_addf(t, ": %s", list);
    if (same && named > NAMED)
        text_addf(t, " and %u more", named - NAMED);
}

static void inactive_explain(const struct inactive *a, const struct inactive_link *one,
                             uint32_t port, struct change *change)
{
    struct text t = text_in(change->reason, sizeof change->reason);
    inactive_add_states(&t, a->fabric, port, change);
    if (one->run >= a->limits->sweeps)
        text_addf(&t, ", in %u sweeps in a row", (unsigned)one->run);
    else
        text_addf(&t, "; not Active in %u of the last %d sweeps", inactive_count(one), SAMPLES);
    if (one->behind > 0)
        inactive_add_behind(a, one, &t);
}

static void inactive_raise(const struct inactive *a, const struct inactive_link *one)
{
    struct policy_alarm root = {.event_id = ""}, now;
    struct change change = {.type = CATALOGUE_LINK_INACTIVE, .cause = FABRIC_NONE};
    const uint32_t peer = fabric_peer(a->fabric, one->port);
    char key[EVENT_KEY_SIZE];
    alarm_key_write(change.alarm_key, &one->key);
    alarm_key_write(key, &a->links->all[one->root].key);
    if (policy_find_alarm(a->emitter->policy, change.alarm_key, &now) && !now.cause_key &&
        now.cause_id[0] != '\0' && strcmp(key, change.alarm_key) != 0)
        policy_set_cause(a->emitter->policy, change.alarm_key, key, a->now_us);
    if (!statements_may_raise(a->emitter, change.alarm_key))
        return;
    policy_find_alarm(a->emitter->policy, key, &root);
    inactive_describe(a, one, &change);
    inactive_explain(a, one, comparison_first_end(a->fabric, one->port, peer), &change);
    emitter_emit(a->emitter, event_builder_from_change(&a->emitter->builder, &change, false,
                                                       root.event_id, ""));
}

static void inactive_raise_all(const struct inactive *a)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < a->links->count; i++) {
            const struct inactive_link *one = &a->links->all[i];
            if ((one->root == i) == (pass == 0) && inactive_is_due(a, one))
                inactive_raise(a, one);
        }
    }
}

static bool inactive_is_over(void *ctx, const struct policy_alarm *alarm,
                             const struct alarm_key *key, struct text *why)
{
    const struct inactive *a = ctx;
    (void)alarm;
    if (!key || key->about != ALARM_ABOUT_INACTIVE)
        return false;
    const uint32_t port = inactive_port(a->fabric, key);
    const struct inactive_link *one = inactive_find(a->links, key);
    if (port == FABRIC_NONE)
        text_add(why, "the link is down");
    else if (a->limits->sweeps == 0)
        text_add(why, "the configuration has no limit for it any more");
    else if (fabric_is_inactive(a->fabric, port) || (one && inactive_is_often(one)))
        return false;
    return true;
}

// The event link-active. NULL: the link is gone, or nobody wants the alarm.
static struct event *inactive_make_end(void *ctx, const struct policy_alarm *alarm)
{
    const struct inactive *a = ctx;
    struct alarm_key key;
    struct change change = {.type = CATALOGUE_LINK_ACTIVE, .cause = FABRIC_NONE};
    alarm_key_parse(alarm->key, &key);
    const uint32_t port = inactive_port(a->fabric, &key);
    if (port == FABRIC_NONE || fabric_is_inactive(a->fabric, port))
        return NULL;
    alarm_key_write(change.alarm_key, &key);
    inactive_describe(a, &(struct inactive_link){.port = port}, &change);
    return event_builder_from_change(&a->emitter->builder, &change, false, "", "");
}

void inactive_links_update(struct inactive_links *links, struct emitter *emitter,
                           const struct inactive_links_limits *limits)
{
    struct inactive a = {.emitter = emitter,
                         .fabric = topology_current(emitter->topology),
                         .systems = topology_systems(emitter->topology),
                         .limits = limits,
                         .links = links,
                         .now_us = emitter_now(emitter)};
    inactive_list(&a);
    statements_compare_all(
        emitter,
        &(struct detector){.is_over = inactive_is_over, .make_end = inactive_make_end, .ctx = &a});
    if (links->count > 0) {
        inactive_set_roots(&a);
        inactive_join_hosts(&a);
        inactive_raise_all(&a);
    }
    systems_unref(a.systems);
    fabric_unref(a.fabric);
}

void inactive_links_clear(struct inactive_links *links)
{
    free(links->all);
    *links = (struct inactive_links){0};
}
