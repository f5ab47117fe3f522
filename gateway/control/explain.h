// SPDX-License-Identifier: BSD-2-Clause
// Answers the command "explain": all fields of one event, and which receivers have it.
#ifndef IBTRAPD_CONTROL_EXPLAIN_H
#define IBTRAPD_CONTROL_EXPLAIN_H

#include "control/control.h"

// Item "number" or "id" names the event. Sets `control->found`, a reference, which the caller drops
// after explain_finish has added the receivers, in the thread of the control socket; NULL: there is
// no such event.
json_t *explain_answer(struct control *control, const json_t *request);
void explain_finish(struct control *control, json_t *answer);

#endif
