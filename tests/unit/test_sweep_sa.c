// SPDX-License-Identifier: BSD-2-Clause
// A sweep of the SA's tables: correct, unusual, truncated or wrong ones.
#include "fake_port.h"
#include "support.h"

#include "base/wire.h"
#include "model/fabric_builder.h"

enum { DATA = 56, NODES = 0x11, PORTS = 0x12, SWITCHES = 0x14, MANAGERS = 0x18, LINKS = 0x20 };
enum { SWITCH_LID = 10, HOST_LID = 16, OWN_LID = 7 };
static const uint64_t SWITCH = 0x100, HOST = 0x300, OWN = 0x200;

static struct table {
    uint8_t octets[8192];
    size_t size, stride;
} nodes, ports, links, managers, switches;

// Faults of the SA.
static struct {
    bool deaf, drops_managers;
    uint16_t status;
    uint8_t rmpp_flags;
    size_t cut_by;
} faults;

static struct fake_port f;
static struct fabric *seen;
static struct sweep sweep;
static bool no_smps;
static struct mad_address redirected;
static struct error err;

static const struct table *table_of(const uint8_t *request)
{
    uint16_t attribute = wire_get16(request + 16);
    if (attribute == MANAGERS || attribute == SWITCHES) {
        assert_true(sweep.no_smps);
        return attribute == MANAGERS ? &managers : &switches;
    }
    assert_true(attribute == NODES || attribute == PORTS || attribute == LINKS);
    return attribute == NODES ? &nodes : attribute == PORTS ? &ports : &links;
}

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    const struct mad_address *to = &asked->to;
    const uint8_t *request = asked->octets;
    static const uint8_t ALL[8];
    const struct table *table = table_of(request);
    assert_int_equal(asked->agent, MAD_AGENT_SA);
    assert_int_equal(to->lid, sweep.sa.lid ? sweep.sa.lid : 1);
    assert_int_equal(to->qpn, sweep.sa.lid ? sweep.sa.qpn : 1);
    assert_int_equal(to->sl, sweep.sa.lid ? sweep.sa.sl : 3);
    assert_int_equal(to->pkey, sweep.sa.pkey);
    assert_int_equal(request[3], 0x12);
    assert_memory_equal(request + 48, ALL, sizeof ALL); // the component mask
    wire_put(out->octets + 4, 2, faults.status);
    out->octets[26] = faults.rmpp_flags;
    wire_put(out->octets + 44, 2, table->stride / 8);
    memcpy(out->octets + DATA, table->octets, table->size);
    out->size = DATA + table->size - faults.cut_by;
    return !faults.deaf && !(faults.drops_managers && table == &managers);
}

static uint8_t *add_record(struct table *table)
{
    uint8_t *record = table->octets + table->size;
    table->size += table->stride;
    assert_true(table->size <= sizeof table->octets);
    memset(record, 0, table->stride);
    return record;
}

static void add_node(uint16_t lid, enum fabric_type type, uint64_t guid, uint8_t port_count,
                     uint8_t port, const char *description)
{
    uint8_t *record = add_record(&nodes), *info = record + 4;
    wire_put(record, 2, lid);
    info[0] = info[1] = 1;
    info[2] = (uint8_t)type;
    info[3] = port_count;
    wire_put(info + 4, 8, guid ^ 1);
    wire_put(info + 12, 8, guid);
    wire_put(info + 20, 8, guid + port);
    wire_put(info + 30, 2, 0xD00D);
    wire_put(info + 32, 4, 0xA0);
    info[36] = port;
    wire_put(info + 37, 3, 0x0002c9);
    memcpy(record + 44, description, strlen(description));
}

static uint8_t *add_port(uint16_t lid, uint8_t number, uint16_t port_lid, enum fabric_state state)
{
    uint8_t *record = add_record(&ports), *info = record + 4;
    wire_put(record, 2, lid);
    record[2] = number;
    wire_put(info + 16, 2, port_lid);
    wire_put(info + 20, 4, 0x4002);
    info[29] = info[30] = 3;
    info[31] = 2;
    info[32] = (uint8_t)(0x70 | state);
    info[33] = state == FABRIC_DOWN ? 0x20 : 0x50;
    info[35] = 0x47;
    return record;
}

static void add_link(uint16_t from, uint8_t from_port, uint16_t to, uint8_t to_port)
{
    uint8_t *record = add_record(&links);
    wire_put(record, 2, from);
    record[2] = from_port;
    record[3] = to_port;
    wire_put(record + 4, 2, to);
}

// A switch of three ports; the own host at its port 1, a host with two ports at port 2, with LMC 2.
static int begin(void **state)
{
    (void)state;
    fake_port_init(&f, answer, NULL);
    memset(&faults, 0, sizeof faults);
    no_smps = false;
    nodes.size = ports.size = links.size = managers.size = 0;
    switches.size = 0;
    managers.stride = 32;
    switches.stride = 24;
    nodes.stride = 112;
    ports.stride = 72;
    links.stride = 8;
    add_node(SWITCH_LID, FABRIC_SWITCH, SWITCH, 3, 0, "leaf");
    nodes.octets[4 + 36] = 2; // LocalPortNum: the port at which the SM's query arrived
    add_node(OWN_LID, FABRIC_CA, OWN, 1, 1, "monitor");
    add_node(HOST_LID, FABRIC_CA, HOST, 2, 2, "node\n1");
    add_port(SWITCH_LID, 0, SWITCH_LID, FABRIC_ACTIVE);
    add_port(SWITCH_LID, 1, 99, FABRIC_ACTIVE);
    add_port(SWITCH_LID, 2, 0, FABRIC_ACTIVE);
    add_port(SWITCH_LID, 3, 0, FABRIC_DOWN);
    add_port(OWN_LID, 1, OWN_LID, FABRIC_ACTIVE);
    add_port(HOST_LID, 2, HOST_LID, FABRIC_ACTIVE)[4 + 34] = 2;
    add_link(SWITCH_LID, 1, OWN_LID, 1);
    add_link(OWN_LID, 1, SWITCH_LID, 1);
    add_link(SWITCH_LID, 2, HOST_LID + 3, 2);
    add_link(HOST_LID, 2, SWITCH_LID, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(seen);
    seen = NULL;
    return 0;
}

static bool try_look(void)
{
    fabric_unref(seen);
    sweep = fake_port_sweep(&f);
    sweep.no_smps = no_smps;
    sweep.by_sa = true;
    sweep.sa = redirected;
    struct fabric_builder *builder = fabric_builder_new();
    bool ok = sweep_sa(&sweep, builder, &err);
    const bool is_whole = sweep.complete && sweep.hidden == 0; // as the sweeper has it
    seen = fabric_builder_finish(builder, SUPPORT_UTC_US, 0, is_whole);
    assert_non_null(seen);
    return ok;
}

static void look(void)
{
    assert_true(try_look());
}

static void check_fails(const char *sentence)
{
    assert_false(try_look());
    assert_string_equal(err.text, sentence);
}

static const struct fabric_port *port_of(uint64_t guid, uint8_t number)
{
    uint32_t port = fabric_find_port(seen, fabric_find_node(seen, guid), number);
    assert_int_not_equal(port, FABRIC_NONE);
    return &seen->ports[port];
}

static void check_linked(uint64_t a, uint8_t port_a, uint64_t b, uint8_t port_b)
{
    assert_int_equal(port_of(a, port_a)->peer_node, fabric_find_node(seen, b));
    assert_int_equal(port_of(a, port_a)->peer_port, port_b);
    assert_int_equal(port_of(b, port_b)->peer_node, fabric_find_node(seen, a));
    assert_int_equal(port_of(b, port_b)->peer_port, port_a);
}

static void add_manager(uint16_t lid, uint64_t guid, uint8_t priority, uint8_t state)
{
    uint8_t *record = add_record(&managers);
    wire_put(record, 2, lid);
    wire_put(record + 4, 8, guid);
    record[24] = (uint8_t)(priority << 4 | state);
}

TEST(without_smps_the_managers_are_found)
{
    add_manager(HOST_LID, HOST + 2, 5, FABRIC_MASTER);
    add_manager(99, HOST + 9, 5, FABRIC_MASTER);     // an unknown LID
    add_manager(HOST_LID, 0x4711, 5, FABRIC_MASTER); // an unknown port
    no_smps = true;
    look();
    assert_int_equal(seen->sm_count, 1);
    assert_int_equal(seen->sms[0].guid, HOST + 2);
    assert_int_equal(seen->sms[0].lid, HOST_LID);
    assert_int_equal(seen->sms[0].port, 2);
    assert_int_equal(seen->sms[0].priority, 5);
    assert_int_equal(seen->sms[0].state, FABRIC_MASTER);
    assert_int_equal(seen->nodes[seen->sms[0].node].guid, HOST);
}

static void add_switch(uint16_t lid, uint16_t linear_fdb_top)
{
    uint8_t *record = add_record(&switches);
    wire_put(record, 2, lid);
    wire_put(record + 4 + 6, 2, linear_fdb_top);
}

TEST(without_smps_the_sa_tells_of_switches)
{
    add_switch(99, 1);
    add_switch(HOST_LID, 2);
    add_switch(SWITCH_LID, 1234);
    no_smps = true;
    look();
    const struct fabric_node *leaf = &seen->nodes[fabric_find_node(seen, SWITCH)];
    assert_int_equal(fabric_switch_info(leaf, SWITCH_INFO_LINEAR_FDB_TOP), 1234);
    assert_false(seen->nodes[fabric_find_node(seen, HOST)].switch_info.known);
    assert_true(seen->complete);
}

TEST(an_sa_that_hides_its_managers_shows_the_rest)
{
    add_switch(SWITCH_LID, 1234);
    faults.drops_managers = true;
    no_smps = true;
    look();
    assert_int_equal(seen->sm_count, 0);
    assert_true(seen->complete);
}

TEST(a_redirected_sa_is_asked)
{
    redirected = (struct mad_address){.lid = 9, .qpn = 5, .sl = 2, .pkey = 0x8001};
    look();
    redirected = (struct mad_address){.lid = 0};
    assert_true(seen->complete);
}

TEST(nodes_are_found)
{
    look();
    assert_true(seen->complete);
    assert_int_equal(seen->node_count, 3);
    const struct fabric_node *leaf = &seen->nodes[0], *host = &seen->nodes[2];
    assert_int_equal(leaf->guid, SWITCH);
    assert_int_equal(leaf->system_guid, SWITCH ^ 1);
    assert_int_equal(leaf->type, FABRIC_SWITCH);
    assert_int_equal(leaf->port_count, 3);
    assert_int_equal(leaf->vendor, 0x0002c9);
    assert_int_equal(leaf->device, 0xD00D);
    assert_int_equal(leaf->revision, 0xA0);
    assert_string_equal(leaf->description, "leaf");
    assert_int_equal(host->guid, HOST);
    assert_string_equal(host->description, "node?1");
}

TEST(ports_are_found)
{
    look();
    assert_int_equal(seen->port_count, 6);
    const struct fabric_port *zero = port_of(SWITCH, 0), *outside = port_of(SWITCH, 1);
    assert_int_equal(zero->guid, SWITCH);
    assert_int_equal(zero->lid, SWITCH_LID);
    assert_int_equal(zero->capabilities, 0x4002);
    assert_int_equal(outside->guid, 0);
    assert_int_equal(outside->lid, 0);
    assert_int_equal(outside->capabilities, 0);
    assert_int_equal(outside->state, FABRIC_ACTIVE);
    assert_int_equal(outside->physical, 5);
    assert_int_equal(outside->width_active, 2);
    assert_int_equal(outside->width_enabled, 3);
    assert_int_equal(outside->speed_active, FABRIC_QDR);
    assert_int_equal(outside->speed_enabled, FABRIC_SDR | FABRIC_DDR | FABRIC_QDR);
    const struct fabric_port *host = port_of(HOST, 2);
    assert_true(host->known);
    assert_int_equal(host->guid, HOST + 2);
    assert_int_equal(host->lid, HOST_LID);
    assert_int_equal(host->lmc, 2);
}

// OpenSM 3.3.23 keeps two states of a port that is down, and nothing else, or what the port had
// when the port was up.
TEST(of_a_port_that_is_down_only_the_states_are_known)
{
    look();
    const struct fabric_port *down = port_of(SWITCH, 3);
    assert_true(down->known);
    assert_int_equal(down->state, FABRIC_DOWN);
    assert_int_equal(down->physical, 2);
    assert_false(down->detail.known);
    assert_int_equal(down->width_enabled | down->width_supported | down->width_active, 0);
    assert_int_equal(down->speed_enabled | down->speed_supported | down->speed_active, 0);
    assert_true(port_of(SWITCH, 1)->detail.known);
    assert_true(seen->complete);
}

TEST(links_from_either_end_and_to_any_lid)
{
    look();
    check_linked(SWITCH, 1, OWN, 1);
    check_linked(SWITCH, 2, HOST, 2);
    assert_int_equal(port_of(SWITCH, 3)->peer_node, FABRIC_NONE);
    assert_false(port_of(SWITCH, 3)->silent);
    links.size = 0;
    add_link(HOST_LID + 1, 2, SWITCH_LID, 2);
    add_link(OWN_LID, 1, SWITCH_LID, 1);
    look();
    assert_true(seen->complete);
    check_linked(SWITCH, 2, HOST, 2);
}

TEST(two_ports_of_a_host_are_of_one_node)
{
    add_node(40, FABRIC_CA, HOST, 2, 1, "node1");
    add_port(40, 1, 40, FABRIC_DOWN);
    look();
    assert_int_equal(seen->node_count, 3);
    assert_int_equal(port_of(HOST, 1)->lid, 40);
    assert_int_equal(port_of(HOST, 1)->guid, HOST + 1);
    assert_int_equal(port_of(HOST, 2)->lid, HOST_LID);
}

TEST(the_rest_of_port_info)
{
    static const uint64_t PREFIX = UINT64_C(0xFE80000000000001);
    uint8_t *info = add_port(SWITCH_LID, 0, SWITCH_LID, FABRIC_ACTIVE) + 4;
    wire_put(info + 8, 8, PREFIX);
    wire_put(info + 18, 2, OWN_LID);
    wire_put(info + 24, 2, 0xD1A6);
    info[33] = 0x52; // LinkUp, polling when down
    info[36] = 0x4F;
    info[37] = 0x5F;
    info[41] = 0xF3;
    info[43] = 0x2F;
    wire_put(info + 44, 2, 0xFFFF);
    wire_put(info + 46, 2, 0x0102);
    wire_put(info + 48, 2, 0x0304);
    info[53] = 0x8F;
    memcpy(add_port(SWITCH_LID, 1, 0, FABRIC_ACTIVE) + 4, info, 60);
    look();
    for (uint8_t number = 0; number <= 1; number++) {
        const struct fabric_port *port = port_of(SWITCH, number);
        assert_true(port->detail.known);
        assert_int_equal(port->gid_prefix, number == 0 ? PREFIX : 0);
        assert_int_equal(fabric_port_info(port, PORT_INFO_MASTER_SM_LID),
                         number == 0 ? OWN_LID : 0);
        assert_int_equal(fabric_port_info(port, PORT_INFO_DIAG_CODE), 0xD1A6);
        assert_int_equal(fabric_port_info(port, PORT_INFO_LINK_DOWN_DEFAULT), 2);
        assert_int_equal(fabric_port_info(port, PORT_INFO_NEIGHBOR_MTU), 4);
        assert_int_equal(fabric_port_info(port, PORT_INFO_VL_CAP), 5);
        assert_int_equal(fabric_port_info(port, PORT_INFO_MTU_CAP), 3);
        assert_int_equal(fabric_port_info(port, PORT_INFO_OPERATIONAL_VLS), 2);
        assert_int_equal(fabric_port_info(port, PORT_INFO_MKEY_VIOLATIONS), 0xFFFF);
        assert_int_equal(fabric_port_info(port, PORT_INFO_PKEY_VIOLATIONS), 0x0102);
        assert_int_equal(fabric_port_info(port, PORT_INFO_QKEY_VIOLATIONS), 0x0304);
        assert_int_equal(fabric_port_info(port, PORT_INFO_LOCAL_PHY_ERRORS), 8);
        assert_int_equal(fabric_port_info(port, PORT_INFO_OVERRUN_ERRORS), 15);
    }
}

TEST(extended_speeds)
{
    uint8_t *info = add_port(OWN_LID, 1, OWN_LID, FABRIC_ACTIVE) + 4;
    info[62] = 0x2F; // active EDR, supported FDR to NDR
    info[63] = 3;    // enabled FDR, EDR
    look();
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_EDR);
    assert_int_equal(port_of(OWN, 1)->speed_supported, 0x7F);
    assert_int_equal(port_of(OWN, 1)->speed_enabled, 0x1F);
    info[35] = 0x4F;
    info[63] = 31; // both equal to the supported speeds
    look();
    assert_int_equal(port_of(OWN, 1)->speed_enabled, 0x7F);
    info[63] = 30; // extended speeds are off
    info[62] = 0x0F;
    look();
    assert_int_equal(port_of(OWN, 1)->speed_enabled, 0x07);
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_QDR);
}

// LinkSpeedExt2, which counts if CapabilityMask2 has the bit. The mask of a switch's external port
// is the mask of port 0.
TEST(xdr)
{
    enum { ACTIVE = 1 << 5, SUPPORTED = 1 << 3, ENABLED = 1 };
    uint8_t *info = add_port(OWN_LID, 1, OWN_LID, FABRIC_ACTIVE) + 4;
    info[62] = 0x0F; // supported FDR to NDR
    info[63] = 0x0F; // enabled FDR to NDR
    info[56] = ACTIVE | SUPPORTED | ENABLED;
    look(); // without the capability these bits are reserved
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_QDR);
    info[60] = 0x18;
    look();
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_XDR);
    assert_int_equal(port_of(OWN, 1)->speed_supported, 0xFF);
    assert_int_equal(port_of(OWN, 1)->speed_enabled & 0xF8, 0xF8);
    info[56] = SUPPORTED; // trained down to NDR, and XDR is off
    info[62] = 0x8F;
    look();
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_NDR);
    assert_int_equal(port_of(OWN, 1)->speed_supported, 0xFF);
    assert_int_equal(port_of(OWN, 1)->speed_enabled & FABRIC_XDR, 0);
    info = add_port(SWITCH_LID, 1, 0, FABRIC_ACTIVE) + 4;
    info[56] = ACTIVE | SUPPORTED | ENABLED;
    look();
    assert_int_equal(port_of(SWITCH, 1)->speed_active, FABRIC_XDR);
}

TEST(records_of_before_the_extended_speeds)
{
    struct table whole = ports;
    ports.size = 0;
    ports.stride = 64;
    for (size_t at = 0; at < whole.size; at += whole.stride)
        memcpy(add_record(&ports), whole.octets + at, 64);
    look();
    assert_true(seen->complete);
    assert_int_equal(port_of(OWN, 1)->speed_active, FABRIC_QDR);
    check_linked(SWITCH, 2, HOST, 2);
}

TEST(padding_is_no_record)
{
    memset(links.octets + links.size, 0, 100);
    links.size += 100;
    look();
    assert_true(seen->complete);
    assert_int_equal(seen->node_count, 3);
}

TEST(the_last_record_may_come_without_its_padding)
{
    nodes.size -= 4;
    look();
    assert_true(seen->complete);
    assert_int_equal(seen->node_count, 3);
}

TEST(it_waits_long_and_asks_again)
{
    faults.deaf = true;
    int64_t begun = f.time.monotonic;
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: it does not answer; "
        "the sweep method 'smp' does without it");
    assert_int_equal(f.sent, 2);
    assert_int_equal(f.response_timeout_ms, 20000);
    assert_true(f.time.monotonic - begun >= 40 * CLOCK_US_PER_S);
    assert_int_equal(sweep.requests.attempts, 3);
    assert_int_equal(sweep.requests.timeout_us, 100 * CLOCK_US_PER_MS);
}

TEST(a_refusal_is_told)
{
    faults.status = 0x0400;
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: the answer is: too "
        "many records (status 0x0400); the sweep method 'smp' does without it");
}

TEST(an_answer_without_its_other_segments_is_told)
{
    nodes.size = 200;
    faults.rmpp_flags = 0x73; // active, first
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: only the first 256 "
        "octets of the answer arrived; the sweep method 'smp' does without it");
}

TEST(an_answer_put_together_has_the_first_segments_flags)
{
    faults.rmpp_flags = 0x73;
    nodes.size = 3 * 112;
    links.size = 26 * 8; // longer than a single segment
    look();
    assert_int_equal(seen->node_count, 3);
}

TEST(a_single_segment_says_so)
{
    nodes.size = 112;
    add_node(OWN_LID, FABRIC_CA, OWN, 1, 1, "monitor");
    memmove(nodes.octets, nodes.octets + 112, 112);
    nodes.size = 112;
    ports.size = links.size = 0;
    faults.rmpp_flags = 0x77; // active, first, last
    look();
    assert_int_equal(seen->node_count, 1);
}

TEST(a_cut_record_is_told)
{
    faults.cut_by = 8;
    nodes.octets[nodes.size - 10] = 1;
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: the last record of the "
        "answer is cut; the sweep method 'smp' does without it");
}

TEST(records_that_are_too_small_are_told)
{
    nodes.stride = 104;
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: its records have 104 "
        "octets, not 108; the sweep method 'smp' does without it");
    nodes.stride = 0;
    assert_false(try_look());
}

TEST(an_sa_that_does_not_know_the_own_port_knows_too_little)
{
    faults.status = 0x0300; // no records
    nodes.size = 0;
    check_fails(
        "the subnet administration at LID 1 was asked for all NodeRecords: the own port, LID 7, "
        "is not among them; the sweep method 'smp' does without it");
}

TEST(a_port_that_is_up_and_leads_nowhere_is_silent)
{
    links.size = 2 * links.stride;
    look();
    assert_false(seen->complete);
    assert_true(port_of(SWITCH, 2)->silent);
    assert_true(port_of(HOST, 2)->silent);
    assert_false(port_of(SWITCH, 1)->silent);
    assert_false(port_of(SWITCH, 3)->silent);
    assert_false(port_of(SWITCH, 0)->silent);
}

// A subnet manager that gets no answer from the other end does not make a port active.
TEST(a_port_that_is_not_active_is_not_hidden)
{
    links.size = 2 * links.stride;
    ports.octets[2 * ports.stride + 4 + 32] = ports.octets[5 * ports.stride + 4 + 32] =
        0x70 | FABRIC_INITIALIZE;
    look();
    assert_false(sweep.complete);
    assert_int_equal(sweep.hidden, 0);
}

// The SA tells nothing of a port with which the asker shares no partition (IBA 15.4.1.2), so that
// the other end of an active port has no records.
TEST(what_the_sa_hides_is_not_silent)
{
    links.size = 2 * links.stride;
    look();
    assert_int_equal(sweep.hidden, 2);
    assert_true(sweep.complete);
    assert_false(seen->complete); // what the SA hides from now on is not gone
    nodes.octets[4 + 3] = 5;      // further ports of the switch
    look();
    assert_int_equal(sweep.hidden, 4);
    assert_true(sweep.complete);
}

TEST(a_port_that_leads_to_itself_is_not)
{
    ports.octets[3 * ports.stride + 4 + 32] = 0x70 | FABRIC_ACTIVE;
    look();
    assert_true(port_of(SWITCH, 3)->silent);
    add_link(SWITCH_LID, 3, SWITCH_LID, 3);
    look();
    assert_true(seen->complete);
    assert_false(port_of(SWITCH, 3)->silent);
    assert_int_equal(port_of(SWITCH, 3)->peer_node, FABRIC_NONE);
}

TEST(a_port_of_two_links_leaves_one_silent)
{
    add_link(SWITCH_LID, 1, HOST_LID, 2);
    look();
    assert_false(seen->complete);
    assert_true(port_of(OWN, 1)->silent);
}

TEST(a_port_without_its_record_makes_it_incomplete)
{
    ports.size -= ports.stride;
    links.size = 2 * links.stride;
    add_link(SWITCH_LID, 2, HOST_LID, 2);
    look();
    assert_false(seen->complete);
    assert_false(port_of(HOST, 2)->known);
}

static void check_incomplete(void)
{
    look();
    assert_false(seen->complete);
    assert_int_equal(seen->node_count, 3);
    check_linked(SWITCH, 1, OWN, 1);
}

TEST(records_of_unknown_nodes_make_it_incomplete)
{
    add_port(50, 1, 50, FABRIC_DOWN);
    check_incomplete();
    ports.size -= ports.stride;
    add_link(50, 1, SWITCH_LID, 3);
    check_incomplete();
    links.size -= links.stride;
    add_link(SWITCH_LID, 3, 0xFFFF, 1);
    check_incomplete();
    links.size -= links.stride;
    look();
    assert_true(seen->complete);
}

TEST(ports_that_cannot_be_make_it_incomplete)
{
    add_port(SWITCH_LID, 4, 0, FABRIC_DOWN);
    check_incomplete();
    ports.size -= ports.stride;
    add_link(SWITCH_LID, 4, SWITCH_LID, 3);
    check_incomplete();
    links.size -= links.stride;
    add_link(SWITCH_LID, 0, SWITCH_LID, 3);
    check_incomplete();
}

TEST(a_node_that_cannot_be_makes_it_incomplete)
{
    add_node(50, FABRIC_CA, 0, 1, 1, "no GUID");
    check_incomplete();
    nodes.size -= nodes.stride;
    add_node(50, FABRIC_ROUTER + 1, 0x900, 1, 1, "no type");
    check_incomplete();
    nodes.size -= nodes.stride;
    add_node(50, FABRIC_CA, 0x900, 1, 2, "no such port");
    check_incomplete();
    nodes.size -= nodes.stride;
    add_node(50, FABRIC_CA, HOST, 3, 3, "not as before");
    check_incomplete();
}

// Counting.

TEST(nodes_and_their_ports_are_counted)
{
    struct sweep_size counted;
    sweep = fake_port_sweep(&f);
    add_node(HOST_LID + 8, FABRIC_CA, HOST, 2, 1, "its other port");
    assert_true(sweep_sa_count(&sweep, &counted, &err));
    assert_int_equal(counted.nodes, 4);
    assert_int_equal(counted.ports, 4 + 1 + 1 + 1); // the switch has a port 0
    assert_int_equal(f.sent, 1);
}

TEST(an_sa_that_does_not_answer_counts_nothing)
{
    struct sweep_size counted;
    sweep = fake_port_sweep(&f);
    faults.deaf = true;
    assert_false(sweep_sa_count(&sweep, &counted, &err));
    assert_non_null(strstr(err.text, "does not answer"));
}

TEST(an_sa_that_takes_too_long_is_told)
{
    sweep = fake_port_sweep(&f);
    faults.deaf = true;
    sweep.limits.part_us = CLOCK_US_PER_S;
    struct fabric_builder *builder = fabric_builder_new();
    int64_t begun = f.time.monotonic;
    assert_false(sweep_sa(&sweep, builder, &err));
    assert_non_null(strstr(err.text, "within the time limit"));
    assert_in_range(f.time.monotonic - begun, CLOCK_US_PER_S, 2 * CLOCK_US_PER_S);
    fabric_builder_free(builder);
}

int main(void)
{
#define SA_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SA_TEST(without_smps_the_managers_are_found),
        SA_TEST(without_smps_the_sa_tells_of_switches),
        SA_TEST(an_sa_that_hides_its_managers_shows_the_rest),
        SA_TEST(a_redirected_sa_is_asked),
        SA_TEST(nodes_are_found),
        SA_TEST(ports_are_found),
        SA_TEST(of_a_port_that_is_down_only_the_states_are_known),
        SA_TEST(links_from_either_end_and_to_any_lid),
        SA_TEST(two_ports_of_a_host_are_of_one_node),
        SA_TEST(the_rest_of_port_info),
        SA_TEST(extended_speeds),
        SA_TEST(xdr),
        SA_TEST(records_of_before_the_extended_speeds),
        SA_TEST(padding_is_no_record),
        SA_TEST(the_last_record_may_come_without_its_padding),
        SA_TEST(it_waits_long_and_asks_again),
        SA_TEST(a_refusal_is_told),
        SA_TEST(an_answer_without_its_other_segments_is_told),
        SA_TEST(an_answer_put_together_has_the_first_segments_flags),
        SA_TEST(a_single_segment_says_so),
        SA_TEST(a_cut_record_is_told),
        SA_TEST(records_that_are_too_small_are_told),
        SA_TEST(an_sa_that_does_not_know_the_own_port_knows_too_little),
        SA_TEST(a_port_that_is_up_and_leads_nowhere_is_silent),
        SA_TEST(a_port_that_is_not_active_is_not_hidden),
        SA_TEST(what_the_sa_hides_is_not_silent),
        SA_TEST(a_port_that_leads_to_itself_is_not),
        SA_TEST(a_port_of_two_links_leaves_one_silent),
        SA_TEST(a_port_without_its_record_makes_it_incomplete),
        SA_TEST(records_of_unknown_nodes_make_it_incomplete),
        SA_TEST(ports_that_cannot_be_make_it_incomplete),
        SA_TEST(a_node_that_cannot_be_makes_it_incomplete),
        SA_TEST(nodes_and_their_ports_are_counted),
        SA_TEST(an_sa_that_does_not_answer_counts_nothing),
        SA_TEST(an_sa_that_takes_too_long_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
