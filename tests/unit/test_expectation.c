// SPDX-License-Identifier: BSD-2-Clause
// A small fabric, expected and after some edits: what was edited is told.
#include "generated.h"
#include "support.h"

#include "model/topology_file.h"
#include "topology/describe.h"
#include "topology/expectation.h"

#include <stdlib.h>

enum { TOLD_MAX = 64 };

struct told {
    struct change change;
    bool unseen;
};

static struct generated plant;
static uint32_t leaf1, leaf2, spine, host1, host2, host3, host4;
static struct fabric *expected;
static struct told told[TOLD_MAX];
static size_t count;

// leaf1 and leaf2 have two links to each other and one each to the spine; host4 has a port at each.
static int set_up(void **state)
{
    (void)state;
    leaf1 = generated_add(&plant, FABRIC_SWITCH, 0, "leaf1", 8);
    leaf2 = generated_add(&plant, FABRIC_SWITCH, 0, "leaf2", 8);
    spine = generated_add(&plant, FABRIC_SWITCH, 0, "spine", 8);
    host1 = generated_add(&plant, FABRIC_CA, 0, "host1", 1);
    host2 = generated_add(&plant, FABRIC_CA, 0, "host2", 1);
    host3 = generated_add(&plant, FABRIC_CA, 0, "host3", 1);
    host4 = generated_add(&plant, FABRIC_CA, 0, "host4", 2);
    generated_link(&plant, leaf1, 7, leaf2, 7);
    generated_link(&plant, leaf1, 8, leaf2, 8);
    generated_link(&plant, leaf1, 6, spine, 1);
    generated_link(&plant, leaf2, 6, spine, 2);
    generated_link(&plant, host1, 1, leaf1, 1);
    generated_link(&plant, host2, 1, leaf1, 2);
    generated_link(&plant, host3, 1, leaf2, 1);
    generated_link(&plant, host4, 1, leaf1, 4);
    generated_link(&plant, host4, 2, leaf2, 4);
    expected = generated_look(&plant, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fabric_unref(expected);
    generated_clear(&plant);
    return 0;
}

static bool is_of_difference(const char *text, struct alarm_key *out)
{
    return alarm_key_parse(text, out) && out->about == ALARM_ABOUT_EXPECTED;
}

static void take(void *ctx, const struct change *difference, bool unseen)
{
    struct alarm_key what;
    (void)ctx;
    assert_in_range(count, 0, TOLD_MAX - 1);
    assert_true(is_of_difference(difference->alarm_key, &what));
    assert_true(difference->cause == FABRIC_NONE || difference->cause < count);
    told[count++] = (struct told){*difference, unseen};
}

static void compare_with(struct expectation *expectation, const struct fabric *now)
{
    struct systems *systems = describe_systems(now, NULL, NULL);
    count = 0;
    expectation_compare(expectation, systems, NULL, take, NULL);
    systems_unref(systems);
}

static void compare(bool by_name, bool complete)
{
    struct expectation *expectation = expectation_new(fabric_ref(expected), by_name, NULL);
    struct fabric *now = generated_look(&plant, 3);
    assert_non_null(expectation);
    now->complete = complete;
    compare_with(expectation, now);
    expectation_unref(expectation);
    fabric_unref(now);
}

static const struct change *find(enum catalogue_event type, const char *subject, unsigned port)
{
    for (size_t i = 0; i < count; i++) {
        if (told[i].change.type == type && strcmp(told[i].change.subject.name, subject) == 0 &&
            (port == 0 || told[i].change.subject.port == port))
            return &told[i].change;
    }
    fail_msg("no %s about %s", catalogue_get(type)->name, subject);
    return NULL;
}

static void check_peer(const struct change *change, const char *peer, unsigned port)
{
    assert_string_equal(change->peer.name, peer);
    assert_int_equal(change->peer.port, port);
}

TEST(an_equal_fabric_has_no_difference)
{
    compare(false, true);
    assert_int_equal(count, 0);
    compare(true, false);
    assert_int_equal(count, 0);
}

TEST(a_missing_host_is_one_difference)
{
    generated_remove(&plant, host1);
    compare(false, true);
    assert_int_equal(count, 1);
    const struct change *c = find(CATALOGUE_HOST_MISSING, "host1", 0);
    check_peer(c, "leaf1", 1);
    assert_int_equal(c->uplink, 1);
    assert_int_equal(c->switch_guid, plant.nodes[leaf1].node.guid);
    assert_string_equal(c->reason, "");
    assert_int_equal(strncmp(c->alarm_key, "host-missing node 0x", 20), 0);
}

// The hosts that only this switch connects are its consequences; host4 has another way.
TEST(a_missing_switch_explains_its_hosts_and_links)
{
    generated_remove(&plant, host1);
    generated_remove(&plant, host2);
    generated_remove(&plant, leaf1);
    compare(false, true);
    assert_int_equal(count, 3);
    assert_int_equal(told[0].change.type, CATALOGUE_SWITCH_MISSING);
    assert_int_equal(told[0].change.affected, 2);
    assert_string_equal(told[0].change.reason, "missing with it 2 nodes: host1, host2");
    check_peer(find(CATALOGUE_SWITCH_MISSING, "leaf1", 0), "spine", 1);
    assert_int_equal(find(CATALOGUE_HOST_MISSING, "host1", 0)->cause, 0);
    assert_int_equal(find(CATALOGUE_HOST_MISSING, "host2", 0)->cause, 0);
}

TEST(a_missing_link_has_both_ends)
{
    generated_unlink(&plant, leaf1, 8);
    generated_unlink(&plant, host4, 2);
    compare(false, true);
    assert_int_equal(count, 2);
    // Of two switches, the one with the smaller GUID is the subject.
    const bool leaf1_first = plant.nodes[leaf1].node.guid < plant.nodes[leaf2].node.guid;
    check_peer(find(CATALOGUE_LINK_MISSING, leaf1_first ? "leaf1" : "leaf2", 8),
               leaf1_first ? "leaf2" : "leaf1", 8);
    check_peer(find(CATALOGUE_LINK_MISSING, "leaf2", 4), "host4", 2);
    struct alarm_key what;
    assert_true(is_of_difference(told[0].change.alarm_key, &what));
    assert_int_equal(what.kind, ALARM_KEY_LINK);
}

TEST(a_cable_in_another_port_says_where_it_is_and_should_be)
{
    generated_link(&plant, leaf1, 8, leaf2, 5);
    generated_link(&plant, host1, 1, leaf2, 3);
    compare(false, true);
    assert_int_equal(count, 2);
    const struct change *c = find(CATALOGUE_LINK_MISCABLED, "leaf1", 8);
    check_peer(c, "leaf2", 5);
    assert_string_equal(c->reason, "port 8 of leaf2");
    c = find(CATALOGUE_LINK_MISCABLED, "host1", 1); // its end kept a cable
    check_peer(c, "leaf2", 3);
    assert_string_equal(c->reason, "port 1 of leaf1");
}

TEST(two_swapped_cables_are_two_differences)
{
    generated_link(&plant, host1, 1, leaf1, 2);
    generated_link(&plant, host2, 1, leaf1, 1);
    compare(false, true);
    assert_int_equal(count, 2);
    const struct change *c = find(CATALOGUE_LINK_MISCABLED, "leaf1", 1);
    check_peer(c, "host2", 1);
    assert_string_equal(c->reason, "port 1 of host1, which is connected to port 2 of leaf1");
    check_peer(find(CATALOGUE_LINK_MISCABLED, "leaf1", 2), "host1", 1);
}

TEST(what_is_not_expected_is_told_by_its_root_cause)
{
    const uint32_t leaf3 = generated_add(&plant, FABRIC_SWITCH, 0, "leaf3", 8);
    const uint32_t host5 = generated_add(&plant, FABRIC_CA, 0, "host5", 1);
    generated_link(&plant, leaf3, 8, spine, 3);
    generated_link(&plant, host5, 1, leaf3, 2); // before the port to the other nodes
    generated_link(&plant, leaf2, 5, spine, 5);
    compare(false, true);
    assert_int_equal(count, 3);
    assert_int_equal(told[0].change.type, CATALOGUE_NODE_UNEXPECTED);
    check_peer(find(CATALOGUE_NODE_UNEXPECTED, "leaf3", 0), "spine", 3);
    assert_string_equal(told[0].change.reason, "with it came 1 node: host5");
    assert_int_equal(find(CATALOGUE_NODE_UNEXPECTED, "host5", 0)->cause, 0);
    check_peer(find(CATALOGUE_LINK_UNEXPECTED, "leaf2", 5), "spine", 5);
}

static void replace_host1(void)
{
    generated_remove(&plant, host1);
    const uint32_t other = generated_add(&plant, FABRIC_CA, 0, "host1", 1);
    generated_link(&plant, other, 1, leaf1, 1);
}

TEST(a_replaced_adapter_is_another_node_by_its_guid)
{
    replace_host1();
    compare(false, true);
    assert_int_equal(count, 2);
    assert_string_equal(find(CATALOGUE_HOST_MISSING, "host1", 0)->reason,
                        "in its place is port 1 of host1");
    check_peer(find(CATALOGUE_NODE_UNEXPECTED, "host1", 0), "leaf1", 1);
}

TEST(a_replaced_adapter_keeps_its_place_by_its_name)
{
    replace_host1();
    compare(true, true);
    assert_int_equal(count, 0);
    generated_rename(&plant, host2, "host3"); // two of that name: by their GUIDs
    compare(true, true);
    assert_int_equal(count, 0);
    generated_rename(&plant, host2, "MT4119"); // a host that boots
    compare(true, true);
    assert_int_equal(count, 0);
}

static void set_rate(uint32_t node, uint8_t number, uint8_t width, uint16_t speed)
{
    struct fabric_port *port = generated_port(&plant, node, number);
    struct fabric_port *peer = generated_port(&plant, port->peer_node, port->peer_port);
    port->known = peer->known = true;
    port->width_active = peer->width_active = width;
    port->speed_active = peer->speed_active = speed;
}

static void expect_again(void)
{
    fabric_unref(expected);
    expected = generated_look(&plant, 0);
}

TEST(a_link_below_its_expected_rate_is_told)
{
    set_rate(host1, 1, 2, FABRIC_HDR);
    set_rate(host2, 1, 2, FABRIC_HDR);
    set_rate(host3, 1, 1, FABRIC_SDR);
    expect_again();
    set_rate(host1, 1, 1, FABRIC_HDR);
    set_rate(host2, 1, 2, FABRIC_EDR);
    set_rate(host3, 1, 16, FABRIC_NDR); // 2X: better than expected
    compare(false, true);
    assert_int_equal(count, 2);
    const struct change *c = find(CATALOGUE_LINK_BELOW_EXPECTED, "leaf1", 1);
    check_peer(c, "host1", 1);
    assert_string_equal(c->reason, "1X HDR (50 Gb/s) instead of 4X HDR (200 Gb/s)");
    assert_string_equal(find(CATALOGUE_LINK_BELOW_EXPECTED, "leaf1", 2)->reason,
                        "4X EDR (100 Gb/s) instead of 4X HDR (200 Gb/s)");
}

// The bit of FDR10 is above those of all faster speeds.
TEST(fdr10_is_faster_than_qdr_and_slower_than_fdr)
{
    set_rate(host1, 1, 2, FABRIC_EDR);
    set_rate(host2, 1, 2, FABRIC_FDR);
    set_rate(host3, 1, 2, FABRIC_QDR);
    expect_again();
    set_rate(host1, 1, 2, FABRIC_FDR10);
    set_rate(host2, 1, 2, FABRIC_FDR10);
    set_rate(host3, 1, 2, FABRIC_FDR10);
    compare(false, true);
    assert_int_equal(count, 2);
    assert_string_equal(find(CATALOGUE_LINK_BELOW_EXPECTED, "leaf1", 1)->reason,
                        "4X FDR10 (40 Gb/s) instead of 4X EDR (100 Gb/s)");
    find(CATALOGUE_LINK_BELOW_EXPECTED, "leaf1", 2);
    set_rate(host3, 1, 2, FABRIC_FDR10);
    expect_again();
    set_rate(host3, 1, 2, FABRIC_FDR);
    compare(false, true);
    assert_int_equal(count, 0);
}

TEST(a_file_without_a_rate_expects_none)
{
    set_rate(host1, 1, 0, 0);
    expect_again();
    set_rate(host1, 1, 1, FABRIC_SDR);
    compare(false, true);
    assert_int_equal(count, 0);
}

// The PortInfo of an end was not answered: the alarm about it is neither raised nor over.
TEST(a_rate_that_nobody_knows_cannot_be_told)
{
    set_rate(host1, 1, 2, FABRIC_HDR);
    set_rate(host2, 1, 0, 0);
    expect_again();
    for (int end = 0; end < 2; end++) {
        set_rate(host1, 1, 1, FABRIC_HDR);
        generated_port(&plant, end ? leaf1 : host1, 1)->known = false;
        generated_port(&plant, end ? leaf1 : host2, end ? 2 : 1)->known = false;
        compare(false, end == 1);
        assert_int_equal(count, 1);
        assert_true(told[0].unseen);
        find(CATALOGUE_LINK_BELOW_EXPECTED, "leaf1", 1);
        generated_port(&plant, end ? leaf1 : host1, 1)->known = true;
    }
    compare(false, true);
    assert_int_equal(count, 1);
    assert_false(told[0].unseen);
}

// Port 1 of leaf1 is up, and the node behind it did not answer; host3's port is seen to be down.
TEST(what_was_not_seen_cannot_be_told)
{
    generated_remove(&plant, host1);
    generated_remove(&plant, host3);
    generated_port(&plant, leaf1, 1)->state = FABRIC_ACTIVE;
    generated_port(&plant, leaf1, 1)->silent = true;
    generated_port(&plant, leaf2, 1)->state = FABRIC_DOWN;
    generated_unlink(&plant, host4, 1);
    plant.nodes[host4].node.silent = true;
    compare(false, false);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(told[i].unseen, strcmp(told[i].change.subject.name, "host3") != 0);
    compare(false, true);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_false(told[i].unseen);
}

// A file about another fabric: root causes alone, of which there are few.
TEST(another_fabric_has_a_root_cause_for_each_side)
{
    generated_clear(&plant);
    const uint32_t first = generated_add(&plant, FABRIC_SWITCH, 0x1001, "other1", 4);
    const uint32_t second = generated_add(&plant, FABRIC_CA, 0x1002, "other2", 1);
    generated_link(&plant, first, 1, second, 1);
    compare(false, true);
    assert_int_equal(count, 7 + 2);
    size_t roots = 0;
    for (size_t i = 0; i < count; i++)
        roots += told[i].change.cause == FABRIC_NONE;
    assert_int_equal(roots, 2);
    compare(false, false);
    assert_true(told[0].unseen);
}

TEST(keys_are_those_of_differences_alone)
{
    static const char *const OTHERS[] = {"",
                                         "link-missing",
                                         "link-missing ",
                                         "link-down link 0x0000000000000001/1-0x0000000000000002/1",
                                         "link-missing link 0x1/1-0x2/1",
                                         "link-missing link 0x0000000000000001/1",
                                         "node 0x0000000000000001",
                                         "as-expected node 0x0000000000000001"};
    struct alarm_key what;
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        assert_false(is_of_difference(OTHERS[i], &what));
    assert_true(is_of_difference("host-missing node 0x0000000000000001", &what));
    assert_int_equal(what.guid, 1);
}

#define PLANT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

// A table of names instead of a dump. The leaves have the names that MLNX-OS gives to switches.

static const char PLAN[] = "Start Device,Start Port,End Device,End Port,Rate\n"
                           "leaf1,7,leaf2,7,EDR\nleaf1,8,leaf2,8,100\nleaf1,6,spine,1,\n"
                           "leaf2,6,spine,2,\nhost1,1,leaf1,1,\nhost2,1,leaf1,2,\n"
                           "host3,1,leaf2,1,\nhost4,1,leaf1,4,\nhost4,2,leaf2,4,\n";

static void rename_leaf(uint32_t node, const char *name)
{
    snprintf(plant.nodes[node].node.description, sizeof plant.nodes[node].node.description, "%s",
             name);
}

static void compare_plan(struct expectation *expectation)
{
    struct fabric *now = generated_look(&plant, 3);
    compare_with(expectation, now);
    fabric_unref(now);
}

static struct expectation *plan(void)
{
    struct error err;
    struct fabric *fabric = topology_file_parse("plan", PLAN, sizeof PLAN - 1, &err);
    assert_non_null(fabric);
    rename_leaf(leaf1, "MF0;leaf1:MQM9700/U1");
    rename_leaf(leaf2, "MF0;leaf2:MQM9700/U1");
    return expectation_new(fabric, false, NULL);
}

TEST(a_table_finds_nodes_by_their_names)
{
    struct expectation *expectation = plan();
    set_rate(leaf1, 7, 2, FABRIC_EDR);
    set_rate(leaf1, 8, 16, FABRIC_HDR); // two lanes, and 100 Gb/s, too
    compare_plan(expectation);
    assert_int_equal(count, 0);
    set_rate(leaf1, 8, 2, FABRIC_QDR);
    const uint32_t inside = generated_add(&plant, FABRIC_CA, 0, "aggregation", 1);
    plant.nodes[inside].node.system_guid = plant.nodes[leaf1].node.system_guid = 0x77;
    generated_link(&plant, inside, 1, leaf1, 5); // no planner has it
    generated_unlink(&plant, leaf2, 6);
    compare_plan(expectation);
    assert_int_equal(count, 2);
    assert_non_null(find(CATALOGUE_LINK_BELOW_EXPECTED, "MF0;leaf1:MQM9700/U1", 8));
    assert_non_null(find(CATALOGUE_LINK_MISSING, "MF0;leaf2:MQM9700/U1", 6));
    expectation_unref(expectation);
}

// The key does not change when the node was there once; the subject then has the node's GUID.
TEST(a_node_of_a_table_is_missing)
{
    char key[EVENT_KEY_SIZE];
    const uint64_t guid = plant.nodes[leaf1].node.guid;
    struct expectation *expectation = plan(), *late = plan();
    set_rate(leaf1, 7, 2, FABRIC_EDR);
    set_rate(leaf1, 8, 2, FABRIC_EDR);
    compare_plan(expectation);
    generated_remove(&plant, host1);
    generated_remove(&plant, host2);
    generated_remove(&plant, leaf1);
    compare_plan(expectation);
    const struct change *c = find(CATALOGUE_SWITCH_MISSING, "leaf1", 0);
    assert_int_equal(count, 3);
    assert_int_equal(c->subject.node_guid, guid);
    assert_int_equal(c->switch_guid, guid);
    check_peer(c, "MF0;leaf2:MQM9700/U1", 7);
    assert_string_equal(c->reason, "missing with it 2 nodes: host2, host1");
    snprintf(key, sizeof key, "%s", c->alarm_key);
    compare_plan(late);
    c = find(CATALOGUE_SWITCH_MISSING, "leaf1", 0);
    assert_string_equal(c->alarm_key, key);
    assert_int_equal(c->subject.node_guid, 0);
    assert_int_equal(c->subject.guid, 0);
    assert_int_equal(c->switch_guid, c->peer.node_guid);
    expectation_unref(expectation);
    expectation_unref(late);
}

TEST(a_missing_host_has_its_name_by_the_configured_patterns)
{
    static const struct filter_list PATTERNS = {{"ho%h"}, 1};
    struct expectation *expectation = expectation_new(fabric_ref(expected), false, &PATTERNS);
    generated_remove(&plant, host1);
    compare_plan(expectation);
    assert_string_equal(find(CATALOGUE_HOST_MISSING, "host1", 0)->subject.system, "st1");
    expectation_unref(expectation);
}

// Where a port of the present fabric should lead, and whether the port leads there; NULL: nowhere.
static void check_expected_end(const struct expected_links *links, const char *node, uint8_t port,
                               const char *name, unsigned number, bool is_there)
{
    struct endpoint end;
    bool there;
    uint32_t at = 0;
    while (strcmp(links->now->nodes[at].description, node) != 0)
        at++;
    assert_int_equal(expected_links_find(links, at, port, &end, &there), name != NULL);
    if (!name)
        return;
    assert_string_equal(end.name, name);
    assert_int_equal(end.port, number);
    assert_int_equal(there, is_there);
}

TEST(each_port_knows_where_its_link_should_lead)
{
    struct expectation *expectation = expectation_new(fabric_ref(expected), false, NULL);
    struct expected_links links;
    generated_unlink(&plant, leaf1, 7);
    generated_unlink(&plant, host1, 1);
    generated_link(&plant, host1, 1, leaf2, 2);
    struct fabric *now = generated_look(&plant, 3);
    expected_links_open(&links, expectation, now, NULL);
    check_expected_end(&links, "leaf1", 7, "leaf2", 7, false); // down
    check_expected_end(&links, "leaf1", 8, "leaf2", 8, true);
    check_expected_end(&links, "host1", 1, "leaf1", 1, false); // in another port
    check_expected_end(&links, "leaf1", 1, "host1", 1, false);
    check_expected_end(&links, "leaf2", 2, NULL, 0, false);
    check_expected_end(&links, "leaf2", 200, NULL, 0, false);
    expected_links_close(&links);
    expectation_unref(expectation);
    fabric_unref(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANT_TEST(a_missing_host_has_its_name_by_the_configured_patterns),
        PLANT_TEST(a_table_finds_nodes_by_their_names),
        PLANT_TEST(a_node_of_a_table_is_missing),
        PLANT_TEST(an_equal_fabric_has_no_difference),
        PLANT_TEST(a_missing_host_is_one_difference),
        PLANT_TEST(a_missing_switch_explains_its_hosts_and_links),
        PLANT_TEST(each_port_knows_where_its_link_should_lead),
        PLANT_TEST(a_missing_link_has_both_ends),
        PLANT_TEST(a_cable_in_another_port_says_where_it_is_and_should_be),
        PLANT_TEST(two_swapped_cables_are_two_differences),
        PLANT_TEST(what_is_not_expected_is_told_by_its_root_cause),
        PLANT_TEST(a_replaced_adapter_is_another_node_by_its_guid),
        PLANT_TEST(a_replaced_adapter_keeps_its_place_by_its_name),
        PLANT_TEST(a_link_below_its_expected_rate_is_told),
        PLANT_TEST(fdr10_is_faster_than_qdr_and_slower_than_fdr),
        PLANT_TEST(a_file_without_a_rate_expects_none),
        PLANT_TEST(a_rate_that_nobody_knows_cannot_be_told),
        PLANT_TEST(what_was_not_seen_cannot_be_told),
        PLANT_TEST(another_fabric_has_a_root_cause_for_each_side),
        cmocka_unit_test(keys_are_those_of_differences_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
