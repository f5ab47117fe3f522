// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/fabric_builder.h"
#include "model/systems.h"
#include "topology/topology.h"

#include <stdlib.h>

// The nodes to be put into a snapshot: one word of letters names the expected system of each.
struct made_node {
    enum fabric_type type;
    uint64_t system_guid;
    const char *description;
    const char *system; // the same for nodes of one system, and no other
    bool silent;
};

static struct fabric *build(const struct made_node *nodes, size_t count, int64_t time_us)
{
    struct fabric_builder *builder = fabric_builder_new();
    for (size_t i = 0; i < count; i++) {
        struct fabric_node node = {.guid = 0x1000 + i,
                                   .system_guid = nodes[i].system_guid,
                                   .type = (uint8_t)nodes[i].type,
                                   .port_count = 1,
                                   .silent = nodes[i].silent};
        snprintf(node.description, sizeof node.description, "%s", nodes[i].description);
        fabric_builder_node(builder, &node);
    }
    return fabric_builder_finish(builder, time_us, 0, true);
}

static struct systems *make(const struct made_node *nodes, size_t count,
                            const struct filter_list *patterns)
{
    struct fabric *fabric = build(nodes, count, 1);
    struct systems *systems = systems_make(fabric, &(struct systems_names){.patterns = patterns});
    fabric_unref(fabric);
    return systems;
}

static void check_parts(const struct systems *systems)
{
    uint32_t nodes = 0;
    for (uint32_t s = 0; s < systems->count; s++) {
        const struct system *system = &systems->all[s];
        assert_true(system->count > 0);
        assert_int_equal(system->first, nodes);
        for (uint32_t i = 0; i < system->count; i++) {
            assert_int_equal(systems->of[systems->parts[nodes + i]], s);
            assert_true(i == 0 || systems->parts[nodes + i] > systems->parts[nodes + i - 1]);
        }
        nodes += system->count;
    }
    assert_int_equal(nodes, systems->fabric->node_count);
}

static void check_systems(const struct systems *systems, const struct made_node *nodes,
                          size_t count)
{
    check_parts(systems);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const bool same = strcmp(nodes[i].system, nodes[j].system) == 0;
            if (same != (systems->of[i] == systems->of[j]))
                fail_msg("%s and %s: %d", nodes[i].description, nodes[j].description, !same);
        }
    }
}

#define CHECK(nodes, patterns) check(nodes, COUNT(nodes), patterns)

static struct systems *check(const struct made_node *nodes, size_t count,
                             const struct filter_list *patterns)
{
    struct systems *systems = make(nodes, count, patterns);
    check_systems(systems, nodes, count);
    return systems;
}

static const char *name(const struct systems *systems, uint32_t node)
{
    return systems_of(systems, node)->name;
}

TEST(hosts_by_their_names)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0x10, "gpu17 mlx5_0", "gpu17", false},
        {FABRIC_CA, 0x11, "n101 HCA-1", "n101", false},
        {FABRIC_CA, 0x12, "gpu17 mlx5_7", "gpu17", false},
        {FABRIC_CA, 0x13, "gpu1 mlx5_7", "gpu1", false},
        {FABRIC_CA, 0x14, "n101 HCA-2", "n101", false},
        {FABRIC_CA, 0, "a07-p1-dgx-03-c14 HCA-2", "dgx", false},
        {FABRIC_CA, 0, "a07-p1-dgx-03-c14 HCA-1", "dgx", false},
        {FABRIC_CA, 0, "storage1", "storage1", false},
        {FABRIC_CA, 0, "storage1", "storage1", false},
    };
    struct systems *systems = CHECK(NODES, NULL);
    assert_int_equal(systems->count, 5);
    assert_string_equal(name(systems, 2), "gpu17");
    assert_string_equal(name(systems, 1), "n101");
    assert_string_equal(name(systems, 5), "a07-p1-dgx-03-c14");
    assert_string_equal(name(systems, 8), "storage1");
    assert_false(systems_of(systems, 0)->is_box);
    assert_int_equal(systems_of(systems, 2)->guid, 0x1000);
    systems_unref(systems);
}

TEST(boxes_by_their_guids)
{
    static const struct made_node NODES[] = {
        {FABRIC_SWITCH, 0x100, "MF0;core1:CS8500/L01/U1", "core1", false},
        {FABRIC_CA, 0x100, "Mellanox Technologies Aggregation Node", "core1", false},
        {FABRIC_SWITCH, 0x100, "MF0;core1:CS8500/S01/U1", "core1", false},
        {FABRIC_SWITCH, 0x101, "MF0;leaf4:MQM8700/U1", "leaf4", false},
        {FABRIC_CA, 0x101, "Mellanox Technologies Aggregation Node", "leaf4", false},
        {FABRIC_SWITCH, 0x102, "Quantum Mellanox Technologies", "unmanaged1", false},
        {FABRIC_SWITCH, 0x103, "Quantum Mellanox Technologies", "unmanaged2", false},
        {FABRIC_SWITCH, 0, "Voltaire 4036 # 4036-1", "voltaire1", false},
        {FABRIC_SWITCH, 0, "Voltaire 4036 # 4036-2", "voltaire2", false},
    };
    struct systems *systems = CHECK(NODES, NULL);
    assert_string_equal(name(systems, 2), "core1");
    assert_string_equal(name(systems, 4), "leaf4");
    assert_string_equal(name(systems, 5), "");
    assert_string_equal(name(systems, 7), "Voltaire 4036 # 4036-1");
    assert_true(systems_of(systems, 1)->is_box);
    assert_int_equal(systems_of(systems, 1)->guid, 0x100);
    systems_unref(systems);
}

TEST(names_of_the_factory_neither_join_nor_split)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0x20, "MT4129 ConnectX7   Mellanox Technologies", "a", false},
        {FABRIC_CA, 0x21, "MT4129 ConnectX7   Mellanox Technologies", "b", false},
        {FABRIC_CA, 0x22, "MT4129 ConnectX7   Mellanox Technologies", "card", false},
        {FABRIC_CA, 0x22, "MT4129 ConnectX7   Mellanox Technologies", "card", false},
        {FABRIC_CA, 0x23, "gpu1 mlx5_0", "gpu1", false},
        {FABRIC_CA, 0x23, "MT4129 ConnectX7   Mellanox Technologies", "gpu1", false},
        {FABRIC_CA, 0, "localhost mlx5_0", "c", false},
        {FABRIC_CA, 0, "localhost mlx5_1", "d", false},
        {FABRIC_CA, 0, "", "e", false},
        {FABRIC_CA, 0, "", "f", false},
    };
    struct systems *systems = CHECK(NODES, NULL);
    assert_string_equal(name(systems, 5), "gpu1");
    assert_string_equal(name(systems, 2), "");
    systems_unref(systems);
}

TEST(a_card_of_several_hosts)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0x30, "blade1 mlx5_0", "blade1", false},
        {FABRIC_CA, 0x30, "blade2 mlx5_0", "blade2", false},
        {FABRIC_CA, 0x30, "MT4129 ConnectX7   Mellanox Technologies", "nobody", false},
    };
    systems_unref(CHECK(NODES, NULL));
}

TEST(a_name_of_several_machines_joins_none)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0, "ubuntu mlx5_0", "a", false}, {FABRIC_CA, 0, "ubuntu mlx5_0", "b", false},
        {FABRIC_CA, 0, "ubuntu mlx5_1", "c", false}, {FABRIC_CA, 0, "n1 mlx5_0", "n1", false},
        {FABRIC_CA, 0, "n1 mlx5_0", "n1", true}, // an adapter that was replaced
        {FABRIC_CA, 0, "n1 mlx5_1", "n1", false},
    };
    struct systems *systems = CHECK(NODES, NULL);
    assert_string_equal(name(systems, 1), "ubuntu mlx5_0");
    systems_unref(systems);
}

TEST(patterns_of_the_configuration)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0, "n1-ib0", "n1", false},
        {FABRIC_CA, 0, "n1-ib1", "n1", false},
        {FABRIC_CA, 0, "n2 mlx5_0", "n2 mlx5_0", false}, // no pattern fits
        {FABRIC_CA, 0, "n2 mlx5_1", "n2 mlx5_1", false},
        {FABRIC_SWITCH, 0x40, "leaf1-ib0", "leaf1", false},
    };
    struct filter_list patterns = {.patterns = {"%h-%d"}, .count = 1};
    struct systems *systems = CHECK(NODES, &patterns);
    assert_string_equal(name(systems, 0), "n1");
    assert_string_equal(name(systems, 3), "n2 mlx5_1");
    assert_string_equal(name(systems, 4), "leaf1");
    systems_unref(systems);
}

TEST(bounds)
{
    enum { MACHINES = 1500, RAILS = 8, NODES = MACHINES * RAILS };
    struct made_node *nodes = calloc(NODES, sizeof *nodes);
    char(*names)[32] = calloc(NODES, sizeof *names);
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = (struct made_node){FABRIC_CA, 0, names[i], "", false};
        snprintf(names[i], sizeof names[i], "gpu%zu mlx5_%zu", i % MACHINES, i / MACHINES);
    }
    struct systems *systems = make(nodes, NODES, NULL);
    check_parts(systems);
    assert_int_equal(systems->count, MACHINES);
    assert_int_equal(systems->too_large, 0);
    systems_unref(systems);

    for (size_t i = 0; i < NODES; i++)
        strcpy(names[i], "one");
    systems = make(nodes, NODES, NULL);
    check_parts(systems);
    assert_int_equal(systems->count, NODES);
    assert_int_equal(systems->too_large, 1);
    assert_string_equal(systems->too_large_first, "one");
    systems_unref(systems);

    for (size_t i = 0; i < NODES; i++)
        nodes[i] = (struct made_node){FABRIC_SWITCH, i < 1000 ? 0x50 : 0x51, "", "", false};
    systems = make(nodes, NODES, NULL);
    check_parts(systems);
    assert_int_equal(systems->all[0].count, 1000);
    assert_int_equal(systems->count, 1 + NODES - 1000);
    assert_string_equal(systems->too_large_first, "0x0000000000000051");
    systems_unref(systems);
    free(names);
    free(nodes);
}

TEST(the_last_good_name_outlives_a_boot)
{
    static const struct made_node BEFORE[] = {
        {FABRIC_CA, 0x10, "gpu1 mlx5_0", "gpu1", false},
        {FABRIC_CA, 0x11, "gpu1 mlx5_1", "gpu1", false},
        {FABRIC_CA, 0x12, "gpu2 mlx5_0", "gpu2", false},
    };
    static const struct made_node BOOTING[] = {
        {FABRIC_CA, 0x10, "gpu1 mlx5_0", "gpu1", false},
        {FABRIC_CA, 0x11, "MT4129 ConnectX7   Mellanox Technologies", "gpu1", false},
        {FABRIC_CA, 0x12, "MT4129 ConnectX7   Mellanox Technologies", "gpu2", false},
    };
    static const struct made_node *const SWEEPS[] = {BEFORE, BOOTING, BEFORE};
    struct topology *topology = topology_new(NULL, &random_system, NULL);
    assert_null(topology_systems(topology));
    for (int64_t i = 0; i < 3; i++) {
        struct changes changes = {0};
        bool late;
        topology_update(topology, build(SWEEPS[i], 3, i + 1), &changes, &late);
        changes_clear(&changes);
        struct systems *systems = topology_systems(topology);
        check_systems(systems, SWEEPS[i], 3);
        assert_string_equal(name(systems, 1), "gpu1");
        assert_string_equal(name(systems, 2), "gpu2");
        systems_unref(systems);
    }
    topology_free(topology);
}

// Three hosts, of which the first has two adapters.
TEST(events_know_the_systems_of_their_nodes)
{
    static const struct made_node NODES[] = {
        {FABRIC_CA, 0x10, "gpu1 mlx5_0", "gpu1", false},
        {FABRIC_CA, 0x11, "gpu1 mlx5_1", "gpu1", false},
        {FABRIC_CA, 0x12, "gpu2 mlx5_0", "gpu2", false},
    };
    struct topology *topology = topology_new(NULL, &random_system, NULL);
    struct changes changes = {0};
    bool late;
    topology_update(topology, build(NODES, 3, 1), &changes, &late);
    topology_update(topology, build(NODES, 1, 2), &changes, &late);
    assert_int_equal(changes.count, 2);
    assert_string_equal(changes.all[0].subject.system, "gpu1");
    assert_string_equal(changes.all[1].subject.system, "gpu2");
    changes_clear(&changes);

    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    event->subject.node_guid = 0x1000;
    topology_add_other_names(topology, event);
    assert_string_equal(event->subject.system, "gpu1");
    event_unref(event);
    struct endpoint found;
    assert_true(topology_find_guid(topology, 0x1000, &found));
    assert_string_equal(found.system, "gpu1");
    topology_free(topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_by_their_names),
        cmocka_unit_test(boxes_by_their_guids),
        cmocka_unit_test(names_of_the_factory_neither_join_nor_split),
        cmocka_unit_test(a_card_of_several_hosts),
        cmocka_unit_test(a_name_of_several_machines_joins_none),
        cmocka_unit_test(patterns_of_the_configuration),
        cmocka_unit_test(bounds),
        cmocka_unit_test(the_last_good_name_outlives_a_boot),
        cmocka_unit_test(events_know_the_systems_of_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
