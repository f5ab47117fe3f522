// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "support.h"

#include "model/address.h"
#include "model/counter.h"
#include "model/fabric_builder.h"

static uint32_t add_node(struct fabric_builder *builder, enum fabric_type type, uint64_t guid)
{
    const struct fabric_node node = {
        .guid = guid, .type = (uint8_t)type, .first_port = 7, .ports = 9};
    uint32_t number = fabric_builder_node(builder, &node);
    assert_int_not_equal(number, FABRIC_NONE);
    return number;
}

static void add_port(struct fabric_builder *builder, uint32_t node, uint8_t number, uint64_t guid,
                     uint16_t lid, uint8_t lmc)
{
    const struct fabric_port port = {.number = number,
                                     .known = true,
                                     .guid = guid,
                                     .lid = lid,
                                     .lmc = lmc,
                                     .peer_node = 77,
                                     .peer_port = 7};
    assert_true(fabric_builder_port(builder, node, &port));
}

static struct fabric *finish(struct fabric_builder *builder)
{
    struct fabric *fabric = fabric_builder_finish(builder, 12, 0xFE80, true);
    assert_non_null(fabric);
    return fabric;
}

TEST(an_empty_fabric)
{
    struct fabric *fabric = finish(fabric_builder_new());
    assert_int_equal(fabric->node_count, 0);
    assert_int_equal(fabric->port_count, 0);
    assert_int_equal(fabric->time_us, 12);
    assert_int_equal(fabric->subnet_prefix, 0xFE80);
    assert_true(fabric->complete);
    assert_int_equal(fabric_find_node(fabric, 0), FABRIC_NONE);
    assert_int_equal(fabric_find_port_guid(fabric, 0), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(fabric, 1), FABRIC_NONE);
    fabric_unref(fabric);
    fabric_unref(NULL);
    fabric_builder_free(NULL);
}

TEST(nodes_and_ports_are_sorted)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t host = add_node(b, FABRIC_CA, 30), sw = add_node(b, FABRIC_SWITCH, 10);
    uint32_t bare = add_node(b, FABRIC_CA, 20), last = add_node(b, FABRIC_CA, 40);
    add_port(b, sw, 2, 0, 0, 0);
    add_port(b, host, 2, 32, 6, 0);
    add_port(b, sw, 0, 10, 1, 0);
    add_port(b, host, 1, 31, 5, 0);
    assert_true(fabric_builder_link(b, sw, 2, host, 1));
    assert_int_not_equal(bare, last);
    struct fabric *f = finish(b);

    assert_int_equal(f->node_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(f->nodes[i].guid, (i + 1) * 10);
        assert_int_equal(fabric_find_node(f, (i + 1) * 10), i);
    }
    assert_int_equal(fabric_find_node(f, 5), FABRIC_NONE);
    assert_int_equal(fabric_find_node(f, 25), FABRIC_NONE);
    assert_int_equal(fabric_find_node(f, 41), FABRIC_NONE);

    assert_int_equal(f->port_count, 4);
    static const uint8_t NUMBERS[] = {0, 2, 1, 2};
    static const uint32_t NODES[] = {0, 0, 2, 2};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(f->ports[i].number, NUMBERS[i]);
        assert_int_equal(fabric_node_of_port(f, i), NODES[i]);
        assert_int_equal(fabric_find_port(f, NODES[i], NUMBERS[i]), i);
    }
    assert_int_equal(f->nodes[1].ports, 0);
    assert_int_equal(fabric_find_port(f, 0, 1), FABRIC_NONE);
    assert_int_equal(fabric_find_port(f, 0, 3), FABRIC_NONE);
    assert_int_equal(fabric_find_port(f, 1, 2), FABRIC_NONE);
    assert_int_equal(fabric_peer(f, 1), 2);
    assert_int_equal(fabric_peer(f, 2), 1);
    assert_int_equal(fabric_peer(f, 0), FABRIC_NONE);
    assert_int_equal(fabric_find_port_guid(f, 10), 0);
    assert_int_equal(fabric_find_port_guid(f, 32), 3);
    assert_int_equal(fabric_find_port_guid(f, 30), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(f, 5), 2);
    fabric_unref(f);
}

TEST(lmc_gives_a_port_several_lids)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t a = add_node(b, FABRIC_CA, 1), c = add_node(b, FABRIC_CA, 2);
    add_port(b, a, 1, 11, 8, 2);
    add_port(b, c, 1, 12, 11, 0); // claims one of their LIDs in vain
    add_port(b, c, 2, 13, ADDRESS_LID_UNICAST_MAX - 1, 7);
    add_port(b, c, 3, 14, 0xFFFF, 7);
    add_port(b, c, 4, 15, 0, 7);
    struct fabric *f = finish(b);
    assert_int_equal(fabric_find_lid(f, 7), FABRIC_NONE);
    for (uint16_t lid = 8; lid < 12; lid++)
        assert_int_equal(fabric_find_lid(f, lid), 0);
    assert_int_equal(fabric_find_lid(f, 12), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(f, ADDRESS_LID_UNICAST_MAX), 2);
    assert_int_equal(fabric_find_lid(f, 0xC000), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(f, 0xFFFF), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(f, 0), FABRIC_NONE);
    assert_int_equal(fabric_find_lid(f, 1), FABRIC_NONE);
    fabric_unref(f);
}

TEST(a_node_that_is_there_keeps_its_number_and_values)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t a = add_node(b, FABRIC_SWITCH, 1);
    add_node(b, FABRIC_CA, 2);
    assert_int_equal(add_node(b, FABRIC_CA, 1), a);
    assert_int_equal(fabric_builder_get(b, a)->type, FABRIC_SWITCH);
    assert_int_equal(fabric_builder_find(b, 1), a);
    assert_int_equal(fabric_builder_find(b, 3), FABRIC_NONE);
    fabric_builder_free(b);
}

TEST(a_port_set_again_keeps_its_link)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t a = add_node(b, FABRIC_SWITCH, 1), c = add_node(b, FABRIC_SWITCH, 2);
    assert_null(fabric_builder_get_port(b, a, 1));
    assert_true(fabric_builder_link(b, a, 1, c, 2));
    assert_false(fabric_builder_get_port(b, a, 1)->known);
    add_port(b, a, 1, 0, 0, 0);
    assert_true(fabric_builder_get_port(b, a, 1)->known);
    assert_int_equal(fabric_builder_get_port(b, a, 1)->peer_node, c);
    assert_int_equal(fabric_builder_get_port(b, a, 1)->peer_port, 2);
    add_port(b, c, 1, 0, 0, 0);
    assert_int_equal(fabric_builder_get_port(b, c, 1)->peer_node, FABRIC_NONE);
    fabric_builder_free(b);
}

TEST(a_new_link_cuts_the_old_ones)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t n[4];
    for (uint32_t i = 0; i < 4; i++)
        n[i] = add_node(b, FABRIC_SWITCH, i + 1);
    assert_true(fabric_builder_link(b, n[0], 1, n[1], 1));
    assert_true(fabric_builder_link(b, n[2], 1, n[3], 1));
    assert_true(fabric_builder_link(b, n[0], 1, n[2], 1));
    assert_int_equal(fabric_builder_get_port(b, n[1], 1)->peer_node, FABRIC_NONE);
    assert_int_equal(fabric_builder_get_port(b, n[3], 1)->peer_node, FABRIC_NONE);
    assert_int_equal(fabric_builder_get_port(b, n[2], 1)->peer_node, n[0]);
    assert_true(fabric_builder_link(b, n[2], 1, n[0], 1)); // the same link again
    assert_int_equal(fabric_builder_get_port(b, n[0], 1)->peer_node, n[2]);
    assert_true(fabric_builder_link(b, n[0], 1, n[0], 1)); // a port linked with itself: no link
    assert_int_equal(fabric_builder_get_port(b, n[0], 1)->peer_node, FABRIC_NONE);
    assert_int_equal(fabric_builder_get_port(b, n[2], 1)->peer_node, FABRIC_NONE);
    fabric_builder_free(b);
}

static void mark_down(void *ctx, uint32_t node, struct fabric_port *port)
{
    ++*(unsigned *)ctx;
    if (node == 0)
        port->state = FABRIC_DOWN;
}

TEST(each_port_can_be_changed)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t a = add_node(b, FABRIC_SWITCH, 1), c = add_node(b, FABRIC_SWITCH, 2);
    unsigned count = 0;
    add_port(b, a, 1, 0, 0, 0);
    add_port(b, c, 1, 0, 0, 0);
    fabric_builder_each_port(b, mark_down, &count);
    assert_int_equal(count, 2);
    assert_int_equal(fabric_builder_get_port(b, a, 1)->state, FABRIC_DOWN);
    assert_int_equal(fabric_builder_get_port(b, c, 1)->state, 0);
    fabric_builder_free(b);
}

TEST(services_are_sorted_and_the_latest_counts)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t high = add_node(b, FABRIC_CA, 9), low = add_node(b, FABRIC_CA, 3);
    assert_true(fabric_builder_sm(b, &(struct fabric_sm){.guid = 91, .node = high, .priority = 1}));
    assert_true(fabric_builder_sm(b, &(struct fabric_sm){.guid = 31, .node = low, .priority = 2}));
    assert_true(fabric_builder_sm(b, &(struct fabric_sm){.guid = 91, .node = high, .priority = 3}));
    struct fabric_controller c = {.guid = 5, .node = high, .slot = 2};
    assert_true(fabric_builder_controller(b, &c));
    c.slot = 1;
    assert_true(fabric_builder_controller(b, &c));
    c.node = low;
    assert_true(fabric_builder_controller(b, &c));
    c.guid = 6;
    assert_true(fabric_builder_controller(b, &c));
    struct fabric *f = finish(b);
    assert_int_equal(f->sm_count, 2);
    assert_int_equal(f->sms[0].guid, 31);
    assert_int_equal(f->sms[0].node, 0);
    assert_int_equal(f->sms[1].guid, 91);
    assert_int_equal(f->sms[1].node, 1);
    assert_int_equal(f->sms[1].priority, 3);
    assert_int_equal(f->controller_count, 3);
    assert_int_equal(f->controllers[0].node, 0);
    assert_int_equal(f->controllers[0].guid, 6);
    assert_int_equal(f->controllers[1].slot, 1);
    assert_int_equal(f->controllers[2].slot, 2);
    fabric_unref(f);
}

TEST(references_are_counted)
{
    struct fabric *f = finish(fabric_builder_new());
    assert_ptr_equal(fabric_ref(f), f);
    fabric_unref(f);
    assert_int_equal(f->time_us, 12); // still valid; a sanitizer would report it otherwise
    fabric_unref(f);
}

// Every node, port and link of a larger fabric is found again.
TEST(a_fat_tree_is_whole)
{
    struct generated g = {0};
    generated_fat_tree(&g, 700, 8);
    struct fabric *f = generated_look(&g, 5);
    assert_int_equal(f->node_count, g.count);
    uint32_t links = 0;
    for (uint32_t i = 0; i < g.count; i++) {
        uint32_t node = fabric_find_node(f, g.nodes[i].node.guid);
        assert_int_not_equal(node, FABRIC_NONE);
        assert_string_equal(f->nodes[node].description, g.nodes[i].node.description);
        for (unsigned k = 0; k <= g.nodes[i].node.port_count; k++) {
            const struct fabric_port *made = &g.nodes[i].ports[k].port;
            uint32_t port = fabric_find_port(f, node, (uint8_t)k);
            assert_int_equal(port == FABRIC_NONE, g.nodes[i].ports[k].absent);
            if (port == FABRIC_NONE)
                continue;
            assert_int_equal(fabric_node_of_port(f, port), node);
            if (made->guid != 0)
                assert_int_equal(fabric_find_port_guid(f, made->guid), port);
            if (made->lid != 0)
                assert_int_equal(fabric_find_lid(f, made->lid), port);
            uint32_t peer = fabric_peer(f, port);
            assert_int_equal(peer == FABRIC_NONE, made->peer_node == FABRIC_NONE);
            if (peer == FABRIC_NONE)
                continue;
            links++;
            assert_int_equal(fabric_peer(f, peer), port);
            assert_int_equal(f->nodes[fabric_node_of_port(f, peer)].guid,
                             g.nodes[made->peer_node].node.guid);
        }
    }
    assert_int_equal(links, 2 * (700 + 88 * 8 + 88 * 8));
    fabric_unref(f);
    generated_clear(&g);
}

static void check_rate(uint8_t width, uint16_t speed, const char *expected)
{
    char buf[40];
    struct text t = text_in(buf, sizeof buf);
    fabric_add_rate(&t, width, speed);
    assert_string_equal(buf, expected);
}

TEST(rates_as_people_say_them)
{
    check_rate(1, FABRIC_SDR, "1X SDR (2.5 Gb/s)");
    check_rate(2, FABRIC_SDR, "4X SDR (10 Gb/s)");
    check_rate(2, FABRIC_QDR, "4X QDR (40 Gb/s)");
    check_rate(2, FABRIC_FDR, "4X FDR (56 Gb/s)");
    check_rate(2, FABRIC_EDR, "4X EDR (100 Gb/s)");
    check_rate(16, FABRIC_HDR, "2X HDR (100 Gb/s)");
    check_rate(2, FABRIC_XDR, "4X XDR (800 Gb/s)");
    check_rate(2, FABRIC_FDR10, "4X FDR10 (40 Gb/s)");
    check_rate(16, FABRIC_HDR, "2X HDR (100 Gb/s)");
    check_rate(8, FABRIC_NDR, "12X NDR (1200 Gb/s)");
    check_rate(0, FABRIC_DDR, "? DDR");
    check_rate(4, 0, "8X ?");
    check_rate(3, 3, "? ?");
}

TEST(the_best_that_both_have)
{
    assert_int_equal(fabric_best_width(1 | 2 | 8, 1 | 2), 2);
    assert_int_equal(fabric_best_width(1 | 2 | 16, 1 | 16), 16);
    assert_int_equal(fabric_best_width(2 | 16, 2 | 16), 2); // 4X is wider than 2X
    assert_int_equal(fabric_best_width(1, 2), 0);
    assert_int_equal(fabric_best_speed(31, 7), FABRIC_QDR);
    assert_int_equal(fabric_best_speed(FABRIC_NDR | FABRIC_SDR, FABRIC_HDR | FABRIC_SDR),
                     FABRIC_SDR);
    assert_int_equal(fabric_best_speed(FABRIC_XDR | FABRIC_NDR, FABRIC_XDR | FABRIC_NDR),
                     FABRIC_XDR);
    assert_int_equal(fabric_best_speed(FABRIC_NDR, FABRIC_HDR), 0);
    assert_int_equal(fabric_best_speed(FABRIC_FDR10 | FABRIC_QDR, FABRIC_FDR10 | FABRIC_QDR),
                     FABRIC_FDR10);
    assert_int_equal(fabric_best_speed(FABRIC_FDR10 | FABRIC_FDR, FABRIC_FDR10 | FABRIC_FDR),
                     FABRIC_FDR);
    assert_true(fabric_is_slower(FABRIC_QDR, FABRIC_FDR10));
    assert_true(fabric_is_slower(FABRIC_FDR10, FABRIC_FDR));
    assert_false(fabric_is_slower(FABRIC_FDR, FABRIC_FDR10));
    assert_false(fabric_is_slower(FABRIC_NDR, FABRIC_NDR));
    assert_true(fabric_is_slower(0, FABRIC_SDR));
    assert_false(fabric_is_slower(FABRIC_SDR, 0));
}

TEST(counters_by_name)
{
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        assert_int_equal(counter_find(counter_name(c)), c);
        assert_true(counter_limit(c) >= 15);
    }
    assert_int_equal(counter_find("SymbolError"), COUNTER_SYMBOL_ERROR);
    assert_int_equal(counter_find("RcvErrors"), COUNTER_RCV_ERRORS);
    assert_int_equal(counter_find("PortXmitDiscards"), COUNTER_XMIT_DISCARDS);
    assert_int_equal(counter_find("VL15Dropped"), COUNTER_VL15_DROPPED);
    assert_int_equal(counter_find("symbolerror"), COUNTER_ERRORS);
    assert_int_equal(counter_find("Symbol"), COUNTER_ERRORS);
    assert_int_equal(counter_find(""), COUNTER_ERRORS);
    assert_int_equal(counter_find("Counter"), COUNTER_ERRORS);
    assert_int_equal(counter_find("PortXmitData"), COUNTER_ERRORS); // counts traffic, not errors
    assert_int_equal(counter_limit(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS), 15);
    assert_int_equal(counter_limit(COUNTER_LINK_DOWNED), 255);
    assert_int_equal(counter_limit(COUNTER_SYMBOL_ERROR), 65535);
}

// The inverse of x ^ x >> bits.
static uint64_t unshift(uint64_t word, unsigned bits)
{
    uint64_t x = word;
    for (unsigned done = bits; done < 64; done += bits)
        x = word ^ x >> bits;
    return x;
}

// The inverse of a multiplication by an odd number.
static uint64_t undo_factor(uint64_t word, uint64_t factor)
{
    uint64_t inverse = factor;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - factor * inverse;
    return word * inverse;
}

// GUIDs of a node that knows the hash function, all looked up at the same place: 131,072 took 21 s
// then, in the thread that receives Reports.
TEST(guids_that_somebody_chose_are_found_as_fast_as_others)
{
    struct support_chance chance = {0};
    const struct random random = support_random(&chance);
    fabric_builder_seed(&random);
    struct fabric_builder *b = fabric_builder_new();
    uint32_t count = 0;
    for (uint64_t i = 1; count < 131072; i++) {
        uint64_t key = unshift(i << 20, 32);
        key = unshift(undo_factor(key, UINT64_C(0xD6E8FEB86659FD93)), 29);
        key = unshift(undo_factor(key, UINT64_C(0x9E3779B97F4A7C15)), 31);
        if (key >> 62 != 0)
            continue;
        assert_int_equal(add_node(b, FABRIC_CA, key << 2), count);
        count++;
    }
    fabric_builder_free(b);
}

// 1,024 tables are full of P_Keys; of the two behind them, only the first finds room.
TEST(pkey_tables_without_room_are_counted)
{
    enum { TABLES = FABRIC_PKEYS_MAX / FABRIC_PORT_PKEYS_MAX, NODES = 8, PORTS = TABLES / NODES };
    uint16_t pkeys[FABRIC_PORT_PKEYS_MAX];
    struct fabric_builder *b = fabric_builder_new();
    for (unsigned i = 0; i < COUNT(pkeys); i++)
        pkeys[i] = (uint16_t)(1 + i);
    for (uint32_t node = 0; node < NODES; node++) {
        add_node(b, FABRIC_SWITCH, 1 + node);
        for (uint8_t port = 0; port < PORTS + 2; port++) {
            assert_true(fabric_builder_port(b, node, &(struct fabric_port){.number = port}));
            if (port < PORTS)
                assert_true(fabric_builder_pkeys(b, node, port, pkeys, COUNT(pkeys)));
        }
    }
    assert_false(fabric_builder_pkeys(b, 0, PORTS, pkeys, 1));
    assert_true(fabric_builder_pkeys(b, 0, PORTS + 1, pkeys, 0));
    struct fabric *fabric = fabric_builder_finish(b, 0, 0, true);
    assert_int_equal(fabric->pkey_table_count, TABLES + 1);
    assert_int_equal(fabric->pkey_tables_left_out, 1);
    fabric_unref(fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_fabric),
        cmocka_unit_test(pkey_tables_without_room_are_counted),
        cmocka_unit_test(nodes_and_ports_are_sorted),
        cmocka_unit_test(guids_that_somebody_chose_are_found_as_fast_as_others),
        cmocka_unit_test(lmc_gives_a_port_several_lids),
        cmocka_unit_test(a_node_that_is_there_keeps_its_number_and_values),
        cmocka_unit_test(a_port_set_again_keeps_its_link),
        cmocka_unit_test(a_new_link_cuts_the_old_ones),
        cmocka_unit_test(each_port_can_be_changed),
        cmocka_unit_test(services_are_sorted_and_the_latest_counts),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(a_fat_tree_is_whole),
        cmocka_unit_test(rates_as_people_say_them),
        cmocka_unit_test(the_best_that_both_have),
        cmocka_unit_test(counters_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
