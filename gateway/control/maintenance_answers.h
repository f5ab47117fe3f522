// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands about maintenance windows. Each waits for the pipeline.
#ifndef IBTRAPD_CONTROL_MAINTENANCE_ANSWERS_H
#define IBTRAPD_CONTROL_MAINTENANCE_ANSWERS_H

#include "control/control.h"

enum { MAINTENANCE_ANSWERS_DAYS_MAX = 366 };

// "maintenance-start", with items "name", "until_us" (UTC) and "nodes" (patterns; missing or empty:
// all nodes).
json_t *maintenance_answers_start(struct control *control, const json_t *request);

// "maintenance-stop", with item "name".
json_t *maintenance_answers_stop(struct control *control, const json_t *request);

// "maintenance-list": the windows that have not ended.
json_t *maintenance_answers_list(struct control *control, const json_t *request);

#endif
