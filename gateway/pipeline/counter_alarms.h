// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about port counters, by thresholds, rates of errors and congestion, agree with
// what is known of the counters: so none stays that nothing would end, and none that was cleared by
// hand keeps its counter silent. Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_COUNTER_ALARMS_H
#define IBTRAPD_PIPELINE_COUNTER_ALARMS_H

#include "pipeline/emitter.h"
#include "topology/counter_watch.h"

struct counter_alarms {
    struct emitter *emitter;
    struct counter_watch *watch;
};

// Lets the counters whose alarms somebody cleared raise them again. Call it before a reading is
// compared.
void counter_alarms_forget_cleared(const struct counter_alarms *of);

// Ends the alarms that no counter holds: there was no room when the alarm was restored, or its port
// has the alarm of another neighbour. Call it after a reading was compared.
void counter_alarms_end_lost(const struct counter_alarms *of);

// Ends all of them, as no counters are read.
void counter_alarms_end_all(const struct counter_alarms *of);

#endif
