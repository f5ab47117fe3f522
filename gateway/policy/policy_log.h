// What policy decides, in the debug log.
#ifndef IBTRAPD_POLICY_POLICY_LOG_H
#define IBTRAPD_POLICY_POLICY_LOG_H

#include "base/log.h"
#include "policy/alarm_states.h"

// In all of them `log` is NULL, or policy's; times are on policy's clock.

// What became of an event, and the state of its alarm after it; NULL: it has none.
void policy_log_decision(struct log *log, const struct event *event,
                         const struct alarm_state *state, int64_t now_us);

// An event that policy made.
void policy_log_made(struct log *log, const struct event *event);

// A timer found that the alarm's event is still held back; INT64_MAX: until something else happens.
void policy_log_wait(struct log *log, const struct alarm_state *state, const char *reason,
                     int64_t until_us, int64_t now_us);

#endif
