// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/restore.h"

#include <stdio.h>
#include <stdlib.h>

struct restore {
    struct policy *policy;
    int64_t utc, monotonic; // now
    bool unknown;           // only alarms that policy does not know
};

static void restore_window(void *ctx, const struct journal_maintenance *window)
{
    const struct restore *r = ctx;
    struct policy_maintenance maintenance = {
        .nodes = window->nodes, .until_us = r->monotonic + (window->until_us - r->utc)};
    snprintf(maintenance.name, sizeof maintenance.name, "%s", window->name);
    if (window->until_us > r->utc)
        policy_start_maintenance(r->policy, &maintenance, r->monotonic);
}

static void restore_alarm(void *ctx, const struct alarm *alarm)
{
    const struct restore *r = ctx;
    if (!r->unknown || !policy_is_raised(r->policy, alarm->key))
        policy_restore_alarm(r->policy, alarm, r->utc, r->monotonic);
}

void restore_policy(const struct emitter *emitter)
{
    struct restore r = {.policy = emitter->policy,
                        .utc = clock_utc(emitter->builder.clock),
                        .monotonic = emitter_now(emitter)};
    journal_each_maintenance(emitter->journal, restore_window, &r);
    journal_each_open_alarm(emitter->journal, restore_alarm, &r);
}

void restore_left_out(const struct emitter *emitter)
{
    struct restore r = {.policy = emitter->policy,
                        .utc = clock_utc(emitter->builder.clock),
                        .monotonic = emitter_now(emitter),
                        .unknown = true};
    if (policy_left_out_alarms(emitter->policy))
        journal_each_alarm(emitter->journal, restore_alarm, &r);
}

void restore_counters(const struct emitter *emitter, struct counter_watch *watch)
{
    size_t count;
    struct policy_alarm *alarms = policy_list_alarms(emitter->policy, &count);
    for (size_t i = 0; i < count; i++) {
        struct alarm_key key;
        if (alarm_key_parse(alarms[i].key, &key))
            counter_watch_restore(watch, &key);
    }
    free(alarms);
}
