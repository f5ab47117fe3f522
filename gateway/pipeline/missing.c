// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/missing.h"

#include <inttypes.h>
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

static bool missing_is_of_system(const struct change *change)
{
    return (change->type == CATALOGUE_HOST_REMOVED || change->type == CATALOGUE_SWITCH_REMOVED) &&
           !change->is_part && change->cause == FABRIC_NONE && change->subject.system[0] != '\0';
}

// The changes about the alarm's system count the alarm's node. The rest of a system is the system.
static void missing_count_part(const struct event *lost, struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->all[i];
        if (!missing_is_of_system(change) || catalogue_get(change->type) != lost->type ||
            strcmp(change->subject.system, lost->subject.system) != 0)
            continue;
        if (change->parts_changed == change->parts || change->parts == 1)
            change->parts_changed = change->parts + 1;
        change->parts++;
    }
}

void missing_recall_parts(const struct emitter *emitter, struct changes *changes)
{
    const struct systems *joined = topology_joined(emitter->topology);
    struct open_alarms alarms;
    bool any = false;
    for (uint32_t i = 0; i < changes->count; i++)
        any = any || missing_is_of_system(&changes->all[i]);
    if (!any || !joined)
        return;
    open_alarms_collect(&alarms, emitter->policy);
    for (size_t i = 0; i < alarms.count; i++) {
        const struct open_alarm *a = &alarms.all[i];
        if (a->what.kind != ALARM_KEY_NODE ||
            fabric_find_node(joined->fabric, a->what.guid) != FABRIC_NONE)
            continue;
        struct event *lost = journal_find(emitter->journal, a->is.last_number);
        if (lost)
            missing_count_part(lost, changes);
        event_unref(lost);
    }
    open_alarms_clear(&alarms);
}
