// SPDX-License-Identifier: BSD-2-Clause
// The types that the parts of policy share: reasons, limits, rules, options, maintenance windows.
// Decides: Why is an event suppressed?
#pragma once

#include "base/log.h"
#include "model/event.h"
#include "model/filter.h"
#include "model/maintenance.h"

// Why an event is suppressed. For an event with an alarm key, the function in parentheses decides,
// in decide.c or reasons.c. For any other event, decide_plain of decide.c does.
//
// A consequence has the identifier of its root cause in event->cause_id. A link-down has a root
// cause if the same sweep lost the switch behind the link. topology/root_causes.h finds the root
// cause of a node, topology/compare_links.c the root cause of a link, and the pipeline's correlator
// turns both into identifiers.
enum policy_reason {
    POLICY_PASSES,
    POLICY_DISABLED,       // a rule disables the event (rules_evaluate, in rules.c)
    POLICY_MAINTENANCE,    // the node is in a maintenance window (reasons_silence)
    POLICY_SHELVED,        // an operator shelved the alarm (reasons_silence)
    POLICY_CONSEQUENCE,    // of a root cause; checked each minute (reasons_silence)
    POLICY_AWAITS_SWEEP,   // a trap that the next sweep may explain (decide_plain)
    POLICY_DUPLICATE,      // receivers know; a later event has the count (decide_known)
    POLICY_NEVER_NOTIFIED, // the clear of a raise that was never sent (decide_known)
    POLICY_FLAPPING,       // flapping and settled have the count (reasons_restrain, decide_known)
    POLICY_HOLD_DOWN,      // the alarm is not active for long enough yet (reasons_restrain)
    POLICY_STORM,          // storm-summary has the count (reasons_restrain)
    POLICY_STANDBY,        // the other gateway is active, and sends (notify_is_ours)
    POLICY_REASON_COUNT,
};

// The word that event->suppressed has; "" for POLICY_PASSES.
const char *policy_reason_word(enum policy_reason reason);
// POLICY_PASSES also for an unknown word.
enum policy_reason policy_reason_find(const char *word);

// What policy needs of others. No function may call policy.
struct policy_sink {
    // Completes an event that policy made: sets identifier and text, and time and subnet prefix if
    // these are 0.
    void (*stamp)(void *ctx, struct event *event);
    // Reads an event back from the journal: a reference, policy's. Returns NULL if the journal
    // cannot read the event. A NULL function: no event can be read.
    struct event *(*read)(void *ctx, int64_t number);
    // A raised alarm has another root cause or another reason now, and no event says so.
    // `cause_id`: of the event that raised the root cause; empty: none. NULL: nobody wants to know.
    void (*explain)(void *ctx, const char *key, const char *cause_id, enum policy_reason reason);
    void *ctx;
    struct log *log; // NULL: none
};

struct policy_counters {
    uint64_t reasons[POLICY_REASON_COUNT]; // events processed, by reason
    uint64_t made;                         // events that policy made
    // Events of alarms without a state (alarms_max of struct policy_options): policy treats such
    // events as events without an alarm.
    uint64_t overflowed;
    uint64_t read_back; // suppressed events beyond pending_max: only the journal has these
};

enum {
    POLICY_RULES_MAX = 64,
    POLICY_FLAP_CHANGES_MAX = 16,
    POLICY_ALARMS_MAX = 524288, // alarm states
    POLICY_PENDING_MAX = 2048,  // suppressed events in memory
};

// A gateway that stands by leaves events to the active gateway, which may fail before it sends
// them. When the gateway takes over, it sends the clears of this time once more, and all raised
// alarms.
#define POLICY_HANDOVER_US (INT64_C(15) * 60 * 1000000)

enum policy_choice { POLICY_UNSET, POLICY_YES, POLICY_NO };
enum { POLICY_SAME = -1 }; // in a rule: the rule leaves the value alone

// The rules apply in order: the last matching rule that sets an item decides the item. So general
// rules come first. A built-in rule before all others disables mcast-group-*.
struct policy_rule {
    char name[EVENT_RULE_SIZE];
    struct filter_list events; // identifiers; empty: all
    struct filter_list nodes;  // names or GUIDs of subject, peer, source or destination; empty: all
    enum policy_choice enabled;
    int severity; // enum severity or POLICY_SAME
    int category; // enum category or POLICY_SAME
    // How long an alarm must be active before receivers are notified; or POLICY_SAME.
    int64_t hold_down_us;
};

struct policy_options {
    const struct policy_rule *rules; // copied
    size_t rule_count;               // at most POLICY_RULES_MAX
    int64_t repeat_window_us;        // equal events within this time are duplicates; 0: never
    // An alarm that changes flap_changes times within flap_within_us flaps, until flap_quiet_us
    // have passed without a change.
    uint32_t flap_changes; // 2 to POLICY_FLAP_CHANGES_MAX; 0: never
    int64_t flap_within_us, flap_quiet_us;
    // More than storm_rate events of one kind in a second are a storm. A summary goes out when the
    // storm begins, and every storm_period_us.
    uint32_t storm_rate; // 0: never
    int64_t storm_period_us;
    bool suppress_consequences;
    bool has_filters; // there may be receivers that do not hear of each root cause
    bool has_partner; // a second gateway of the subnet notifies receivers while this gateway stands
                      // by
    // alarms_max: alarm states; policy treats the events of further alarms as events without an
    // alarm. pending_max: suppressed events in memory; policy reads further events from the
    // journal. 0: POLICY_ALARMS_MAX and POLICY_PENDING_MAX. policy_new alone reads both.
    size_t alarms_max, pending_max;
};
