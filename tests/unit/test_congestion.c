// SPDX-License-Identifier: BSD-2-Clause
// What ports wait. The oracle of the random test keeps every interval and what was waited in it,
// and adds up what a window has by itself: it knows no slots.
#include "generated.h"
#include "support.h"

#include "topology/counter_watch.h"

#include <malloc.h>

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)

enum { LEFT = 0x10, RIGHT = 0x20 };

struct scene {
    struct counter_watch *watch;
    struct counter_watch_limits limits;
    struct accumulated_counters *accumulated;
    struct counter_reading *reading;
    struct generated net;
    struct fabric *fabric; // port 1 of LEFT and RIGHT at SDR: a symbol time is 4 ns
    int64_t now_us;
    char told[400];
    struct counter_statement last;
    size_t seen;
    struct counter_measure measure; // of the first port
};

static void tell(struct scene *s, const struct counter_statement *change)
{
    const size_t used = strlen(s->told);
    assert_int_equal(change->key.about, ALARM_ABOUT_WAIT);
    s->last = *change;
    snprintf(s->told + used, sizeof s->told - used, "%s%s %x/%u", used ? "; " : "",
             change->raised ? "raised" : "cleared", (unsigned)change->key.guid, change->key.port);
}

static struct alarm_key key_of(uint64_t guid)
{
    return (struct alarm_key){.kind = ALARM_KEY_PORT,
                              .guid = guid,
                              .port = 1,
                              .about = ALARM_ABOUT_WAIT,
                              .counter = COUNTER_XMIT_WAIT};
}

static void restore(struct scene *s, uint64_t guid)
{
    const struct alarm_key key = key_of(guid);
    counter_watch_restore(s->watch, &key);
}

static bool has_alarm(const struct scene *s, uint64_t guid)
{
    const struct alarm_key key = key_of(guid);
    return counter_watch_has_alarm(s->watch, &key);
}

static size_t count(const struct scene *s)
{
    return counter_watch_count(s->watch, ALARM_ABOUT_WAIT);
}

static struct scene make_scene(void)
{
    struct scene s = {
        .limits = {.window_us = {12 * MINUTE, 125 * MINUTE}, .wait_raise = 0.2, .wait_clear = 0.05},
        .now_us = 1000 * MINUTE};
    s.watch = counter_watch_new(&s.limits);
    s.reading = calloc(1, sizeof *s.reading + 4 * sizeof s.reading->samples[0]);
    assert_non_null(s.reading);
    generated_add(&s.net, FABRIC_SWITCH, LEFT, "left", 3);
    generated_add(&s.net, FABRIC_SWITCH, RIGHT, "right", 3);
    generated_link(&s.net, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        generated_port(&s.net, i, 1)->width_active = 2;
        generated_port(&s.net, i, 1)->speed_active = FABRIC_SDR;
    }
    s.fabric = generated_look(&s.net, 0);
    return s;
}

static void end(struct scene *s)
{
    counter_watch_free(s->watch);
    accumulated_unref(s->accumulated);
    fabric_unref(s->fabric);
    generated_clear(&s->net);
    free(s->reading);
}

static struct counter_sample *add(struct scene *s, uint64_t node, uint64_t waited)
{
    struct counter_sample *sample = &s->reading->samples[s->reading->count++];
    *sample = (struct counter_sample){.node_guid = node, .port = 1, .extended = true, .tick = 256};
    sample->values[COUNTER_XMIT_WAIT] = waited;
    return sample;
}

static const char *update(struct scene *s, int64_t later_us)
{
    s->told[0] = '\0';
    s->now_us += later_us;
    s->reading->time_us += later_us;
    const struct counter_watch_reading reading = {s->accumulated, s->reading, s->fabric, s->now_us};
    size_t told;
    const struct counter_statement *all = counter_watch_update(s->watch, &reading, &told);
    for (size_t i = 0; i < told; i++)
        tell(s, &all[i]);
    struct accumulated_counters *accumulated = accumulated_with(s->accumulated, s->reading);
    assert_non_null(accumulated);
    accumulated_unref(s->accumulated);
    s->accumulated = accumulated;
    s->reading->count = 0;
    s->seen = count(s);
    s->measure = s->seen > 0 ? counter_watch_at(s->watch, ALARM_ABOUT_WAIT, 0)
                             : (struct counter_measure){.port = 0};
    return s->told;
}

// A tick of 256 symbol times of 4 ns is 1.024 us.
static uint64_t ticks(double seconds)
{
    return (uint64_t)(seconds * 1e9 / 1024);
}

// A number of minutes, and in each LEFT waits a number of seconds. Returns the first minute that
// told something; 0: none.
static int wait_for(struct scene *s, int minutes, double seconds, uint64_t *sum)
{
    int first = 0;
    for (int i = 1; i <= minutes; i++) {
        *sum += ticks(seconds);
        add(s, LEFT, *sum);
        if (*update(s, MINUTE) && first == 0)
            first = i;
    }
    return first;
}

static void assert_near(double is, double wanted)
{
    if (is < wanted - 0.01 || is > wanted + 0.01)
        fail_msg("%g, not %g", is, wanted);
}

TEST(a_port_that_waits_half_of_the_time_is_told_and_ends)
{
    struct scene s = make_scene();
    uint64_t sum = 5;
    wait_for(&s, 1, 0, &sum);
    assert_in_range(wait_for(&s, 30, 30, &sum), 4, 7); // a fifth of 12 minutes
    assert_true(has_alarm(&s, LEFT));
    assert_false(has_alarm(&s, RIGHT));
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 0.5);
    assert_near(s.measure.per_second[ERROR_WINDOW_LONG], 15.0 / 30); // as long as it was watched
    assert_int_equal(wait_for(&s, 13, 0, &sum), 0); // the long window still has more than 5 percent
    assert_in_range(wait_for(&s, 130, 0, &sum), 60, 125);
    assert_false(s.last.raised);
    assert_true(s.last.tick_known);
    wait_for(&s, 20, 0, &sum);
    assert_int_equal(count(&s), 0); // it takes no memory
    end(&s);
}

TEST(what_swings_between_the_limits_is_one_alarm)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 30, 15, &sum);
    for (int i = 0; i < 10; i++)
        assert_int_equal(wait_for(&s, 20, i % 2 ? 18 : 4, &sum), 0);
    end(&s);
}

TEST(without_a_limit_shares_are_measured_and_nothing_is_told)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    s.limits.wait_raise = s.limits.wait_clear = 0;
    counter_watch_change(s.watch, &s.limits);
    assert_int_equal(wait_for(&s, 30, 60, &sum), 0);
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 1);
    end(&s);
}

TEST(an_alarm_ends_when_its_limit_goes)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    s.limits.wait_raise = s.limits.wait_clear = 0;
    counter_watch_change(s.watch, &s.limits);
    assert_int_equal(wait_for(&s, 1, 30, &sum), 1);
    assert_string_equal(s.told, "cleared 10/1");
    assert_int_equal(s.last.covered_us, 0);
    end(&s);
}

// A reset, and ticks that would be more than the time.
TEST(shares_are_between_nothing_and_all)
{
    struct scene s = make_scene();
    uint64_t sum = UINT64_C(1) << 60;
    wait_for(&s, 1, 0, &sum);
    sum = ticks(6); // reset, and counted on
    add(&s, LEFT, sum);
    update(&s, MINUTE);
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 0.1);
    add(&s, LEFT, sum + ticks(1e6));
    update(&s, MINUTE);
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 1.1 / 2);
    end(&s);
}

TEST(a_tick_that_is_not_said_is_one_symbol_time)
{
    struct scene s = make_scene();
    for (uint64_t i = 0; i <= 14; i++) {
        add(&s, LEFT, i * 1500000000)->tick = 0; // of 4 ns: 6 s each
        update(&s, MINUTE);
    }
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 0.1);
    end(&s);
}

// Its device refused for once to name its counters.
TEST(a_counter_that_one_reading_lacks_did_not_grow)
{
    struct scene s = make_scene();
    for (int i = 0; i < 4; i++) {
        struct counter_sample *sample = add(&s, LEFT, i == 1 ? 0 : 4000000000);
        sample->extended = false;
        sample->no_wait = i == 1;
        assert_string_equal(update(&s, MINUTE), "");
    }
    assert_int_equal(count(&s), 0);
    uint64_t sums[COUNTER_COUNT];
    assert_true(accumulated_find(s.accumulated, LEFT, 1, sums));
    assert_int_equal(sums[COUNTER_XMIT_WAIT], 4000000000);
    end(&s);
}

TEST(a_full_counter_says_nothing_and_keeps_its_alarm)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += ticks(40);
        add(&s, LEFT, sum)->extended = false;
        update(&s, MINUTE);
    }
    assert_true(has_alarm(&s, LEFT));
    for (int i = 0; i < 300; i++) {
        add(&s, LEFT, UINT32_MAX)->extended = false;
        assert_string_equal(update(&s, MINUTE), "");
        assert_true(i == 0 || s.measure.unknown);
    }
    add(&s, LEFT, 0)->extended = false; // somebody reset it
    update(&s, MINUTE);
    assert_string_equal(s.told, "cleared 10/1");
    end(&s);
}

// Its port did not answer, or is gone.
TEST(a_full_counter_that_no_reading_has_keeps_its_alarm_a_long_window)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += ticks(40);
        add(&s, LEFT, sum)->extended = false;
        update(&s, MINUTE);
    }
    assert_true(has_alarm(&s, LEFT));
    for (int lost = 0; lost < 124; lost += 62) {
        for (int i = 0; i < 200; i++) {
            add(&s, LEFT, UINT32_MAX)->extended = false;
            assert_string_equal(update(&s, MINUTE), "");
        }
        for (int i = 0; i < 62; i++)
            assert_string_equal(update(&s, MINUTE), "");
    }
    for (int i = 62; i < 124; i++)
        assert_string_equal(update(&s, MINUTE), "");
    update(&s, 2 * MINUTE);
    assert_string_equal(s.told, "cleared 10/1");
    assert_int_equal(count(&s), 0);
    end(&s);
}

TEST(a_port_that_is_lost_waits_no_more)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 60, &sum);
    assert_true(has_alarm(&s, LEFT));
    for (int i = 0; i < 130; i++)
        update(&s, MINUTE);
    assert_false(has_alarm(&s, LEFT));
    assert_int_equal(count(&s), 0);
    sum += ticks(1e5); // nobody knows when
    add(&s, LEFT, sum);
    assert_string_equal(update(&s, MINUTE), "");
    assert_int_equal(count(&s), 0);
    end(&s);
}

TEST(a_port_of_unknown_rate_has_no_share)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    fabric_unref(s.fabric);
    s.fabric = NULL;
    wait_for(&s, 20, 60, &sum);
    assert_int_equal(count(&s), 0);
    end(&s);
}

TEST(a_restored_alarm_lasts_a_long_window)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    restore(&s, RIGHT);
    restore(&s, LEFT);
    assert_int_equal(wait_for(&s, 125, 20, &sum), 0);
    assert_true(has_alarm(&s, LEFT));
    wait_for(&s, 2, 20, &sum); // RIGHT is in no reading
    assert_true(has_alarm(&s, LEFT));
    assert_false(has_alarm(&s, RIGHT));
    end(&s);
}

TEST(a_port_that_is_restored_late_is_there_once)
{
    struct scene s = make_scene();
    add(&s, LEFT, 0);
    update(&s, MINUTE);
    add(&s, LEFT, ticks(30));
    update(&s, MINUTE);
    restore(&s, LEFT);
    add(&s, LEFT, ticks(30));
    update(&s, MINUTE);
    assert_int_equal(count(&s), 1);
    assert_true(has_alarm(&s, LEFT));
    assert_near(s.measure.per_second[ERROR_WINDOW_SHORT], 0.5 / 2);
    end(&s);
}

TEST(windows_of_another_length_begin_anew)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    s.limits.window_us[ERROR_WINDOW_SHORT] = 5 * MINUTE;
    counter_watch_change(s.watch, &s.limits);
    assert_int_equal(wait_for(&s, 124, 0, &sum), 0);
    assert_int_equal(wait_for(&s, 3, 0, &sum), 2);
    end(&s);
}

static bool stands_not(void *ctx, const struct alarm_key *key)
{
    (void)ctx;
    return key->guid != LEFT || key->port != 1;
}

TEST(what_is_cleared_by_hand_is_raised_again)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    counter_watch_review(s.watch, stands_not, NULL);
    assert_false(has_alarm(&s, LEFT));
    assert_in_range(wait_for(&s, 20, 30, &sum), 4, 7);
    end(&s);
}

// Intervals of any length with any wait, of two ports, against what the oracle adds up.
static void try_seed(uint64_t seed)
{
    struct scene s = make_scene();
    struct generated_chance chance = {seed};
    enum { STEPS = 300 };
    struct {
        int64_t from_us, to_us;
        double waited_us;
    } steps[STEPS];
    uint64_t sum = 0;
    add(&s, LEFT, 0);
    update(&s, MINUTE);
    for (int i = 0; i < STEPS; i++) {
        int64_t later = SECOND * (1 + (int64_t)generated_below(&chance, 400));
        double share = generated_below(&chance, 3) ? 0 : generated_below(&chance, 101) / 100.0;
        uint64_t grown = ticks((double)later / 1e6 * share);
        steps[i].from_us = s.now_us;
        sum += grown;
        add(&s, LEFT, sum);
        update(&s, later);
        steps[i].to_us = s.now_us;
        steps[i].waited_us = (double)grown * 1.024;
        for (int w = 0; w < ERROR_WINDOWS; w++) {
            int64_t length = s.limits.window_us[w] / COUNTER_WINDOWS_SLOTS;
            int64_t begin = (s.now_us / length - COUNTER_WINDOWS_SLOTS) * length;
            begin = begin > steps[0].from_us ? begin : steps[0].from_us; // the first reading
            double waited = 0;
            for (int k = 0; k <= i; k++) {
                int64_t from = steps[k].from_us > begin ? steps[k].from_us : begin;
                if (steps[k].to_us > from)
                    waited += steps[k].waited_us * (double)(steps[k].to_us - from) /
                              (double)(steps[k].to_us - steps[k].from_us);
            }
            double wanted = waited / (double)(s.now_us - begin);
            double is = s.measure.port ? s.measure.per_second[w] : 0;
            if (is < wanted - 0.002 || is > wanted + 0.002)
                fail_msg("seed %u, step %d, window %d: %g, not %g", (unsigned)seed, i, w, is,
                         wanted);
        }
    }
    end(&s);
}

TEST(random_waits)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        try_seed(seed);
}

// A hundred thousand ports that wait and have errors: what the windows of both take.
TEST(many_ports)
{
    enum { SWITCHES = 1640, LINKS = 61, PORTS = SWITCHES * LINKS };
    struct scene s = make_scene();
    for (uint32_t i = 0; i < SWITCHES; i++)
        generated_add(&s.net, FABRIC_SWITCH, 0x1000 + i, "x", LINKS);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        for (uint8_t p = 1; p <= LINKS; p++) {
            if (i % 2 == 0)
                generated_link(&s.net, 2 + i, p, 3 + i, p);
            generated_port(&s.net, 2 + i, p)->width_active = 2;
            generated_port(&s.net, 2 + i, p)->speed_active = FABRIC_SDR;
        }
    }
    fabric_unref(s.fabric);
    s.fabric = generated_look(&s.net, 0);
    free(s.reading);
    s.reading = calloc(1, sizeof *s.reading + PORTS * sizeof s.reading->samples[0]);
    assert_non_null(s.reading);
    s.limits.per_hour[COUNTER_SYMBOL_ERROR][ERROR_WINDOW_SHORT] = 1e9;
    s.limits.wait_raise = 0;
    counter_watch_change(s.watch, &s.limits);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (uint64_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < PORTS; i++) {
            struct counter_sample *one = add(&s, 0x1000 + i / LINKS, ticks(30) * round);
            one->port = (uint8_t)(1 + i % LINKS);
            one->values[COUNTER_SYMBOL_ERROR] = round;
        }
        update(&s, MINUTE);
    }
    assert_int_equal(s.seen, PORTS);
    assert_int_equal(counter_watch_count(s.watch, ALARM_ABOUT_ERRORS), PORTS);
    accumulated_unref(s.accumulated);
    s.accumulated = NULL;
    const size_t sums = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    if (sums > 32 << 20)
        fail_msg("the windows take %zu octets", sums);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_that_waits_half_of_the_time_is_told_and_ends),
        cmocka_unit_test(what_swings_between_the_limits_is_one_alarm),
        cmocka_unit_test(without_a_limit_shares_are_measured_and_nothing_is_told),
        cmocka_unit_test(an_alarm_ends_when_its_limit_goes),
        cmocka_unit_test(shares_are_between_nothing_and_all),
        cmocka_unit_test(a_tick_that_is_not_said_is_one_symbol_time),
        cmocka_unit_test(a_counter_that_one_reading_lacks_did_not_grow),
        cmocka_unit_test(a_full_counter_says_nothing_and_keeps_its_alarm),
        cmocka_unit_test(a_full_counter_that_no_reading_has_keeps_its_alarm_a_long_window),
        cmocka_unit_test(a_port_that_is_lost_waits_no_more),
        cmocka_unit_test(a_port_of_unknown_rate_has_no_share),
        cmocka_unit_test(a_restored_alarm_lasts_a_long_window),
        cmocka_unit_test(a_port_that_is_restored_late_is_there_once),
        cmocka_unit_test(windows_of_another_length_begin_anew),
        cmocka_unit_test(what_is_cleared_by_hand_is_raised_again),
        cmocka_unit_test(random_waits),
        cmocka_unit_test(many_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
