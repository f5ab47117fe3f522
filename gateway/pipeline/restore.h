// SPDX-License-Identifier: BSD-2-Clause
// Restores policy and the detectors of counters from the journal. Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_RESTORE_H
#define IBTRAPD_PIPELINE_RESTORE_H

#include "pipeline/emitter.h"
#include "topology/counter_watch.h"

// Restores maintenance windows and open alarms. Call it before the first event, or when the journal
// was read late: then it has the alarms of this run, too.
void restore_policy(const struct emitter *emitter);

// Restores the active alarms that policy had no room for, as far as there is room now.
void restore_left_out(const struct emitter *emitter);

// Restores the alarms about counters that policy has.
void restore_counters(const struct emitter *emitter, struct counter_watch *watch);

#endif
