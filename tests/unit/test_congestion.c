// SPDX-License-Identifier: BSD-2-Clause
// What ports wait. The oracle of the random test keeps every interval and what was waited in it,
// and adds up what a window has by itself: it knows no slots.
#include "generated.h"
#include "scarce_memory.h"
#include "support.h"

#include "topology/error_rates.h"

#include <malloc.h>

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)

enum { LEFT = 0x10, RIGHT = 0x20 };

struct scene {
    struct congestion *congestion;
    struct error_rates *rates;
    struct congestion_limits limits;
    struct accumulated_counters *accumulated;
    struct counter_reading *reading;
    struct generated net;
    struct fabric *fabric; // port 1 of LEFT and RIGHT at SDR: a symbol time is 4 ns
    int64_t now_us;
    char told[400];
    struct congestion_change last;
    size_t seen;
    struct congestion_measure measure; // of the first port
};

static void ignore_errors(void *ctx, const struct error_rate_change *change)
{
    (void)ctx;
    (void)change;
}

static void tell(void *ctx, const struct congestion_change *change)
{
    struct scene *s = ctx;
    const size_t used = strlen(s->told);
    s->last = *change;
    snprintf(s->told + used, sizeof s->told - used, "%s%s %x/%u", used ? "; " : "",
             change->raised ? "raised" : "cleared", (unsigned)change->node_guid, change->port);
}

static struct scene make_scene(void)
{
    struct scene s = {
        .limits = {.window_us = {12 * MINUTE, 125 * MINUTE}, .raise = 0.2, .clear = 0.05},
        .now_us = 1000 * MINUTE};
    const struct error_rate_limits none = {.window_us = {12 * MINUTE, 125 * MINUTE}};
    s.congestion = congestion_new(&s.limits);
    s.rates = error_rates_new(&none);
    s.reading = calloc(1, sizeof *s.reading + 4 * sizeof s.reading->samples[0]);
    assert_true(s.congestion && s.rates && s.reading);
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
    congestion_free(s->congestion);
    error_rates_free(s->rates);
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

static void keep_measure(void *ctx, const struct congestion_measure *measure)
{
    struct scene *s = ctx;
    if (s->seen++ == 0)
        s->measure = *measure;
}

static const char *update(struct scene *s, int64_t later_us)
{
    s->told[0] = '\0';
    s->now_us += later_us;
    s->reading->time_us += later_us;
    const struct error_rate_reading reading = {s->accumulated, s->reading, s->fabric, s->now_us,
                                               s->congestion};
    assert_true(error_rates_update(s->rates, &reading, ignore_errors, s));
    congestion_end(s->congestion, tell, s);
    struct accumulated_counters *accumulated = accumulated_with(s->accumulated, s->reading);
    assert_non_null(accumulated);
    accumulated_unref(s->accumulated);
    s->accumulated = accumulated;
    s->reading->count = 0;
    s->measure = (struct congestion_measure){.port = 0};
    s->seen = 0;
    congestion_each(s->congestion, keep_measure, s);
    return s->told;
}

// A tick of 256 symbol times of 4 ns is 1.024 us.
static uint64_t ticks(double seconds)
{
    return (uint64_t)(seconds * 1e9 / 1024);
}

// So many minutes, in each of which LEFT waits so many seconds. Returns the first minute that told
// something; 0: none.
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
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
    assert_false(congestion_has_alarm(s.congestion, RIGHT, 1));
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 0.5);
    assert_near(s.measure.share[ERROR_WINDOW_LONG], 15.0 / 130);
    assert_int_equal(wait_for(&s, 13, 0, &sum), 0); // the long window still has more than 5 percent
    assert_in_range(wait_for(&s, 130, 0, &sum), 60, 125);
    assert_false(s.last.raised);
    assert_true(s.last.tick_known);
    wait_for(&s, 20, 0, &sum);
    assert_int_equal(congestion_count(s.congestion), 0); // it takes no memory
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
    s.limits.raise = s.limits.clear = 0;
    congestion_change(s.congestion, &s.limits);
    assert_int_equal(wait_for(&s, 30, 60, &sum), 0);
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 1);
    end(&s);
}

TEST(an_alarm_ends_when_its_limit_goes)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    s.limits.raise = s.limits.clear = 0;
    congestion_change(s.congestion, &s.limits);
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
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 0.1 / 12);
    add(&s, LEFT, sum + ticks(1e6));
    update(&s, MINUTE);
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 1.1 / 12);
    end(&s);
}

TEST(a_tick_that_is_not_said_is_one_symbol_time)
{
    struct scene s = make_scene();
    for (uint64_t i = 0; i <= 14; i++) {
        add(&s, LEFT, i * 1500000000)->tick = 0; // of 4 ns: 6 s each
        update(&s, MINUTE);
    }
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 0.1);
    end(&s);
}

// Its device refused for once to say what it counts.
TEST(a_counter_that_one_reading_lacks_did_not_grow)
{
    struct scene s = make_scene();
    for (int i = 0; i < 4; i++) {
        struct counter_sample *sample = add(&s, LEFT, i == 1 ? 0 : 4000000000);
        sample->extended = false;
        sample->no_wait = i == 1;
        assert_string_equal(update(&s, MINUTE), "");
    }
    assert_int_equal(congestion_count(s.congestion), 0);
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
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
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
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
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
    assert_int_equal(congestion_count(s.congestion), 0);
    end(&s);
}

TEST(a_port_that_is_lost_waits_no_more)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 60, &sum);
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
    for (int i = 0; i < 130; i++)
        update(&s, MINUTE);
    assert_false(congestion_has_alarm(s.congestion, LEFT, 1));
    assert_int_equal(congestion_count(s.congestion), 0);
    sum += ticks(1e5); // nobody knows when
    add(&s, LEFT, sum);
    assert_string_equal(update(&s, MINUTE), "");
    assert_int_equal(congestion_count(s.congestion), 0);
    end(&s);
}

TEST(a_port_of_unknown_rate_has_no_share)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    fabric_unref(s.fabric);
    s.fabric = NULL;
    wait_for(&s, 20, 60, &sum);
    assert_int_equal(congestion_count(s.congestion), 0);
    end(&s);
}

TEST(a_restored_alarm_lasts_a_long_window)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    assert_true(congestion_restore(s.congestion, RIGHT, 1));
    assert_true(congestion_restore(s.congestion, LEFT, 1));
    assert_int_equal(wait_for(&s, 125, 20, &sum), 0);
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
    wait_for(&s, 2, 20, &sum); // RIGHT is in no reading
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
    assert_false(congestion_has_alarm(s.congestion, RIGHT, 1));
    end(&s);
}

// The reading is dropped, and the next one covers its time.
TEST(what_was_waited_counts_once_after_memory_was_short)
{
    struct scene s = make_scene();
    const struct error_rate_limits limits = {.window_us = {12 * MINUTE, 125 * MINUTE},
                                             .per_hour[COUNTER_SYMBOL_ERROR][ERROR_WINDOW_SHORT] =
                                                 1e9,
                                             .errors_min = 5};
    error_rates_change(s.rates, &limits);
    for (uint64_t i = 0; i < 4; i++) { // half of each minute
        add(&s, LEFT, i * ticks(30));
        add(&s, RIGHT, i * ticks(30))->values[COUNTER_SYMBOL_ERROR] = 5;
        update(&s, MINUTE);
    }
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 1.5 / 12);
    add(&s, LEFT, 4 * ticks(30));
    add(&s, RIGHT, 4 * ticks(30))->values[COUNTER_SYMBOL_ERROR] = 9;
    s.now_us += MINUTE;
    const struct error_rate_reading lost = {s.accumulated, s.reading, s.fabric, s.now_us,
                                            s.congestion};
    scarce_memory_fail(1, true);
    assert_false(error_rates_update(s.rates, &lost, ignore_errors, &s));
    scarce_memory_fail(0, false);
    s.reading->count = 0;
    add(&s, LEFT, 5 * ticks(30));
    add(&s, RIGHT, 5 * ticks(30))->values[COUNTER_SYMBOL_ERROR] = 9;
    update(&s, MINUTE);
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 2.5 / 12);
    assert_near(s.measure.share[ERROR_WINDOW_LONG], 2.5 / 130);
    assert_int_equal(congestion_count(s.congestion), 2);
    end(&s);
}

// The journal is read late, after a reading that was dropped had found the port.
TEST(a_port_that_is_restored_after_memory_was_short_is_there_once)
{
    struct scene s = make_scene();
    add(&s, LEFT, 0);
    update(&s, MINUTE);
    s.now_us += MINUTE;
    congestion_begin(s.congestion, s.now_us);
    add(&s, LEFT, ticks(30));
    struct counter_sample before = s.reading->samples[0];
    before.values[COUNTER_XMIT_WAIT] = 0;
    assert_true(congestion_take(s.congestion, &before, &s.reading->samples[0], s.fabric));
    s.reading->count = 0;
    assert_true(congestion_restore(s.congestion, LEFT, 1));
    add(&s, LEFT, ticks(30));
    update(&s, MINUTE);
    assert_int_equal(congestion_count(s.congestion), 1);
    assert_true(congestion_has_alarm(s.congestion, LEFT, 1));
    assert_near(s.measure.share[ERROR_WINDOW_SHORT], 0.5 / 12);
    end(&s);
}

TEST(windows_of_another_length_begin_anew)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    s.limits.window_us[ERROR_WINDOW_SHORT] = 5 * MINUTE;
    congestion_change(s.congestion, &s.limits);
    assert_int_equal(wait_for(&s, 124, 0, &sum), 0);
    assert_int_equal(wait_for(&s, 3, 0, &sum), 2);
    end(&s);
}

static bool stands_not(void *ctx, uint64_t node_guid, uint8_t port)
{
    (void)ctx;
    return node_guid != LEFT || port != 1;
}

TEST(what_is_cleared_by_hand_is_raised_again)
{
    struct scene s = make_scene();
    uint64_t sum = 0;
    wait_for(&s, 20, 30, &sum);
    congestion_review(s.congestion, stands_not, NULL);
    assert_false(congestion_has_alarm(s.congestion, LEFT, 1));
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
            int64_t length = s.limits.window_us[w] / ERROR_RATES_SLOTS;
            int64_t begin = (s.now_us / length - ERROR_RATES_SLOTS) * length;
            double waited = 0;
            for (int k = 0; k <= i; k++) {
                int64_t from = steps[k].from_us > begin ? steps[k].from_us : begin;
                if (steps[k].to_us > from)
                    waited += steps[k].waited_us * (double)(steps[k].to_us - from) /
                              (double)(steps[k].to_us - steps[k].from_us);
            }
            double wanted = waited / (double)(s.now_us - begin);
            double is = s.measure.port ? (double)s.measure.share[w] : 0;
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
    error_rates_free(s.rates);
    struct error_rate_limits limits = {.window_us = {12 * MINUTE, 125 * MINUTE}};
    limits.per_hour[COUNTER_SYMBOL_ERROR][ERROR_WINDOW_SHORT] = 1e9;
    s.rates = error_rates_new(&limits);
    s.limits.raise = 0;
    congestion_change(s.congestion, &s.limits);
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
    assert_int_equal(error_rates_count(s.rates), PORTS);
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
        cmocka_unit_test(what_was_waited_counts_once_after_memory_was_short),
        cmocka_unit_test(a_port_that_is_restored_after_memory_was_short_is_there_once),
        cmocka_unit_test(windows_of_another_length_begin_anew),
        cmocka_unit_test(what_is_cleared_by_hand_is_raised_again),
        cmocka_unit_test(random_waits),
        cmocka_unit_test(many_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
