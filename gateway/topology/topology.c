// SPDX-License-Identifier: BSD-2-Clause
#include "topology/topology.h"

#include "base/memory.h"
#include "topology/departed.h"
#include "topology/describe.h"
#include "topology/diff.h"
#include "topology/former_names.h"
#include "topology/joined.h"
#include "topology/merge.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct topology {
    struct log *log;         // NULL: none
    pthread_mutex_t lock;    // over the next three; the pipeline's thread, which writes them, reads
                             // them without it
    struct names *names;     // may be NULL
    struct fabric *current;  // NULL: no sweep yet
    struct systems *systems; // of `current`
    struct filter_list host_names;
    struct joined_waiting waiting;
    struct joined_absence absence;
    struct systems *joined;  // what the last comparison saw of `current`; NULL: no base yet
    struct fabric *restored; // until it has been compared; NULL: nothing to compare with
    unsigned base_sweeps;
    bool has_base; // changes are reported from now on
    struct merge_memory memory;
    struct departed_ports departed;
    struct former_names *former_names;
    bool has_master;
    struct endpoint master; // the last known master subnet manager
};

struct topology *topology_new(struct names *names, const struct random *random, struct log *log)
{
    struct topology *topology = memory_zeroed(1, sizeof *topology);
    topology->log = log;
    topology->names = names_ref(names);
    topology->memory.departed = topology->absence.departed = &topology->departed;
    topology->former_names = former_names_new(random);
    pthread_mutex_init(&topology->lock, NULL);
    return topology;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    fabric_unref(topology->current);
    systems_unref(topology->systems);
    systems_unref(topology->joined);
    fabric_unref(topology->restored);
    free(topology->waiting.all);
    free(topology->absence.all);
    names_unref(topology->names);
    former_names_free(topology->former_names);
    free(topology->memory.missed);
    pthread_mutex_destroy(&topology->lock);
    free(topology);
}

static const struct fabric *topology_known_guids(const struct topology *topology)
{
    return topology->current ? topology->current : topology->restored;
}

// Systems.

// The last good name outlives a boot, which shows the name of the factory.
static const char *topology_find_name(void *ctx, const struct fabric_node *node, bool *now)
{
    const struct topology *topology = ctx;
    const struct fabric *last = topology_known_guids(topology);
    const char *name = describe_name_in_system(topology->names, node);
    *now = name != NULL;
    if (name)
        return name;
    name = former_names_last(topology->former_names, node->guid, last ? last->time_us : 0);
    return name ? name : "";
}

static struct systems *topology_make_systems(struct topology *topology, struct fabric *fabric)
{
    return systems_make(fabric, &(struct systems_names){.patterns = &topology->host_names,
                                                        .find = topology_find_name,
                                                        .ctx = topology});
}

static void topology_publish_systems(struct topology *topology, struct fabric *fabric)
{
    struct systems *old = topology->systems, *made = topology_make_systems(topology, fabric);
    if (made->too_large > 0 && (!old || old->too_large == 0) && topology->log)
        log_write(topology->log, LOG_LEVEL_WARNING,
                  "%u names or SystemImageGUIDs, the first is %s, have more nodes than a host (%d) "
                  "or a box (%d) can have: each of these nodes counts as a host or box of its own; "
                  "give the nodes names of their own, or set host_names",
                  (unsigned)made->too_large, made->too_large_first, SYSTEMS_HOST_NODES_MAX,
                  SYSTEMS_BOX_NODES_MAX);
    pthread_mutex_lock(&topology->lock);
    topology->systems = made;
    pthread_mutex_unlock(&topology->lock);
    systems_unref(old);
}

// Takes over the reference.
static void topology_set_joined(struct topology *topology, struct systems *joined)
{
    systems_unref(topology->joined);
    topology->joined = joined;
}

// `joined`: a reference, which is taken over.
static struct systems *topology_joined_systems(struct topology *topology, struct fabric *joined)
{
    struct systems *systems = topology->systems->fabric == joined
                                  ? systems_ref(topology->systems)
                                  : topology_make_systems(topology, joined);
    fabric_unref(joined);
    return systems;
}

void topology_set_host_names(struct topology *topology, const struct filter_list *patterns)
{
    topology->host_names = *patterns;
}

struct systems *topology_systems(struct topology *topology)
{
    pthread_mutex_lock(&topology->lock);
    struct systems *systems = systems_ref(topology->systems);
    pthread_mutex_unlock(&topology->lock);
    return systems;
}

void topology_rename(struct topology *topology, struct names *names)
{
    if (topology_known_guids(topology))
        former_names_rename(topology->former_names, topology_known_guids(topology), topology->names,
                            names);
    pthread_mutex_lock(&topology->lock);
    struct names *old = topology->names;
    topology->names = names_ref(names);
    pthread_mutex_unlock(&topology->lock);
    names_unref(old);
    if (topology->current)
        topology_publish_systems(topology, topology->current);
    if (topology->joined)
        topology_set_joined(
            topology, topology_joined_systems(topology, fabric_ref(topology->joined->fabric)));
}

struct names *topology_names(struct topology *topology)
{
    pthread_mutex_lock(&topology->lock);
    struct names *names = names_ref(topology->names);
    pthread_mutex_unlock(&topology->lock);
    return names;
}

void topology_restore(struct topology *topology, struct fabric *last)
{
    if (topology->restored && last)
        former_names_compare(topology->former_names, topology->restored, last, topology->names);
    fabric_unref(topology->restored);
    topology->restored = last;
    if (last)
        merge_note(&topology->memory, last);
}

static void topology_publish(struct topology *topology, struct fabric *now)
{
    if (!topology->systems || topology->systems->fabric != now)
        topology_publish_systems(topology, now);
    pthread_mutex_lock(&topology->lock);
    struct fabric *old = topology->current;
    topology->current = fabric_ref(now);
    pthread_mutex_unlock(&topology->lock);
    fabric_unref(old);
}

struct fabric *topology_current(struct topology *topology)
{
    pthread_mutex_lock(&topology->lock);
    struct fabric *current = topology->current ? fabric_ref(topology->current) : NULL;
    pthread_mutex_unlock(&topology->lock);
    return current;
}

// Whether an I/O unit did not answer, so that its controllers may be missing, or a node has no
// name: the subnet manager lacks the descriptions of nodes that came just now.
static bool topology_lacks_words(const struct fabric *seen)
{
    for (uint32_t i = 0; i < seen->node_count; i++) {
        if (seen->nodes[i].unit_silent || seen->nodes[i].description[0] == '\0')
            return true;
    }
    return false;
}

// Returns `seen` if it lacks nothing or `known` is NULL, else `known` and `seen` merged.
// Takes over the reference to `seen` and returns one, the caller's.
static struct fabric *topology_install(struct topology *topology, const struct fabric *known,
                                       struct fabric *seen)
{
    if (!known || (seen->complete && !topology_lacks_words(seen))) {
        merge_note(&topology->memory, seen);
        return seen;
    }
    struct fabric *merged = merge_fabrics(known, seen, &topology->memory, topology->log);
    fabric_unref(seen);
    return merged;
}

static void topology_note_difference(void *ctx, const struct diff_item *item)
{
    (void)item;
    *(bool *)ctx = true;
}

// Whether the same part of both fabrics has joined, so that there is nothing to compare. A host
// that waits for ever costs no more than that.
static bool topology_waits_on(const struct topology *topology, const struct fabric *before,
                              const struct fabric *now)
{
    const int64_t until_us = topology->waiting.until_us;
    bool differs = topology->joined->fabric == before || before->pkey_table_count > 0 ||
                   now->pkey_table_count > 0 ||
                   (until_us != 0 && (now->time_us >= until_us || now->time_us < before->time_us));
    if (!differs)
        diff_fabrics(before, now, topology_note_difference, &differs);
    return !differs;
}

// A node whose name comes to no rest says so, and has no further events until one of its names has
// lasted for a day.
static void topology_limit_names(const struct topology *topology, int64_t now_us,
                                 struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->all[i];
        if (change->type != CATALOGUE_NODE_RENAMED)
            continue;
        const uint32_t count =
            former_names_changes(topology->former_names, change->subject.node_guid, now_us);
        change->untold = count > FORMER_NAMES_TOLD;
        if (count != FORMER_NAMES_TOLD)
            continue;
        struct text text = text_behind(change->reason, sizeof change->reason);
        text_addf(&text,
                  "; it has changed %u times within a day, and further changes are not told "
                  "until a name lasts for a day",
                  count);
    }
}

// If the sweep before found no master, the last known master is the former one of a failover.
static void topology_compare(struct topology *topology, struct fabric *before, struct fabric *now,
                             struct changes *out)
{
    const struct fabric *then = topology->joined->fabric;
    topology->absence.has_base = topology->has_base;
    if (topology_waits_on(topology, before, now))
        return;
    former_names_compare(topology->former_names, before, now, topology->names);
    topology_publish(topology, now); // frees `before`; the joined fabric is as large
    struct systems *joined =
        topology_joined_systems(topology, joined_fabric(topology->joined, topology->systems,
                                                        &topology->absence, &topology->waiting));
    changes_between_systems(topology->joined, joined, topology->names, out);
    topology_limit_names(topology, now->time_us, out);
    departed_ports_remember(&topology->departed, topology->joined, now, topology->names);
    if (topology->has_master && fabric_master(then) == FABRIC_NONE)
        changes_add_failover(joined->fabric, &topology->master, topology->names, out);
    topology_set_joined(topology, joined);
}

static void topology_remember_master(struct topology *topology, const struct fabric *now)
{
    uint32_t master = fabric_master(now);
    if (master == FABRIC_NONE)
        return;
    topology->has_master = true;
    describe_sm(now, master, topology->names, &topology->master);
}

// Compares the sweep that becomes the base with the restored fabric. Without a restored fabric, all
// of the base has joined.
static struct fabric *topology_compare_restored(struct topology *topology, struct fabric *now,
                                                struct changes *out)
{
    if (!topology->restored) {
        topology_publish_systems(topology, now);
        topology_set_joined(topology, systems_ref(topology->systems));
        return now;
    }
    now = topology_install(topology, topology->restored, now);
    topology_set_joined(topology, topology_make_systems(topology, topology->restored));
    topology_compare(topology, topology->restored, now, out);
    fabric_unref(topology->restored);
    topology->restored = NULL;
    return now;
}

// Adds "host1 port 1 (0x0002c90300000001)", or nothing if the endpoint is zero.
static void topology_add_endpoint(struct text *t, const struct endpoint *who)
{
    if (who->guid == 0)
        return;
    text_add(t, who->name);
    if (who->port != 0)
        text_addf(t, "%sport %u", who->name[0] ? " " : "", who->port);
    text_addf(t, " (0x%016" PRIx64 ")", who->guid);
}

static void topology_log_change(struct log *log, const struct changes *all, uint32_t i)
{
    const struct change *change = &all->all[i];
    char line[1024];
    struct text t = text_in(line, sizeof line);
    text_addf(&t, "change %u: %s, ", (unsigned)i, catalogue_get(change->type)->name);
    topology_add_endpoint(&t, &change->subject);
    if (change->peer.guid != 0) {
        text_add(&t, ", other end ");
        topology_add_endpoint(&t, &change->peer);
    }
    if (change->reason[0] != '\0')
        text_addf(&t, ", %s", change->reason);
    if (change->cause != FABRIC_NONE)
        text_addf(&t, ", a consequence of change %u", (unsigned)change->cause);
    log_debug(log, "%s", line);
}

// `now` is the fabric after the sweep.
static void topology_log_update(const struct topology *topology, const struct fabric *now,
                                const struct changes *changes, bool late)
{
    if (!log_is_debug(topology->log))
        return;
    log_debug(topology->log, "%s sweep, %u nodes known after it: %u changes%s%s",
              now->complete ? "complete" : "partial", (unsigned)now->node_count,
              (unsigned)changes->count, late ? " since the last stop" : "",
              topology->has_base ? "" : "; changes are reported after the base sweep");
    for (uint32_t i = 0; i < changes->count; i++)
        topology_log_change(topology->log, changes, i);
}

void topology_update(struct topology *topology, struct fabric *seen, struct changes *out,
                     bool *late)
{
    *late = false;
    struct fabric *now = topology_install(topology, topology->current, seen);
    if (topology->has_base) {
        topology_compare(topology, topology->current, now, out);
    } else {
        topology->base_sweeps++;
        if (now->complete || topology->base_sweeps >= TOPOLOGY_BASE_SWEEPS_MAX) {
            *late = topology->restored != NULL;
            now = topology_compare_restored(topology, now, out);
            topology->has_base = true;
        }
    }
    topology_log_update(topology, now, out, *late);
    if (topology->has_base)
        topology_remember_master(topology, now);
    topology_publish(topology, now);
    fabric_unref(now);
}

void topology_set_absent(struct topology *topology, struct joined_absent *all, uint32_t count)
{
    free(topology->absence.all);
    topology->absence.all = all;
    topology->absence.count = count;
}

int64_t topology_waits_until(const struct topology *topology)
{
    return topology ? topology->waiting.until_us : 0;
}

bool topology_has_base(const struct topology *topology)
{
    return topology->has_base;
}

const struct systems *topology_joined(const struct topology *topology)
{
    return topology->joined;
}

bool topology_find_lid(const struct topology *topology, uint16_t lid, struct endpoint *out)
{
    const struct fabric *fabric = topology->current;
    uint32_t port = fabric ? fabric_find_lid(fabric, lid) : FABRIC_NONE;
    if (port == FABRIC_NONE)
        return false;
    describe_port(fabric, port, topology->names, out);
    describe_system(topology->systems, out);
    return true;
}

bool topology_find_guid(const struct topology *topology, uint64_t guid, struct endpoint *out)
{
    const struct fabric *fabric = topology_known_guids(topology);
    uint32_t port = fabric ? fabric_find_port_guid(fabric, guid) : FABRIC_NONE;
    uint32_t node = fabric_find_node(fabric, guid);
    const struct endpoint *gone = departed_ports_find(&topology->departed, guid);
    if (port != FABRIC_NONE)
        describe_port(fabric, port, topology->names, out);
    else if (node != FABRIC_NONE)
        describe_node(fabric, node, topology->names, out);
    else if (gone)
        *out = *gone;
    describe_system(topology->systems, out);
    return port != FABRIC_NONE || node != FABRIC_NONE || gone;
}

void topology_add_other_names(const struct topology *topology, struct event *event)
{
    struct endpoint *const all[] = {&event->subject, &event->peer, &event->issuer, &event->source,
                                    &event->destination};
    const struct fabric *fabric = topology ? topology_known_guids(topology) : NULL;
    if (!topology)
        return;
    former_names_add(topology->former_names, event);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const uint32_t node =
            all[i]->node_guid != 0 ? fabric_find_node(fabric, all[i]->node_guid) : FABRIC_NONE;
        if (node == FABRIC_NONE)
            continue;
        if (topology->systems && all[i]->system[0] == '\0')
            describe_system_of(topology->systems, node, all[i]);
        // Patterns match the NodeDescription of a node without a name, too.
        if (fabric->nodes[node].nameless)
            event_add_other_name(event, all[i]->node_guid, fabric->nodes[node].description);
    }
}

bool topology_find_peer(const struct topology *topology, uint64_t node_guid, uint8_t port,
                        struct endpoint *out)
{
    const struct fabric *fabric = topology_known_guids(topology);
    uint32_t index = fabric_find_end(fabric, node_guid, port);
    uint32_t peer = fabric_peer(fabric, index);
    if (peer == FABRIC_NONE)
        return false;
    describe_port(fabric, peer, topology->names, out);
    describe_system(topology->systems, out);
    return true;
}
