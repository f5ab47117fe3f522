// The events that policy makes: without identifier and text, which its sink gives.
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

// The link's rate was too low, and it came up, as `up` tells, with the full one: an event for the
// alarm of its rate, without identifier yet but that of `up`.
struct event *summaries_full_rate(const struct event *up, const char *key);

// The track's last event, once more: nobody was told of it.
struct event *summaries_late(const struct alarm_state *state);

#endif
