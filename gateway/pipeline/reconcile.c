// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/reconcile.h"

#include "base/memory.h"
#include "pipeline/missing.h"
#include "pipeline/statements.h"
#include "pipeline/together.h"
#include "topology/comparison.h"
#include "topology/describe.h"
#include "topology/joined.h"
#include "topology/link_rate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// After a start, until the wall clock is trusted: the clock may be far off until somebody sets it.
static const int64_t TRUST_CLOCK_US = 3600 * CLOCK_US_PER_S;

struct reconcile {
    struct emitter *emitter;
    const struct systems *systems;
    const struct fabric *fabric; // of the systems
    struct open_alarms alarms;
    bool late;
    bool has_newcomers; // a host or service came, or a host went, moved or was renamed
    int64_t watching_since, age_us;
    int64_t now_us; // policy's clock
    int64_t utc_us;
};

// What the snapshot shows.

// The port at the other end of a port's link; FABRIC_NONE: there is no such port, or no link.
static uint32_t reconcile_peer(const struct reconcile *r, uint64_t guid, uint8_t number)
{
    return fabric_peer(r->fabric, fabric_find_end(r->fabric, guid, number));
}

// Adds "port 3 of leaf1".
static void reconcile_add_port(const struct reconcile *r, struct text *t, uint32_t port)
{
    struct endpoint who;
    describe_port(r->fabric, port, r->emitter->builder.names, &who);
    describe_add_port(t, &who);
}

// Whether that port is linked. Sets `why`.
static bool reconcile_is_linked_elsewhere(const struct reconcile *r, uint64_t guid, uint8_t number,
                                          struct text *why)
{
    uint32_t peer = reconcile_peer(r, guid, number);
    if (peer == FABRIC_NONE)
        return false;
    reconcile_add_port(r, why, fabric_find_end(r->fabric, guid, number));
    text_add(why, " is connected to ");
    reconcile_add_port(r, why, peer);
    text_add(why, " now");
    return true;
}

static bool reconcile_is_link_there(const struct reconcile *r, const struct alarm_key *link)
{
    uint32_t peer = reconcile_peer(r, link->guid, link->port);
    return peer != FABRIC_NONE &&
           peer == fabric_find_end(r->fabric, link->peer_guid, link->peer_port);
}

// After a start, a link that is back and waits for the subnet manager has joined (joined.h).
static bool reconcile_is_link_active(const struct reconcile *r, const struct alarm_key *link)
{
    return !fabric_is_inactive(r->fabric, fabric_find_end(r->fabric, link->guid, link->port));
}

static bool reconcile_is_link_back(const struct reconcile *r, const struct alarm_key *link,
                                   struct text *why)
{
    if (!reconcile_is_link_there(r, link))
        return reconcile_is_linked_elsewhere(r, link->guid, link->port, why) ||
               reconcile_is_linked_elsewhere(r, link->peer_guid, link->peer_port, why);
    text_add(why, "the link is up");
    return reconcile_is_link_active(r, link);
}

static bool reconcile_is_rate_fine(const struct reconcile *r, const struct alarm_key *link,
                                   struct text *why)
{
    if (!reconcile_is_link_there(r, link)) {
        text_add(why, "the link is down");
        return true;
    }
    const struct link_rate rate =
        link_rate_of(r->fabric, fabric_find_end(r->fabric, link->guid, link->port),
                     fabric_find_end(r->fabric, link->peer_guid, link->peer_port));
    if (!rate.known || rate.degraded)
        return false;
    text_add(why, "the link runs at ");
    link_rate_describe(why, &rate);
    return true;
}

static struct planes reconcile_planes(const struct reconcile *r, uint64_t guid, uint8_t number)
{
    return planes_of(r->systems, fabric_find_end(r->fabric, guid, number));
}

// An alarm about a port of a host holds while the host is there by another port, and the port's
// link is missing.
static bool reconcile_is_port_fine(const struct reconcile *r, const struct alarm_key *port,
                                   struct text *why)
{
    const struct planes planes = reconcile_planes(r, port->guid, port->port);
    if (fabric_find_node(r->fabric, port->guid) == FABRIC_NONE)
        text_add(why, "the whole node left the fabric");
    else if (planes_are_missing(&planes))
        text_addf(why, "%u of its %u planes %s a link", planes.active, planes.count,
                  planes.active == 1 ? "has" : "have");
    else if (!reconcile_is_linked_elsewhere(r, port->guid, port->port, why)) {
        if (open_alarms_find_link(&r->alarms, port->guid, port->port))
            return false;
        text_add(why, "the alarm about its link is over");
    }
    return true;
}

static bool reconcile_is_node_there(const struct reconcile *r, uint64_t guid)
{
    const uint32_t node = fabric_find_node(r->fabric, guid);
    return node != FABRIC_NONE && !joined_is_dark(r->fabric, node);
}

static bool reconcile_is_sm_there(const struct reconcile *r, uint64_t guid)
{
    uint32_t port = fabric_find_port_guid(r->fabric, guid);
    return port != FABRIC_NONE && comparison_has_capability(r->fabric, port, FABRIC_IS_SM);
}

static bool reconcile_is_unit_there(const struct reconcile *r, uint64_t guid)
{
    uint32_t node = fabric_find_node(r->fabric, guid);
    if (node == FABRIC_NONE)
        return false;
    const struct fabric_node *n = &r->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (comparison_has_capability(r->fabric, i, FABRIC_IS_DM))
            return true;
    }
    return false;
}

static bool reconcile_is_controller_there(const struct reconcile *r, uint64_t guid)
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
    const bool there = what->kind == ALARM_KEY_NODE ? reconcile_is_node_there(r, what->guid)
                       : what->kind == ALARM_KEY_SM ? reconcile_is_sm_there(r, what->guid)
                       : what->kind == ALARM_KEY_IO_UNIT
                           ? reconcile_is_unit_there(r, what->guid)
                           : reconcile_is_controller_there(r, what->guid);
    text_add(why, there ? "it is there again" : "");
    return there;
}

static bool reconcile_has_service(const struct reconcile *r, uint32_t port,
                                  enum alarm_key_kind kind)
{
    return kind == ALARM_KEY_NODE ||
           comparison_has_capability(r->fabric, port,
                                     kind == ALARM_KEY_SM ? FABRIC_IS_SM : FABRIC_IS_DM);
}

// A linked port of the host of this name that has a controller of this name; FABRIC_NONE: there is
// none.
static uint32_t reconcile_find_controller(const struct reconcile *r, const char *host,
                                          const char *name)
{
    for (uint32_t i = 0; name[0] != '\0' && i < r->fabric->controller_count; i++) {
        const struct fabric_controller *one = &r->fabric->controllers[i];
        const struct fabric_node *n = &r->fabric->nodes[one->node];
        const bool same = strcmp(one->name, name) == 0 &&
                          strcmp(describe_name(n, 0, r->emitter->builder.names), host) == 0;
        for (uint32_t p = n->first_port; same && p < n->first_port + n->ports; p++) {
            if (r->fabric->ports[p].peer_node != FABRIC_NONE)
                return p;
        }
    }
    return FABRIC_NONE;
}

// Whether somebody replaced the adapter of the missing host, subnet manager or I/O unit: a host of
// the same name hangs on the same port, and has the service. The event about an I/O controller has
// no port: a host of the same name has a controller of the same name.
static bool reconcile_is_replaced(const struct reconcile *r, const struct open_alarm *a,
                                  struct text *why)
{
    struct event *lost = journal_find(r->emitter->journal, a->is.last_number);
    if (!lost)
        return false;
    const struct endpoint *place = &lost->peer, *host = &lost->subject;
    const uint32_t port = a->what.kind == ALARM_KEY_IO_CONTROLLER
                              ? reconcile_find_controller(r, host->name, place->name)
                              : reconcile_peer(r, place->node_guid, place->port);
    struct endpoint now = {0};
    if (port != FABRIC_NONE)
        describe_port(r->fabric, port, r->emitter->builder.names, &now);
    const bool same = now.type == FABRIC_CA && now.name[0] != '\0' &&
                      strcmp(now.name, host->name) == 0 &&
                      fabric_find_node(r->fabric, host->node_guid) == FABRIC_NONE &&
                      reconcile_has_service(r, port, a->what.kind);
    if (same) {
        text_addf(why, "a host of this name, 0x%016" PRIx64 ", hangs on ", now.node_guid);
        reconcile_add_port(r, why, fabric_peer(r->fabric, port));
        text_add(why, " now");
    }
    event_unref(lost);
    return same;
}

// Whether the snapshot shows that the alarm does not hold. Sets `why`.
static bool reconcile_is_refuted(const struct reconcile *r, const struct open_alarm *a,
                                 struct text *why)
{
    const struct alarm_key *what = &a->what;
    switch (what->kind) {
    case ALARM_KEY_LINK:
        return reconcile_is_link_back(r, what, why);
    case ALARM_KEY_RATE:
        return reconcile_is_rate_fine(r, what, why);
    case ALARM_KEY_PORT:
        return reconcile_is_port_fine(r, what, why);
    default:
        return reconcile_is_there(r, what, why) ||
               (r->has_newcomers && reconcile_is_replaced(r, a, why));
    }
}

// How old the alarm is. Policy's clock decides for an alarm of this run. For an older alarm, the
// wall clock decides once it is trusted; the age is at least that of this run.
static int64_t reconcile_age_of(const struct reconcile *r, const struct policy_alarm *alarm)
{
    const int64_t watched = r->now_us - r->watching_since;
    const int64_t age = r->now_us - alarm->raised_at_us;
    const int64_t by_clock = r->utc_us - alarm->since_us;
    if (age <= watched)
        return age;
    return watched >= TRUST_CLOCK_US && by_clock > watched ? by_clock : watched;
}

// Whether the alarm is too old. A slow link is not missing, and a port ends with its link: either
// alarm would be raised again.
static bool reconcile_is_aged(const struct reconcile *r, const struct open_alarm *a,
                              struct text *why)
{
    if (r->age_us == 0 || a->what.kind == ALARM_KEY_RATE || a->what.kind == ALARM_KEY_PORT ||
        reconcile_age_of(r, &a->is) <= r->age_us)
        return false;
    text_addf(why, "nothing was seen of it for %" PRId64 " days",
              r->age_us / (INT64_C(24) * 3600 * CLOCK_US_PER_S));
    return true;
}

static bool reconcile_is_over(void *ctx, const struct policy_alarm *alarm,
                              const struct alarm_key *key, struct text *why)
{
    const struct reconcile *r = ctx;
    (void)key;
    const struct open_alarm *a = (const struct open_alarm *)alarm;
    return reconcile_is_refuted(r, a, why) || reconcile_is_aged(r, a, why);
}

// Judges a threshold of a port without a link: nobody reads the port. Like an alarm about the link,
// the threshold ends when the far end is connected elsewhere.
static bool reconcile_growth_is_over(void *ctx, const struct policy_alarm *alarm,
                                     const struct alarm_key *key, struct text *why)
{
    const struct reconcile *r = ctx;
    if (!key || key->about != ALARM_ABOUT_GROWTH ||
        reconcile_peer(r, key->guid, key->port) != FABRIC_NONE)
        return false;
    struct event *event = journal_find(r->emitter->journal, alarm->last_number);
    const bool moved =
        event && reconcile_is_linked_elsewhere(r, event->peer.node_guid, event->peer.port, why);
    event_unref(event);
    return moved;
}

// Links come first: alarms about ports depend on alarms about links.
static void reconcile_end_alarms(struct reconcile *r)
{
    const struct detector detector = {.is_over = reconcile_is_over, .ctx = r};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->alarms.count; i++) {
            struct open_alarm *a = &r->alarms.all[i];
            if ((a->what.kind == ALARM_KEY_LINK) == (pass == 0))
                statements_compare(r->emitter, &detector, &a->is);
        }
    }
    statements_compare_all(r->emitter,
                           &(struct detector){.is_over = reconcile_growth_is_over, .ctx = r});
    together_end(r->emitter, &r->alarms);
}

// Raising what no event told.

// Whether the alarm had a root cause that is over.
static bool reconcile_has_cause_over(const struct policy_alarm *alarm)
{
    return alarm->cause_id[0] != '\0' && !alarm->cause_key;
}

// Sets the identifier of the event. `cause`: its root cause; NULL: none.
static void reconcile_raise_change(const struct reconcile *r, const struct change *change,
                                   const struct open_alarm *cause, char id[EVENT_ID_SIZE])
{
    struct event *event = event_builder_from_change(&r->emitter->builder, change, r->late,
                                                    cause ? cause->is.event_id : "", "");
    memcpy(id, event->id, EVENT_ID_SIZE);
    emitter_emit(r->emitter, event);
}

static void reconcile_raise_degraded(const struct reconcile *r, uint32_t port, uint32_t peer,
                                     const struct link_rate *rate)
{
    const uint32_t first = comparison_first_end(r->fabric, port, peer);
    struct change change = {.type = CATALOGUE_LINK_DEGRADED, .cause = FABRIC_NONE};
    comparison_link_key(change.alarm_key, ALARM_KEY_RATE, r->fabric, port);
    if (!statements_may_raise(r->emitter, change.alarm_key))
        return;
    comparison_describe_link(r->fabric, first, r->emitter->builder.names, &change);
    struct text text = text_in(change.reason, sizeof change.reason);
    link_rate_describe(&text, rate);
    reconcile_raise_change(r, &change, NULL, (char[EVENT_ID_SIZE]){0});
}

static void reconcile_raise_all_degraded(const struct reconcile *r)
{
    for (uint32_t port = 0; port < r->fabric->port_count; port++) {
        const uint32_t peer = fabric_peer(r->fabric, port);
        if (peer == FABRIC_NONE || peer < port)
            continue;
        const struct link_rate rate = link_rate_of(r->fabric, port, peer);
        if (rate.degraded)
            reconcile_raise_degraded(r, port, peer, &rate);
    }
}

// Whether the node is a host or router that is there by another of its ports.
static bool reconcile_is_host_there(const struct reconcile *r, uint64_t guid)
{
    const uint32_t node = fabric_find_node(r->fabric, guid);
    return node != FABRIC_NONE && !comparison_is_switch(r->fabric, node) &&
           !joined_is_dark(r->fabric, node) &&
           comparison_first_linked(r->fabric, node) != FABRIC_NONE;
}

// Describes a missing node as the event about its loss did. After a restart nothing else has its
// name.
static void reconcile_describe_missing(const struct reconcile *r, uint64_t guid,
                                       struct endpoint *out)
{
    const struct open_alarm *a = open_alarms_find_node(&r->alarms, guid);
    struct event *event = a ? journal_find(r->emitter->journal, a->is.last_number) : NULL;
    if (event && event->subject.node_guid == guid)
        *out = event->subject;
    event_unref(event);
}

// Describes an end of a missing link, as far as the end is known.
static void reconcile_describe_end(const struct reconcile *r, uint64_t guid, uint8_t number,
                                   struct endpoint *out)
{
    const uint32_t port = fabric_find_end(r->fabric, guid, number);
    *out = (struct endpoint){.guid = guid, .node_guid = guid};
    if (port != FABRIC_NONE)
        describe_port(r->fabric, port, r->emitter->builder.names, out);
    else if (!topology_find_guid(r->emitter->topology, guid, out))
        reconcile_describe_missing(r, guid, out);
    out->port = number;
}

// Whether the port is one of several planes: link-degraded and the alarm about the last plane tell
// of the other planes.
static bool reconcile_has_planes(const struct reconcile *r, uint64_t guid, uint8_t number)
{
    return reconcile_planes(r, guid, number).count > 1;
}

// Raises the alarm about a host's port at that end of a missing link. A missing node at the other
// end is the root cause. If the root cause of the link is over, the port is the link's new root
// cause.
static void reconcile_raise_port(const struct reconcile *r, const struct open_alarm *link,
                                 uint64_t guid, uint8_t port, uint64_t peer_guid, uint8_t peer_port)
{
    char id[EVENT_ID_SIZE];
    struct change change = {.type = CATALOGUE_PORT_REMOVED, .cause = FABRIC_NONE};
    alarm_key_write(change.alarm_key,
                    &(struct alarm_key){.kind = ALARM_KEY_PORT, .guid = guid, .port = port});
    if (!reconcile_is_host_there(r, guid) || reconcile_has_planes(r, guid, port) ||
        !statements_may_raise(r->emitter, change.alarm_key))
        return;
    reconcile_describe_end(r, guid, port, &change.subject);
    reconcile_describe_end(r, peer_guid, peer_port, &change.peer);
    comparison_set_switch(&change);
    reconcile_raise_change(r, &change, open_alarms_find_node(&r->alarms, peer_guid), id);
    struct policy_alarm now;
    if (!policy_find_alarm(r->emitter->policy, link->is.key, &now) ||
        !reconcile_has_cause_over(&now))
        return;
    policy_set_cause(r->emitter->policy, link->is.key, change.alarm_key, r->now_us);
}

static void reconcile_raise_missing_ports(const struct reconcile *r)
{
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (a->is.ended || a->what.kind != ALARM_KEY_LINK)
            continue;
        reconcile_raise_port(r, a, a->what.guid, a->what.port, a->what.peer_guid,
                             a->what.peer_port);
        reconcile_raise_port(r, a, a->what.peer_guid, a->what.peer_port, a->what.guid,
                             a->what.port);
    }
}

// New root causes.

// The alarm that explains a missing link, port or service: of a node at its end; NULL: none.
static const struct open_alarm *reconcile_explanation(const struct reconcile *r,
                                                      const struct open_alarm *a)
{
    const struct open_alarm *node = open_alarms_find_node(&r->alarms, a->what.guid);
    if (!node && a->what.kind == ALARM_KEY_LINK)
        node = open_alarms_find_node(&r->alarms, a->what.peer_guid);
    return node;
}

// Whether a node that is missing may explain the alarm no more. A port whose other end is missing
// keeps its cause, and so does a service while its node is missing.
static bool reconcile_may_lose_node(const struct open_alarm *a)
{
    return a->what.kind == ALARM_KEY_NODE || a->what.kind == ALARM_KEY_LINK;
}

// Whether the alarm had a root cause that is over, or does not explain it any more.
static bool reconcile_has_lost_cause(const struct reconcile *r, const struct open_alarm *a)
{
    struct policy_alarm now;
    struct alarm_key cause;
    if (a->is.ended || !policy_find_alarm(r->emitter->policy, a->is.key, &now))
        return false;
    if (!now.cause_key || !reconcile_may_lose_node(a) || !alarm_key_read(now.cause_key, &cause) ||
        cause.kind != ALARM_KEY_NODE)
        return reconcile_has_cause_over(&now);
    const struct open_alarm *node =
        a->what.kind == ALARM_KEY_NODE ? a : reconcile_explanation(r, a);
    const struct open_alarm *other = open_alarms_find_node(&r->alarms, cause.guid);
    return other && !(node && node->island == other->island) &&
           !missing_is_part(r->emitter, a, other);
}

static void reconcile_set_cause(const struct reconcile *r, const struct open_alarm *a,
                                const struct open_alarm *cause)
{
    policy_set_cause(r->emitter->policy, a->is.key, cause ? cause->is.key : NULL, r->now_us);
}

// A node at an end explains a missing link, port or service. Missing planes explain the link of a
// plane.
static void reconcile_explain(const struct reconcile *r, const struct open_alarm *a)
{
    const struct open_alarm *node = reconcile_explanation(r, a);
    const struct planes planes = !node && a->what.kind == ALARM_KEY_LINK
                                     ? reconcile_planes(r, a->what.guid, a->what.port)
                                     : (struct planes){.count = 0};
    if (planes_are_missing(&planes)) {
        char key[EVENT_KEY_SIZE];
        comparison_planes_key(key, r->fabric, &planes);
        policy_set_cause(r->emitter->policy, a->is.key, key, r->now_us);
    } else {
        reconcile_set_cause(r, a, node);
    }
}

// The event says that the alarm has no root cause. Without it, policy sends what it suppressed. An
// alarm about a host had the adapters behind the host all the time if many hosts left at once.
static void reconcile_tell_root(const struct reconcile *r, const struct open_alarm *root,
                                const struct missing_group *lost)
{
    struct missing_group behind = {memory_zeroed(r->alarms.count, sizeof *behind.members), 0};
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (a->what.kind == ALARM_KEY_NODE && !a->is.ended && a->cause == root->what.guid)
            behind.members[behind.count++] = (uint32_t)i;
    }
    if (lost->count > 0)
        memcpy(behind.members + behind.count, lost->members, lost->count * sizeof *lost->members);
    behind.count += lost->count;
    struct event *event = missing_make_root_event(r->emitter, &r->alarms, root, &behind);
    if (event)
        emitter_emit(r->emitter, event);
    else
        reconcile_set_cause(r, root, NULL);
    free(behind.members);
}

// A missing host that lost its root cause, and the name of its system.
struct lost_host {
    uint32_t alarm;
    char system[EVENT_SYSTEM_SIZE];
};

static int reconcile_compare_lost_hosts(const void *a, const void *b)
{
    const struct lost_host *m = a, *n = b;
    const int order = strcmp(m->system, n->system);
    return order != 0 ? order : m->alarm < n->alarm ? -1 : m->alarm > n->alarm;
}

// Gives the adapters of a host the first adapter as the root cause.
static void reconcile_join_lost_hosts(struct reconcile *r, const uint32_t *lost, size_t count)
{
    struct lost_host *hosts = memory_zeroed(count, sizeof *hosts);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct open_alarm *a = &r->alarms.all[lost[i]];
        struct event *event =
            a->root == lost[i] && a->is.type == catalogue_get(CATALOGUE_HOST_REMOVED)
                ? journal_find(r->emitter->journal, a->is.last_number)
                : NULL;
        if (event && event->parts > 1 && event->subject.system[0] != '\0') {
            hosts[n].alarm = lost[i];
            memcpy(hosts[n++].system, event->subject.system, EVENT_SYSTEM_SIZE);
        }
        event_unref(event);
    }
    qsort(hosts, n, sizeof *hosts, reconcile_compare_lost_hosts);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(hosts[i].system, hosts[i - 1].system) == 0)
            r->alarms.all[hosts[i].alarm].root = r->alarms.all[hosts[i - 1].alarm].root;
    }
    free(hosts);
}

// The missing nodes that lost their root cause, sorted by the new root cause. `lost` has room for
// all.
static size_t reconcile_list_lost(struct reconcile *r, uint32_t *lost)
{
    size_t count = 0;
    for (size_t i = 0; i < r->alarms.count; i++) {
        if (r->alarms.all[i].what.kind == ALARM_KEY_NODE &&
            reconcile_has_lost_cause(r, &r->alarms.all[i]))
            lost[count++] = (uint32_t)i;
    }
    reconcile_join_lost_hosts(r, lost, count);
    qsort_r(lost, count, sizeof *lost, missing_compare_roots, &r->alarms);
    return count;
}

// Tells each new root cause, with the missing nodes behind the root cause.
static void reconcile_tell_roots(const struct reconcile *r, uint32_t *lost, size_t count)
{
    const struct open_alarm *all = r->alarms.all;
    for (size_t i = 0, end; i < count; i = end) {
        const uint32_t root = all[lost[i]].root;
        for (end = i + 1; end < count && all[lost[end]].root == root; end++)
            ;
        if (lost[i] == root)
            reconcile_tell_root(r, &all[root], &(struct missing_group){lost + i + 1, end - i - 1});
    }
}

// Finds new root causes for the alarms whose root cause is over. Tells the new root causes before
// the other alarms become consequences.
static void reconcile_find_causes(struct reconcile *r)
{
    if (r->alarms.count == 0)
        return;
    if (!open_alarms_find_roots(&r->alarms, r->fabric))
        return;
    uint32_t *lost = memory_zeroed(r->alarms.count, sizeof *lost);
    reconcile_tell_roots(r, lost, reconcile_list_lost(r, lost));
    free(lost);
    for (size_t i = 0; i < r->alarms.count; i++) {
        const struct open_alarm *a = &r->alarms.all[i];
        if (!reconcile_has_lost_cause(r, a))
            continue;
        if (a->what.kind == ALARM_KEY_NODE)
            reconcile_set_cause(r, a, &r->alarms.all[a->root]);
        else
            reconcile_explain(r, a);
    }
}

static bool reconcile_has_newcomers(const struct changes *changes)
{
    if (changes->named)
        return true;
    for (uint32_t i = 0; i < changes->count; i++) {
        const enum catalogue_event type = changes->all[i].type;
        if (type == CATALOGUE_HOST_ADDED || type == CATALOGUE_HOST_REMOVED ||
            type == CATALOGUE_HOST_MOVED || type == CATALOGUE_NODE_RENAMED ||
            type == CATALOGUE_SM_APPEARED || type == CATALOGUE_IO_UNIT_ADDED ||
            type == CATALOGUE_IO_CONTROLLER_ADDED)
            return true;
    }
    return false;
}

void reconcile_alarms(struct emitter *emitter, const struct changes *changes,
                      int64_t watching_since, bool late, int64_t age_us)
{
    const struct systems *joined = topology_joined(emitter->topology);
    struct reconcile r = {.emitter = emitter,
                          .systems = joined,
                          .fabric = joined ? joined->fabric : NULL,
                          .watching_since = watching_since,
                          .late = late,
                          .has_newcomers = reconcile_has_newcomers(changes),
                          .age_us = age_us,
                          .now_us = emitter_now(emitter),
                          .utc_us = clock_utc(emitter->builder.clock)};
    if (joined) {
        open_alarms_collect(&r.alarms, emitter->policy);
        reconcile_end_alarms(&r);
        reconcile_raise_all_degraded(&r);
        reconcile_raise_missing_ports(&r);
        reconcile_find_causes(&r);
        policy_confirm(emitter->policy, r.now_us);
        open_alarms_clear(&r.alarms);
    }
    journal_forget_ends(emitter->journal, clock_utc(emitter->builder.clock) - POLICY_HANDOVER_US);
}
