// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/lost_planes.h"

#include "pipeline/statements.h"
#include "topology/comparison.h"

static enum statement lost_planes_say(void *ctx, const struct policy_alarm *alarm, struct text *why)
{
    const struct systems *joined = ctx;
    const struct fabric *fabric = joined->fabric;
    struct alarm_key key;
    if (!alarm_key_parse(alarm->key, &key) || key.about != ALARM_ABOUT_PLANES)
        return STATEMENT_OF_OTHERS;
    const uint32_t port = fabric_find_port(fabric, fabric_find_node(fabric, key.guid), key.port);
    const struct planes planes = planes_of(joined, port);
    if (planes_are_missing(&planes))
        return STATEMENT_HOLDS;
    text_add(why, planes.active > 0 ? "all planes have a link" : "the link is down");
    return STATEMENT_IS_OVER;
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
    statements_compare_all(emitter,
                           &(struct detector){.say = lost_planes_say, .ctx = (void *)joined});
    for (uint32_t port = 0; port < joined->fabric->port_count; port++)
        lost_planes_raise(emitter, joined, port);
}
