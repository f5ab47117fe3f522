// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/restore.h"

#include "event/event_builder.h"
#include "model/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The journal's alarms are walked twice, in the same order: first to note the events that they
// need, then, with these events read, to restore the alarms.
struct restore {
    struct policy *policy;
    int64_t utc, monotonic; // now
    size_t count, next;
    int64_t sequences[POLICY_PENDING_MAX];
    struct event *events[POLICY_PENDING_MAX]; // NULL: it cannot be read any more
};

// Converts a UTC time to policy's clock; 0: it is over.
static int64_t to_monotonic(const struct restore *r, int64_t utc_us)
{
    return utc_us > r->utc ? r->monotonic + (utc_us - r->utc) : 0;
}

static void restore_window(void *ctx, const struct journal_maintenance *window)
{
    const struct restore *r = ctx;
    struct policy_maintenance maintenance = {.nodes = window->nodes,
                                             .until_us = to_monotonic(r, window->until_us)};
    snprintf(maintenance.name, sizeof maintenance.name, "%s", window->name);
    if (maintenance.until_us > 0)
        policy_start_maintenance(r->policy, &maintenance, r->monotonic);
}

// Whether policy needs the event that raised the alarm: receivers were not notified of it yet, or
// it is a flapping alarm, whose end is an event about the same node.
static bool needs_event(const struct alarm *alarm)
{
    return alarm->notified_id[0] == '\0' ||
           strcmp(alarm->type, catalogue_get(CATALOGUE_FLAPPING)->name) == 0;
}

static void note_sequence(void *ctx, const struct alarm *alarm)
{
    struct restore *r = ctx;
    if (needs_event(alarm) && r->count < POLICY_PENDING_MAX)
        r->sequences[r->count++] = alarm->event_sequence;
}

static struct event *read_event(struct journal *journal, int64_t sequence)
{
    struct journal_item item;
    if (journal_read(journal, sequence - 1, &item, 1) == 0)
        return NULL;
    if (item.sequence == sequence)
        return item.event;
    event_unref(item.event); // another event: the journal dropped the wanted one
    return NULL;
}

static struct event *find_event(struct restore *r, const struct alarm *alarm)
{
    if (r->next == r->count || r->sequences[r->next] != alarm->event_sequence)
        return NULL;
    return r->events[r->next++];
}

static void restore_alarm(void *ctx, const struct alarm *alarm)
{
    struct restore *r = ctx;
    const struct policy_restored_alarm restored = {.key = alarm->key,
                                                   .event_id = alarm->event_id,
                                                   .notified_id = alarm->notified_id,
                                                   .severity = alarm->severity,
                                                   .shelved_until_us =
                                                       to_monotonic(r, alarm->shelved_until_us),
                                                   .event = find_event(r, alarm)};
    policy_restore_alarm(r->policy, &restored, r->monotonic);
}

void restore_policy(struct journal *journal, struct policy *policy, const struct clock *clock)
{
    struct restore *r = calloc(1, sizeof *r);
    if (!r)
        return;
    r->policy = policy;
    r->utc = clock_utc(clock);
    r->monotonic = clock_monotonic(clock);
    journal_each_maintenance(journal, restore_window, r);
    journal_each_alarm(journal, note_sequence, r);
    for (size_t i = 0; i < r->count; i++)
        r->events[i] = read_event(journal, r->sequences[i]);
    journal_each_alarm(journal, restore_alarm, r);
    for (size_t i = 0; i < r->count; i++)
        event_unref(r->events[i]);
    free(r);
}

struct wanted {
    const char *key;
    bool found;
};

static void compare_key(void *ctx, const struct alarm *alarm)
{
    struct wanted *wanted = ctx;
    wanted->found |= strcmp(alarm->key, wanted->key) == 0;
}

bool restore_alarm_is_active(struct journal *journal, const char *key)
{
    struct wanted wanted = {.key = key};
    journal_each_alarm(journal, compare_key, &wanted);
    return wanted.found;
}

static void restore_threshold(void *ctx, const struct alarm *alarm)
{
    struct threshold_change reached;
    if (event_builder_read_counter_key(alarm->key, &reached))
        thresholds_restore(ctx, reached.node_guid, reached.port, reached.counter);
}

void restore_thresholds(struct journal *journal, struct thresholds *thresholds)
{
    journal_each_alarm(journal, restore_threshold, thresholds);
}
