// SPDX-License-Identifier: BSD-2-Clause
#include "fake_fabric.h"
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "ib/sweep.h"
#include "ib/sweep_rules.h"
#include "model/fabric_builder.h"

enum { IN_FLIGHT = 16, DATA = 64, NODE_INFO = 0x11, PORT_INFO = 0x15 };
static const int64_t TIMEOUT_US = 100 * CLOCK_US_PER_MS;
static const uint64_t MKEY = UINT64_C(0x1122334455667788);

static struct fake_fabric f;
static struct error err;
static struct sweep sweep;
static struct fabric *seen, *truth;
static atomic_bool stop;
static unsigned attempts;

static int begin(void **state)
{
    (void)state;
    fake_fabric_init(&f, 1);
    sweep = (struct sweep){.complete = true};
    attempts = 3;
    atomic_store(&stop, false);
    return 0;
}

static void forget(void)
{
    fabric_unref(seen);
    fabric_unref(truth);
    seen = truth = NULL;
}

static int end(void **state)
{
    (void)state;
    forget();
    return 0;
}

static bool try_look(void)
{
    forget();
    sweep.requests = (struct requests_options){
        .io = fake_port_io(&f.port),
        .in_flight = IN_FLIGHT,
        .attempts = attempts,
        .timeout_us = TIMEOUT_US,
        .clock = &f.port.clock,
        .stop = &stop,
    };
    sweep.random = &f.random;
    sweep.complete = true;
    struct fabric_builder *builder = fabric_builder_new();
    bool ok = sweep_smp(&sweep, builder, &err);
    seen = fabric_builder_finish(builder, SUPPORT_UTC_US, 0, sweep.complete);
    assert_non_null(seen);
    truth = fake_fabric_truth(&f);
    return ok;
}

static void look(void)
{
    assert_true(try_look());
    assert_in_range(f.port.in_flight_most, 1, IN_FLIGHT);
}

// Comparing.

static void check_same_node(const struct fabric_node *a, const struct fabric_node *b)
{
    assert_int_equal(a->guid, b->guid);
    assert_int_equal(a->system_guid, b->system_guid);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->port_count, b->port_count);
    assert_int_equal(a->vendor, b->vendor);
    assert_int_equal(a->device, b->device);
    assert_int_equal(a->revision, b->revision);
    assert_string_equal(a->description, b->description);
    assert_int_equal(a->ports, b->ports);
    assert_int_equal(a->silent, b->silent);
}

static void check_same_port(const struct fabric_port *a, const struct fabric_port *b)
{
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->known, b->known);
    assert_int_equal(a->silent, b->silent);
    assert_int_equal(a->guid, b->guid);
    assert_int_equal(a->lid, b->lid);
    assert_int_equal(a->lmc, b->lmc);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->physical, b->physical);
    assert_int_equal(a->width_active, b->width_active);
    assert_int_equal(a->width_enabled, b->width_enabled);
    assert_int_equal(a->width_supported, b->width_supported);
    assert_int_equal(a->speed_active, b->speed_active);
    assert_int_equal(a->speed_enabled, b->speed_enabled);
    assert_int_equal(a->speed_supported, b->speed_supported);
    assert_int_equal(a->capabilities, b->capabilities);
    assert_int_equal(a->peer_node, b->peer_node);
    assert_int_equal(a->peer_port, b->peer_port);
}

static void check_all_found(void)
{
    assert_true(seen->complete);
    assert_int_equal(seen->node_count, truth->node_count);
    assert_int_equal(seen->port_count, truth->port_count);
    for (uint32_t i = 0; i < seen->node_count; i++)
        check_same_node(&seen->nodes[i], &truth->nodes[i]);
    for (uint32_t i = 0; i < seen->port_count; i++)
        check_same_port(&seen->ports[i], &truth->ports[i]);
}

static const struct fabric_port *seen_port(int node, uint8_t number)
{
    uint32_t n = fabric_find_node(seen, f.nodes[node].guid);
    uint32_t p = n == FABRIC_NONE ? FABRIC_NONE : fabric_find_port(seen, n, number);
    return p == FABRIC_NONE ? NULL : &seen->ports[p];
}

static bool is_seen(int node)
{
    return fabric_find_node(seen, f.nodes[node].guid) != FABRIC_NONE;
}

// Every existing link is in the snapshot, or one of its found ends is silent. So all missing nodes
// are behind silent ports. The snapshot has nothing that does not exist.
static void check_nothing_hidden(void)
{
    for (uint32_t i = 0; i < seen->node_count; i++)
        assert_int_not_equal(fabric_find_node(truth, seen->nodes[i].guid), FABRIC_NONE);
    for (uint32_t i = 0; i < seen->port_count; i++) {
        const struct fabric_port *port = &seen->ports[i];
        const struct fabric_node *node = &seen->nodes[fabric_node_of_port(seen, i)];
        uint32_t real = fabric_find_port(truth, fabric_find_node(truth, node->guid), port->number);
        assert_int_not_equal(real, FABRIC_NONE);
        bool linked = truth->ports[real].peer_node != FABRIC_NONE;
        if (port->peer_node == FABRIC_NONE) {
            assert_true(!linked || port->silent);
            continue;
        }
        assert_true(linked);
        assert_int_equal(seen->nodes[port->peer_node].guid,
                         truth->nodes[truth->ports[real].peer_node].guid);
        assert_int_equal(port->peer_port, truth->ports[real].peer_port);
    }
}

static void check_port_is_silent(int node, uint8_t number)
{
    const struct fabric_port *port = seen_port(node, number);
    assert_non_null(port);
    assert_true(port->silent);
    assert_int_equal(port->peer_node, FABRIC_NONE);
    assert_false(seen->complete);
}

// Finding.

TEST(generated_fabrics_are_found_whole)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        fake_fabric_init(&f, seed);
        int switches = 1 + (int)fake_fabric_chance(&f, 20);
        fake_fabric_generate(&f, switches, 1 + (int)fake_fabric_chance(&f, 60));
        look();
        check_all_found();
        assert_int_equal(f.port.received, f.port.sent);
    }
}

// The number of found nodes that a sweep reports.
static uint32_t said;

static void count_found(void *ctx, uint32_t nodes)
{
    assert_ptr_equal(ctx, &said);
    assert_int_equal(nodes, said + 1);
    said = nodes;
}

TEST(it_says_how_many_nodes_it_has_found)
{
    fake_fabric_generate(&f, 10, 50);
    said = 0;
    sweep.found = count_found;
    sweep.found_ctx = &said;
    look();
    assert_int_equal(said, truth->node_count);
}

TEST(a_ring_of_switches_is_walked_once)
{
    enum { SWITCHES = 10 };
    f.own = fake_fabric_add(&f, FABRIC_CA, 1);
    for (int i = 1; i <= SWITCHES; i++)
        fake_fabric_add(&f, FABRIC_SWITCH, 4);
    fake_fabric_link(&f, f.own, 1, 1, 3);
    for (int i = 1; i <= SWITCHES; i++)
        fake_fabric_link(&f, i, 1, i % SWITCHES + 1, 2);
    look();
    check_all_found();
    // Node, description and ports of each, and at most one NodeInfo for each end of a link.
    assert_in_range(f.port.sent, 0, 3 + SWITCHES * (2 + 5 + 2));
}

TEST(it_can_begin_at_a_switch)
{
    fake_fabric_generate(&f, 5, 20);
    f.own = 0;
    look();
    check_all_found();
}

TEST(two_hosts_on_one_cable)
{
    fake_fabric_add(&f, FABRIC_CA, 2);
    fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_link(&f, 0, 1, 1, 1);
    look();
    check_all_found();
}

// A fabric must not appear empty because the own port is down.
TEST(an_own_port_that_is_down_is_an_error)
{
    fake_fabric_add(&f, FABRIC_CA, 1);
    assert_false(try_look());
    assert_string_equal(err.text, "the own port is down");
}

TEST(an_own_port_that_is_not_known_hides_everything)
{
    fake_fabric_add(&f, FABRIC_CA, 1);
    f.nodes[0].ports[1].deaf = true;
    look();
    check_port_is_silent(0, 1);
}

// Host 0 - switch 1 - switch 2 - host 3; the switches have two links.
static void make_line(void)
{
    f.own = fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_add(&f, FABRIC_CA, 1);
    fake_fabric_link(&f, 0, 1, 1, 1);
    fake_fabric_link(&f, 1, 7, 2, 7);
    fake_fabric_link(&f, 1, 8, 2, 8);
    fake_fabric_link(&f, 2, 1, 3, 1);
}

TEST(a_port_connected_to_itself_has_no_link)
{
    make_line();
    fake_fabric_link(&f, 2, 5, 2, 5);
    look();
    check_all_found();
    assert_int_equal(seen_port(2, 5)->peer_node, FABRIC_NONE);
    assert_int_equal(seen_port(2, 5)->state, FABRIC_ACTIVE);
}

TEST(a_switch_connected_to_itself)
{
    make_line();
    fake_fabric_link(&f, 2, 4, 2, 5);
    look();
    check_all_found();
    assert_int_equal(seen_port(2, 5)->peer_port, 4);
}

TEST(a_description_comes_out_clean)
{
    make_line();
    memset(f.nodes[3].description, 'x', 64);
    f.nodes[3].description[64] = '\0';
    memcpy(f.nodes[3].description, "a\x1B[2J\xFF", 6);
    look();
    const struct fabric_node *node = &seen->nodes[fabric_find_node(seen, f.nodes[3].guid)];
    assert_memory_equal(node->description, "a?[2J\xEF\xBF\xBDxxx", 11);
    assert_int_equal(strlen(node->description), 66);
}

// Silence.

TEST(loss_never_hides_anything)
{
    unsigned complete = 0, incomplete = 0, missing = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        fake_fabric_init(&f, seed);
        fake_fabric_generate(&f, 1 + (int)(seed % 4), 2 + (int)(seed % 7));
        f.loss = 20;
        attempts = seed % 2 ? 3 : 8;
        if (!try_look()) { // the own port did not answer
            assert_int_equal(seen->node_count, 0);
            continue;
        }
        check_nothing_hidden();
        if (seen->complete)
            check_all_found();
        complete += seen->complete;
        incomplete += !seen->complete;
        missing += truth->node_count - seen->node_count;
    }
    // Otherwise the test showed nothing.
    assert_in_range(complete, 20, 280);
    assert_in_range(incomplete, 20, 280);
    assert_in_range(missing, 20, UINT32_MAX);
}

TEST(a_deaf_host_leaves_a_silent_port)
{
    make_line();
    f.nodes[3].deaf = true;
    look();
    check_port_is_silent(2, 1);
    check_nothing_hidden();
    assert_int_equal(seen->node_count, 3);
    assert_int_equal(sweep.counters.given_up, 1);
}

TEST(a_deaf_switch_hides_what_is_behind)
{
    make_line();
    f.nodes[2].deaf = true;
    look();
    check_port_is_silent(1, 7);
    check_port_is_silent(1, 8);
    check_nothing_hidden();
    assert_int_equal(seen->node_count, 2);
}

TEST(nodes_with_an_mkey_answer_to_that)
{
    make_line();
    for (int i = 0; i < f.count; i++)
        f.nodes[i].mkey = MKEY;
    sweep.mkey = MKEY;
    look();
    check_all_found();
}

TEST(nodes_with_another_mkey_are_silent)
{
    make_line();
    f.nodes[3].mkey = MKEY;
    sweep.mkey = MKEY + 1;
    look();
    check_port_is_silent(2, 1);
    assert_false(is_seen(3));
    check_nothing_hidden();
}

// Speeds.

TEST(a_switch_shows_extended_speeds_to_who_knows_them)
{
    make_line();
    f.nodes[1].extends = f.nodes[3].extends = true;
    look();
    assert_true(seen->complete);
    const struct fabric_port *port = seen_port(1, 7);
    assert_int_equal(port->speed_active, FABRIC_EDR);
    assert_int_equal(port->speed_supported & (FABRIC_FDR | FABRIC_EDR), FABRIC_FDR | FABRIC_EDR);
    assert_int_equal(port->speed_enabled & (FABRIC_FDR | FABRIC_EDR), FABRIC_FDR | FABRIC_EDR);
    assert_int_equal(port->peer_port, 7);
    assert_int_equal(seen_port(1, 8)->speed_active, FABRIC_EDR);
    assert_int_equal(seen_port(1, 2)->speed_supported & FABRIC_EDR, 0); // it is down
    assert_int_equal(seen_port(2, 7)->speed_active, FABRIC_QDR);        // of another switch
    assert_int_equal(seen_port(3, 1)->speed_active, FABRIC_EDR);        // a host
    assert_int_equal(seen_port(3, 1)->lid, f.nodes[3].ports[1].lid);
}

TEST(fdr10_is_known_from_mellanox)
{
    make_line();
    f.nodes[1].mellanox = f.nodes[2].mellanox = 1;
    f.nodes[3].mellanox = 2; // not FDR10
    look();
    assert_true(seen->complete);
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_FDR10);
    assert_int_equal(seen_port(2, 8)->speed_active, FABRIC_FDR10);
    assert_int_equal(seen_port(2, 8)->speed_supported & FABRIC_FDR10, FABRIC_FDR10);
    assert_int_equal(seen_port(2, 8)->speed_enabled & FABRIC_FDR10, FABRIC_FDR10);
    assert_int_equal(seen_port(2, 1)->speed_active, FABRIC_FDR10);
    assert_int_equal(seen_port(3, 1)->speed_active, FABRIC_QDR);
    assert_int_equal(seen_port(0, 1)->speed_active, FABRIC_QDR);
}

static bool lacks_mellanox(void *ctx, int node, uint8_t *answer)
{
    (void)ctx;
    return node != 1 || wire_get16(answer + 16) != 0xFF90;
}

static bool lacks_speeds(void *ctx, int node, uint8_t *answer)
{
    (void)ctx;
    (void)node;
    return wire_get16(answer + 16) != 0xFF90 && !(answer[20] & 0x80);
}

// One query without an answer is enough to know that a node does not know the attribute.
TEST(a_silent_port_costs_the_attempts_of_one)
{
    make_line();
    f.nodes[1].mellanox = 1;
    f.tamper = lacks_mellanox;
    look();
    assert_true(seen->complete);
    assert_int_equal(sweep.counters.given_up, 1);
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_QDR);
    assert_int_equal(seen->node_count, 4);
}

// Neither a lost answer nor a sweep that ends early makes a link slow.
TEST(speeds_that_nobody_tells_stay_as_they_were)
{
    make_line();
    f.nodes[1].mellanox = 1;
    f.nodes[2].extends = true;
    look();
    struct fabric *before = fabric_ref(seen);
    sweep.known = before;
    f.tamper = lacks_speeds;
    look();
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_FDR10);
    assert_int_equal(seen_port(1, 8)->speed_active, FABRIC_FDR10);
    assert_int_equal(seen_port(2, 8)->speed_active, FABRIC_EDR);
    fake_fabric_unlink(&f, 2, 1);
    fake_fabric_link(&f, 3, 1, 1, 3); // another link
    look();
    assert_int_equal(seen_port(1, 3)->speed_active, FABRIC_QDR);
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_FDR10);
    sweep.limits.nodes = 3;
    look();
    assert_true(sweep.overflow.happened);
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_FDR10);
    f.tamper = NULL;
    f.nodes[1].mellanox = 2; // the links fell back
    sweep.limits.nodes = 0;
    sweep.overflow.happened = false;
    look();
    assert_int_equal(seen_port(1, 7)->speed_active, FABRIC_QDR);
    fabric_unref(before);
}

// The sentence about tables for which there was no room.
TEST(pkey_tables_that_are_left_out_are_told)
{
    char told[160];
    struct fabric crowded = {.pkey_tables_left_out = UINT32_MAX};
    sweep_findings_explain_pkeys(&crowded, told, sizeof told);
    assert_string_equal(told,
                        "the P_Key tables of 4294967295 ports find no room, and their changes "
                        "are not told: the fabric has more than 1048576 P_Keys");
    crowded.pkey_tables_left_out = 0;
    sweep_findings_explain_pkeys(&crowded, told, sizeof told);
    assert_string_equal(told, "");
}

// M_Keys of single ports.

static char locked[640];
static struct log *mkeys_log;

static const char *find_locked(void)
{
    sweep_findings_explain_locked(&sweep, seen, locked, sizeof locked);
    return locked;
}

// Gives each node its own M_Key, in a file as OpenSM writes it: a switch has the GUID of port 0.
static void give_own_mkeys(bool neighbors)
{
    char keys[4000] = "", links[4000] = "";
    struct text k = text_in(keys, sizeof keys), n = text_in(links, sizeof links);
    for (int i = 0; i < f.count; i++) {
        const struct fake_node *node = &f.nodes[i];
        const bool is_switch = node->type == FABRIC_SWITCH;
        f.nodes[i].mkey = MKEY + (uint64_t)i;
        text_addf(&k, "0x%016llx 0x%016llx\n\n",
                  (unsigned long long)(is_switch ? node->guid : node->guid + 1),
                  (unsigned long long)(MKEY + (uint64_t)i));
        for (unsigned p = 1; p <= node->port_count; p++) {
            if (node->ports[p].peer < 0)
                continue;
            const struct fake_node *peer = &f.nodes[node->ports[p].peer];
            text_addf(&n, "0x%016llx:%u 0x%016llx:%u\n\n",
                      (unsigned long long)(is_switch ? node->guid : node->guid + p), p,
                      (unsigned long long)(peer->type == FABRIC_SWITCH
                                               ? peer->guid
                                               : peer->guid + node->ports[p].peer_port),
                      node->ports[p].peer_port);
        }
    }
    char directory[300];
    const char *path = support_file("guid2mkey", keys, 0600);
    snprintf(directory, sizeof directory, "%s", path);
    support_file("neighbors", neighbors ? links : "", 0600);
    mkeys_use(sweep.mkeys, directory);
    sweep.own_guid = f.nodes[f.own].guid + 1;
}

static int begin_with_mkeys(void **state)
{
    begin(state);
    mkeys_log = support_log(NULL);
    sweep.mkeys = mkeys_new(mkeys_log);
    return 0;
}

static int end_with_mkeys(void **state)
{
    mkeys_free(sweep.mkeys);
    log_close(mkeys_log);
    return end(state);
}

TEST(each_port_is_asked_with_its_own_mkey)
{
    make_line();
    give_own_mkeys(true);
    look();
    check_all_found();
    assert_string_equal(find_locked(), "");
}

TEST(a_known_link_says_which_mkey_the_other_end_has)
{
    make_line();
    look();
    struct fabric *known = fabric_ref(seen);
    give_own_mkeys(false);
    sweep.known = known;
    look();
    check_all_found();
    sweep.known = NULL;
    fabric_unref(known);
}

TEST(a_port_whose_mkey_is_not_known_is_named)
{
    make_line();
    give_own_mkeys(true);
    f.nodes[3].mkey = 1;
    sweep.locked_count = 0;
    look();
    check_port_is_silent(2, 1);
    char expected[200];
    snprintf(expected, sizeof expected,
             "no answer with the M_Key from behind port 1 of 0x%016llx (%s)",
             (unsigned long long)f.nodes[2].guid, f.nodes[2].description);
    assert_string_equal(find_locked(), expected);
}

TEST(a_port_that_shows_or_hides_another_mkey_is_named)
{
    make_line();
    give_own_mkeys(true);
    f.nodes[2].mkey = 1;
    f.nodes[2].level0 = true;
    f.nodes[3].mkey = 1;
    f.nodes[3].level1 = true;
    f.nodes[1].level1 = true; // and has the right one
    sweep.locked_count = 0;
    look();
    check_all_found();
    assert_int_equal(sweep.locked_count, 2);
    assert_non_null(strstr(find_locked(), f.nodes[2].description));
    assert_non_null(strstr(find_locked(), f.nodes[3].description));
    assert_null(strstr(find_locked(), "no answer"));
}

TEST(without_a_key_a_silent_port_has_no_other_mkey)
{
    make_line();
    f.nodes[3].deaf = true;
    f.nodes[1].mkey = 1;
    f.nodes[1].level0 = true;
    sweep.locked_count = 0;
    look();
    assert_string_equal(find_locked(), "");
}

TEST(many_ports_with_other_mkeys_are_counted)
{
    make_line();
    for (int i = 2; i <= 6; i++) {
        int host = fake_fabric_add(&f, FABRIC_CA, 1);
        fake_fabric_link(&f, 1, (uint8_t)i, host, 1);
        host = fake_fabric_add(&f, FABRIC_CA, 1);
        fake_fabric_link(&f, 2, (uint8_t)i, host, 1);
    }
    give_own_mkeys(true);
    for (int i = 4; i < f.count; i++)
        f.nodes[i].mkey = 1;
    sweep.locked_count = 0;
    look();
    assert_int_equal(sweep.locked_count, 10);
    assert_non_null(strstr(find_locked(), "; 2 more"));
}

TEST(a_port_without_port_info_may_hide_something)
{
    make_line();
    f.nodes[2].ports[1].deaf = true;
    look();
    assert_false(seen_port(2, 1)->known);
    check_port_is_silent(2, 1);
    assert_false(is_seen(3));
    check_nothing_hidden();
}

TEST(a_known_link_hides_nothing_though_its_port_is_not_known)
{
    make_line();
    f.nodes[3].ports[1].deaf = true;
    f.nodes[2].ports[0].deaf = true;
    look();
    assert_false(seen->complete);
    assert_false(seen_port(3, 1)->known);
    assert_false(seen_port(3, 1)->silent);
    assert_int_equal(seen_port(3, 1)->guid, f.nodes[3].guid + 1);
    assert_false(seen_port(2, 0)->known);
    assert_false(seen_port(2, 0)->silent);
    check_nothing_hidden();
    assert_int_equal(seen->node_count, 4);
}

TEST(a_missing_description_makes_it_incomplete)
{
    make_line();
    f.nodes[3].nameless = true;
    look();
    assert_false(seen->complete);
    assert_true(is_seen(3));
    check_nothing_hidden();
}

static bool drop_at_arrival(void *ctx, int node, uint8_t *answer)
{
    (void)ctx;
    return !(node == 2 && wire_get16(answer + 16) == NODE_INFO && answer[DATA + 36] == 7);
}

TEST(what_one_side_does_not_see_the_other_does)
{
    make_line();
    f.tamper = drop_at_arrival;
    look();
    check_all_found();
    assert_int_equal(sweep.counters.given_up, 1);
}

TEST(an_own_port_that_is_silent_is_an_error)
{
    make_line();
    f.nodes[0].deaf = true;
    assert_false(try_look());
    assert_string_equal(err.text, "the own port does not answer directed-route SMPs");
}

TEST(a_lost_port_is_an_error)
{
    make_line();
    f.port.gone = true;
    assert_false(try_look());
    assert_string_equal(err.text, "it was unplugged");
}

static bool stop_it(void *ctx, int node, uint8_t *answer)
{
    (void)ctx, (void)node, (void)answer;
    atomic_store(&stop, f.port.sent > 20);
    return true;
}

TEST(a_stop_ends_it)
{
    fake_fabric_generate(&f, 10, 50);
    f.tamper = stop_it;
    assert_false(try_look());
    assert_string_equal(err.text, "stopped");
    assert_in_range(f.port.sent, 20, 21 + IN_FLIGHT);
}

TEST(routes_have_an_end)
{
    enum { SWITCHES = 70, REACHED = 63 };
    f.own = fake_fabric_add(&f, FABRIC_CA, 1);
    for (int i = 1; i <= SWITCHES; i++) {
        fake_fabric_add(&f, FABRIC_SWITCH, 2);
        fake_fabric_link(&f, i - 1, i == 1 ? 1 : 2, i, 1);
    }
    look();
    assert_int_equal(seen->node_count, 1 + REACHED);
    check_port_is_silent(REACHED, 2);
    check_nothing_hidden();
}

// Nonsense.

// Changes an octet of the NodeInfo of node 3, the host at the end of the line.
struct lie {
    unsigned at;
    uint8_t value;
};

static bool tell_lie(void *ctx, int node, uint8_t *answer)
{
    const struct lie *lie = ctx;
    if (node == 3 && wire_get16(answer + 16) == NODE_INFO)
        answer[lie->at] = lie->value;
    return true;
}

TEST(a_malformed_node_is_none)
{
    static struct lie lies[] = {
        {DATA + 2, 0},  {DATA + 2, 4},                    // type
        {DATA + 3, 0},  {DATA + 3, 255},                  // ports
        {DATA + 36, 2}, {DATA + 36, 255}, {DATA + 36, 0}, // local port
        {5, 0x04},      {4, 0x9C},                        // status
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        end(NULL);
        begin(NULL);
        make_line();
        f.tamper = tell_lie;
        f.tamper_ctx = &lies[i];
        look();
        assert_false(is_seen(3));
        check_port_is_silent(2, 1);
        check_nothing_hidden();
    }
}

static bool have_no_guid(void *ctx, int node, uint8_t *answer)
{
    (void)ctx;
    if (node == 3 && wire_get16(answer + 16) == NODE_INFO)
        memset(answer + DATA + 12, 0, 8);
    return true;
}

TEST(a_node_without_guid_is_none)
{
    make_line();
    f.tamper = have_no_guid;
    look();
    check_port_is_silent(2, 1);
    assert_int_equal(seen->node_count, 3);
}

TEST(of_two_hosts_with_one_guid_one_is_silent)
{
    make_line();
    fake_fabric_link(&f, fake_fabric_add(&f, FABRIC_CA, 1), 1, 1, 2);
    f.nodes[4].guid = f.nodes[3].guid;
    look();
    assert_false(seen->complete);
    assert_int_equal(seen_port(1, 2)->silent + seen_port(2, 1)->silent, 1);
}

TEST(of_two_switches_with_one_guid_one_is_silent)
{
    make_line();
    int twin = fake_fabric_add(&f, FABRIC_SWITCH, 8);
    fake_fabric_link(&f, twin, 7, 1, 5);
    f.nodes[twin].guid = f.nodes[2].guid;
    look();
    assert_false(seen->complete);
    assert_true(seen_port(1, 5)->silent || seen_port(1, 7)->silent);

    f.nodes[twin].port_count = 7; // not even the same number of ports
    look();
    assert_false(seen->complete);
}

static void check_links_are_mutual(void)
{
    for (uint32_t i = 0; i < seen->port_count; i++) {
        uint32_t peer = fabric_peer(seen, i);
        if (peer != FABRIC_NONE)
            assert_int_equal(fabric_peer(seen, peer), i);
    }
}

static bool garble(void *ctx, int node, uint8_t *answer)
{
    (void)ctx, (void)node;
    if (fake_fabric_chance(&f, 10) != 0)
        return true;
    unsigned octets = 1 + fake_fabric_chance(&f, 8);
    for (unsigned i = 0; i < octets; i++)
        answer[DATA + fake_fabric_chance(&f, 64)] = (uint8_t)fake_fabric_chance(&f, 256);
    return true;
}

TEST(garbled_answers_do_no_harm)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        fake_fabric_init(&f, seed);
        fake_fabric_generate(&f, 4, 10);
        f.tamper = garble;
        if (try_look())
            check_links_are_mutual();
        assert_in_range(f.port.sent, 1, 20000);
    }
}

// Cables that move during a sweep.

static struct {
    int a, b; // hosts or switches that change places, at port 1 of both
    unsigned after, answers;
} swap;

static void exchange(int a, int b)
{
    const struct fake_fabric_port at_a = f.nodes[a].ports[1], at_b = f.nodes[b].ports[1];
    fake_fabric_unlink(&f, a, 1);
    fake_fabric_unlink(&f, b, 1);
    fake_fabric_link(&f, a, 1, at_b.peer, at_b.peer_port);
    fake_fabric_link(&f, b, 1, at_a.peer, at_a.peer_port);
}

static bool exchange_in_time(void *ctx, int node, uint8_t *answer)
{
    (void)ctx, (void)node, (void)answer;
    if (swap.answers++ == swap.after)
        exchange(swap.a, swap.b);
    return true;
}

// The switch 1 with the own host, a host and two switches of two hosts each.
static void make_tree(void)
{
    for (int i = 0; i < 9; i++)
        fake_fabric_add(&f, i == 1 || i == 3 || i == 4 ? FABRIC_SWITCH : FABRIC_CA, 8);
    for (int i = 0; i < 5; i++) {
        if (i != 1)
            fake_fabric_link(&f, i, 1, 1, (uint8_t)(i + 1));
    }
    for (int i = 5; i < 9; i++)
        fake_fabric_link(&f, i, 1, 3 + i % 2, (uint8_t)i);
}

static bool has_link(const struct fabric *fabric, uint64_t a, uint8_t port_a, uint64_t b)
{
    const uint32_t node = fabric_find_node(fabric, a);
    const uint32_t port = node != FABRIC_NONE ? fabric_find_port(fabric, node, port_a) : node;
    return port != FABRIC_NONE && fabric->ports[port].peer_node != FABRIC_NONE &&
           fabric->nodes[fabric->ports[port].peer_node].guid == b;
}

// Whatever the sweep says is true of that node before or after the exchange.
static void check_nothing_mixed(const struct fabric *before)
{
    for (int i = 0; i < f.count; i++) {
        const uint32_t at = fabric_find_node(seen, f.nodes[i].guid);
        if (at == FABRIC_NONE)
            continue;
        const struct fabric_node *node = &seen->nodes[at];
        if (node->description[0] != '\0')
            assert_string_equal(node->description, f.nodes[i].description);
        for (uint32_t k = node->first_port; k < node->first_port + node->ports; k++) {
            const struct fabric_port *port = &seen->ports[k];
            if (port->lid != 0)
                assert_int_equal(port->lid, f.nodes[i].ports[port->number].lid);
            if (port->peer_node == FABRIC_NONE)
                continue;
            const uint64_t peer = seen->nodes[port->peer_node].guid;
            assert_true(has_link(before, node->guid, port->number, peer) ||
                        has_link(truth, node->guid, port->number, peer));
        }
    }
}

static void exchange_at_any_time(int a, int b)
{
    enum { ANSWERS_MAX = 120 };
    for (unsigned after = 0; after < ANSWERS_MAX; after++) {
        end(NULL);
        begin(NULL);
        make_tree();
        struct fabric *before = fake_fabric_truth(&f);
        sweep.known = before;
        swap.a = a;
        swap.b = b;
        swap.after = after;
        swap.answers = 0;
        f.tamper = exchange_in_time;
        look();
        check_nothing_mixed(before);
        sweep.known = NULL;
        fabric_unref(before);
    }
    assert_in_range(swap.answers, 1, ANSWERS_MAX);
}

TEST(two_hosts_that_change_places_during_a_sweep_are_not_mixed)
{
    exchange_at_any_time(5, 6);
    exchange_at_any_time(2, 6);
}

TEST(two_switches_that_change_places_during_a_sweep_are_not_mixed)
{
    exchange_at_any_time(3, 4);
}

TEST(what_is_known_is_asked_once)
{
    make_tree();
    look();
    const uint64_t first = f.port.sent;
    struct fabric *before = fabric_ref(seen);
    sweep.known = before;
    look();
    assert_int_equal(f.port.sent, 2 * first);
    snprintf(f.nodes[5].description, sizeof f.nodes[5].description, "renamed");
    look();
    assert_int_equal(f.port.sent, 3 * first + 1);
    assert_true(seen->complete);
    sweep.known = NULL;
    fabric_unref(before);
}

#define SWEEP_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)
#define MKEYS_TEST(t) cmocka_unit_test_setup_teardown(t, begin_with_mkeys, end_with_mkeys)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(pkey_tables_that_are_left_out_are_told),
        SWEEP_TEST(generated_fabrics_are_found_whole),
        SWEEP_TEST(it_says_how_many_nodes_it_has_found),
        SWEEP_TEST(a_ring_of_switches_is_walked_once),
        SWEEP_TEST(it_can_begin_at_a_switch),
        SWEEP_TEST(two_hosts_on_one_cable),
        SWEEP_TEST(two_hosts_that_change_places_during_a_sweep_are_not_mixed),
        SWEEP_TEST(two_switches_that_change_places_during_a_sweep_are_not_mixed),
        SWEEP_TEST(what_is_known_is_asked_once),
        SWEEP_TEST(an_own_port_that_is_down_is_an_error),
        SWEEP_TEST(an_own_port_that_is_not_known_hides_everything),
        SWEEP_TEST(a_port_connected_to_itself_has_no_link),
        SWEEP_TEST(a_switch_connected_to_itself),
        SWEEP_TEST(a_description_comes_out_clean),
        SWEEP_TEST(loss_never_hides_anything),
        SWEEP_TEST(a_deaf_host_leaves_a_silent_port),
        SWEEP_TEST(a_deaf_switch_hides_what_is_behind),
        SWEEP_TEST(nodes_with_an_mkey_answer_to_that),
        SWEEP_TEST(nodes_with_another_mkey_are_silent),
        SWEEP_TEST(a_switch_shows_extended_speeds_to_who_knows_them),
        SWEEP_TEST(fdr10_is_known_from_mellanox),
        SWEEP_TEST(a_silent_port_costs_the_attempts_of_one),
        SWEEP_TEST(speeds_that_nobody_tells_stay_as_they_were),
        MKEYS_TEST(each_port_is_asked_with_its_own_mkey),
        MKEYS_TEST(a_known_link_says_which_mkey_the_other_end_has),
        MKEYS_TEST(a_port_whose_mkey_is_not_known_is_named),
        MKEYS_TEST(a_port_that_shows_or_hides_another_mkey_is_named),
        MKEYS_TEST(without_a_key_a_silent_port_has_no_other_mkey),
        MKEYS_TEST(many_ports_with_other_mkeys_are_counted),
        SWEEP_TEST(a_port_without_port_info_may_hide_something),
        SWEEP_TEST(a_known_link_hides_nothing_though_its_port_is_not_known),
        SWEEP_TEST(a_missing_description_makes_it_incomplete),
        SWEEP_TEST(what_one_side_does_not_see_the_other_does),
        SWEEP_TEST(an_own_port_that_is_silent_is_an_error),
        SWEEP_TEST(a_lost_port_is_an_error),
        SWEEP_TEST(a_stop_ends_it),
        SWEEP_TEST(routes_have_an_end),
        SWEEP_TEST(a_malformed_node_is_none),
        SWEEP_TEST(a_node_without_guid_is_none),
        SWEEP_TEST(of_two_hosts_with_one_guid_one_is_silent),
        SWEEP_TEST(of_two_switches_with_one_guid_one_is_silent),
        SWEEP_TEST(garbled_answers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
