// SPDX-License-Identifier: BSD-2-Clause
// Makes the events that policy adds, and writes policy's decisions to the debug log.
// policy_sink.stamp gives an event that policy adds its identifier and text.
#pragma once

#include "base/log.h"
#include "policy/alarm_states.h"
#include "policy/duplicates.h"
#include "policy/storms.h"

#define SUMMARIES_FLAPPING "flapping " // before the key of the alarm that flaps

// Each returns a new event, the caller's.
struct event *summaries_storm(const struct storm_account *account);
struct event *summaries_repeated(const struct duplicates_account *account);

// `last`: the last event about the alarm; NULL: it cannot be read.
struct event *summaries_flapping(const struct alarm_state *state, const struct event *last,
                                 const struct policy_options *options);
// `why` is a piece of a sentence; NULL: the alarm settled by itself.
struct event *summaries_settled(const struct alarm_state *state, const struct event *last,
                                const char *why);

// The clear of an alarm whose counterpart did not come; `reason` is a piece of a sentence.
struct event *summaries_cleared(const struct alarm_state *state, const struct event *last,
                                const char *reason);

// A copy of the last event about an alarm: the event was suppressed, and the copy is sent late.
struct event *summaries_late(const struct event *last);

// An event in place of the last event about an alarm, if that cannot be read any more.
struct event *summaries_lost(const struct alarm_state *state);

// In each function, `log` is policy's log or NULL; times are on policy's clock.

// Logs the decision about an event, and the alarm state after the event; NULL: there is no state.
void policy_log_decision(struct log *log, const struct event *event,
                         const struct alarm_state *state, int64_t now_us);

// Logs an event that policy made.
void policy_log_made(struct log *log, const struct event *event);

// Logs that the alarm's event is still suppressed, until `until_us`; INT64_MAX: until another
// event.
void policy_log_wait(struct log *log, const struct alarm_state *state, const char *reason,
                     int64_t until_us, int64_t now_us);
