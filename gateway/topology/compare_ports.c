// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "base/memory.h"
#include "model/node_name.h"

#include <stdlib.h>
#include <string.h>

// The change that adds or removes the node at the other end of the port's link; FABRIC_NONE: that
// node is in both snapshots.
static uint32_t compare_ports_cause(const struct comparison_side *side, uint32_t port)
{
    uint32_t peer = side->fabric->ports[port].peer_node;
    return comparison_is_alone(side, peer) ? side->node_change[peer] : FABRIC_NONE;
}

static void compare_ports_add(struct comparison *t, struct comparison_side *side, uint32_t port,
                              enum catalogue_event type)
{
    struct change *change = comparison_add_change(t, type, &side->port_change[port]);
    comparison_describe_link(side->fabric, port, t->names, change);
    change->cause = compare_ports_cause(side, port);
    comparison_join_planes(side, port, side->port_change[port], change);
    alarm_key_write(change->alarm_key, &(struct alarm_key){.kind = ALARM_KEY_PORT,
                                                           .guid = change->subject.node_guid,
                                                           .port = change->subject.port});
}

static void compare_ports_add_moved(struct comparison *t, uint32_t before, uint32_t after)
{
    uint32_t index;
    struct change *change = comparison_add_change(t, CATALOGUE_PORT_MOVED, &index);
    comparison_describe_link(t->after.fabric, after, t->names, change);
    change->cause = compare_ports_cause(&t->before, before);
    comparison_set_former(t, before, change);
    t->before.port_change[before] = index;
    t->after.port_change[after] = index;
}

// Whether the port is linked, and its node is in both snapshots and did not move. Sets `node` in
// any case.
static bool compare_ports_is_of_known(const struct comparison_side *side, uint32_t port,
                                      uint32_t *node)
{
    *node = fabric_node_of_port(side->fabric, port);
    return comparison_is_linked(side->fabric, port) && !comparison_is_alone(side, *node) &&
           side->node_change[*node] == FABRIC_NONE;
}

// Whether the link of the planes is there in both snapshots, or lacks planes now.
static bool compare_ports_keep_planes(const struct comparison *t, const struct planes *planes)
{
    bool kept = planes_are_missing(planes);
    for (unsigned i = 0; i < planes->count && !kept; i++) {
        const uint32_t before = comparison_counterpart_port(&t->after, planes->ports[i]);
        kept = before != FABRIC_NONE && comparison_is_linked(t->before.fabric, before);
    }
    return kept;
}

// A plane of a link came or went, and other planes stay: the link as a whole is degraded, or
// restored. Returns false if the port has no planes.
static bool compare_ports_add_planes(struct comparison *t, struct comparison_side *side,
                                     uint32_t port, uint32_t there)
{
    const uint32_t now = side == &t->after ? port : there;
    const struct planes planes = planes_of(t->after.systems, now);
    if (planes.count < 2 || planes.active == 0 || !compare_ports_keep_planes(t, &planes))
        return false;
    uint32_t *told = &t->after.port_change[planes.ports[0]];
    if (*told == FABRIC_NONE) {
        struct change *change = comparison_add_change(t, CATALOGUE_LINK_DEGRADED, told);
        comparison_describe_planes(t->after.fabric, &planes, t->names, change);
        change->cause = compare_ports_cause(side, port);
    }
    side->port_change[port] = *told;
    return true;
}

// Compares the ports of a side with the other side. The ports of switches have planes alone.
static void compare_ports_of(struct comparison *t, struct comparison_side *side,
                             enum catalogue_event type)
{
    uint32_t node;
    for (uint32_t i = 0; i < side->port_count; i++) {
        const uint32_t port = side->ports[i];
        if (!compare_ports_is_of_known(side, port, &node))
            continue;
        const uint32_t there = comparison_counterpart_port(side, port);
        const bool linked =
            there != FABRIC_NONE && comparison_is_linked(side->other->fabric, there);
        if (!linked && compare_ports_add_planes(t, side, port, there))
            continue;
        if (comparison_is_switch(side->fabric, node))
            continue;
        if (!linked &&
            comparison_first_linked(side->other->fabric, side->counterpart[node]) != FABRIC_NONE)
            compare_ports_add(t, side, port, type);
        else if (linked && side == &t->before &&
                 comparison_counterpart_link(side, port) == FABRIC_NONE)
            compare_ports_add_moved(t, port, there);
    }
}

void compare_ports(struct comparison *t)
{
    compare_ports_of(t, &t->before, CATALOGUE_PORT_REMOVED);
    compare_ports_of(t, &t->after, CATALOGUE_PORT_ADDED);
}

// For each host of the later snapshot: the first change about an adapter with a new name, and the
// host that had the adapter.
struct renamed {
    uint32_t change, former;
};

// The first adapter tells of the other adapters that have new names and were of the same host.
static void compare_ports_join_renamed(struct comparison *t, struct renamed *renamed,
                                       uint32_t before, uint32_t after, uint32_t index)
{
    const uint32_t system = t->after.systems->of[after], former = t->before.systems->of[before];
    struct renamed *first = &renamed[system];
    if (t->after.systems->all[system].is_box || t->after.systems->all[system].count == 1)
        return;
    if (first->change == FABRIC_NONE) {
        *first = (struct renamed){index, former};
    } else if (first->former == former) {
        t->out->all[index].cause = first->change;
        t->out->all[index].is_part = true;
        t->out->all[first->change].parts_changed++;
    }
}

static void compare_ports_explain_renamed(struct comparison *t, const struct renamed *renamed)
{
    for (uint32_t i = 0; i < t->after.systems->count; i++) {
        struct change *change =
            renamed[i].change != FABRIC_NONE ? &t->out->all[renamed[i].change] : NULL;
        if (!change || change->parts_changed == 0)
            continue;
        struct text text = text_behind(change->reason, sizeof change->reason);
        text_addf(&text, ", and %u more adapter%s of %s %s a new name", change->parts_changed,
                  change->parts_changed == 1 ? "" : "s", t->after.systems->all[i].name,
                  change->parts_changed == 1 ? "has" : "have");
        change->parts = (uint16_t)t->after.systems->all[i].count;
        change->parts_changed++;
    }
}

static void compare_ports_add_renamed(struct comparison *t, struct renamed *renamed,
                                      uint32_t before, uint32_t after)
{
    uint32_t index;
    const struct fabric_node *node = &t->after.fabric->nodes[after];
    const char *old = t->before.fabric->nodes[before].description;
    if (old[0] == '\0' || node->description[0] == '\0' || strcmp(old, node->description) == 0)
        return;
    if (node_name_is_of_factory(old) || node_name_is_of_factory(node->description)) {
        t->out->named = true;
        return;
    }
    struct change *change = comparison_add_change(t, CATALOGUE_NODE_RENAMED, &index);
    comparison_set_subject_node(t, &t->after, after, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    text_add(&text, old);
    if (names_find(t->names, node->guid))
        text_addf(&text, ", the new one is %s; the node-name-map's name stays", node->description);
    compare_ports_join_renamed(t, renamed, before, after, index);
}

static void compare_ports_add_lid(struct comparison *t, uint32_t before, uint32_t after)
{
    const struct fabric_port *old = &t->before.fabric->ports[before];
    const struct fabric_port *new = &t->after.fabric->ports[after];
    uint32_t node = fabric_node_of_port(t->after.fabric, after);
    bool has_lid = new->number == 0 || !comparison_is_switch(t->after.fabric, node);
    if (!has_lid || !old->known || !new->known || old->lid == 0 || new->lid == 0 ||
        old->lid == new->lid)
        return;
    struct change *change = comparison_add_change(t, CATALOGUE_LID_CHANGED, NULL);
    comparison_describe_link(t->after.fabric, after, t->names, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    text_addf(&text, "%u", old->lid);
}

void compare_names(struct comparison *t)
{
    const uint32_t systems = t->after.systems->count;
    struct renamed *renamed = memory_get(((size_t)systems + 1) * sizeof *renamed);
    for (uint32_t i = 0; i < systems; i++)
        renamed[i] = (struct renamed){FABRIC_NONE, FABRIC_NONE};
    for (uint32_t i = 0; i < t->item_count; i++) {
        if (t->items[i].kind == DIFF_NODE_ALTERED)
            compare_ports_add_renamed(t, renamed, t->items[i].before, t->items[i].after);
    }
    compare_ports_explain_renamed(t, renamed);
    free(renamed);
    for (uint32_t i = 0; i < t->before.port_count; i++) {
        uint32_t counterpart = comparison_counterpart_port(&t->before, t->before.ports[i]);
        if (counterpart != FABRIC_NONE)
            compare_ports_add_lid(t, t->before.ports[i], counterpart);
    }
}

enum { PKEY_FULL = 0x8000, PKEYS_NAMED_MAX = 6 };

// The two tables of a port, and the sentence about how they differ.
struct compare_pkeys {
    const uint16_t *before, *after;
    uint32_t before_count, after_count;
    struct text text;
    unsigned changes; // of which PKEYS_NAMED_MAX are named
};

static const char *compare_pkeys_member(uint16_t pkey)
{
    return pkey & PKEY_FULL ? "full" : "limited";
}

static void compare_pkeys_name(struct compare_pkeys *w, uint16_t pkey, const char *what)
{
    if (w->changes++ < PKEYS_NAMED_MAX)
        text_addf(&w->text, "%s0x%04x (%s) %s", w->changes > 1 ? "; " : "", pkey,
                  compare_pkeys_member(pkey), what);
}

// The P_Keys of one partition at the begin of a table: none, one or both memberships.
static uint32_t compare_pkeys_run(const uint16_t *pkeys, uint32_t count, unsigned partition)
{
    uint32_t n = 0;
    while (n < count && (pkeys[n] & 0x7FFFu) == partition)
        n++;
    return n;
}

static bool compare_pkeys_has(const uint16_t *pkeys, uint32_t count, uint16_t pkey)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pkeys[i] == pkey)
            return true;
    }
    return false;
}

// Tells how the memberships in one partition differ.
static void compare_pkeys_partition(struct compare_pkeys *w, uint32_t before, uint32_t after)
{
    if (before == 1 && after == 1 && w->before[0] != w->after[0]) {
        if (w->changes++ < PKEYS_NAMED_MAX)
            text_addf(&w->text, "%s0x%04x (%s) instead of 0x%04x", w->changes > 1 ? "; " : "",
                      w->after[0], compare_pkeys_member(w->after[0]), w->before[0]);
        return;
    }
    for (uint32_t i = 0; i < after; i++) {
        if (!compare_pkeys_has(w->before, before, w->after[i]))
            compare_pkeys_name(w, w->after[i], "came");
    }
    for (uint32_t i = 0; i < before; i++) {
        if (!compare_pkeys_has(w->after, after, w->before[i]))
            compare_pkeys_name(w, w->before[i], "went");
    }
}

static void compare_pkeys_walk_tables(struct compare_pkeys *w)
{
    while (w->before_count > 0 || w->after_count > 0) {
        const unsigned a = w->before_count > 0 ? w->before[0] & 0x7FFFu : UINT16_MAX,
                       b = w->after_count > 0 ? w->after[0] & 0x7FFFu : UINT16_MAX,
                       partition = a < b ? a : b;
        const uint32_t before = compare_pkeys_run(w->before, w->before_count, partition),
                       after = compare_pkeys_run(w->after, w->after_count, partition);
        compare_pkeys_partition(w, before, after);
        w->before += before;
        w->before_count -= before;
        w->after += after;
        w->after_count -= after;
    }
    if (w->changes > PKEYS_NAMED_MAX)
        text_addf(&w->text, "; and %u more", w->changes - PKEYS_NAMED_MAX);
}

static void compare_pkeys_tables(struct comparison *t, const struct fabric_pkey_table *before,
                                 const struct fabric_pkey_table *after)
{
    char reason[EVENT_REASON_SIZE];
    struct compare_pkeys walk = {.before = &t->before.fabric->pkeys[before->first],
                                 .before_count = before->count,
                                 .after = &t->after.fabric->pkeys[after->first],
                                 .after_count = after->count,
                                 .text = text_in(reason, sizeof reason)};
    compare_pkeys_walk_tables(&walk);
    const uint32_t port = fabric_find_port(t->after.fabric, after->node, after->port);
    if (walk.changes == 0 || port == FABRIC_NONE)
        return;
    struct change *change = comparison_add_change(t, CATALOGUE_PKEYS_CHANGED, NULL);
    comparison_describe_link(t->after.fabric, port, t->names, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    text_add(&text, reason);
}

// The place of a table in the order of both snapshots: by the GUID of its node, then by its port.
static int compare_pkeys_order(const struct comparison *t, const struct fabric_pkey_table *before,
                               const struct fabric_pkey_table *after)
{
    const uint64_t a = t->before.fabric->nodes[before->node].guid,
                   b = t->after.fabric->nodes[after->node].guid;
    return a != b ? (a < b ? -1 : 1) : before->port - after->port;
}

void compare_pkeys(struct comparison *t)
{
    const struct fabric *before = t->before.fabric, *after = t->after.fabric;
    uint32_t i = 0, j = 0;
    while (i < before->pkey_table_count && j < after->pkey_table_count) {
        const int order = compare_pkeys_order(t, &before->pkey_tables[i], &after->pkey_tables[j]);
        if (order == 0)
            compare_pkeys_tables(t, &before->pkey_tables[i], &after->pkey_tables[j]);
        i += order <= 0;
        j += order >= 0;
    }
}
