// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/reconcile.h"

#include "pipeline/open_alarms.h"
#include "topology/describe.h"
#include "topology/link_rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 5 }; // missing nodes that a reason names

struct reconcile {
    const struct reconcile_options *options;
    const struct event_builder *builder;
    const struct fabric *fabric;
    struct open_alarms alarms;
    bool late;
    int64_t now_us; // policy's clock
};

// What the snapshot shows.

static uint32_t reconcile_port(const struct reconcile *r, uint64_t guid, uint8_t number)
{
    uint32_t node = fabric_find_node(r->fabric, guid);
    return node != FABRIC_NONE ? fabric_find_port(r->fabric, node, number) : FABRIC_NONE;
}

// The port at the other end of that port's link; FABRIC_NONE: there is no such port, or no link.
static uint32_t reconcile_peer(const struct reconcile *r, uint64_t guid, uint8_t number)
{
    uint32_t port = reconcile_port(r, guid, number);
    return port != FABRIC_NONE ? fabric_peer(r->fabric, port) : FABRIC_NONE;
}

// Adds "port 3 of leaf1".
static void reconcile_add_port(const struct reconcile *r, struct text *t, uint32_t port)
{
    struct endpoint who;
    describe_port(r->fabric, port, r->builder->names, &who);
    text_addf(t, "port %u of ", (unsigned)who.port);
    if (who.name[0] != '\0')
        text_add(t, who.name);
    else
        text_addf(t, "0x%016" PRIx64, who.node_guid);
}

// Whether that port is linked. Sets `why`.
static bool is_linked_elsewhere(const struct reconcile *r, uint64_t guid, uint8_t number,
                                struct text *why)
{
    uint32_t peer = reconcile_peer(r, guid, number);
    if (peer == FABRIC_NONE)
        return false;
    reconcile_add_port(r, why, reconcile_port(r, guid, number));
    text_add(why, " is connected to ");
    reconcile_add_port(r, why, peer);
    text_add(why, " now");
    return true;
}

static bool is_link_there(const struct reconcile *r, const struct alarm_key *link)
{
    uint32_t peer = reconcile_peer(r, link->guid, link->port);
    return peer != FABRIC_NONE && peer == reconcile_port(r, link->peer_guid, link->peer_port);
}

static bool is_link_back(const struct reconcile *r, const struct alarm_key *link, struct text *why)
{
    if (!is_link_there(r, link))
        return is_linked_elsewhere(r, link->guid, link->port, why) ||
               is_linked_elsewhere(r, link->peer_guid, link->peer_port, why);
    text_add(why, "the link is up");
    return true;
}

static bool is_rate_fine(const struct reconcile *r, const struct alarm_key *link, struct text *why)
{
    if (!is_link_there(r, link)) {
        text_add(why, "the link is down");
        return true;
    }
    const struct link_rate rate = link_rate_of(r->fabric, reconcile_port(r, link->guid, link->port),
                                               reconcile_port(r, link->peer_guid, link->peer_port));
    if (!rate.known || rate.degraded)
        return false;
    text_add(why, "the link runs at ");
    link_rate_describe(why, &rate);
    return true;
}

// An alarm about a port of a host holds while the host is there by another port, and the port's
// link is missing.
static bool is_port_fine(const struct reconcile *r, const struct alarm_key *port, struct text *why)
{
    if (fabric_find_node(r->fabric, port->guid) == FABRIC_NONE)
        text_add(why, "the whole node left the fabric");
    else if (!is_linked_elsewhere(r, port->guid, port->port, why)) {
        if (open_alarms_find_link(&r->alarms, port->guid, port->port))
            return false;
        text_add(why, "another cable took its place");
    }
    return true;
}

static bool has_capability(const struct reconcile *r, uint32_t port,
                           enum fabric_capability capability)
{
    return r->fabric->ports[port].known && (r->fabric->ports[port].capabilities & capability);
}

static bool is_sm_there(const struct reconcile *r, uint64_t guid)
{
    uint32_t port = fabric_find_port_guid(r->fabric, guid);
    return port != FABRIC_NONE && has_capability(r, port, FABRIC_IS_SM);
}

static bool is_unit_there(const struct reconcile *r, uint64_t guid)
{
    uint32_t node = fabric_find_node(r->fabric, guid);
    if (node == FABRIC_NONE)
        return false;
    const struct fabric_node *n = &r->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (has_capability(r, i, FABRIC_IS_DM))
            return true;
    }
    return false;
}

static bool is_controller_there(const struct reconcile *r, uint64_t guid)
{
    for (uint32_t i = 0; i < r->fabric->controller_count; i++) {
        if (r->fabric->controllers[i].guid == guid)
            return true;
    }
    return false;
}

static bool reconcile_is_there(const struct reconcile *r, const struct alarm_key *what,
                               struct text *why)
{
    const bool there = what->kind == ALARM_KEY_NODE
                           ? fabric_find_node(r->fabric, what->guid) != FABRIC_NONE
                       : what->kind == ALARM_KEY_SM      ? is_sm_there(r, what->guid)
                       : what->kind == ALARM_KEY_IO_UNIT ? is_unit_there(r, what->guid)
                                                         : is_controller_there(r, what->guid);
    text_add(why, there ? "it is there again" : "");
    return there;
}

// Whether the snapshot shows that the alarm does not hold. Sets `why`.
static bool is_refuted(const struct reconcile *r, const struct alarm_key *what, struct text *why)
{
    switch (what->kind) {
    case ALARM_KEY_LINK:
        return is_link_back(r, what, why);
    case ALARM_KEY_RATE:
        return is_rate_fine(r, what, why);
    case ALARM_KEY_PORT:
        return is_port_fine(r, what, why);
    default:
        return reconcile_is_there(r, what, why);
    }
}

// Ending alarms.

static void end_alarm(struct reconcile *r, struct open_alarm *a, const char *why)
{
    a->ended = policy_clear_alarm(r->options->policy, a->key, why, r->now_us);
}

// Ends the refuted alarms: links first, as alarms about ports depend on them.
static void end_refuted(struct reconcile *r, bool links)
{
    for (size_t i = 0; i < r->alarms.count; i++) {
        struct open_alarm *a = &r->alarms.all[i];
        char buf[EVENT_REASON_SIZE];
        struct text why = text_in(buf, sizeof buf);
        if ((a->what.kind == ALARM_KEY_LINK) == links && is_refuted(r, &a->what, &why))
            end_alarm(r, a, buf);
    }
}

static void end_aged(struct reconcile *r, int64_t age_us)
{
    char why[64];
    snprintf(why, sizeof why, "nothing was seen of it for %" PRId64 " days",
             age_us / (24 * 3600 * CLOCK_US_PER_S));
    const int64_t now = clock_utc(r->builder->clock);
    for (size_t i = 0; age_us > 0 && i < r->alarms.count; i++) {
        struct open_alarm *a = &r->alarms.all[i];
        if (!a->ended && a->what.kind != ALARM_KEY_RATE && now - a->raised_us > age_us)
            end_alarm(r, a, why);
    }
}

// Raising what no event told.

static void raise_change(const struct reconcile *r, const struct change *change)
{
    struct event *event = event_builder_from_change(r->builder, change, r->late, "", "");
    if (event)
        r->options->emit(r->options->ctx, event);
}

static bool may_raise(const struct reconcile *r, const char *key)
{
    return !policy_is_raised(r->options->policy, key) && policy_has_room(r->options->policy);
}

static void raise_degraded(const struct reconcile *r, uint32_t port, uint32_t peer,
                           const struct link_rate *rate)
{
    const struct fabric *f = r->fabric;
    const uint32_t node = fabric_node_of_port(f, port), other = fabric_node_of_port(f, peer);
    const bool swap = f->nodes[node].type != FABRIC_SWITCH && f->nodes[other].type == FABRIC_SWITCH;
    struct change change = {.type = CATALOGUE_LINK_DEGRADED, .cause = FABRIC_NONE};
    alarm_key_write(change.alarm_key, &(struct alarm_key){.kind = ALARM_KEY_RATE,
                                                          .guid = f->nodes[node].guid,
                                                          .port = f->ports[port].number,
                                                          .peer_guid = f->nodes[other].guid,
                                                          .peer_port = f->ports[peer].number});
    if (!may_raise(r, change.alarm_key))
        return;
    describe_port(f, swap ? peer : port, r->builder->names, &change.subject);
    describe_port(f, swap ? port : peer, r->builder->names, &change.peer);
    change.switch_guid = change.subject.type == FABRIC_SWITCH ? change.subject.node_guid : 0;
    struct text text = text_in(change.reason, sizeof change.reason);
    link_rate_describe(&text, rate);
    raise_change(r, &change);
}

static void raise_all_degraded(const struct reconcile *r)
{
    for (uint32_t port = 0; port < r->fabric->port_count; port++) {
        const uint32_t peer = fabric_peer(r->fabric, port);
        if (peer == FABRIC_NONE || peer < port)
            continue;
        const struct link_rate rate = link_rate_of(r->fabric, port, peer);
        if (rate.degraded)
            raise_degraded(r, port, peer, &rate);
    }
}

// Whether the node is a host or router that is there by another of its ports.
static bool is_host_there(const struct reconcile *r, uint64_t guid, uint32_t *node)
{
    *node = fabric_find_node(r->fabric, guid);
    if (*node == FABRIC_NONE || r->fabric->nodes[*node].type == FABRIC_SWITCH)
        return false;
    const struct fabric_node *n = &r->fabric->nodes[*node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (r->fabric->ports[i].peer_node != FABRIC_NONE)
            return true;
    }
    return false;
}

// Describes an end of a missing link, as far as it is known.
static void describe_end(const struct reconcile *r, uint64_t guid, uint8_t number,
                         struct endpoint *out)
{
    const uint32_t port = reconcile_port(r, guid, number);
    *out = (struct endpoint){.guid = guid, .node_guid = guid};
    if (port != FABRIC_NONE)
        describe_port(r->fabric, port, r->builder->names, out);
    else
        topology_find_guid(r->options->topology, guid, out);
    out->port = number;
}

// Raises the alarm about a host's port at that end of a missing link.
static void raise_port(const struct reconcile *r, uint64_t guid, uint8_t port, uint64_t peer_guid,
                       uint8_t peer_port)
{
    uint32_t node;
    struct change change = {.type = CATALOGUE_PORT_REMOVED, .cause = FABRIC_NONE};
    alarm_key_write(change.alarm_key,
                    &(struct alarm_key){.kind = ALARM_KEY_PORT, .guid = guid, .port = port});
    if (!is_host_there(r, guid, &node) || !may_raise(r, change.alarm_key))
        return;
    describe_end(r, guid, port, &change.subject);
    describe_end(r, peer_guid, peer_port, &change.peer);
    change.switch_guid = change.peer.type == FABRIC_SWITCH ? change.peer.node_guid : 0;
    raise_change(r, &change);
}

static void raise_missing_ports(const struct reconcile *r)
{
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (a->ended || a->what.kind != ALARM_KEY_LINK)
            continue;
        raise_port(r, a->what.guid, a->what.port, a->what.peer_guid, a->what.peer_port);
        raise_port(r, a->what.peer_guid, a->what.peer_port, a->what.guid, a->what.port);
    }
}

// New root causes.

// The alarm that explains a missing link, port or service: of a node at its end; NULL: none.
static const struct open_alarm *explanation(const struct reconcile *r, const struct open_alarm *a)
{
    const struct open_alarm *node = open_alarms_find_node(&r->alarms, a->what.guid);
    if (!node && a->what.kind == ALARM_KEY_LINK)
        node = open_alarms_find_node(&r->alarms, a->what.peer_guid);
    return node;
}

// Whether a missing node explains the alarm: the node, or one at the alarm's end, is connected to
// it by missing links.
static bool is_explained_by(const struct reconcile *r, const struct open_alarm *a,
                            const struct open_alarm *cause)
{
    const struct open_alarm *node = a->what.kind == ALARM_KEY_NODE ? a : explanation(r, a);
    return cause->what.kind != ALARM_KEY_NODE || (node && node->island == cause->island);
}

// Whether the alarm had a root cause that is over, or does not explain it any more. A port whose
// other end is missing keeps its cause.
static bool has_lost_cause(const struct reconcile *r, const struct open_alarm *a)
{
    if (a->ended)
        return false;
    const enum policy_cause state = policy_cause_of(r->options->policy, a->key);
    const struct open_alarm *cause = state == POLICY_CAUSE_ACTIVE && a->what.kind != ALARM_KEY_PORT
                                         ? open_alarms_find_id(&r->alarms, a->cause_id)
                                         : NULL;
    return state == POLICY_CAUSE_CLEARED || (cause && !is_explained_by(r, a, cause));
}

static void set_cause(const struct reconcile *r, const struct open_alarm *a,
                      const struct open_alarm *cause)
{
    policy_set_cause(r->options->policy, a->key, cause ? cause->key : NULL, r->now_us);
    journal_set_alarm_cause(r->options->journal, a->key, cause ? cause->event_id : "");
}

// Adds the name of a missing node, from the event that said that it left.
static void add_missing_name(const struct reconcile_options *options, struct text *t,
                             const struct open_alarm *a)
{
    struct event *event = journal_find(options->journal, a->last_sequence);
    if (event && event->subject.name[0] != '\0')
        text_add(t, event->subject.name);
    else
        text_addf(t, "0x%016" PRIx64, a->what.guid);
    event_unref(event);
}

// Adds ": a, b, c, d, e and 2 more" for the nodes of which `is_one` is true, `count` in all.
static void add_missing_names(const struct reconcile_options *options, struct text *t,
                              const struct open_alarms *alarms, size_t count, const void *ctx,
                              bool (*is_one)(const void *ctx, const struct open_alarm *a))
{
    size_t named = 0;
    for (size_t i = 0; i < alarms->count && named < NAMED_MAX; i++) {
        if (!is_one(ctx, &alarms->all[i]))
            continue;
        text_add(t, named++ > 0 ? ", " : ": ");
        add_missing_name(options, t, &alarms->all[i]);
    }
    if (named < count)
        text_addf(t, " and %zu more", count - named);
}

struct group {
    const struct reconcile *reconcile;
    const struct open_alarm *root;
};

// Whether the node lost its root cause and has this one now, and is not this one.
static bool is_behind(const void *ctx, const struct open_alarm *a)
{
    const struct group *g = ctx;
    return a->what.kind == ALARM_KEY_NODE && a != g->root && has_lost_cause(g->reconcile, a) &&
           &g->reconcile->alarms.all[a->root] == g->root;
}

// The event that raised the alarm, once more, as a root cause: with what is missing behind it.
static struct event *make_root_event(const struct reconcile *r, const struct open_alarm *root)
{
    const struct group g = {r, root};
    struct event *last = journal_find(r->options->journal, root->last_sequence);
    struct event *event = last ? event_copy(last) : NULL;
    if (!event) {
        event_unref(last);
        return NULL;
    }
    event->affected = 0;
    for (size_t i = 0; i < r->alarms.count; i++)
        event->affected += is_behind(&g, &r->alarms.all[i]);
    struct text t = text_in(event->reason, sizeof event->reason);
    text_add(&t, "it is still missing");
    if (event->affected > 0) {
        text_addf(&t, ", and with it %" PRIu64 " node%s", event->affected,
                  event->affected == 1 ? "" : "s");
        add_missing_names(r->options, &t, &r->alarms, event->affected, &g, is_behind);
    }
    memcpy(event->related_id, last->id, sizeof event->related_id);
    event_builder_again(r->builder, event);
    event_unref(last);
    return event;
}

static void tell_root(const struct reconcile *r, const struct open_alarm *root)
{
    struct event *event = make_root_event(r, root);
    set_cause(r, root, NULL);
    if (event)
        r->options->emit(r->options->ctx, event);
}

// Finds new root causes for the alarms whose root cause is over. What is a root cause itself now is
// told with what is missing behind it, before the others become its consequences.
static void find_causes(struct reconcile *r)
{
    if (r->alarms.count == 0 || !open_alarms_find_roots(&r->alarms, r->fabric))
        return;
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (a->what.kind == ALARM_KEY_NODE && a->root == i && has_lost_cause(r, a))
            tell_root(r, a);
    }
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (!has_lost_cause(r, a))
            continue;
        if (a->what.kind == ALARM_KEY_NODE)
            set_cause(r, a, &r->alarms.all[a->root]);
        else
            set_cause(r, a, explanation(r, a));
    }
}

void reconcile_alarms(const struct reconcile_options *options, const struct event_builder *builder,
                      bool late, int64_t age_us)
{
    struct fabric *fabric = topology_current(options->topology);
    struct reconcile r = {.options = options,
                          .builder = builder,
                          .fabric = fabric,
                          .late = late,
                          .now_us = clock_monotonic(builder->clock)};
    if (fabric && open_alarms_collect(&r.alarms, options->journal)) {
        end_refuted(&r, true);
        end_refuted(&r, false);
        end_aged(&r, age_us);
        raise_all_degraded(&r);
        raise_missing_ports(&r);
        find_causes(&r);
        policy_confirm(options->policy, r.now_us);
    }
    open_alarms_clear(&r.alarms);
    fabric_unref(fabric);
    journal_forget_ends(options->journal, clock_utc(builder->clock) - POLICY_HANDOVER_US);
}

// Switches that are back.

struct lost_group {
    const struct fabric *fabric;
    const char *cause_id;
};

static bool is_still_missing(const void *ctx, const struct open_alarm *a)
{
    const struct lost_group *g = ctx;
    return a->what.kind == ALARM_KEY_NODE && strcmp(a->cause_id, g->cause_id) == 0 &&
           fabric_find_node(g->fabric, a->what.guid) == FABRIC_NONE;
}

// How many nodes left together with the alarm's.
static uint64_t count_affected(const struct reconcile_options *options, const struct open_alarm *a,
                               uint64_t least)
{
    struct event *event = journal_find(options->journal, a->last_sequence);
    const uint64_t affected = event ? event->affected : 0;
    event_unref(event);
    return affected > least ? affected : least;
}

static void explain_return(const struct reconcile_options *options, struct change *change,
                           const struct open_alarms *alarms, const struct fabric *fabric)
{
    const struct open_alarm *root = open_alarms_find_node(alarms, change->subject.node_guid);
    if (!root)
        return;
    const struct lost_group g = {fabric, root->event_id};
    size_t missing = 0;
    for (size_t i = 0; i < alarms->count; i++)
        missing += is_still_missing(&g, &alarms->all[i]);
    if (missing == 0)
        return;
    char came[EVENT_REASON_SIZE];
    memcpy(came, change->reason, sizeof came);
    struct text t = text_in(change->reason, sizeof change->reason);
    text_addf(&t, "%zu of the %" PRIu64 " nodes that went with it %s still missing", missing,
              count_affected(options, root, missing), missing == 1 ? "is" : "are");
    add_missing_names(options, &t, alarms, missing, &g, is_still_missing);
    if (came[0] != '\0')
        text_addf(&t, "; %s", came);
}

void reconcile_explain_return(const struct reconcile_options *options, struct change *change)
{
    struct open_alarms alarms;
    struct fabric *fabric = topology_current(options->topology);
    if (fabric && open_alarms_collect(&alarms, options->journal))
        explain_return(options, change, &alarms, fabric);
    open_alarms_clear(&alarms);
    fabric_unref(fabric);
}
