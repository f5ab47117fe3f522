// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_ask.h"

#include "ib/node_mad.h"
#include "ib/register_mad.h"
#include "ib/sweep_branches.h"

void sweep_part_begin(struct sweep_part *part)
{
    const struct sweep *sweep = part->sweep;
    uint32_t serial;
    sweep->random->fill(sweep->random->ctx, &serial, sizeof serial);
    struct requests_options options = sweep->requests;
    if (sweep->limits.part_us > 0)
        options.end_at = clock_monotonic(options.clock) + sweep->limits.part_us;
    part->batch = requests_new(&options, serial);
}

const struct fabric_node *sweep_part_known(const struct sweep_part *part, uint64_t guid)
{
    const struct fabric *known = part->sweep->known;
    const uint32_t node = fabric_find_node(known, guid);
    return node != FABRIC_NONE ? &known->nodes[node] : NULL;
}

uint64_t sweep_part_mkey(const struct sweep_part *part, uint64_t guid)
{
    return mkeys_find(part->sweep->mkeys, guid, part->sweep->mkey);
}

static void sweep_ask_make(void *ctx, const void *tag, uint8_t *mad)
{
    const struct sweep_part *part = ctx;
    const struct sweep_query *query = tag;
    const uint64_t mkey = sweep_part_mkey(part, query->guid);
    if (query->mgmt_class == MAD_CLASS_SA) {
        mad_query_table(mad, query->attribute);
    } else if (query->mgmt_class == MAD_CLASS_SMP_DIRECT) {
        uint8_t path[SMP_HOPS_MAX];
        const uint8_t hops = sweep_branches_path(part->branches, query->at, path);
        smp_make_get(mad, mkey, query->attribute, query->modifier, path, hops);
    } else if (query->mgmt_class == MAD_CLASS_VENDOR && query->page == REGISTER_PAGES) {
        register_mad_make_general_info(mad, part->sweep->vskey);
    } else if (query->mgmt_class == MAD_CLASS_VENDOR) {
        register_mad_make(mad, query->page, query->port, part->sweep->vskey);
    } else {
        node_mad_make_get(mad, query->mgmt_class, query->attribute, query->modifier, mkey);
    }
}

static void sweep_ask_done(void *ctx, const void *tag, const struct request_answer *answer)
{
    const struct sweep_query *query = tag;
    query->take(ctx, query, answer);
}

static struct mad_address sweep_ask_address(const struct sweep_part *part,
                                            const struct sweep_query *query)
{
    switch (query->mgmt_class) {
    case MAD_CLASS_SA:
        return mad_sa_address(&part->sweep->sa, &part->sweep->port);
    case MAD_CLASS_SMP_DIRECT:
        return (struct mad_address){.lid = 0xFFFF};
    case MAD_CLASS_SMP_LID:
        return (struct mad_address){.lid = query->lid};
    default:
        return (struct mad_address){.lid = query->lid, .qpn = 1, .guid = query->guid};
    }
}

void sweep_part_ask(struct sweep_part *part, const struct sweep_query *query)
{
    requests_add(part->batch, &(struct mad_request){.to = sweep_ask_address(part, query),
                                                    .make = sweep_ask_make,
                                                    .done = sweep_ask_done,
                                                    .next = query->next,
                                                    .ctx = part,
                                                    .tag = query,
                                                    .tag_size = sizeof *query});
}

bool sweep_part_end(struct sweep_part *part, struct error *err)
{
    struct sweep *sweep = part->sweep;
    const bool ok = requests_run(part->batch, err);
    requests_add_counters(part->batch, &sweep->counters);
    part->ended = requests_was_ended(part->batch);
    requests_free(part->batch);
    sweep->complete = sweep->complete && (!part->ended || part->is_optional);
    return ok &&
           (!sweep->full ||
            error_set(err, "the fabric has more than ibtrapd has room for: %d nodes, %d ports",
                      FABRIC_NODES_MAX, FABRIC_PORTS_MAX));
}

bool sweep_part_run(struct sweep_part *part,
                    void (*ask)(void *part, uint32_t node, struct fabric_port *port),
                    struct error *err)
{
    sweep_part_begin(part);
    fabric_builder_each_port(part->builder, ask, part);
    return sweep_part_end(part, err);
}

static void sweep_ask_check_port(void *ctx, uint32_t node, struct fabric_port *port)
{
    (void)node;
    struct sweep *sweep = ctx;
    port->silent = port->silent && port->peer_node == FABRIC_NONE;
    const bool is_hidden = port->silent && sweep->by_sa && port->state == FABRIC_ACTIVE;
    sweep->hidden += is_hidden;
    sweep->complete = sweep->complete && port->known && (is_hidden || !port->silent);
}

void sweep_check_silence(struct sweep *sweep, struct fabric_builder *builder)
{
    fabric_builder_each_port(builder, sweep_ask_check_port, sweep);
}
