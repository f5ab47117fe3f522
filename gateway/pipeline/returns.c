// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/returns.h"

#include "base/memory.h"
#include "base/search.h"
#include "pipeline/missing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Switches that are back.

// Sets the root cause of each alarm about a node that is still missing and had one, and lists these
// alarms by their root causes. The caller frees the list.
static struct missing_group returns_list_missing(struct open_alarms *alarms,
                                                 const struct fabric *fabric)
{
    struct missing_group missing = {.members =
                                        memory_zeroed(alarms->count, sizeof *missing.members)};
    for (size_t i = 0; i < alarms->count; i++) {
        struct open_alarm *a = &alarms->all[i];
        const struct open_alarm *root = NULL;
        if (a->what.kind == ALARM_KEY_NODE && a->cause != 0)
            root = open_alarms_find_node(alarms, a->cause);
        if (!root || fabric_find_node(fabric, a->what.guid) != FABRIC_NONE)
            continue;
        a->root = (uint32_t)(root - alarms->all);
        missing.members[missing.count++] = (uint32_t)i;
    }
    qsort_r(missing.members, missing.count, sizeof *missing.members, missing_compare_roots, alarms);
    return missing;
}

// The members with that root cause.
static struct missing_group returns_find_group(const struct open_alarms *alarms,
                                               const struct missing_group *all,
                                               const struct open_alarm *cause)
{
    const uint32_t root = (uint32_t)(cause - alarms->all);
    size_t first, end;
    SEARCH_FIRST(first, 0, all->count, alarms->all[all->members[first]].root < root);
    for (end = first; end < all->count && alarms->all[all->members[end]].root == root; end++)
        ;
    return (struct missing_group){all->members + first, end - first};
}

// How many nodes left together with the alarm's.
static uint64_t returns_count_affected(const struct emitter *emitter, const struct open_alarm *a,
                                       uint64_t least)
{
    struct event *event = journal_find(emitter->journal, a->is.last_number);
    const uint64_t affected = event ? event->affected : 0;
    event_unref(event);
    return affected > least ? affected : least;
}

static void returns_explain_switch(const struct emitter *emitter, const struct open_alarms *alarms,
                                   const struct missing_group *all, struct change *change)
{
    const struct open_alarm *root = open_alarms_find_node(alarms, change->subject.node_guid);
    const struct missing_group missing =
        root ? returns_find_group(alarms, all, root) : (struct missing_group){0};
    if (missing.count == 0)
        return;
    char came[EVENT_REASON_SIZE];
    memcpy(came, change->reason, sizeof came);
    struct text t = text_in(change->reason, sizeof change->reason);
    text_addf(&t, "%zu of the %" PRIu64 " nodes that went with it %s still missing", missing.count,
              returns_count_affected(emitter, root, missing.count),
              missing.count == 1 ? "is" : "are");
    missing_add_names(emitter, &t, alarms, &missing);
    if (came[0] != '\0')
        text_addf(&t, "; %s", came);
}

// Hosts of which adapters are back.

// The alarm about the adapter that came, if it is raised.
static const struct open_alarm *returns_find_own_alarm(const struct open_alarms *alarms,
                                                       const struct change *change)
{
    return open_alarms_find_node(alarms, change->subject.node_guid);
}

static bool returns_is_told_itself(const struct open_alarms *alarms, const struct change *change)
{
    const struct open_alarm *a = returns_find_own_alarm(alarms, change);
    return a && a->cause == 0;
}

// Makes the change about an adapter of whose alarm receivers know the first of its host: of the
// others' alarms receivers do not know, so that they do not hear of the ends.
static void returns_put_told_first(const struct open_alarms *alarms, struct changes *changes,
                                   uint32_t first)
{
    struct change *all = changes->all, *a = &all[first];
    uint32_t told = first;
    while (told < changes->count &&
           !((told == first || (all[told].is_part && all[told].cause == first)) &&
             returns_is_told_itself(alarms, &all[told])))
        told++;
    if (told == first || told == changes->count)
        return;
    struct change *b = &all[told];
    const struct change before = *a;
    *a = *b;
    *b = before;
    a->cause = b->cause;
    a->affected = b->affected;
    a->parts_changed = b->parts_changed;
    a->is_part = false;
    memcpy(a->reason, b->reason, sizeof a->reason);
    b->cause = first;
    b->affected = b->parts_changed = 0;
    b->is_part = true;
    b->reason[0] = '\0';
}

// Sets the number of the host's adapters to that before it left.
static void returns_recall_parts(const struct emitter *emitter, const struct open_alarms *alarms,
                                 struct change *change)
{
    const struct open_alarm *a = returns_find_own_alarm(alarms, change);
    struct event *event = a ? journal_find(emitter->journal, a->is.last_number) : NULL;
    if (event && event->parts > change->parts) {
        change->parts_changed = change->parts_changed > 0 ? change->parts_changed : 1;
        change->parts = event->parts;
    }
    event_unref(event);
}

static bool returns_said_all(const struct emitter *emitter, const struct open_alarm *root)
{
    struct event *last = journal_find(emitter->journal, root->is.last_number);
    const bool all = last && last->parts_changed == last->parts;
    event_unref(last);
    return all;
}

// Some adapters are back, but not the adapter of the alarm. An alarm about the whole host ends, and
// begins anew about the missing adapters. An alarm about some adapters says less from now on.
static void returns_make_partial(struct emitter *emitter, struct open_alarms *alarms,
                                 const struct missing_group *missing, const struct open_alarm *root)
{
    const struct missing_group behind = returns_find_group(alarms, missing, root);
    struct event *event = missing_make_root_event(emitter, alarms, root, &behind);
    if (!event)
        return;
    char why[64];
    struct text t = text_in(why, sizeof why);
    const unsigned back = event->parts - event->parts_changed;
    text_addf(&t, "%u of its %u adapters %s back", back, event->parts, back == 1 ? "is" : "are");
    if (returns_said_all(emitter, root))
        emitter_end_alarm(emitter, root->is.key, root->is.type, why);
    emitter_emit(emitter, event_ref(event));
    for (size_t i = 0; i < behind.count; i++)
        policy_set_cause(emitter->policy, alarms->all[behind.members[i]].is.key, event->alarm_key,
                         emitter_now(emitter));
    event_unref(event);
}

static void returns_explain_host(struct emitter *emitter, struct open_alarms *alarms,
                                 const struct missing_group *missing, const struct fabric *fabric,
                                 const struct change *change)
{
    const struct open_alarm *a = returns_find_own_alarm(alarms, change);
    if (!a || a->cause == 0)
        return;
    const struct open_alarm *root = open_alarms_find_node(alarms, a->cause);
    if (!root || root->is.ended || !missing_is_part(emitter, a, root) ||
        fabric_find_node(fabric, a->cause) != FABRIC_NONE)
        return;
    returns_make_partial(emitter, alarms, missing, root);
    alarms->all[root - alarms->all].is.ended = true;
}

static bool returns_any(const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        if (changes->all[i].type == CATALOGUE_SWITCH_ADDED ||
            changes->all[i].type == CATALOGUE_HOST_ADDED)
            return true;
    }
    return false;
}

static void returns_explain_all(struct emitter *emitter, struct open_alarms *alarms,
                                const struct missing_group *missing, const struct fabric *fabric,
                                struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->all[i];
        if (change->type == CATALOGUE_SWITCH_ADDED)
            returns_explain_switch(emitter, alarms, missing, change);
        if (change->type != CATALOGUE_HOST_ADDED)
            continue;
        if (change->parts_changed > 0)
            returns_put_told_first(alarms, changes, i);
        if (!change->is_part)
            returns_recall_parts(emitter, alarms, change);
        returns_explain_host(emitter, alarms, missing, fabric, change);
    }
}

void returns_explain(struct emitter *emitter, struct changes *changes)
{
    const struct systems *joined = returns_any(changes) ? topology_joined(emitter->topology) : NULL;
    if (!joined)
        return;
    struct open_alarms alarms;
    open_alarms_collect(&alarms, emitter->policy);
    const struct missing_group missing = returns_list_missing(&alarms, joined->fabric);
    returns_explain_all(emitter, &alarms, &missing, joined->fabric, changes);
    free(missing.members);
    open_alarms_clear(&alarms);
}
