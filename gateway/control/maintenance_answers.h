// Answers what `ibtrapctl maintenance` asks.
#ifndef IBTRAPD_CONTROL_MAINTENANCE_ANSWERS_H
#define IBTRAPD_CONTROL_MAINTENANCE_ANSWERS_H

#include "pipeline/pipeline.h"

#include <jansson.h>

enum { MAINTENANCE_ANSWERS_DAYS_MAX = 366 };

// A new reference; NULL: none of these commands. Waits for the pipeline.
//   "maintenance-start"  items "name", "until_us" (UTC), "nodes" (patterns; missing or none: all)
//   "maintenance-stop"   item "name"
//   "maintenance-list"
json_t *maintenance_answers_get(struct pipeline *pipeline, struct journal *journal,
                                const struct clock *clock, const char *command,
                                const json_t *request);

#endif
