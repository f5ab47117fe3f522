// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_ask.h"

#include "ib/gmp_decode.h"
#include "ib/smp_decode.h"

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

bool sweep_part_knows(const struct sweep_part *part, uint64_t guid)
{
    const struct fabric *known = part->sweep->known;
    return known && fabric_find_node(known, guid) != FABRIC_NONE;
}

static void sweep_ask_make(void *ctx, const void *tag, uint8_t *mad)
{
    const struct sweep_part *part = ctx;
    const struct sweep_query *query = tag;
    const uint64_t mkey = mkeys_find(part->sweep->mkeys, query->guid, part->sweep->mkey);
    if (query->mgmt_class == MAD_CLASS_SMP_LID)
        smp_make_lid_get(mad, mkey, query->attribute, query->modifier);
    else if (query->mgmt_class == MAD_CLASS_PERF)
        gmp_make_get_counters(mad, query->attribute, query->port);
    else
        gmp_make_get(mad, query->mgmt_class, query->attribute, query->modifier);
}

static void sweep_ask_done(void *ctx, const void *tag, const struct request_answer *answer)
{
    const struct sweep_query *query = tag;
    const uint8_t *data =
        query->mgmt_class == MAD_CLASS_SMP_LID
            ? smp_answer(answer->mad, answer->size, query->attribute)
            : gmp_answer(answer->mad, answer->size, query->mgmt_class, query->attribute);
    query->take(ctx, query, data, answer);
}

void sweep_part_ask(struct sweep_part *part, const struct sweep_query *query, bool next)
{
    struct mad_request request = {.agent = query->mgmt_class == MAD_CLASS_PERF ? MAD_AGENT_PERF
                                                                               : MAD_AGENT_DM,
                                  .to = {.lid = query->lid, .qpn = 1, .guid = query->guid},
                                  .make = sweep_ask_make,
                                  .done = sweep_ask_done,
                                  .next = next,
                                  .ctx = part,
                                  .tag = query,
                                  .tag_size = sizeof *query};
    if (query->mgmt_class == MAD_CLASS_SMP_LID) {
        request.agent = MAD_AGENT_SMP_LID;
        request.to = (struct mad_address){.lid = query->lid};
    }
    requests_add(part->batch, &request);
}

bool sweep_part_end(struct sweep_part *part, struct error *err)
{
    struct sweep *sweep = part->sweep;
    const bool ok = requests_run(part->batch, err);
    struct requests_counters counters;
    requests_get_counters(part->batch, &counters);
    part->ended = requests_was_ended(part->batch);
    requests_free(part->batch);
    sweep->counters.requests += counters.requests;
    sweep->counters.sent += counters.sent;
    sweep->counters.answered += counters.answered;
    sweep->counters.given_up += counters.given_up;
    sweep->complete = sweep->complete && !part->ended;
    return ok &&
           (!sweep->full ||
            error_set(err, "the fabric has more than ibtrapd has room for: %d nodes, %d ports",
                      FABRIC_NODES_MAX, FABRIC_PORTS_MAX));
}
