// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/catalogue.h"
#include "pipeline/interruptions.h"

#define LEAF  UINT64_C(0x11)
#define SPINE UINT64_C(0x51)
enum { S = 1000000 }; // a second

static struct interruptions all;
static uint64_t asked[INTERRUPTIONS_SWITCHES_MAX];
static struct interruptions_found found[8];
static size_t found_count;
static struct accumulated_counters *before;

static int begin(void **state)
{
    (void)state;
    all = (struct interruptions){0};
    found_count = 0;
    before = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    accumulated_unref(before);
    return 0;
}

static void note(enum catalogue_event type, uint64_t switch_guid, int64_t time_us, const char *id)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    event->switch_guid = switch_guid;
    event->time_us = time_us;
    strcpy(event->id, id);
    interruptions_note(&all, event);
    event_unref(event);
}

static size_t judge(uint64_t changed, int64_t begun_us)
{
    struct change change = {.subject.node_guid = changed};
    const struct changes changes = {.all = &change, .count = changed != 0};
    const struct interruptions_sweep sweep = {.changes = &changes, .begun_us = begun_us};
    return interruptions_judge(&all, &sweep, asked);
}

static void take_found(void *ctx, const struct interruptions_found *one)
{
    (void)ctx;
    assert_true(found_count < COUNT(found));
    found[found_count++] = *one;
}

// A reading of port 1 of the leaf, port 2 of the leaf, and port 1 of the spine.
static struct counter_reading *reading_of(uint64_t leaf1, uint64_t leaf2, uint64_t spine1)
{
    struct counter_reading *r = calloc(1, sizeof *r + 3 * sizeof *r->samples);
    assert_non_null(r);
    r->count = 3;
    r->samples[0] = (struct counter_sample){.node_guid = LEAF, .port = 1};
    r->samples[1] = (struct counter_sample){.node_guid = LEAF, .port = 2};
    r->samples[2] = (struct counter_sample){.node_guid = SPINE, .port = 1};
    r->samples[0].values[COUNTER_LINK_DOWNED] = leaf1;
    r->samples[1].values[COUNTER_LINK_DOWNED] = leaf2;
    r->samples[2].values[COUNTER_LINK_DOWNED] = spine1;
    return r;
}

// Reads the counters: `found` gets the ports.
static void look(uint64_t leaf1, uint64_t leaf2, uint64_t spine1)
{
    struct counter_reading *r = reading_of(leaf1, leaf2, spine1);
    struct accumulated_counters *after = accumulated_with(before, r);
    assert_non_null(after);
    found_count = 0;
    interruptions_find(&all, r, before, after, take_found, NULL);
    accumulated_unref(before);
    before = after;
    free(r);
}

TEST(the_port_is_the_one_whose_counter_grew)
{
    look(3, 0, 7);
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, 10 * S, "first");
    assert_int_equal(judge(0, 11 * S), 1);
    assert_true(asked[0] == LEAF);
    look(3, 2, 8); // the spine's grew, too, and no trap named the spine
    assert_int_equal(found_count, 1);
    assert_true(found[0].node_guid == LEAF);
    assert_int_equal(found[0].port, 2);
    assert_int_equal(found[0].times, 2);
    assert_string_equal(found[0].related_id, "first");
    look(3, 3, 8); // without a trap
    assert_int_equal(found_count, 0);
}

TEST(a_trap_that_a_change_explains_makes_nobody_look)
{
    look(0, 0, 0);
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, 10 * S, "first");
    assert_int_equal(judge(LEAF, 11 * S), 0);
    assert_int_equal(judge(0, 12 * S), 0);
    look(1, 0, 0);
    assert_int_equal(found_count, 0);
}

TEST(a_trap_during_a_sweep_waits_for_the_next_one)
{
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, 10 * S, "first");
    assert_int_equal(judge(0, 10 * S), 0);
    assert_int_equal(judge(0, 12 * S), 1);
    assert_int_equal(judge(0, 13 * S), 0); // it was asked for
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, 14 * S, "second");
    assert_int_equal(judge(0, 15 * S), 1);
}

TEST(a_switch_that_never_answers_is_forgotten)
{
    for (int64_t t = 0; t < 1000; t++) {
        note(CATALOGUE_LINK_STATE_CHANGE, (uint64_t)t + 1, t * 10 * S, "id");
        assert_int_equal(judge(0, t * 10 * S + S), 1);
    }
    assert_in_range(all.count, 1, 13);
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, INT64_C(1) << 60, "id"); // then the clock was set back
    assert_int_equal(judge(0, 20000 * INT64_C(1000000)), 0);
    assert_int_equal(all.count, 0);
}

TEST(nothing_is_claimed_of_a_port_that_was_not_read_before)
{
    note(CATALOGUE_LINK_STATE_CHANGE, LEAF, 10 * S, "first");
    assert_int_equal(judge(0, 11 * S), 1);
    look(5, 5, 5);
    assert_int_equal(found_count, 0);
    assert_int_equal(all.count, 0);
}

TEST(other_events_and_unknown_switches_are_ignored)
{
    note(CATALOGUE_LINK_STATE_CHANGE, 0, 10 * S, "first");
    note(CATALOGUE_CAPABILITY_CHANGE, LEAF, 10 * S, "second");
    assert_int_equal(all.count, 0);
}

TEST(switches_beyond_the_room_are_not_suspected)
{
    for (uint64_t i = 1; i <= INTERRUPTIONS_SWITCHES_MAX + 10; i++) {
        note(CATALOGUE_LINK_STATE_CHANGE, i, 10 * S, "id");
        note(CATALOGUE_LINK_STATE_CHANGE, i, 10 * S, "id");
    }
    assert_int_equal(judge(0, 11 * S), INTERRUPTIONS_SWITCHES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_port_is_the_one_whose_counter_grew, begin, end),
        cmocka_unit_test_setup_teardown(a_trap_that_a_change_explains_makes_nobody_look, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_trap_during_a_sweep_waits_for_the_next_one, begin, end),
        cmocka_unit_test_setup_teardown(a_switch_that_never_answers_is_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_claimed_of_a_port_that_was_not_read_before,
                                        begin, end),
        cmocka_unit_test_setup_teardown(other_events_and_unknown_switches_are_ignored, begin, end),
        cmocka_unit_test_setup_teardown(switches_beyond_the_room_are_not_suspected, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
