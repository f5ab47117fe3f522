// SPDX-License-Identifier: BSD-2-Clause
// Writes policy's decisions to the debug log.
#ifndef IBTRAPD_POLICY_POLICY_LOG_H
#define IBTRAPD_POLICY_POLICY_LOG_H

#include "base/log.h"
#include "policy/alarm_states.h"

// In each function, `log` is policy's log or NULL; times are on policy's clock.

// Logs the decision about an event, and the alarm state after it; `state` NULL: it has none.
void policy_log_decision(struct log *log, const struct event *event,
                         const struct alarm_state *state, int64_t now_us);

// Logs an event that policy made.
void policy_log_made(struct log *log, const struct event *event);

// Logs that the alarm's event is still suppressed, until `until_us`; INT64_MAX: until another
// event.
void policy_log_wait(struct log *log, const struct alarm_state *state, const char *reason,
                     int64_t until_us, int64_t now_us);

#endif
