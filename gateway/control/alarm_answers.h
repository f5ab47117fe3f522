// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands about alarms. An alarm is named by its key, or by the number of the event
// that raised it.
#ifndef IBTRAPD_CONTROL_ALARM_ANSWERS_H
#define IBTRAPD_CONTROL_ALARM_ANSWERS_H

#include "control/control.h"

enum {
    ALARM_ANSWERS_PAGE = 500,
    ALARM_ANSWERS_WORST = 500,
    ALARM_ANSWERS_MINUTES_MAX = 366 * 24 * 60,
    ALARM_ANSWERS_REASON_SIZE = 161, // the event's reason names the user, too
};

// "alarms": the active alarms, at most ALARM_ANSWERS_PAGE. Item "more" of the answer has the item
// "after" that requests the next page. With item "worst", true: the worst ones in order, at most
// ALARM_ANSWERS_WORST (control/worst_alarms.h), and no "more".
json_t *alarm_answers_list(struct control *control, const json_t *request);

// "alarm-acknowledge", with items "alarm" and "note" (missing: none).
json_t *alarm_answers_acknowledge(struct control *control, const json_t *request);

// "alarm-shelve", with items "alarm" and "minutes" (0 ends the shelving). Without a pipeline,
// shelves it in the journal only.
json_t *alarm_answers_shelve(struct control *control, const json_t *request);

// "alarm-clear", with items "alarm" and "reason": ends the alarm by an event whose reason names the
// client's user. The answer has the items "key" and "note", a sentence: when it is raised again.
json_t *alarm_answers_clear(struct control *control, const json_t *request);

#endif
