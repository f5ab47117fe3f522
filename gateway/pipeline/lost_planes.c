// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/lost_planes.h"

#include "pipeline/statements.h"
#include "topology/comparison.h"

#include <stdlib.h>
#include <string.h>

struct lost_planes {
    struct emitter *emitter;
    const struct systems *joined;
};

// Whether an alarm is a consequence of this alarm.
static bool lost_planes_has_links(const struct lost_planes *l, const char *key)
{
    size_t count;
    struct policy_alarm *alarms = policy_list_alarms(l->emitter->policy, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = alarms[i].cause_key && strcmp(alarms[i].cause_key, key) == 0;
    free(alarms);
    return found;
}

// When the last plane goes, the alarm stays, as the cause of the alarms about the other planes:
// else receivers would be told of each.
static bool lost_planes_is_over(void *ctx, const struct policy_alarm *alarm,
                                const struct alarm_key *key, struct text *why)
{
    const struct lost_planes *l = ctx;
    if (!key || key->about != ALARM_ABOUT_PLANES)
        return false;
    const uint32_t port = fabric_find_end(l->joined->fabric, key->guid, key->port);
    const struct planes planes = planes_of(l->joined, port);
    if (planes_are_missing(&planes) || (planes.active == 0 && lost_planes_has_links(l, alarm->key)))
        return false;
    text_add(why, planes.active > 0 ? "all planes have a link" : "the link is down");
    return true;
}

static void lost_planes_raise(struct emitter *emitter, const struct systems *joined, uint32_t port)
{
    const struct fabric *fabric = joined->fabric;
    struct change change = {.cause = FABRIC_NONE};
    const struct planes planes = planes_of(joined, port);
    if (planes.ports[0] != port || !planes_are_missing(&planes))
        return;
    comparison_describe_planes(fabric, &planes, emitter->builder.names, &change);
    if (statements_may_raise(emitter, change.alarm_key))
        emitter_emit(emitter, event_builder_from_change(&emitter->builder, &change, false, "", ""));
}

void lost_planes_update(struct emitter *emitter)
{
    const struct systems *joined = topology_joined(emitter->topology);
    if (!joined)
        return;
    struct lost_planes l = {emitter, joined};
    statements_compare_all(emitter, &(struct detector){.is_over = lost_planes_is_over, .ctx = &l});
    for (uint32_t port = 0; port < joined->fabric->port_count; port++)
        lost_planes_raise(emitter, joined, port);
}
