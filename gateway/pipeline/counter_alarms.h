// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about port counters, by thresholds, rates of errors and congestion, agree with
// the counters: no alarm stays that no counter would end, and a counter whose alarm was cleared by
// hand raises the alarm again. Pipeline's thread.
// Decides: When does an alarm about counters end without its counter?
#ifndef IBTRAPD_PIPELINE_COUNTER_ALARMS_H
#define IBTRAPD_PIPELINE_COUNTER_ALARMS_H

#include "model/counter.h"
#include "pipeline/emitter.h"
#include "topology/counter_watch.h"

// Restores the alarms that policy has.
void counter_alarms_restore(const struct emitter *emitter, struct counter_watch *watch);

// Lets a counter raise an alarm again that somebody cleared. Call it before a reading is compared.
void counter_alarms_forget_cleared(struct emitter *emitter, struct counter_watch *watch);

// Ends the alarms that no counter holds: there was no room when the alarm was restored, or the port
// has the alarm of another neighbour. Call it after a reading was compared.
void counter_alarms_end_lost(struct emitter *emitter, struct counter_watch *watch);

// An alarm about errors is held for a moment, until its port has said why the port counts errors.
#define HELD_ERRORS_US (INT64_C(10) * 1000000) // then an alarm is told without causes

// Starts zeroed.
struct held_errors {
    struct held_error {
        struct counter_statement is;
        int64_t since_us;
    } all[ERROR_DETAILS_MAX];
    size_t count;
    struct error_details_list wanted; // details of held alarms that nobody has asked the ports for
};

// `details`: why the port counts errors; NULL: not known.
typedef void held_errors_tell(void *ctx, const struct counter_statement *change,
                              const struct error_details *details);

// Holds a change that raises an alarm. Returns false if the counter has no details, or no room is
// left.
bool held_errors_hold(struct held_errors *held, const struct counter_statement *change,
                      int64_t now_us);

// Makes the event of a held alarm of that link and counter.
void held_errors_release(struct held_errors *held, const struct counter_statement *change,
                         held_errors_tell *tell, void *ctx);

// Makes the events of the held alarms that are in the list.
void held_errors_explain(struct held_errors *held, const struct error_details_list *list,
                         held_errors_tell *tell, void *ctx);

// Makes the events of the alarms that have been held since `until_us` or longer; INT64_MAX: all.
void held_errors_expire(struct held_errors *held, int64_t until_us, held_errors_tell *tell,
                        void *ctx);

#endif
