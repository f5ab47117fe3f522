// SPDX-License-Identifier: BSD-2-Clause
// The rules of the configuration (sections `policy`), applied to an event; maintenance windows.
// Pure.
//
// Decides: Which rule or maintenance window is an event subject to?
// Decides: Which severity and category does a rule give to an event?
#pragma once

#include "policy/policy_types.h"

struct rule_decision {
    bool enabled;
    int severity; // or POLICY_SAME
    int category; // or POLICY_SAME
    int64_t hold_down_us;
    const char *rule; // the last rule that set something; empty: none. Valid as long as the rules
};

struct rules;

struct rules *rules_new(const struct policy_rule *rules, size_t count); // copies
void rules_free(struct rules *rules);                                   // NULL is allowed

struct rule_decision rules_evaluate(const struct rules *rules, const struct event *event);

// Whether the window suppresses the event.
bool maintenance_holds(const struct maintenance_window *window, const struct event *event,
                       int64_t now_us);

// When the last window that suppresses the event ends; 0: no window suppresses the event.
int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us);
