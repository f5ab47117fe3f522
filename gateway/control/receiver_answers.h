// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands about receivers.
#ifndef IBTRAPD_CONTROL_RECEIVER_ANSWERS_H
#define IBTRAPD_CONTROL_RECEIVER_ANSWERS_H

#include "control/control.h"

// The receiver of that name, or NULL.
struct receiver *receiver_answers_find(const struct control *control, const char *name);

// The state and the counters of every receiver: a new reference.
json_t *receiver_answers_all(const struct control *control);

// "receivers": the same as an answer.
json_t *receiver_answers_list(struct control *control, const json_t *request);

// "receiver-pause", "receiver-resume" and "receiver-flush", each with item "name".
json_t *receiver_answers_pause(struct control *control, const json_t *request);
json_t *receiver_answers_resume(struct control *control, const json_t *request);
json_t *receiver_answers_flush(struct control *control, const json_t *request);

// "receiver-forget" with item "name": deletes the cursor of a receiver that is gone.
json_t *receiver_answers_forget(struct control *control, const json_t *request);

#endif
