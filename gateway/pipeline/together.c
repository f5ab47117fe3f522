// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/together.h"

#include "base/memory.h"
#include "pipeline/statements.h"
#include "topology/describe.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names. Where the names do not fit, names that differ in one number share a list of numbers, as
// Slurm writes them: "gpu[01-20]".

struct together_name {
    char text[NAMES_NAME_SIZE];
};

struct together_names {
    struct together_name *all;
    uint32_t count, capacity;
    uint64_t behind; // nodes that went with these
};

static void together_add_name(struct together_names *names, const struct endpoint *who,
                              uint64_t behind)
{
    MEMORY_MAKE_ROOM(names->all, names->count, names->capacity);
    char *buf = names->all[names->count++].text;
    struct text t = text_in(buf, NAMES_NAME_SIZE);
    if (who->system[0] != '\0')
        text_add(&t, who->system);
    else
        describe_add_name(&t, who);
    names->behind += behind;
}

static int together_compare_names(const void *a, const void *b)
{
    const struct together_name *m = a, *n = b;
    return strverscmp(m->text, n->text);
}

static bool together_is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

// Whether the two names differ in a number at `*at` alone, and `next` has the next number.
static bool together_follows(const char *name, const char *next, size_t *at)
{
    size_t i = 0;
    while (name[i] != '\0' && name[i] == next[i])
        i++;
    while (i > 0 && together_is_digit(name[i - 1]))
        i--;
    const size_t digits = strspn(name + i, "0123456789"), other = strspn(next + i, "0123456789");
    *at = i;
    return digits > 0 && digits < 10 && other < 10 &&
           strcmp(name + i + digits, next + i + other) == 0 &&
           (digits == other || next[i] != '0') &&
           strtoul(next + i, NULL, 10) == strtoul(name + i, NULL, 10) + 1;
}

// Writes the first name, with `joins` also the names with the next numbers. Returns how many.
static uint32_t together_write(const struct together_names *names, uint32_t first, bool joins,
                               struct text *t)
{
    const char *name = names->all[first].text;
    uint32_t last = first;
    size_t at = 0, same;
    while (joins && last + 1 < names->count &&
           together_follows(names->all[last].text, names->all[last + 1].text, &same) &&
           (last == first || same == at)) {
        at = same;
        last++;
    }
    if (last == first) {
        text_add(t, name);
        return 1;
    }
    const size_t digits = strspn(name + at, "0123456789");
    const char *end = names->all[last].text + at;
    text_addf(t, "%.*s[%.*s-%.*s]%s", (int)at, name, (int)digits, name + at,
              (int)strspn(end, "0123456789"), end, name + at + digits);
    return last - first + 1;
}

// Returns whether all names fit.
static bool together_list(const struct together_names *names, bool joins, struct text *t)
{
    static const char MORE[] = " and 1000000 more";
    const struct text before = *t;
    uint32_t n = 0;
    while (n < names->count) {
        char buf[2 * NAMES_NAME_SIZE];
        struct text piece = text_in(buf, sizeof buf);
        const uint32_t taken = together_write(names, n, joins, &piece);
        if (t->len + strlen(", ") + piece.len + sizeof MORE > t->size)
            break;
        text_addf(t, "%s%s", n > 0 ? ", " : "", buf);
        n += taken;
    }
    if (n < names->count && !joins)
        text_go_back(t, &before);
    else if (n < names->count)
        text_addf(t, " and %u more", (unsigned)(names->count - n));
    return n == names->count;
}

static void together_explain(struct together_names *names, struct change *change)
{
    char tail[64];
    struct text end = text_in(tail, sizeof tail);
    if (names->behind > 0)
        text_addf(&end, "; with them went %" PRIu64 " nodes behind them", names->behind);
    struct text t = text_in(change->reason, sizeof change->reason - end.len);
    if (names->count > 0)
        qsort(names->all, names->count, sizeof *names->all, together_compare_names);
    if (!together_list(names, false, &t))
        together_list(names, true, &t);
    strcat(change->reason, tail);
    change->affected = names->count;
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
        if (names->count == 0)
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
    if (names.count > 0) {
        together_explain(&names, &change);
        together_raise(emitter, &change, late, id);
    }
    free(names.all);
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
