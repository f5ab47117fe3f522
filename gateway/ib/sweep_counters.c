// SPDX-License-Identifier: BSD-2-Clause
#include "base/memory.h"
#include "base/search.h"
#include "ib/node_mad.h"
#include "ib/register_mad.h"
#include "ib/sweep.h"
#include "ib/sweep_ask.h"
#include "ib/sweep_branches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The order.

// A walk of the known fabric from the own node on: each node once, by a shortest route.
struct sweep_order {
    const struct fabric *fabric;
    struct sweep_branches *branches;
    uint32_t *node_of; // by branch
    bool *is_reached;  // by node
};

static void sweep_counters_reach(struct sweep_order *o, uint32_t parent, uint8_t port,
                                 uint32_t node)
{
    o->is_reached[node] = true;
    o->node_of[sweep_branches_add(o->branches, parent, port)] = node;
}

static void sweep_counters_walk(struct sweep_order *o, uint32_t root)
{
    sweep_counters_reach(o, SWEEP_BRANCHES_NONE, 0, root);
    for (uint32_t at = 0; at < sweep_branches_count(o->branches); at++) {
        const struct fabric_node *n = &o->fabric->nodes[o->node_of[at]];
        for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
            const struct fabric_port *port = &o->fabric->ports[i];
            if (port->peer_node != FABRIC_NONE && !o->is_reached[port->peer_node] &&
                sweep_branches_at(o->branches, at).hops < SMP_HOPS_MAX)
                sweep_counters_reach(o, at, port->number, port->peer_node);
        }
    }
}

uint32_t *sweep_order_nodes(const struct fabric *fabric, uint16_t own_lid)
{
    const uint32_t nodes = fabric->node_count, port = fabric_find_lid(fabric, own_lid);
    uint32_t *order = memory_get((nodes + 1) * sizeof *order), count = 0;
    struct sweep_order o = {.fabric = fabric,
                            .branches = sweep_branches_new(),
                            .node_of = memory_get((nodes + 1) * sizeof *o.node_of),
                            .is_reached = memory_zeroed(nodes + 1, sizeof *o.is_reached)};
    struct sweep_branches_query turn;
    if (nodes > 0)
        sweep_counters_walk(&o, port == FABRIC_NONE ? 0 : fabric_node_of_port(fabric, port));
    while (sweep_branches_next(o.branches, true, &turn))
        order[count++] = o.node_of[turn.branch];
    for (uint32_t i = 0; i < nodes; i++) {
        if (!o.is_reached[i])
            order[count++] = i;
    }
    sweep_branches_free(o.branches);
    free(o.node_of);
    free(o.is_reached);
    return order;
}

// Reading.

// The LID of a switch answers for all its ports, another LID for its one port. Each reading first
// queries each LID for the kinds of its counters (ClassPortInfo): PortCountersExtended has error
// counters only since IBA 1.3; before IBA 1.3, the octets are reserved and zero. This query costs
// one MAD for each LID and notices a replaced device. A port whose PortCountersExtended has only
// the traffic is queried twice, since the traffic counters of PortCounters saturate within seconds;
// one with counters of its error correction once more. A port that had to wait is asked how long a
// tick of its clock is, and not again while its link keeps its rate. A port whose PortRcvErrors or
// PortXmitDiscards grew since the reading before is asked for their details: no bit of
// ClassPortInfo announces details. A port of a device that tells its registers is asked for those
// with counters, the histogram of its error correction among them.
//
// The time of a reading is limited, and a switch may lie, or make up nodes. So the LIDs are asked
// in a fair order (sweep_order_nodes), each for one thing at a time; a LID that does not answer
// promptly waits until all other LIDs were asked.
//
// A subnet manager may give a LID to another node between two sweeps. So the query for the node's
// NodeInfo follows those for its counters: the counters of another node are dropped.

enum {
    PROMPT_PART = 4,    // an answer is prompt if it takes this part of the time-out at most
    UNANSWERED_MAX = 3, // queries in a row; then the LID is not asked any more
    FEC_MISSED_MAX = 2, // the same, of queries for the error correction
};

// What is asked of a LID and of each of its ports, in this order.
enum counters_step {
    STEP_COUNTING, // of the LID
    STEP_COUNTERS,
    STEP_TRAFFIC,
    STEP_FEC,
    STEP_RCV_DETAILS,
    STEP_DISCARD_DETAILS,
    STEP_TICK,
    STEP_PHYSICAL, // of registers, from here on, in the order of enum register_page
    STEP_BINS,
    STEP_HISTOGRAM,
    STEP_RECOVERY,
    STEP_COUNT,
    STEP_NODE = STEP_COUNT, // of the LID, last
};

// The steps whose answers have details, and the counter that the details explain.
enum { FIRST_DETAILS = STEP_FEC, DETAILS_STEPS = STEP_DISCARD_DETAILS + 1 - FIRST_DETAILS };
static const enum counter EXPLAINED[DETAILS_STEPS] = {COUNTER_FEC_UNCORRECTABLE, COUNTER_RCV_ERRORS,
                                                      COUNTER_XMIT_DISCARDS};

static enum register_page sweep_counters_page(unsigned step)
{
    return REGISTER_PHYSICAL + (step - (unsigned)STEP_PHYSICAL);
}

enum {
    FIRST_REGISTER = COUNTER_EFFECTIVE_ERRORS,
    REGISTER_COUNTERS = COUNTER_UNINTENDED_DOWNS + 1 - FIRST_REGISTER
};

// The ports of one LID: the samples from the end of the group before to `end`.
struct group {
    uint64_t node_guid;
    uint32_t next, end; // `next`: the sample that is asked for
    uint16_t lid;       // 0: no LID that would answer
    bool is_of_node;    // after the counters, the LID still was that of the port
    uint8_t step;       // enum counters_step
    bool no_ticks;      // it left a query for a tick unanswered in this reading
    bool no_details;    // the same, of a query for details
    uint8_t unanswered; // queries in a row
    uint8_t fec_missed; // the same, of queries for the error correction
    uint64_t port_guid; // of the port with that LID
    struct gmp_counting counting;
    bool has_turn;               // its registers are read
    struct sweep_device *device; // that tells registers; NULL: it tells none, or does not answer
    struct register_bins bins;   // of the port
};

// What is kept of a port from one reading to the next, if there is something: what the port said of
// the tick of its PortXmitWait (PortSamplesControl, IBA 16.1.3.2), once for each rate of its link,
// how many errors its details have explained, and what its registers had last.

struct sweep_tick {
    uint64_t node_guid;
    uint16_t tick;  // as in struct counter_sample
    uint16_t speed; // of the link at the time of the query, like `width`
    uint8_t port, width;
    uint8_t unanswered; // readings in a row; SWEEP_TICKS_TRIES: it is not asked any more
    bool known;         // it answered; `tick` 0: that it does not say
    uint8_t registers;  // COUNTER_OF_REGISTERS: which were read
    uint32_t explained[DETAILS_STEPS]; // values of the counters EXPLAINED, modulo 2^32
};

struct sweep_kept {
    struct sweep_tick tick;
    uint64_t values[REGISTER_COUNTERS]; // of the registers
};

// NULL: nothing is kept of the port.
static const struct sweep_kept *sweep_counters_find_kept(const struct sweep_ticks *ticks,
                                                         uint64_t node_guid, uint8_t port)
{
    size_t at;
    SEARCH_FIRST(at, 0, ticks->count,
                 counter_compare_ports(ticks->all[at].tick.node_guid, ticks->all[at].tick.port,
                                       node_guid, port) < 0);
    const struct sweep_kept *found = at < ticks->count ? &ticks->all[at] : NULL;
    return found && found->tick.node_guid == node_guid && found->tick.port == port ? found : NULL;
}

// Fills in the rest of `one`, whose node, port, speed and width are set, from the last reading. A
// tick at another link rate is not known.
static void sweep_counters_recall(const struct sweep_ticks *ticks, struct sweep_tick *one)
{
    const struct sweep_kept *kept = sweep_counters_find_kept(ticks, one->node_guid, one->port);
    if (!kept)
        return;
    memcpy(one->explained, kept->tick.explained, sizeof one->explained);
    if (kept->tick.speed == one->speed && kept->tick.width == one->width)
        *one = kept->tick;
}

struct reader {
    struct sweep_part part;
    int64_t prompt_us;               // a later answer is late
    struct counter_reading *reading; // a sample has no node GUID until it is answered
    struct sweep_tick *ticks;        // of the samples; NULL: none are asked for
    const struct sweep_ticks *known; // from the reading before; NULL: none are asked for
    struct sweep_ticks kept;         // for the next reading
    size_t kept_room;
    struct error_details *details; // in the order of the answers
    size_t detail_count, detail_room;
    const struct sweep_devices *devices; // whose registers are read; NULL: nobody's
    const struct fabric *fabric;
    struct group *groups; // ascending by node
    uint32_t group_count;
    uint32_t *first_group; // by node, and one more: the end of the last one's
};

static uint16_t sweep_counters_attribute(const struct group *group)
{
    switch ((enum counters_step)group->step) {
    case STEP_COUNTING:
        return GMP_CLASS_PORT_INFO;
    case STEP_COUNTERS:
        return group->counting.extended ? GMP_PORT_COUNTERS_EXTENDED : GMP_PORT_COUNTERS;
    case STEP_FEC:
        return GMP_PORT_EXTENDED_SPEEDS_COUNTERS;
    case STEP_RCV_DETAILS:
        return GMP_PORT_RCV_ERROR_DETAILS;
    case STEP_DISCARD_DETAILS:
        return GMP_PORT_XMIT_DISCARD_DETAILS;
    case STEP_TICK:
        return GMP_PORT_SAMPLES_CONTROL;
    case STEP_NODE:
        return SMP_NODE_INFO;
    default:
        return GMP_PORT_COUNTERS_EXTENDED;
    }
}

static sweep_take sweep_counters_take;

static uint8_t sweep_counters_class(const struct group *group)
{
    return group->step == STEP_NODE       ? MAD_CLASS_SMP_LID
           : group->step >= STEP_PHYSICAL ? MAD_CLASS_VENDOR
                                          : MAD_CLASS_PERF;
}

// `next`: before the LIDs that wait. Otherwise all of them would be half read, and late.
static void sweep_counters_ask(struct reader *reader, const struct group *group, bool next)
{
    const bool of_lid = group->step == STEP_COUNTING || group->step == STEP_NODE;
    const uint8_t port = of_lid ? 0 : reader->reading->samples[group->next].port;
    sweep_part_ask(&reader->part,
                   &(struct sweep_query){.take = sweep_counters_take,
                                         .guid = group->port_guid,
                                         .at = (uint32_t)(group - reader->groups),
                                         .modifier = port,
                                         .port = port,
                                         .page = (uint8_t)sweep_counters_page(group->step),
                                         .attribute = sweep_counters_attribute(group),
                                         .lid = group->lid,
                                         .mgmt_class = sweep_counters_class(group),
                                         .next = next});
}

// False: there are no counters of that port.
static bool sweep_counters_read_sample(const struct group *group, struct counter_sample *sample,
                                       const uint8_t *data)
{
    const bool extended = group->counting.extended;
    if (!data || !gmp_read_counters(data, sample->port, extended, 0, sample->values))
        return false;
    if (!extended && !group->counting.wait)
        sample->values[COUNTER_XMIT_WAIT] = 0;
    sample->node_guid = group->node_guid;
    sample->extended = sample->wide = extended;
    sample->no_wait = !extended && !group->counting.wait;
    return true;
}

// Without an answer, the LID is not asked for further ticks in this reading; after
// SWEEP_TICKS_TRIES such readings, it is not asked any more.
static void sweep_counters_take_tick(struct reader *reader, struct group *group,
                                     const uint8_t *answer, const uint8_t *data)
{
    struct sweep_tick *one = &reader->ticks[group->next];
    uint16_t tick;
    one->known = answer != NULL;
    if (data && gmp_read_tick(data, one->port, &tick))
        one->tick = tick;
    group->no_ticks = !answer;
    for (uint32_t i = group->next; group->no_ticks && i < group->end; i++)
        reader->ticks[i].unanswered += !reader->ticks[i].known;
}

// Whether errors of the group's next port grew that its details have not explained. Of a full
// counter nobody can tell.
static bool sweep_counters_lacks_details(const struct reader *reader, const struct group *group,
                                         enum counters_step step)
{
    const struct counter_sample *sample = &reader->reading->samples[group->next];
    const enum counter counter = EXPLAINED[step - FIRST_DETAILS];
    return reader->ticks && !group->no_details &&
           (counter_is_full(sample, counter) ||
            (uint32_t)sample->values[counter] !=
                reader->ticks[group->next].explained[step - FIRST_DETAILS]);
}

// Without an answer, the LID is asked for no further details in this reading.
static void sweep_counters_take_details(struct reader *reader, struct group *group,
                                        const uint8_t *answer, const uint8_t *data)
{
    const struct counter_sample *sample = &reader->reading->samples[group->next];
    const unsigned at = group->step - (unsigned)FIRST_DETAILS;
    struct error_details one = {
        .node_guid = group->node_guid, .port = sample->port, .counter = EXPLAINED[at]};
    group->no_details = !answer;
    if (answer)
        reader->ticks[group->next].explained[at] = (uint32_t)sample->values[one.counter];
    if (data)
        gmp_read_details(data, &one);
    if (!one.known)
        return;
    MEMORY_MAKE_ROOM(reader->details, reader->detail_count, reader->detail_room);
    reader->details[reader->detail_count++] = one;
}

// Whether the step is to be asked of the group's next port, after its counters were read.
static bool sweep_counters_wants_step(const struct reader *reader, const struct group *group,
                                      enum counters_step step)
{
    const struct sweep_tick *tick = reader->ticks ? &reader->ticks[group->next] : NULL;
    switch (step) {
    case STEP_TRAFFIC:
        return group->counting.wide && !group->counting.extended;
    case STEP_FEC:
        return group->counting.fec;
    case STEP_RCV_DETAILS:
    case STEP_DISCARD_DETAILS:
        return sweep_counters_lacks_details(reader, group, step);
    case STEP_TICK:
        return reader->reading->samples[group->next].values[COUNTER_XMIT_WAIT] != 0 && tick &&
               !tick->known && tick->unanswered < SWEEP_TICKS_TRIES && !group->no_ticks;
    case STEP_HISTOGRAM:
        if (group->bins.first == group->bins.end)
            return false;
        // fall through
    default:
        return group->device && sweep_device_has(group->device, sweep_counters_page(step));
    }
}

// A LID that announces these counters and refuses them is asked once. A LID that does not answer is
// asked twice: a lost query says nothing about the next port.
static void sweep_counters_take_fec(struct reader *reader, struct group *group,
                                    const uint8_t *answer, const uint8_t *data)
{
    struct counter_sample *sample = &reader->reading->samples[group->next];
    const bool read = data && gmp_read_fec(data, sample->port, sample->values);
    sample->sources |= read ? COUNTER_OF_FEC : 0;
    group->fec_missed = answer ? 0 : (uint8_t)(group->fec_missed + 1);
    group->counting.fec = read || (!answer && group->fec_missed < FEC_MISSED_MAX);
    if (read && sweep_counters_lacks_details(reader, group, STEP_FEC))
        sweep_counters_take_details(reader, group, answer, data);
}

// Without an answer, the LID is asked for no further registers in this reading.
static void sweep_counters_take_register(const struct reader *reader, struct group *group,
                                         const struct sweep_query *query,
                                         const struct request_answer *answer)
{
    const uint8_t *octets = sweep_device_take(reader->part.sweep, group->device, query, answer);
    if (query->page == REGISTER_HISTOGRAM_BINS && octets)
        register_mad_read_bins(octets, &group->bins);
    else if (octets)
        register_mad_read_counters(octets, query->page, &group->bins,
                                   &reader->reading->samples[group->next]);
    if (!answer->mad)
        group->device = NULL;
}

// Takes an answer. Returns false if nothing more is to be asked of the port.
static bool sweep_counters_take_answer(struct reader *reader, struct group *group,
                                       const struct sweep_query *query,
                                       const struct request_answer *in)
{
    const uint8_t *data = in->data;
    struct counter_sample *sample = &reader->reading->samples[group->next];
    const uint8_t *answer = mad_is_busy(in->mad, in->size) ? NULL : in->mad;
    switch ((enum counters_step)group->step) {
    case STEP_COUNTERS:
        return sweep_counters_read_sample(group, sample, data);
    case STEP_TRAFFIC:
        sample->wide =
            data && gmp_read_counters(data, sample->port, true, COUNTER_ERRORS, sample->values);
        break;
    case STEP_FEC:
        sweep_counters_take_fec(reader, group, answer, data);
        break;
    case STEP_RCV_DETAILS:
    case STEP_DISCARD_DETAILS:
        sweep_counters_take_details(reader, group, answer, data);
        break;
    case STEP_TICK:
        sweep_counters_take_tick(reader, group, answer, data);
        break;
    default:
        sweep_counters_take_register(reader, group, query, in);
        break;
    }
    return true;
}

// Takes an answer about a port, and goes on to the next step or port.
static void sweep_counters_go_on(struct reader *reader, struct group *group,
                                 const struct sweep_query *query,
                                 const struct request_answer *answer)
{
    unsigned step = STEP_COUNT;
    if (sweep_counters_take_answer(reader, group, query, answer))
        for (step = group->step + 1U; step < STEP_COUNT; step++) {
            if (sweep_counters_wants_step(reader, group, step))
                break;
        }
    group->next += step == STEP_COUNT;
    if (step == STEP_COUNT)
        group->bins = (struct register_bins){0};
    group->step = (uint8_t)(step == STEP_COUNT ? STEP_COUNTERS : step);
}

// Notes that the node has the LID after its counters were read.
static void sweep_counters_note_node(void *ctx, const struct sweep_node *found)
{
    struct reader *reader = ctx;
    const uint32_t node = fabric_find_node(reader->fabric, found->node.guid);
    if (node == FABRIC_NONE)
        return;
    for (uint32_t i = reader->first_group[node]; i < reader->first_group[node + 1]; i++) {
        struct group *group = &reader->groups[i];
        group->is_of_node =
            group->is_of_node || (group->lid == found->lid && group->port_guid == found->port_guid);
    }
}

// Asks the LID for the next step, unless all steps are done, or the LID does not answer. Before the
// LIDs that wait, if the answer was prompt. By the method `sa`, the last step is a query to the SA.
static void sweep_counters_take(struct sweep_part *part, const struct sweep_query *query,
                                const struct request_answer *answer)
{
    struct reader *reader = part->own;
    struct group *group = &reader->groups[query->at];
    if (group->step == STEP_NODE) {
        struct sweep_node found = {.lid = group->lid};
        if (answer->data &&
            smp_read_node_info(answer->data, &found.node, &found.port_guid, &found.port))
            sweep_counters_note_node(reader, &found);
        return;
    }
    if (group->step != STEP_COUNTING) {
        sweep_counters_go_on(reader, group, query, answer);
    } else {
        if (!answer->mad)
            return; // requests for its counters would not be answered, either
        if (answer->data)
            gmp_read_counting(answer->data, &group->counting);
        group->step = STEP_COUNTERS;
    }
    group->unanswered = answer->mad ? 0 : (uint8_t)(group->unanswered + 1);
    if (group->next == group->end || group->unanswered == UNANSWERED_MAX)
        group->step = STEP_NODE;
    if (group->step != STEP_NODE || !part->sweep->by_sa)
        sweep_counters_ask(reader, group, answer->mad && answer->waited_us <= reader->prompt_us);
}

// Whether the device is in the share whose registers are read. GUIDs of one vendor have even gaps.
static bool sweep_counters_has_turn(const struct sweep *sweep, uint64_t guid)
{
    static const uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15); // Fibonacci hashing
    return sweep->register_shares > 0 &&
           (guid * GOLDEN >> 32) % sweep->register_shares == sweep->register_share;
}

// `answering` is the port that answers for the port; NULL: none does.
static void sweep_counters_add_port(struct reader *reader, uint64_t node_guid,
                                    const struct fabric_port *port,
                                    const struct fabric_port *answering)
{
    const uint16_t lid = answering ? answering->lid : 0;
    struct counter_reading *reading = reader->reading;
    assert(reader->groups);
    struct group *group = reader->group_count > 0 ? &reader->groups[reader->group_count - 1] : NULL;
    if (!group || group->node_guid != node_guid || group->lid != lid) {
        const uint64_t guid = answering ? answering->guid : 0;
        const bool has_turn = sweep_counters_has_turn(reader->part.sweep, guid);
        group = &reader->groups[reader->group_count++];
        *group =
            (struct group){.node_guid = node_guid,
                           .next = (uint32_t)reading->count,
                           .lid = lid,
                           .port_guid = guid,
                           .has_turn = has_turn,
                           .device = has_turn ? sweep_devices_find(reader->devices, guid) : NULL};
    }
    if (reader->ticks) {
        struct sweep_tick *tick = &reader->ticks[reading->count];
        *tick = (struct sweep_tick){.node_guid = node_guid,
                                    .port = port->number,
                                    .speed = port->speed_active,
                                    .width = port->width_active};
        sweep_counters_recall(reader->known, tick);
    }
    reading->samples[reading->count++].port = port->number;
    group->end = (uint32_t)reading->count;
}

// The port with the LID that answers for `port`; NULL for a node that did not answer the sweep.
static const struct fabric_port *sweep_counters_answering(const struct fabric *fabric,
                                                          const struct fabric_node *node,
                                                          const struct fabric_port *port)
{
    const struct fabric_port *first = &fabric->ports[node->first_port];
    if (node->type == FABRIC_SWITCH)
        port = first;
    return node->silent || (node->type == FABRIC_SWITCH && first->number != 0) ? NULL : port;
}

static void sweep_counters_add_node(struct reader *reader, const struct fabric *fabric,
                                    const struct fabric_node *node, enum fabric_state least)
{
    for (uint32_t i = 0; i < node->ports; i++) {
        const struct fabric_port *port = &fabric->ports[node->first_port + i];
        bool external = port->number > 0 || node->type != FABRIC_SWITCH;
        if (port->known && port->state >= least && external)
            sweep_counters_add_port(reader, node->guid, port,
                                    sweep_counters_answering(fabric, node, port));
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

// Lists what is to be read, in the order of the nodes.
static void sweep_counters_collect(struct reader *reader, const struct fabric *fabric,
                                   const struct sweep_choice *choice)
{
    const enum fabric_state least = choice->guids ? FABRIC_INITIALIZE : FABRIC_ACTIVE;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        reader->first_group[i] = reader->group_count;
        if (sweep_counters_wants(choice, &fabric->nodes[i]))
            sweep_counters_add_node(reader, fabric, &fabric->nodes[i], least);
    }
    reader->first_group[fabric->node_count] = reader->group_count;
}

// Queries the LIDs, in the order of their turns.
static void sweep_counters_ask_all(struct reader *reader, const struct fabric *fabric,
                                   const uint32_t *order)
{
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const uint32_t end = reader->first_group[order[i] + 1];
        for (uint32_t at = reader->first_group[order[i]]; at < end; at++) {
            if (reader->groups[at].lid != 0)
                sweep_counters_ask(reader, &reader->groups[at], false);
        }
    }
}

// Keeps what the next reading needs of the port. Completes the sample by its tick and, if the
// registers were not read, by what they had in the reading before.
static void sweep_counters_keep(struct reader *reader, bool had_turn, struct counter_sample *sample,
                                struct sweep_tick *tick)
{
    static const uint32_t NOTHING[DETAILS_STEPS];
    uint64_t *values = &sample->values[FIRST_REGISTER];
    const struct sweep_kept *before =
        had_turn ? NULL : sweep_counters_find_kept(reader->known, tick->node_guid, tick->port);
    if (before) {
        sample->sources |= before->tick.registers;
        memcpy(values, before->values, sizeof before->values);
    }
    sample->tick = tick->tick;
    tick->registers = sample->sources & COUNTER_OF_REGISTERS;
    if (!tick->known && tick->unanswered == 0 && tick->registers == 0 &&
        memcmp(tick->explained, NOTHING, sizeof NOTHING) == 0)
        return;
    MEMORY_MAKE_ROOM(reader->kept.all, reader->kept.count, reader->kept_room);
    struct sweep_kept *kept = &reader->kept.all[reader->kept.count++];
    kept->tick = *tick;
    memcpy(kept->values, values, sizeof kept->values);
}

// Keeps the samples that the node itself answered.
static void sweep_counters_compact(struct reader *reader)
{
    struct counter_reading *reading = reader->reading;
    const struct group *group = reader->groups;
    size_t kept = 0;
    for (size_t i = 0; i < reading->count; i++) {
        while (group->end <= i)
            group++;
        if (reading->samples[i].node_guid == 0 || !group->is_of_node)
            continue;
        reading->samples[kept] = reading->samples[i];
        if (reader->ticks)
            sweep_counters_keep(reader, group->has_turn, &reading->samples[kept],
                                &reader->ticks[i]);
        kept++;
    }
    reading->silent = reading->count - kept;
    reading->count = kept;
}

static int sweep_counters_order_details(const void *a, const void *b)
{
    const struct error_details *one = a, *other = b;
    const int order =
        counter_compare_ports(one->node_guid, one->port, other->node_guid, other->port);
    return order != 0 ? order : (int)one->counter - (int)other->counter;
}

// Returns the reading with the details of its samples. Takes over the reading.
static struct counter_reading *sweep_counters_join_details(struct reader *reader)
{
    const size_t count = reader->reading->count;
    struct counter_reading *reading =
        memory_resize(reader->reading, 1,
                      sizeof *reading + count * sizeof *reading->samples +
                          reader->detail_count * sizeof *reading->details);
    struct error_details *details = (struct error_details *)(void *)&reading->samples[count];
    reading->details = details;
    if (reader->detail_count > 0)
        qsort(reader->details, reader->detail_count, sizeof *details, sweep_counters_order_details);
    for (size_t i = 0, at = 0; i < reader->detail_count; i++) {
        const struct error_details *one = &reader->details[i];
        while (at < count &&
               counter_compare_ports(reading->samples[at].node_guid, reading->samples[at].port,
                                     one->node_guid, one->port) < 0)
            at++;
        if (at < count && reading->samples[at].node_guid == one->node_guid &&
            reading->samples[at].port == one->port)
            details[reading->detail_count++] = *one;
    }
    return reading;
}

static bool sweep_counters_read_all(struct sweep *sweep, struct reader *reader,
                                    const struct fabric *fabric, const struct sweep_choice *choice,
                                    struct error *err)
{
    sweep_part_begin(&reader->part);
    uint32_t *order = sweep_order_nodes(fabric, sweep->port.lid);
    sweep_counters_collect(reader, fabric, choice);
    sweep_counters_ask_all(reader, fabric, order);
    free(order);
    return sweep_part_end(&reader->part, err) &&
           (!sweep->by_sa || sweep_sa_nodes(sweep, sweep_counters_note_node, reader, err));
}

bool sweep_counters(struct sweep *sweep, const struct fabric *fabric,
                    const struct sweep_choice *choice, struct counter_reading **out,
                    struct error *err)
{
    const size_t ports = fabric->port_count, nodes = fabric->node_count;
    struct reader reader = {
        .part = {.sweep = sweep, .own = &reader},
        .prompt_us = sweep->requests.timeout_us / PROMPT_PART,
        .reading =
            memory_zeroed(1, sizeof *reader.reading + ports * sizeof *reader.reading->samples),
        .known = choice->guids ? NULL : sweep->ticks,
        .devices = choice->guids ? NULL : sweep->devices,
        .fabric = fabric,
        .groups = memory_zeroed(ports + 1, sizeof *reader.groups),
        .first_group = memory_get((nodes + 1) * sizeof *reader.first_group)};
    if (reader.known)
        reader.ticks = memory_get((ports + 1) * sizeof *reader.ticks);
    reader.reading->time_us = clock_utc(sweep->requests.clock);
    const bool ok = sweep_counters_read_all(sweep, &reader, fabric, choice, err);
    if (ok) {
        sweep_counters_compact(&reader);
        reader.reading = sweep_counters_join_details(&reader);
    }
    free(reader.details);
    free(reader.groups);
    free(reader.first_group);
    free(reader.ticks);
    if (ok && reader.known) {
        free(sweep->ticks->all);
        *sweep->ticks = reader.kept;
    }
    if (ok)
        *out = reader.reading;
    else
        free(reader.reading);
    return ok;
}
