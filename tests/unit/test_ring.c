// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/clock.h"
#include "base/ring.h"

#include <pthread.h>

enum { FOR_EVER = -1 };

static int items[8];

TEST(first_in_first_out)
{
    struct ring *ring = ring_new(3, 1);
    for (int round = 0; round < 5; round++) {
        assert_true(ring_push(ring, &items[0], 0));
        assert_true(ring_push(ring, &items[1], 0));
        assert_ptr_equal(ring_pop(ring, 0, 1), &items[0]);
        assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &items[1]);
        assert_null(ring_pop(ring, 0, 1));
    }
    ring_free(ring);
}

TEST(a_full_ring_refuses)
{
    struct ring *ring = ring_new(2, 1);
    assert_true(ring_push(ring, &items[0], 0));
    assert_true(ring_push(ring, &items[1], 0));
    assert_false(ring_push(ring, &items[2], 0));
    assert_int_equal(ring_count(ring), 2);
    assert_ptr_equal(ring_pop(ring, 0, 1), &items[0]);
    assert_int_equal(ring_count(ring), 1);
    assert_true(ring_push(ring, &items[3], 0));
    assert_ptr_equal(ring_pop(ring, 0, 1), &items[1]);
    assert_ptr_equal(ring_pop(ring, 0, 1), &items[3]);
    ring_free(ring);
}

TEST(places_can_be_spared_for_others)
{
    struct ring *ring = ring_new(3, 1);
    assert_false(ring_push(ring, &items[0], 3));
    assert_true(ring_push(ring, &items[0], 2));
    assert_false(ring_push(ring, &items[1], 2));
    assert_true(ring_push(ring, &items[1], 1));
    assert_true(ring_push(ring, &items[2], 0));
    assert_ptr_equal(ring_pop(ring, 0, 1), &items[0]);
    assert_false(ring_push(ring, &items[3], 1));
    ring_free(ring);
}

TEST(a_closed_ring_gives_back_what_it_has)
{
    struct ring *ring = ring_new(2, 1);
    assert_true(ring_push(ring, &items[0], 0));
    assert_false(ring_closed(ring));
    ring_close(ring);
    assert_true(ring_closed(ring));
    assert_false(ring_push(ring, &items[1], 0));
    assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &items[0]);
    assert_null(ring_pop(ring, FOR_EVER, 1));
    ring_free(ring);
}

static void *pop_one(void *arg)
{
    return ring_pop(arg, FOR_EVER, 1);
}

TEST(who_waits_gets_the_next_item)
{
    struct ring *ring = ring_new(1, 1);
    pthread_t thread;
    void *popped;
    assert_int_equal(pthread_create(&thread, NULL, pop_one, ring), 0);
    assert_true(ring_push(ring, &items[4], 0));
    assert_int_equal(pthread_join(thread, &popped), 0);
    assert_ptr_equal(popped, &items[4]);
    ring_free(ring);
}

TEST(closing_wakes_all_who_wait)
{
    struct ring *ring = ring_new(1, 1);
    pthread_t threads[3];
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pop_one, ring), 0);
    ring_close(ring);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *popped;
        assert_int_equal(pthread_join(threads[i], &popped), 0);
        assert_null(popped);
    }
    ring_free(ring);
}

enum { MANY = 20000 };
static int many[MANY];

static void *push_many(void *arg)
{
    for (int i = 0; i < MANY;)
        i += ring_push(arg, &many[i], 0);
    ring_close(arg);
    return NULL;
}

TEST(order_holds_between_threads)
{
    struct ring *ring = ring_new(7, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_many, ring), 0);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &many[i]);
    assert_null(ring_pop(ring, FOR_EVER, 1));
    pthread_join(thread, NULL);
    ring_free(ring);
}

// Leads as soon as there is something to do, takes an item and resigns.
static void *lead_for_one(void *arg)
{
    while (!ring_lead(arg, 60 * CLOCK_US_PER_S)) {
    }
    void *item = ring_pop(arg, 0, 1);
    ring_resign(arg);
    return item;
}

TEST(one_leads_at_a_time)
{
    struct ring *ring = ring_new(2, 1);
    assert_true(ring_lead(ring, 0));
    assert_false(ring_lead(ring, 0));
    ring_resign(ring);
    assert_true(ring_lead(ring, 0)); // nobody else wants to
    assert_true(ring_push(ring, &items[0], 0));
    assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &items[0]);
    ring_free(ring);
}

TEST(another_leads_when_the_leader_resigns_and_something_waits)
{
    struct ring *ring = ring_new(2, 1);
    pthread_t thread;
    void *led = NULL;
    assert_true(ring_lead(ring, 0));
    assert_int_equal(pthread_create(&thread, NULL, lead_for_one, ring), 0);
    assert_true(ring_push(ring, &items[0], 0));
    assert_true(ring_push(ring, &items[1], 0));
    assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &items[0]);
    ring_resign(ring);
    pthread_join(thread, &led);
    assert_ptr_equal(led, &items[1]);
    ring_free(ring);
}

TEST(an_item_wakes_who_wants_to_lead)
{
    struct ring *ring = ring_new(2, 1);
    pthread_t thread;
    void *led = NULL;
    assert_true(ring_lead(ring, 0));
    assert_int_equal(pthread_create(&thread, NULL, lead_for_one, ring), 0);
    ring_resign(ring);
    assert_true(ring_push(ring, &items[2], 0));
    pthread_join(thread, &led);
    assert_true(led == &items[2] || ring_pop(ring, 0, 1) == &items[2]); // it led before the push
    ring_free(ring);
}

TEST(only_a_crowd_wakes_who_wants_to_lead)
{
    struct ring *ring = ring_new(4, 2);
    pthread_t thread;
    void *led = NULL;
    assert_true(ring_lead(ring, 0));
    assert_int_equal(pthread_create(&thread, NULL, lead_for_one, ring), 0);
    assert_true(ring_push(ring, &items[0], 0));
    assert_ptr_equal(ring_pop(ring, 0, 2), &items[0]); // fewer than awaited, as the time is over
    assert_true(ring_push(ring, &items[1], 0));
    ring_resign(ring);
    assert_true(ring_lead(ring, 0)); // the other thread sleeps on, or has not begun to wait
    assert_int_equal(ring_count(ring), 1);
    ring_resign(ring);
    assert_true(ring_push(ring, &items[2], 0));
    pthread_join(thread, &led);
    assert_ptr_equal(led, &items[1]);
    ring_free(ring);
}

static void *wake(void *arg)
{
    ring_wake(arg);
    return NULL;
}

TEST(a_leader_can_be_woken_without_an_item)
{
    struct ring *ring = ring_new(1, 1);
    pthread_t thread;
    assert_true(ring_lead(ring, 0));
    assert_int_equal(pthread_create(&thread, NULL, wake, ring), 0);
    assert_null(ring_pop(ring, FOR_EVER, 1));
    pthread_join(thread, NULL);
    ring_resign(ring);
    ring_wake(ring); // nobody leads: the next leader waits all the same
    assert_true(ring_lead(ring, 0));
    assert_true(ring_push(ring, &items[0], 0));
    assert_ptr_equal(ring_pop(ring, FOR_EVER, 1), &items[0]);
    ring_free(ring);
}

TEST(closing_lets_all_lead_one_after_the_other)
{
    struct ring *ring = ring_new(1, 1);
    pthread_t threads[3];
    assert_true(ring_lead(ring, 0));
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, lead_for_one, ring), 0);
    ring_close(ring);
    ring_resign(ring);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *item;
        assert_int_equal(pthread_join(threads[i], &item), 0);
        assert_null(item);
    }
    ring_free(ring);
}

TEST(freeing_nothing_is_fine)
{
    ring_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_first_out),
        cmocka_unit_test(a_full_ring_refuses),
        cmocka_unit_test(places_can_be_spared_for_others),
        cmocka_unit_test(a_closed_ring_gives_back_what_it_has),
        cmocka_unit_test(who_waits_gets_the_next_item),
        cmocka_unit_test(closing_wakes_all_who_wait),
        cmocka_unit_test(order_holds_between_threads),
        cmocka_unit_test(one_leads_at_a_time),
        cmocka_unit_test(another_leads_when_the_leader_resigns_and_something_waits),
        cmocka_unit_test(an_item_wakes_who_wants_to_lead),
        cmocka_unit_test(only_a_crowd_wakes_who_wants_to_lead),
        cmocka_unit_test(a_leader_can_be_woken_without_an_item),
        cmocka_unit_test(closing_lets_all_lead_one_after_the_other),
        cmocka_unit_test(freeing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
