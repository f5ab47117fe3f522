// SPDX-License-Identifier: BSD-2-Clause
// Alarms that end and begin because of a sweep: a small plant of nodes and cables, seen from node
// 0, through pipeline, policy and journal in virtual time.
#include "plant_fixture.h"

#include "pipeline/reconcile.h"
#include "topology/joined.h"

#include <inttypes.h>

// Cables.

// Two leaves with two cables to the core each, so that no node is ever lost.
struct leaves {
    uint32_t leaf1, leaf2;
    size_t cable1, cable2; // one of each
};

static struct leaves add_leaves(void)
{
    struct leaves l;
    l.leaf1 = add_node(FABRIC_SWITCH, "leaf1", 8);
    l.leaf2 = add_node(FABRIC_SWITCH, "leaf2", 8);
    l.cable1 = plant_connect(0, 1, l.leaf1, 1);
    plant_connect(0, 2, l.leaf1, 2);
    l.cable2 = plant_connect(0, 3, l.leaf2, 1);
    plant_connect(0, 4, l.leaf2, 2);
    return l;
}

TEST(a_cable_that_moves_slowly_ends_its_alarm)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    assert_string_equal(told(CATALOGUE_LINK_DOWN)->alarm_key, cable_key(ALARM_KEY_LINK, l.cable1));
    plant_connect(0, 1, l.leaf2, 7);
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_LINK, l.cable1),
               "port 1 of core is connected to port 7 of leaf2 now");
    assert_ptr_equal(told(CATALOGUE_ALARM_CLEARED)->cleared, catalogue_get(CATALOGUE_LINK_DOWN));
    assert_string_not_equal(told(CATALOGUE_ALARM_CLEARED)->clears_id, "");
    assert_int_equal(count_alarms(), 0);
    sweep();
    check_nothing_told();
}

TEST(a_link_that_is_slow_from_the_start_is_told_once)
{
    const struct leaves l = add_leaves();
    cables[l.cable1].narrow = true;
    sweep();
    check_told(CATALOGUE_LINK_DEGRADED, cable_key(ALARM_KEY_RATE, l.cable1),
               "1X EDR (25 Gb/s) instead of 4X EDR (100 Gb/s)");
    for (int i = 0; i < 3; i++) {
        sweep();
        check_nothing_told();
    }
    cables[l.cable1].narrow = false;
    sweep();
    told(CATALOGUE_LINK_RESTORED);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_slow_link_that_goes_down_is_not_slow_any_more)
{
    const struct leaves l = add_leaves();
    cables[l.cable1].narrow = true;
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_RATE, l.cable1), "the link is down");
    told(CATALOGUE_LINK_DOWN);
    assert_int_equal(count_alarms(), 1);
    cables[l.cable1].cut = false;
    sweep();
    told(CATALOGUE_LINK_UP);
    told(CATALOGUE_LINK_DEGRADED);
    assert_int_equal(count_alarms(), 1);
}

// A sweep that asks the subnet manager may lack a port's PortInfo.
TEST(a_slow_link_of_which_nothing_is_known_stays_so)
{
    const struct leaves l = add_leaves();
    cables[l.cable1].narrow = true;
    sweep();
    generated_port(&plant, l.leaf1, 1)->known = false;
    sweep();
    check_nothing_told();
    assert_true(is_active(cable_key(ALARM_KEY_RATE, l.cable1)));
    generated_port(&plant, l.leaf1, 1)->known = true;
    sweep();
    assert_int_equal(count_alarms(), 1);
    generated_port(&plant, l.leaf1, 1)->known = false;
    cables[l.cable1].narrow = false;
    sweep();
    assert_int_equal(count_alarms(), 1);
    generated_port(&plant, l.leaf1, 1)->known = true;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

// Its links are elsewhere; an operator has to know that the old switch is gone.
TEST(a_switch_with_another_guid_takes_over_the_links)
{
    const struct leaves l = add_leaves();
    sweep();
    off[l.leaf2] = true;
    sweep();
    const uint32_t spare = add_node(FABRIC_SWITCH, "leaf2", 8);
    plant_connect(0, 3, spare, 1);
    plant_connect(0, 4, spare, 2);
    sweep();
    assert_int_equal(count_events(CATALOGUE_ALARM_CLEARED), 2);
    assert_int_equal(count_alarms(), 1);
    assert_true(is_active(node_key(l.leaf2)));
    sweep();
    check_nothing_told();
}

// Ports of hosts.

struct host {
    uint32_t node;
    size_t cable[2];
};

static struct host add_host(enum fabric_type type, const struct leaves *l)
{
    struct host h = {.node = add_node(type, "host", 2)};
    h.cable[0] = plant_connect(l->leaf1, 5, h.node, 1);
    h.cable[1] = plant_connect(l->leaf2, 5, h.node, 2);
    return h;
}

static void check_half_return(enum fabric_type type)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(type, &l);
    sweep();
    off[h.node] = true;
    sweep();
    assert_true(is_active(node_key(h.node)));
    assert_false(is_active(port_key(h.node, 2)));
    off[h.node] = false;
    cables[h.cable[1]].cut = true;
    sweep();
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 0); // a consequence
    const struct event *removed = told(CATALOGUE_PORT_REMOVED);
    assert_string_equal(removed->alarm_key, port_key(h.node, 2));
    assert_int_equal(removed->subject.port, 2);
    assert_string_equal(removed->peer.name, "leaf2");
    assert_int_equal(removed->peer.port, 5);
    assert_int_equal(removed->switch_guid, guid_of(type == FABRIC_ROUTER ? h.node : l.leaf2));
    sweep();
    check_nothing_told();
    cables[h.cable[1]].cut = false;
    sweep();
    told(CATALOGUE_PORT_ADDED);
    assert_int_equal(count_alarms(), 0);
}

// An adapter that was replaced: another GUID, the host's name, the same port.
static uint32_t replace_host(uint32_t host, size_t cable, const char *name)
{
    const uint32_t other = add_node(FABRIC_CA, name, 2);
    off[host] = true;
    plant_connect(cables[cable].a, cables[cable].port_a, other, 1);
    return other;
}

TEST(a_host_of_the_name_at_the_port_ends_the_alarm)
{
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    const size_t cable = plant_connect(0, 7, host, 1);
    sweep();
    off[host] = true;
    sweep();
    told(CATALOGUE_HOST_REMOVED);
    const uint32_t other = replace_host(host, cable, "MT4119 ConnectX5");
    sweep();
    told(CATALOGUE_HOST_ADDED);
    assert_true(is_active(node_key(host)));
    generated_rename(&plant, other, "node1 HCA-1"); // once its driver runs
    sweep();
    char why[EVENT_REASON_SIZE];
    snprintf(why, sizeof why, "a host of this name, 0x%016" PRIx64 ", hangs on port 7 of core now",
             guid_of(other));
    check_told(CATALOGUE_ALARM_CLEARED, node_key(host), why);
    assert_int_equal(count_alarms(), 0);
    sweep();
    check_nothing_told();
}

TEST(an_adapter_that_is_replaced_between_two_sweeps_leaves_no_alarm)
{
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    const size_t cable = plant_connect(0, 7, host, 1);
    sweep();
    replace_host(host, cable, "node1 HCA-1");
    sweep();
    told(CATALOGUE_HOST_ADDED);
    assert_false(is_active(node_key(host)));
    assert_int_equal(count_alarms(), 0);
}

// What ran on the host runs on its new adapter, once it is started there.
TEST(the_services_of_a_replaced_adapter_end_with_their_start)
{
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    const size_t cable = plant_connect(0, 7, host, 1);
    generated_port(&plant, host, 1)->capabilities |= FABRIC_IS_SM | FABRIC_IS_DM;
    sweep();
    off[host] = true;
    sweep();
    assert_int_equal(count_alarms(), 4); // with its link
    const uint32_t other = replace_host(host, cable, "node1 HCA-1");
    sweep();
    assert_false(is_active(node_key(host)));
    told(CATALOGUE_SM_VANISHED);
    told(CATALOGUE_IO_UNIT_REMOVED);
    generated_port(&plant, other, 1)->capabilities |= FABRIC_IS_SM;
    sweep();
    assert_int_equal(count_alarms(), 1);
    generated_port(&plant, other, 1)->capabilities |= FABRIC_IS_DM;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

// The event about a controller does not say where its host was.
TEST(the_controller_of_a_replaced_adapter_ends_with_its_start)
{
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    const size_t cable = plant_connect(0, 7, host, 1);
    generated_port(&plant, host, 1)->capabilities |= FABRIC_IS_DM;
    generated_controller(&plant, host, 1, 0x77, "SRP target");
    sweep();
    off[host] = true;
    plant.controller_count = 0;
    sweep();
    assert_true(is_active("ioc 0x0000000000000077"));
    const uint32_t other = replace_host(host, cable, "node1 HCA-1");
    generated_port(&plant, other, 1)->capabilities |= FABRIC_IS_DM;
    sweep();
    assert_true(is_active("ioc 0x0000000000000077"));
    generated_controller(&plant, 0, 1, 0x79, "SRP target"); // every target says so
    sweep();
    assert_true(is_active("ioc 0x0000000000000077"));
    generated_controller(&plant, other, 1, 0x78, "SRP target");
    sweep();
    assert_int_equal(count_alarms(), 0);
}

TEST(a_host_of_another_name_or_at_another_port_ends_no_alarm)
{
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    const size_t cable = plant_connect(0, 7, host, 1);
    sweep();
    replace_host(host, cable, "node2 HCA-1");
    plant_connect(0, 8, add_node(FABRIC_CA, "node1 HCA-1", 2), 1);
    sweep();
    sweep();
    assert_true(is_active(node_key(host)));
}

TEST(a_host_that_comes_back_by_one_port_lacks_the_other)
{
    check_half_return(FABRIC_CA);
}

TEST(a_router_that_comes_back_by_one_port_lacks_the_other)
{
    check_half_return(FABRIC_ROUTER);
}

TEST(a_port_whose_switch_is_missing_follows_from_that)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(FABRIC_CA, &l);
    sweep();
    off[l.leaf1] = off[l.leaf2] = true;
    sweep();
    off[l.leaf1] = false;
    sweep();
    assert_true(is_active(port_key(h.node, 2)));
    assert_int_equal(count_events(CATALOGUE_PORT_REMOVED), 1);
    assert_int_equal(count_told(CATALOGUE_PORT_REMOVED), 0);
    pass_time(3600 * CLOCK_US_PER_S);
    assert_int_equal(count_told(CATALOGUE_PORT_REMOVED), 0);
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 0);
    off[l.leaf2] = false;
    cables[h.cable[1]].cut = true;
    sweep();
    pass_time(3600 * CLOCK_US_PER_S);
    assert_string_equal(told(CATALOGUE_PORT_REMOVED)->alarm_key, port_key(h.node, 2));
    cables[h.cable[1]].cut = false;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

TEST(a_port_is_not_missing_apart_from_its_host)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(FABRIC_CA, &l);
    sweep();
    cables[h.cable[1]].cut = true;
    sweep();
    assert_true(is_active(port_key(h.node, 2)));
    off[h.node] = true;
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, port_key(h.node, 2), "the whole node left the fabric");
    off[h.node] = false;
    cables[h.cable[1]].cut = false;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

TEST(a_port_whose_switch_port_has_another_cable_is_forgotten)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(FABRIC_CA, &l);
    const uint32_t other = add_node(FABRIC_CA, "other", 1);
    sweep();
    cables[h.cable[1]].cut = true;
    sweep();
    plant_connect(l.leaf2, 5, other, 1);
    sweep();
    assert_int_equal(count_alarms(), 0);
    sweep();
    check_nothing_told();
}

// Groups of nodes.

struct group {
    uint32_t top, inner, near[5], far[6];
    size_t cable;
};

// A switch behind the core, with five hosts and a switch with six.
static struct group add_group(void)
{
    struct group g;
    char name[16];
    g.top = add_node(FABRIC_SWITCH, "top", 20);
    g.inner = add_node(FABRIC_SWITCH, "inner", 20);
    plant_connect(0, 1, g.top, 1);
    g.cable = plant_connect(g.top, 2, g.inner, 1);
    for (uint8_t i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "near%u", i);
        g.near[i] = add_node(FABRIC_CA, name, 1);
        plant_connect(g.top, (uint8_t)(3 + i), g.near[i], 1);
    }
    for (uint8_t i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "far%u", i);
        g.far[i] = add_node(FABRIC_CA, name, 1);
        plant_connect(g.inner, (uint8_t)(3 + i), g.far[i], 1);
    }
    return g;
}

TEST(a_switch_that_is_back_says_what_is_still_missing)
{
    const struct group g = add_group();
    sweep();
    off[g.top] = true;
    sweep();
    assert_int_equal(told(CATALOGUE_SWITCH_REMOVED)->affected, 12);
    off[g.top] = false;
    cables[g.cable].cut = true;
    sweep();
    const char *reason = told(CATALOGUE_SWITCH_ADDED)->reason;
    static const char WANTED[] = "7 of the 12 nodes that went with it are still missing: ";
    if (strncmp(reason, WANTED, strlen(WANTED)) != 0 || !strstr(reason, "inner") ||
        !strstr(reason, " and 2 more"))
        fail_msg("switch-added says: %s", reason);
    const struct event *root = told(CATALOGUE_SWITCH_REMOVED);
    assert_string_equal(root->alarm_key, node_key(g.inner));
    assert_int_equal(root->affected, 6);
    if (!strstr(root->reason, "it is still missing, and with it 6 nodes: far") ||
        !strstr(root->reason, " and 1 more"))
        fail_msg("switch-removed says: %s", root->reason);
    sweep();
    check_nothing_told(); // the consequences have a root cause again
    pass_time(3600 * CLOCK_US_PER_S);
    check_nothing_told();
    cables[g.cable].cut = false;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

TEST(a_node_that_is_missing_alone_is_told_by_itself)
{
    const struct group g = add_group();
    sweep();
    off[g.top] = true;
    sweep();
    off[g.top] = false;
    off[g.near[3]] = true;
    sweep();
    const char *reason = told(CATALOGUE_SWITCH_ADDED)->reason;
    static const char WANTED[] = "1 of the 12 nodes that went with it is still missing: near3";
    if (strncmp(reason, WANTED, strlen(WANTED)) != 0)
        fail_msg("switch-added says: %s", reason);
    check_told(CATALOGUE_HOST_REMOVED, node_key(g.near[3]), "it is still missing");
    sweep();
    check_nothing_told();
}

// A router forwards nothing to the switch behind it: a missing switch behind the router is an alarm
// of its own.
TEST(a_router_does_not_connect_a_switch_to_its_root_cause)
{
    const uint32_t top = add_node(FABRIC_SWITCH, "top", 8),
                   near = add_node(FABRIC_SWITCH, "near", 8),
                   far = add_node(FABRIC_SWITCH, "far", 8),
                   router = add_node(FABRIC_ROUTER, "r", 2);
    plant_connect(0, 1, top, 1);
    plant_connect(top, 2, near, 1);
    const size_t cable = plant_connect(near, 2, far, 1);
    plant_connect(top, 3, router, 1);
    plant_connect(far, 2, router, 2);
    sweep();
    off[top] = true;
    sweep();
    assert_string_equal(told(CATALOGUE_SWITCH_REMOVED)->alarm_key, node_key(top));
    cables[cable].cut = true;
    plant_connect(0, 5, near, 2);
    sweep();
    check_told(CATALOGUE_SWITCH_REMOVED, node_key(far), "it is still missing");
    sweep();
    check_nothing_told();
}

// The age.

static void check_aged(uint32_t host, size_t cable)
{
    pass_time(29 * DAY);
    sweep();
    check_nothing_told();
    pass_time(DAY);
    sweep();
    assert_int_equal(count_events(CATALOGUE_ALARM_CLEARED), 2);
    check_told(CATALOGUE_ALARM_CLEARED, node_key(host), "nothing was seen of it for 30 days");
    assert_false(is_active(cable_key(ALARM_KEY_LINK, cable)));
    assert_int_equal(count_alarms(), 0);
    sweep();
    pass_time(40 * DAY);
    sweep();
    check_nothing_told();
}

TEST(what_is_missing_for_too_long_is_forgotten)
{
    const struct leaves l = add_leaves();
    const uint32_t host = add_node(FABRIC_CA, "host", 1);
    const size_t cable = plant_connect(l.leaf1, 5, host, 1);
    sweep();
    for (int i = 0; i < 2; i++) { // it is back in between, and leaves again
        off[host] = true;
        sweep();
        assert_string_equal(told(CATALOGUE_HOST_REMOVED)->alarm_key, node_key(host));
        check_aged(host, cable);
        off[host] = false;
        sweep();
        told(CATALOGUE_HOST_ADDED);
        assert_int_equal(count_alarms(), 0);
    }
}

// The link's alarm is the older one by a day.
TEST(a_port_is_forgotten_with_its_link)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(FABRIC_CA, &l);
    sweep();
    off[h.node] = true;
    sweep();
    pass_time(DAY);
    off[h.node] = false;
    cables[h.cable[1]].cut = true;
    sweep();
    assert_int_equal(count_alarms(), 2);
    pass_time(29 * DAY);
    sweep();
    assert_int_equal(count_events(CATALOGUE_ALARM_CLEARED), 2);
    assert_int_equal(count_events(CATALOGUE_PORT_REMOVED), 0);
    assert_int_equal(count_alarms(), 0);
    sweep();
    check_nothing_told();
}

// The clock of a host without a battery jumps when it is set.
TEST(a_clock_that_is_set_forward_makes_nothing_old)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    now.utc += 20000 * DAY;
    sweep();
    assert_true(is_active(cable_key(ALARM_KEY_LINK, l.cable1)));
    check_nothing_told();
    pass_time(31 * DAY);
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_LINK, l.cable1),
               "nothing was seen of it for 30 days");
}

// Nobody watched while the gateway did not run, and nobody knows what happened to the clock.
TEST(a_clock_that_is_far_ahead_at_a_start_makes_nothing_old_before_it_is_set_right)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    stop_pipeline();
    now.utc += 20000 * DAY;
    plant_start();
    for (int i = 0; i < 50; i++) {
        sweep();
        check_nothing_told();
    }
    now.utc -= 20000 * DAY;
    pass_time(29 * DAY);
    sweep();
    check_nothing_told();
    pass_time(DAY);
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_LINK, l.cable1),
               "nothing was seen of it for 30 days");
}

TEST(the_age_goes_on_over_a_restart)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    stop_pipeline();
    now.utc += 31 * DAY;
    now.monotonic = 1000 * CLOCK_US_PER_S; // the host started again, too
    plant_start();
    sweep();
    check_nothing_told();
    pass_time(HOUR);
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_LINK, l.cable1),
               "nothing was seen of it for 30 days");
}

TEST(a_slow_link_has_no_age)
{
    const struct leaves l = add_leaves();
    cables[l.cable1].narrow = true;
    sweep();
    pass_time(400 * DAY);
    sweep();
    check_nothing_told();
    assert_int_equal(count_alarms(), 1);
}

static void change_age(void *ctx, const struct pipeline_context *inside)
{
    correlator_change_limits(inside->correlator, *(const int64_t *)ctx,
                             &(struct inactive_links_limits){0});
}

TEST(the_age_can_be_changed)
{
    const struct leaves l = add_leaves();
    int64_t age = 0;
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    assert_true(pipeline_call(pipeline, change_age, &age));
    pass_time(1000 * DAY);
    sweep();
    assert_int_equal(count_alarms(), 1);
    age = 1000 * DAY;
    assert_true(pipeline_call(pipeline, change_age, &age));
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, cable_key(ALARM_KEY_LINK, l.cable1),
               "nothing was seen of it for 1000 days");
}

// Services.

// The alarm about a subnet manager has the GUID of its port, not of its node.
TEST(a_subnet_manager_follows_from_its_host)
{
    const struct leaves l = add_leaves();
    const uint32_t host = add_node(FABRIC_CA, "host", 1);
    plant_connect(l.leaf1, 5, host, 1);
    generated_port(&plant, host, 1)->capabilities |= FABRIC_IS_SM;
    sweep();
    off[host] = true;
    sweep();
    told(CATALOGUE_HOST_REMOVED);
    assert_int_equal(count_events(CATALOGUE_SM_VANISHED), 1);
    for (int i = 0; i < 4; i++) {
        sweep();
        check_nothing_told();
    }
    off[host] = false;
    generated_port(&plant, host, 1)->capabilities = 0;
    sweep();
    told(CATALOGUE_HOST_ADDED);
    told(CATALOGUE_SM_VANISHED);
    assert_int_equal(count_alarms(), 1);
}

// The silence of the master subnet manager.

static void put_sm(enum catalogue_event type, const char *about, uint64_t guid)
{
    struct event_builder_occurrence what = {.type = type, .sm_guid = guid};
    snprintf(what.alarm_key, sizeof what.alarm_key, "gateway gw %s", about);
    pipeline_put_occurrence(pipeline, &what, 0);
    pass_time(0);
}

static uint64_t add_manager(const char *name, uint8_t core_port)
{
    const uint32_t host = add_node(FABRIC_CA, name, 1);
    plant_connect(0, core_port, host, 1);
    generated_port(&plant, host, 1)->capabilities |= FABRIC_IS_SM;
    return generated_port(&plant, host, 1)->guid;
}

// The root cause of the alarm, as policy has it.
struct cause {
    char key[EVENT_KEY_SIZE], id[EVENT_ID_SIZE];
};

static void ask_cause(void *ctx, const struct pipeline_context *inside)
{
    struct cause *cause = ctx;
    struct policy_alarm alarm;
    assert_true(policy_find_alarm(inside->policy, cause->key, &alarm));
    snprintf(cause->id, sizeof cause->id, "%s", alarm.cause_id);
}

static void check_cause(const char *key, const char *id)
{
    struct cause cause = {0};
    snprintf(cause.key, sizeof cause.key, "%s", key);
    assert_true(pipeline_call(pipeline, ask_cause, &cause));
    assert_string_equal(cause.id, id);
}

static const char *sm_key(uint64_t guid)
{
    return key_of(&(struct alarm_key){.kind = ALARM_KEY_SM, .guid = guid});
}

TEST(a_dead_subnet_manager_is_one_alarm_with_two_that_follow)
{
    char id[EVENT_ID_SIZE];
    const uint64_t master = add_manager("sm1", 5), other = add_manager("sm2", 6);
    sweep();
    put_sm(CATALOGUE_SM_UNREACHABLE, "sm-reachable", master);
    put_sm(CATALOGUE_SUBSCRIPTION_LOST, "subscriptions", 0);
    memcpy(id, told(CATALOGUE_SM_UNREACHABLE)->id, sizeof id);
    assert_int_equal(count_told(CATALOGUE_SUBSCRIPTION_LOST), 0);
    check_cause("gateway gw subscriptions", id);
    generated_port(&plant, 1, 1)->capabilities = 0;
    sweep();
    assert_int_equal(count_events(CATALOGUE_SM_VANISHED), 1);
    assert_int_equal(count_told(CATALOGUE_SM_VANISHED), 0);
    check_cause(sm_key(master), id);
    generated_port(&plant, 2, 1)->capabilities = 0;
    sweep();
    told(CATALOGUE_SM_VANISHED); // another one
    check_cause(sm_key(other), "");
    put_sm(CATALOGUE_SM_BACK, "sm-reachable", master);
    sweep();
    assert_string_equal(told(CATALOGUE_SM_VANISHED)->alarm_key, sm_key(master));
}

TEST(a_subnet_manager_missed_before_its_silence_was_noticed_follows)
{
    const uint64_t master = add_manager("sm1", 5);
    sweep();
    generated_port(&plant, 1, 1)->capabilities = 0;
    sweep();
    told(CATALOGUE_SM_VANISHED);
    put_sm(CATALOGUE_SM_UNREACHABLE, "sm-reachable", master);
    check_cause(sm_key(master), told(CATALOGUE_SM_UNREACHABLE)->id);
}

// Clearing by hand.

struct clearing {
    char key[EVENT_KEY_SIZE];
    bool done, raised;
};

static void clear(void *ctx, const struct pipeline_context *inside)
{
    struct clearing *c = ctx;
    c->done = policy_clear_alarm(inside->policy, c->key, "by hand", inside->now_us);
    journal_commit(journal);
}

static void ask_policy(void *ctx, const struct pipeline_context *inside)
{
    struct clearing *c = ctx;
    c->raised = policy_is_raised(inside->policy, c->key);
}

static bool is_policys(const char *key)
{
    struct clearing c = {0};
    snprintf(c.key, sizeof c.key, "%s", key);
    assert_true(pipeline_call(pipeline, ask_policy, &c));
    return c.raised;
}

static void clear_by_hand(const char *key)
{
    struct clearing c = {0};
    snprintf(c.key, sizeof c.key, "%s", key);
    assert_true(pipeline_call(pipeline, clear, &c));
    assert_true(c.done);
    assert_false(is_policys(key));
}

TEST(what_a_sweep_still_shows_is_raised_again)
{
    const struct leaves l = add_leaves();
    const struct host h = add_host(FABRIC_CA, &l);
    cables[l.cable1].narrow = true;
    sweep();
    cables[l.cable2].cut = cables[h.cable[1]].cut = true;
    sweep();
    assert_int_equal(count_alarms(), 4);
    clear_by_hand(cable_key(ALARM_KEY_RATE, l.cable1));
    clear_by_hand(cable_key(ALARM_KEY_LINK, l.cable2));
    clear_by_hand(port_key(h.node, 2));
    sweep();
    told(CATALOGUE_LINK_DEGRADED);
    told(CATALOGUE_PORT_REMOVED);
    clear_by_hand(cable_key(ALARM_KEY_LINK, h.cable[1]));
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, port_key(h.node, 2), "the alarm about its link is over");
    assert_int_equal(count_alarms(), 1);
}

static void raise_behind_policys_back(void *ctx, const struct pipeline_context *inside)
{
    struct event_builder_occurrence o = {.type = CATALOGUE_SWITCH_REMOVED};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", (const char *)ctx);
    struct event *event = event_builder_from_occurrence(inside->builder, &o);
    assert_non_null(event);
    journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
}

TEST(an_alarm_that_policy_had_no_room_for_ends)
{
    const struct leaves l = add_leaves();
    stop_pipeline();
    plant_policy.alarms_max = 1;
    plant_start();
    plant_policy.alarms_max = 0;
    sweep();
    assert_true(pipeline_call(pipeline, raise_behind_policys_back, (char *)node_key(l.leaf2)));
    off[l.leaf1] = true;
    sweep();
    check_told(CATALOGUE_ALARM_CLEARED, node_key(l.leaf2), "it is there again");
    off[l.leaf1] = false;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

// Speed: times are printed, not checked.

static void reconcile_alone(void *ctx, const struct pipeline_context *inside)
{
    int64_t *emitted = ctx;
    const int64_t begun = clock_monotonic(&clock_system);
    reconcile_alarms(inside->emitter, &(struct changes){0}, 1, false, 0);
    journal_commit(journal);
    *emitted = journal_last(journal) - seen_through;
    printf("reconciled %zu alarms in %" PRId64 " ms, %" PRId64 " events\n", count_alarms(),
           (clock_monotonic(&clock_system) - begun) / 1000, *emitted);
}

static void timed_sweep(const char *what)
{
    const int64_t begun = clock_monotonic(&clock_system);
    sweep();
    printf("%s: %" PRId64 " ms for %" PRId64 " events, %zu alarms\n", what,
           (clock_monotonic(&clock_system) - begun) / 1000, journal_last(journal) - seen_through,
           count_alarms());
}

// A tree of 30 switches of 30 switches each, with `hosts` hosts at each of the 900. Returns the
// first host; hosts are the last nodes.
static uint32_t add_tree(uint32_t top, uint8_t hosts)
{
    uint32_t leaves[900];
    for (uint8_t i = 0; i < 30; i++) {
        const uint32_t middle = add_node(FABRIC_SWITCH, "middle", 40);
        plant_connect(top, (uint8_t)(2 + i), middle, 1);
        for (uint8_t j = 0; j < 30; j++) {
            leaves[30 * i + j] = add_node(FABRIC_SWITCH, "leaf", 60);
            plant_connect(middle, (uint8_t)(2 + j), leaves[30 * i + j], 1);
        }
    }
    const uint32_t first = plant.count;
    for (uint32_t i = 0; i < 900; i++) {
        for (uint8_t k = 0; k < hosts; k++)
            plant_connect(leaves[i], (uint8_t)(2 + k), add_node(FABRIC_CA, "host", 1), 1);
    }
    return first;
}

TEST(many_missing_nodes_are_reconciled)
{
    const uint32_t top = add_node(FABRIC_SWITCH, "top", 40);
    plant_connect(0, 1, top, 1);
    const uint32_t first = add_tree(top, 12);
    timed_sweep("first sweep");
    off[top] = true;
    timed_sweep("all are lost");
    int64_t emitted = -1;
    seen_through = journal_last(journal);
    assert_true(pipeline_call(pipeline, reconcile_alone, &emitted));
    assert_int_equal(emitted, 0);
    timed_sweep("nothing changed");
    off[top] = false;
    for (uint32_t i = first; i < plant.count; i++)
        off[i] = true;
    timed_sweep("the switches are back, the hosts are not");
    assert_true(count_alarms() >= plant.count - first);
    for (uint32_t i = first; i < plant.count; i++)
        off[i] = false;
    timed_sweep("all are back");
    assert_int_equal(count_alarms(), 0);
}

#define RECONCILE_TEST(f) cmocka_unit_test_setup_teardown(f, plant_begin, plant_end)

// Without sweeps.

static void change_sweeps(void *ctx, const struct pipeline_context *inside)
{
    const struct correlator_sources sources = {.no_sweeps = *(const bool *)ctx};
    correlator_change_sources(inside->correlator, &sources);
}

TEST(without_sweeps_no_alarm_about_the_fabric_stands)
{
    static const char WHY[] = "the fabric is not swept any more";
    bool no_sweeps = true;
    const struct leaves l = add_leaves();
    const uint32_t host = add_node(FABRIC_CA, "node1 HCA-1", 2);
    plant_connect(0, 7, host, 1);
    sweep();
    cables[l.cable1].cut = cables[l.cable2].narrow = true;
    off[host] = true;
    sweep();
    assert_true(count_alarms() > 2);
    seen_through = journal_last(journal);
    assert_true(pipeline_call(pipeline, change_sweeps, &no_sweeps));
    pass_time(60 * CLOCK_US_PER_S);
    assert_int_equal(count_alarms(), 0);
    assert_true(count_told(CATALOGUE_ALARM_CLEARED) > 2);
    for (int64_t n = seen_through + 1; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        assert_string_equal(event->reason, WHY);
        event_unref(event);
    }
    sweep(); // one that was under way
    check_nothing_told();
    no_sweeps = false;
    assert_true(pipeline_call(pipeline, change_sweeps, &no_sweeps));
    sweep();
    told(CATALOGUE_LINK_DEGRADED);
}

TEST(a_start_without_sweeps_ends_the_alarms_of_the_last_run)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    assert_int_equal(count_alarms(), 1);
    stop_pipeline();
    starts_without_sweeps = true;
    plant_start();
    starts_without_sweeps = false;
    pass_time(60 * CLOCK_US_PER_S);
    assert_int_equal(count_alarms(), 0);
}

// Links that are connected and not ACTIVE.

static void sweep_quietly(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        sweep();
        check_nothing_told();
    }
}

static size_t add_single_host(const struct leaves *l, const char *name, uint8_t port)
{
    return plant_connect(l->leaf1, port, add_node(FABRIC_CA, name, 1), 1);
}

TEST(a_host_without_a_subnet_manager_has_not_joined)
{
    const struct leaves l = add_leaves();
    const size_t cable = add_single_host(&l, "h1", 5);
    sweep();
    cables[cable].cut = true;
    sweep();
    told(CATALOGUE_HOST_REMOVED);
    cables[cable].cut = false;
    cables[cable].state = FABRIC_INITIALIZE;
    sweep_quietly(2);
    sweep();
    check_told(CATALOGUE_LINK_INACTIVE, inactive_key(cable),
               "both ends are in state Init, in 3 sweeps in a row");
    assert_true(is_active(node_key(cables[cable].b)));
    assert_true(is_active(cable_key(ALARM_KEY_LINK, cable)));
    sweep_quietly(5);
    cables[cable].state = 0;
    sweep();
    told(CATALOGUE_HOST_ADDED);
    told(CATALOGUE_LINK_ACTIVE);
    assert_int_equal(count_alarms(), 0);
    sweep_quietly(12);
}

TEST(a_host_that_the_subnet_manager_sets_up_in_time_is_one_message)
{
    const struct leaves l = add_leaves();
    const size_t cable = add_single_host(&l, "h1", 5);
    cables[cable].cut = true;
    sweep();
    cables[cable].cut = false;
    cables[cable].state = FABRIC_ARMED;
    for (int i = 0; i < 20; i++) { // sweeps that traps cause
        sweep_for(5 * CLOCK_US_PER_S);
        check_nothing_told();
    }
    cables[cable].state = 0;
    sweep();
    told(CATALOGUE_HOST_ADDED);
    assert_int_equal(count_events(CATALOGUE_LINK_ACTIVE), 0);
}

TEST(a_link_between_switches_ends_its_alarm_when_it_is_active)
{
    const struct leaves l = add_leaves();
    sweep();
    cables[l.cable1].cut = true;
    sweep();
    cables[l.cable1].cut = false;
    cables[l.cable1].state = FABRIC_ARMED;
    sweep_quietly(2);
    sweep();
    check_told(CATALOGUE_LINK_INACTIVE, inactive_key(l.cable1),
               "both ends are in state Armed, in 3 sweeps in a row");
    assert_true(is_active(cable_key(ALARM_KEY_LINK, l.cable1)));
    cables[l.cable1].state = 0;
    sweep();
    told(CATALOGUE_LINK_UP);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_link_that_is_isolated_is_inactive_and_not_down)
{
    const struct leaves l = add_leaves();
    const size_t cable = add_single_host(&l, "h1", 5);
    sweep();
    cables[cable].state = FABRIC_INITIALIZE;
    sweep_quietly(2);
    sweep();
    told(CATALOGUE_LINK_INACTIVE);
    assert_int_equal(count_alarms(), 1);
    cables[cable].cut = true;
    sweep();
    told(CATALOGUE_HOST_REMOVED);
    check_told(CATALOGUE_ALARM_CLEARED, inactive_key(cable), "the link is down");
    assert_false(is_active(inactive_key(cable)));
}

// Nothing behind a switch is in the fabric before the switch is.
TEST(a_switch_without_a_subnet_manager_is_one_message)
{
    const struct leaves l = add_leaves();
    const size_t uplink = plant_connect(l.leaf1, 8, add_node(FABRIC_SWITCH, "edge", 8), 8);
    const uint32_t edge = cables[uplink].b;
    size_t hosts[4];
    for (uint8_t i = 0; i < COUNT(hosts); i++) {
        hosts[i] = plant_connect(edge, (uint8_t)(i + 1), add_node(FABRIC_CA, "h", 1), 1);
        cables[hosts[i]].state = FABRIC_INITIALIZE;
    }
    cables[uplink].cut = true;
    sweep();
    cables[uplink].cut = false;
    cables[uplink].state = FABRIC_INITIALIZE;
    sweep_quietly(2);
    sweep();
    check_told(CATALOGUE_LINK_INACTIVE, inactive_key(uplink),
               "both ends are in state Init, in 3 sweeps in a row; 4 links behind it are not "
               "active either");
    assert_int_equal(count_alarms(), 5);
    for (size_t i = 0; i < COUNT(hosts); i++)
        cables[hosts[i]].state = 0; // edge is still apart
    sweep();
    assert_int_equal(count_events(CATALOGUE_SWITCH_ADDED) + count_events(CATALOGUE_HOST_ADDED), 0);
    cables[uplink].state = 0;
    sweep();
    told(CATALOGUE_SWITCH_ADDED);
    assert_int_equal(count_told(CATALOGUE_HOST_ADDED), 0); // they came with it
    assert_int_equal(count_alarms(), 0);
}

// A sweep while the subnet manager sets up what is back.
TEST(a_switch_that_comes_up_before_its_hosts_is_one_message)
{
    const struct leaves l = add_leaves();
    const size_t uplink = plant_connect(l.leaf1, 8, add_node(FABRIC_SWITCH, "edge", 8), 8);
    const uint32_t edge = cables[uplink].b;
    size_t hosts[4];
    for (uint8_t i = 0; i < COUNT(hosts); i++)
        hosts[i] = plant_connect(edge, (uint8_t)(i + 1), add_node(FABRIC_CA, "h", 1), 1);
    sweep();
    off[edge] = true;
    sweep();
    told(CATALOGUE_SWITCH_REMOVED);
    off[edge] = false;
    for (size_t i = 0; i < COUNT(hosts); i++)
        cables[hosts[i]].state = FABRIC_INITIALIZE;
    sweep_for(CLOCK_US_PER_S);
    check_nothing_told();
    for (size_t i = 1; i < COUNT(hosts); i++)
        cables[hosts[i]].state = 0;
    sweep_for(CLOCK_US_PER_S);
    check_nothing_told();
    cables[hosts[0]].state = 0;
    sweep();
    told(CATALOGUE_SWITCH_ADDED);
    assert_int_equal(count_told(CATALOGUE_HOST_ADDED), 0);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_host_that_is_isolated_does_not_keep_its_switch_away)
{
    const struct leaves l = add_leaves();
    const size_t uplink = plant_connect(l.leaf1, 8, add_node(FABRIC_SWITCH, "edge", 8), 8);
    const uint32_t edge = cables[uplink].b;
    const size_t host = plant_connect(edge, 1, add_node(FABRIC_CA, "h", 1), 1);
    cables[uplink].cut = true;
    sweep();
    cables[uplink].cut = false;
    cables[host].state = FABRIC_INITIALIZE;
    sweep();
    check_nothing_told();
    sweep();
    told(CATALOGUE_SWITCH_ADDED);
    assert_int_equal(count_events(CATALOGUE_HOST_ADDED), 0);
    sweep();
    told(CATALOGUE_LINK_INACTIVE);
}

TEST(a_fabric_without_a_subnet_manager_is_one_message_after_the_grace)
{
    const struct leaves l = add_leaves();
    for (uint8_t i = 3; i < 8; i++)
        add_single_host(&l, "h", i);
    for (size_t i = 0; i < cable_count; i++)
        cables[i].state = FABRIC_INITIALIZE;
    sweep_quietly(2);
    sweep();
    assert_int_equal(count_events(CATALOGUE_LINK_INACTIVE), cable_count);
    told(CATALOGUE_LINK_INACTIVE);
    for (size_t i = 0; i < cable_count; i++)
        cables[i].state = 0;
    sweep();
    assert_int_equal(count_told(CATALOGUE_LINK_ACTIVE), 1);
    assert_int_equal(count_events(CATALOGUE_HOST_ADDED), 0);
    assert_int_equal(count_alarms(), 0);
}

TEST(a_link_that_is_often_inactive_is_told)
{
    const struct leaves l = add_leaves();
    sweep();
    unsigned told_at = 0;
    for (unsigned i = 1; i <= 10 && told_at == 0; i++) {
        cables[l.cable1].state = i % 2 ? FABRIC_INITIALIZE : 0;
        sweep();
        told_at = count_events(CATALOGUE_LINK_INACTIVE) > 0 ? i : 0;
    }
    assert_int_equal(told_at, 9);
    check_told(CATALOGUE_LINK_INACTIVE, inactive_key(l.cable1),
               "both ends are in state Init; not Active in 5 of the last 10 sweeps");
    cables[l.cable1].state = 0;
    sweep_quietly(1);
    sweep();
    told(CATALOGUE_LINK_ACTIVE);
    assert_int_equal(count_alarms(), 0);
}

TEST(what_moves_is_told_when_it_is_active)
{
    const struct leaves l = add_leaves();
    const size_t cable = add_single_host(&l, "h1", 5);
    sweep();
    cables[cable].cut = cables[l.cable1].cut = true;
    const size_t host = plant_connect(l.leaf2, 5, cables[cable].b, 1),
                 trunk = plant_connect(0, 1, l.leaf1, 7);
    cables[host].state = cables[trunk].state = FABRIC_INITIALIZE;
    sweep_quietly(2);
    sweep();
    assert_int_equal(count_told(CATALOGUE_LINK_INACTIVE), 2);
    assert_int_equal(count_alarms(), 2);
    cables[host].state = cables[trunk].state = 0;
    sweep();
    told(CATALOGUE_HOST_MOVED);
    told(CATALOGUE_LINK_MOVED);
    assert_int_equal(count_alarms(), 0);
}

// The journal has the snapshot in which the host waits.
TEST(a_host_that_waits_waits_on_after_a_restart)
{
    const struct leaves l = add_leaves();
    const size_t cable = add_single_host(&l, "h1", 5);
    sweep();
    cables[cable].cut = true;
    sweep();
    cables[cable].cut = false;
    cables[cable].state = FABRIC_INITIALIZE;
    sweep();
    sweep();
    sweep();
    stop_pipeline();
    restore_topology();
    plant_start();
    sweep_quietly(4);
    assert_int_equal(count_alarms(), 3);
    cables[cable].state = 0;
    sweep();
    assert_int_equal(count_alarms(), 0);
}

// A trap that a plugged cable causes is no interruption: see joined_lacks_link.
TEST(a_link_that_waits_is_not_interrupted)
{
    const struct leaves l = add_leaves();
    sweep();
    struct fabric *before = topology_current(topology);
    cables[l.cable1].cut = true;
    sweep();
    cables[l.cable1].cut = false;
    cables[l.cable1].state = FABRIC_INITIALIZE;
    sweep();
    struct fabric *after = topology_current(topology);
    assert_true(joined_lacks_link(topology_joined(topology)->fabric, after, guid_of(l.leaf1)));
    assert_true(joined_lacks_link(topology_joined(topology)->fabric, after, guid_of(0)));
    assert_false(joined_lacks_link(topology_joined(topology)->fabric, after, guid_of(l.leaf2)));
    assert_false(joined_lacks_link(before, before, guid_of(l.leaf1)));
    fabric_unref(before);
    fabric_unref(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECONCILE_TEST(a_cable_that_moves_slowly_ends_its_alarm),
        RECONCILE_TEST(a_link_that_is_slow_from_the_start_is_told_once),
        RECONCILE_TEST(a_slow_link_that_goes_down_is_not_slow_any_more),
        RECONCILE_TEST(a_slow_link_of_which_nothing_is_known_stays_so),
        RECONCILE_TEST(a_switch_with_another_guid_takes_over_the_links),
        RECONCILE_TEST(a_host_that_comes_back_by_one_port_lacks_the_other),
        RECONCILE_TEST(a_host_of_the_name_at_the_port_ends_the_alarm),
        RECONCILE_TEST(an_adapter_that_is_replaced_between_two_sweeps_leaves_no_alarm),
        RECONCILE_TEST(the_services_of_a_replaced_adapter_end_with_their_start),
        RECONCILE_TEST(the_controller_of_a_replaced_adapter_ends_with_its_start),
        RECONCILE_TEST(a_host_of_another_name_or_at_another_port_ends_no_alarm),
        RECONCILE_TEST(without_sweeps_no_alarm_about_the_fabric_stands),
        RECONCILE_TEST(a_start_without_sweeps_ends_the_alarms_of_the_last_run),
        RECONCILE_TEST(a_router_that_comes_back_by_one_port_lacks_the_other),
        RECONCILE_TEST(a_port_whose_switch_is_missing_follows_from_that),
        RECONCILE_TEST(a_port_is_not_missing_apart_from_its_host),
        RECONCILE_TEST(a_port_whose_switch_port_has_another_cable_is_forgotten),
        RECONCILE_TEST(a_switch_that_is_back_says_what_is_still_missing),
        RECONCILE_TEST(a_node_that_is_missing_alone_is_told_by_itself),
        RECONCILE_TEST(a_router_does_not_connect_a_switch_to_its_root_cause),
        RECONCILE_TEST(what_is_missing_for_too_long_is_forgotten),
        RECONCILE_TEST(a_port_is_forgotten_with_its_link),
        RECONCILE_TEST(a_clock_that_is_set_forward_makes_nothing_old),
        RECONCILE_TEST(
            a_clock_that_is_far_ahead_at_a_start_makes_nothing_old_before_it_is_set_right),
        RECONCILE_TEST(the_age_goes_on_over_a_restart),
        RECONCILE_TEST(a_slow_link_has_no_age),
        RECONCILE_TEST(the_age_can_be_changed),
        RECONCILE_TEST(a_subnet_manager_follows_from_its_host),
        RECONCILE_TEST(a_dead_subnet_manager_is_one_alarm_with_two_that_follow),
        RECONCILE_TEST(a_subnet_manager_missed_before_its_silence_was_noticed_follows),
        RECONCILE_TEST(what_a_sweep_still_shows_is_raised_again),
        RECONCILE_TEST(an_alarm_that_policy_had_no_room_for_ends),
        RECONCILE_TEST(many_missing_nodes_are_reconciled),
        RECONCILE_TEST(a_host_without_a_subnet_manager_has_not_joined),
        RECONCILE_TEST(a_host_that_the_subnet_manager_sets_up_in_time_is_one_message),
        RECONCILE_TEST(a_link_between_switches_ends_its_alarm_when_it_is_active),
        RECONCILE_TEST(a_link_that_is_isolated_is_inactive_and_not_down),
        RECONCILE_TEST(a_switch_without_a_subnet_manager_is_one_message),
        RECONCILE_TEST(a_switch_that_comes_up_before_its_hosts_is_one_message),
        RECONCILE_TEST(a_host_that_is_isolated_does_not_keep_its_switch_away),
        RECONCILE_TEST(a_fabric_without_a_subnet_manager_is_one_message_after_the_grace),
        RECONCILE_TEST(a_link_that_is_often_inactive_is_told),
        RECONCILE_TEST(what_moves_is_told_when_it_is_active),
        RECONCILE_TEST(a_host_that_waits_waits_on_after_a_restart),
        RECONCILE_TEST(a_link_that_waits_is_not_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
