// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "support.h"

#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "topology/diff.h"

static void count_item(void *ctx, const struct diff_item *item)
{
    (void)item;
    ++*(unsigned *)ctx;
}

static unsigned count(const struct fabric *a, const struct fabric *b)
{
    unsigned items = 0;
    diff_fabrics(a, b, count_item, &items);
    return items;
}

// Rebuilds a fabric from its predecessor and the differences: applies each difference to `before`,
// and copies from `after` only the values that a difference names.
struct apply {
    const struct fabric *before, *after;
    bool *node_gone, *port_gone, *sm_gone, *controller_gone; // elements of `before`
    uint32_t *node_new, *port_new,
        *sm_new; // for each index of `before`: the index of `after` that replaces it
    bool *added_nodes, *added_ports, *added_sms, *added_controllers; // of `after`
};

static void *array(uint32_t count, size_t size)
{
    void *memory = calloc(count + 1u, size);
    assert_non_null(memory);
    return memory;
}

static uint32_t *indices(uint32_t count)
{
    uint32_t *out = array(count, sizeof *out);
    memset(out, 0xFF, count * sizeof *out);
    return out;
}

static void apply_item(void *ctx, const struct diff_item *item)
{
    struct apply *a = ctx;
    switch (item->kind) {
    case DIFF_NODE_REMOVED:
        a->node_gone[item->before] = true;
        break;
    case DIFF_NODE_ADDED:
        a->added_nodes[item->after] = true;
        break;
    case DIFF_NODE_ALTERED:
        a->node_new[item->before] = item->after;
        break;
    case DIFF_PORT_REMOVED:
        a->port_gone[item->before] = true;
        assert_int_equal(item->before_node, fabric_node_of_port(a->before, item->before));
        break;
    case DIFF_PORT_ADDED:
        a->added_ports[item->after] = true;
        assert_int_equal(item->after_node, fabric_node_of_port(a->after, item->after));
        break;
    case DIFF_PORT_ALTERED:
        a->port_new[item->before] = item->after;
        break;
    case DIFF_SM_REMOVED:
        a->sm_gone[item->before] = true;
        break;
    case DIFF_SM_ADDED:
        a->added_sms[item->after] = true;
        break;
    case DIFF_SM_ALTERED:
        a->sm_new[item->before] = item->after;
        break;
    case DIFF_CONTROLLER_REMOVED:
        a->controller_gone[item->before] = true;
        break;
    case DIFF_CONTROLLER_ADDED:
        a->added_controllers[item->after] = true;
        break;
    }
}

static void put_link(struct fabric_builder *b, const struct fabric *from, uint32_t node,
                     const struct fabric_port *port)
{
    if (port->peer_node == FABRIC_NONE)
        return;
    uint32_t number = fabric_builder_find(b, from->nodes[node].guid);
    uint32_t peer = fabric_builder_find(b, from->nodes[port->peer_node].guid);
    assert_int_not_equal(peer, FABRIC_NONE); // otherwise a remaining link has no peer
    assert_true(fabric_builder_link(b, number, port->number, peer, port->peer_port));
}

// Calls the function for each port of the result, with the port's source.
static void each_port(const struct apply *a,
                      void (*put)(struct fabric_builder *b, const struct fabric *from,
                                  uint32_t node, const struct fabric_port *port),
                      struct fabric_builder *b)
{
    for (uint32_t i = 0; i < a->before->port_count; i++) {
        uint32_t node = fabric_node_of_port(a->before, i), new = a->port_new[i];
        if (a->port_gone[i] || a->node_gone[node])
            continue;
        if (new == FABRIC_NONE)
            put(b, a->before, node, &a->before->ports[i]);
        else
            put(b, a->after, fabric_node_of_port(a->after, new), &a->after->ports[new]);
    }
    for (uint32_t i = 0; i < a->after->port_count; i++) {
        uint32_t node = fabric_node_of_port(a->after, i);
        if (a->added_ports[i] || a->added_nodes[node])
            put(b, a->after, node, &a->after->ports[i]);
    }
}

static void put_port(struct fabric_builder *b, const struct fabric *from, uint32_t node,
                     const struct fabric_port *port)
{
    uint32_t number = fabric_builder_find(b, from->nodes[node].guid);
    assert_true(fabric_builder_port(b, number, port));
}

static void put_nodes(struct fabric_builder *b, const struct apply *a)
{
    for (uint32_t i = 0; i < a->before->node_count; i++) {
        uint32_t new = a->node_new[i];
        if (!a->node_gone[i])
            fabric_builder_node(b,
                                new == FABRIC_NONE ? &a->before->nodes[i] : &a->after->nodes[new]);
    }
    for (uint32_t i = 0; i < a->after->node_count; i++) {
        if (a->added_nodes[i])
            fabric_builder_node(b, &a->after->nodes[i]);
    }
}

static void put_sm(struct fabric_builder *b, const struct fabric *from, uint32_t index)
{
    struct fabric_sm sm = from->sms[index];
    sm.node = fabric_builder_find(b, from->nodes[sm.node].guid);
    assert_int_not_equal(sm.node, FABRIC_NONE);
    assert_true(fabric_builder_sm(b, &sm));
}

static void put_controller(struct fabric_builder *b, const struct fabric *from, uint32_t index)
{
    struct fabric_controller controller = from->controllers[index];
    controller.node = fabric_builder_find(b, from->nodes[controller.node].guid);
    assert_int_not_equal(controller.node, FABRIC_NONE);
    assert_true(fabric_builder_controller(b, &controller));
}

static void put_services(struct fabric_builder *b, const struct apply *a)
{
    for (uint32_t i = 0; i < a->before->sm_count; i++) {
        bool altered = a->sm_new[i] != FABRIC_NONE;
        if (!a->sm_gone[i])
            put_sm(b, altered ? a->after : a->before, altered ? a->sm_new[i] : i);
    }
    for (uint32_t i = 0; i < a->after->sm_count; i++) {
        if (a->added_sms[i])
            put_sm(b, a->after, i);
    }
    for (uint32_t i = 0; i < a->before->controller_count; i++) {
        if (!a->controller_gone[i])
            put_controller(b, a->before, i);
    }
    for (uint32_t i = 0; i < a->after->controller_count; i++) {
        if (a->added_controllers[i])
            put_controller(b, a->after, i);
    }
}

static struct fabric *apply_diff(const struct fabric *before, const struct fabric *after)
{
    struct apply a = {
        .before = before,
        .after = after,
        .node_gone = array(before->node_count, sizeof(bool)),
        .port_gone = array(before->port_count, sizeof(bool)),
        .sm_gone = array(before->sm_count, sizeof(bool)),
        .controller_gone = array(before->controller_count, sizeof(bool)),
        .node_new = indices(before->node_count),
        .port_new = indices(before->port_count),
        .sm_new = indices(before->sm_count),
        .added_nodes = array(after->node_count, sizeof(bool)),
        .added_ports = array(after->port_count, sizeof(bool)),
        .added_sms = array(after->sm_count, sizeof(bool)),
        .added_controllers = array(after->controller_count, sizeof(bool)),
    };
    void *memory[] = {a.node_gone,   a.port_gone, a.sm_gone,          a.controller_gone,
                      a.node_new,    a.port_new,  a.sm_new,           a.added_nodes,
                      a.added_ports, a.added_sms, a.added_controllers};
    struct fabric_builder *b = fabric_builder_new();
    diff_fabrics(before, after, apply_item, &a);
    put_nodes(b, &a);
    each_port(&a, put_port, b);
    each_port(&a, put_link, b);
    put_services(b, &a);
    for (size_t i = 0; i < COUNT(memory); i++)
        free(memory[i]);
    return fabric_builder_finish(b, after->time_us, after->subnet_prefix, after->complete);
}

static bool equal(const struct fabric *a, const struct fabric *b)
{
    size_t size_a, size_b;
    uint8_t *x = fabric_record_write(a, &size_a), *y = fabric_record_write(b, &size_b);
    bool same = size_a == size_b && memcmp(x, y, size_a) == 0;
    free(x);
    free(y);
    return same;
}

static void check_pair(struct fabric *a, struct fabric *b)
{
    struct fabric *applied = apply_diff(a, b);
    assert_true(equal(applied, b));
    assert_int_equal(count(applied, b), 0);
    assert_int_equal(count(a, b) == 0, equal(a, b));
    fabric_unref(applied);
}

static uint64_t failing_seed;

static int tell_seed(void **state)
{
    (void)state;
    if (failing_seed != 0)
        print_error("the seed was %llu\n", (unsigned long long)failing_seed);
    failing_seed = 0;
    return 0;
}

static void mutate_and_check(struct generated *g, struct generated_chance *chance)
{
    struct fabric *a = generated_look(g, generated_next(chance));
    generated_mutate(g, chance);
    struct fabric *b = generated_look(g, generated_next(chance));
    check_pair(a, b);
    check_pair(b, a);
    fabric_unref(a);
    fabric_unref(b);
}

TEST(applied_to_the_first_it_gives_the_second)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        failing_seed = seed;
        generated_random(&g, &chance);
        for (unsigned i = 0; i < 4; i++)
            mutate_and_check(&g, &chance);
        generated_clear(&g);
    }
    failing_seed = 0;
}

TEST(and_so_with_fat_trees)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        failing_seed = seed;
        generated_fat_tree(&g, 100 + generated_below(&chance, 100), 4);
        for (unsigned i = 0; i < 4; i++)
            mutate_and_check(&g, &chance);
        generated_clear(&g);
    }
    failing_seed = 0;
}

TEST(and_with_fabrics_that_have_nothing_in_common)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0}, h = {0};
        failing_seed = seed;
        generated_random(&g, &chance);
        generated_random(&h, &chance);
        struct fabric *a = generated_look(&g, 0), *b = generated_look(&h, 0);
        struct fabric *nothing =
            fabric_builder_finish(fabric_builder_new(), 0, b->subnet_prefix, true);
        check_pair(a, b);
        check_pair(a, nothing);
        check_pair(nothing, b);
        fabric_unref(a);
        fabric_unref(b);
        fabric_unref(nothing);
        generated_clear(&g);
        generated_clear(&h);
    }
    failing_seed = 0;
}

TEST(the_order_of_discovery_makes_no_difference)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        failing_seed = seed;
        generated_random(&g, &chance);
        struct fabric *a = generated_look(&g, 0), *b = generated_look(&g, generated_next(&chance));
        b->time_us = 99;
        b->complete = false;
        assert_int_equal(count(a, b), 0);
        fabric_unref(a);
        fabric_unref(b);
        generated_clear(&g);
    }
    failing_seed = 0;
}

struct one {
    unsigned items;
    struct diff_item first, last;
};

static void keep_item(void *ctx, const struct diff_item *item)
{
    struct one *one = ctx;
    if (one->items++ == 0)
        one->first = *item;
    one->last = *item;
}

static struct one difference(struct generated *g, struct fabric *a)
{
    struct one one = {0};
    struct fabric *b = generated_look(g, 0);
    diff_fabrics(a, b, keep_item, &one);
    fabric_unref(b);
    return one;
}

// A change of any single value is a difference.
#define ALTERS(field)                                                                              \
    do {                                                                                           \
        (field) ^= 1;                                                                              \
        struct one one = difference(&g, a);                                                        \
        assert_int_equal(one.items, 1);                                                            \
        assert_int_equal(one.first.kind, expected);                                                \
        (field) ^= 1;                                                                              \
    } while (0)

TEST(every_value_counts)
{
    struct generated g = {0};
    uint32_t sw = generated_add(&g, FABRIC_SWITCH, 10, "s", 4);
    uint32_t host = generated_add(&g, FABRIC_CA, 20, "h", 2);
    generated_link(&g, sw, 1, host, 1);
    generated_sm(&g, host, 1, 4, FABRIC_MASTER);
    struct fabric *a = generated_look(&g, 0);
    struct fabric_node *node = &g.nodes[host].node;
    enum diff_kind expected = DIFF_NODE_ALTERED;
    ALTERS(node->system_guid);
    ALTERS(node->type);
    ALTERS(node->vendor);
    ALTERS(node->device);
    ALTERS(node->revision);
    ALTERS(node->silent);
    ALTERS(node->description[0]);
    struct fabric_port *port = generated_port(&g, sw, 1);
    expected = DIFF_PORT_ALTERED;
    ALTERS(port->known);
    ALTERS(port->silent);
    ALTERS(port->guid);
    ALTERS(port->lid);
    ALTERS(port->lmc);
    ALTERS(port->state);
    ALTERS(port->physical);
    ALTERS(port->width_active);
    ALTERS(port->width_enabled);
    ALTERS(port->width_supported);
    ALTERS(port->speed_active);
    ALTERS(port->speed_enabled);
    ALTERS(port->speed_supported);
    ALTERS(port->capabilities);
    expected = DIFF_SM_ALTERED;
    ALTERS(g.sms[0].port);
    ALTERS(g.sms[0].lid);
    ALTERS(g.sms[0].priority);
    ALTERS(g.sms[0].state);
    assert_int_equal(difference(&g, a).items, 0);
    fabric_unref(a);
    generated_clear(&g);
}

// Parallel links: only the recabled link differs, at four ports.
TEST(what_only_tables_show_does_not_count)
{
    struct generated g = {0};
    generated_fat_tree(&g, 16, 2);
    struct fabric *before = generated_look(&g, 0);
    struct fabric_port *port = generated_port(&g, 0, 1);
    port->gid_prefix = 5;
    fabric_set_port_info(port, PORT_INFO_PKEY_VIOLATIONS, 7);
    g.nodes[0].node.base_version = g.nodes[0].node.class_version = 1;
    struct fabric *after = generated_look(&g, 0);
    assert_int_equal(count(before, after), 0);
    fabric_unref(before);
    fabric_unref(after);
    generated_clear(&g);
}

TEST(a_link_is_its_two_ports)
{
    struct generated g = {0};
    uint32_t a = generated_add(&g, FABRIC_SWITCH, 10, "a", 4);
    uint32_t b = generated_add(&g, FABRIC_SWITCH, 20, "b", 4);
    generated_link(&g, a, 1, b, 1);
    generated_link(&g, a, 2, b, 2);
    struct fabric *before = generated_look(&g, 0);
    generated_link(&g, a, 1, b, 2);
    generated_link(&g, a, 2, b, 1);
    struct one one = difference(&g, before);
    assert_int_equal(one.items, 4);
    assert_int_equal(one.first.kind, DIFF_PORT_ALTERED);
    assert_int_equal(before->ports[one.first.before].number, 1);
    fabric_unref(before);
    generated_clear(&g);
}

#define WITH_SEED(test) cmocka_unit_test_teardown(test, tell_seed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SEED(applied_to_the_first_it_gives_the_second),
        WITH_SEED(and_so_with_fat_trees),
        WITH_SEED(and_with_fabrics_that_have_nothing_in_common),
        WITH_SEED(the_order_of_discovery_makes_no_difference),
        cmocka_unit_test(every_value_counts),
        cmocka_unit_test(what_only_tables_show_does_not_count),
        cmocka_unit_test(a_link_is_its_two_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
