// SPDX-License-Identifier: BSD-2-Clause
#include "policy/rules.h"

#include "base/memory.h"
#include "model/catalogue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct rules {
    size_t count;
    struct {
        struct policy_rule is;
        bool fits[CATALOGUE_COUNT]; // by kind
    } all[];
};

static const struct policy_rule BUILT_IN = {
    .name = "built-in",
    .events = {.patterns = {"mcast-group-*"}, .count = 1},
    .enabled = POLICY_NO,
    .severity = POLICY_SAME,
    .category = POLICY_SAME,
    .hold_down_us = POLICY_SAME,
};

static void rules_add(struct rules *rules, const struct policy_rule *rule)
{
    const size_t i = rules->count++;
    rules->all[i].is = *rule;
    for (int kind = 0; kind < CATALOGUE_COUNT; kind++)
        rules->all[i].fits[kind] =
            rule->events.count == 0 ||
            filter_list_has(&rule->events, catalogue_get((enum catalogue_event)kind)->name);
}

struct rules *rules_new(const struct policy_rule *rules, size_t count)
{
    assert(count <= POLICY_RULES_MAX);
    struct rules *copy = memory_get(sizeof *copy + (count + 1) * sizeof *copy->all);
    copy->count = 0;
    rules_add(copy, &BUILT_IN);
    for (size_t i = 0; i < count; i++)
        rules_add(copy, &rules[i]);
    return copy;
}

void rules_free(struct rules *rules)
{
    free(rules);
}

static bool rules_has(const struct filter_list *nodes, const struct event *event,
                      const struct endpoint *who)
{
    return (who->name[0] != '\0' && filter_list_has(nodes, who->name)) ||
           filter_list_has_system(nodes, who) || filter_list_has_other_name(nodes, event, who) ||
           filter_list_has_guid(nodes, who->guid) ||
           (who->node_guid != who->guid && filter_list_has_guid(nodes, who->node_guid));
}

// Whether the event is about one of the nodes, given by name or GUID; an empty list means all.
static bool rules_concern(const struct filter_list *nodes, const struct event *event)
{
    return nodes->count == 0 || rules_has(nodes, event, &event->subject) ||
           rules_has(nodes, event, &event->peer) || rules_has(nodes, event, &event->source) ||
           rules_has(nodes, event, &event->destination);
}

static void rules_apply(const struct policy_rule *rule, struct rule_decision *verdict)
{
    if (rule->enabled != POLICY_UNSET)
        verdict->enabled = rule->enabled == POLICY_YES;
    if (rule->severity != POLICY_SAME)
        verdict->severity = rule->severity;
    if (rule->category != POLICY_SAME)
        verdict->category = rule->category;
    if (rule->hold_down_us != POLICY_SAME)
        verdict->hold_down_us = rule->hold_down_us;
    verdict->rule = rule->name;
}

struct rule_decision rules_evaluate(const struct rules *rules, const struct event *event)
{
    struct rule_decision verdict = {
        .enabled = true, .severity = POLICY_SAME, .category = POLICY_SAME, .rule = ""};
    const ptrdiff_t kind = event->type - catalogue_get((enum catalogue_event)0);
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->all[i].fits[kind] && rules_concern(&rules->all[i].is.nodes, event))
            rules_apply(&rules->all[i].is, &verdict);
    }
    return verdict;
}

bool maintenance_holds(const struct maintenance_window *window, const struct event *event,
                       int64_t now_us)
{
    return window->until_us > now_us && rules_concern(&window->nodes, event);
}

int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us)
{
    int64_t until = 0;
    for (size_t i = 0; i < maintenance->count; i++) {
        const struct maintenance_window *window = &maintenance->windows[i];
        if (window->until_us > until && maintenance_holds(window, event, now_us))
            until = window->until_us;
    }
    return until;
}
