// SPDX-License-Identifier: BSD-2-Clause
#include "ib/gmp_decode.h"
#include "ib/sweep_batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The LID of a switch answers for all its ports, another LID for its one port. Each reading first
// queries each LID for the counters that it has (ClassPortInfo): PortCountersExtended has error
// counters only since IBA 1.3; before that they are reserved and read as zero. This costs one MAD
// for each LID and notices a device that was replaced. A port whose PortCountersExtended has only
// the traffic is queried twice, since the traffic counters of PortCounters saturate within seconds.

// The ports of one LID: `count` samples of the reading, from `first` on.
struct group {
    uint64_t node_guid;
    uint32_t first, count;
    uint16_t lid; // 0: no LID that would answer
    struct gmp_counting counting;
};
static_assert(sizeof(struct group) <= BATCH_TAG_MAX, "a request carries one");

struct reader {
    struct batch *batch;
    struct counter_reading *reading; // a sample has no node GUID until it is answered
    struct group group;              // the group that add_port fills now
    bool no_memory;
};

static void make_counting(void *ctx, const void *tag, size_t tag_size, uint8_t *mad)
{
    (void)ctx, (void)tag, (void)tag_size;
    gmp_make_get(mad, MAD_CLASS_PERF, GMP_CLASS_PORT_INFO, 0);
}

static void make_get(const struct reader *reader, const struct group *group,
                     enum gmp_attribute attribute, uint8_t *mad)
{
    gmp_make_get_counters(mad, attribute, reader->reading->samples[group->first].port);
}

static void make_counters(void *ctx, const void *tag, size_t tag_size, uint8_t *mad)
{
    struct group group;
    memcpy(&group, tag, tag_size);
    make_get(ctx, &group, group.counting.extended ? GMP_PORT_COUNTERS_EXTENDED : GMP_PORT_COUNTERS,
             mad);
}

static void make_traffic(void *ctx, const void *tag, size_t tag_size, uint8_t *mad)
{
    struct group group;
    memcpy(&group, tag, tag_size);
    make_get(ctx, &group, GMP_PORT_COUNTERS_EXTENDED, mad);
}

// Requests for a LID's counters come before the ClassPortInfo of the next LID; otherwise the
// requests for all ports would wait in memory at the same time.
static void sweep_counters_ask(struct reader *reader, const struct group *group, batch_make *make,
                               batch_done *done)
{
    if (!batch_add(reader->batch, &(struct batch_request){.agent = MAD_AGENT_PERF,
                                                          .to = {.lid = group->lid, .qpn = 1},
                                                          .make = make,
                                                          .next = make != make_counting,
                                                          .done = done,
                                                          .ctx = reader,
                                                          .tag = group,
                                                          .tag_size = sizeof *group})) {
        reader->no_memory = true;
        batch_end(reader->batch);
    }
}

static void handle_traffic(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                           size_t size)
{
    struct reader *reader = ctx;
    struct group group;
    memcpy(&group, tag, tag_size);
    struct counter_sample *sample = &reader->reading->samples[group.first];
    const uint8_t *data = gmp_answer(answer, size, MAD_CLASS_PERF, GMP_PORT_COUNTERS_EXTENDED);
    sample->wide = data && gmp_read_traffic(data, sample->port, sample->values);
}

static void sweep_counters_handle_counters(void *ctx, const void *tag, size_t tag_size,
                                           const uint8_t *answer, size_t size)
{
    struct reader *reader = ctx;
    struct group group;
    memcpy(&group, tag, tag_size);
    struct counter_sample *sample = &reader->reading->samples[group.first];
    bool extended = group.counting.extended;
    const uint8_t *data = gmp_answer(answer, size, MAD_CLASS_PERF,
                                     extended ? GMP_PORT_COUNTERS_EXTENDED : GMP_PORT_COUNTERS);
    if (!data)
        return;
    bool fits = extended
                    ? gmp_read_counters_extended(data, sample->port, sample->values)
                    : gmp_read_counters(data, sample->port, group.counting.wait, sample->values);
    if (!fits)
        return;
    sample->node_guid = group.node_guid;
    sample->extended = sample->wide = extended;
    if (group.counting.wide && !extended)
        sweep_counters_ask(reader, &group, make_traffic, handle_traffic);
}

static void handle_counting(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                            size_t size)
{
    struct reader *reader = ctx;
    struct group group;
    memcpy(&group, tag, tag_size);
    if (!answer)
        return; // requests for its counters would not be answered, either
    const uint8_t *data = gmp_answer(answer, size, MAD_CLASS_PERF, GMP_CLASS_PORT_INFO);
    if (data)
        gmp_read_counting(data, &group.counting);
    uint32_t end = group.first + group.count;
    for (group.count = 1; group.first < end; group.first++)
        sweep_counters_ask(reader, &group, make_counters, sweep_counters_handle_counters);
}

// Queries the LID of the group that is complete.
static void end_group(struct reader *reader)
{
    if (reader->group.lid != 0)
        sweep_counters_ask(reader, &reader->group, make_counting, handle_counting);
}

static void add_port(struct reader *reader, uint64_t node_guid, uint8_t number, uint16_t lid)
{
    struct group *group = &reader->group;
    struct counter_reading *reading = reader->reading;
    if (group->node_guid != node_guid || group->lid != lid) {
        end_group(reader);
        *group =
            (struct group){.node_guid = node_guid, .first = (uint32_t)reading->count, .lid = lid};
    }
    reading->samples[reading->count++].port = number;
    group->count++;
}

// The LID that answers for the port; 0 for a node that did not answer the sweep.
static uint16_t lid_for(const struct fabric *fabric, const struct fabric_node *node,
                        const struct fabric_port *port)
{
    const struct fabric_port *first = &fabric->ports[node->first_port];
    if (node->type == FABRIC_SWITCH)
        port = first;
    return node->silent || (node->type == FABRIC_SWITCH && first->number != 0) ? 0 : port->lid;
}

static void add_node(struct reader *reader, const struct fabric *fabric,
                     const struct fabric_node *node, enum fabric_state least)
{
    for (uint32_t i = 0; i < node->ports; i++) {
        const struct fabric_port *port = &fabric->ports[node->first_port + i];
        bool external = port->number > 0 || node->type != FABRIC_SWITCH;
        if (port->known && port->state >= least && external)
            add_port(reader, node->guid, port->number, lid_for(fabric, node, port));
    }
}

static bool sweep_counters_wants(const struct sweep_choice *choice, const struct fabric_node *node)
{
    if (choice->switches_only && node->type != FABRIC_SWITCH)
        return false;
    for (size_t i = 0; choice->guids && i < choice->count; i++) {
        if (choice->guids[i] == node->guid)
            return true;
    }
    return !choice->guids;
}

static void sweep_counters_collect(struct reader *reader, const struct fabric *fabric,
                                   const struct sweep_choice *choice)
{
    const enum fabric_state least = choice->guids ? FABRIC_INITIALIZE : FABRIC_ACTIVE;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (sweep_counters_wants(choice, &fabric->nodes[i]))
            add_node(reader, fabric, &fabric->nodes[i], least);
    }
    end_group(reader);
}

// Keeps the samples that were answered.
static void compact(struct counter_reading *reading)
{
    size_t kept = 0;
    for (size_t i = 0; i < reading->count; i++) {
        if (reading->samples[i].node_guid != 0)
            reading->samples[kept++] = reading->samples[i];
    }
    reading->silent = reading->count - kept;
    reading->count = kept;
}

static bool sweep_counters_read_all(struct sweep *sweep, struct reader *reader,
                                    const struct fabric *fabric, const struct sweep_choice *choice,
                                    struct error *err)
{
    sweep_counters_collect(reader, fabric, choice);
    bool ok = sweep_batch_run(sweep, reader->batch, err);
    return ok && reader->no_memory ? error_set(err, "out of memory") : ok;
}

bool sweep_counters(struct sweep *sweep, const struct fabric *fabric,
                    const struct sweep_choice *choice, struct counter_reading **out,
                    struct error *err)
{
    struct reader reader = {.batch = sweep_batch_new(sweep)};
    reader.reading =
        calloc(1, sizeof *reader.reading + fabric->port_count * sizeof *reader.reading->samples);
    bool ok = reader.batch && reader.reading;
    if (!ok) {
        error_set(err, "out of memory");
    } else {
        reader.reading->time_us = clock_utc(sweep->batch.clock);
        ok = sweep_counters_read_all(sweep, &reader, fabric, choice, err);
    }
    batch_free(reader.batch);
    if (ok) {
        compact(reader.reading);
        *out = reader.reading;
    } else {
        free(reader.reading);
    }
    return ok;
}
