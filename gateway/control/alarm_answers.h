// Answers what `ibtrapctl alarms` asks.
#ifndef IBTRAPD_CONTROL_ALARM_ANSWERS_H
#define IBTRAPD_CONTROL_ALARM_ANSWERS_H

#include "pipeline/pipeline.h"

#include <jansson.h>

enum { ALARM_ANSWERS_PAGE = 500, ALARM_ANSWERS_MINUTES_MAX = 366 * 24 * 60 };

// NULL: none of these commands:
//   "alarms"             item "after", to go on after a page: what its "more" has
//   "alarm-acknowledge"  items "alarm", "note"
//   "alarm-shelve"       items "alarm", "minutes" (0: no longer)
// "alarm" is an alarm's key, or its number: of the event that raised it.
// Without a pipeline, a shelved alarm is put aside in the journal only.
json_t *alarm_answers_get(struct pipeline *pipeline, struct journal *journal,
                          const struct clock *clock, const char *command, const json_t *request);

#endif
