// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/together.h"

#include "pipeline/statements.h"
#include "topology/describe.h"
#include "topology/name_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct together_names {
    struct name_list list;
    uint64_t behind; // nodes that went with these
};

static void together_add_name(struct together_names *names, const struct endpoint *who,
                              uint64_t behind)
{
    struct text t = text_in(name_list_add(&names->list), NAMES_NAME_SIZE);
    if (who->system[0] != '\0')
        text_add(&t, who->system);
    else
        describe_add_name(&t, who);
    names->behind += behind;
}

static void together_explain(struct together_names *names, struct change *change)
{
    char tail[64];
    struct text end = text_in(tail, sizeof tail);
    if (names->behind > 0)
        text_addf(&end, "; with them went %" PRIu64 " nodes behind them", names->behind);
    struct text t = text_in(change->reason, sizeof change->reason);
    name_list_write(&names->list, names->list.count, t.size - end.len, &t);
    text_add(&t, tail);
    change->affected = names->list.count;
}

// The alarm.

static bool together_fits(const struct emitter *emitter, const struct change *change, bool late)
{
    const enum catalogue_event type = change->type;
    if ((type != CATALOGUE_HOST_REMOVED && type != CATALOGUE_SWITCH_REMOVED &&
         type != CATALOGUE_ROUTER_REMOVED) ||
        change->cause != FABRIC_NONE || change->is_part ||
        (change->parts_changed > 0 && change->parts_changed < change->parts))
        return false;
    struct event *event = event_builder_from_change(&emitter->builder, change, late, "", "");
    const bool fits = !policy_singles_out(emitter->policy, event, emitter_now(emitter));
    event_unref(event);
    return fits;
}

// Finds the alarm that takes in more nodes. Returns false if no alarm does.
static bool together_find_growing(const struct emitter *emitter, struct policy_alarm *out)
{
    size_t count;
    const int64_t since = emitter_now(emitter) - TOGETHER_GROW_US;
    struct policy_alarm *alarms = policy_list_alarms(emitter->policy, &count);
    bool found = false;
    for (size_t i = count; i-- > 0 && !found;) {
        found = alarms[i].type == catalogue_get(CATALOGUE_NODES_REMOVED) &&
                alarms[i].raised_at_us > since;
        if (found)
            *out = alarms[i];
    }
    free(alarms);
    return found;
}

// Whether the alarm is about a node, and a consequence of the alarm about many nodes.
static bool together_is_member(const struct open_alarm *a, const char *key)
{
    return a->what.kind == ALARM_KEY_NODE && !a->is.ended && a->is.cause_key &&
           strcmp(a->is.cause_key, key) == 0;
}

// Adds the nodes of the alarm that grows, and makes the change about its first node.
static void together_recall(const struct emitter *emitter, const char *key,
                            struct together_names *names, struct change *change)
{
    struct open_alarms alarms;
    open_alarms_collect(&alarms, emitter->policy);
    for (size_t i = 0; i < alarms.count; i++) {
        const struct open_alarm *a = &alarms.all[i];
        struct event *event =
            together_is_member(a, key) ? journal_find(emitter->journal, a->is.last_number) : NULL;
        if (!event)
            continue;
        if (names->list.count == 0)
            change->subject = event->subject;
        together_add_name(names, &event->subject, event->affected);
        event_unref(event);
    }
    open_alarms_clear(&alarms);
    snprintf(change->alarm_key, sizeof change->alarm_key, "%s", key);
}

static void together_begin(const struct change *first, struct change *change)
{
    change->subject = first->subject;
    alarm_key_write(change->alarm_key, &(struct alarm_key){.kind = ALARM_KEY_NODE,
                                                           .guid = first->subject.node_guid,
                                                           .about = ALARM_ABOUT_TOGETHER});
}

static void together_raise(struct emitter *emitter, const struct change *change, bool late,
                           char id[EVENT_ID_SIZE])
{
    struct policy_alarm raised;
    struct event *event = event_builder_from_change(&emitter->builder, change, late, "", "");
    const bool again = policy_find_alarm(emitter->policy, change->alarm_key, &raised);
    memcpy(id, again ? raised.event_id : event->id, EVENT_ID_SIZE);
    event->hold_until_us = emitter_now(emitter) + TOGETHER_GROW_US;
    emitter_emit(emitter, event);
}

void together_join(struct emitter *emitter, struct changes *changes, bool late,
                   char id[EVENT_ID_SIZE])
{
    struct change change = {.type = CATALOGUE_NODES_REMOVED, .cause = FABRIC_NONE};
    struct together_names names = {0};
    const struct change *first = NULL;
    struct policy_alarm growing;
    uint32_t count = 0;
    id[0] = '\0';
    for (uint32_t i = 0; i < changes->count; i++) {
        struct change *one = &changes->all[i];
        one->together = together_fits(emitter, one, late);
        count += one->together;
        first = first || !one->together ? first : one;
    }
    if (count > TOGETHER_FEW)
        together_begin(first, &change);
    if (count > 0 && together_find_growing(emitter, &growing))
        together_recall(emitter, growing.key, &names, &change);
    for (uint32_t i = 0; i < changes->count; i++) {
        struct change *one = &changes->all[i];
        one->together = one->together && change.alarm_key[0] != '\0';
        one->is_part = one->is_part || one->together;
        if (one->together)
            together_add_name(&names, &one->subject, one->affected);
    }
    if (names.list.count > 0) {
        together_explain(&names, &change);
        together_raise(emitter, &change, late, id);
    }
    name_list_clear(&names.list);
}

// The end.

struct together_check {
    struct emitter *emitter;
    const struct open_alarms *alarms;
    size_t missing; // of the alarm checked last
};

static bool together_is_over(void *ctx, const struct policy_alarm *alarm,
                             const struct alarm_key *key, struct text *why)
{
    struct together_check *check = ctx;
    const int64_t lasted = emitter_now(check->emitter) - alarm->raised_at_us;
    (void)why;
    check->missing = 0;
    if (!key || key->about != ALARM_ABOUT_TOGETHER)
        return false;
    for (size_t i = 0; i < check->alarms->count; i++)
        check->missing += together_is_member(&check->alarms->all[i], alarm->key);
    return check->missing == 0 || (check->missing <= TOGETHER_FEW && lasted >= TOGETHER_LAST_US);
}

static struct event *together_make_end(void *ctx, const struct policy_alarm *alarm)
{
    const struct together_check *check = ctx;
    struct change change = {.type = CATALOGUE_NODES_ADDED, .cause = FABRIC_NONE};
    struct event *last = journal_find(check->emitter->journal, alarm->last_number);
    struct text t = text_in(change.reason, sizeof change.reason);
    change.subject = last ? last->subject : (struct endpoint){0};
    change.affected = last ? last->affected : check->missing;
    event_unref(last);
    snprintf(change.alarm_key, sizeof change.alarm_key, "%s", alarm->key);
    if (check->missing > 0)
        text_addf(&t, "%zu %s still missing", check->missing, check->missing == 1 ? "is" : "are");
    return event_builder_from_change(&check->emitter->builder, &change, false, "", "");
}

void together_end(struct emitter *emitter, const struct open_alarms *alarms)
{
    struct together_check check = {.emitter = emitter, .alarms = alarms};
    statements_compare_all(emitter, &(struct detector){.is_over = together_is_over,
                                                       .make_end = together_make_end,
                                                       .ctx = &check});
}
