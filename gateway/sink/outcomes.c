// SPDX-License-Identifier: BSD-2-Clause
#include "sink/outcomes.h"

#include <stdio.h>

void outcomes_remember(struct outcomes *outcomes, int64_t sequence, enum receiver_outcome outcome,
                       int64_t utc_us)
{
    const size_t at = (size_t)(sequence % RECEIVER_OUTCOMES_MAX);
    outcomes->all[at].sequence = sequence;
    outcomes->all[at].outcome = outcome;
    outcomes->all[at].time_us = utc_us;
}

void outcomes_remember_refusal(struct outcomes *outcomes, int64_t sequence, unsigned times,
                               const char *problem)
{
    const size_t at = outcomes->refusal_count++ % RECEIVER_REFUSALS_KEPT;
    outcomes->refusals[at].sequence = sequence;
    snprintf(outcomes->refusals[at].reason, RECEIVER_REASON_SIZE, "refused %u times: %s", times,
             problem);
}

static const char *outcomes_reason(const struct outcomes *outcomes, int64_t sequence)
{
    for (size_t i = 0; i < RECEIVER_REFUSALS_KEPT; i++) {
        if (outcomes->refusals[i].sequence == sequence)
            return outcomes->refusals[i].reason;
    }
    return "";
}

bool outcomes_find(const struct outcomes *outcomes, int64_t sequence,
                   struct receiver_event_outcome *out)
{
    const size_t at = (size_t)(sequence % RECEIVER_OUTCOMES_MAX);
    if (sequence <= 0 || outcomes->all[at].sequence != sequence)
        return false;
    out->outcome = outcomes->all[at].outcome;
    out->time_us = outcomes->all[at].time_us;
    snprintf(out->reason, sizeof out->reason, "%s", outcomes_reason(outcomes, sequence));
    return true;
}

const char *outcomes_word(enum receiver_outcome outcome)
{
    static const char *const WORDS[] = {"waiting",  "delivered", "filtered",
                                        "given up", "passed",    "sent"};
    return WORDS[outcome];
}
