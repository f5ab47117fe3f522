// SPDX-License-Identifier: BSD-2-Clause
// The oracle of the random test keeps every growth and its time, and adds up what a window has by
// itself: it knows no slots.
#include "generated.h"
#include "support.h"

#include "topology/counter_watch.h"

#define MINUTE (INT64_C(60) * 1000000)

#define SYMBOL COUNTER_SYMBOL_ERROR

enum { LEFT = 0x10, RIGHT = 0x20, OTHER = 0x30 };

// About the errors of the link between LEFT and RIGHT.
static const struct alarm_key ALARM = {.kind = ALARM_KEY_LINK,
                                       .about = ALARM_ABOUT_ERRORS,
                                       .guid = LEFT,
                                       .port = 1,
                                       .peer_guid = RIGHT,
                                       .peer_port = 2,
                                       .counter = SYMBOL};

struct scene {
    struct counter_watch *rates;
    struct counter_watch_limits limits;
    struct accumulated_counters *accumulated;
    struct counter_reading *reading;
    struct generated net; // LEFT's port 1 and RIGHT's port 2 are linked: 4X EDR
    struct fabric *fabric;
    int64_t now_us;
    char told[2000];
    struct counter_statement last;
    unsigned changes;
};

static void tell(struct scene *s, const struct counter_statement *change)
{
    size_t used = strlen(s->told);
    s->last = *change;
    s->changes++;
    snprintf(s->told + used, sizeof s->told - used, "%s%s %s %x/%u-%x/%u", used ? "; " : "",
             change->raised && change->severe ? "error"
             : change->raised                 ? "raised"
             : change->moved                  ? "moved"
                                              : "cleared",
             counter_name(change->key.counter), (unsigned)change->key.guid, change->key.port,
             (unsigned)change->key.peer_guid, change->key.peer_port);
}

static void renew_fabric(struct scene *s)
{
    fabric_unref(s->fabric);
    s->fabric = generated_look(&s->net, 0);
}

static void link_up(struct scene *s, uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b)
{
    generated_link(&s->net, a, port_a, b, port_b);
    struct fabric_port *ends[] = {generated_port(&s->net, a, port_a),
                                  generated_port(&s->net, b, port_b)};
    for (int i = 0; i < 2; i++) {
        ends[i]->width_active = 2;
        ends[i]->speed_active = FABRIC_EDR;
    }
}

static struct scene make_scene(void)
{
    struct scene s = {
        .limits = {.window_us = {12 * MINUTE, 125 * MINUTE}, .errors_min = 5, .clear_percent = 50},
        .now_us = 1000 * MINUTE};
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        s.limits.per_hour[c][ERROR_WINDOW_SHORT] = 60;
        s.limits.per_hour[c][ERROR_WINDOW_LONG] = 30;
    }
    s.rates = counter_watch_new(&s.limits);
    s.reading = calloc(1, sizeof *s.reading + 8 * sizeof s.reading->samples[0]);
    assert_true(s.rates && s.reading);
    generated_add(&s.net, FABRIC_SWITCH, LEFT, "left", 3);
    generated_add(&s.net, FABRIC_SWITCH, RIGHT, "right", 3);
    generated_add(&s.net, FABRIC_SWITCH, OTHER, "other", 3);
    link_up(&s, 0, 1, 1, 2);
    renew_fabric(&s);
    return s;
}

static void limit_bits(struct scene *s, double in_short, double in_long)
{
    s->limits.per_bit[SYMBOL][ERROR_WINDOW_SHORT] = in_short;
    s->limits.per_bit[SYMBOL][ERROR_WINDOW_LONG] = in_long;
    counter_watch_change(s->rates, &s->limits);
}

static void end(struct scene *s)
{
    counter_watch_free(s->rates);
    accumulated_unref(s->accumulated);
    fabric_unref(s->fabric);
    generated_clear(&s->net);
    free(s->reading);
}

static struct counter_sample *add(struct scene *s, uint64_t node, uint8_t port)
{
    struct counter_sample *sample = &s->reading->samples[s->reading->count++];
    *sample = (struct counter_sample){.node_guid = node, .port = port};
    return sample;
}

static void update_watch(struct scene *s)
{
    const struct counter_watch_reading reading = {s->accumulated, s->reading, s->fabric, s->now_us};
    size_t count;
    const struct counter_statement *all = counter_watch_update(s->rates, &reading, &count);
    for (size_t i = 0; i < count; i++)
        tell(s, &all[i]);
}

static const char *update(struct scene *s, int64_t later_us)
{
    s->told[0] = '\0';
    s->now_us += later_us;
    s->reading->time_us += later_us;
    update_watch(s);
    struct accumulated_counters *accumulated = accumulated_with(s->accumulated, s->reading);
    assert_non_null(accumulated);
    accumulated_unref(s->accumulated);
    s->accumulated = accumulated;
    s->reading->count = 0;
    return s->told;
}

// A reading of both ends' counters, a minute after the reading before.
static const char *read_both(struct scene *s, uint64_t left, uint64_t right)
{
    add(s, LEFT, 1)->values[SYMBOL] = left;
    add(s, RIGHT, 2)->values[SYMBOL] = right;
    return update(s, MINUTE);
}

// A number of minutes in which the left counter grows by a number each. Returns the minute that
// told something first; 0: none.
static int burn(struct scene *s, int minutes, uint64_t *left, const uint64_t *each, size_t count)
{
    int first = 0;
    for (int i = 0; i < minutes; i++) {
        *left += each[(size_t)i % count];
        if (*read_both(s, *left, 0) && first == 0)
            first = i + 1;
    }
    return first;
}

#define RAISED  "raised SymbolErrorCounter 10/1-20/2"
#define CLEARED "cleared SymbolErrorCounter 10/1-20/2"

TEST(a_slow_burn_is_told_once)
{
    struct scene s = make_scene();
    uint64_t left = 0, each[] = {9};
    read_both(&s, 0, 0);
    assert_int_not_equal(burn(&s, 7 * 24 * 60, &left, each, 1), 0);
    assert_int_equal(left, 90720);
    assert_int_equal(s.changes, 1);
    assert_true(s.last.raised);
    end(&s);
}

TEST(what_swings_about_a_limit_is_told_once)
{
    struct scene s = make_scene();
    uint64_t left = 0, each[] = {9, 11};
    read_both(&s, 0, 0);
    burn(&s, 24 * 60, &left, each, 2);
    assert_int_equal(s.changes, 1);
    end(&s);
}

TEST(a_healthy_link_is_silent)
{
    struct scene s = make_scene();
    uint64_t left = 4000, each[] = {1, 0, 0, 0, 0, 0, 0, 0};
    read_both(&s, 4000, 0); // whatever was counted before the first reading
    assert_int_equal(burn(&s, 24 * 60, &left, each, COUNT(each)), 0);
    end(&s);
}

TEST(a_burst_raises_and_its_end_clears)
{
    struct scene s = make_scene();
    uint64_t left = 0, burst[] = {40}, none[] = {0};
    read_both(&s, 0, 0);
    assert_int_equal(burn(&s, 1, &left, burst, 1), 1);
    assert_string_equal(s.told, RAISED);
    assert_int_equal(s.last.errors, 40);
    assert_int_equal(s.last.covered_us / MINUTE, 1);
    assert_true(s.last.rate > 2399 && s.last.rate < 2401); // 40 in a minute
    assert_true(s.last.limit == 60);
    assert_int_equal(s.last.unit, ERRORS_PER_HOUR);
    // In 125 minutes 40 errors are 19 an hour: the long window keeps it above half of its limit of
    // 30 until the burst is out of it.
    int cleared = burn(&s, 200, &left, none, 1);
    assert_in_range(cleared, 120, 136);
    assert_int_equal(s.changes, 2);
    assert_false(s.last.raised);
    end(&s);
}

TEST(few_errors_raise_nothing)
{
    struct scene s = make_scene();
    s.limits.per_hour[SYMBOL][ERROR_WINDOW_SHORT] = 1;
    counter_watch_change(s.rates, &s.limits);
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 4, 0), "");
    assert_string_equal(read_both(&s, 5, 0), RAISED);
    end(&s);
}

TEST(a_bit_error_rate_where_the_links_rate_is_known)
{
    struct scene s = make_scene();
    limit_bits(&s, 1e-13, 1e-14);
    read_both(&s, 0, 0);
    // 100 Gb/s: 7.2e13 bits in 12 minutes, 7.5e14 in 125.
    assert_string_equal(read_both(&s, 7, 0), "");
    assert_string_equal(read_both(&s, 8, 0), RAISED);
    assert_int_equal(s.last.unit, ERRORS_PER_BIT);
    assert_true(s.last.rate > 6.6e-13 && s.last.rate < 6.7e-13); // 8 in 2 minutes
    assert_int_equal(s.last.speed, FABRIC_EDR);
    end(&s);
}

TEST(errors_an_hour_where_it_is_not)
{
    struct scene s = make_scene();
    limit_bits(&s, 1e-9, 1e-9);
    fabric_unref(s.fabric);
    s.fabric = NULL;
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 40, 0), "raised SymbolErrorCounter 10/1-0/0");
    assert_int_equal(s.last.unit, ERRORS_PER_HOUR);
    end(&s);
}

// Its errors are the same, down or up.
TEST(a_link_that_goes_down_is_judged_as_before)
{
    struct scene s = make_scene();
    limit_bits(&s, 1e-13, 1e-14);
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 9, 0), RAISED);
    generated_unlink(&s.net, 0, 1);
    renew_fabric(&s);
    for (int i = 0; i < 20; i++)
        assert_string_equal(update(&s, MINUTE), ""); // 9 in 125 minutes are 4.3 an hour
    link_up(&s, 0, 1, 1, 2);
    renew_fabric(&s);
    for (int i = 0; i < 20; i++)
        assert_string_equal(read_both(&s, 9, 0), "");
    uint64_t left = 9, none[] = {0};
    assert_in_range(burn(&s, 300, &left, none, 1), 60, 100);
    assert_int_equal(s.changes, 2);
    end(&s);
}

TEST(both_ends_have_one_alarm)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 100, 100), RAISED);
    uint64_t right = 100;
    for (int i = 0; i < 200; i++) // only the right end goes on
        assert_string_equal(read_both(&s, 100, right += 10), "");
    for (int i = 0; i < 200; i++)
        read_both(&s, 100, right);
    assert_int_equal(s.changes, 2);
    assert_false(s.last.raised);
    assert_int_equal(s.last.key.guid, RIGHT);
    assert_int_equal(s.last.key.peer_guid, LEFT);
    end(&s);
}

TEST(an_alarm_passes_from_one_end_to_the_other)
{
    struct scene s = make_scene();
    uint64_t left = 0, right = 0;
    read_both(&s, 0, 0);
    read_both(&s, left = 100, 0);
    assert_int_equal(s.changes, 1);
    for (int i = 0; i < 300; i++)
        read_both(&s, left, i > 100 ? right += 10 : right);
    assert_int_equal(s.changes, 1);
    end(&s);
}

TEST(each_counter_has_an_alarm_of_its_own)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    struct counter_sample *now = add(&s, LEFT, 1);
    now->values[SYMBOL] = 100;
    now->values[COUNTER_RCV_ERRORS] = 100;
    assert_string_equal(update(&s, MINUTE), RAISED "; raised PortRcvErrors 10/1-20/2");
    end(&s);
}

TEST(a_reset_does_no_harm)
{
    struct scene s = make_scene();
    read_both(&s, 60000, 0);
    assert_string_equal(read_both(&s, 0, 0), "");
    assert_string_equal(read_both(&s, 3, 0), "");
    assert_string_equal(read_both(&s, 2, 0), ""); // reset again: 2 more
    assert_string_equal(read_both(&s, 60, 0), RAISED);
    end(&s);
}

TEST(a_full_counter_keeps_its_alarm)
{
    struct scene s = make_scene();
    uint64_t left = 65535, none[] = {0};
    read_both(&s, 65000, 0);
    assert_string_equal(read_both(&s, 65535, 0), RAISED);
    assert_int_equal(burn(&s, 1000, &left, none, 1), 0);
    left = 0; // somebody reset it
    assert_int_not_equal(burn(&s, 300, &left, none, 1), 0);
    assert_string_equal((s.changes == 2 && !s.last.raised) ? CLEARED : "", CLEARED);
    end(&s);
}

TEST(a_full_counter_outlives_a_reading_without_its_port)
{
    struct scene s = make_scene();
    uint64_t left = 65535, none[] = {0};
    read_both(&s, 65000, 0);
    assert_string_equal(read_both(&s, 65535, 0), RAISED);
    assert_int_equal(burn(&s, 1000, &left, none, 1), 0);
    add(&s, RIGHT, 2);
    assert_string_equal(update(&s, MINUTE), "");
    assert_int_equal(burn(&s, 1000, &left, none, 1), 0);
    end(&s);
}

TEST(the_alarm_of_a_full_counter_ends_when_its_port_stays_away)
{
    struct scene s = make_scene();
    uint64_t left = 65535, none[] = {0};
    read_both(&s, 65000, 0);
    read_both(&s, 65535, 0);
    burn(&s, 200, &left, none, 1);
    for (int i = 0; i < 300 && s.changes == 1; i++) {
        add(&s, RIGHT, 2);
        update(&s, MINUTE);
    }
    assert_string_equal(s.told, CLEARED);
    end(&s);
}

TEST(a_change_to_wide_counters_counts_nothing)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    struct counter_sample *now = add(&s, LEFT, 1);
    now->values[SYMBOL] = 70000;
    now->extended = true;
    assert_string_equal(update(&s, MINUTE), "");
    end(&s);
}

TEST(what_a_port_counted_while_it_was_away_does_not_count)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    add(&s, RIGHT, 2);
    update(&s, 300 * MINUTE); // without the left end
    assert_string_equal(read_both(&s, 5000, 0), "");
    assert_string_equal(read_both(&s, 5001, 0), "");
    assert_string_equal(read_both(&s, 5050, 0), RAISED);
    end(&s);
}

TEST(the_alarm_of_a_port_that_stays_away_ends)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 500, 0), RAISED);
    for (int i = 0; i < 300 && s.changes == 1; i++) {
        add(&s, RIGHT, 2);
        update(&s, MINUTE);
    }
    assert_string_equal(s.told, CLEARED);
    end(&s);
}

TEST(long_intervals_are_spread_over_their_time)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    add(&s, LEFT, 1)->values[SYMBOL] = 50; // 50 an hour, for two hours
    assert_string_equal(update(&s, 60 * MINUTE), "");
    add(&s, LEFT, 1)->values[SYMBOL] = 80; // in all 80 in 125 minutes: more than 30 an hour
    assert_string_equal(update(&s, 60 * MINUTE), RAISED);
    assert_in_range(s.last.errors, 75, 80);
    end(&s);
}

TEST(a_cable_that_moved_ends_the_alarm)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 500, 500), RAISED);
    generated_unlink(&s.net, 0, 1);
    renew_fabric(&s);
    assert_string_equal(read_both(&s, 500, 500), ""); // link down: nobody knows yet
    link_up(&s, 0, 1, 2, 3);
    renew_fabric(&s);
    read_both(&s, 500, 500); // the left end has another neighbour; the right end still counts
    link_up(&s, 1, 2, 2, 1);
    renew_fabric(&s);
    read_both(&s, 500, 500);
    assert_int_equal(s.changes, 2);
    assert_true(s.last.moved);
    assert_string_equal(read_both(&s, 501, 500), ""); // the new link begins anew
    assert_string_equal(read_both(&s, 601, 500), "raised SymbolErrorCounter 10/1-30/3");
    end(&s);
}

TEST(a_restored_alarm_ends_after_a_long_window)
{
    struct scene s = make_scene();
    counter_watch_restore(s.rates, &ALARM);
    uint64_t left = 7, none[] = {0};
    int first = burn(&s, 300, &left, none, 1);
    assert_in_range(first, 125, 127);
    assert_int_equal(s.changes, 1);
    assert_false(s.last.raised || s.last.moved);
    end(&s);
}

TEST(a_restored_alarm_is_not_raised_again)
{
    struct scene s = make_scene();
    counter_watch_restore(s.rates, &ALARM);
    for (uint64_t i = 0; i < 300; i++)
        assert_string_equal(read_both(&s, 0, 10 * i), ""); // the other end counts
    end(&s);
}

TEST(an_alarm_that_is_restored_late_joins_what_was_counted)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 3, 0), ""); // the journal could not be read so far
    counter_watch_restore(s.rates, &ALARM);
    assert_string_equal(read_both(&s, 300, 0), ""); // it stands already
    uint64_t left = 300, none[] = {0};
    assert_in_range(burn(&s, 300, &left, none, 1), 125, 136);
    assert_int_equal(s.changes, 1);
    end(&s);
}

TEST(limits_change)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 500, 0), RAISED);
    memset(s.limits.per_hour, 0, sizeof s.limits.per_hour);
    counter_watch_change(s.rates, &s.limits);
    assert_string_equal(read_both(&s, 600, 0), CLEARED);
    assert_int_equal(s.last.covered_us, 0);
    end(&s);
}

TEST(windows_of_another_length_begin_anew)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 500, 0), RAISED);
    s.limits.window_us[ERROR_WINDOW_LONG] = 60 * MINUTE;
    counter_watch_change(s.rates, &s.limits);
    uint64_t left = 500, none[] = {0};
    assert_in_range(burn(&s, 300, &left, none, 1), 59, 62);
    end(&s);
}

TEST(a_counter_that_grows_without_bound)
{
    struct scene s = make_scene();
    struct counter_sample *now = add(&s, LEFT, 1);
    now->extended = true;
    update(&s, MINUTE);
    for (uint64_t i = 0; i < 40; i++) {
        now = add(&s, LEFT, 1);
        now->extended = true;
        now->values[SYMBOL] = i % 2 ? UINT64_MAX : UINT64_MAX - 7;
        update(&s, (1 + (int64_t)i * 3) * MINUTE);
    }
    assert_true(s.last.raised);
    end(&s);
}

// NVIDIA's limits of links with error correction: symbol errors 5e-15 and 1e-14 of the bits in 125
// minutes, 1e-14 in 12. Packets lost: 1e-12.
static void correct_errors(struct scene *s, uint16_t speed)
{
    static const double NVIDIA[ERROR_LIMITS] = {0, 5e-15, 1e-14, 1e-14};
    memcpy(s->limits.fec_per_bit[SYMBOL], NVIDIA, sizeof NVIDIA);
    s->limits.fec_per_packet[COUNTER_RCV_ERRORS][ERROR_WINDOW_SHORT] = 1e-12;
    s->limits.fec_per_packet[COUNTER_RCV_ERRORS][ERROR_WINDOW_LONG] = 1e-12;
    counter_watch_change(s->rates, &s->limits);
    generated_port(&s->net, 0, 1)->speed_active = speed;
    generated_port(&s->net, 1, 2)->speed_active = speed;
    renew_fabric(s);
}

#define SEVERE "error SymbolErrorCounter 10/1-20/2"

// As many symbol errors in 12 minutes as NVIDIA's PDR takes a link out of service for: more than
// 2.88 at 4X NDR, 1.44 at 4X HDR.
TEST(few_errors_count_where_errors_are_corrected)
{
    static const struct {
        uint16_t speed;
        uint64_t most;
    } LINKS[] = {{FABRIC_XDR, 5}, {FABRIC_NDR, 2}, {FABRIC_HDR, 1}};
    for (size_t i = 0; i < COUNT(LINKS); i++) {
        struct scene s = make_scene();
        uint64_t left = 0, none[] = {0};
        correct_errors(&s, LINKS[i].speed);
        read_both(&s, 0, 0);
        assert_int_equal(burn(&s, 200, &left, none, 1), 0);
        for (uint64_t k = 1; k <= LINKS[i].most; k++)
            assert_string_equal(read_both(&s, k, 0), "");
        assert_string_equal(read_both(&s, LINKS[i].most + 1, 0), SEVERE);
        assert_int_equal(s.last.unit, ERRORS_PER_BIT);
        assert_true(s.last.limit == 1e-14 && s.last.rate > 1e-14);
        end(&s);
    }
}

// 4X NDR: 15 errors in 125 minutes are 5e-15, 30 are 1e-14. None of them are close together.
TEST(a_warning_becomes_an_error)
{
    struct scene s = make_scene();
    uint64_t left = 0, slow[] = {1, 0, 0, 0, 0, 0, 0, 0}, fast[] = {1, 0, 0, 0, 0};
    correct_errors(&s, FABRIC_NDR);
    read_both(&s, 0, 0);
    assert_int_equal(burn(&s, 400, &left, slow + 1, 7), 0);
    s.limits.fec_per_bit[SYMBOL][ERROR_LIMITS - 2] = 0; // no limit in 12 minutes
    counter_watch_change(s.rates, &s.limits);
    assert_in_range(burn(&s, 500, &left, slow, COUNT(slow)), 113, 136);
    assert_int_equal(s.changes, 1);
    assert_false(s.last.severe);
    assert_true(s.last.limit == 5e-15);
    uint64_t faster[] = {1, 0, 0, 0};
    assert_int_not_equal(burn(&s, 200, &left, faster, COUNT(faster)), 0);
    assert_int_equal(s.changes, 2);
    assert_true(s.last.raised && s.last.severe && s.last.limit == 1e-14);
    assert_int_equal(burn(&s, 200, &left, fast, COUNT(fast)), 0); // an error stays an error
    uint64_t none[] = {0};
    assert_int_not_equal(burn(&s, 200, &left, none, 1), 0);
    assert_int_equal(s.changes, 3);
    assert_false(s.last.raised);
    end(&s);
}

// A link of EDR corrects errors if one of its ports says so.
TEST(corrections_show_the_error_correction)
{
    for (uint64_t corrected = 0; corrected < 2; corrected++) {
        struct scene s = make_scene();
        correct_errors(&s, FABRIC_EDR);
        limit_bits(&s, 1e-13, 1e-14);
        for (uint64_t errors = 0; errors < 2; errors++) {
            struct counter_sample *now = add(&s, LEFT, 1);
            now->sources = COUNTER_OF_FEC;
            now->values[SYMBOL] = errors;
            now->values[COUNTER_FEC_CORRECTED] = corrected * 1000;
            update(&s, MINUTE);
        }
        assert_string_equal(s.told, corrected ? SEVERE : "");
        end(&s);
    }
}

// The link trains: ten times as many errors are allowed for 125 minutes, and do not count later.
TEST(a_link_that_comes_up_is_judged_apart)
{
    struct scene s = make_scene();
    uint64_t left = 0, few[] = {2}, none[] = {0};
    correct_errors(&s, FABRIC_NDR);
    read_both(&s, 0, 0);
    assert_int_equal(burn(&s, 200, &left, none, 1), 0);
    add(&s, LEFT, 1)->values[SYMBOL] = left = 1000;
    add(&s, RIGHT, 2)->values[COUNTER_LINK_DOWNED] = 1; // this end counts
    assert_string_equal(update(&s, MINUTE), "");
    for (int i = 0; i < 124; i++) {
        add(&s, LEFT, 1)->values[SYMBOL] = left += few[0]; // 24 to 26 in 12 minutes
        add(&s, RIGHT, 2)->values[COUNTER_LINK_DOWNED] = 1;
        assert_string_equal(update(&s, MINUTE),
                            i == 75 ? "raised SymbolErrorCounter 10/1-20/2" : "");
    }
    assert_true(s.last.limit == 5e-14);
    assert_int_equal(s.last.covered_us / MINUTE, 76);
    for (int i = 0; i < 300; i++) {
        add(&s, LEFT, 1)->values[SYMBOL] = left;
        add(&s, RIGHT, 2)->values[COUNTER_LINK_DOWNED] = 1;
        if (*update(&s, MINUTE))
            assert_in_range(i, 124, 126);
    }
    assert_int_equal(s.changes, 2);
    for (uint64_t i = 1; i <= 3; i++) {
        add(&s, LEFT, 1)->values[SYMBOL] = left + i;
        add(&s, RIGHT, 2)->values[COUNTER_LINK_DOWNED] = 1;
        assert_string_equal(update(&s, MINUTE), i < 3 ? "" : SEVERE);
    }
    end(&s);
}

TEST(a_new_port_is_judged_apart)
{
    struct scene s = make_scene();
    correct_errors(&s, FABRIC_NDR);
    add(&s, RIGHT, 2);
    update(&s, MINUTE);
    read_both(&s, 7000, 0);
    assert_string_equal(read_both(&s, 7020, 0), "");
    assert_string_equal(read_both(&s, 7029, 0), SEVERE); // more than 28.8
    end(&s);
}

TEST(a_lost_packet_is_worth_a_warning_where_errors_are_corrected)
{
    static const struct {
        uint16_t speed;
        bool wide;
        const char *told;
    } LINKS[] = {{FABRIC_NDR, true, "raised PortRcvErrors 10/1-20/2"},
                 {FABRIC_NDR, false, ""},
                 {FABRIC_EDR, true, ""}};
    for (size_t i = 0; i < COUNT(LINKS); i++) {
        struct scene s = make_scene();
        correct_errors(&s, LINKS[i].speed);
        for (uint64_t k = 0; k < 2; k++) {
            struct counter_sample *now = add(&s, LEFT, 1);
            now->wide = LINKS[i].wide;
            now->values[COUNTER_RCV_ERRORS] = k;
            now->values[COUNTER_RCV_PKTS] = k * 60000000;
            update(&s, MINUTE);
        }
        assert_string_equal(s.told, LINKS[i].told);
        if (LINKS[i].told[0]) {
            assert_int_equal(s.last.unit, ERRORS_PER_PACKET);
            assert_true(s.last.rate > 1.66e-8 && s.last.rate < 1.67e-8); // 1 of 60,000,000
            assert_false(s.last.severe);
        }
        end(&s);
    }
}

// 13 minutes after the start the long window has 13 minutes.
TEST(a_window_is_what_was_watched)
{
    struct scene s = make_scene();
    uint64_t left = 0, each[] = {7};
    read_both(&s, 0, 0);
    assert_int_equal(burn(&s, 13, &left, each, 1), 2); // 14 are more than 60 an hour for 12 minutes
    assert_int_equal(s.last.errors, 14);
    assert_int_equal(s.last.covered_us / MINUTE, 2);
    assert_true(s.last.rate > 419 && s.last.rate < 421);
    const struct counter_measure measure = counter_watch_at(s.rates, ALARM_ABOUT_ERRORS, 0);
    assert_true(measure.per_second[ERROR_WINDOW_LONG] > 0.116 &&
                measure.per_second[ERROR_WINDOW_LONG] < 0.117); // 7 a minute
    end(&s);
}

// The text says minutes.
TEST(less_than_a_minute_is_a_minute)
{
    struct scene s = make_scene();
    read_both(&s, 0, 0);
    add(&s, LEFT, 1)->values[SYMBOL] = 40;
    add(&s, RIGHT, 2);
    assert_string_equal(update(&s, MINUTE / 3), RAISED);
    assert_true(s.last.covered_us == MINUTE && s.last.rate == 2400);
    end(&s);
}

// Links with error correction have limits; this link has none.
TEST(a_restored_alarm_ends_when_its_link_has_no_limit)
{
    struct scene s = make_scene();
    correct_errors(&s, FABRIC_EDR);
    memset(s.limits.per_hour, 0, sizeof s.limits.per_hour);
    counter_watch_change(s.rates, &s.limits);
    counter_watch_restore(s.rates, &ALARM);
    assert_string_equal(read_both(&s, 0, 0), CLEARED);
    assert_int_equal(s.last.covered_us, 0);
    end(&s);
}

// A few errors in the first minutes say little about two hours.
TEST(a_short_time_raises_nothing_by_itself)
{
    struct scene s = make_scene();
    s.limits.per_hour[SYMBOL][ERROR_WINDOW_SHORT] = 0;
    counter_watch_change(s.rates, &s.limits);
    read_both(&s, 0, 0);
    assert_string_equal(read_both(&s, 62, 0), ""); // 62.5 in 125 minutes are 30 an hour
    assert_string_equal(read_both(&s, 63, 0), RAISED);
    assert_int_equal(s.last.covered_us / MINUTE, 2);
    end(&s);
}

// Random: one end of a link, read at random times. What is told has to be what the oracle finds,
// but close to a limit, where a rounded error decides.

enum { GROWTHS = 4000 };

struct oracle {
    struct {
        int64_t from_us, to_us;
        double errors;
    } all[GROWTHS];
    int count;
    bool alarm;
};

// The errors since `from_us`.
static double errors_since(const struct oracle *o, int64_t from_us)
{
    double sum = 0;
    for (int i = 0; i < o->count; i++) {
        int64_t begin = o->all[i].from_us > from_us ? o->all[i].from_us : from_us;
        if (o->all[i].to_us > begin)
            sum += o->all[i].errors * (double)(o->all[i].to_us - begin) /
                   (double)(o->all[i].to_us - o->all[i].from_us);
    }
    return sum;
}

// Whether a window is over that part of its limit: 1, 0, or -1 where it is too close to say.
static int is_over(const struct scene *s, const struct oracle *o, double part, double errors_min)
{
    int over = 0;
    for (int w = 0; w < ERROR_WINDOWS; w++) {
        int64_t window = s->limits.window_us[w];
        // A window slides on by a twelfth: the errors of that twelfth may count or not.
        double most = errors_since(o, s->now_us - window - window / COUNTER_WINDOWS_SLOTS);
        double least = errors_since(o, s->now_us - window) - 30;
        double limit = s->limits.per_hour[SYMBOL][w] * part;
        double hours = (double)window / 3600e6;
        if (least / hours > limit && least >= errors_min)
            return 1;
        if (most / hours > limit && most >= errors_min)
            over = -1;
    }
    return over;
}

static void try_seed(uint64_t seed)
{
    struct generated_chance chance = {seed};
    struct scene s = make_scene();
    struct oracle *o = calloc(1, sizeof *o);
    assert_non_null(o);
    uint64_t value = generated_below(&chance, 60000);
    unsigned most = 1;
    read_both(&s, value, 0);
    for (int i = 0; i < GROWTHS; i++) {
        if (generated_below(&chance, 100) == 0)
            most = 1U << generated_below(&chance, 9);
        int64_t later = generated_below(&chance, 50) == 0
                            ? (int64_t)generated_below(&chance, 90) * MINUTE + 1
                            : 1 + (int64_t)generated_below(&chance, 120000000);
        unsigned growth = generated_below(&chance, 3) ? 0 : generated_below(&chance, most);
        bool reset = generated_below(&chance, 200) == 0;
        unsigned before = s.changes;
        value = reset ? growth : value + growth;
        struct counter_sample *now = add(&s, LEFT, 1);
        now->values[SYMBOL] = value;
        o->all[o->count].from_us = s.now_us;
        update(&s, later);
        o->all[o->count].to_us = s.now_us;
        o->all[o->count++].errors = growth;
        bool alarm = s.changes == before ? o->alarm : s.last.raised;
        int over = is_over(&s, o, 1, 5), clear = is_over(&s, o, 0.5, 0);
        if (s.changes > before + 1 || (!alarm && over == 1) || (alarm && !o->alarm && over == 0) ||
            (alarm && clear == 0) || (!alarm && o->alarm && clear == 1))
            fail_msg("seed %llu, step %d: %s, over %d, above half %d", (unsigned long long)seed, i,
                     alarm ? "alarm" : "no alarm", over, clear);
        o->alarm = alarm;
    }
    free(o);
    end(&s);
}

TEST(random_growth)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        try_seed(seed);
}

// One reading lacks the counters of the error correction: what comes then is no growth from zero.
TEST(a_lost_answer_about_the_error_correction_is_no_error)
{
    struct scene s = make_scene();
    const struct {
        bool fec;
        uint64_t blocks;
    } readings[] = {{true, 5000}, {false, 0}, {true, 5001}, {true, 5002}, {false, 0}, {true, 5003}};
    for (size_t i = 0; i < COUNT(readings); i++) {
        struct counter_sample *sample = add(&s, LEFT, 1);
        sample->sources = readings[i].fec ? COUNTER_OF_FEC : 0;
        sample->values[COUNTER_FEC_UNCORRECTABLE] = readings[i].blocks;
        assert_string_equal(update(&s, MINUTE), "");
    }
    struct counter_sample *sample = add(&s, LEFT, 1);
    sample->sources = COUNTER_OF_FEC;
    sample->values[COUNTER_FEC_UNCORRECTABLE] = 5100;
    assert_string_equal(update(&s, MINUTE), "raised PortFECUncorrectableBlockCtr 10/1-20/2");
    assert_int_equal(s.last.errors, 98);
    end(&s);
}

// A hundred thousand ports with an error each.
TEST(many_ports)
{
    enum { PORTS = 100000 };
    struct scene s = make_scene();
    struct counter_reading *reading =
        calloc(1, sizeof *reading + PORTS * sizeof reading->samples[0]);
    assert_non_null(reading);
    free(s.reading);
    s.reading = reading;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PORTS; i++)
            add(&s, 1000 + (uint64_t)i, 1)->values[SYMBOL] = (uint64_t)round * 50;
        s.told[0] = '\0';
        s.now_us += MINUTE;
        memset(s.told, 0, sizeof s.told);
        update_watch(&s);
        struct accumulated_counters *accumulated = accumulated_with(s.accumulated, s.reading);
        accumulated_unref(s.accumulated);
        s.accumulated = accumulated;
        s.reading->count = 0;
    }
    assert_int_equal(s.changes, PORTS);
    assert_int_equal(counter_watch_overflowed(s.rates, ALARM_ABOUT_ERRORS), 0);
    end(&s);
}

// Where each of them has several, the links without room are counted.
TEST(more_than_there_is_room_for)
{
    enum { PORTS = COUNTER_WATCH_ERRORS_MAX / 4 };
    struct scene s = make_scene();
    struct counter_reading *reading =
        calloc(1, sizeof *reading + (PORTS + 1) * sizeof reading->samples[0]);
    assert_non_null(reading);
    free(s.reading);
    s.reading = reading;
    for (uint64_t round = 0; round < 2; round++) {
        add(&s, 500, 1);
        for (int i = 0; i < PORTS; i++) {
            struct counter_sample *now = add(&s, 1000 + (uint64_t)i, 1);
            for (enum counter c = 0; c < 6; c++)
                now->values[c] = c == COUNTER_LINK_DOWNED ? 0 : round;
        }
        update(&s, MINUTE);
    }
    assert_int_equal(counter_watch_overflowed(s.rates, ALARM_ABOUT_ERRORS), PORTS);
    add(&s, 500, 1)->values[SYMBOL] = 1; // the first in order, and there is no room
    update(&s, MINUTE);
    assert_int_equal(counter_watch_overflowed(s.rates, ALARM_ABOUT_ERRORS), PORTS + 1);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_answer_about_the_error_correction_is_no_error),
        cmocka_unit_test(a_slow_burn_is_told_once),
        cmocka_unit_test(what_swings_about_a_limit_is_told_once),
        cmocka_unit_test(a_healthy_link_is_silent),
        cmocka_unit_test(a_burst_raises_and_its_end_clears),
        cmocka_unit_test(few_errors_raise_nothing),
        cmocka_unit_test(a_bit_error_rate_where_the_links_rate_is_known),
        cmocka_unit_test(errors_an_hour_where_it_is_not),
        cmocka_unit_test(a_link_that_goes_down_is_judged_as_before),
        cmocka_unit_test(both_ends_have_one_alarm),
        cmocka_unit_test(an_alarm_passes_from_one_end_to_the_other),
        cmocka_unit_test(each_counter_has_an_alarm_of_its_own),
        cmocka_unit_test(a_reset_does_no_harm),
        cmocka_unit_test(a_full_counter_keeps_its_alarm),
        cmocka_unit_test(a_full_counter_outlives_a_reading_without_its_port),
        cmocka_unit_test(the_alarm_of_a_full_counter_ends_when_its_port_stays_away),
        cmocka_unit_test(a_change_to_wide_counters_counts_nothing),
        cmocka_unit_test(what_a_port_counted_while_it_was_away_does_not_count),
        cmocka_unit_test(the_alarm_of_a_port_that_stays_away_ends),
        cmocka_unit_test(long_intervals_are_spread_over_their_time),
        cmocka_unit_test(a_cable_that_moved_ends_the_alarm),
        cmocka_unit_test(a_restored_alarm_ends_after_a_long_window),
        cmocka_unit_test(a_restored_alarm_is_not_raised_again),
        cmocka_unit_test(an_alarm_that_is_restored_late_joins_what_was_counted),
        cmocka_unit_test(limits_change),
        cmocka_unit_test(windows_of_another_length_begin_anew),
        cmocka_unit_test(a_counter_that_grows_without_bound),
        cmocka_unit_test(few_errors_count_where_errors_are_corrected),
        cmocka_unit_test(a_warning_becomes_an_error),
        cmocka_unit_test(corrections_show_the_error_correction),
        cmocka_unit_test(a_link_that_comes_up_is_judged_apart),
        cmocka_unit_test(a_new_port_is_judged_apart),
        cmocka_unit_test(a_lost_packet_is_worth_a_warning_where_errors_are_corrected),
        cmocka_unit_test(a_window_is_what_was_watched),
        cmocka_unit_test(a_short_time_raises_nothing_by_itself),
        cmocka_unit_test(less_than_a_minute_is_a_minute),
        cmocka_unit_test(a_restored_alarm_ends_when_its_link_has_no_limit),
        cmocka_unit_test(random_growth),
        cmocka_unit_test(many_ports),
        cmocka_unit_test(more_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
