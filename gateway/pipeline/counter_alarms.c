// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/counter_alarms.h"

#include "model/catalogue.h"

#include <string.h>

enum { PAGE = 64 }; // alarms that are looked at in one go

// Alarms that are to end.
struct counter_alarms_page {
    const struct counter_alarms *of;
    bool all;     // also those that a counter holds
    int64_t last; // number of the last alarm that was looked at
    size_t count;
    struct {
        char key[EVENT_KEY_SIZE];
        const struct catalogue_entry *type;
    } found[PAGE];
};

// Cleared by hand.

// Whether receivers or operators have the alarm: where room was short, one of both may not know.
static bool is_standing(const struct counter_alarms *of, const char *key)
{
    return policy_is_raised(of->emitter->policy, key) ||
           journal_alarm_is_active(of->emitter->journal, key);
}

static bool stands_by_threshold(void *ctx, const struct threshold_change *reached)
{
    char key[EVENT_KEY_SIZE];
    event_builder_write_counter_key(key, reached);
    return is_standing(ctx, key);
}

static bool stands_by_rate(void *ctx, const struct error_rate_change *alarm)
{
    char key[EVENT_KEY_SIZE];
    event_builder_write_errors_key(key, alarm);
    return is_standing(ctx, key);
}

static bool stands_by_congestion(void *ctx, uint64_t node_guid, uint8_t port)
{
    char key[EVENT_KEY_SIZE];
    event_builder_write_congestion_key(key, node_guid, port);
    return is_standing(ctx, key);
}

void counter_alarms_forget_cleared(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    if (of->thresholds)
        thresholds_review(of->thresholds, stands_by_threshold, &ctx);
    if (of->error_rates)
        error_rates_review(of->error_rates, stands_by_rate, &ctx);
    if (of->congestion)
        congestion_review(of->congestion, stands_by_congestion, &ctx);
}

// Held by no counter.

// Whether the alarm is about a counter. Sets `held`: whether a counter holds it.
static bool is_about_counter(const struct counter_alarms *of, const char *key, bool *held)
{
    struct error_rate_change errors;
    struct threshold_change reached;
    if (event_builder_read_errors_key(key, &errors)) {
        *held = of->error_rates && error_rates_has_alarm(of->error_rates, &errors);
        return true;
    }
    if (event_builder_read_congestion_key(key, &reached.node_guid, &reached.port)) {
        *held =
            of->congestion && congestion_has_alarm(of->congestion, reached.node_guid, reached.port);
        return true;
    }
    if (!event_builder_read_counter_key(key, &reached))
        return false;
    *held = of->thresholds && thresholds_has_reached(of->thresholds, reached.node_guid,
                                                     reached.port, reached.counter);
    return true;
}

static void look_at_alarm(void *ctx, const struct alarm *alarm)
{
    struct counter_alarms_page *page = ctx;
    bool held;
    page->last = alarm->event_sequence;
    if (!is_about_counter(page->of, alarm->key, &held) || (held && !page->all))
        return;
    if (!page->all && !policy_is_raised(page->of->emitter->policy, alarm->key))
        return; // the journal was read late, and nobody was told of its alarms yet
    memcpy(page->found[page->count].key, alarm->key, sizeof alarm->key);
    page->found[page->count++].type = catalogue_find(alarm->type);
}

static void end_found(const struct counter_alarms *of, bool all, const char *why)
{
    struct counter_alarms_page page = {.of = of, .all = all};
    for (bool more = true; more;) {
        page.count = 0;
        more =
            journal_each_alarm_after(of->emitter->journal, page.last, PAGE, look_at_alarm, &page);
        for (size_t i = 0; i < page.count; i++)
            emitter_end_alarm(of->emitter, page.found[i].key, page.found[i].type, why);
    }
}

void counter_alarms_end_lost(const struct counter_alarms *of)
{
    end_found(of, false, "it is not known any more; further errors raise it again");
}

void counter_alarms_end_all(const struct counter_alarms *of)
{
    end_found(of, true, "the port counters are not read any more");
}
