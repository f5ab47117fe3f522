// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/restore.h"

#include "event/event_builder.h"
#include "model/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct restore {
    struct policy *policy;
    int64_t utc, monotonic; // now
};

// Converts a UTC time to policy's clock; 0: it is over.
static int64_t to_monotonic(const struct restore *r, int64_t utc_us)
{
    return utc_us > r->utc ? r->monotonic + (utc_us - r->utc) : 0;
}

// Converts a UTC time of the past. After the clock was set back it is now.
static int64_t to_past(const struct restore *r, int64_t utc_us)
{
    return r->utc > utc_us ? r->monotonic - (r->utc - utc_us) : r->monotonic;
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

static void restore_alarm(void *ctx, const struct alarm *alarm)
{
    const struct restore *r = ctx;
    const struct policy_restored_alarm restored = {.key = alarm->key,
                                                   .event_id = alarm->event_id,
                                                   .notified_id = alarm->notified_id,
                                                   .cause_id = alarm->cause_id,
                                                   .type = catalogue_find(alarm->type),
                                                   .severity = alarm->severity,
                                                   .category = alarm->category,
                                                   .notified = alarm->notified,
                                                   .over = alarm->over,
                                                   .last_number = alarm->last_sequence,
                                                   .since_us = alarm->raised_us,
                                                   .raised_at_us = to_past(r, alarm->raised_us),
                                                   .last_at_us = to_past(r, alarm->last_us),
                                                   .shelved_until_us =
                                                       to_monotonic(r, alarm->shelved_until_us)};
    policy_restore_alarm(r->policy, &restored, r->monotonic);
}

void restore_policy(struct journal *journal, struct policy *policy, const struct clock *clock)
{
    struct restore r = {policy, clock_utc(clock), clock_monotonic(clock)};
    journal_each_maintenance(journal, restore_window, &r);
    journal_each_open_alarm(journal, restore_alarm, &r);
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

static void restore_error_rate(void *ctx, const struct alarm *alarm)
{
    struct error_rate_change raised;
    if (event_builder_read_errors_key(alarm->key, &raised))
        error_rates_restore(ctx, &raised);
}

void restore_error_rates(struct journal *journal, struct error_rates *rates)
{
    journal_each_alarm(journal, restore_error_rate, rates);
}

static void restore_waiting(void *ctx, const struct alarm *alarm)
{
    uint64_t node_guid;
    uint8_t port;
    if (event_builder_read_congestion_key(alarm->key, &node_guid, &port))
        congestion_restore(ctx, node_guid, port);
}

void restore_congestion(struct journal *journal, struct congestion *congestion)
{
    journal_each_alarm(journal, restore_waiting, congestion);
}
