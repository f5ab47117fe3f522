// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/lost_planes.h"

#include "pipeline/statements.h"
#include "topology/comparison.h"

static bool lost_planes_is_over(void *ctx, const struct policy_alarm *alarm,
                                const struct alarm_key *key, struct text *why)
{
    const struct systems *joined = ctx;
    const struct fabric *fabric = joined->fabric;
    (void)alarm;
    if (!key || key->about != ALARM_ABOUT_PLANES)
        return false;
    const uint32_t port = fabric_find_end(fabric, key->guid, key->port);
    const struct planes planes = planes_of(joined, port);
    if (planes_are_missing(&planes))
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
    statements_compare_all(
        emitter, &(struct detector){.is_over = lost_planes_is_over, .ctx = (void *)joined});
    for (uint32_t port = 0; port < joined->fabric->port_count; port++)
        lost_planes_raise(emitter, joined, port);
}
