// SPDX-License-Identifier: BSD-2-Clause
// Subnet managers, SwitchInfo and I/O units of a fabric whose ports answer or fail to.
#include "fake_port.h"
#include "support.h"

#include "base/wire.h"
#include "model/fabric_builder.h"

enum {
    DATA = 64,
    SWITCH_INFO = 0x12,
    PORT_INFO = 0x15,
    SM_INFO = 0x20,
    IO_UNIT = 0x10,
    IO_CONTROLLER = 0x11
};
enum { LEAF_LID = 10, FIRST_LID = 20, SECOND_LID = 21, LIAR_LID = 30, MASTER_LID = 1, LIARS = 260 };
static const uint64_t LEAF = 0x100, HOST = 0x300, MKEY = UINT64_C(0x1122334455667788);
static const uint64_t LEAF_MKEY = UINT64_C(0x8877665544332211);

// How a LID answers.
static struct manners {
    bool deaf;
    uint16_t status;
    uint64_t guid;          // of the subnet manager
    uint8_t priority_state; // of it
    uint8_t slot_count, slots[128];
    bool without_guid; // its controllers have no GUID
    uint8_t deaf_slot; // its profile is not answered; 0: none
    uint8_t states[8]; // by port: the state that PortInfo has; 0: PortInfo is not answered
    unsigned asked;
} manners[32];

static struct fake_port f;
static struct fabric_builder *builder;
static struct fabric *fabric, *known;
static struct mkeys *mkeys; // NULL: the leaf has the M_Key of all
static int64_t limit_us;    // of the part; 0: none
static unsigned in_flight;  // 0: as usual
static struct error err;
static struct fabric_port leaf_port, first_port, second_port;
static uint32_t leaf, host;

static bool answer_smp(const struct mad_address *to, const uint8_t *request, uint8_t *data)
{
    assert_int_equal(to->qpn, 0);
    assert_int_equal(request[1], 0x01);
    assert_true(wire_get64(request + 24) == (mkeys && to->lid == LEAF_LID ? LEAF_MKEY : MKEY));
    if (wire_get16(request + 16) == SWITCH_INFO) {
        wire_put(data, 2, 30720); // LinearFDBCap
        wire_put(data + 6, 2, 77);
        data[11] = 18 << 3;
        return true;
    }
    if (wire_get16(request + 16) == PORT_INFO) {
        const uint8_t state = manners[to->lid].states[wire_get32(request + 20)];
        wire_put(data + 16, 2, FIRST_LID); // a LID that another port has now
        data[32] = 0x10 | state;
        data[33] = 0x20;
        return state != 0;
    }
    assert_int_equal(wire_get16(request + 16), SM_INFO);
    wire_put(data, 8, manners[to->lid].guid);
    wire_put(data + 16, 4, 12345); // ActCount
    data[20] = manners[to->lid].priority_state;
    return true;
}

static bool answer_device_management(const struct mad_address *to, const uint8_t *request,
                                     uint8_t *data)
{
    const struct manners *m = &manners[to->lid];
    uint32_t slot = wire_get32(request + 20);
    assert_int_equal(to->qpn, 1);
    assert_int_equal(request[1], 0x06);
    if (wire_get16(request + 16) == IO_UNIT) {
        assert_int_equal(slot, 0);
        data[2] = m->slot_count;
        memcpy(data + 4, m->slots, sizeof m->slots);
        return true;
    }
    assert_int_equal(wire_get16(request + 16), IO_CONTROLLER);
    assert_in_range(slot, 1, 255);
    if (slot == m->deaf_slot)
        return false;
    wire_put(data, 8, m->without_guid ? 0 : 0xC000 + slot);
    memcpy(data + 64, "disks\t1 of a long name that fills all of its sixty-four octets!", 64);
    return true;
}

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    const struct mad_address *to = &asked->to;
    const uint8_t *request = asked->octets;
    assert_in_range(to->lid, 1, COUNT(manners) - 1);
    assert_int_equal(request[3], 0x01);
    struct manners *m = &manners[to->lid];
    m->asked++;
    wire_put(out->octets + 4, 2, m->status);
    if (m->deaf)
        return false;
    if (asked->agent == MAD_AGENT_SMP_LID)
        return answer_smp(to, request, out->octets + DATA);
    assert_int_equal(asked->agent, MAD_AGENT_DM);
    return answer_device_management(to, request, out->octets + DATA);
}

// A switch and a host with two ports; tests change them.
static int begin(void **state)
{
    (void)state;
    builder = fabric_builder_new();
    leaf = fabric_builder_node(
        builder, &(struct fabric_node){.guid = LEAF, .type = FABRIC_SWITCH, .port_count = 4});
    host = fabric_builder_node(
        builder, &(struct fabric_node){.guid = HOST, .type = FABRIC_CA, .port_count = 2});
    leaf_port =
        (struct fabric_port){.number = 0, .known = true, .lid = LEAF_LID, .state = FABRIC_ACTIVE};
    first_port =
        (struct fabric_port){.number = 1, .known = true, .lid = FIRST_LID, .state = FABRIC_ACTIVE};
    second_port =
        (struct fabric_port){.number = 2, .known = true, .lid = SECOND_LID, .state = FABRIC_ACTIVE};
    memset(manners, 0, sizeof manners);
    limit_us = 0;
    in_flight = 0;
    fake_port_init(&f, answer, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    fabric_unref(known);
    mkeys_free(mkeys);
    mkeys = NULL;
    fabric = known = NULL;
    return 0;
}

static void look(bool (*sweep_part)(struct sweep *sweep, struct fabric_builder *builder,
                                    struct error *err))
{
    struct sweep sweep = fake_port_sweep(&f);
    sweep.mkey = MKEY;
    sweep.mkeys = mkeys;
    sweep.limits.part_us = limit_us;
    sweep.known = known;
    if (in_flight > 0)
        sweep.requests.in_flight = in_flight;
    assert_true(fabric_builder_port(builder, leaf, &leaf_port));
    assert_true(fabric_builder_port(builder, host, &first_port));
    assert_true(fabric_builder_port(builder, host, &second_port));
    assert_true(sweep_part(&sweep, builder, &err));
    assert_int_equal(sweep.complete, limit_us == 0 || sweep_part == sweep_switches ||
                                         sweep_part == sweep_unlinked_ports);
    assert_int_equal(sweep.counters.sent, f.sent);
    fabric = fabric_builder_finish(builder, SUPPORT_UTC_US, 0, true);
    assert_non_null(fabric);
}

static bool host_is_silent(void)
{
    return fabric->nodes[fabric_find_node(fabric, HOST)].unit_silent;
}

TEST(subnet_managers_are_found)
{
    first_port.capabilities = leaf_port.capabilities = FABRIC_IS_SM;
    manners[FIRST_LID].guid = HOST + 1;
    manners[FIRST_LID].priority_state = 0xF3;
    manners[LEAF_LID].guid = LEAF;
    manners[LEAF_LID].priority_state = 0x02;
    look(sweep_subnet_managers);
    assert_int_equal(fabric->sm_count, 2);
    const struct fabric_sm *standby = &fabric->sms[0], *master = &fabric->sms[1];
    assert_int_equal(standby->guid, LEAF);
    assert_int_equal(standby->node, fabric_find_node(fabric, LEAF));
    assert_int_equal(standby->port, 0);
    assert_int_equal(standby->state, 2);
    assert_true(standby->counts);
    assert_int_equal(standby->activity, 12345);
    assert_int_equal(master->guid, HOST + 1);
    assert_int_equal(master->node, fabric_find_node(fabric, HOST));
    assert_int_equal(master->port, 1);
    assert_int_equal(master->lid, FIRST_LID);
    assert_int_equal(master->priority, 15);
    assert_int_equal(master->state, 3);
    assert_int_equal(manners[SECOND_LID].asked, 0);
}

TEST(a_subnet_manager_that_does_not_answer_stays_out)
{
    first_port.capabilities = second_port.capabilities = leaf_port.capabilities = FABRIC_IS_SM;
    manners[FIRST_LID].deaf = true;
    manners[SECOND_LID].status = 0x000C;
    manners[SECOND_LID].guid = HOST + 2;
    manners[LEAF_LID].guid = 0;
    look(sweep_subnet_managers);
    assert_int_equal(fabric->sm_count, 0);
    assert_int_equal(manners[FIRST_LID].asked, 3);
}

TEST(an_unknown_state_is_of_no_subnet_manager)
{
    first_port.capabilities = FABRIC_IS_SM;
    manners[FIRST_LID].guid = HOST + 1;
    manners[FIRST_LID].priority_state = 0x04;
    look(sweep_subnet_managers);
    assert_int_equal(fabric->sm_count, 0);
}

TEST(who_has_no_lid_or_is_silent_is_not_asked)
{
    first_port.capabilities = leaf_port.capabilities = FABRIC_IS_SM | FABRIC_IS_DM;
    first_port.lid = 0;
    fabric_builder_get(builder, leaf)->silent = true;
    look(sweep_subnet_managers);
    assert_int_equal(f.sent, 0);
}

static const struct fabric_node *node_of(uint64_t guid)
{
    return &fabric->nodes[fabric_find_node(fabric, guid)];
}

TEST(switches_tell_of_themselves)
{
    look(sweep_switches);
    assert_int_equal(f.sent, 1);
    assert_true(node_of(LEAF)->switch_info.known);
    assert_int_equal(fabric_switch_info(node_of(LEAF), SWITCH_INFO_LINEAR_FDB_CAP), 30720);
    assert_int_equal(fabric_switch_info(node_of(LEAF), SWITCH_INFO_LINEAR_FDB_TOP), 77);
    assert_int_equal(fabric_switch_info(node_of(LEAF), SWITCH_INFO_LIFE_TIME_VALUE), 18);
    assert_false(node_of(HOST)->switch_info.known);
}

static const struct fabric_port *port_of_host(uint8_t number)
{
    const uint32_t port = fabric_find_port(fabric, fabric_find_node(fabric, HOST), number);
    return port != FABRIC_NONE ? &fabric->ports[port] : NULL;
}

// No link leads to ports 3 to 6. Port 3 is down, port 4 is in another subnet, port 5 was known
// before.
TEST(a_port_that_is_down_is_found_through_another_port)
{
    struct fabric_builder *before = fabric_builder_new();
    const uint32_t node = fabric_builder_node(
        before, &(struct fabric_node){.guid = HOST, .type = FABRIC_CA, .port_count = 6});
    assert_true(
        fabric_builder_port(before, node, &(struct fabric_port){.number = 5, .guid = 0x305}));
    known = fabric_builder_finish(before, 0, 0, true);
    fabric_builder_get(builder, host)->port_count = 6;
    memcpy(manners[FIRST_LID].states, (uint8_t[]){0, 4, 4, 1, 4, 1, 1}, 7);
    look(sweep_unlinked_ports);
    assert_int_equal(f.sent, 4);
    assert_int_equal(port_of_host(3)->state, FABRIC_DOWN);
    assert_int_equal(port_of_host(3)->physical, 2);
    assert_true(port_of_host(3)->known && port_of_host(3)->detail.known);
    assert_int_equal(port_of_host(3)->guid, 0);
    assert_null(port_of_host(4));
    assert_int_equal(port_of_host(5)->guid, 0x305);
    assert_non_null(port_of_host(6));
    assert_ptr_equal(&fabric->ports[fabric_find_lid(fabric, FIRST_LID)], port_of_host(1));
}

// The node does not answer for its third port, and is not asked for further ones.
TEST(a_node_that_does_not_answer_for_its_other_ports_is_left_alone)
{
    fabric_builder_get(builder, host)->port_count = 254;
    first_port.state = FABRIC_DOWN;
    look(sweep_unlinked_ports);
    assert_int_equal(manners[SECOND_LID].asked, 3);
    assert_int_equal(f.sent, 3);
    assert_null(port_of_host(3));
}

TEST(each_port_is_asked_with_its_own_mkey)
{
    struct log *log = support_log(NULL);
    mkeys = mkeys_new(log);
    mkeys_use(mkeys, support_file("guid2mkey", "0x0000000000000100 0x8877665544332211\n", 0600));
    leaf_port.guid = LEAF;
    leaf_port.capabilities = first_port.capabilities = FABRIC_IS_SM;
    look(sweep_switches);
    assert_true(node_of(LEAF)->switch_info.known);
    end(NULL);
    log_close(log);
}

// The sweep is complete all the same, even if the time is over.
static void check_switch_is_deaf(void)
{
    manners[LEAF_LID].deaf = true;
    look(sweep_switches);
    assert_int_equal(node_of(LEAF)->switch_info.known, known != NULL);
}

TEST(a_switch_that_does_not_tell_hides_nothing)
{
    check_switch_is_deaf();
    assert_int_equal(manners[LEAF_LID].asked, 3);
}

TEST(what_a_switch_told_before_stays)
{
    struct fabric_builder *before = fabric_builder_new();
    struct fabric_node node = {.guid = LEAF, .type = FABRIC_SWITCH, .port_count = 4};
    node.switch_info.known = true;
    attribute_set(node.switch_info.octets, 0, SWITCH_INFO_LINEAR_FDB_TOP, 5);
    fabric_builder_node(before, &node);
    known = fabric_builder_finish(before, SUPPORT_UTC_US, 0, true);
    limit_us = 1;
    check_switch_is_deaf();
    assert_int_equal(fabric_switch_info(node_of(LEAF), SWITCH_INFO_LINEAR_FDB_TOP), 5);
}

TEST(controllers_are_found_in_their_slots)
{
    first_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].slot_count = 5;
    memcpy(manners[FIRST_LID].slots, (uint8_t[]){0x10, 0xF1, 0x11},
           3); // slots 1, 4, 5, and 6 beyond
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 3);
    static const uint8_t SLOTS[] = {1, 4, 5};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fabric->controllers[i].slot, SLOTS[i]);
        assert_int_equal(fabric->controllers[i].guid, 0xC000U + SLOTS[i]);
        assert_int_equal(fabric->controllers[i].node, fabric_find_node(fabric, HOST));
        assert_string_equal(fabric->controllers[i].name,
                            "disks?1 of a long name that fills all of its sixty-four octets!");
    }
    assert_int_equal(f.sent, 1 + 3);
    assert_false(host_is_silent());
}

TEST(all_slots_may_be_full)
{
    first_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].slot_count = 255;
    memset(manners[FIRST_LID].slots, 0x11, sizeof manners[FIRST_LID].slots);
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 255);
    assert_int_equal(fabric->controllers[254].slot, 255);
}

TEST(both_ports_of_a_unit_tell_of_the_same_controllers)
{
    first_port.capabilities = second_port.capabilities = FABRIC_IS_DM;
    for (int lid = FIRST_LID; lid <= SECOND_LID; lid++) {
        manners[lid].slot_count = 2;
        manners[lid].slots[0] = 0x11;
    }
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 2);
    assert_int_equal(f.sent, 2 + 2); // only one of the ports is queried for the profiles
    assert_false(host_is_silent());
}

TEST(one_port_of_a_unit_is_enough)
{
    first_port.capabilities = second_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].deaf = true;
    manners[SECOND_LID].slot_count = 1;
    manners[SECOND_LID].slots[0] = 0x10;
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 1);
    assert_false(host_is_silent());
}

TEST(a_unit_that_does_not_answer_is_silent)
{
    first_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].deaf = true;
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 0);
    assert_true(host_is_silent());
}

TEST(so_is_one_that_does_not_tell_of_all_its_controllers)
{
    first_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].slot_count = 2;
    manners[FIRST_LID].slots[0] = 0x11;
    manners[FIRST_LID].deaf_slot = 2;
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 1);
    assert_true(host_is_silent());
}

TEST(a_unit_that_refuses_or_a_controller_without_guid_stays_out)
{
    first_port.capabilities = second_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].status = 0x000C;
    manners[FIRST_LID].slot_count = manners[SECOND_LID].slot_count = 1;
    manners[FIRST_LID].slots[0] = manners[SECOND_LID].slots[0] = 0x10;
    manners[SECOND_LID].without_guid = true;
    look(sweep_io_units);
    assert_int_equal(fabric->controller_count, 0);
    assert_true(host_is_silent());
}

TEST(a_port_that_is_not_active_is_not_asked_for_its_unit)
{
    first_port.capabilities = FABRIC_IS_DM;
    first_port.state = FABRIC_ARMED;
    look(sweep_io_units);
    assert_int_equal(f.sent, 0);
    assert_true(host_is_silent());
}

// Units in a number that no fabric has, each with all slots full.
static void add_liars(void)
{
    manners[LIAR_LID].slot_count = 255;
    memset(manners[LIAR_LID].slots, 0x11, sizeof manners[LIAR_LID].slots);
    for (uint64_t i = 0; i < LIARS; i++) {
        const struct fabric_node node = {.guid = 0x1000 + i, .type = FABRIC_CA, .port_count = 1};
        const struct fabric_port port = {.number = 1,
                                         .known = true,
                                         .lid = LIAR_LID,
                                         .state = FABRIC_ACTIVE,
                                         .capabilities = FABRIC_IS_DM};
        assert_true(fabric_builder_port(builder, fabric_builder_node(builder, &node), &port));
    }
}

static struct fabric *host_alone(void)
{
    struct fabric_builder *before = fabric_builder_new();
    fabric_builder_node(before, &(struct fabric_node){.guid = HOST, .type = FABRIC_CA});
    return fabric_builder_finish(before, SUPPORT_UTC_US, 0, true);
}

// Liars that were found before the host; but the host was known before them.
TEST(units_of_liars_leave_room_for_the_known_ones)
{
    manners[FIRST_LID].slot_count = 1;
    manners[FIRST_LID].slots[0] = 0x10;
    first_port.capabilities = FABRIC_IS_DM;
    add_liars();
    known = host_alone();
    look(sweep_io_units);
    assert_in_range(fabric->controller_count, 10000, FABRIC_CONTROLLERS_MAX / 2);
    assert_false(host_is_silent());
    assert_true(fabric->nodes[fabric_find_node(fabric, 0x1000 + LIARS - 1)].unit_silent);
    bool found = false;
    for (uint32_t i = 0; i < fabric->controller_count; i++)
        found = found || fabric->controllers[i].node == fabric_find_node(fabric, HOST);
    assert_true(found);
}

TEST(a_unit_that_was_not_asked_in_time_is_silent)
{
    first_port.capabilities = FABRIC_IS_DM;
    manners[FIRST_LID].slot_count = 255;
    memset(manners[FIRST_LID].slots, 0x11, sizeof manners[FIRST_LID].slots);
    manners[FIRST_LID].deaf_slot = 9;
    limit_us = 250 * CLOCK_US_PER_MS;
    f.latency_us = 10 * CLOCK_US_PER_MS; // eight at a time: 200 of 255
    look(sweep_io_units);
    assert_true(host_is_silent());
    assert_in_range(f.sent, 100, 250);
}

TEST(the_master_is_asked_first)
{
    first_port.capabilities = second_port.capabilities = leaf_port.capabilities = FABRIC_IS_SM;
    leaf_port.lid = MASTER_LID;
    manners[MASTER_LID].guid = LEAF;
    manners[FIRST_LID].deaf = manners[SECOND_LID].deaf = true;
    in_flight = 1;
    limit_us = 250 * CLOCK_US_PER_MS; // each of the others takes 300 ms
    known = host_alone();
    look(sweep_subnet_managers);
    assert_int_equal(fabric->sm_count, 1);
}

// The known ones come before the others.
TEST(a_subnet_manager_that_was_known_is_asked_in_time)
{
    first_port.capabilities = second_port.capabilities = leaf_port.capabilities = FABRIC_IS_SM;
    manners[LEAF_LID].deaf = true;
    manners[FIRST_LID].guid = HOST + 1;
    manners[SECOND_LID].guid = HOST + 2;
    in_flight = 1;
    limit_us = 250 * CLOCK_US_PER_MS; // the switch alone takes 300 ms
    known = host_alone();
    look(sweep_subnet_managers);
    assert_int_equal(fabric->sm_count, 2);
}

int main(void)
{
#define PART_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        PART_TEST(subnet_managers_are_found),
        PART_TEST(a_subnet_manager_that_does_not_answer_stays_out),
        PART_TEST(an_unknown_state_is_of_no_subnet_manager),
        PART_TEST(who_has_no_lid_or_is_silent_is_not_asked),
        PART_TEST(switches_tell_of_themselves),
        PART_TEST(a_port_that_is_down_is_found_through_another_port),
        PART_TEST(a_node_that_does_not_answer_for_its_other_ports_is_left_alone),
        PART_TEST(each_port_is_asked_with_its_own_mkey),
        PART_TEST(a_switch_that_does_not_tell_hides_nothing),
        PART_TEST(what_a_switch_told_before_stays),
        PART_TEST(controllers_are_found_in_their_slots),
        PART_TEST(all_slots_may_be_full),
        PART_TEST(both_ports_of_a_unit_tell_of_the_same_controllers),
        PART_TEST(one_port_of_a_unit_is_enough),
        PART_TEST(a_unit_that_does_not_answer_is_silent),
        PART_TEST(so_is_one_that_does_not_tell_of_all_its_controllers),
        PART_TEST(a_unit_that_refuses_or_a_controller_without_guid_stays_out),
        PART_TEST(a_port_that_is_not_active_is_not_asked_for_its_unit),
        PART_TEST(units_of_liars_leave_room_for_the_known_ones),
        PART_TEST(a_unit_that_was_not_asked_in_time_is_silent),
        PART_TEST(the_master_is_asked_first),
        PART_TEST(a_subnet_manager_that_was_known_is_asked_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
