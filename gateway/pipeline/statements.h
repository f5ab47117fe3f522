// SPDX-License-Identifier: BSD-2-Clause
// Compares the raised alarms with a detector's statements, and ends the alarms that do not hold. A
// detector answers for each alarm. Or the detector calls policy_state for each alarm that is true,
// and compares after that. Policy's table is the one table of raised alarms: a detector keeps no
// list of its own.
//
// Decides: When does an alarm end, if no event of its kind ends the alarm?
// Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"

struct detector {
    // Says whether the alarm is over, and writes to `why` a piece of a sentence then. `key` is the
    // key of the alarm; NULL: the key names nothing of the fabric.
    bool (*is_over)(void *ctx, const struct policy_alarm *alarm, const struct alarm_key *key,
                    struct text *why);
    // The event that ends the alarm; NULL: alarm-cleared, with `why`. The function itself may be
    // NULL.
    struct event *(*make_end)(void *ctx, const struct policy_alarm *alarm);
    void *ctx;
};

// Asks the detector about the alarm, and ends the alarm at once if it is over: sets `ended`. Passes
// over an alarm that has ended.
void statements_compare(struct emitter *emitter, const struct detector *detector,
                        struct policy_alarm *alarm);

// The same for all raised alarms, the oldest first.
void statements_compare_all(struct emitter *emitter, const struct detector *detector);

// Whether a detector may raise that alarm: the alarm is not raised, and policy has room.
bool statements_may_raise(const struct emitter *emitter, const char *key);
