// SPDX-License-Identifier: BSD-2-Clause
// What a node is called that has no name of its own, in the sentences of events.
#include "generated.h"
#include "support.h"
#include "support_clock.h"

#include "event/event_builder.h"
#include "topology/changes.h"
#include "topology/describe.h"

#include <stdlib.h>

// A leaf with a name, an unmanaged switch, hosts that boot, and what is not a host.
struct scene {
    struct generated g;
    uint32_t leaf, other, booting, behind, lone, inside, router, named;
    struct names *names;
};

static struct scene make_scene(void)
{
    struct scene s = {0};
    struct error err;
    static const char MAP[] = "0x60 mapped\n0x71 port1\n";
    s.leaf = generated_add(&s.g, FABRIC_SWITCH, 0x10, "leaf3", 40);
    s.other =
        generated_add(&s.g, FABRIC_SWITCH, 0x98039b0300abcdef, "Quantum Mellanox Technologies", 40);
    s.booting = generated_add(&s.g, FABRIC_CA, 0x20, "MT4129 ConnectX7   Mellanox Technologies", 2);
    s.behind = generated_add(&s.g, FABRIC_CA, 0x30, "MT25408 ConnectX Mellanox Technologies", 1);
    s.lone = generated_add(&s.g, FABRIC_CA, 0x0002c90300123456, "", 1);
    s.inside = generated_add(&s.g, FABRIC_CA, 0x40, "Mellanox Technologies Aggregation Node", 1);
    s.router = generated_add(&s.g, FABRIC_ROUTER, 0x50, "", 1);
    s.named = generated_add(&s.g, FABRIC_CA, 0x70, "gpu17 mlx5_3", 1);
    generated_add(&s.g, FABRIC_CA, 0x60, "MT25408 ConnectX Mellanox Technologies", 1);
    s.g.nodes[s.leaf].node.system_guid = s.g.nodes[s.inside].node.system_guid = 0x10;
    generated_link(&s.g, s.leaf, 1, s.other, 2);
    generated_link(&s.g, s.leaf, 12, s.booting, 1);
    generated_link(&s.g, s.leaf, 13, s.booting, 2);
    generated_link(&s.g, s.other, 7, s.behind, 1);
    generated_link(&s.g, s.leaf, 40, s.inside, 1);
    generated_link(&s.g, s.leaf, 20, s.router, 1);
    generated_link(&s.g, s.leaf, 21, s.named, 1);
    s.names = names_parse("map", MAP, sizeof MAP - 1, &err);
    return s;
}

static void end_scene(struct scene *s)
{
    names_unref(s->names);
    generated_clear(&s->g);
}

static void assert_called(const struct fabric *fabric, uint64_t guid, uint8_t number,
                          const struct names *names, const char *expected)
{
    char text[NAMES_NAME_SIZE];
    struct endpoint who;
    const uint32_t node = fabric_find_node(fabric, guid);
    const uint32_t port = number > 0 ? fabric_find_port(fabric, node, number) : FABRIC_NONE;
    assert_string_equal(describe_label(fabric, node, port, names, text), expected);
    if (port != FABRIC_NONE)
        describe_port(fabric, port, names, &who);
    else
        describe_node(fabric, node, names, &who);
    assert_string_equal(who.name, expected);
}

TEST(a_node_without_a_name_is_called_by_its_place)
{
    struct scene s = make_scene();
    struct fabric *fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x20, 0, s.names, "host at leaf3 port 12");
    assert_called(fabric, 0x20, 1, s.names, "host at leaf3 port 12");
    assert_called(fabric, 0x20, 2, s.names, "host at leaf3 port 13");
    assert_called(fabric, 0x40, 1, s.names, "aggregation node at leaf3 port 40");
    assert_called(fabric, 0x50, 0, s.names, "router at leaf3 port 20");
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(a_node_without_a_place_is_called_by_its_guid)
{
    struct scene s = make_scene();
    struct fabric *fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x98039b0300abcdef, 0, s.names, "switch ..abcdef");
    assert_called(fabric, 0x98039b0300abcdef, 7, s.names, "switch ..abcdef");
    assert_called(fabric, 0x30, 0, s.names, "host ..000030");
    assert_called(fabric, 0x0002c90300123456, 0, s.names, "host ..123456");
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(a_name_of_its_own_counts)
{
    struct scene s = make_scene();
    struct fabric *fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x10, 12, s.names, "leaf3");
    assert_called(fabric, 0x60, 0, s.names, "mapped");
    assert_called(fabric, 0x60, 0, NULL, "host ..000060");
    assert_called(fabric, 0x70, 1, s.names, "port1");
    assert_called(fabric, 0x70, 1, NULL, "gpu17 mlx5_3");
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(namesakes_are_told_apart)
{
    struct scene s = make_scene();
    const uint32_t first = generated_add(&s.g, FABRIC_CA, 0x80, "ubuntu mlx5_0", 1);
    const uint32_t second = generated_add(&s.g, FABRIC_CA, 0x90, "ubuntu mlx5_0", 1);
    generated_add(&s.g, FABRIC_CA, 0xA0, "storage1", 1); // both adapters have the host's name
    generated_add(&s.g, FABRIC_CA, 0xB0, "storage1", 1);
    generated_add(&s.g, FABRIC_SWITCH, 0xC1, "core", 1); // of one box, then of another
    generated_add(&s.g, FABRIC_SWITCH, 0xC2, "core", 1);
    s.g.nodes[s.g.count - 1].node.system_guid = s.g.nodes[s.g.count - 2].node.system_guid = 0xC0;
    generated_link(&s.g, s.leaf, 25, first, 1);
    generated_link(&s.g, s.leaf, 26, second, 1);
    struct fabric *fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x80, 1, NULL, "ubuntu mlx5_0 at leaf3 port 25");
    assert_called(fabric, 0x90, 0, NULL, "ubuntu mlx5_0 at leaf3 port 26");
    assert_called(fabric, 0xA0, 0, NULL, "storage1");
    assert_called(fabric, 0xC1, 0, NULL, "core");
    fabric_unref(fabric);
    s.g.nodes[s.g.count - 1].node.system_guid = 0xC9;
    fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0xC1, 0, NULL, "core ..0000c1");
    assert_called(fabric, 0xC2, 0, NULL, "core ..0000c2");
    fabric_unref(fabric);
    s.g.nodes[second].node.silent = true; // the former adapter of the host
    fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x80, 1, NULL, "ubuntu mlx5_0");
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(many_hosts_of_one_name_have_none)
{
    struct scene s = make_scene();
    for (uint64_t i = 0; i < 33; i++)
        generated_add(&s.g, FABRIC_CA, 0x100 + i, "node", 1);
    struct fabric *fabric = generated_look(&s.g, 0);
    assert_called(fabric, 0x101, 0, NULL, "node ..000101");
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(the_configuration_refuses_names)
{
    static const char REFUSED[][NAMES_NAME_SIZE] = {"nothing", "gpu1? mlx*"};
    struct scene s = make_scene();
    struct fabric *fabric = generated_look(&s.g, 0);
    struct names *names = names_with(s.names, NULL, REFUSED, 2);
    assert_called(fabric, 0x70, 0, names, "port1"); // the map names its port
    names_unref(names);
    names = names_with(NULL, NULL, REFUSED, 2);
    assert_called(fabric, 0x70, 0, names, "host at leaf3 port 21");
    assert_called(fabric, 0x10, 0, names, "leaf3");
    char *octets;
    size_t size;
    FILE *out = open_memstream(&octets, &size);
    names_pack(names, out);
    fclose(out);
    names_unref(names);
    names = names_unpack((const uint8_t *)octets, size);
    assert_called(fabric, 0x70, 0, names, "host at leaf3 port 21");
    free(octets);
    names_unref(names);
    fabric_unref(fabric);
    end_scene(&s);
}

TEST(nodes_without_a_name_are_counted)
{
    struct scene s = make_scene();
    struct fabric *fabric = generated_look(&s.g, 0);
    struct systems *systems = systems_make(fabric, &(struct systems_names){0});
    assert_int_equal(describe_count_nameless(systems, NULL), 6); // not the aggregation node
    assert_int_equal(describe_count_nameless(systems, s.names), 5);
    systems_unref(systems);
    fabric_unref(fabric);
    end_scene(&s);
}

// Compares the fabric before and after its change. Asserts the sentence of the event of that type.
static void assert_told(struct scene *s, struct fabric *before, enum catalogue_event type,
                        const char *expected)
{
    struct changes changes = {0};
    struct fabric *after = generated_look(&s->g, 0);
    const struct event_builder builder = {
        .clock = &SUPPORT_STOPPED, .random = &SUPPORT_SAME, .names = s->names};
    uint32_t i = 0;
    changes_between(before, after, s->names, &changes);
    while (i < changes.count && changes.all[i].type != type)
        i++;
    assert_true(i < changes.count);
    struct event *event = event_builder_from_change(&builder, &changes.all[i], false, NULL, NULL);
    assert_string_equal(event->text, expected);
    event_unref(event);
    changes_clear(&changes);
    fabric_unref(after);
    fabric_unref(before);
}

TEST(sentences_say_where_it_hangs)
{
    struct scene s = make_scene();
    struct fabric *before = generated_look(&s.g, 0);
    generated_unlink(&s.g, s.leaf, 12);
    assert_told(
        &s, before, CATALOGUE_LINK_DOWN,
        "Port 12 of leaf3 (LID 1) to port 1 of the host at leaf3 port 12 (LID 3) went down.");
    before = generated_look(&s.g, 0);
    generated_remove(&s.g, s.booting);
    assert_told(
        &s, before, CATALOGUE_HOST_REMOVED,
        "Host at leaf3 port 13 (LID 3) left the fabric; it hung on port 13 of leaf3 (LID 1).");
    before = generated_look(&s.g, 0);
    generated_remove(&s.g, s.other);
    generated_remove(&s.g, s.behind);
    assert_told(&s, before, CATALOGUE_SWITCH_REMOVED,
                "Switch ..abcdef (LID 2) left the fabric; with it went 1 node: host ..000030.");
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_without_a_name_is_called_by_its_place),
        cmocka_unit_test(a_node_without_a_place_is_called_by_its_guid),
        cmocka_unit_test(a_name_of_its_own_counts),
        cmocka_unit_test(namesakes_are_told_apart),
        cmocka_unit_test(many_hosts_of_one_name_have_none),
        cmocka_unit_test(the_configuration_refuses_names),
        cmocka_unit_test(nodes_without_a_name_are_counted),
        cmocka_unit_test(sentences_say_where_it_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
