// SPDX-License-Identifier: BSD-2-Clause
// How many messages hosts and boxes cause that leave and return, and what the messages say: for a
// receiver that hears of systems, and for one that hears of each part. The oracle knows the systems
// by construction, and a receiver's alarms by the keys of the events that the receiver gets.
#include "plant_fixture.h"

#include "base/wire.h"
#include "model/filter.h"
#include "model/notice.h"
#include "pipeline/correlator.h"
#include "sink/audience.h"

enum { RAILS_MAX = 8, HOSTS_MAX = 40, KEYS_MAX = 4096 };

static uint32_t rails, hosts;
static uint32_t leaf[RAILS_MAX], adapter[HOSTS_MAX][RAILS_MAX];

// Receivers.

struct listener {
    struct filter filter;
    int64_t through; // the last event that it looked at
    size_t messages; // since the last count
    char last[EVENT_TEXT_SIZE];
    char keys[KEYS_MAX][EVENT_KEY_SIZE]; // of raised alarms
    size_t key_count;
};

static struct listener of_systems, of_parts;

static void listener_begin(struct listener *l, bool each_part)
{
    memset(l, 0, sizeof *l);
    filter_init(&l->filter);
    l->filter.each_part = each_part;
}

static size_t listener_find(const struct listener *l, const char *key)
{
    size_t i = 0;
    while (i < l->key_count && strcmp(l->keys[i], key) != 0)
        i++;
    return i;
}

static void listener_take(struct listener *l, const struct event *event)
{
    const enum alarm_role role = event_alarm(event);
    const size_t at = listener_find(l, event->alarm_key);
    l->messages++;
    strcpy(l->last, event->text);
    if (role == ALARM_RAISES && at == l->key_count)
        strcpy(l->keys[l->key_count++], event->alarm_key);
    if (role == ALARM_CLEARS && at < l->key_count)
        memmove(l->keys[at], l->keys[--l->key_count], EVENT_KEY_SIZE);
}

// Takes the new events. Returns how many the receiver got.
static size_t listen_to(struct listener *l)
{
    const struct audience audience = {.filter = &l->filter, .journal = journal, .handle = -1};
    l->messages = 0;
    for (; l->through < journal_last(journal); l->through++) {
        struct event *event = journal_find(journal, l->through + 1);
        assert_non_null(event);
        if (audience_refusal(&audience, event) == NULL)
            listener_take(l, event);
        event_unref(event);
    }
    return l->messages;
}

static void check_heard(size_t by_systems, size_t by_parts)
{
    assert_int_equal(listen_to(&of_systems), by_systems);
    assert_int_equal(listen_to(&of_parts), by_parts);
}

static void check_messages(size_t by_systems, size_t by_parts)
{
    sweep();
    check_heard(by_systems, by_parts);
}

// Whatever receivers get then.
static void sweep_and_listen(void)
{
    sweep();
    listen_to(&of_systems);
    listen_to(&of_parts);
}

#define CHECK_LAST(sentence)  assert_string_equal(of_systems.last, sentence)
#define CHECK_BEGIN(sentence) assert_memory_equal(of_systems.last, sentence, strlen(sentence))

static int begin_listening(void **state)
{
    plant_policy.has_filters = true;
    plant_begin(state);
    listener_begin(&of_systems, false);
    listener_begin(&of_parts, true);
    return 0;
}

// Fabrics.

// Hosts with an adapter on each leaf; the leaves hang on the core by two cables.
static void add_rails(uint32_t rail_count, uint32_t host_count)
{
    rails = rail_count;
    hosts = host_count;
    for (uint32_t r = 0; r < rails; r++) {
        char name[32];
        snprintf(name, sizeof name, "leaf%u", r + 1);
        leaf[r] = add_node(FABRIC_SWITCH, name, HOSTS_MAX + 2);
        plant_connect(0, (uint8_t)(2 * r + 1), leaf[r], HOSTS_MAX + 1);
        plant_connect(0, (uint8_t)(2 * r + 2), leaf[r], HOSTS_MAX + 2);
    }
    for (uint32_t h = 0; h < hosts; h++) {
        for (uint32_t r = 0; r < rails; r++) {
            char name[32];
            snprintf(name, sizeof name, "gpu%u mlx5_%u", h + 1, r);
            adapter[h][r] = add_node(FABRIC_CA, name, 1);
            plant_connect(leaf[r], (uint8_t)(h + 1), adapter[h][r], 1);
        }
    }
    sweep_and_listen();
}

static void turn(uint32_t host, bool is_off)
{
    for (uint32_t r = 0; r < rails; r++)
        off[adapter[host][r]] = is_off;
}

static void check_cycles(void)
{
    for (uint32_t h = 0; h < hosts; h++) {
        turn(h, true);
        check_messages(1, rails);
        turn(h, false);
        check_messages(1, rails);
        assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    }
}

TEST(a_host_of_eight_adapters_is_one_message)
{
    add_rails(8, 5);
    check_cycles();
    turn(2, true);
    check_messages(1, 8);
    CHECK_LAST("Host gpu3 left the fabric, with all 8 adapters.");
    assert_int_equal(count_alarms(), 16); // the truth: each adapter, and each of its links
    turn(2, false);
    check_messages(1, 8);
    CHECK_LAST("Host gpu3 joined the fabric, with all 8 adapters.");
}

TEST(hosts_of_other_sizes)
{
    add_rails(4, 5);
    check_cycles();
}

TEST(a_host_of_one_adapter)
{
    add_rails(1, 3);
    check_cycles();
    turn(0, true);
    check_messages(1, 1);
    CHECK_BEGIN("Host gpu1 mlx5_0 (LID ");
}

TEST(one_adapter_of_eight)
{
    add_rails(8, 3);
    off[adapter[1][3]] = true;
    check_messages(1, 1);
    CHECK_LAST("1 of 8 adapters of gpu2 (mlx5_3, port 2 of leaf4) left the fabric.");
    off[adapter[1][3]] = false;
    check_messages(1, 1);
    CHECK_LAST("1 of 8 adapters of gpu2 (mlx5_3, port 2 of leaf4) joined the fabric.");
}

TEST(three_adapters_of_eight)
{
    add_rails(8, 3);
    for (uint32_t r = 2; r < 5; r++)
        off[adapter[1][r]] = true;
    check_messages(1, 3);
    CHECK_BEGIN("3 of 8 adapters of gpu2 left the fabric; gpu2 mlx5_");
    assert_non_null(strstr(of_systems.last, "gpu2 mlx5_3 on port 2 of leaf4"));
    off[adapter[1][2]] = off[adapter[1][3]] = off[adapter[1][4]] = false;
    check_messages(1, 3);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

static void check_soon(size_t by_systems, size_t by_parts)
{
    sweep_for(2 * CLOCK_US_PER_S);
    check_heard(by_systems, by_parts);
}

// One alarm grows, and is told once again when it says more.
TEST(adapters_that_leave_one_after_the_other)
{
    add_rails(8, 3);
    off[adapter[1][3]] = true;
    check_messages(1, 1);
    off[adapter[1][5]] = off[adapter[1][6]] = true;
    check_messages(1, 2);
    CHECK_BEGIN("3 of 8 adapters of gpu2 left the fabric; gpu2 mlx5_3, gpu2 mlx5_");
    off[adapter[1][6]] = false;
    check_messages(0, 0); // it waits for the others
    check_messages(0, 1);
    off[adapter[1][7]] = true;
    check_messages(1, 1);
    CHECK_BEGIN("3 of 8 adapters of gpu2 left the fabric; gpu2 mlx5_3, ");
    stop_pipeline();
    plant_start();
    turn(1, true);
    check_messages(1, 5);
    CHECK_LAST("Host gpu2 left the fabric, with all 8 adapters.");
    assert_int_equal(of_systems.key_count, 1);
    turn(1, false);
    check_messages(1, 8);
    CHECK_LAST("Host gpu2 joined the fabric, with all 8 adapters.");
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    for (uint32_t r = 1; r < rails; r++)
        off[adapter[1][r]] = true;
    check_messages(1, 7);
    off[adapter[1][0]] = true;
    check_messages(1, 1);
    CHECK_LAST("Host gpu2 left the fabric, with all 8 adapters.");
    off[adapter[1][2]] = off[adapter[1][4]] = false;
    check_messages(0, 0);
    sweep_and_listen();
    off[adapter[1][4]] = true;
    check_messages(1, 1);
    CHECK_BEGIN("7 of 8 adapters of gpu2 left the fabric; gpu2 mlx5_");
}

TEST(a_host_that_leaves_over_several_sweeps_is_one_message)
{
    add_rails(8, 3);
    for (int cycle = 0; cycle < 3; cycle++) {
        off[adapter[1][3]] = true;
        check_soon(0, 0);
        off[adapter[1][5]] = off[adapter[1][6]] = true;
        check_soon(0, 2);
        turn(1, true);
        check_soon(1, 6);
        CHECK_LAST("Host gpu2 left the fabric, with all 8 adapters.");
        check_messages(0, 0);
        turn(1, false);
        check_messages(1, 8);
        CHECK_LAST("Host gpu2 joined the fabric, with all 8 adapters.");
        assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    }
}

// The alarm waits for the other adapters of the host, and is told all the same.
TEST(an_adapter_that_leaves_alone_is_told_in_ten_seconds)
{
    add_rails(8, 3);
    off[adapter[1][3]] = true;
    check_soon(0, 0);
    pass_time(8 * CLOCK_US_PER_S);
    check_heard(1, 1);
    CHECK_LAST("1 of 8 adapters of gpu2 (mlx5_3, port 2 of leaf4) left the fabric.");
    off[adapter[1][3]] = false;
    check_soon(1, 1);
    off[adapter[1][4]] = true; // for two seconds
    check_soon(0, 0);
    off[adapter[1][4]] = false;
    check_soon(2, 2);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    off[adapter[1][4]] = true;
    check_soon(0, 0);
    stop_pipeline();
    reopen_journal();
    plant_start();
    check_soon(1, 1);
    off[adapter[1][5]] = true; // the alarm would grow
    check_soon(0, 1);
    stop_pipeline();
    reopen_journal();
    plant_start();
    check_soon(1, 0);
    CHECK_BEGIN("2 of 8 adapters of gpu2 left the fabric; ");
}

// An adapter's cable comes up later than another's.
TEST(a_host_that_returns_over_several_sweeps_is_one_message)
{
    add_rails(8, 3);
    turn(1, true);
    check_messages(1, 8);
    for (uint32_t r = 0; r < rails; r++) {
        check_soon(0, 0);
        off[adapter[1][r]] = false;
    }
    check_soon(1, 8);
    CHECK_LAST("Host gpu2 joined the fabric, with all 8 adapters.");
    for (uint32_t r = 0; r < 3; r++)
        off[adapter[2][r]] = true;
    check_messages(1, 3);
    off[adapter[2][0]] = off[adapter[2][2]] = false;
    check_soon(0, 0);
    off[adapter[2][1]] = false;
    check_soon(1, 3);
    CHECK_BEGIN("3 of 8 adapters of gpu3 joined the fabric; ");
    check_messages(0, 0);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// Passes time, and lets the pipeline find what is due.
static void pass_in_full(int64_t us)
{
    pass_time(us);
    for (int i = 0; i < 2 * PIPELINE_BATCH_MAX; i++)
        pass_time(0);
}

TEST(a_new_host_that_joins_over_several_sweeps_is_one_message)
{
    add_rails(8, 3);
    turn(1, true);
    stop_pipeline(); // nothing knows gpu2 any more
    parts_end();
    parts_begin(NULL);
    of_systems.through = of_parts.through = 0;
    plant_start();
    sweep_and_listen();
    for (uint32_t r = 0; r < rails; r++) {
        off[adapter[1][r]] = false;
        sweep_for(CLOCK_US_PER_S - 1);
        check_heard(0, 0);
    }
    const size_t before = sweeps_wanted; // the wait is over: a sweep can tell
    pass_in_full(0);
    assert_int_equal(sweeps_wanted, before);
    pass_in_full(8);
    assert_int_equal(sweeps_wanted, before + 1);
    check_soon(1, 8);
    CHECK_LAST("Host gpu2 joined the fabric, with all 8 adapters.");
}

TEST(a_new_host_that_waits_is_told_after_a_restart)
{
    add_rails(4, 2);
    const uint32_t other = add_node(FABRIC_CA, "gpu9 mlx5_0", 1);
    plant_connect(leaf[0], 9, other, 1);
    check_soon(0, 0);
    off[adapter[1][0]] = true; // the sweep is saved
    check_soon(0, 0);
    stop_pipeline();
    reopen_journal();
    restore_topology();
    plant_start();
    check_soon(2, 2);
    CHECK_BEGIN("Host gpu9 mlx5_0 (LID ");

    assert_non_null(strstr(of_systems.last, "while ibtrapd was away"));
}

TEST(a_host_that_returns_without_an_adapter)
{
    add_rails(8, 2);
    for (uint32_t missing = 0; missing < rails; missing++) {
        char expected[EVENT_TEXT_SIZE];
        turn(1, true);
        check_messages(1, 8);
        turn(1, false);
        off[adapter[1][missing]] = true;
        check_messages(0, 0); // the others wait for it
        sweep();
        assert_int_equal(listen_to(&of_systems), 2); // the end of one alarm, the begin of another
        listen_to(&of_parts);
        snprintf(expected, sizeof expected,
                 "1 of 8 adapters of gpu2 (mlx5_%u, port 2 of leaf%u) left the fabric; it is still "
                 "missing.",
                 missing, missing + 1);
        assert_int_equal(of_systems.key_count, 1);
        assert_int_equal(of_parts.key_count, 1);
        assert_string_equal(of_systems.keys[0], node_key(adapter[1][missing]));
        assert_string_equal(of_parts.keys[0], node_key(adapter[1][missing]));
        if (missing > 0)
            CHECK_LAST(expected);
        sweep();
        assert_int_equal(listen_to(&of_systems) + listen_to(&of_parts), 0);
        off[adapter[1][missing]] = false;
        check_messages(1, 1);
        assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    }
}

// The state of an adapter's link.
static void set_state(uint32_t host, uint32_t rail, uint8_t state)
{
    for (size_t i = 0; i < cable_count; i++) {
        if (cables[i].b == adapter[host][rail])
            cables[i].state = state;
    }
}

static void set_states(uint32_t host, uint8_t state)
{
    for (uint32_t r = 0; r < rails; r++)
        set_state(host, r, state);
}

// The subnet manager makes the links ACTIVE one after the other.
static void return_slowly(uint32_t host)
{
    turn(host, false);
    set_states(host, FABRIC_INITIALIZE);
    for (uint32_t r = 0; r < rails; r++) {
        check_soon(0, 0);
        set_state(host, r, FABRIC_ACTIVE);
    }
    check_soon(1, rails);
    CHECK_LAST("Host gpu2 joined the fabric, with all 8 adapters.");
}

TEST(a_host_that_becomes_active_over_several_sweeps)
{
    add_rails(8, 3);
    turn(1, true);
    check_messages(1, 8);
    return_slowly(1);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
    turn(2, true); // and does not come to rest
    check_messages(1, 8);
    turn(2, false);
    set_states(2, FABRIC_INITIALIZE);
    check_messages(0, 0);
    check_messages(0, 0);
    turn(1, true);
    sweep_and_listen();
    return_slowly(1);
}

TEST(what_does_not_become_active_is_told_after_a_while)
{
    add_rails(8, 3);
    turn(1, true);
    check_messages(1, 8);
    turn(1, false);
    set_state(1, 5, FABRIC_INITIALIZE);
    check_messages(0, 0);
    sweep_and_listen();
    assert_int_equal(of_systems.key_count, 1);
    assert_string_equal(of_systems.keys[0], node_key(adapter[1][5]));
    assert_int_equal(of_parts.key_count, 1);
    CHECK_LAST("1 of 8 adapters of gpu2 (mlx5_5, port 2 of leaf6) left the fabric; it is still "
               "missing.");
    set_state(1, 5, FABRIC_ACTIVE);
    check_messages(1, 1);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// The subnet manager ignores the host, or hangs.
TEST(a_host_whose_links_carry_nothing_is_one_message)
{
    add_rails(8, 3);
    set_states(1, FABRIC_INITIALIZE);
    check_messages(0, 0);
    check_messages(0, 0);
    sweep();
    assert_int_equal(listen_to(&of_systems), 1);
    assert_non_null(strstr(of_systems.last,
                           ": both ends are in state Init, in 3 sweeps in a row; 7 "
                           "more links of the host are not active either: port 2 "
                           "of leaf"));
    assert_non_null(strstr(of_systems.last, " and 2 more."));
    sweep();
    assert_int_equal(listen_to(&of_systems), 0);
    set_states(1, FABRIC_ACTIVE);
    sweep();
    assert_int_equal(listen_to(&of_systems), 1);
    assert_int_equal(count_alarms(), 0);
    set_state(2, 3, FABRIC_INITIALIZE); // one by one
    set_state(2, 4, FABRIC_INITIALIZE);
    sweep_and_listen();
    sweep_and_listen();
    set_state(2, 5, FABRIC_INITIALIZE);
    sweep();
    assert_int_equal(listen_to(&of_systems), 1);
    for (uint32_t r = 3; r < 5; r++) {
        sweep_and_listen();
        sweep_and_listen();
        set_state(2, r, FABRIC_ACTIVE);
    }
    sweep_and_listen();
    sweep_and_listen();
    sweep_and_listen();
    assert_int_equal(of_systems.key_count, 1);
    set_state(2, 5, FABRIC_ACTIVE);
    sweep_and_listen();
    assert_int_equal(count_alarms(), 0);
}

TEST(a_leaf_that_dies_takes_a_rail_of_each_host)
{
    add_rails(8, 18);
    off[leaf[3]] = true;
    check_messages(1, 1);
    CHECK_BEGIN("Switch leaf4 (LID 5) left the fabric; 18 hosts lost one of their adapters: gpu");
    assert_non_null(strstr(of_systems.last, ": gpu1, gpu2, gpu3, gpu4, gpu5, gpu6, gpu7, gpu8, "));
    assert_non_null(strstr(of_systems.last, ", gpu17, gpu18."));
    off[leaf[3]] = false;
    check_messages(1, 1);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

TEST(hosts_of_one_adapter_go_with_their_leaf)
{
    add_rails(1, 3);
    off[leaf[0]] = true;
    check_messages(1, 1);
    CHECK_BEGIN("Switch leaf1 (LID 2) left the fabric; with it went 3 nodes: gpu");
}

// A director of line cards and spines, with an aggregation node at each ASIC.
TEST(a_box_is_one_message)
{
    enum { ASICS = 6 };
    uint32_t asic[ASICS], node[ASICS];
    for (uint32_t i = 0; i < ASICS; i++) {
        char name[64];
        snprintf(name, sizeof name, "MF0;core1:CS8500/%c%02u/U1", i < 4 ? 'L' : 'S', i % 4 + 1);
        asic[i] = add_node(FABRIC_SWITCH, name, 20);
        node[i] = add_node(FABRIC_CA, "Mellanox Technologies Aggregation Node", 1);
        plant.nodes[asic[i]].node.system_guid = plant.nodes[node[i]].node.system_guid = 0x5000;
        plant_connect(asic[i], 20, node[i], 1);
    }
    for (uint32_t i = 0; i < 4; i++) {
        plant_connect(0, (uint8_t)(i + 1), asic[i], 19);
        plant_connect(asic[i], 1, asic[4], (uint8_t)(i + 1));
        plant_connect(asic[i], 2, asic[5], (uint8_t)(i + 1));
    }
    sweep_and_listen();
    for (uint32_t i = 0; i < ASICS; i++)
        off[asic[i]] = true;
    check_messages(1, 4); // the two spines hang on the line cards alone
    CHECK_LAST("Switch core1 left the fabric, with all 6 ASICs.");
    for (uint32_t i = 0; i < ASICS; i++)
        off[asic[i]] = false;
    check_messages(1, 4);
    CHECK_LAST("Switch core1 joined the fabric, with all 6 ASICs.");
    off[asic[1]] = true;
    check_messages(1, 1);
    CHECK_LAST("1 of 6 ASICs of core1 (CS8500/L02/U1) left the fabric.");
    off[asic[1]] = false;
    check_messages(1, 1);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

TEST(parts_of_a_box_that_take_hosts_along)
{
    uint32_t asic[3];
    for (uint32_t i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "core1 L%u", i + 1);
        asic[i] = add_node(FABRIC_SWITCH, name, 4);
        plant.nodes[asic[i]].node.system_guid = 0x5000;
        plant_connect(0, (uint8_t)(i + 1), asic[i], 4);
    }
    plant_connect(asic[1], 1, add_node(FABRIC_CA, "db7", 1), 1);
    sweep_and_listen();
    off[asic[1]] = off[asic[2]] = true;
    check_messages(1, 2);
    assert_non_null(strstr(of_systems.last, "core1 L3 on port 3 of core"));
    assert_non_null(strstr(of_systems.last, "; with it went 1 node: db7"));
}

TEST(a_card_of_two_ports)
{
    add_rails(2, 3);
    for (uint32_t h = 0; h < hosts; h++) {
        plant.nodes[adapter[h][1]].node.system_guid = plant.nodes[adapter[h][0]].node.system_guid;
        for (uint32_t r = 0; r < rails && h == 0; r++)
            generated_rename(&plant, adapter[h][r], "MT4129 ConnectX7   Mellanox Technologies");
    }
    sweep_and_listen();
    check_cycles();
}

TEST(a_host_with_a_new_name_is_one_message)
{
    char name[32];
    add_rails(8, 3);
    for (uint32_t r = 0; r < rails; r++) {
        snprintf(name, sizeof name, "db7 mlx5_%u", r);
        generated_rename(&plant, adapter[1][r], name);
    }
    check_messages(1, 8);
    CHECK_BEGIN("db7 mlx5_");
    assert_non_null(strstr(of_systems.last, "; the old one was gpu2 mlx5_"));
    assert_non_null(strstr(of_systems.last, ", and 7 more adapters of db7 have a new name."));
    generated_rename(&plant, adapter[0][4], "db7 mlx5_8"); // an adapter of another host
    generated_rename(&plant, adapter[1][4], "db7 mlx5_9");
    check_messages(2, 2);
    turn(1, true);
    check_messages(1, 8);
}

// Nodes whose descriptions change in every sweep fill neither the memory nor receivers.
TEST(descriptions_that_change_in_every_sweep)
{
    char name[48];
    stop_pipeline();
    plant_policy.storm_rate = 50;
    plant_policy.storm_period_us = 60 * CLOCK_US_PER_S;
    plant_start();
    add_rails(8, HOSTS_MAX);
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t h = 0; h < hosts; h++) {
            for (uint32_t r = 0; r < rails; r++) {
                snprintf(name, sizeof name, "x%u-%u-%u mlx5_%u", round, h, r, r);
                generated_rename(&plant, adapter[h][r], name);
            }
        }
        sweep();
        const size_t heard = listen_to(&of_systems);
        assert_true(heard <= 51 && (round < 8 || heard == 0)); // the storm's rate and its summary
        listen_to(&of_parts);
    }
}

TEST(a_description_that_swings_says_so)
{
    add_rails(1, 2);
    for (uint32_t round = 0; round < 100; round++) {
        generated_rename(&plant, adapter[0][0], round % 2 ? "gpu1 mlx5_0" : "gpu9 mlx5_0");
        check_messages(round < 8, round < 8);
        if (round == 7)
            CHECK_LAST("gpu1 mlx5_0 (LID 3) got a new name; the old one was gpu9 mlx5_0; it has "
                       "changed 8 times within a day, and further changes are not told until a "
                       "name lasts for a day.");
    }
    turn(0, true); // absences are no changes
    check_messages(1, 1);
    turn(0, false);
    check_messages(1, 1);
    pass_time(25 * HOUR);
    generated_rename(&plant, adapter[0][0], "gpu9 mlx5_0");
    check_messages(1, 1);
    CHECK_LAST("gpu9 mlx5_0 (LID 3) got a new name; the old one was gpu1 mlx5_0.");
}

TEST(a_boot_with_names_of_the_factory)
{
    char name[32];
    add_rails(4, 2);
    turn(0, true);
    check_messages(1, 4);
    turn(0, false);
    for (uint32_t r = 0; r < rails; r++)
        generated_rename(&plant, adapter[0][r], "MT4129 ConnectX7   Mellanox Technologies");
    check_messages(1, 4);
    CHECK_LAST("Host gpu1 joined the fabric, with all 4 adapters.");
    for (uint32_t r = 0; r < rails; r++) {
        snprintf(name, sizeof name, "gpu1 mlx5_%u", r);
        generated_rename(&plant, adapter[0][r], name);
    }
    check_messages(0, 0);
}

// Hosts from the first to the last but one.
static void turn_all(uint32_t first, uint32_t end, bool is_off)
{
    for (uint32_t h = first; h < end; h++)
        turn(h, is_off);
}

TEST(a_rack_of_twenty_hosts)
{
    add_rails(8, 20);
    turn_all(0, 20, true);
    check_messages(1, 160);
    CHECK_LAST("Many nodes left the fabric at once, 20 in all: gpu1, gpu2, gpu3, gpu4, gpu5, gpu6, "
               "gpu7, gpu8, "
               "gpu9, gpu10, gpu11, gpu12, gpu13, gpu14, gpu15, gpu16, gpu17, gpu18, gpu19, "
               "gpu20.");
    assert_int_equal(of_systems.key_count, 1);
    turn_all(0, 20, false);
    check_messages(1, 160);
    CHECK_LAST("The nodes that left the fabric at once are back, 20 in all.");
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

TEST(five_hosts_at_once_are_five_messages)
{
    add_rails(4, 8);
    turn_all(0, 5, true);
    check_messages(5, 20);
    turn_all(0, 5, false);
    check_messages(5, 20);
    turn_all(0, 6, true);
    check_messages(1, 24);
    turn_all(0, 6, false);
    check_messages(1, 24);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// Hosts boot one by one, and some never return.
TEST(a_rack_that_returns_one_by_one)
{
    add_rails(4, 20);
    turn_all(0, 20, true);
    check_messages(1, 80);
    for (uint32_t h = 0; h < 17; h++) {
        turn(h, false);
        sweep_for(20 * CLOCK_US_PER_S);
        check_heard(0, 4);
    }
    pass_time(600 * CLOCK_US_PER_S);
    check_messages(4, 0);
    CHECK_BEGIN("Host gpu18 left the fabric, with all 4 adapters; it is still missing");
    assert_int_equal(of_systems.key_count, 3);
    turn_all(17, 20, false);
    check_messages(3, 12);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// A rack without power takes some seconds, and a sweep sees a part of it.
TEST(a_rack_that_goes_within_seconds_is_one_message)
{
    add_rails(4, 20);
    turn_all(0, 7, true);
    sweep_for(CLOCK_US_PER_S);
    turn_all(7, 9, true);
    sweep_for(CLOCK_US_PER_S);
    turn_all(9, 20, true);
    sweep_for(CLOCK_US_PER_S);
    assert_int_equal(listen_to(&of_systems), 0);
    sweep_for(3 * CLOCK_US_PER_S);
    assert_int_equal(listen_to(&of_systems), 1);
    CHECK_BEGIN("Many nodes left the fabric at once, 20 in all: gpu1, ");
    turn_all(0, 20, false);
    sweep();
    assert_int_equal(listen_to(&of_systems), 1);
    listen_to(&of_parts);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// What leaves within the time and is back is no message of its own either.
TEST(a_rack_survives_restarts)
{
    add_rails(4, 20);
    turn_all(0, 20, true);
    check_messages(1, 80);
    stop_pipeline();
    plant_start();
    check_messages(0, 0);
    turn_all(3, 20, false);
    check_messages(0, 68);
    stop_pipeline();
    plant_start();
    turn_all(0, 3, false);
    check_messages(1, 12);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// A receiver of one node is told of this node alone, and of its end.
TEST(a_receiver_of_one_host_of_a_rack)
{
    static struct listener of_host;
    add_rails(4, 20);
    listener_begin(&of_host, false);
    strcpy(of_host.filter.nodes.patterns[of_host.filter.nodes.count++], "gpu7");
    listen_to(&of_host);
    turn_all(0, 20, true);
    sweep();
    assert_int_equal(listen_to(&of_host), 1);
    assert_string_equal(of_host.last, "Host gpu7 left the fabric, with all 4 adapters.");
    turn(6, false);
    sweep();
    assert_int_equal(listen_to(&of_host), 1);
    assert_string_equal(of_host.last, "Host gpu7 joined the fabric, with all 4 adapters.");
    assert_int_equal(of_host.key_count, 0);
}

// What a policy says of one host holds for the host, also when a rack goes.
TEST(a_host_of_a_rack_with_a_policy_of_its_own)
{
    struct policy_rule rules[2] = {
        {.name = "vip",
         .severity = SEVERITY_CRITICAL,
         .category = POLICY_SAME,
         .hold_down_us = POLICY_SAME},
        {.name = "spare",
         .enabled = POLICY_NO,
         .severity = POLICY_SAME,
         .category = POLICY_SAME,
         .hold_down_us = POLICY_SAME},
    };
    strcpy(rules[0].nodes.patterns[rules[0].nodes.count++], "gpu7");
    strcpy(rules[1].nodes.patterns[rules[1].nodes.count++], "gpu8");
    stop_pipeline();
    plant_policy.rules = rules;
    plant_policy.rule_count = 2;
    plant_start();
    add_rails(4, 20);
    turn_all(0, 20, true);
    sweep();
    assert_int_equal(told(CATALOGUE_HOST_REMOVED)->severity, SEVERITY_CRITICAL);
    assert_string_equal(told(CATALOGUE_HOST_REMOVED)->subject.system, "gpu7");
    const char *many = told(CATALOGUE_NODES_REMOVED)->text;
    assert_non_null(strstr(many, "18 in all: "));
    assert_null(strstr(many, "gpu7"));
    assert_null(strstr(many, "gpu8"));
    check_heard(2, 76);
    turn_all(0, 20, false);
    check_messages(2, 76);
    assert_int_equal(of_systems.key_count, 0);
}

// Names that do not fit one by one share a list of numbers.
TEST(many_hosts_are_named_all_the_same)
{
    char name[32];
    for (uint32_t h = 0; h < 200; h++) {
        snprintf(name, sizeof name, "rack%u-gpu%02u-ib HCA-1", h / 20 + 1, h % 20 + 1);
        plant_connect(0, 1, add_node(FABRIC_CA, name, 1), 1);
    }
    for (uint32_t r = 0; r < 10; r++) {
        const uint32_t one = add_node(FABRIC_SWITCH, "leaf", 40);
        plant_connect(0, (uint8_t)(r + 2), one, 40);
        for (uint32_t h = 0; h < 20; h++)
            cables[r * 20 + h] = (struct cable){
                .a = one, .b = r * 20 + h + 1, .port_a = (uint8_t)(h + 1), .port_b = 1};
    }
    sweep_and_listen();
    for (uint32_t h = 0; h < 200; h++)
        off[h + 1] = true;
    check_messages(1, 200);
    CHECK_BEGIN("Many nodes left the fabric at once, 200 in all: rack1-gpu[01-20]-ib, "
                "rack2-gpu[01-20]-ib, ");
    assert_non_null(strstr(of_systems.last, "rack10-gpu[01-20]-ib."));
}

// A row of leaves without power, each with hosts of its own.
TEST(many_switches_at_once)
{
    char name[32];
    for (uint32_t r = 0; r < 6; r++) {
        snprintf(name, sizeof name, "leaf%u", r + 1);
        leaf[r] = add_node(FABRIC_SWITCH, name, 40);
        plant_connect(0, (uint8_t)(r + 1), leaf[r], 40);
        for (uint32_t h = 0; h < 3; h++) {
            snprintf(name, sizeof name, "n%u%u HCA-1", r + 1, h);
            plant_connect(leaf[r], (uint8_t)(h + 1), add_node(FABRIC_CA, name, 1), 1);
        }
    }
    sweep_and_listen();
    for (uint32_t r = 0; r < 6; r++)
        off[leaf[r]] = true;
    check_messages(1, 6);
    CHECK_LAST("Many nodes left the fabric at once, 6 in all: leaf1, leaf2, leaf3, leaf4, leaf5, "
               "leaf6; with "
               "them went 18 nodes behind them.");
    for (uint32_t r = 0; r < 6; r++)
        off[leaf[r]] = false;
    check_messages(1, 6);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// A sweep sees one adapter of each host, and the next sweep all.
TEST(a_rack_that_leaves_over_several_sweeps_is_named_whole)
{
    add_rails(8, 20);
    for (uint32_t h = 0; h < 20; h++)
        off[adapter[h][h % rails]] = true;
    sweep_for(CLOCK_US_PER_S);
    turn_all(0, 20, true);
    listen_to(&of_parts);
    assert_int_equal(listen_to(&of_systems), 0);
    check_messages(1, 160);
    CHECK_BEGIN("Many nodes left the fabric at once, 20 in all: gpu1, ");
    turn_all(0, 20, false);
    check_messages(1, 160);
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

// Whatever goes and returns, a receiver of parts has an alarm for each missing adapter, and a
// receiver of systems at least one for each host with missing adapters, and at most one for each
// missing adapter.
static void check_truth(void)
{
    size_t missing = 0;
    for (uint32_t h = 0; h < hosts; h++) {
        size_t of_host = 0, raised = 0;
        for (uint32_t r = 0; r < rails; r++) {
            const char *key = node_key(adapter[h][r]);
            const bool gone = off[adapter[h][r]];
            of_host += gone;
            raised += listener_find(&of_systems, key) < of_systems.key_count;
            if (gone != (listener_find(&of_parts, key) < of_parts.key_count))
                fail_msg("host %u, adapter %u: %s", h, r, gone ? "gone" : "there");
        }
        assert_true((raised > 0) == (of_host > 0) && raised <= of_host);
        missing += of_host;
    }
    assert_int_equal(of_parts.key_count, missing);
}

TEST(random_losses_and_returns)
{
    struct generated_chance chance = {7};
    add_rails(4, 4);
    for (int step = 0; step < 400; step++) {
        const uint32_t h = generated_below(&chance, hosts);
        const uint32_t what = generated_below(&chance, 4);
        if (what == 0)
            turn(h, true);
        else if (what == 1)
            turn(h, false);
        else
            off[adapter[h][generated_below(&chance, rails)]] ^= true;
        sweep_and_listen();
        sweep_and_listen(); // adapters that are back do not wait any more
        check_truth();
        if (generated_below(&chance, 50) == 0) {
            stop_pipeline();
            plant_start();
        }
    }
    for (uint32_t h = 0; h < hosts; h++)
        turn(h, false);
    sweep_and_listen();
    assert_int_equal(of_systems.key_count + of_parts.key_count, 0);
}

static int begin_with_flaps(void **state)
{
    plant_policy.flap_changes = 6;
    plant_policy.flap_within_us = plant_policy.flap_quiet_us = 300 * CLOCK_US_PER_S;
    return begin_listening(state);
}

// What a receiver hears of so many events, from the event `first` on.
static size_t hears(const struct listener *l, enum catalogue_event type, int64_t first)
{
    const struct audience audience = {.filter = &l->filter, .journal = journal, .handle = -1};
    size_t count = 0;
    for (int64_t n = first; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        count += event->type == catalogue_get(type) && audience_refusal(&audience, event) == NULL;
        event_unref(event);
    }
    return count;
}

TEST(a_host_that_boots_again_and_again_flaps_once)
{
    add_rails(8, 3);
    const int64_t first = journal_last(journal) + 1;
    for (int i = 0; i < 6; i++) {
        turn(1, i % 2 == 0);
        sweep_for(20 * CLOCK_US_PER_S);
    }
    listen_to(&of_systems);
    CHECK_BEGIN("Host gpu2 does not come to rest: 6 changes within 5 min");
    assert_int_equal(hears(&of_systems, CATALOGUE_FLAPPING, first), 1);
    assert_int_equal(hears(&of_parts, CATALOGUE_FLAPPING, first), 1);
    assert_int_equal(hears(&of_systems, CATALOGUE_HOST_REMOVED, first), 3);
    assert_int_equal(hears(&of_systems, CATALOGUE_HOST_ADDED, first), 2);
    pass_time(400 * CLOCK_US_PER_S);
    assert_int_equal(hears(&of_systems, CATALOGUE_SETTLED, first), 1);
    assert_int_equal(hears(&of_systems, CATALOGUE_LINK_DOWN, first), 0);
    listen_to(&of_systems);
    assert_int_equal(of_systems.key_count, 0);
}

// Traps.

struct trap {
    uint16_t number;
    uint64_t guid; // of a port
    uint16_t lid;
};

static void take_trap(void *ctx, const struct pipeline_context *inside)
{
    const struct trap *trap = ctx;
    uint8_t wire[NOTICE_SIZE] = {0x80 | 3, 0, 0, NOTICE_PRODUCER_SWITCH};
    wire_put(wire + 4, 2, trap->number);
    wire_put(wire + 10, 2, trap->lid);
    wire_put(wire + 24, 8, trap->guid);
    struct event *event = event_builder_from_notice(inside->builder, wire);
    correlator_note_event(inside->correlator, event);
    emitter_emit(inside->emitter, event_ref(event));
    correlator_note_number(inside->correlator, event);
    event_unref(event);
    journal_commit(journal);
}

static void send_trap(uint16_t number, uint64_t guid, uint16_t lid)
{
    struct trap trap = {number, guid, lid};
    assert_true(pipeline_call(pipeline, take_trap, &trap));
    now.utc += CLOCK_US_PER_S / 100;
    now.monotonic += CLOCK_US_PER_S / 100;
}

static uint64_t port_guid(uint32_t node)
{
    return generated_port(&plant, node, 1)->guid;
}

static uint16_t lid_of(uint32_t node)
{
    return generated_port(&plant, node, 0)->lid;
}

TEST(traps_that_a_sweep_explains_are_no_messages)
{
    add_rails(8, 3);
    turn(1, true);
    for (uint32_t r = 0; r < rails; r++) {
        send_trap(NOTICE_LINK_STATE, 0, lid_of(leaf[r]));
        send_trap(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[1][r]), 0);
    }
    check_heard(0, 16);
    check_messages(1, 8);
    send_trap(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[1][0]), 0); // the manager is slow
    check_heard(0, 1);
    check_messages(0, 0);
    turn(1, false);
    for (uint32_t r = 0; r < rails; r++)
        send_trap(NOTICE_GID_IN_SERVICE, port_guid(adapter[1][r]), 0);
    check_heard(0, 8);
    check_messages(1, 8);
    pass_time(60 * CLOCK_US_PER_S);
    check_heard(0, 0);
}

// The host waits for its last adapter, and the trap about the first waits with the host.
TEST(the_traps_of_a_host_that_waits_are_no_messages)
{
    add_rails(8, 3);
    turn(1, true);
    check_messages(1, 8);
    turn(1, false);
    set_states(1, FABRIC_INITIALIZE);
    set_state(1, 0, FABRIC_ACTIVE);
    send_trap(NOTICE_GID_IN_SERVICE, port_guid(adapter[1][0]), 0);
    check_heard(0, 1);
    sweep_for(20 * CLOCK_US_PER_S);
    check_heard(0, 0);
    set_states(1, FABRIC_ACTIVE);
    check_messages(1, 8);
    check_messages(0, 0);
}

// The subnet manager tells nobody that a port of the host became ACTIVE.
TEST(a_sweep_looks_for_a_host_that_waits)
{
    add_rails(4, 3);
    turn(1, true);
    check_messages(1, 4);
    turn(1, false);
    set_states(1, FABRIC_INITIALIZE);
    sweep_for(CLOCK_US_PER_S);
    check_heard(0, 0);
    set_states(1, FABRIC_ACTIVE);
    const size_t before = sweeps_wanted;
    pass_in_full(4 * CLOCK_US_PER_S);
    assert_int_equal(sweeps_wanted, before + 1);
    pass_in_full(3 * CLOCK_US_PER_S);
    assert_int_equal(sweeps_wanted, before + 1);
    check_soon(1, 4);
    pass_in_full(60 * CLOCK_US_PER_S);
    assert_int_equal(sweeps_wanted, before + 1);
}

// The host goes again before it has joined: its alarm stands.
TEST(the_traps_of_a_host_that_waits_and_goes_are_no_messages)
{
    add_rails(4, 3);
    turn(1, true);
    check_messages(1, 4);
    for (int round = 0; round < 3; round++) {
        turn(1, false);
        set_states(1, FABRIC_INITIALIZE);
        send_trap(NOTICE_LINK_STATE, 0, lid_of(leaf[0]));
        send_trap(NOTICE_GID_IN_SERVICE, port_guid(adapter[1][1]), 0);
        check_heard(0, 2);
        sweep_for(CLOCK_US_PER_S);
        check_heard(0, 0);
        turn(1, true);
        send_trap(NOTICE_LINK_STATE, 0, lid_of(leaf[0]));
        send_trap(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[1][1]), 0);
        check_heard(0, 2);
        sweep_for(CLOCK_US_PER_S);
        check_heard(0, 0);
    }
    turn(1, false);
    set_states(1, FABRIC_ACTIVE);
    check_messages(1, 4);
    check_messages(0, 0);
}

TEST(a_trap_that_no_sweep_explains_is_told)
{
    add_rails(2, 3);
    send_trap(NOTICE_LINK_STATE, 0, lid_of(leaf[0]));
    check_heard(0, 1);
    check_messages(1, 0);
    CHECK_BEGIN("The link state of at least one port of leaf1");
    send_trap(NOTICE_GID_IN_SERVICE, 0x7777, 0); // a virtual function: no sweep knows the port
    check_heard(0, 1);
    check_messages(1, 0);
    check_messages(0, 0);
}

TEST(a_short_outage_is_told)
{
    add_rails(2, 3);
    send_trap(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[0][0]), 0);
    send_trap(NOTICE_GID_IN_SERVICE, port_guid(adapter[0][0]), 0);
    check_heard(0, 2);
    check_messages(2, 0);
}

TEST(without_a_sweep_a_trap_is_told_all_the_same)
{
    add_rails(2, 3);
    send_trap(NOTICE_LINK_STATE, 0, lid_of(leaf[0]));
    check_heard(0, 1);
    stop_pipeline();
    plant_start();
    check_heard(1, 0);
}

// The gateway was killed while the trap waited for a sweep.
static void append_held(uint16_t number, uint64_t guid, uint16_t lid)
{
    uint8_t wire[NOTICE_SIZE] = {0x80 | 3, 0, 0, NOTICE_PRODUCER_SWITCH};
    const struct event_builder builder = parts_options().builder;
    wire_put(wire + 4, 2, number);
    wire_put(wire + 10, 2, lid);
    wire_put(wire + 24, 8, guid);
    struct event *event = event_builder_from_notice(&builder, wire);
    event->is_part = event->apart = true;
    strcpy(event->suppressed, "awaits-sweep");
    journal_append(journal, event, &(struct journal_report){0});
    journal_commit(journal);
    event_unref(event);
    now.utc += CLOCK_US_PER_S / 100;
    now.monotonic += CLOCK_US_PER_S / 100;
}

TEST(a_trap_that_waited_at_a_kill_is_told)
{
    add_rails(8, 3);
    stop_pipeline();
    append_held(NOTICE_LINK_STATE, 0, lid_of(leaf[2]));
    append_held(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[1][2]), 0);
    check_heard(0, 2);
    restore_topology();
    plant_start();
    off[adapter[1][2]] = true; // the first sweep explains both
    check_messages(1, 1);
    stop_pipeline();
    append_held(NOTICE_GID_OUT_OF_SERVICE, port_guid(adapter[1][2]), 0); // known
    append_held(NOTICE_LINK_STATE, 0, lid_of(leaf[5]));
    append_held(NOTICE_GID_IN_SERVICE, port_guid(adapter[1][2]), 0);
    check_heard(0, 3);
    reopen_journal();
    plant_start();
    check_messages(2, 0);
    stop_pipeline();
    plant_start();
    check_messages(0, 0); // told once
}

#define SYSTEMS_TEST(f) cmocka_unit_test_setup_teardown(f, begin_listening, plant_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SYSTEMS_TEST(a_host_of_eight_adapters_is_one_message),
        SYSTEMS_TEST(hosts_of_other_sizes),
        SYSTEMS_TEST(a_host_of_one_adapter),
        SYSTEMS_TEST(one_adapter_of_eight),
        SYSTEMS_TEST(three_adapters_of_eight),
        SYSTEMS_TEST(adapters_that_leave_one_after_the_other),
        SYSTEMS_TEST(a_host_that_leaves_over_several_sweeps_is_one_message),
        SYSTEMS_TEST(an_adapter_that_leaves_alone_is_told_in_ten_seconds),
        SYSTEMS_TEST(a_host_that_returns_over_several_sweeps_is_one_message),
        SYSTEMS_TEST(a_new_host_that_joins_over_several_sweeps_is_one_message),
        SYSTEMS_TEST(a_new_host_that_waits_is_told_after_a_restart),
        SYSTEMS_TEST(a_rack_that_leaves_over_several_sweeps_is_named_whole),
        SYSTEMS_TEST(a_host_that_returns_without_an_adapter),
        SYSTEMS_TEST(a_host_that_becomes_active_over_several_sweeps),
        SYSTEMS_TEST(what_does_not_become_active_is_told_after_a_while),
        SYSTEMS_TEST(a_host_whose_links_carry_nothing_is_one_message),
        SYSTEMS_TEST(a_leaf_that_dies_takes_a_rail_of_each_host),
        SYSTEMS_TEST(hosts_of_one_adapter_go_with_their_leaf),
        SYSTEMS_TEST(a_box_is_one_message),
        SYSTEMS_TEST(parts_of_a_box_that_take_hosts_along),
        SYSTEMS_TEST(a_card_of_two_ports),
        SYSTEMS_TEST(a_host_with_a_new_name_is_one_message),
        SYSTEMS_TEST(descriptions_that_change_in_every_sweep),
        SYSTEMS_TEST(a_description_that_swings_says_so),
        SYSTEMS_TEST(a_boot_with_names_of_the_factory),
        cmocka_unit_test_setup_teardown(a_host_that_boots_again_and_again_flaps_once,
                                        begin_with_flaps, plant_end),
        SYSTEMS_TEST(a_rack_of_twenty_hosts),
        SYSTEMS_TEST(many_switches_at_once),
        SYSTEMS_TEST(a_host_of_a_rack_with_a_policy_of_its_own),
        SYSTEMS_TEST(many_hosts_are_named_all_the_same),
        SYSTEMS_TEST(a_receiver_of_one_host_of_a_rack),
        SYSTEMS_TEST(a_rack_survives_restarts),
        SYSTEMS_TEST(a_rack_that_goes_within_seconds_is_one_message),
        SYSTEMS_TEST(a_rack_that_returns_one_by_one),
        SYSTEMS_TEST(five_hosts_at_once_are_five_messages),
        SYSTEMS_TEST(random_losses_and_returns),
        SYSTEMS_TEST(traps_that_a_sweep_explains_are_no_messages),
        SYSTEMS_TEST(the_traps_of_a_host_that_waits_are_no_messages),
        SYSTEMS_TEST(a_sweep_looks_for_a_host_that_waits),
        SYSTEMS_TEST(the_traps_of_a_host_that_waits_and_goes_are_no_messages),
        SYSTEMS_TEST(a_trap_that_no_sweep_explains_is_told),
        SYSTEMS_TEST(a_short_outage_is_told),
        SYSTEMS_TEST(without_a_sweep_a_trap_is_told_all_the_same),
        SYSTEMS_TEST(a_trap_that_waited_at_a_kill_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
