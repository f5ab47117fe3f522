// SPDX-License-Identifier: BSD-2-Clause
// Registers of NVIDIA's devices: who is asked, how often, and which answers count.
#include "firmware.h"
#include "support.h"

#include "base/wire.h"
#include "model/fabric_builder.h"

enum { NODE_INFO = 0x11, DATA = 64, MELLANOX = 0x0002c9, INTEL = 0x001175 };
enum { LEAF_LID = 11, SPINE_LID = 10, HOST_LID = 20, OLD_LID = 21, PORTS = 4 };
static const uint64_t LEAF = 0x100, SPINE = 0x500, HOST = 0x300, OLD = 0x700;

#define PAGE(n, page) .id = FIRMWARE_PDDR, .first = (n) << 16 | 1 << 14, .second = (page)
#define REASON(own, told, blame)                                                                   \
    .fields = {{8, 0, 4, (blame)}, {12, 0, 8, (own)}, {16, 0, 8, (told)}}
#define STATUS(opcode, words) .fields = {{12, 0, 16, (opcode)}}, .text_at = 20, .text = (words)

// Port 1 of the leaf led to the spine's port 1; port 2 to the host; port 3 to an old device.
static const struct firmware_row ROWS[] = {
    {.lid = LEAF_LID, PAGE(1, 6), REASON(23, 20, 1)},
    {.lid = LEAF_LID, PAGE(1, 1), STATUS(1024, "Cable is unplugged.\n")},
    {.lid = SPINE_LID, PAGE(1, 6), REASON(20, 0, 2)},
    {.lid = SPINE_LID, PAGE(1, 1), STATUS(14, "Remote faults received\x01")},
    {.lid = LEAF_LID, PAGE(2, 6), REASON(2, 0, 9)},
    {.lid = LEAF_LID, PAGE(2, 1), STATUS(70, "")},
    {.lid = LEAF_LID, PAGE(3, 6), .status = 0x1C},
    {.lid = LEAF_LID, PAGE(3, 1), STATUS(57, "No signal")},
    {.lid = HOST_LID, PAGE(2, 6), REASON(35, 0, 0)},
    {.lid = HOST_LID, PAGE(2, 1), STATUS(1030, "hot")},
};

static struct fake_port f;
static struct firmware firmware;
static struct fabric *before, *after;
static struct sweep_devices devices;
static struct link_reasons list;
static struct error err;
static unsigned nodes_asked;
static uint32_t moved; // bit LID: the LID is another node's
static bool no_smps;

static uint64_t port_guid(uint16_t lid)
{
    return 0xA000 + lid;
}

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    if (asked->agent != MAD_AGENT_SMP_LID)
        return firmware_answer(&firmware, asked, out);
    assert_false(no_smps);
    assert_int_equal(wire_get16(asked->octets + 16), NODE_INFO);
    nodes_asked++;
    uint8_t *info = out->octets + DATA;
    info[2] = FABRIC_CA;
    info[3] = 2;
    wire_put(info + 12, 8, 1);
    wire_put(info + 20, 8,
             asked->to.lid < 32 && moved >> asked->to.lid & 1 ? 1 : port_guid(asked->to.lid));
    info[36] = 1;
    return true;
}

static uint32_t add_node(struct fabric_builder *b, uint64_t guid, enum fabric_type type,
                         uint32_t vendor)
{
    return fabric_builder_node(
        b, &(struct fabric_node){
               .guid = guid, .type = (uint8_t)type, .port_count = PORTS, .vendor = vendor});
}

static void add_port(struct fabric_builder *b, uint32_t node, uint8_t number, uint16_t lid, bool up)
{
    assert_true(fabric_builder_port(
        b, node,
        &(struct fabric_port){.number = number,
                              .known = true,
                              .guid = lid != 0 ? port_guid(lid) : 0,
                              .lid = lid,
                              .state = (uint8_t)(up ? FABRIC_ACTIVE : FABRIC_DOWN)}));
}

// `up`: whether the links are.
static struct fabric *make_fabric(bool up)
{
    struct fabric_builder *b = fabric_builder_new();
    const uint32_t leaf = add_node(b, LEAF, FABRIC_SWITCH, MELLANOX),
                   spine = add_node(b, SPINE, FABRIC_SWITCH, MELLANOX),
                   host = add_node(b, HOST, FABRIC_CA, MELLANOX),
                   old = add_node(b, OLD, FABRIC_CA, INTEL);
    add_port(b, leaf, 0, LEAF_LID, true);
    add_port(b, spine, 0, SPINE_LID, true);
    for (uint8_t i = 1; i <= 3; i++)
        add_port(b, leaf, i, 0, up);
    add_port(b, spine, 1, 0, up);
    add_port(b, host, 1, HOST_LID, true); // answers for port 2
    add_port(b, host, 2, HOST_LID + 2, up);
    add_port(b, old, 1, OLD_LID, up);
    if (up) {
        fabric_builder_link(b, leaf, 1, spine, 1);
        fabric_builder_link(b, leaf, 2, host, 2);
        fabric_builder_link(b, leaf, 3, old, 1);
    }
    struct fabric *made = fabric_builder_finish(b, SUPPORT_UTC_US, 0, true);
    assert_non_null(made);
    return made;
}

static int begin(void **state)
{
    (void)state;
    before = make_fabric(true);
    after = make_fabric(false);
    firmware = (struct firmware){.rows = ROWS, .count = COUNT(ROWS)};
    nodes_asked = moved = 0;
    no_smps = false;
    fake_port_init(&f, answer, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(before);
    fabric_unref(after);
    sweep_devices_clear(&devices);
    return 0;
}

static struct sweep make_sweep(void)
{
    struct sweep sweep = fake_port_sweep(&f);
    sweep.no_smps = no_smps;
    return sweep;
}

static void ask_why(struct sweep *sweep)
{
    struct device_readings *readings;
    assert_true(sweep_link_reasons(sweep, after, &devices, &list, &readings, &err));
    for (size_t i = 0; i < readings->count; i++)
        assert_true(readings->all[i].page == REGISTER_LINK_DOWN ||
                    readings->all[i].page == REGISTER_TROUBLESHOOTING);
    free(readings);
}

static void ask(void)
{
    struct sweep sweep = make_sweep();
    const uint64_t sent = f.sent;
    sweep_list_lost_links(before, after, &list);
    ask_why(&sweep);
    assert_true(sweep.complete);
    assert_int_equal(sweep.counters.sent, f.sent - sent);
}

static const struct link_reason *reason_of(uint64_t guid, uint8_t port)
{
    for (size_t i = 0; i < list.count; i++) {
        if (list.all[i].node_guid == guid && list.all[i].port == port)
            return &list.all[i];
    }
    return NULL;
}

static bool is_known(uint64_t guid, uint8_t port)
{
    const struct link_reason *reason = reason_of(guid, port);
    assert_non_null(reason);
    return reason->known;
}

static unsigned count_known(void)
{
    unsigned count = 0;
    for (size_t i = 0; i < list.count; i++)
        count += list.all[i].known;
    return count;
}

TEST(both_ends_of_each_lost_link_are_asked)
{
    ask();
    assert_int_equal(list.count, 5); // not the device of another vendor
    assert_null(reason_of(OLD, 1));
    const struct link_reason *leaf = reason_of(LEAF, 1), *spine = reason_of(SPINE, 1);
    assert_true(leaf->known && spine->known);
    assert_int_equal(leaf->local, 23);
    assert_int_equal(leaf->remote, 20);
    assert_int_equal(leaf->blame, LINK_END_OWN);
    assert_int_equal(leaf->status, 1024);
    assert_string_equal(leaf->message, "Cable is unplugged");
    assert_int_equal(spine->blame, LINK_END_OTHER);
    assert_string_equal(spine->message, "Remote faults received");
    assert_int_equal(reason_of(LEAF, 2)->blame, LINK_END_UNKNOWN); // 9 is no end
    assert_int_equal(reason_of(LEAF, 2)->local, 2);
    assert_int_equal(reason_of(LEAF, 3)->local, 0); // it refused this page
    assert_string_equal(reason_of(LEAF, 3)->message, "No signal");
}

TEST(another_port_of_a_host_answers_for_the_port_that_is_down)
{
    ask();
    assert_int_equal(reason_of(HOST, 2)->local, 35);
    assert_string_equal(reason_of(HOST, 2)->message, "hot");
}

TEST(a_device_is_asked_once_whether_it_has_registers)
{
    ask();
    assert_int_equal(firmware.infos, 3);
    assert_int_equal(firmware.reads, 10);
    assert_int_equal(nodes_asked, 3);
    ask();
    assert_int_equal(firmware.infos, 3);
    assert_int_equal(firmware.reads, 20);
}

TEST(a_device_has_one_question_at_a_time)
{
    firmware.late_us = 10 * CLOCK_US_PER_MS;
    firmware.deaf = 1 << SPINE_LID;
    moved = 1 << HOST_LID;
    ask();
    assert_in_range(f.in_flight_most, 1, 3);
    assert_true(is_known(LEAF, 1) && is_known(LEAF, 2));
}

TEST(links_that_stay_or_came_back_cause_no_question)
{
    sweep_list_lost_links(before, before, &list);
    assert_int_equal(list.count, 0);
    sweep_list_lost_links(after, after, &list);
    assert_int_equal(list.count, 0);
    sweep_list_lost_links(after, before, &list);
    assert_int_equal(list.count, 0);
}

TEST(a_link_that_is_slower_now_causes_questions)
{
    struct fabric *slow = make_fabric(true);
    struct fabric_port *fast =
                           (struct fabric_port *)&before
                               ->ports[fabric_find_port(before, fabric_find_node(before, LEAF), 2)],
                       *port = (struct fabric_port *)&slow
                                   ->ports[fabric_find_port(slow, fabric_find_node(slow, LEAF), 2)];
    fast->width_active = 2; // 4X
    port->width_active = 1; // 1X
    sweep_list_lost_links(before, slow, &list);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.all[0].port, 2);
    port->width_active = 2;
    fast->speed_active = FABRIC_EDR;
    port->speed_active = FABRIC_FDR;
    sweep_list_lost_links(before, slow, &list);
    assert_int_equal(list.count, 1);
    sweep_list_lost_links(slow, before, &list); // faster
    assert_int_equal(list.count, 0);
    fabric_unref(slow);
}

// What a device lacks is not asked for again on the same day.
static void check_left_alone_for_a_day(unsigned known)
{
    ask();
    assert_int_equal(count_known(), known);
    const unsigned asked = firmware.infos + firmware.reads;
    f.time.monotonic += 23 * 3600 * CLOCK_US_PER_S;
    ask();
    assert_int_equal(count_known(), known);
    assert_in_range(firmware.infos + firmware.reads - asked, 0, 2 * known);
}

TEST(a_device_without_the_class_is_left_alone)
{
    firmware.no_class = 1 << LEAF_LID | 1 << SPINE_LID | 1 << HOST_LID;
    check_left_alone_for_a_day(0);
    assert_int_equal(firmware.infos, 3);
    f.time.monotonic += 2 * 3600 * CLOCK_US_PER_S;
    firmware.no_class = 0;
    ask();
    assert_int_equal(count_known(), 5);
}

TEST(a_device_without_the_capability_is_left_alone)
{
    firmware.no_access = 1 << LEAF_LID | 1 << SPINE_LID | 1 << HOST_LID;
    check_left_alone_for_a_day(0);
    assert_int_equal(firmware.infos, 3);
    assert_int_equal(firmware.reads, 0);
}

TEST(a_silent_device_is_left_alone)
{
    firmware.deaf = 1 << LEAF_LID | 1 << SPINE_LID | 1 << HOST_LID;
    ask();
    const uint64_t sent = f.sent;
    assert_int_equal(sent, 3 + 3 * 3); // NodeInfo, and the attempts
    f.time.monotonic += 23 * 3600 * CLOCK_US_PER_S;
    ask();
    assert_int_equal(f.sent, sent);
}

TEST(a_device_without_any_register_is_left_alone)
{
    firmware.count = 0;
    check_left_alone_for_a_day(0);
    assert_int_equal(firmware.reads, 2 * 3);
}

TEST(a_busy_device_is_asked_again_the_next_time)
{
    firmware.busy = 1 << LEAF_LID | 1 << SPINE_LID | 1 << HOST_LID;
    ask();
    assert_int_equal(count_known(), 0);
    firmware.busy = 0;
    ask();
    assert_int_equal(count_known(), 5);
}

TEST(another_node_that_has_the_lid_or_answers_is_not_believed)
{
    moved = 1 << LEAF_LID;
    firmware.impostors = 1 << SPINE_LID;
    ask();
    assert_false(is_known(LEAF, 1) || is_known(SPINE, 1));
    moved = 0;
    firmware.impostors = 0;
    ask();
    assert_true(is_known(LEAF, 1) && is_known(SPINE, 1));
}

TEST(an_answer_about_another_port_or_block_is_none)
{
    firmware.other_port = 1 << LEAF_LID;
    firmware.repeats = 1 << SPINE_LID;
    ask();
    assert_false(is_known(LEAF, 1) || is_known(SPINE, 1));
    assert_true(is_known(HOST, 2));
}

TEST(a_slow_device_does_not_delay_longer_than_the_limit)
{
    firmware.late_us = CLOCK_US_PER_S;
    struct sweep sweep = make_sweep();
    sweep.limits.part_us = 500 * CLOCK_US_PER_MS;
    sweep.requests.timeout_us = 2 * CLOCK_US_PER_S;
    const int64_t begun = f.time.monotonic;
    sweep_list_lost_links(before, after, &list);
    ask_why(&sweep);
    assert_in_range(f.time.monotonic - begun, 1, 550 * CLOCK_US_PER_MS);
    assert_int_equal(count_known(), 0);
    sweep.limits.part_us = 0; // what is left is asked later
    ask_why(&sweep);
    assert_int_equal(count_known(), 5);
}

TEST(the_vskey_goes_with_each_request)
{
    firmware.vskey = UINT64_C(0x1122334455667788);
    struct sweep sweep = make_sweep();
    sweep.vskey = firmware.vskey;
    sweep_list_lost_links(before, after, &list);
    ask_why(&sweep);
    assert_int_equal(count_known(), 5);
}

TEST(without_smps_the_lids_of_the_sweep_are_believed)
{
    no_smps = true;
    ask();
    assert_int_equal(count_known(), 5);
    assert_int_equal(nodes_asked, 0);
}

// Rounds over all devices.

static struct device_readings *read_round(uint64_t *behind)
{
    struct sweep sweep = make_sweep();
    struct device_readings *readings = sweep_list_registers(before, behind);
    assert_true(sweep_registers(&sweep, before, &devices, readings, &err));
    assert_true(readings->complete);
    return readings;
}

static const struct device_reading *reading_of(const struct device_readings *readings,
                                               uint64_t guid, uint8_t port, enum register_page page)
{
    for (size_t i = 0; i < readings->count; i++) {
        const struct device_reading *one = &readings->all[i];
        if (one->node_guid == guid && one->port == port && one->page == page)
            return one;
    }
    return NULL;
}

TEST(a_round_asks_each_device_and_each_port_once)
{
    static const struct firmware_row MODULES[] = {
        {.lid = LEAF_LID, PAGE(1, 3 | 1U << 29)},
        {.lid = LEAF_LID, PAGE(2, 3 | 1U << 29), .text_at = 8 + 0x3C, .text = "MT2231"},
        {.lid = HOST_LID + 2, PAGE(2, 3 | 1U << 29), .text_at = 8 + 0x3C, .text = "MT2231"},
    };
    uint64_t behind = 0;
    firmware.rows = MODULES;
    firmware.count = COUNT(MODULES);
    struct device_readings *readings = read_round(&behind);
    assert_true(readings->ends_round && behind == 0);
    assert_null(reading_of(readings, OLD, 1, REGISTER_MODULE)); // another vendor's
    assert_non_null(reading_of(readings, SPINE, 0, REGISTER_TEMPERATURE));
    assert_null(reading_of(readings, HOST, 0, REGISTER_TEMPERATURE));
    const struct device_reading *leaf = reading_of(readings, LEAF, 2, REGISTER_MODULE),
                                *host = reading_of(readings, HOST, 2, REGISTER_MODULE);
    assert_true(leaf->answered && host->answered);
    assert_string_equal((const char *)leaf->octets + 8 + 0x3C, "MT2231");
    assert_memory_equal(leaf->octets + 8, host->octets + 8, 64);
    free(readings);
}

// A pair of switches for each number, with a link at every port.
static struct fabric *make_pairs(unsigned pairs, uint8_t ports, bool up)
{
    struct fabric_builder *b = fabric_builder_new();
    for (unsigned i = 0; i < pairs; i++) {
        const uint32_t one = add_node(b, 0x10000 + 2 * i, FABRIC_SWITCH, MELLANOX);
        const uint32_t two = add_node(b, 0x10001 + 2 * i, FABRIC_SWITCH, MELLANOX);
        add_port(b, one, 0, (uint16_t)(1000 + 2 * i), true);
        add_port(b, two, 0, (uint16_t)(1001 + 2 * i), true);
        for (uint8_t port = 1; port <= ports; port++) {
            add_port(b, one, port, 0, up);
            add_port(b, two, port, 0, up);
            if (up)
                fabric_builder_link(b, one, port, two, port);
        }
    }
    return fabric_builder_finish(b, SUPPORT_UTC_US, 0, true);
}

TEST(a_fabric_without_any_link_costs_so_many_questions_and_no_more)
{
    enum { PAIRS = 1000, WIDE = 64, IN_FLIGHT = 8 };
    fabric_unref(before);
    fabric_unref(after);
    before = make_pairs(PAIRS, WIDE, true);
    after = make_pairs(PAIRS, WIDE, false);
    firmware.count = 0; // each register is refused
    ask();
    assert_int_equal(list.count, LINK_REASONS_MAX);
    assert_in_range(f.in_flight_most, 1, IN_FLIGHT);
    const unsigned asked = LINK_REASONS_MAX / WIDE;
    assert_int_equal(f.sent, asked * (2 + 2)); // NodeInfo, GeneralInfo, each page once
}

TEST(a_round_has_slices_of_whole_devices)
{
    enum { PAIRS = 20, WIDE = 64 };
    uint64_t behind = 0, last = 0;
    unsigned slices = 0, ports = 0;
    fabric_unref(before);
    before = make_pairs(PAIRS, WIDE, true);
    firmware.deaf = UINT32_MAX;
    for (bool ended = false; !ended; slices++) {
        struct device_readings *readings = sweep_list_registers(before, &behind);
        assert_in_range(readings->count, 1, DEVICE_READINGS_MAX);
        assert_true(readings->all[0].node_guid > last);
        for (size_t i = 0; i < readings->count; i++) {
            ports += readings->all[i].page == REGISTER_MODULE;
            last = readings->all[i].node_guid;
        }
        ended = readings->ends_round;
        free(readings);
    }
    assert_int_equal(ports, 2 * PAIRS * WIDE);
    assert_in_range(slices, 2, 2 * PAIRS);
}

// 2,000 switches of 64 ports: each port costs two questions, each switch eight, its capability once
// and its identity in each slice. No switch has two at a time, whatever the rate of all.
TEST(a_round_over_2000_switches_has_a_price)
{
    enum { SWITCHES = 2000, WIDE = 64, OF_SWITCH = 8 };
    uint64_t behind = 0;
    bool ended = false;
    fabric_unref(before);
    before = make_pairs(SWITCHES / 2, WIDE, true);
    firmware.knows_all = true;
    f.latency_us = 300; // of a switch
    const int64_t begun = f.time.monotonic;
    while (!ended) {
        struct device_readings *readings = read_round(&behind);
        for (size_t i = 0; i < readings->count; i++)
            assert_true(readings->all[i].answered);
        ended = readings->ends_round;
        free(readings);
    }
    assert_int_equal(firmware.reads, SWITCHES * (OF_SWITCH + 2 * WIDE));
    assert_int_equal(f.sent, firmware.reads + 2 * SWITCHES);
    assert_in_range(f.time.monotonic - begun, 1, 300 * CLOCK_US_PER_S); // the default interval
    f.latency_us = 0;
}

TEST(a_device_that_needs_a_second_each_delays_a_slice_by_a_second)
{
    firmware.late_us = CLOCK_US_PER_S;
    struct sweep sweep = make_sweep();
    uint64_t behind = 0;
    sweep.limits.part_us = CLOCK_US_PER_S;
    sweep.requests.timeout_us = 2 * CLOCK_US_PER_S;
    const int64_t begun = f.time.monotonic;
    struct device_readings *readings = sweep_list_registers(before, &behind);
    assert_true(sweep_registers(&sweep, before, &devices, readings, &err));
    assert_false(readings->complete);
    assert_in_range(f.time.monotonic - begun, 1, 1100 * CLOCK_US_PER_MS);
    free(readings);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(both_ends_of_each_lost_link_are_asked),
        HERE(another_port_of_a_host_answers_for_the_port_that_is_down),
        HERE(a_device_is_asked_once_whether_it_has_registers),
        HERE(a_device_has_one_question_at_a_time),
        HERE(a_link_that_is_slower_now_causes_questions),
        HERE(links_that_stay_or_came_back_cause_no_question),
        HERE(a_device_without_the_class_is_left_alone),
        HERE(a_device_without_the_capability_is_left_alone),
        HERE(a_silent_device_is_left_alone),
        HERE(a_device_without_any_register_is_left_alone),
        HERE(a_busy_device_is_asked_again_the_next_time),
        HERE(another_node_that_has_the_lid_or_answers_is_not_believed),
        HERE(an_answer_about_another_port_or_block_is_none),
        HERE(a_slow_device_does_not_delay_longer_than_the_limit),
        HERE(the_vskey_goes_with_each_request),
        HERE(without_smps_the_lids_of_the_sweep_are_believed),
        HERE(a_round_asks_each_device_and_each_port_once),
        HERE(a_round_has_slices_of_whole_devices),
        HERE(a_round_over_2000_switches_has_a_price),
        HERE(a_device_that_needs_a_second_each_delays_a_slice_by_a_second),
        HERE(a_fabric_without_any_link_costs_so_many_questions_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
