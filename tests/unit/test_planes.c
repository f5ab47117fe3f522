// SPDX-License-Identifier: BSD-2-Clause
// The planes of XDR ports: a small plant of nodes and cables, seen from node 0, through pipeline,
// policy and journal in virtual time.
#include "plant_fixture.h"

enum { PLANES = 4, PORT = 5 };

// A box of XDR switches that are connected to the core: one for each plane, or one for all.
static void add_box(uint32_t asics, uint32_t of[PLANES], const char *name)
{
    static uint8_t uplink = 1;
    char text[32];
    uplink = plant.count == 1 ? 1 : uplink;
    for (uint32_t i = 0; i < asics; i++) {
        snprintf(text, sizeof text, "MF0;%s:Q3400/U%u", name, i + 1);
        of[i] = add_node(FABRIC_SWITCH, text, 24);
        plant.nodes[of[i]].node.system_guid = guid_of(of[0]);
        plant_connect(0, uplink++, of[i], 24);
        for (uint8_t port = 1; port <= 23; port++) {
            generated_port(&plant, of[i], port)->speed_supported = FABRIC_XDR | FABRIC_EDR;
            generated_port(&plant, of[i], port)->width_supported = 1;
        }
    }
}

static size_t add_plane(uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b)
{
    const size_t cable = plant_connect(a, port_a, b, port_b);
    cables[cable].narrow = true;
    return cable;
}

// Two boxes of four switches, and one link with its four planes.
struct boxes {
    uint32_t leaf[PLANES], spine[PLANES];
    size_t plane[PLANES];
};

static struct boxes add_boxes(void)
{
    struct boxes b;
    add_box(PLANES, b.leaf, "leaf1");
    add_box(PLANES, b.spine, "spine1");
    for (uint32_t i = 0; i < PLANES; i++)
        b.plane[i] = add_plane(b.leaf[i], PORT, b.spine[i], PORT + 2);
    return b;
}

static const char *planes_key(uint32_t node, uint8_t port)
{
    return key_of(&(struct alarm_key){
        .kind = ALARM_KEY_PORT, .about = ALARM_ABOUT_PLANES, .guid = guid_of(node), .port = port});
}

// The key of the planes of a link: by the smallest GUID of both boxes.
static const char *box_key(const uint32_t *near, uint8_t near_port, const uint32_t *far,
                           uint8_t far_port, size_t far_count)
{
    uint32_t first = near[0];
    uint8_t port = near_port;
    for (size_t i = 0; i < PLANES + far_count; i++) {
        const uint32_t node = i < far_count ? far[i] : near[i - far_count];
        if (guid_of(node) < guid_of(first)) {
            first = node;
            port = i < far_count ? far_port : near_port;
        }
    }
    return planes_key(first, port);
}

static const char *boxes_key(const struct boxes *b)
{
    return box_key(b->leaf, PORT, b->spine, PORT + 2, PLANES);
}

static void cut(const size_t *planes, size_t from, size_t to, bool is_cut)
{
    for (size_t i = from; i < to; i++)
        cables[planes[i]].cut = is_cut;
}

static void sweep_and_tell_nothing(size_t sweeps)
{
    for (size_t i = 0; i < sweeps; i++) {
        sweep();
        check_nothing_told();
    }
}

// How many events receivers got since the present sweep.
static size_t count_all_told(void)
{
    size_t count = 0;
    for (int64_t n = seen_through + 1; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        count += event->suppressed[0] == '\0';
        event_unref(event);
    }
    return count;
}

// Links between boxes.

TEST(a_plane_between_boxes_that_is_lost_is_a_degraded_link)
{
    const struct boxes b = add_boxes();
    sweep();
    cut(b.plane, 1, 2, true);
    sweep();
    check_told(CATALOGUE_LINK_DEGRADED, boxes_key(&b),
               "3 of 4 planes; no link at port 7 of MF0;spine1:Q3400/U2");
    assert_int_equal(count_all_told(), 1);
    assert_true(is_active(cable_key(ALARM_KEY_LINK, b.plane[1])));
    sweep_and_tell_nothing(2);
    cut(b.plane, 1, 2, false);
    sweep();
    check_told(CATALOGUE_LINK_RESTORED, boxes_key(&b), "4 of 4 planes");
    assert_int_equal(count_all_told(), 1);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_cable_of_four_planes_is_one_link)
{
    const struct boxes b = add_boxes();
    sweep();
    cut(b.plane, 0, PLANES, true);
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_DOWN)->reason, "all 4 planes");
    assert_int_equal(count_all_told(), 1);
    assert_int_equal(count_alarms(), PLANES);
    sweep_and_tell_nothing(2);
    cut(b.plane, 0, PLANES, false);
    sweep();
    told(CATALOGUE_LINK_UP);
    assert_int_equal(count_all_told(), 1);
    assert_int_equal(count_alarms(), 0);
    sweep_and_tell_nothing(2);
}

static void check_messages(size_t count)
{
    sweep();
    assert_int_equal(count_all_told(), count);
}

// Three planes go, then the last; one returns, then all. How many messages each causes.
static void check_last_plane(const size_t plane[PLANES], size_t one_back, size_t all_back)
{
    sweep();
    cut(plane, 0, 3, true);
    check_messages(1);
    told(CATALOGUE_LINK_DEGRADED);
    cut(plane, 3, PLANES, true);
    check_messages(1);
    sweep_and_tell_nothing(3);
    cut(plane, 0, 1, false);
    check_messages(one_back);
    sweep_and_tell_nothing(3);
    cut(plane, 1, PLANES, false);
    check_messages(all_back);
    told(CATALOGUE_LINK_RESTORED);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_link_that_loses_its_last_plane)
{
    const struct boxes b = add_boxes();
    check_last_plane(b.plane, 0, 2);
    cut(b.plane, 0, 3, true);
    sweep();
    cut(b.plane, 3, PLANES, true);
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_DOWN)->reason, "the last of 4 planes");
    cut(b.plane, 3, PLANES, false);
    check_messages(1);
    told(CATALOGUE_LINK_UP);
}

TEST(a_cable_that_returns_plane_by_plane)
{
    const struct boxes b = add_boxes();
    sweep();
    cut(b.plane, 0, PLANES, true);
    sweep();
    cut(b.plane, 2, PLANES, false);
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_DEGRADED)->alarm_key, boxes_key(&b));
    cut(b.plane, 0, PLANES, false);
    sweep();
    told(CATALOGUE_LINK_RESTORED);
    assert_int_equal(count_alarms(), 0);
}

TEST(planes_of_boxes_that_are_missing_from_the_start_are_told)
{
    const struct boxes b = add_boxes();
    cut(b.plane, 0, 1, true);
    sweep();
    check_told(CATALOGUE_LINK_DEGRADED, boxes_key(&b),
               "3 of 4 planes; no link at port 7 of MF0;spine1:Q3400/U1");
    assert_int_equal(count_alarms(), 1);
    sweep_and_tell_nothing(2);
}

// A switch of the box takes one plane of each link along, and is the cause.
TEST(a_switch_of_a_box_that_dies_is_one_message)
{
    const struct boxes b = add_boxes();
    const uint32_t host = add_node(FABRIC_CA, "gpu17 mlx5_0", PLANES);
    for (uint8_t i = 0; i < PLANES; i++) {
        generated_port(&plant, host, (uint8_t)(i + 1))->guid = guid_of(host) + 1;
        plant_connect(b.leaf[i], 1, host, (uint8_t)(i + 1));
    }
    sweep();
    off[b.leaf[2]] = true;
    sweep();
    told(CATALOGUE_SWITCH_REMOVED);
    assert_int_equal(count_all_told(), 1);
    sweep_and_tell_nothing(2);
    off[b.leaf[2]] = false;
    sweep();
    told(CATALOGUE_SWITCH_ADDED);
    assert_int_equal(count_all_told(), 1);
    assert_int_equal(count_alarms(), 0);
}

// A box of one switch has the planes in a row.
TEST(planes_in_a_row_are_one_link)
{
    uint32_t leaf[PLANES], spine[PLANES];
    size_t plane[PLANES];
    add_box(1, leaf, "leaf1");
    add_box(PLANES, spine, "spine1");
    for (uint8_t i = 0; i < PLANES; i++)
        plane[i] = add_plane(leaf[0], (uint8_t)(PORT + i), spine[i], PORT);
    sweep();
    cut(plane, 3, 4, true);
    sweep();
    check_told(CATALOGUE_LINK_DEGRADED, box_key(spine, PORT, leaf, PORT, 1),
               "3 of 4 planes; no link at port 5 of MF0;spine1:Q3400/U4");
    assert_int_equal(count_all_told(), 1);
}

// What is no plane.

static void check_parallel(const size_t plane[PLANES])
{
    sweep();
    cut(plane, 1, 2, true);
    sweep();
    told(CATALOGUE_LINK_DOWN);
    assert_int_equal(count_events(CATALOGUE_LINK_DEGRADED), 0);
    cut(plane, 0, PLANES, true);
    sweep();
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), PLANES - 1);
}

TEST(links_below_xdr_are_parallel)
{
    const struct boxes b = add_boxes();
    for (uint32_t i = 0; i < PLANES; i++)
        generated_port(&plant, b.spine[i], PORT + 2)->speed_supported = FABRIC_EDR;
    check_parallel(b.plane);
}

TEST(links_of_several_lanes_are_parallel)
{
    const struct boxes b = add_boxes();
    for (uint32_t i = 0; i < PLANES; i++)
        cables[b.plane[i]].narrow = false;
    check_parallel(b.plane);
}

TEST(links_to_different_ports_are_parallel)
{
    struct boxes b;
    add_box(PLANES, b.leaf, "leaf1");
    add_box(PLANES, b.spine, "spine1");
    for (uint32_t i = 0; i < PLANES; i++)
        b.plane[i] = add_plane(b.leaf[i], PORT, b.spine[i], (uint8_t)(PORT + i));
    check_parallel(b.plane);
}

TEST(links_to_different_boxes_are_parallel)
{
    struct boxes b;
    uint32_t other[PLANES];
    add_box(PLANES, b.leaf, "leaf1");
    add_box(PLANES, b.spine, "spine1");
    add_box(PLANES, other, "spine2");
    for (uint32_t i = 0; i < PLANES; i++)
        b.plane[i] = add_plane(b.leaf[i], PORT, i < 2 ? b.spine[i] : other[i], PORT);
    check_parallel(b.plane);
}

// Adapters. A port of an XDR adapter has four: ports with one GUID.

static uint32_t add_planar_host(size_t planes[PLANES])
{
    uint32_t leaf[2];
    for (uint8_t i = 0; i < 2; i++) {
        leaf[i] = add_node(FABRIC_SWITCH, i == 0 ? "leaf1" : "leaf2", 8);
        plant_connect(0, (uint8_t)(1 + i), leaf[i], 1);
    }
    const uint32_t host = add_node(FABRIC_CA, "gpu17", PLANES + 1);
    for (uint8_t i = 0; i < PLANES; i++) {
        generated_port(&plant, host, (uint8_t)(i + 1))->guid = guid_of(host) + 1;
        planes[i] = plant_connect(leaf[i % 2], (uint8_t)(4 + i), host, (uint8_t)(i + 1));
    }
    return host;
}

TEST(a_plane_that_is_lost_is_a_degraded_link)
{
    size_t planes[PLANES];
    const uint32_t host = add_planar_host(planes);
    sweep();
    cut(planes, 1, 2, true);
    sweep();
    check_told(CATALOGUE_LINK_DEGRADED, planes_key(host, 1), "3 of 4 planes; no link at port 2");
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 0);
    assert_int_equal(count_events(CATALOGUE_PORT_REMOVED), 0);
    sweep_and_tell_nothing(2);
    cut(planes, 0, 3, true);
    sweep();
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 0);
    assert_int_equal(count_events(CATALOGUE_PORT_REMOVED), 0);
    cut(planes, 0, PLANES, false);
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_RESTORED)->reason, "4 of 4 planes");
    assert_int_equal(count_told(CATALOGUE_PORT_ADDED), 0);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_plane_that_is_missing_from_the_start_is_told)
{
    size_t planes[PLANES];
    const uint32_t host = add_planar_host(planes);
    cut(planes, 3, 4, true);
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_DEGRADED)->reason, "3 of 4 planes; no link at port 4");
    sweep_and_tell_nothing(2);
    off[host] = true;
    sweep();
    told(CATALOGUE_HOST_REMOVED);
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 0);
    assert_string_equal(told(CATALOGUE_ALARM_CLEARED)->reason, "the link is down");
    off[host] = false;
    sweep();
    told(CATALOGUE_HOST_ADDED);
    told(CATALOGUE_LINK_DEGRADED);
    assert_int_equal(count_alarms(), 1);
}

TEST(a_host_that_loses_its_last_plane)
{
    size_t planes[PLANES];
    add_planar_host(planes);
    check_last_plane(planes, 1, 1);
}

TEST(a_port_that_loses_its_last_plane)
{
    size_t planes[PLANES];
    const uint32_t host = add_planar_host(planes);
    plant_connect(0, 9, host, PLANES + 1);
    check_last_plane(planes, 1, 1);
    cut(planes, 0, 3, true);
    sweep();
    cut(planes, 3, PLANES, true);
    sweep();
    check_told(CATALOGUE_PORT_REMOVED, port_key(host, 4), "the last of 4 planes");
    cut(planes, 1, 2, false);
    check_messages(1);
    assert_string_equal(told(CATALOGUE_ALARM_CLEARED)->reason, "1 of its 4 planes has a link");
}

// A restart, and a host that is taken away for good, leave nothing behind.
TEST(missing_planes_of_a_host_that_is_given_up)
{
    size_t planes[PLANES];
    const uint32_t host = add_planar_host(planes);
    sweep();
    cut(planes, 0, 3, true);
    check_messages(1);
    off[host] = true;
    check_messages(1);
    stop_pipeline();
    plant_start();
    sweep_and_tell_nothing(3);
    pass_time(31 * DAY);
    sweep();
    sweep();
    assert_int_equal(count_alarms(), 0);
}

// A second port keeps the host in the fabric.
TEST(a_port_that_loses_all_planes_is_one_message)
{
    size_t planes[PLANES];
    const uint32_t host = add_planar_host(planes);
    plant_connect(0, 9, host, PLANES + 1);
    sweep();
    cut(planes, 0, PLANES, true);
    sweep();
    check_told(CATALOGUE_PORT_REMOVED, port_key(host, 1), "all 4 planes");
    assert_int_equal(count_all_told(), 1);
    sweep_and_tell_nothing(2);
    cut(planes, 0, PLANES, false);
    sweep();
    told(CATALOGUE_PORT_ADDED);
    assert_int_equal(count_all_told(), 1);
    assert_int_equal(count_alarms(), 0);
}

int main(void)
{
#define PLANES_TEST(f) cmocka_unit_test_setup_teardown(f, plant_begin, plant_end)
    const struct CMUnitTest tests[] = {
        PLANES_TEST(a_plane_between_boxes_that_is_lost_is_a_degraded_link),
        PLANES_TEST(a_cable_of_four_planes_is_one_link),
        PLANES_TEST(a_link_that_loses_its_last_plane),
        PLANES_TEST(a_host_that_loses_its_last_plane),
        PLANES_TEST(a_port_that_loses_its_last_plane),
        PLANES_TEST(missing_planes_of_a_host_that_is_given_up),
        PLANES_TEST(a_cable_that_returns_plane_by_plane),
        PLANES_TEST(planes_of_boxes_that_are_missing_from_the_start_are_told),
        PLANES_TEST(a_switch_of_a_box_that_dies_is_one_message),
        PLANES_TEST(planes_in_a_row_are_one_link),
        PLANES_TEST(links_below_xdr_are_parallel),
        PLANES_TEST(links_of_several_lanes_are_parallel),
        PLANES_TEST(links_to_different_ports_are_parallel),
        PLANES_TEST(links_to_different_boxes_are_parallel),
        PLANES_TEST(a_plane_that_is_lost_is_a_degraded_link),
        PLANES_TEST(a_plane_that_is_missing_from_the_start_is_told),
        PLANES_TEST(a_port_that_loses_all_planes_is_one_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
