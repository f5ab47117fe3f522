// SPDX-License-Identifier: BSD-2-Clause
// Sweeps of a fabric with a switch that lies. Each ends, finds the honest nodes, and says which
// branch was too large.
#include "fake_fabric.h"
#include "support.h"

#include "ib/sweep.h"
#include "model/fabric_builder.h"

enum { IN_FLIGHT = 8, ATTEMPTS = 4, NODES = 1024, PORTS = 16384, SENT_MAX = 300000 };
static const int64_t TIMEOUT_US = 500 * CLOCK_US_PER_MS, PART_US = 60 * CLOCK_US_PER_S;

static struct fake_fabric f;
static fake_port_answer *serve;
static struct error err;
static struct sweep sweep;
static struct fabric *seen, *known, *trusted;
static atomic_bool stop;

// A sweep without a bound would not end, and the test with it.
static bool serve_or_stop(void *ctx, const struct fake_request *request, struct fake_answer *answer)
{
    if (f.port.sent > SENT_MAX)
        atomic_store(&stop, true);
    return serve(ctx, request, answer);
}

static void make_fabric(uint64_t seed)
{
    fake_fabric_init(&f, seed);
    serve = f.port.answer;
    f.port.answer = serve_or_stop;
}

static int begin(void **state)
{
    (void)state;
    make_fabric(1);
    sweep = (struct sweep){.limits = {NODES, PORTS, PART_US}};
    atomic_store(&stop, false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(seen);
    fabric_unref(known);
    fabric_unref(trusted);
    seen = known = trusted = NULL;
    return 0;
}

static bool try_look(void)
{
    sweep = (struct sweep){.requests = {.io = fake_port_io(&f.port),
                                        .in_flight = IN_FLIGHT,
                                        .attempts = ATTEMPTS,
                                        .timeout_us = TIMEOUT_US,
                                        .clock = &f.port.clock,
                                        .stop = &stop},
                           .random = &f.random,
                           .limits = sweep.limits,
                           .known = known,
                           .trusted = trusted,
                           .complete = true};
    fabric_unref(seen);
    struct fabric_builder *builder = fabric_builder_new();
    bool ok = sweep_smp(&sweep, builder, &err);
    seen = fabric_builder_finish(builder, SUPPORT_UTC_US, 0, sweep.complete);
    assert_non_null(seen);
    return ok;
}

static void look(void)
{
    assert_true(try_look());
}

// The fabric before the lie: what a sweep knows of it.
static void look_before(void)
{
    look();
    assert_true(sweep.complete);
    known = seen;
    seen = NULL;
}

static const struct fabric_port *port_of(int node, uint8_t number)
{
    uint32_t n = fabric_find_node(seen, f.nodes[node].guid);
    assert_int_not_equal(n, FABRIC_NONE);
    uint32_t p = fabric_find_port(seen, n, number);
    assert_int_not_equal(p, FABRIC_NONE);
    return &seen->ports[p];
}

// Every real node is found, with all its links.
static void check_honest_found(void)
{
    for (int i = 0; i < f.count; i++) {
        for (uint8_t p = 1; p <= f.nodes[i].port_count; p++) {
            const struct fake_fabric_port *port = &f.nodes[i].ports[p];
            if (port->peer < 0 || (port->peer == i && port->peer_port == p))
                continue;
            const struct fabric_port *found = port_of(i, p);
            assert_int_not_equal(found->peer_node, FABRIC_NONE);
            assert_int_equal(seen->nodes[found->peer_node].guid, f.nodes[port->peer].guid);
            assert_int_equal(found->peer_port, port->peer_port);
        }
    }
}

// The named port leads to the liar, or belongs to it.
static void check_liar_named(void)
{
    const struct sweep_overflow *over = &sweep.overflow;
    assert_true(over->happened);
    assert_false(sweep.complete);
    uint64_t liar = f.nodes[f.liar.node].guid;
    if (over->node_guid == liar)
        return;
    for (int i = 0; i < f.count; i++) {
        if (f.nodes[i].guid != over->node_guid)
            continue;
        assert_in_range(over->port, 1, f.nodes[i].port_count);
        assert_int_equal(f.nodes[i].ports[over->port].peer, f.liar.node);
        assert_string_equal(over->node, f.nodes[i].description);
        return;
    }
    fail_msg("the overflow names a node that does not exist: %s", over->node);
}

// Host 0 - switch 1 - switch 2 - host 3.
static void make_line(void)
{
    f.own = fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_link(&f, 0, 1, 1, 1);
    fake_fabric_link(&f, 1, 7, 2, 7);
    fake_fabric_link(&f, 2, 1, 3, 1);
}

// Limits.

TEST(a_fabric_within_the_limits_is_found_whole)
{
    fake_fabric_generate(&f, 20, 100);
    look();
    assert_true(sweep.complete);
    assert_false(sweep.overflow.happened);
    check_honest_found();
}

TEST(a_switch_that_makes_up_switches_ends_at_the_limit)
{
    static const uint8_t PORT_COUNTS[] = {2, 36, 254};
    for (size_t i = 0; i < COUNT(PORT_COUNTS); i++) {
        make_fabric(1);
        make_line();
        fake_fabric_lie(&f, 1, PORT_COUNTS[i]);
        look();
        check_honest_found();
        assert_in_range(seen->node_count, f.count + 1, NODES + IN_FLIGHT);
        assert_in_range(seen->port_count, 1, PORTS + IN_FLIGHT * 256);
        assert_in_range(f.port.sent, 1, 3 * (PORTS + IN_FLIGHT * 256));
        if (PORT_COUNTS[i] > 2) // switches with two ports make chains, which end with the route
            check_liar_named();
    }
}

TEST(it_names_what_it_reached)
{
    make_line();
    fake_fabric_lie(&f, 1, 10);
    look();
    assert_string_equal(sweep.overflow.limit, "its limit of nodes");
    assert_in_range(sweep.overflow.nodes, NODES, NODES + IN_FLIGHT);
    make_fabric(1);
    make_line();
    fake_fabric_lie(&f, 1, 254);
    look();
    assert_string_equal(sweep.overflow.limit, "its limit of ports");
}

// Behind each port that was not searched there may be a node: topology/merge.h keeps a known node
// there.
TEST(what_was_left_out_is_behind_silent_ports)
{
    make_line();
    fake_fabric_lie(&f, 2, 36);
    sweep.limits = (struct sweep_limits){.nodes = 5};
    look();
    assert_true(sweep.overflow.happened);
    for (uint32_t i = 0; i < seen->port_count; i++) {
        const struct fabric_port *port = &seen->ports[i];
        bool up = port->known && port->state > FABRIC_DOWN && port->number > 0;
        assert_true(!up || port->silent || port->peer_node != FABRIC_NONE);
    }
}

static bool has_free_port(int node)
{
    for (int port = 1; port <= f.nodes[node].port_count; port++) {
        if (f.nodes[node].ports[port].peer < 0)
            return true;
    }
    return false;
}

// A random fabric, in which a random switch lies. False: that switch has no port for its lies.
static bool make_lying_fabric(uint64_t seed)
{
    end(NULL);
    make_fabric(seed);
    int switches = 3 + (int)(seed % 20);
    fake_fabric_generate(&f, switches, 20 + (int)fake_fabric_chance(&f, 60));
    look_before();
    int liar = (int)fake_fabric_chance(&f, (unsigned)switches);
    if (!has_free_port(liar))
        return false;
    fake_fabric_lie(&f, liar, 36);
    return true;
}

// Wherever the liar is, and even what is behind it, however many of its ports lie: the fabric was
// known before.
TEST(honest_branches_are_found_first)
{
    unsigned lied = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        if (!make_lying_fabric(seed))
            continue;
        look();
        check_honest_found();
        check_liar_named();
        lied++;
    }
    assert_in_range(lied, 100, 200);
}

// The sweep before found the made-up nodes.
TEST(nor_do_they_lose_their_turns_later)
{
    for (uint64_t seed = 130; seed <= 160; seed++) {
        if (!make_lying_fabric(seed))
            continue;
        look();
        trusted = known;
        known = seen;
        seen = NULL;
        look();
        check_honest_found();
        check_liar_named();
    }
}

// Time.

static void check_late_liars(unsigned attempt, int64_t late_us)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        if (!make_lying_fabric(seed))
            continue;
        f.liar.attempt = attempt;
        f.liar.late_us = late_us;
        sweep.limits.part_us = 20 * CLOCK_US_PER_S;
        int64_t begun = f.port.time.monotonic;
        look();
        check_honest_found();
        check_liar_named();
        assert_in_range(f.port.time.monotonic - begun, 0, 21 * CLOCK_US_PER_S);
    }
}

TEST(a_switch_that_answers_at_the_last_attempt_takes_no_time_from_the_others)
{
    check_late_liars(ATTEMPTS, 0);
    assert_string_equal(sweep.overflow.limit, "its time limit");
}

TEST(nor_does_one_that_answers_just_in_time)
{
    check_late_liars(1, TIMEOUT_US * 9 / 10);
    check_late_liars(1, TIMEOUT_US / 5);
}

TEST(a_switch_behind_which_nothing_answers_ends_in_time)
{
    make_line();
    look_before();
    fake_fabric_lie(&f, 1, 254);
    f.liar.attempt = ATTEMPTS + 1;
    look(); // all six of its free ports at once
    check_honest_found();
    assert_false(sweep.complete);
    assert_false(sweep.overflow.happened);
}

// Living nodes.

enum { HOST = 3, LIAR = 1, LIAR_PORT = 3 };

static void claim(int node)
{
    fake_fabric_lie(&f, LIAR, 0);
    for (int p = 2; p <= f.nodes[LIAR].port_count; p++) { // no other made-up nodes
        if (f.nodes[LIAR].ports[p].peer < 0 && p != LIAR_PORT)
            f.nodes[LIAR].ports[p].deaf = true;
    }
    f.liar.claims[LIAR_PORT] = node;
}

static void check_place(int node, uint8_t port, int peer, uint8_t peer_port)
{
    const struct fabric_port *found = port_of(node, port);
    assert_int_not_equal(found->peer_node, FABRIC_NONE);
    assert_int_equal(seen->nodes[found->peer_node].guid, f.nodes[peer].guid);
    assert_int_equal(found->peer_port, peer_port);
}

static void check_twin(int node)
{
    assert_int_equal(sweep.twin_count, 1);
    assert_int_equal(sweep.twins[0].guid, f.nodes[node].guid);
    assert_int_equal(sweep.twins[0].other_guid, f.nodes[LIAR].guid);
    assert_int_equal(sweep.twins[0].other_port, LIAR_PORT);
    assert_int_equal(sweep.twins[0].kept_guid, f.nodes[2].guid);
    assert_false(sweep.complete);
}

// The liar is nearer than the host: the liar's answer comes first.
TEST(a_living_host_keeps_its_place)
{
    make_line();
    look_before();
    claim(HOST);
    look();
    check_place(HOST, 1, 2, 1);
    assert_true(port_of(LIAR, LIAR_PORT)->silent);
    check_twin(HOST);
    assert_int_equal(sweep.twins[0].kept_port, 1);
}

TEST(a_living_switch_keeps_its_place)
{
    make_line();
    fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_link(&f, 2, 2, 4, 2);
    look_before();
    claim(4);
    f.nodes[4].ports[1].peer = 2; // the claimed arrival is at a port that has another link
    f.nodes[4].ports[1].peer_port = 3;
    f.nodes[2].ports[3].peer = 4;
    f.nodes[2].ports[3].peer_port = 1;
    look();
    check_honest_found();
    check_twin(4);
}

// Without an earlier sweep nobody knows better: the first answer counts.
TEST(the_first_sweep_tells_of_a_claim_too)
{
    make_line();
    claim(HOST);
    look();
    assert_int_equal(sweep.twin_count, 1);
    assert_int_equal(sweep.twins[0].guid, f.nodes[HOST].guid);
    assert_false(sweep.complete);
    assert_int_equal(port_of(LIAR, LIAR_PORT)->silent + port_of(2, 1)->silent, 1);
}

TEST(a_host_that_moved_is_found_at_its_new_place)
{
    static const uint8_t NEW_PORTS[] = {2, 5};
    for (size_t i = 0; i < COUNT(NEW_PORTS); i++) {
        end(NULL);
        make_fabric(1);
        make_line();
        look_before();
        fake_fabric_link(&f, HOST, 1, 1, NEW_PORTS[i]);
        look();
        assert_true(sweep.complete);
        check_honest_found();
        assert_int_equal(sweep.twin_count, 0);
    }
}

// Its old place answers, but is another node now.
TEST(two_hosts_that_changed_places_are_found)
{
    make_line();
    fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_link(&f, 1, 3, 4, 1);
    look_before();
    fake_fabric_link(&f, HOST, 1, 1, 3);
    fake_fabric_link(&f, 4, 1, 2, 1);
    look();
    assert_true(sweep.complete);
    check_honest_found();
    assert_int_equal(sweep.twin_count, 0);
}

// The node's old place is up and silent. The node may have moved, and the sweep goes on with the
// node.
TEST(a_switch_that_moved_away_from_a_silent_port_is_searched)
{
    make_line();
    fake_fabric_add(&f, FABRIC_CA, 1);
    look_before();
    fake_fabric_link(&f, 2, 7, 1, 2);
    fake_fabric_link(&f, 4, 1, 1, 7);
    f.nodes[4].deaf = true;
    look();
    check_place(HOST, 1, 2, 1);
    check_place(2, 7, 1, 2);
    assert_true(port_of(1, 7)->silent);
    assert_false(sweep.complete);
}

// The whole fabric was cabled anew.
TEST(changed_cables_hide_nothing)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        end(NULL);
        make_fabric(seed);
        fake_fabric_generate(&f, 10, 40);
        look_before();
        for (int i = 0; i < 30; i++) {
            int node = 10 + (int)fake_fabric_chance(&f, (unsigned)f.count - 10); // no switch
            int to = (int)fake_fabric_chance(&f, 10);
            uint8_t port = (uint8_t)(1 + fake_fabric_chance(&f, f.nodes[to].port_count));
            if (node != f.own && f.nodes[to].ports[port].peer < 0)
                fake_fabric_link(&f, node, 1, to, port);
        }
        look();
        assert_true(sweep.complete);
        assert_int_equal(sweep.twin_count, 0);
    }
}

#define LIMITS_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITS_TEST(a_fabric_within_the_limits_is_found_whole),
        LIMITS_TEST(a_switch_that_makes_up_switches_ends_at_the_limit),
        LIMITS_TEST(it_names_what_it_reached),
        LIMITS_TEST(what_was_left_out_is_behind_silent_ports),
        LIMITS_TEST(honest_branches_are_found_first),
        LIMITS_TEST(nor_do_they_lose_their_turns_later),
        LIMITS_TEST(a_switch_that_answers_at_the_last_attempt_takes_no_time_from_the_others),
        LIMITS_TEST(nor_does_one_that_answers_just_in_time),
        LIMITS_TEST(a_switch_behind_which_nothing_answers_ends_in_time),
        LIMITS_TEST(a_living_host_keeps_its_place),
        LIMITS_TEST(a_living_switch_keeps_its_place),
        LIMITS_TEST(the_first_sweep_tells_of_a_claim_too),
        LIMITS_TEST(a_host_that_moved_is_found_at_its_new_place),
        LIMITS_TEST(two_hosts_that_changed_places_are_found),
        LIMITS_TEST(a_switch_that_moved_away_from_a_silent_port_is_searched),
        LIMITS_TEST(changed_cables_hide_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
