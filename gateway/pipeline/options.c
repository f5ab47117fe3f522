// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/options.h"

#include "base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert((int)CONF_RULES_MAX == (int)POLICY_RULES_MAX, "there is room for every rule");
static_assert((int)CONF_RULE_NAME_SIZE == (int)EVENT_RULE_SIZE, "every name fits");
static_assert((int)CONF_SAME == (int)POLICY_SAME, "one value for: the rule does not change it");

static enum policy_choice options_choice_of(int enabled)
{
    if (enabled == CONF_SAME)
        return POLICY_UNSET;
    return enabled ? POLICY_YES : POLICY_NO;
}

static void options_convert_rule(const struct conf_rule *in, struct policy_rule *out)
{
    *out = (struct policy_rule){.events = in->events,
                                .nodes = in->nodes,
                                .enabled = options_choice_of(in->enabled),
                                .severity = in->severity,
                                .category = in->category,
                                .hold_down_us = in->hold_down_s == CONF_SAME
                                                    ? POLICY_SAME
                                                    : in->hold_down_s * CLOCK_US_PER_S};
    snprintf(out->name, sizeof out->name, "%s", in->name);
}

// Trap recipients, which managers may add at any time, have filters by switch.
static bool options_find_filter(const struct conf *conf)
{
    bool found = conf->subagent.writable;
    for (size_t i = 0; i < conf->receiver_count; i++)
        found |= !filter_is_open(&conf->receivers[i].filter);
    return found;
}

void options_of_policy(const struct conf *conf, struct policy_options *out,
                       struct policy_rule rules[POLICY_RULES_MAX])
{
    const struct conf_policy *p = &conf->policy;
    for (size_t i = 0; i < p->rule_count; i++)
        options_convert_rule(&p->rules[i], &rules[i]);
    *out = (struct policy_options){.rules = rules,
                                   .rule_count = p->rule_count,
                                   .repeat_window_us = p->repeat_window_s * CLOCK_US_PER_S,
                                   .flap_changes = p->flap_changes,
                                   .flap_within_us = p->flap_within_s * CLOCK_US_PER_S,
                                   .flap_quiet_us = p->flap_quiet_s * CLOCK_US_PER_S,
                                   .storm_rate = p->storm_rate,
                                   .storm_period_us = p->storm_period_s * CLOCK_US_PER_S,
                                   .suppress_consequences = p->hold_consequences,
                                   .has_filters = options_find_filter(conf),
                                   .has_partner = conf->fabric.with_master_sm};
}

struct counter_watch_limits options_of_counters(const struct conf *conf)
{
    const struct conf_counters *counters = &conf->counters;
    struct counter_watch_limits limits = {.errors_min = counters->errors_min,
                                          .clear_percent = counters->clear_percent,
                                          .wait_raise = counters->congestion_percent / 100.0,
                                          .wait_clear = counters->congestion_clear / 100.0};
    static_assert(sizeof limits.per_bit == sizeof counters->bit_error_rates, "the same limits");
    memcpy(limits.growth, counters->thresholds, sizeof limits.growth);
    memcpy(limits.per_bit, counters->bit_error_rates, sizeof limits.per_bit);
    memcpy(limits.fec_per_bit, counters->fec_bit_error_rates, sizeof limits.fec_per_bit);
    memcpy(limits.fec_per_packet, counters->fec_loss_rates, sizeof limits.fec_per_packet);
    memcpy(limits.per_hour, counters->error_rates, sizeof limits.per_hour);
    if (limits.wait_clear > limits.wait_raise)
        limits.wait_clear = limits.wait_raise;
    for (int w = 0; w < ERROR_WINDOWS; w++)
        limits.window_us[w] = INT64_C(60) * counters->window_min[w] * CLOCK_US_PER_S;
    return limits;
}

struct inactive_links_limits options_of_inactive(const struct conf *conf)
{
    return (struct inactive_links_limits){conf->sweep.inactive_sweeps,
                                          conf->sweep.interval_s * CLOCK_US_PER_S};
}

struct correlator_sources options_of_sources(const struct conf *conf)
{
    const struct conf_sweep *sweep = &conf->sweep;
    return (struct correlator_sources){.no_sweeps = sweep->method == SWEEP_OFF,
                                       .no_counters = conf->counters.ports == COUNTERS_OFF,
                                       .no_registers = !sweep->vendor_registers ||
                                                       sweep->vendor_interval_s == 0};
}
