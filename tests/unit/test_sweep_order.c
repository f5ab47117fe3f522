// SPDX-License-Identifier: BSD-2-Clause
// The order in which the nodes of a fabric are asked.
#include "generated.h"
#include "support.h"

#include "ib/sweep.h"

static struct generated g;
static struct fabric *fabric;
static uint32_t *order;

static int end(void **state)
{
    (void)state;
    free(order);
    order = NULL;
    fabric_unref(fabric);
    fabric = NULL;
    generated_clear(&g);
    return 0;
}

// Finds the order from that node's first port on; each node has one place in it.
static void find_order(uint32_t own)
{
    fabric = generated_look(&g, 0);
    order = sweep_order_nodes(fabric, generated_port(&g, own, 1)->lid);
    assert_non_null(order);
    bool *there = calloc(fabric->node_count, sizeof *there);
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        assert_in_range(order[i], 0, fabric->node_count - 1);
        assert_false(there[order[i]]);
        there[order[i]] = true;
    }
    free(there);
}

// The place of a node in the order.
static uint32_t place_of(uint32_t node)
{
    const uint32_t at = fabric_find_node(fabric, g.nodes[node].node.guid);
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (order[i] == at)
            return i;
    }
    fail();
    return 0;
}

static uint32_t add(enum fabric_type type, uint32_t at, uint8_t port)
{
    const uint32_t node = generated_add(&g, type, 0, "", type == FABRIC_SWITCH ? 40 : 1);
    if (at != FABRIC_NONE)
        generated_link(&g, node, 1, at, port);
    return node;
}

TEST(branches_take_turns)
{
    const uint32_t own = add(FABRIC_CA, FABRIC_NONE, 0), spine = add(FABRIC_SWITCH, own, 1);
    const uint32_t large = add(FABRIC_SWITCH, spine, 2), small = add(FABRIC_SWITCH, spine, 3);
    uint32_t few[2];
    for (uint8_t i = 0; i < 30; i++)
        add(FABRIC_CA, large, (uint8_t)(2 + i));
    for (uint8_t i = 0; i < 2; i++)
        few[i] = add(FABRIC_CA, small, (uint8_t)(2 + i));
    find_order(own);
    assert_int_equal(place_of(own), 0);
    assert_int_equal(place_of(spine), 1);
    // Not behind all 30 of the other branch.
    assert_in_range(place_of(small), 2, 3);
    assert_in_range(place_of(few[0]), 4, 7);
    assert_in_range(place_of(few[1]), 4, 7);
}

TEST(what_no_link_leads_to_comes_last)
{
    const uint32_t own = add(FABRIC_CA, FABRIC_NONE, 0), leaf = add(FABRIC_SWITCH, own, 1);
    const uint32_t island = add(FABRIC_SWITCH, FABRIC_NONE, 0);
    const uint32_t host = add(FABRIC_CA, leaf, 3);
    find_order(own);
    assert_int_equal(place_of(host), 2);
    assert_int_equal(place_of(island), 3);
}

TEST(an_unknown_own_port_and_an_empty_fabric_are_no_trouble)
{
    add(FABRIC_CA, FABRIC_NONE, 0);
    add(FABRIC_CA, FABRIC_NONE, 0);
    find_order(1);
    free(order);
    order = sweep_order_nodes(fabric, 0x4711);
    assert_non_null(order);
    end(NULL);
    fabric = generated_look(&g, 0);
    order = sweep_order_nodes(fabric, 1);
    assert_non_null(order);
}

TEST(every_node_of_any_fabric_has_one_place)
{
    struct generated_chance chance = {1};
    for (unsigned i = 0; i < 200; i++) {
        generated_random(&g, &chance);
        find_order(generated_below(&chance, g.count));
        end(NULL);
    }
    generated_fat_tree(&g, 2000, 18);
    find_order(g.count - 1);
}

// A switch that makes up a chain of switches, or a switch with all other switches behind it.
TEST(a_chain_without_end_takes_no_longer_than_its_length)
{
    uint32_t last = add(FABRIC_SWITCH, FABRIC_NONE, 0);
    const uint32_t own = last;
    for (unsigned i = 0; i < 50000; i++)
        last = add(FABRIC_SWITCH, last, 2);
    add(FABRIC_CA, own, 3);
    fabric = generated_look(&g, 0);
    order = sweep_order_nodes(fabric, 0xFFFF);
    assert_non_null(order);
}

int main(void)
{
#define ORDERED(name) cmocka_unit_test_teardown(name, end)
    const struct CMUnitTest tests[] = {
        ORDERED(branches_take_turns),
        ORDERED(what_no_link_leads_to_comes_last),
        ORDERED(an_unknown_own_port_and_an_empty_fabric_are_no_trouble),
        ORDERED(every_node_of_any_fabric_has_one_place),
        ORDERED(a_chain_without_end_takes_no_longer_than_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
