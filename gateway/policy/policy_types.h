// SPDX-License-Identifier: BSD-2-Clause
// The types of policy.h that the parts of policy share.
#ifndef IBTRAPD_POLICY_POLICY_TYPES_H
#define IBTRAPD_POLICY_POLICY_TYPES_H

#include "base/log.h"
#include "model/event.h"

// Why an event is suppressed. For an event with an alarm key, the function named here decides, in
// decide.c or reasons.c; for any other event, decide_plain of decide.c.
//
// A consequence has the identifier of its root cause in event->cause_id. A link-down has one if the
// same sweep lost the switch behind the link: topology/root_causes.h finds the root cause among the
// nodes that went, topology/compare_links.c that of a link, and the pipeline's correlator turns
// both into identifiers.
enum policy_reason {
    POLICY_PASSES,
    POLICY_DISABLED,       // a rule disables it (rules_evaluate, in rules.c)
    POLICY_MAINTENANCE,    // its node is in a maintenance window (reasons_silence)
    POLICY_SHELVED,        // an operator shelved the alarm (reasons_silence)
    POLICY_CONSEQUENCE,    // it has a root cause; checked each minute (reasons_silence)
    POLICY_DUPLICATE,      // receivers know it already; a later event has the count (decide_known)
    POLICY_NEVER_NOTIFIED, // clears an alarm whose raise was never sent (decide_known)
    POLICY_FLAPPING,       // flapping and settled have the count (reasons_restrain, decide_known)
    POLICY_HOLD_DOWN,      // the alarm is not active for long enough yet (reasons_restrain)
    POLICY_STORM,          // storm-summary has the count (reasons_restrain)
    POLICY_STANDBY,        // the other gateway, which is active, sends it (notify_is_ours)
    POLICY_REASON_COUNT,
};

// The word that event->suppressed has; "" for POLICY_PASSES.
const char *policy_reason_word(enum policy_reason reason);

// What policy needs of others. Neither function may call policy.
struct policy_sink {
    // Completes an event that policy made: sets its identifier and text, and its time and subnet
    // prefix where they are 0.
    void (*stamp)(void *ctx, struct event *event);
    // Reads an event back from the journal: a reference, policy's. Returns NULL if the journal
    // cannot read the event. A NULL function: no event can be read.
    struct event *(*read)(void *ctx, int64_t number);
    void *ctx;
    struct log *log; // NULL: none
};

struct policy_counters {
    uint64_t reasons[POLICY_REASON_COUNT]; // events processed, by reason
    uint64_t made;                         // events that policy made
    // Events of alarms without a state (alarms_max of struct policy_options), which are treated as
    // events without an alarm.
    uint64_t overflowed;
    uint64_t read_back; // suppressed events beyond pending_max, which the journal has
};

#endif
