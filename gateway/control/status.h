// SPDX-License-Identifier: BSD-2-Clause
// The state of the gateway: for the command "status", and in one line for systemd.
#ifndef IBTRAPD_CONTROL_STATUS_H
#define IBTRAPD_CONTROL_STATUS_H

#include "control/control.h"

// One line for people, such as "mlx5_0 port 1 active, 17 of 17 subscriptions".
void status_line(const struct sa_status *sa, char *out, size_t size);

// "status": the port, the subscriptions, the receivers, the journal, the last sweep and counters.
json_t *status_answer(struct control *control, const json_t *request);

#endif
