// SPDX-License-Identifier: BSD-2-Clause
// Makes the options of policy and of what watches counters and links from the configuration.
#pragma once

#include "conf/conf.h"
#include "pipeline/correlator.h"
#include "policy/policy.h"
#include "topology/counter_watch.h"

// Fills `rules`, some 16 KB for each rule, and `out`, which points to them.
void options_of_policy(const struct conf *conf, struct policy_options *out,
                       struct policy_rule rules[POLICY_RULES_MAX]);

struct counter_watch_limits options_of_counters(const struct conf *conf);
struct inactive_links_limits options_of_inactive(const struct conf *conf);
struct correlator_sources options_of_sources(const struct conf *conf);
