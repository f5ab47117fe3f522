// SPDX-License-Identifier: BSD-2-Clause
// Answers the command "explain": all fields of one event, and which receivers have it.
#ifndef IBTRAPD_CONTROL_EXPLAIN_H
#define IBTRAPD_CONTROL_EXPLAIN_H

#include "control/control.h"

// Item "number" or "id" names the event.
json_t *explain_answer(struct control *control, const json_t *request);

#endif
