// SPDX-License-Identifier: BSD-2-Clause
// Counter readings of a fabric whose ports answer or fail to.
#include "fake_port.h"
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "model/fabric_builder.h"

#include <infiniband/mad.h>

enum { DATA = 64, CLASS_INFO = 0x01, PLAIN = 0x12, EXTENDED = 0x1D, WAIT = 1 << 12 };
enum { RCV_DETAILS = 0x15, DISCARD_DETAILS = 0x16, SAMPLES = 0x10, FEC = 0x1F, HAS_FEC = 1 << 14 };
enum { WIDE = 1 << 9, WIDE_NO_IETF = 1 << 10 };
enum { SPINE_LID = 10, LEAF_LID = 11, HOST_LID = 20, SECOND_HOST_LID = 21 };
static const uint64_t SPINE = 0x500, LEAF = 0x100, HOST = 0x300;

// How a LID answers.
static struct manners {
    bool deaf, without_class_info, refuses, other_port, extended, extended_deaf, wait;
    bool fec, fec_deaf, fec_refused, of_lanes, ticks_refused, ticks_deaf, ticks_busy;
    bool details_refused, details_deaf, details_of_other;
    unsigned wide; // its capability bits
    unsigned more; // PortRcvErrors
    unsigned fec_lost,
        fec_busy; // queries for the error correction that get no answer, or this answer
    unsigned samples_asked, fec_asked;
    unsigned class_info_asked, plain_asked, extended_asked, details_asked, node_asked;
    unsigned answering; // another LID: that of the node which the LID leads to now
} manners[32];

static struct fake_port f;
static struct fabric *fabric;
static struct counter_reading *reading;
static struct sweep_ticks ticks;
static bool learns, by_sa;
static unsigned sa_asked;
static struct error err;

static unsigned lid_count(uint16_t lid, unsigned place)
{
    return 100u * lid + place;
}

static void write_counters(uint8_t *data, uint16_t lid, uint8_t port)
{
    data[1] = port;
    wire_put(data + 4, 2, lid);
    data[6] = 2;
    data[7] = 3;
    wire_put(data + 8, 2, 0x0404);
    wire_put(data + 10, 2, 0x0505);
    wire_put(data + 12, 2, 0x0606);
    wire_put(data + 14, 2, 0x0707);
    data[16] = 8;
    data[17] = 9;
    data[19] = 0xAB;                // LocalLinkIntegrityErrors, ExcessiveBufferOverrunErrors
    wire_put(data + 20, 2, 0xFFFF); // QP1Dropped
    wire_put(data + 22, 2, 0x0C0C);
    for (size_t at = 24; at < 40; at += 4)
        wire_put(data + at, 4, 0x01010101 * (at / 4)); // traffic
    wire_put(data + 40, 4, 0x0D0D0D0D);
}

static void write_extended(uint8_t *data, uint8_t port)
{
    data[1] = port;
    memset(data + 8, 0xFF, 64);
    for (unsigned i = COUNTER_ERRORS; i < COUNTER_COUNT; i++)
        wire_put(data + 8 + 8 * (i - COUNTER_ERRORS), 8, UINT64_C(0x0100000000) + i);
    for (unsigned i = 0; i <= COUNTER_XMIT_WAIT; i++)
        wire_put(data + 72 + 8 * i, 8, UINT64_C(0x0100000000) + i);
}

// Writes both layouts of PortExtendedSpeedsCounters with libibmad, which perfquery -T reads with.
static void write_fec(uint8_t *data, uint8_t port, bool of_lanes)
{
    mad_set_field(data, 0, IB_PESC_PORT_SELECT_F, port);
    mad_set_field(data, 0, IB_PESC_SYNC_HDR_ERR_CTR_F, 0x7777);
    if (!of_lanes) {
        mad_set_field(data, 0, IB_PESC_RSFEC_FEC_CORR_SYMBOL_CTR_LANE0_F, 900);
        mad_set_field(data, 0, IB_PESC_RSFEC_FEC_CORR_SYMBOL_CTR_LANE3_F, 40);
        mad_set_field(data, 0, IB_PESC_PORT_FEC_CORR_BLOCK_CTR_F, 800);
        mad_set_field(data, 0, IB_PESC_PORT_FEC_UNCORR_BLOCK_CTR_F, 7);
        mad_set_field(data, 0, IB_PESC_PORT_FEC_CORR_SYMBOL_CTR_F, 940);
        return;
    }
    mad_set_field(data, 0, IB_PESC_ERR_DET_CTR_LANE0_F, 0x6666);
    mad_set_field(data, 0, IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F, 0xFFFFFFFF);
    mad_set_field(data, 0, IB_PESC_FEC_CORR_BLOCK_CTR_LANE11_F, 5);
    mad_set_field(data, 0, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE0_F, 2);
    mad_set_field(data, 0, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE11_F, 1);
}

static uint64_t port_guid(uint16_t lid)
{
    return 0xA000 + lid;
}

static void write_node(uint8_t *info, uint16_t lid)
{
    const bool of_switch = lid == SPINE_LID || lid == LEAF_LID;
    info[2] = of_switch ? FABRIC_SWITCH : FABRIC_CA;
    info[3] = 4;
    wire_put(info + 12, 8, lid == SPINE_LID ? SPINE : lid == LEAF_LID ? LEAF : HOST);
    wire_put(info + 20, 8, port_guid(lid));
    info[36] = of_switch ? 3 : lid == HOST_LID ? 1 : 2;
}

static uint16_t answering(uint16_t lid)
{
    return manners[lid].answering ? (uint16_t)manners[lid].answering : lid;
}

// NodeRecords of all four LIDs.
static bool answer_as_sa(const uint8_t *request, struct fake_answer *out)
{
    enum { STRIDE = 112, SA_DATA = 56 };
    static const uint16_t LIDS[] = {SPINE_LID, LEAF_LID, HOST_LID, SECOND_HOST_LID};
    assert_true(by_sa);
    assert_int_equal(wire_get16(request + 16), 0x11);
    sa_asked++;
    wire_put(out->octets + 44, 2, STRIDE / 8);
    for (size_t i = 0; i < COUNT(LIDS); i++) {
        uint8_t *record = out->octets + SA_DATA + i * STRIDE;
        wire_put(record, 2, LIDS[i]);
        write_node(record + 4, answering(LIDS[i]));
    }
    out->size = SA_DATA + COUNT(LIDS) * STRIDE;
    return true;
}

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    const struct mad_address *to = &asked->to;
    const uint8_t *request = asked->octets;
    if (asked->agent == MAD_AGENT_SA)
        return answer_as_sa(request, out);
    if (asked->agent == MAD_AGENT_SMP_LID) {
        assert_false(by_sa);
        assert_int_equal(wire_get16(request + 16), 0x11);
        manners[to->lid].node_asked++;
        write_node(out->octets + DATA, answering(to->lid));
        return true;
    }
    assert_int_equal(asked->agent, MAD_AGENT_PERF);
    assert_int_equal(to->qpn, 1);
    assert_int_equal(request[1], 0x04);
    assert_int_equal(request[3], 0x01); // never Set
    assert_in_range(to->lid, 1, COUNT(manners) - 1);
    struct manners *m = &manners[to->lid];
    uint8_t *data = out->octets + DATA, port = request[DATA + 1];
    if (m->deaf)
        return false;
    switch (wire_get16(request + 16)) {
    case CLASS_INFO:
        m->class_info_asked++;
        wire_put(out->octets + 4, 2, m->without_class_info ? 0x000C : 0);
        wire_put(data + 2, 2, (m->wait ? WAIT : 0) | (m->fec ? HAS_FEC : 0) | m->wide);
        wire_put(data + 4, 4, m->extended ? 2 << 5 : 0);
        return true;
    case PLAIN:
        m->plain_asked++;
        wire_put(out->octets + 4, 2, m->refuses ? 0x001C : 0);
        write_counters(data, to->lid, m->other_port ? port + 1 : port);
        wire_put(data + 8, 2, 0x0404 + m->more);
        return true;
    case EXTENDED:
        m->extended_asked++;
        wire_put(out->octets + 4, 2, m->extended_deaf ? 0x001C : 0);
        write_extended(data, m->other_port ? port + 1 : port);
        return true;
    case SAMPLES:
        m->samples_asked++;
        wire_put(out->octets + 4, 2, m->ticks_refused ? 0x000C : m->ticks_busy ? 1 : 0);
        mad_set_field(data, 0, IB_PSC_PORT_SELECT_F, port);
        mad_set_field(data, 0, IB_PSC_TICK_F, port == 3 ? 255 : 0);
        return !m->ticks_deaf;
    case FEC:
        m->fec_asked++;
        wire_put(out->octets + 4, 2, m->fec_refused ? 0x000C : m->fec_asked <= m->fec_busy ? 1 : 0);
        write_fec(data, m->other_port ? port + 1 : port, m->of_lanes);
        return !m->fec_deaf && m->fec_asked > m->fec_lost;
    case RCV_DETAILS:
    case DISCARD_DETAILS:
        m->details_asked++;
        wire_put(out->octets + 4, 2, m->details_refused ? 0x000C : 0);
        data[1] = m->details_of_other ? port + 1 : port;
        // Octets 2 and 3 are CounterSelect.
        wire_put(data + 4, 2, lid_count(to->lid, 1));  // local physical; inactive
        wire_put(data + 6, 2, lid_count(to->lid, 2));  // malformed; neighbour's MTU
        wire_put(data + 8, 2, lid_count(to->lid, 3));  // buffer overrun; lifetime
        wire_put(data + 10, 2, lid_count(to->lid, 4)); // DLID mapping; head of queue
        wire_put(data + 12, 2, lid_count(to->lid, 5)); // VL mapping; reserved
        wire_put(data + 14, 2, 0xFFFF);                // looping; reserved
        return !m->details_deaf;
    default:
        return false;
    }
}

static uint32_t add_node(struct fabric_builder *b, uint64_t guid, enum fabric_type type)
{
    return fabric_builder_node(
        b, &(struct fabric_node){.guid = guid, .type = (uint8_t)type, .port_count = 4});
}

static void add_port(struct fabric_builder *b, uint32_t node, uint8_t number, uint16_t lid,
                     enum fabric_state state, uint16_t speed)
{
    const struct fabric_port port = {.number = number,
                                     .known = true,
                                     .guid = lid != 0 ? port_guid(lid) : 0,
                                     .lid = lid,
                                     .state = (uint8_t)state,
                                     .speed_active = speed};
    assert_true(fabric_builder_port(b, node, &port));
}

// Two switches with two ports in use each, and a host with two ports. `speed`: of the leaf's
// port 1.
static struct fabric *make_fabric(uint16_t speed)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t spine = add_node(b, SPINE, FABRIC_SWITCH), leaf = add_node(b, LEAF, FABRIC_SWITCH),
             host = add_node(b, HOST, FABRIC_CA);
    add_port(b, spine, 0, SPINE_LID, FABRIC_ACTIVE, 0);
    add_port(b, leaf, 0, LEAF_LID, FABRIC_ACTIVE, 0);
    for (uint8_t port = 1; port <= 4; port++) {
        add_port(b, spine, port, 0, port > 2 ? FABRIC_ACTIVE : FABRIC_DOWN, 0);
        add_port(b, leaf, port, 0, port > 2 ? FABRIC_INITIALIZE : FABRIC_ACTIVE,
                 port == 1 ? speed : 0);
    }
    add_port(b, host, 2, SECOND_HOST_LID, FABRIC_ACTIVE, 0);
    add_port(b, host, 1, HOST_LID, FABRIC_ACTIVE, 0);
    struct fabric *made = fabric_builder_finish(b, SUPPORT_UTC_US, 0, true);
    assert_non_null(made);
    return made;
}

static int begin(void **state)
{
    (void)state;
    fabric = make_fabric(FABRIC_QDR);
    fake_port_init(&f, answer, NULL);
    memset(manners, 0, sizeof manners);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    free(reading);
    reading = NULL;
    free(ticks.all);
    ticks = (struct sweep_ticks){0};
    learns = by_sa = false;
    sa_asked = 0;
    return 0;
}

static void read_chosen(struct sweep_choice choice)
{
    struct sweep sweep = fake_port_sweep(&f);
    const uint64_t before = f.sent;
    sweep.ticks = learns ? &ticks : NULL;
    sweep.by_sa = by_sa;
    free(reading);
    assert_true(sweep_counters(&sweep, fabric, &choice, &reading, &err));
    assert_int_equal(reading->time_us, SUPPORT_UTC_US);
    assert_int_equal(sweep.counters.sent, f.sent - before);
    assert_true(sweep.complete);
}

static void read_counters(bool switches_only)
{
    read_chosen((struct sweep_choice){.switches_only = switches_only});
}

static void check_sample(size_t i, uint64_t node_guid, uint8_t port)
{
    assert_in_range(i + 1, 1, reading->count);
    assert_int_equal(reading->samples[i].node_guid, node_guid);
    assert_int_equal(reading->samples[i].port, port);
}

TEST(samples_are_sorted_and_of_active_ports)
{
    read_counters(false);
    assert_int_equal(reading->count, 6);
    assert_int_equal(reading->silent, 0);
    check_sample(0, LEAF, 1);
    check_sample(1, LEAF, 2);
    check_sample(2, HOST, 1);
    check_sample(3, HOST, 2);
    check_sample(4, SPINE, 3);
    check_sample(5, SPINE, 4);
}

TEST(each_lid_is_asked_once_what_it_counts)
{
    read_counters(false);
    assert_int_equal(manners[LEAF_LID].class_info_asked, 1);
    assert_int_equal(manners[LEAF_LID].plain_asked, 2);
    assert_int_equal(manners[SECOND_HOST_LID].class_info_asked, 1);
    assert_int_equal(f.sent, 4 + 6 + 4); // and whose LID it is
}

// A subnet manager that was started anew exchanged the LIDs of two nodes after the last sweep.
static void exchange(uint16_t a, uint16_t b)
{
    manners[a].answering = b;
    manners[b].answering = a;
}

TEST(counters_of_a_lid_that_belongs_to_another_node_now_are_dropped)
{
    exchange(SPINE_LID, LEAF_LID);
    read_counters(false);
    assert_int_equal(reading->count, 2);
    assert_int_equal(reading->silent, 4);
    check_sample(0, HOST, 1);
    check_sample(1, HOST, 2);
    assert_int_equal(manners[LEAF_LID].node_asked, 1);
}

TEST(two_ports_of_a_host_may_exchange_their_lids)
{
    exchange(HOST_LID, SECOND_HOST_LID);
    read_counters(false);
    assert_int_equal(reading->count, 4);
    check_sample(2, SPINE, 3);
}

TEST(by_the_method_sa_the_sa_says_whose_lid_it_is)
{
    by_sa = true;
    exchange(SPINE_LID, SECOND_HOST_LID);
    read_counters(false);
    assert_int_equal(reading->count, 3);
    check_sample(0, LEAF, 1);
    check_sample(2, HOST, 1);
    assert_int_equal(sa_asked, 1);
}

TEST(a_tick_is_not_learned_of_another_node)
{
    learns = manners[LEAF_LID].wait = true;
    manners[LEAF_LID].answering = SPINE_LID;
    read_counters(true);
    manners[LEAF_LID].answering = 0;
    read_counters(true);
    assert_int_equal(manners[LEAF_LID].samples_asked, 4);
}

TEST(switches_only)
{
    read_counters(true);
    assert_int_equal(reading->count, 4);
    check_sample(1, LEAF, 2);
    check_sample(2, SPINE, 3);
    assert_int_equal(manners[HOST_LID].class_info_asked, 0);
}

// Of a named switch all ports that are not down, since a link that came up just now is not active.
TEST(named_switches_only)
{
    const uint64_t wanted[] = {LEAF, UINT64_C(0x4711)};
    read_chosen((struct sweep_choice){.switches_only = true, .guids = wanted, .count = 2});
    assert_int_equal(reading->count, 4);
    for (uint8_t port = 1; port <= 4; port++)
        check_sample(port - 1U, LEAF, port);
}

TEST(plain_counters)
{
    manners[LEAF_LID].wait = true;
    read_counters(true);
    static const uint64_t EXPECTED[COUNTER_COUNT] = {
        LEAF_LID,   2,          3,         0x0404,
        0x0505,     0x0606,     0x0707,    8,
        9,          0xA,        0xB,       0x0C0C,
        0x0D0D0D0D, 0,          0,         [COUNTER_XMIT_DATA] = 0x06060606,
        0x07070707, 0x08080808, 0x09090909};
    assert_memory_equal(reading->samples[0].values, EXPECTED, sizeof EXPECTED);
    assert_false(reading->samples[0].extended);
    assert_false(reading->samples[0].wide);
}

TEST(traffic_of_64_bits_where_there_is)
{
    manners[LEAF_LID].wide = WIDE;
    manners[SPINE_LID].wide = WIDE_NO_IETF;
    read_counters(true);
    for (size_t s = 0; s < reading->count; s++) {
        const struct counter_sample *sample = &reading->samples[s];
        assert_true(sample->wide);
        assert_false(sample->extended);
        assert_int_equal(sample->values[COUNTER_LINK_ERROR_RECOVERY], 2);
        for (unsigned i = COUNTER_ERRORS; i < COUNTER_COUNT; i++)
            assert_int_equal(sample->values[i], UINT64_C(0x0100000000) + i);
    }
    assert_int_equal(manners[LEAF_LID].plain_asked, 2);
    assert_int_equal(manners[LEAF_LID].extended_asked, 2);
}

TEST(who_keeps_its_64_bits_to_itself_has_32)
{
    manners[LEAF_LID].wide = WIDE;
    manners[LEAF_LID].extended_deaf = true;
    read_counters(true);
    assert_int_equal(reading->count, 4);
    assert_false(reading->samples[0].wide);
    assert_int_equal(reading->samples[0].values[COUNTER_RCV_DATA], 0x07070707);
}

static const struct counter_sample *sample_of(uint64_t node, uint8_t port)
{
    for (size_t i = 0; i < reading->count; i++) {
        if (reading->samples[i].node_guid == node && reading->samples[i].port == port)
            return &reading->samples[i];
    }
    fail_msg("no sample");
    return NULL;
}

TEST(without_xmit_wait_its_place_means_nothing)
{
    manners[SPINE_LID].wait = true;
    read_counters(true);
    assert_true(reading->samples[0].no_wait);
    assert_false(sample_of(SPINE, 3)->no_wait);
    assert_int_equal(reading->samples[0].values[COUNTER_XMIT_WAIT], 0);
    assert_int_equal(reading->samples[0].values[COUNTER_VL15_DROPPED], 0x0C0C);
}

TEST(extended_counters_where_they_have_errors)
{
    manners[SPINE_LID].extended = true;
    read_counters(true);
    check_sample(2, SPINE, 3);
    assert_true(reading->samples[2].extended);
    assert_true(reading->samples[2].wide);
    assert_false(reading->samples[2].no_wait);
    for (unsigned i = 0; i < COUNTER_COUNT; i++) {
        const bool is_other = i >= COUNTER_FEC_CORRECTED && i <= COUNTER_UNINTENDED_DOWNS;
        assert_int_equal(reading->samples[2].values[i], is_other ? 0 : UINT64_C(0x0100000000) + i);
    }
    assert_int_equal(manners[SPINE_LID].plain_asked, 0);
    assert_false(reading->samples[0].extended);
    assert_int_equal(manners[LEAF_LID].extended_asked, 0);
}

TEST(who_has_no_class_port_info_still_counts)
{
    manners[LEAF_LID].without_class_info = true;
    manners[LEAF_LID].extended = manners[LEAF_LID].wait = true; // in an answer that is ignored
    read_counters(true);
    assert_int_equal(reading->count, 4);
    assert_false(reading->samples[0].extended);
    assert_int_equal(reading->samples[0].values[COUNTER_XMIT_WAIT], 0);
}

TEST(a_deaf_switch_costs_one_question)
{
    manners[LEAF_LID].deaf = true;
    read_counters(true);
    assert_int_equal(reading->count, 2);
    assert_int_equal(reading->silent, 2);
    check_sample(0, SPINE, 3);
    assert_int_equal(f.sent, 3 + 1 + 2 + 1); // three attempts at the leaf; the spine is asked
}

TEST(an_answer_for_another_port_is_none)
{
    manners[HOST_LID].other_port = true;
    manners[SPINE_LID].other_port = manners[SPINE_LID].extended = true;
    read_counters(false);
    assert_int_equal(reading->count, 3);
    assert_int_equal(reading->silent, 3);
    check_sample(2, HOST, 2);
}

TEST(a_refusal_is_no_answer)
{
    manners[HOST_LID].refuses = true;
    read_counters(false);
    assert_int_equal(reading->count, 5);
    assert_int_equal(reading->silent, 1);
}

TEST(a_node_that_was_silent_is_not_asked)
{
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node node = {
        .guid = HOST, .type = FABRIC_CA, .port_count = 1, .silent = true};
    add_port(b, fabric_builder_node(b, &node), 1, HOST_LID, FABRIC_ACTIVE, 0);
    fabric_unref(fabric);
    fabric = fabric_builder_finish(b, SUPPORT_UTC_US, 0, false);
    read_counters(false);
    assert_int_equal(reading->count, 0);
    assert_int_equal(reading->silent, 1);
    assert_int_equal(f.sent, 0);
}

TEST(a_switch_without_its_port_0_is_not_asked)
{
    struct fabric_builder *b = fabric_builder_new();
    add_port(b, add_node(b, LEAF, FABRIC_SWITCH), 1, 0, FABRIC_ACTIVE, 0);
    fabric_unref(fabric);
    fabric = fabric_builder_finish(b, SUPPORT_UTC_US, 0, false);
    read_counters(false);
    assert_int_equal(reading->silent, 1);
    assert_int_equal(f.sent, 0);
}

TEST(short_answers_are_none)
{
    uint8_t mad[MAD_SIZE] = {1, 4, 1, 0x81, [17] = PLAIN};
    assert_ptr_equal(node_mad_answer(mad, sizeof mad, 4, GMP_PORT_COUNTERS), mad + DATA);
    assert_null(node_mad_answer(mad, sizeof mad - 1, 4, GMP_PORT_COUNTERS));
    assert_null(node_mad_answer(mad, sizeof mad, 6, GMP_PORT_COUNTERS));
    assert_null(node_mad_answer(mad, sizeof mad, 4, GMP_PORT_COUNTERS_EXTENDED));
    assert_null(node_mad_answer(NULL, 0, 4, GMP_PORT_COUNTERS));
    mad[3] = 0x01;
    assert_null(node_mad_answer(mad, sizeof mad, 4, GMP_PORT_COUNTERS));
}

// A switch that lies about the nodes behind it, and has the lowest GUIDs. It answers late.

enum { OWN_LID = 7, LIAR_LID = 10, LIES_LID = 100, LIES = 250, HONEST_LID = 1000, HONEST = 20 };
static const int64_t LATE_US = 90 * CLOCK_US_PER_MS, PART_US = 2 * CLOCK_US_PER_S;
static const uint64_t FIRST_LIE = 0x10, FIRST_HONEST = 0x9100;
static bool prompt_at_first, deaf_for_counters; // the liar
static unsigned asked_of_liar;

static uint64_t guid_at(uint16_t lid)
{
    return lid == OWN_LID      ? 0x9001
           : lid == LIAR_LID   ? 1
           : lid == HONEST_LID ? 0x9000
           : lid > HONEST_LID  ? FIRST_HONEST + lid - HONEST_LID - 1
                               : FIRST_LIE + lid - LIES_LID;
}

static bool answer_or_lie(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    const bool lies = asked->to.lid >= LIAR_LID && asked->to.lid < HONEST_LID;
    const bool counters = wire_get16(asked->octets + 16) == PLAIN;
    asked_of_liar += asked->to.lid == LIAR_LID && counters;
    if (lies && !(prompt_at_first && !counters))
        out->late_us = LATE_US;
    if (counters)
        write_counters(out->octets + DATA, 1, asked->octets[DATA + 1]);
    if (asked->agent == MAD_AGENT_SMP_LID) {
        write_node(out->octets + DATA, asked->to.lid);
        wire_put(out->octets + DATA + 12, 8, guid_at(asked->to.lid));
    }
    return !(lies && counters && deaf_for_counters);
}

static void link_host(struct fabric_builder *b, uint32_t at, uint8_t port, uint64_t guid,
                      uint16_t lid)
{
    const uint32_t host = add_node(b, guid, FABRIC_CA);
    add_port(b, host, 1, lid, FABRIC_ACTIVE, 0);
    add_port(b, at, port, 0, FABRIC_ACTIVE, 0);
    assert_true(fabric_builder_link(b, at, port, host, 1));
}

// A spine with the own host, the liar and honest hosts; behind the liar a host for each port. Reads
// for PART_US, and checks that the honest hosts were read.
static void read_behind_a_liar(void)
{
    struct fabric_builder *b = fabric_builder_new();
    const uint32_t liar = add_node(b, 1, FABRIC_SWITCH), spine = add_node(b, 0x9000, FABRIC_SWITCH);
    add_port(b, liar, 0, LIAR_LID, FABRIC_ACTIVE, 0);
    add_port(b, spine, 0, HONEST_LID, FABRIC_ACTIVE, 0);
    link_host(b, spine, 1, 0x9001, OWN_LID);
    assert_true(fabric_builder_link(b, spine, 2, liar, 254));
    for (uint8_t i = 0; i < LIES; i++)
        link_host(b, liar, (uint8_t)(1 + i), FIRST_LIE + i, (uint16_t)(LIES_LID + i));
    for (uint8_t i = 0; i < HONEST; i++)
        link_host(b, spine, (uint8_t)(3 + i), FIRST_HONEST + i, (uint16_t)(HONEST_LID + 1 + i));
    fabric_unref(fabric);
    fabric = fabric_builder_finish(b, SUPPORT_UTC_US, 0, true);
    fake_port_init(&f, answer_or_lie, NULL);
    asked_of_liar = 0;
    struct sweep sweep = fake_port_sweep(&f);
    sweep.limits.part_us = PART_US;
    assert_true(
        sweep_counters(&sweep, fabric, &(struct sweep_choice){.guids = NULL}, &reading, &err));
    size_t honest = 0;
    for (size_t i = 0; i < reading->count; i++)
        honest += reading->samples[i].node_guid >= FIRST_HONEST;
    assert_int_equal(honest, HONEST);
}

TEST(made_up_nodes_with_low_guids_keep_no_honest_ones_from_being_read)
{
    prompt_at_first = deaf_for_counters = false;
    read_behind_a_liar();
    assert_in_range(reading->silent, 1, LIES * 2); // there was no time for all of them
}

TEST(a_node_that_becomes_slow_waits_for_all_others)
{
    prompt_at_first = true;
    deaf_for_counters = false;
    read_behind_a_liar();
}

TEST(a_node_that_answers_no_counters_is_left_alone)
{
    prompt_at_first = deaf_for_counters = true;
    read_behind_a_liar();
    assert_in_range(asked_of_liar, 1, 9); // three queries of three attempts, not one for each port
}

// Details.

static void assert_described(const struct error_details *details, const char *expected)
{
    char words[512];
    struct text t = text_in(words, sizeof words);
    error_details_describe(&t, details);
    assert_string_equal(words, expected);
}

static void assert_told(uint64_t node, uint8_t port, enum counter counter, const char *expected)
{
    const struct error_details *details = counter_find_details(reading, node, port, counter);
    assert_non_null(details);
    assert_described(details, expected);
}

TEST(a_port_says_why_it_counts_errors)
{
    learns = true;
    read_counters(false);
    assert_told(SPINE, 3, COUNTER_RCV_ERRORS,
                "1001 local physical errors, 1002 malformed packets, 1003 buffer overruns, 1004 "
                "DLID mapping errors, 1005 VL mapping errors, 65535 or more looping packets");
    assert_told(LEAF, 1, COUNTER_XMIT_DISCARDS,
                "1101 packets for an inactive port, 1102 packets larger than the neighbour's MTU, "
                "1103 packets beyond their lifetime in the switch, 1104 packets beyond their "
                "lifetime at the head of the queue");
    assert_int_equal(reading->detail_count, 6 * 2);
    assert_null(counter_find_details(reading, LEAF, 3, COUNTER_RCV_ERRORS));
    assert_null(counter_find_details(reading, SPINE, 4, COUNTER_FEC_UNCORRECTABLE));
    assert_described(
        &(struct error_details){.counter = COUNTER_RCV_ERRORS, .known = true, .counts = {0, 1}},
        "1 malformed packet");
    assert_described(&(struct error_details){.counter = COUNTER_RCV_ERRORS, .known = true}, "");
}

TEST(a_port_is_asked_why_when_its_errors_grew)
{
    learns = true;
    read_counters(true);
    read_counters(true);
    assert_int_equal(reading->detail_count, 0);
    assert_int_equal(manners[LEAF_LID].details_asked, 4);
    manners[LEAF_LID].more = 1;
    read_counters(true);
    assert_int_equal(reading->detail_count, 2); // of both its ports
    assert_non_null(counter_find_details(reading, LEAF, 2, COUNTER_RCV_ERRORS));
    manners[LEAF_LID].more = 0; // somebody reset it, and it counted again
    read_counters(true);
    assert_int_equal(reading->detail_count, 2);
    const uint64_t wanted[] = {LEAF}; // an early reading sums nothing up
    manners[LEAF_LID].more = 1;
    read_chosen((struct sweep_choice){.switches_only = true, .guids = wanted, .count = 1});
    assert_int_equal(reading->detail_count, 0);
}

TEST(a_full_counter_may_hide_growth)
{
    learns = true;
    manners[LEAF_LID].more = 0xFFFF - 0x0404;
    read_counters(true);
    read_counters(true);
    assert_int_equal(reading->detail_count, 2);
}

TEST(a_port_that_does_not_say_why_is_not_known)
{
    learns = true;
    manners[SPINE_LID].details_refused = true; // it has no such attribute
    manners[LEAF_LID].details_of_other = true;
    manners[HOST_LID].details_deaf = true;
    manners[SECOND_HOST_LID].answering = SPINE_LID;
    for (int i = 0; i < 3; i++) {
        read_counters(false);
        assert_int_equal(reading->count, 5);
        assert_int_equal(reading->detail_count, 0);
    }
    assert_int_equal(manners[SPINE_LID].details_asked, 4);
    assert_int_equal(manners[HOST_LID].details_asked, 3 * 3); // a query a reading, three attempts
    manners[HOST_LID].details_deaf = false;
    read_counters(false);
    assert_int_equal(reading->detail_count, 2);
}

// The error correction.

static bool has_fec(const struct counter_sample *sample)
{
    return counter_was_read(sample, COUNTER_FEC_CORRECTED);
}

static void check_fec(uint64_t node, uint8_t port, uint64_t corrected, uint64_t uncorrectable)
{
    const struct counter_sample *sample = sample_of(node, port);
    assert_true(has_fec(sample));
    assert_int_equal(sample->values[COUNTER_FEC_CORRECTED], corrected);
    assert_int_equal(sample->values[COUNTER_FEC_UNCORRECTABLE], uncorrectable);
}

TEST(blocks_of_the_port_and_of_its_lanes)
{
    manners[LEAF_LID].fec = manners[SPINE_LID].fec = true;
    manners[SPINE_LID].of_lanes = true;
    read_counters(true);
    check_fec(LEAF, 1, 800, 7);
    check_fec(LEAF, 2, 800, 7);
    check_fec(SPINE, 3, UINT64_C(0x100000004), 3); // a full lane and five
    assert_int_equal(f.sent, 2 + 4 + 4 + 2);
}

TEST(who_says_nothing_of_an_error_correction_is_not_asked)
{
    manners[LEAF_LID].extended = true;
    read_counters(true);
    assert_int_equal(manners[LEAF_LID].fec_asked + manners[SPINE_LID].fec_asked, 0);
    assert_false(has_fec(sample_of(LEAF, 1)));
}

// The three attempts of one query are lost, or met a busy agent: the next port is asked none the
// less.
TEST(one_query_without_an_answer_takes_no_other_port_its_error_correction)
{
    manners[LEAF_LID].fec = manners[SPINE_LID].fec = true;
    manners[LEAF_LID].fec_lost = 3;
    manners[SPINE_LID].fec_busy = 1;
    read_counters(true);
    assert_false(has_fec(sample_of(LEAF, 1)) || has_fec(sample_of(SPINE, 3)));
    check_fec(LEAF, 2, 800, 7);
    check_fec(SPINE, 4, 800, 7);
    read_counters(true);
    check_fec(LEAF, 1, 800, 7);
    check_fec(SPINE, 3, 800, 7);
}

TEST(who_keeps_its_error_correction_to_itself_costs_two_queries)
{
    const uint64_t wanted[] = {LEAF};
    manners[LEAF_LID].fec = manners[LEAF_LID].fec_deaf = true;
    read_chosen((struct sweep_choice){.switches_only = true, .guids = wanted, .count = 1});
    assert_int_equal(reading->count, 4);
    for (uint8_t port = 1; port <= 4; port++)
        assert_false(has_fec(sample_of(LEAF, port)));
    assert_int_equal(manners[LEAF_LID].fec_asked, 2 * 3); // three attempts each
}

TEST(who_refuses_its_error_correction_is_asked_once)
{
    manners[LEAF_LID].fec = manners[LEAF_LID].fec_refused = true;
    read_counters(true);
    assert_int_equal(reading->count, 4);
    assert_false(has_fec(sample_of(LEAF, 1)) || has_fec(sample_of(LEAF, 2)));
    assert_int_equal(manners[LEAF_LID].fec_asked, 1);
}

TEST(lanes_say_where_the_error_correction_is_busy)
{
    learns = true;
    manners[HOST_LID].fec = manners[SECOND_HOST_LID].fec = true;
    manners[SECOND_HOST_LID].of_lanes = true;
    read_counters(false);
    assert_told(HOST, 1, COUNTER_FEC_UNCORRECTABLE,
                "corrected symbols: 900 on lane 0, 40 on lane 3");
    assert_told(HOST, 2, COUNTER_FEC_UNCORRECTABLE,
                "uncorrectable blocks: 2 on lane 0, 1 on lane 11");
    read_counters(false);
    assert_null(counter_find_details(reading, HOST, 1, COUNTER_FEC_UNCORRECTABLE));
    assert_int_equal(manners[HOST_LID].fec_asked, 2); // the reading's own queries
}

// Ticks.

TEST(a_port_that_waited_is_asked_once_for_its_tick)
{
    learns = true;
    manners[LEAF_LID].wait = manners[SPINE_LID].wait = true;
    for (int i = 0; i < 3; i++) {
        read_counters(true);
        assert_int_equal(sample_of(LEAF, 1)->tick, 1);
        assert_int_equal(sample_of(SPINE, 3)->tick, 256);
        assert_int_equal(manners[LEAF_LID].samples_asked, 2);
    }
    assert_int_equal(manners[SPINE_LID].samples_asked, 2);
}

TEST(a_port_that_did_not_wait_is_not_asked_for_its_tick)
{
    learns = true;
    read_counters(true);
    assert_int_equal(manners[LEAF_LID].samples_asked, 0);
    assert_int_equal(sample_of(LEAF, 1)->tick, 0);
}

TEST(a_port_whose_link_has_another_rate_is_asked_again)
{
    learns = true;
    manners[LEAF_LID].wait = true;
    read_counters(true);
    struct fabric *other = make_fabric(FABRIC_EDR);
    fabric_unref(fabric);
    fabric = other;
    read_counters(true);
    assert_int_equal(manners[LEAF_LID].samples_asked, 3); // the second port kept its rate
}

TEST(who_does_not_say_its_tick_is_left_alone)
{
    learns = true;
    manners[LEAF_LID].wait = manners[LEAF_LID].ticks_deaf = true;
    manners[SPINE_LID].wait = manners[SPINE_LID].ticks_refused = true;
    for (int i = 0; i < 6; i++) {
        read_counters(true);
        assert_int_equal(reading->count, 4);
        assert_int_equal(sample_of(LEAF, 2)->tick + sample_of(SPINE, 4)->tick, 0);
    }
    // One query for the LID in each of the first readings, three attempts each.
    assert_int_equal(manners[LEAF_LID].samples_asked, SWEEP_TICKS_TRIES * 3);
    assert_int_equal(manners[SPINE_LID].samples_asked, 2);
}

TEST(who_was_busy_says_its_tick_later)
{
    learns = true;
    manners[LEAF_LID].wait = manners[LEAF_LID].ticks_busy = true;
    read_counters(true);
    assert_int_equal(sample_of(LEAF, 1)->tick, 0);
    manners[LEAF_LID].ticks_busy = false;
    read_counters(true);
    assert_int_equal(sample_of(LEAF, 1)->tick, 1);
}

int main(void)
{
#define COUNTED(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        COUNTED(blocks_of_the_port_and_of_its_lanes),
        COUNTED(who_says_nothing_of_an_error_correction_is_not_asked),
        COUNTED(one_query_without_an_answer_takes_no_other_port_its_error_correction),
        COUNTED(who_keeps_its_error_correction_to_itself_costs_two_queries),
        COUNTED(who_refuses_its_error_correction_is_asked_once),
        COUNTED(lanes_say_where_the_error_correction_is_busy),
        COUNTED(a_port_that_waited_is_asked_once_for_its_tick),
        COUNTED(a_port_that_did_not_wait_is_not_asked_for_its_tick),
        COUNTED(a_port_whose_link_has_another_rate_is_asked_again),
        COUNTED(who_does_not_say_its_tick_is_left_alone),
        COUNTED(who_was_busy_says_its_tick_later),
        COUNTED(samples_are_sorted_and_of_active_ports),
        COUNTED(each_lid_is_asked_once_what_it_counts),
        COUNTED(counters_of_a_lid_that_belongs_to_another_node_now_are_dropped),
        COUNTED(two_ports_of_a_host_may_exchange_their_lids),
        COUNTED(by_the_method_sa_the_sa_says_whose_lid_it_is),
        COUNTED(a_tick_is_not_learned_of_another_node),
        COUNTED(switches_only),
        COUNTED(named_switches_only),
        COUNTED(plain_counters),
        COUNTED(traffic_of_64_bits_where_there_is),
        COUNTED(who_keeps_its_64_bits_to_itself_has_32),
        COUNTED(without_xmit_wait_its_place_means_nothing),
        COUNTED(extended_counters_where_they_have_errors),
        COUNTED(who_has_no_class_port_info_still_counts),
        COUNTED(a_deaf_switch_costs_one_question),
        COUNTED(an_answer_for_another_port_is_none),
        COUNTED(a_refusal_is_no_answer),
        COUNTED(a_node_that_was_silent_is_not_asked),
        COUNTED(a_switch_without_its_port_0_is_not_asked),
        COUNTED(made_up_nodes_with_low_guids_keep_no_honest_ones_from_being_read),
        COUNTED(a_node_that_becomes_slow_waits_for_all_others),
        COUNTED(a_node_that_answers_no_counters_is_left_alone),
        COUNTED(a_port_says_why_it_counts_errors),
        COUNTED(a_port_is_asked_why_when_its_errors_grew),
        COUNTED(a_full_counter_may_hide_growth),
        COUNTED(a_port_that_does_not_say_why_is_not_known),
        cmocka_unit_test(short_answers_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
