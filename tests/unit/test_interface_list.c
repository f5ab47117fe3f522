// SPDX-License-Identifier: BSD-2-Clause
// The interfaces of the fabric as one device, compared with a list made by trying every number.
#include "generated.h"
#include "support.h"

#include "agent/interface_list.h"

static struct generated g;
static struct fabric *fabric;

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    fabric = NULL;
    generated_clear(&g);
    return 0;
}

// The ifIndex of a port; 0: it is no interface.
static uint32_t wanted(const struct node_number *numbers, size_t n, uint32_t port,
                       enum contexts_of of)
{
    const struct fabric_node *node = &fabric->nodes[fabric_node_of_port(fabric, port)];
    for (size_t i = 0; i < n; i++) {
        if (numbers[i].guid == node->guid && fabric->ports[port].number > 0 &&
            (of == CONTEXTS_ALL || (of == CONTEXTS_SWITCHES && node->type == FABRIC_SWITCH)))
            return numbers[i].number * 1000 + fabric->ports[port].number;
    }
    return 0;
}

static void compare(const struct node_number *given, size_t n, enum contexts_of of)
{
    struct node_numbers *numbers = node_numbers_of(given, n);
    struct interface_list *list = interface_list_make(fabric, numbers, of);
    assert_non_null(list);
    uint32_t count = 0, node, port, found, least = 0;
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        const uint32_t index = wanted(given, n, i, of);
        count += index > 0;
        if (index == 0)
            continue;
        assert_int_equal(interface_list_find(list, fabric, index, &node, &port), index);
        assert_int_equal(port, i);
        assert_int_equal(node, fabric_node_of_port(fabric, i));
    }
    assert_int_equal(list->interfaces, count);
    while ((found = interface_list_find(list, fabric, least, &node, &port)) != 0) {
        assert_true(found >= least);
        assert_int_equal(wanted(given, n, port, of), found);
        count--;
        least = found + 1;
    }
    assert_int_equal(count, 0);
    free(list);
    node_numbers_unref(numbers);
}

TEST(each_port_is_found_and_no_other)
{
    generated_fat_tree(&g, 8, 2);
    generated_add(&g, FABRIC_ROUTER, UINT64_MAX, "router", 2);
    generated_add(&g, FABRIC_SWITCH, 0, "of all ports", 254);
    fabric = generated_look(&g, 0);
    struct node_number *given = calloc(fabric->node_count + 1, sizeof *given);
    assert_non_null(given);
    for (uint32_t i = 0; i < fabric->node_count; i++) // neither in the order of GUIDs, nor all
        given[i] = (struct node_number){3 * (fabric->node_count - i), fabric->nodes[i].guid};
    given[1].number = NODE_NUMBERS_LAST;
    given[0].guid = 1; // a node that is gone
    compare(given, fabric->node_count, CONTEXTS_ALL);
    compare(given, fabric->node_count, CONTEXTS_SWITCHES);
    compare(given, fabric->node_count, CONTEXTS_OFF);
    compare(given, 0, CONTEXTS_ALL);
    free(given);
}

TEST(nothing_is_there_before_a_sweep)
{
    struct interface_list *list = interface_list_make(NULL, NULL, CONTEXTS_ALL);
    assert_non_null(list);
    assert_int_equal(list->interfaces + list->count, 0);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_port_is_found_and_no_other, end),
        cmocka_unit_test_teardown(nothing_is_there_before_a_sweep, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
