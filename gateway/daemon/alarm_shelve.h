// Puts an alarm aside for a time: in the journal, for people and restarts, and in policy.
#ifndef IBTRAPD_DAEMON_ALARM_SHELVE_H
#define IBTRAPD_DAEMON_ALARM_SHELVE_H

#include "daemon/pipeline.h"

// `until_us` is UTC; 0: no longer. `*found`: such an alarm is active. False: the pipeline has
// ended. Waits for the pipeline; not in its thread.
bool alarm_shelve(struct pipeline *pipeline, struct journal *journal, const char *key,
                  int64_t until_us, bool *found);

#endif
