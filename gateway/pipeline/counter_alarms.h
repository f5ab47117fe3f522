// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about port counters, by thresholds, rates of errors and congestion, agree with
// the counters: no alarm stays that no counter would end, and a counter whose alarm was cleared by
// hand raises the alarm again. Pipeline's thread.
// Decides: When does an alarm about counters end without its counter?
#pragma once

#include "pipeline/emitter.h"
#include "topology/counter_watch.h"

// Restores the alarms that policy has.
void counter_alarms_restore(const struct emitter *emitter, struct counter_watch *watch);

// Lets a counter raise an alarm again that somebody cleared. Call it before a reading is compared.
void counter_alarms_forget_cleared(struct emitter *emitter, struct counter_watch *watch);

// Ends the alarms that no counter holds: there was no room when the alarm was restored, or the port
// has the alarm of another neighbour. Call it after a reading was compared.
void counter_alarms_end_lost(struct emitter *emitter, struct counter_watch *watch);
