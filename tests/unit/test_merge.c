// SPDX-License-Identifier: BSD-2-Clause
// What is kept of nodes that sweeps do not find any more, when a switch makes up nodes: the switch
// shows other nodes behind another port in each sweep, while its other ports do not answer.
#include "support.h"

#include "model/fabric_builder.h"
#include "topology/topology.h"

enum {
    LEAF = 0x100,
    FAR_LEAF = 0x70000000, // behind all others in order
    FAR_HOSTS = 20,        // at FAR_LEAF; their GUIDs follow its
    LIAR = 0x200,
    MADE_UP = 0x1000000, // and up: what the liar shows; round * MADE_UP and up
    PER_SWITCH = 250,
};

struct round {
    uint32_t number; // 0: the liar does not lie
    uint32_t place;  // of what it makes up; 0: as `number`
    uint32_t hosts;  // that it makes up
    uint8_t slots;   // controllers of each of those
    uint8_t port,
        ports;       // each of these nodes has a number of further ports, from a first number on
    bool far_hidden; // FAR_LEAF does not answer
    bool far_gone;   // the cable of FAR_LEAF is unplugged
};

static struct topology *topology;
static struct changes changes;

static int begin(void **state)
{
    (void)state;
    topology = topology_new(NULL, &random_system, NULL);
    return topology ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    changes_clear(&changes);
    topology_free(topology);
    return 0;
}

static uint32_t add(struct fabric_builder *b, enum fabric_type type, uint64_t guid)
{
    const struct fabric_node node = {.guid = guid, .type = (uint8_t)type, .port_count = 254};
    uint32_t number = fabric_builder_node(b, &node);
    assert_true(number != FABRIC_NONE);
    return number;
}

static void set_port(struct fabric_builder *b, uint32_t node, uint8_t number, bool up)
{
    const struct fabric_port port = {.number = number,
                                     .known = true,
                                     .silent = up,
                                     .state = up ? FABRIC_ACTIVE : FABRIC_DOWN,
                                     .peer_node = FABRIC_NONE};
    assert_true(fabric_builder_port(b, node, &port));
}

static void add_link(struct fabric_builder *b, uint32_t a, uint8_t port_a, uint32_t c,
                     uint8_t port_c)
{
    set_port(b, a, port_a, false);
    set_port(b, c, port_c, false);
    fabric_builder_get_port(b, a, port_a)->state = FABRIC_ACTIVE;
    fabric_builder_get_port(b, c, port_c)->state = FABRIC_ACTIVE;
    assert_true(fabric_builder_link(b, a, port_a, c, port_c));
}

static void add_controllers(struct fabric_builder *b, uint32_t host, const struct round *round)
{
    for (uint8_t slot = 1; slot <= round->slots; slot++) {
        const struct fabric_controller controller = {.guid = slot, .node = host, .slot = slot};
        assert_true(fabric_builder_controller(b, &controller));
    }
}

static void add_ports(struct fabric_builder *b, uint32_t host, const struct round *round)
{
    for (uint8_t i = 0; i < round->ports; i++)
        set_port(b, host, (uint8_t)(round->port + i), false);
}

// A root behind one port of the liar, switches at the root, and hosts at these.
static void add_lies(struct fabric_builder *b, uint32_t liar, const struct round *round)
{
    uint64_t guid = (uint64_t)round->number * MADE_UP;
    uint32_t root = add(b, FABRIC_SWITCH, guid++), at = root;
    for (uint8_t port = 2; port < 254; port++)
        set_port(b, liar, port, true);
    add_link(b, liar, (uint8_t)(2 + (round->place ? round->place : round->number)), root, 254);
    for (uint32_t i = 0; i < round->hosts; i++) {
        if (i % PER_SWITCH == 0) {
            at = add(b, FABRIC_SWITCH, guid++);
            add_link(b, root, (uint8_t)(1 + i / PER_SWITCH), at, 254);
        }
        uint32_t host = add(b, FABRIC_CA, guid++);
        add_link(b, at, (uint8_t)(1 + i % PER_SWITCH), host, 1);
        add_controllers(b, host, round);
        add_ports(b, host, round);
    }
}

static struct fabric *look(const struct round *round)
{
    struct fabric_builder *b = fabric_builder_new();
    assert_non_null(b);
    uint32_t leaf = add(b, FABRIC_SWITCH, LEAF), liar = add(b, FABRIC_SWITCH, LIAR);
    add_link(b, leaf, 1, liar, 1);
    set_port(b, leaf, 2, !round->far_gone);
    if (!round->far_hidden && !round->far_gone) {
        uint32_t far_leaf = add(b, FABRIC_SWITCH, FAR_LEAF);
        add_link(b, leaf, 2, far_leaf, 1);
        for (uint8_t i = 1; i <= FAR_HOSTS; i++)
            add_link(b, far_leaf, (uint8_t)(1 + i), add(b, FABRIC_CA, FAR_LEAF + i), 1);
    }
    if (round->number > 0)
        add_lies(b, liar, round);
    bool complete = round->number == 0 && !round->far_hidden;
    struct fabric *seen = fabric_builder_finish(b, SUPPORT_UTC_US, 0, complete);
    assert_non_null(seen);
    return seen;
}

// The fabric after a sweep; unref it.
static struct fabric *update(const struct round *round)
{
    bool late;
    changes_clear(&changes);
    topology_update(topology, look(round), &changes, &late);
    return topology_current(topology);
}

static void update_only(const struct round *round)
{
    fabric_unref(update(round));
}

static unsigned count_of_far(const struct fabric *fabric)
{
    unsigned count = 0;
    for (uint64_t i = 0; i <= FAR_HOSTS; i++)
        count += fabric_find_node(fabric, FAR_LEAF + i) != FABRIC_NONE;
    return count;
}

TEST(what_is_made_up_does_not_pile_up)
{
    update_only(&(struct round){0});
    for (uint32_t i = 1; i <= 20; i++) {
        const struct round round = {.number = i, .hosts = 500};
        struct fabric *fabric = update(&round);
        assert_true(fabric->node_count <= 600 + 1024);
        assert_true(fabric_find_node(fabric, i * (uint64_t)MADE_UP) != FABRIC_NONE);
        fabric_unref(fabric);
    }
    struct fabric *fabric = update(&(struct round){0});
    assert_int_equal(fabric->node_count, 3 + FAR_HOSTS);
    fabric_unref(fabric);
}

TEST(made_up_nodes_never_cost_a_sweep)
{
    update_only(&(struct round){0});
    for (uint32_t i = 1; i <= 16; i++) {
        const struct round round = {.number = i, .hosts = 20000};
        update_only(&round);
    }
}

TEST(made_up_controllers_never_cost_a_sweep)
{
    update_only(&(struct round){0});
    for (uint32_t i = 1; i <= 20; i++) {
        const struct round round = {.number = i, .hosts = 20, .slots = 200};
        update_only(&round);
    }
}

TEST(ports_of_missing_nodes_do_not_pile_up)
{
    for (uint32_t i = 1; i <= 20; i++) {
        struct fabric *fabric =
            update(&(struct round){.number = i, .hosts = 500, .port = 2, .ports = 60});
        assert_true(fabric->port_count <= 2 * (500 * 61 + 1000));
        fabric_unref(fabric);
    }
}

// The same hosts have other ports in each sweep.
TEST(ports_of_nodes_that_are_found_do_not_pile_up)
{
    for (uint32_t i = 1; i <= 20; i++) {
        const struct round round = {
            .number = 1, .place = i, .hosts = 500, .port = (uint8_t)(10 * i), .ports = 10};
        struct fabric *fabric = update(&round);
        assert_true(fabric->port_count <= 500 * 11 + 1000 + 16384);
        fabric_unref(fabric);
    }
}

static void lie(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        struct fabric *fabric =
            update(&(struct round){.number = i, .hosts = 900, .far_hidden = true});
        assert_int_equal(count_of_far(fabric), 1 + FAR_HOSTS);
        fabric_unref(fabric);
    }
}

// They are hidden before, or while, a switch fills the room.
TEST(nodes_of_a_complete_sweep_stay)
{
    update_only(&(struct round){0});
    update_only(&(struct round){.far_hidden = true});
    lie(1, 20);
}

TEST(nodes_that_are_known_for_longer_stay)
{
    const uint32_t begun = 8;
    for (uint32_t i = 1; i <= begun; i++)
        update_only(&(struct round){.number = i, .hosts = 900});
    lie(begun + 1, begun + 20);
}

// Many nodes that are hidden are no lie.
TEST(there_is_room_for_a_whole_fabric)
{
    const struct round all = {.number = 1, .hosts = 5000}, none = {.number = 2, .far_hidden = true};
    for (unsigned i = 0; i < 4; i++)
        update_only(&all); // no sweep is complete
    for (unsigned i = 0; i < 4; i++) {
        struct fabric *fabric = update(&none);
        assert_true(fabric->node_count > 5000 + FAR_HOSTS);
        fabric_unref(fabric);
    }
}

TEST(a_node_without_room_is_told_as_removed)
{
    update_only(&(struct round){0});
    bool removed = false;
    for (uint32_t i = 1; i <= 4; i++) {
        update_only(&(struct round){.number = i, .hosts = 900});
        for (uint32_t k = 0; k < changes.count; k++)
            removed |= changes.all[k].type == CATALOGUE_HOST_REMOVED;
    }
    assert_true(removed);
}

TEST(who_is_unplugged_is_gone_all_the_same)
{
    update_only(&(struct round){0});
    for (uint32_t i = 1; i <= 3; i++)
        update_only(&(struct round){.number = i, .hosts = 900, .far_gone = true});
    struct fabric *fabric = topology_current(topology);
    assert_int_equal(count_of_far(fabric), 0);
    fabric_unref(fabric);
}

TEST(a_restored_fabric_has_room_again)
{
    struct fabric *fabric = look(&(struct round){.number = 1, .hosts = 5000});
    topology_restore(topology, fabric);
    for (unsigned i = 0; i < TOPOLOGY_BASE_SWEEPS_MAX + 2; i++)
        update_only(&(struct round){.number = 2, .far_hidden = true});
    fabric = topology_current(topology);
    assert_true(fabric->node_count > 5000);
    assert_int_equal(count_of_far(fabric), 1 + FAR_HOSTS);
    fabric_unref(fabric);
}

#define MERGE_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MERGE_TEST(what_is_made_up_does_not_pile_up),
        MERGE_TEST(made_up_nodes_never_cost_a_sweep),
        MERGE_TEST(made_up_controllers_never_cost_a_sweep),
        MERGE_TEST(ports_of_missing_nodes_do_not_pile_up),
        MERGE_TEST(ports_of_nodes_that_are_found_do_not_pile_up),
        MERGE_TEST(nodes_of_a_complete_sweep_stay),
        MERGE_TEST(nodes_that_are_known_for_longer_stay),
        MERGE_TEST(there_is_room_for_a_whole_fabric),
        MERGE_TEST(a_node_without_room_is_told_as_removed),
        MERGE_TEST(who_is_unplugged_is_gone_all_the_same),
        MERGE_TEST(a_restored_fabric_has_room_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
