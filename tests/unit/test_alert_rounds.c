// SPDX-License-Identifier: BSD-2-Clause
// A long list at an Alertmanager that takes a second a request: every alert is posted, none expires
// unless the receiver says so, and no change waits for ever. The time is virtual.
#include "support.h"

#include "http/alert_list.h"

enum { MANY = 8000, EXPIRE_S = 20, REQUEST_S = 1, NEVER = -1 };

static struct alert_list *list;
static struct alert_place place;
static int64_t now_s;
static char body_buffer[ALERT_LIST_BODY_SIZE];
static int64_t sequences[2 * MANY]; // of the alarms
static int64_t ends_s[2 * MANY];    // of the alerts at the Alertmanager; NEVER: it was posted none
static size_t lapsed;
static bool told_late;

static int setup(void **state)
{
    (void)state;
    now_s = SUPPORT_UTC_US / CLOCK_US_PER_S;
    list = alert_list_new(EXPIRE_S * CLOCK_US_PER_S, &SUPPORT_SAME);
    place = (struct alert_place){.owes_round = true};
    for (size_t i = 0; i < 2 * MANY; i++) {
        sequences[i] = 1;
        ends_s[i] = NEVER;
    }
    lapsed = 0;
    told_late = false;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    alert_list_free(list);
    return 0;
}

static void scan(size_t count)
{
    alert_list_begin(list, now_s * CLOCK_US_PER_S);
    for (size_t i = 0; i < count; i++) {
        struct alarm a = {.last_sequence = sequences[i]};
        char labels[200], annotations[200];
        snprintf(a.key, sizeof a.key, "link %zu", i);
        if (alert_list_see(list, &a))
            continue;
        snprintf(labels, sizeof labels, "{\"alarmkey\":\"%s\"}", a.key);
        snprintf(annotations, sizeof annotations, "{\"n\":\"%lld\"}", (long long)sequences[i]);
        alert_list_put(list, &a, strdup(labels), strdup(annotations), false);
    }
    alert_list_end(list, true, now_s * CLOCK_US_PER_S);
}

// The alerts arrive as the answer comes: their ends were written before.
static void post(int64_t written_s)
{
    for (const char *at = body_buffer; (at = strstr(at, "\"link ")) != NULL; at++) {
        int64_t *ends = &ends_s[atoi(at + 6)];
        lapsed += *ends != NEVER && *ends < now_s;
        *ends = written_s + EXPIRE_S;
    }
}

// Lets so many seconds pass, a request in each `request_s`. Of the first `changing` alarms,
// `a_second` change in each second, in turn.
static void run(size_t count, int64_t seconds, int64_t request_s, size_t changing, size_t a_second)
{
    size_t next = 0;
    for (const int64_t until = now_s + seconds; now_s < until; now_s++) {
        const struct alert_list_times times = {now_s * CLOCK_US_PER_S, now_s * CLOCK_US_PER_S};
        struct text body = text_in(body_buffer, sizeof body_buffer);
        struct alert_place taken;
        size_t posted;
        for (size_t i = 0; i < a_second; i++, next = (next + 1) % changing)
            sequences[next]++;
        scan(count);
        told_late |= alert_list_lateness(list, &place, now_s * CLOCK_US_PER_S) > 0;
        if (!alert_list_take(list, &place, &times, ALERT_LIST_BATCH_MAX, &body, &posted, &taken))
            continue;
        const int64_t written_s = now_s;
        now_s += request_s - 1;
        post(written_s);
        alert_place_move(&place, &taken, (now_s + 1) * CLOCK_US_PER_S);
    }
}

static size_t count_never(size_t count)
{
    size_t never = 0;
    for (size_t i = 0; i < count; i++)
        never += ends_s[i] == NEVER;
    return never;
}

static size_t count_over(size_t count)
{
    size_t over = 0;
    for (size_t i = 0; i < count; i++)
        over += ends_s[i] < now_s;
    return over;
}

TEST(eight_thousand_alerts_at_a_request_a_second_stay)
{
    run(MANY, 20 * EXPIRE_S, REQUEST_S, 1, 0);
    assert_int_equal(count_over(MANY), 0);
    assert_int_equal(lapsed, 0);
}

// A list that cannot be kept is told, however long a request takes. One that can is not.
TEST(alerts_that_expire_are_told)
{
    for (size_t count = 250; count <= 2 * MANY; count += 1250) {
        for (int64_t request_s = 1; request_s < 10; request_s += 2) {
            teardown(NULL);
            setup(NULL);
            run(count, 10 * EXPIRE_S, request_s, 1, 0);
            if (lapsed > 0 && !told_late)
                fail_msg("%zu alerts at %lld s a request expire", count, (long long)request_s);
            const int64_t round_s = (int64_t)(count / ALERT_LIST_BATCH_MAX + 2) * request_s;
            if (told_late)
                assert_true(2 * round_s > EXPIRE_S);
        }
    }
}

// What is told stays told, and does not come and go with each round.
TEST(a_list_that_is_late_is_late_at_any_time)
{
    run(2 * MANY, 4 * EXPIRE_S, REQUEST_S, 1, 0);
    for (unsigned i = 0; i < 10 * EXPIRE_S; i++) {
        run(2 * MANY, 1, REQUEST_S, 1, 0);
        assert_true(alert_list_lateness(list, &place, now_s * CLOCK_US_PER_S) > 0);
    }
}

// More changes than the Alertmanager takes: an alert that changes again before its turn keeps the
// turn.
TEST(alerts_that_change_faster_than_they_are_taken_are_all_posted)
{
    run(MANY, 4 * EXPIRE_S, REQUEST_S, MANY, MANY / 10);
    assert_int_equal(count_never(MANY), 0);
}

// Half of the alarms change without end; the other half is posted in rounds all the same.
TEST(changes_without_end_leave_room_for_the_rounds)
{
    enum { FEW = 2000 };
    run(FEW, 20 * EXPIRE_S, REQUEST_S, FEW / 2, 600);
    assert_int_equal(count_over(FEW), 0);
    assert_int_equal(lapsed, 0);
}

#define ROUNDS(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUNDS(eight_thousand_alerts_at_a_request_a_second_stay),
        ROUNDS(alerts_that_expire_are_told),
        ROUNDS(a_list_that_is_late_is_late_at_any_time),
        ROUNDS(alerts_that_change_faster_than_they_are_taken_are_all_posted),
        ROUNDS(changes_without_end_leave_room_for_the_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
