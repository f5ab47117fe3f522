// SPDX-License-Identifier: BSD-2-Clause
// The oracle of the random test keeps every incident, and counts by looking at all of them.
#include "generated.h"
#include "support.h"

#include "topology/link_history.h"

#define MINUTE (INT64_C(60) * 1000000)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

static struct link_history *history;
static struct link_history_limits limits;
static int64_t now_us;
static char told[4000];
static struct alarm_key elsewhere;

static bool is_elsewhere(void *ctx, const struct alarm_key *link)
{
    (void)ctx;
    return link->guid == elsewhere.guid && link->port == elsewhere.port &&
           link->peer_guid == elsewhere.peer_guid;
}

static void tell(void *ctx, const struct link_record *record, enum link_verdict verdict)
{
    static const char *const WORDS[] = {"unreliable", "fewer", "elsewhere", "no limit"};
    (void)ctx;
    size_t used = strlen(told);
    assert_int_equal(record->unreliable, verdict == LINK_IS_UNRELIABLE);
    snprintf(told + used, sizeof told - used, "%s%s %x/%u-%x/%u: %u", used ? "; " : "",
             WORDS[verdict], (unsigned)record->link.guid, record->link.port,
             (unsigned)record->link.peer_guid, record->link.peer_port, record->count);
}

static const struct link_history_judge JUDGE = {is_elsewhere, tell, NULL};

static const char *update(int64_t later_us)
{
    told[0] = '\0';
    now_us += later_us;
    link_history_update(history, now_us, &JUDGE);
    return told;
}

static int begin(void **state)
{
    (void)state;
    limits = (struct link_history_limits){.occasions = 3, .window_us = 30 * DAY};
    history = link_history_new(&limits);
    now_us = 5 * DAY;
    elsewhere = (struct alarm_key){0};
    return history ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    link_history_free(history);
    return 0;
}

static struct alarm_key link_of(unsigned number)
{
    return link_history_key(0x10, (uint8_t)number, 0x100 + number, 1);
}

static void happen(unsigned number, enum link_incident_kind kind)
{
    link_history_add(history, &(struct link_incident){.link = link_of(number),
                                                      .kind = kind,
                                                      .at_us = now_us,
                                                      .utc_us = now_us + 90 * DAY});
}

TEST(a_link_that_fails_on_three_days_is_unreliable_until_the_first_is_forgotten)
{
    happen(7, LINK_FAILED);
    assert_string_equal(update(DAY), "");
    happen(7, LINK_FLAPPED);
    assert_string_equal(update(DAY), "");
    happen(7, LINK_HAD_ERRORS);
    assert_string_equal(update(0), ""); // whether it happened to the whole node is not known yet
    assert_true(link_history_due(history) <= now_us + MINUTE);
    assert_string_equal(update(MINUTE), "unreliable 10/7-107/1: 3");
    assert_string_equal(update(DAY), "");
    assert_string_equal(update(27 * DAY - 2 * MINUTE), "");
    assert_string_equal(update(2 * MINUTE), "fewer 10/7-107/1: 2");
    update(40 * DAY);
    assert_int_equal(link_history_count(history), 0);
}

TEST(what_happens_within_an_hour_is_one_occasion)
{
    struct link_record worst;
    for (int i = 0; i < 50; i++) {
        happen(7, i % 2 ? LINK_FAILED : LINK_HAD_ERRORS);
        assert_string_equal(update(HOUR / 50), "");
    }
    assert_string_equal(update(MINUTE), "");
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, &worst, 1), 1);
    assert_int_equal(worst.count, 1);
    assert_int_equal(link_record_incidents(&worst, LINK_FAILED), 25);
    assert_int_equal(link_record_incidents(&worst, LINK_HAD_ERRORS), 25);
    assert_int_equal(link_record_incidents(&worst, LINK_FLAPPED), 0);
    assert_int_equal(worst.occasions[0].utc_us, 95 * DAY);
}

// Somebody who asks right after a failure is not told that no link failed.
TEST(a_failure_is_listed_at_once_and_that_of_a_node_is_not)
{
    struct link_record listed[2];
    happen(7, LINK_FAILED);
    assert_int_equal(link_history_list(history, LINK_LATEST_FIRST, listed, 2), 1);
    assert_int_equal(link_record_incidents(&listed[0], LINK_FAILED), 1);
    assert_int_equal(link_history_count(history), 1);
    assert_string_equal(update(2 * LINK_HISTORY_SETTLE_US), ""); // counted now, and once
    assert_int_equal(link_history_list(history, LINK_LATEST_FIRST, listed, 2), 1);
    assert_int_equal(link_record_incidents(&listed[0], LINK_FAILED), 1);
    for (unsigned i = 40; i < 40 + LINK_HISTORY_SHARED; i++)
        happen(i, LINK_FAILED);
    assert_int_equal(link_history_list(history, LINK_LATEST_FIRST, listed, 2), 1);
}

// A switch that restarts three times makes none of its links unreliable, and a switch with 48,000
// links does not either.
TEST(what_happens_to_a_node_counts_for_none_of_its_links)
{
    for (int day = 0; day < 5; day++) {
        for (unsigned i = 0; i < 40; i++)
            happen(i, LINK_FAILED);
        happen(200, LINK_FAILED);
        assert_string_equal(update(DAY), "");
    }
    assert_int_equal(link_history_count(history), 0);
    for (int day = 0; day < 5; day++) {
        for (unsigned i = 0; i < 48000; i++)
            link_history_add(history, &(struct link_incident){
                                          .link = link_history_key(
                                              0x10 + i / 40, (uint8_t)(i % 40 + 1), 0x10000 + i, 1),
                                          .at_us = now_us});
        assert_string_equal(update(DAY), "");
    }
    assert_int_equal(link_history_count(history), 0);
}

// Adds a failure of adapter `adapter` of the host at a leaf.
static void fail_of_host(uint64_t host, unsigned adapter, unsigned leaf)
{
    link_history_add(history, &(struct link_incident){
                                  .link = link_history_key(0x100 + adapter, 1, 0x200 + leaf, 7),
                                  .host = host,
                                  .at_us = now_us});
}

TEST(what_happens_to_a_host_counts_for_none_of_its_links)
{
    for (int day = 0; day < 5; day++) { // two adapters on two leaves
        fail_of_host(1, 0, 0);
        fail_of_host(1, 1, 1);
        assert_string_equal(update(DAY), "");
    }
    assert_int_equal(link_history_count(history), 0);
}

// A split cable leads from one leaf to two adapters; another host's link has nothing to do with it.
TEST(the_links_of_a_host_that_share_a_cable_count)
{
    for (int day = 0; day < 5; day++) {
        fail_of_host(1, 0, 0);
        fail_of_host(1, 1, 0);
        fail_of_host(2, 2, 1);
        update(DAY);
    }
    assert_int_equal(link_history_count(history), 3);
}

TEST(the_links_of_a_split_cable_count)
{
    for (int day = 0; day < 3; day++) {
        for (unsigned i = 1; i < LINK_HISTORY_SHARED; i++)
            happen(i, LINK_FAILED);
        update(DAY);
    }
    assert_int_equal(link_history_count(history), LINK_HISTORY_SHARED - 1);
    assert_non_null(strstr(told, "unreliable 10/4-104/1: 3"));
}

TEST(alarms_are_bounded_and_so_are_links)
{
    for (int day = 0; day < 3; day++) {
        for (unsigned i = 0; i < LINK_HISTORY_LINKS_MAX + 100; i++)
            link_history_add(history, &(struct link_incident){.link = link_history_key(
                                                                  0x10 + 2 * i, 1, 0x11 + 2 * i, 1),
                                                              .at_us = now_us});
        update(DAY);
    }
    struct link_record *all = calloc(LINK_HISTORY_LINKS_MAX, sizeof *all);
    size_t unreliable = 0;
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, all, LINK_HISTORY_LINKS_MAX),
                     LINK_HISTORY_LINKS_MAX);
    for (size_t i = 0; i < LINK_HISTORY_LINKS_MAX; i++)
        unreliable += all[i].unreliable;
    free(all);
    assert_int_equal(unreliable, LINK_HISTORY_UNRELIABLE_MAX);
    assert_true(link_history_overflowed(history) >=
                300 + LINK_HISTORY_LINKS_MAX - LINK_HISTORY_UNRELIABLE_MAX);
    limits.occasions = 0;
    link_history_change(history, &limits);
    update(0);
    assert_non_null(strstr(told, "no limit"));
    limits.occasions = 3;
    link_history_change(history, &limits);
    update(0);
    assert_non_null(strstr(told, "unreliable"));
}

// An alarm of a run before that had no record would never end.
TEST(an_alarm_is_restored_among_as_many_links_as_there_is_room_for)
{
    for (unsigned i = 0; i < LINK_HISTORY_LINKS_MAX; i++)
        link_history_add(history, &(struct link_incident){
                                      .link = link_history_key(0x10 + 2 * i, 1, 0x11 + 2 * i, 1),
                                      .at_us = now_us});
    update(DAY);
    assert_int_equal(link_history_count(history), LINK_HISTORY_LINKS_MAX);
    const struct alarm_key link = link_history_key(0x5, 1, 0x6, 1),
                           other = link_history_key(0x7, 1, 0x8, 1);
    link_history_restore(history, &link, now_us, now_us);
    link_history_restore(history, &other, now_us, now_us);
    assert_int_equal(link_history_count(history), LINK_HISTORY_LINKS_MAX);
    assert_string_equal(update(0), "");
    assert_string_equal(update(30 * DAY), "fewer 5/1-6/1: 0; fewer 7/1-8/1: 0");
    assert_int_equal(link_history_overflowed(history), 0);
}

// Each failure is counted once, not with each look.
TEST(links_without_room_for_their_alarm_are_counted_once)
{
    for (int day = 0; day < 3; day++) {
        for (unsigned i = 0; i < LINK_HISTORY_UNRELIABLE_MAX + 10; i++)
            link_history_add(history, &(struct link_incident){.link = link_history_key(
                                                                  0x10 + 2 * i, 1, 0x11 + 2 * i, 1),
                                                              .at_us = now_us});
        update(DAY);
    }
    update(MINUTE);
    assert_int_equal(link_history_overflowed(history), 10);
    for (int i = 0; i < 5; i++)
        update(MINUTE);
    assert_int_equal(link_history_overflowed(history), 10);
}

static void make_unreliable(unsigned number)
{
    for (int day = 0; day < 3; day++) {
        happen(number, LINK_FAILED);
        update(DAY);
    }
    assert_non_null(strstr(told, "unreliable"));
}

TEST(a_cable_that_is_elsewhere_has_no_alarm_until_it_is_back)
{
    make_unreliable(7);
    elsewhere = link_of(7);
    assert_string_equal(update(MINUTE), "elsewhere 10/7-107/1: 3");
    assert_string_equal(update(MINUTE), "");
    elsewhere = (struct alarm_key){0};
    assert_string_equal(update(MINUTE), "unreliable 10/7-107/1: 3");
}

TEST(what_is_cleared_by_hand_begins_anew)
{
    const struct alarm_key link = link_of(7);
    make_unreliable(7);
    happen(7, LINK_FAILED);
    link_history_forget(history, &link);
    assert_int_equal(link_history_count(history), 0);
    assert_string_equal(update(DAY), "");
    happen(7, LINK_FAILED);
    assert_string_equal(update(DAY), "");
    assert_int_equal(link_history_count(history), 1);
}

TEST(other_limits_hold_at_once)
{
    make_unreliable(7);
    limits.occasions = 4;
    link_history_change(history, &limits);
    assert_true(link_history_due(history) <= now_us);
    assert_string_equal(update(0), "fewer 10/7-107/1: 3");
    limits.occasions = 2;
    link_history_change(history, &limits);
    assert_string_equal(update(0), "unreliable 10/7-107/1: 3");
    limits.window_us = DAY;
    link_history_change(history, &limits);
    assert_string_equal(update(0), "fewer 10/7-107/1: 0");
}

TEST(an_alarm_is_restored)
{
    const struct alarm_key link = link_of(7), lost = link_of(8);
    now_us = -2 * DAY; // before the clock began
    for (int day = 0; day < 3; day++) {
        happen(7, LINK_FAILED);
        now_us += DAY;
    }
    link_history_restore(history, &link, now_us - DAY, now_us);
    link_history_restore(history, &lost, now_us - DAY, now_us); // the journal lost its events
    assert_string_equal(update(0), "");
    assert_string_equal(update(27 * DAY), "fewer 10/7-107/1: 2");
    assert_string_equal(update(2 * DAY - 1), "");
    assert_string_equal(update(1), "fewer 10/8-108/1: 0");
    link_history_restore(history, &link, now_us, now_us);
    limits.occasions = 0;
    link_history_change(history, &limits);
    assert_string_equal(update(0), "no limit 10/7-107/1: 0");
}

TEST(only_the_last_occasions_are_kept)
{
    struct link_record worst[2];
    happen(8, LINK_FAILED);
    for (int i = 0; i < 20; i++) {
        happen(7, LINK_FAILED);
        update(DAY / 2);
    }
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, worst, 2), 2);
    assert_int_equal(worst[0].link.port, 7);
    assert_int_equal(worst[0].count, LINK_HISTORY_OCCASIONS_MAX);
    assert_int_equal(worst[0].occasions[0].utc_us, 95 * DAY + 2 * DAY);
    assert_int_equal(worst[1].link.port, 8);
    happen(8, LINK_FAILED);
    update(MINUTE);
    assert_int_equal(link_history_list(history, LINK_LATEST_FIRST, worst, 1), 1);
    assert_int_equal(worst[0].link.port, 8);
}

// The random test.

enum { NODES = 6, PORTS = 7, LINKS = NODES * PORTS, INCIDENTS = 3000 };

struct oracle {
    struct {
        unsigned link;
        int64_t at_us;
        bool shared;
    } incidents[INCIDENTS];
    size_t count, settled; // incidents before `settled` are judged
};

// Link i is between port i % PORTS + 1 of node i / PORTS and a host of its own.
static struct alarm_key oracle_link(unsigned i)
{
    return link_history_key(0x10 + i / PORTS, (uint8_t)(i % PORTS + 1), 0x100 + i, 1);
}

static void oracle_settle(struct oracle *o)
{
    for (size_t i = o->settled; i < o->count; i++) {
        unsigned touched = 0;
        for (unsigned port = 0; port < PORTS; port++) {
            const unsigned link = o->incidents[i].link / PORTS * PORTS + port;
            bool any = false;
            for (size_t k = o->settled; k < o->count; k++)
                any = any || o->incidents[k].link == link;
            touched += any;
        }
        o->incidents[i].shared = touched >= LINK_HISTORY_SHARED;
    }
    o->settled = o->count;
}

static bool oracle_is_due(const struct oracle *o)
{
    return o->settled < o->count && now_us - o->incidents[o->settled].at_us >= MINUTE;
}

static unsigned oracle_count(const struct oracle *o, unsigned link)
{
    unsigned count = 0;
    int64_t occasion = INT64_MIN / 2;
    for (size_t i = 0; i < o->settled; i++) {
        if (o->incidents[i].link != link || o->incidents[i].shared ||
            o->incidents[i].at_us - occasion < HOUR)
            continue;
        occasion = o->incidents[i].at_us;
        count += now_us - occasion < limits.window_us;
    }
    return count < LINK_HISTORY_OCCASIONS_MAX ? count : LINK_HISTORY_OCCASIONS_MAX;
}

// The list also has what is not judged yet, as far as is known. The verdicts do not.
static void compare_with_oracle(const struct oracle *o)
{
    struct oracle *listed = malloc(sizeof *listed);
    assert_non_null(listed);
    *listed = *o;
    oracle_settle(listed);
    struct link_record all[LINKS];
    const size_t n = link_history_list(history, LINK_WORST_FIRST, all, LINKS);
    assert_int_equal(n, link_history_count(history));
    for (unsigned i = 0; i < LINKS; i++) {
        const struct alarm_key link = oracle_link(i);
        unsigned count = 0;
        bool unreliable = false;
        for (size_t k = 0; k < n; k++) {
            if (all[k].link.guid == link.guid && all[k].link.port == link.port) {
                count = all[k].count;
                unreliable = all[k].unreliable;
            }
        }
        assert_int_equal(count, oracle_count(listed, i));
        assert_int_equal(unreliable, oracle_count(o, i) >= limits.occasions);
    }
    free(listed);
}

TEST(it_counts_as_one_that_remembers_everything)
{
    struct generated_chance chance = {7};
    struct oracle *o = calloc(1, sizeof *o);
    assert_non_null(o);
    limits.window_us = 3 * DAY;
    link_history_change(history, &limits);
    while (o->count < INCIDENTS) {
        const unsigned link = generated_below(&chance, LINKS);
        static const int64_t STEPS[] = {1, MINUTE / 9, MINUTE, HOUR / 2, 4 * HOUR};
        if (oracle_is_due(o))
            oracle_settle(o);
        link_history_add(history,
                         &(struct link_incident){.link = oracle_link(link), .at_us = now_us});
        o->incidents[o->count].link = link;
        o->incidents[o->count++].at_us = now_us;
        now_us += STEPS[generated_below(&chance, generated_below(&chance, 5) == 0 ? 5 : 3)];
        if (generated_below(&chance, 10) > 0)
            continue;
        if (oracle_is_due(o))
            oracle_settle(o);
        update(0);
        compare_with_oracle(o);
    }
    free(o);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_link_that_fails_on_three_days_is_unreliable_until_the_first_is_forgotten),
        CASE(what_happens_within_an_hour_is_one_occasion),
        CASE(what_happens_to_a_node_counts_for_none_of_its_links),
        CASE(a_failure_is_listed_at_once_and_that_of_a_node_is_not),
        CASE(what_happens_to_a_host_counts_for_none_of_its_links),
        CASE(the_links_of_a_host_that_share_a_cable_count),
        CASE(the_links_of_a_split_cable_count),
        CASE(alarms_are_bounded_and_so_are_links),
        CASE(an_alarm_is_restored_among_as_many_links_as_there_is_room_for),
        CASE(links_without_room_for_their_alarm_are_counted_once),
        CASE(a_cable_that_is_elsewhere_has_no_alarm_until_it_is_back),
        CASE(what_is_cleared_by_hand_begins_anew),
        CASE(other_limits_hold_at_once),
        CASE(an_alarm_is_restored),
        CASE(only_the_last_occasions_are_kept),
        CASE(it_counts_as_one_that_remembers_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
