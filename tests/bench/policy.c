// SPDX-License-Identifier: BSD-2-Clause
// Measures how many events policy processes in a second, by the result.
#include "policy/policy.h"
#include "base/clock.h"
#include "model/catalogue.h"
#include "policy_options.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 200000, RULES = 16 };

static void stamp(void *ctx, struct event *event)
{
    (void)ctx;
    event->id[0] = 'm';
}

// Takes what policy returns; how many of the events are sent.
static unsigned drain(struct policy *policy, int64_t now_us)
{
    unsigned sent = 0;
    const struct event *event;
    while ((event = policy_next(policy, now_us)) != NULL)
        sent += event->suppressed[0] == '\0';
    return sent;
}

static struct event *make(enum catalogue_event type, unsigned n)
{
    struct event *event = event_make(catalogue_get(type));
    if (!event)
        exit(EXIT_FAILURE);
    snprintf(event->id, sizeof event->id, "%u", n);
    snprintf(event->subject.name, sizeof event->subject.name, "host%u", n);
    event->subject.guid = n + 1;
    if (event->type->alarm != ALARM_NONE)
        snprintf(event->alarm_key, sizeof event->alarm_key, "link %u", n);
    return event;
}

// `step_us` of virtual time between two events about `nodes` nodes in turn.
static void run(const char *name, const struct policy_options *options, enum catalogue_event type,
                enum catalogue_event other, unsigned nodes, int64_t step_us)
{
    unsigned passed = 0;
    struct policy *policy =
        policy_new(options, &(struct policy_sink){.stamp = stamp}, &random_system);
    int64_t spent = 0;
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *event = make(i / nodes % 2 ? other : type, i % nodes);
        const int64_t before = clock_monotonic(&clock_system);
        passed += drain(policy, i * step_us);
        policy_process(policy, event, i * step_us);
        passed += drain(policy, i * step_us);
        spent += clock_monotonic(&clock_system) - before;
        event_unref(event);
    }
    printf("%-28s %9.0f events/s, %u passed\n", name, EVENTS * 1e6 / (double)spent, passed);
    policy_free(policy);
}

int main(void)
{
    static struct policy_rule rules[RULES];
    struct policy_options options;
    policy_options_init(&options);
    const enum catalogue_event gid = CATALOGUE_GID_IN_SERVICE, down = CATALOGUE_LINK_DOWN,
                               up = CATALOGUE_LINK_UP;
    run("storm", &options, gid, gid, 50000, 20);
    run("duplicates", &options, gid, gid, 100, CLOCK_US_PER_S / 40);
    run("alarms raised and cleared", &options, down, up, 50000, CLOCK_US_PER_S / 40);
    run("flapping", &options, down, up, 100, CLOCK_US_PER_S / 40);
    for (size_t i = 0; i < RULES; i++) {
        rules[i] = (struct policy_rule){.nodes = {.patterns = {"spine*"}, .count = 1},
                                        .severity = POLICY_SAME,
                                        .category = POLICY_SAME,
                                        .hold_down_us = POLICY_SAME};
    }
    options.rules = rules;
    options.rule_count = RULES;
    run("alarms with 16 rules", &options, down, up, 50000, CLOCK_US_PER_S / 40);
    return EXIT_SUCCESS;
}
