// SPDX-License-Identifier: BSD-2-Clause
// The verdict on the gateway, for the commands "health" and "status".
#ifndef IBTRAPD_CONTROL_HEALTH_ANSWERS_H
#define IBTRAPD_CONTROL_HEALTH_ANSWERS_H

#include "control/control.h"

// "health": the verdict in a line, what it is made of, and counts.
json_t *health_answers_get(struct control *control, const json_t *request);

// The verdict in a line, such as "OK: 17 of 17 subscriptions, ...". A new reference.
json_t *health_answers_line(const struct control *control);

#endif
