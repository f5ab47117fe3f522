// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/counter_alarms.h"

#include "pipeline/statements.h"

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

static enum statement say_lost(void *ctx, const struct policy_alarm *alarm, struct text *why)
{
    bool held;
    if (!is_about_counter(ctx, alarm->key, &held))
        return STATEMENT_OF_OTHERS;
    text_add(why, "it is not known any more; further errors raise it again");
    return held ? STATEMENT_HOLDS : STATEMENT_IS_OVER;
}

static enum statement say_over(void *ctx, const struct policy_alarm *alarm, struct text *why)
{
    bool held;
    text_add(why, "the port counters are not read any more");
    return is_about_counter(ctx, alarm->key, &held) ? STATEMENT_IS_OVER : STATEMENT_OF_OTHERS;
}

void counter_alarms_end_lost(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    statements_compare_all(of->emitter, &(struct detector){.say = say_lost, .ctx = &ctx});
}

void counter_alarms_end_all(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    statements_compare_all(of->emitter, &(struct detector){.say = say_over, .ctx = &ctx});
}
