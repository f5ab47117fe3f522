// SPDX-License-Identifier: BSD-2-Clause
// The rules of the configuration (sections `policy`), applied to an event. Pure.
#ifndef IBTRAPD_POLICY_RULES_H
#define IBTRAPD_POLICY_RULES_H

#include "policy/policy_types.h"

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

// Maintenance windows: times in which events about some nodes are suppressed.

struct maintenance {
    struct policy_maintenance windows[POLICY_MAINTENANCE_MAX];
    size_t count;
};

struct maintenance *maintenance_new(void); // no windows; free() frees it

bool maintenance_start(struct maintenance *maintenance, const struct policy_maintenance *window,
                       int64_t now_us); // replaces the window of that name; false: too many
bool maintenance_stop(struct maintenance *maintenance, const char *name); // false: no such window
size_t maintenance_each(const struct maintenance *maintenance, int64_t now_us,
                        void (*each)(void *ctx, const struct policy_maintenance *window),
                        void *ctx);

// When the last of the windows that the event falls into ends; 0: it falls into none.
int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us);

#endif
