// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands that control the gateway as a whole. commands.c lists them.
#ifndef IBTRAPD_CONTROL_GATEWAY_ANSWERS_H
#define IBTRAPD_CONTROL_GATEWAY_ANSWERS_H

#include "control/control.h"

enum { GATEWAY_ANSWERS_DAYS_MAX = 36500 };

// "sweep-now": starts a sweep at once.
json_t *gateway_answers_sweep(struct control *control, const json_t *request);

// "resubscribe": subscribes to every trap again.
json_t *gateway_answers_resubscribe(struct control *control, const json_t *request);

// "log", with items "level" and "folder" (missing or empty: all): sets what is logged, until the
// next start or reload.
json_t *gateway_answers_log(struct control *control, const json_t *request);

// "configuration": the lines of the configuration in force, as ibtrapd --print-config writes it:
// without secrets.
json_t *gateway_answers_configuration(struct control *control, const json_t *request);

// "reload": reads the configuration again. Item "restart" of the answer names the items that need a
// restart.
json_t *gateway_answers_reload(struct control *control, const json_t *request);

// "journal-prune", with item "days" (0 to GATEWAY_ANSWERS_DAYS_MAX): makes the journal delete older
// events that every receiver has.
json_t *gateway_answers_prune(struct control *control, const json_t *request);

#endif
