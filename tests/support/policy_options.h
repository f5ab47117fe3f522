// SPDX-License-Identifier: BSD-2-Clause
// The options of policy that most tests take: those of an empty configuration, and filters.
#pragma once

#include "base/clock.h"
#include "policy/policy.h"

static inline void policy_options_init(struct policy_options *options)
{
    *options = (struct policy_options){.repeat_window_us = 60 * CLOCK_US_PER_S,
                                       .flap_changes = 6,
                                       .flap_within_us = 300 * CLOCK_US_PER_S,
                                       .flap_quiet_us = 300 * CLOCK_US_PER_S,
                                       .storm_rate = 50,
                                       .storm_period_us = 60 * CLOCK_US_PER_S,
                                       .suppress_consequences = true,
                                       .has_filters = true};
}
