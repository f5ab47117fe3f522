// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "journal/journal.h"
#include "journal/shared_events.h"

#include <pthread.h>

enum { AT_ONCE = 70, THREADS = 4, ROUNDS = 300 };

static struct shared_events shared;

static int begin(void **state)
{
    (void)state;
    shared_events_begin(&shared);
    return 0;
}

static int end(void **state)
{
    (void)state;
    shared_events_end(&shared);
    return 0;
}

static void drop(struct journal_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        event_unref(items[i].event);
}

// Keeps the events from `first` on, `n` of them, and drops the caller's references.
static void keep(int64_t first, size_t n)
{
    struct journal_item items[AT_ONCE];
    for (size_t i = 0; i < n; i++) {
        items[i] = (struct journal_item){first + (int64_t)i, event_make(NULL)};
        items[i].event->number = first + (int64_t)i;
    }
    shared_events_keep(&shared, items, n);
    drop(items, n);
}

// How many are found after a number. Each has its number.
static size_t find(int64_t after, size_t n)
{
    struct journal_item items[AT_ONCE];
    size_t count = shared_events_find(&shared, after, items, n);
    for (size_t i = 0; i < count; i++) {
        const int64_t number = after + 1 + (int64_t)i;
        if (items[i].sequence != number || items[i].event->number != number)
            abort(); // cmocka's assertions are for the main thread
    }
    drop(items, count);
    return count;
}

TEST(what_was_kept_is_found_up_to_the_first_that_is_missing)
{
    assert_int_equal(find(0, AT_ONCE), 0);
    keep(1, 10);
    keep(12, 5);
    assert_int_equal(find(0, AT_ONCE), 10);
    assert_int_equal(find(0, 4), 4);
    assert_int_equal(find(9, AT_ONCE), 1);
    assert_int_equal(find(10, AT_ONCE), 0);
    assert_int_equal(find(11, AT_ONCE), 5);
    assert_int_equal(find(11, 0), 0);
    keep(11, 1);
    assert_int_equal(find(0, AT_ONCE), 16);
}

TEST(an_event_that_could_not_be_read_is_not_kept)
{
    struct journal_item items[] = {{1, NULL}, {2, event_make(NULL)}};
    items[1].event->number = 2;
    keep(1, 1);
    shared_events_keep(&shared, items, 2);
    assert_int_equal(find(0, AT_ONCE), 2);
    event_unref(items[1].event);
}

TEST(a_new_event_takes_the_place_of_an_old_one)
{
    keep(1, AT_ONCE);
    keep(1 + SHARED_EVENTS_MAX, 2);
    assert_int_equal(find(0, AT_ONCE), 0);
    assert_int_equal(find(2, AT_ONCE), AT_ONCE - 2);
    assert_int_equal(find(SHARED_EVENTS_MAX, AT_ONCE), 2);
}

TEST(the_old_one_is_let_go_of)
{
    struct event *old = event_make(NULL);
    struct journal_item item = {5, old};
    old->number = 5;
    shared_events_keep(&shared, &item, 1);
    assert_int_equal(old->references, 2);
    shared_events_keep(&shared, &item, 1);
    assert_int_equal(old->references, 2);
    keep(5 + SHARED_EVENTS_MAX, 1);
    assert_int_equal(old->references, 1);
    event_unref(old);
}

TEST(what_is_forgotten_is_gone)
{
    keep(1000, AT_ONCE);
    shared_events_forget(&shared, 1004);
    assert_int_equal(find(999, AT_ONCE), 0);
    assert_int_equal(find(1003, AT_ONCE), 0);
    assert_int_equal(find(1004, AT_ONCE), AT_ONCE - 5);
    shared_events_try_to_forget(&shared, 1010);
    assert_int_equal(find(1009, AT_ONCE), 0);
    assert_int_equal(find(1010, AT_ONCE), AT_ONCE - 11);
    shared_events_forget(&shared, INT64_MAX);
    assert_int_equal(find(1004, AT_ONCE), 0);
}

static void *try_to_forget(void *arg)
{
    (void)arg;
    shared_events_try_to_forget(&shared, 10);
    return NULL;
}

TEST(a_thread_that_tries_to_forget_waits_for_nobody)
{
    pthread_t thread;
    keep(1, 10);
    pthread_mutex_lock(&shared.lock);
    assert_int_equal(pthread_create(&thread, NULL, try_to_forget, NULL), 0);
    pthread_join(thread, NULL); // otherwise never
    pthread_mutex_unlock(&shared.lock);
    assert_int_equal(find(0, AT_ONCE), 10);
    try_to_forget(NULL);
    assert_int_equal(find(0, AT_ONCE), 0);
}

static void *use(void *arg)
{
    const int64_t own = *(const int64_t *)arg;
    for (int64_t i = 0; i < ROUNDS; i++) {
        keep(1 + i * 7 + own * SHARED_EVENTS_MAX, AT_ONCE); // the same places as the others'
        find(i * 7, AT_ONCE);
        find(i * 7 + SHARED_EVENTS_MAX, AT_ONCE);
        if (i % 10 == 0)
            shared_events_forget(&shared, i * 5);
        shared_events_try_to_forget(&shared, i * 4);
    }
    return NULL;
}

TEST(threads_find_only_what_they_ask_for)
{
    pthread_t threads[THREADS];
    int64_t own[THREADS];
    for (int t = 0; t < THREADS; t++) {
        own[t] = t % 2;
        assert_int_equal(pthread_create(&threads[t], NULL, use, &own[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

#define SHARED_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARED_TEST(what_was_kept_is_found_up_to_the_first_that_is_missing),
        SHARED_TEST(an_event_that_could_not_be_read_is_not_kept),
        SHARED_TEST(a_new_event_takes_the_place_of_an_old_one),
        SHARED_TEST(the_old_one_is_let_go_of),
        SHARED_TEST(what_is_forgotten_is_gone),
        SHARED_TEST(a_thread_that_tries_to_forget_waits_for_nobody),
        SHARED_TEST(threads_find_only_what_they_ask_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
