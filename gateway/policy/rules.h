// SPDX-License-Identifier: BSD-2-Clause
// The rules of the configuration (sections `policy`), applied to an event. Pure.
#ifndef IBTRAPD_POLICY_RULES_H
#define IBTRAPD_POLICY_RULES_H

#include "policy/options.h"

struct rule_decision {
    bool enabled;
    int severity; // or POLICY_SAME
    int category; // or POLICY_SAME
    int64_t hold_down_us;
    const char *rule; // the last one that set something; empty: none. Valid as long as the rules
};

struct rules;

struct rules *rules_new(const struct policy_rule *rules, size_t count); // copies
void rules_free(struct rules *rules);                                   // NULL is allowed

struct rule_decision rules_evaluate(const struct rules *rules, const struct event *event);

// Whether the event is about one of the nodes, given by name or GUID; an empty list means all.
bool rules_concern(const struct filter_list *nodes, const struct event *event);

#endif
