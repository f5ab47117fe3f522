// SPDX-License-Identifier: BSD-2-Clause
// Makes the events that policy adds. policy_sink.stamp gives them identifier and text.
#ifndef IBTRAPD_POLICY_SUMMARIES_H
#define IBTRAPD_POLICY_SUMMARIES_H

#include "policy/alarm_states.h"
#include "policy/duplicates.h"
#include "policy/storms.h"

#define SUMMARIES_FLAPPING "flapping " // before the key of the alarm that flaps

// Each returns a new event, the caller's; NULL: out of memory.
struct event *summaries_storm(const struct storm_account *account);
struct event *summaries_repeated(const struct duplicates_account *account);
struct event *summaries_flapping(const struct alarm_state *state,
                                 const struct policy_options *options);
struct event *summaries_settled(const struct alarm_state *state);

// The clear of a link's rate alarm, for a link that came up at full rate, as `up` shows. Keeps the
// identifier of `up`.
struct event *summaries_full_rate(const struct event *up, const char *key);

// A copy of the alarm state's last event, which was suppressed, to be sent late.
struct event *summaries_late(const struct alarm_state *state);

#endif
