// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/missing.h"

#include "base/memory.h"
#include "base/search.h"
#include "topology/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 5 }; // missing nodes that a reason names

// Adds the name of a missing node, from the event about the loss.
static void missing_add_name(const struct emitter *emitter, struct text *t,
                             const struct open_alarm *a)
{
    struct event *event = journal_find(emitter->journal, a->is.last_number);
    if (event && event->subject.name[0] != '\0')
        text_add(t, event->subject.name);
    else
        text_addf(t, "0x%016" PRIx64, a->what.guid);
    event_unref(event);
}

// Adds ": a, b, c, d, e and 2 more".
void missing_add_names(const struct emitter *emitter, struct text *t,
                       const struct open_alarms *alarms, const struct missing_group *group)
{
    for (size_t i = 0; i < group->count && i < NAMED_MAX; i++) {
        text_add(t, i > 0 ? ", " : ": ");
        missing_add_name(emitter, t, &alarms->all[group->members[i]]);
    }
    if (group->count > NAMED_MAX)
        text_addf(t, " and %zu more", group->count - NAMED_MAX);
}

// The missing nodes behind a host are the other adapters of the host.
static void missing_set_behind(const struct emitter *emitter, const struct open_alarms *alarms,
                               const struct missing_group *behind, struct event *event)
{
    const bool is_host = event->type == catalogue_get(CATALOGUE_HOST_REMOVED);
    struct text t = text_in(event->reason, sizeof event->reason);
    event->affected = is_host ? 0 : behind->count;
    event->parts_changed = is_host && event->parts > 1 ? (uint16_t)(behind->count + 1) : 0;
    text_add(&t, "it is still missing");
    if (behind->count == 0)
        return;
    text_addf(&t, ", and with it %zu %s%s", behind->count, is_host ? "adapter" : "node",
              behind->count == 1 ? "" : "s");
    missing_add_names(emitter, &t, alarms, behind);
}

// The event that raised the alarm, once more, as a root cause: with the missing nodes behind it.
struct event *missing_make_root_event(const struct emitter *emitter,
                                      const struct open_alarms *alarms,
                                      const struct open_alarm *root,
                                      const struct missing_group *behind)
{
    struct event *last = journal_find(emitter->journal, root->is.last_number);
    if (!last)
        return NULL;
    struct event *event = event_copy(last);
    event->is_part = false;
    missing_set_behind(emitter, alarms, behind, event);
    memcpy(event->related_id, last->id, sizeof event->related_id);
    event_builder_again(&emitter->builder, event);
    event_unref(last);
    return event;
}

// By root cause; the root cause itself first.
int missing_compare_roots(const void *a, const void *b, void *ctx)
{
    const struct open_alarms *alarms = ctx;
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const uint32_t root = alarms->all[m].root, other = alarms->all[n].root;
    if (root != other)
        return root < other ? -1 : 1;
    if ((m == root) != (n == root))
        return m == root ? -1 : 1;
    return m < n ? -1 : m > n;
}

// Whether the alarm's node is a part of the other node's system, and no node behind the other node.
// The root cause of a host is a host by that alone.
bool missing_is_part(const struct emitter *emitter, const struct open_alarm *a,
                     const struct open_alarm *other)
{
    if (a->what.kind != ALARM_KEY_NODE || a->is.type != other->is.type)
        return false;
    if (a->is.type == catalogue_get(CATALOGUE_HOST_REMOVED))
        return true;
    struct event *event = journal_find(emitter->journal, a->is.last_number);
    const bool is_part = event && event->is_part;
    event_unref(event);
    return is_part;
}

// Parts that left before.

// A change of this sweep about a host or box that loses parts.
struct missing_system {
    uint32_t change;
    uint16_t before;     // parts that left before
    const char *key;     // of the alarm that tells of them; NULL: none
    struct event *event; // the last one of that alarm
    char names[EVENT_REASON_SIZE];
};

struct missing_systems {
    const struct emitter *emitter;
    struct changes *changes;
    struct missing_system *all; // by type and name of the system
    uint32_t count;
};

static bool missing_is_of_system(const struct change *change)
{
    return (change->type == CATALOGUE_HOST_REMOVED || change->type == CATALOGUE_SWITCH_REMOVED) &&
           !change->is_part && change->cause == FABRIC_NONE && change->subject.system[0] != '\0';
}

static int missing_compare(const struct change *a, const struct catalogue_entry *type,
                           const char *system)
{
    const struct catalogue_entry *own = catalogue_get(a->type);
    return own != type ? (own < type ? -1 : 1) : strcmp(a->subject.system, system);
}

static int missing_compare_systems(const void *a, const void *b, void *ctx)
{
    const struct changes *changes = ctx;
    const struct change *m = &changes->all[((const struct missing_system *)a)->change],
                        *n = &changes->all[((const struct missing_system *)b)->change];
    return missing_compare(m, catalogue_get(n->type), n->subject.system);
}

static void missing_list_systems(struct missing_systems *systems)
{
    const struct changes *changes = systems->changes;
    systems->all = memory_zeroed(changes->count, sizeof *systems->all);
    for (uint32_t i = 0; i < changes->count; i++) {
        if (missing_is_of_system(&changes->all[i]))
            systems->all[systems->count++].change = i;
    }
    qsort_r(systems->all, systems->count, sizeof *systems->all, missing_compare_systems,
            systems->changes);
}

static void missing_name_part(struct missing_system *one, const struct endpoint *part)
{
    struct text t = text_behind(one->names, sizeof one->names);
    text_addf(&t, "%s", t.len > 0 ? ", " : "");
    describe_add_name(&t, part);
}

// Notes an alarm about a part of a system that left before.
static void missing_note(struct missing_systems *systems, const struct open_alarm *a)
{
    const struct changes *changes = systems->changes;
    struct event *lost = journal_find(systems->emitter->journal, a->is.last_number);
    uint32_t at = systems->count;
    if (lost)
        SEARCH_FIRST(at, 0, systems->count,
                     missing_compare(&changes->all[systems->all[at].change], lost->type,
                                     lost->subject.system) < 0);
    for (; at < systems->count; at++) {
        struct missing_system *one = &systems->all[at];
        const struct change *change = &changes->all[one->change];
        if (missing_compare(change, lost->type, lost->subject.system) != 0)
            break;
        if (strcmp(change->alarm_key, a->is.key) == 0)
            continue;
        one->before++;
        missing_name_part(one, &lost->subject);
        if (!one->key && a->cause == 0) {
            one->key = a->is.key;
            one->event = event_ref(lost);
        }
    }
    event_unref(lost);
}

// The change counts the parts that left before. The rest of a system is the system.
static void missing_count_parts(const struct missing_system *one, struct change *change)
{
    const uint16_t now = change->parts > 1 ? change->parts_changed : 1;
    const bool rest = now == change->parts;
    change->parts = (uint16_t)(change->parts + one->before);
    change->parts_changed = rest ? change->parts : one->key ? (uint16_t)(now + one->before) : now;
}

static void missing_name_parts(struct missing_system *one, const struct changes *changes)
{
    missing_name_part(one, &changes->all[one->change].subject);
    for (uint32_t i = one->change; i < changes->count; i++) {
        if (changes->all[i].is_part && changes->all[i].cause == one->change)
            missing_name_part(one, &changes->all[i].subject);
    }
}

// The alarm about the parts that left before grows: the change is about the alarm's node, and the
// node of this sweep is a part.
static void missing_grow(struct missing_system *one, struct changes *changes)
{
    struct change part = changes->all[one->change], *change;
    const bool whole = part.parts_changed == part.parts;
    missing_name_parts(one, changes);
    part.is_part = true;
    part.cause = one->change;
    part.affected = part.parts_changed = 0;
    MEMORY_MAKE_ROOM(changes->all, changes->count, changes->capacity);
    change = &changes->all[one->change];
    change->subject = one->event->subject;
    change->peer = one->event->peer;
    change->uplink = one->event->uplink;
    change->switch_guid = one->event->switch_guid;
    snprintf(change->alarm_key, sizeof change->alarm_key, "%s", one->key);
    if (!whole && change->affected == 0)
        memcpy(change->reason, one->names, sizeof change->reason);
    part.reason[0] = '\0';
    changes->all[changes->count++] = part;
}

void missing_recall_parts(const struct emitter *emitter, struct changes *changes)
{
    const struct systems *joined = topology_joined(emitter->topology);
    struct missing_systems systems = {.emitter = emitter, .changes = changes};
    struct open_alarms alarms;
    missing_list_systems(&systems);
    if (joined && systems.count > 0) {
        open_alarms_collect(&alarms, emitter->policy);
        for (size_t i = 0; i < alarms.count; i++) {
            if (alarms.all[i].what.kind == ALARM_KEY_NODE &&
                fabric_find_node(joined->fabric, alarms.all[i].what.guid) == FABRIC_NONE)
                missing_note(&systems, &alarms.all[i]);
        }
        open_alarms_clear(&alarms);
    }
    for (uint32_t i = 0; i < systems.count; i++) {
        struct missing_system *one = &systems.all[i];
        if (one->before > 0)
            missing_count_parts(one, &changes->all[one->change]);
        if (one->key)
            missing_grow(one, changes);
        event_unref(one->event);
    }
    free(systems.all);
}

// Parts that are absent.

static int missing_compare_absent(const void *a, const void *b)
{
    const struct joined_absent *m = a, *n = b;
    return m->guid < n->guid ? -1 : m->guid > n->guid;
}

void missing_tell_absent(const struct emitter *emitter)
{
    struct open_alarms alarms;
    uint32_t count = 0;
    open_alarms_collect(&alarms, emitter->policy);
    struct joined_absent *all = memory_zeroed(alarms.count, sizeof *all);
    for (size_t i = 0; i < alarms.count; i++) {
        const struct open_alarm *a = &alarms.all[i];
        if (a->what.kind != ALARM_KEY_NODE)
            continue;
        const struct open_alarm *first =
            a->cause != 0 ? open_alarms_find_node(&alarms, a->cause) : NULL;
        const bool is_part = first && missing_is_part(emitter, a, first);
        all[count++] = (struct joined_absent){a->what.guid, is_part ? a->cause : a->what.guid};
    }
    qsort(all, count, sizeof *all, missing_compare_absent);
    topology_set_absent(emitter->topology, all, count);
    open_alarms_clear(&alarms);
}
