// SPDX-License-Identifier: BSD-2-Clause
// Turns with the processors. In real time, but time decides nothing: a turn without an end of its
// own counts for an hour, a turn with an end for a moment.
#include "support.h"

#include "base/clock.h"
#include "base/turns.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 8, TURNS = 2000, AT_A_TIME = 3, FEW = 4 };
static const int64_t LONG_US = 3600 * CLOCK_US_PER_S;

static struct turns *turns;
static atomic_int now_have, most_had;
static atomic_uint had;

static void *take_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        const struct turn turn = turns_take(turns);
        const int have = atomic_fetch_add(&now_have, 1) + 1;
        for (int most = atomic_load(&most_had); have > most;)
            atomic_compare_exchange_weak(&most_had, &most, have);
        sched_yield();
        atomic_fetch_sub(&now_have, 1);
        turns_give(turns, turn);
    }
    return NULL;
}

TEST(so_many_have_one_at_a_time)
{
    turns = turns_make(AT_A_TIME, LONG_US);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_often, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_in_range(atomic_load(&most_had), 1, AT_A_TIME);
    turns_free(turns);
}

struct comer {
    atomic_int thread; // its number in the kernel; 0: not known yet
    pthread_t id;
};

static struct comer comers[FEW];
static size_t order[FEW], came; // whoever has the turn writes these

static void *come(void *arg)
{
    struct comer *comer = arg;
    atomic_store(&comer->thread, gettid());
    const struct turn turn = turns_take(turns);
    order[came++] = (size_t)(comer - comers);
    turns_give(turns, turn);
    return NULL;
}

// The third field of a task's stat file (proc(5)), "S" for one that sleeps.
static bool is_asleep(int thread)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    return strncmp(strrchr(line, ')'), ") S", 3) == 0;
}

// Starts a thread and waits until it waits for a turn.
static void start_comer(struct comer *comer)
{
    atomic_store(&comer->thread, 0);
    assert_int_equal(pthread_create(&comer->id, NULL, come, comer), 0);
    while (atomic_load(&comer->thread) == 0 || !is_asleep(atomic_load(&comer->thread)))
        sched_yield();
}

TEST(they_get_it_in_the_order_in_which_they_come)
{
    turns = turns_make(1, LONG_US);
    const struct turn own = turns_take(turns);
    for (size_t i = 0; i < FEW; i++)
        start_comer(&comers[i]);
    turns_give(turns, own);
    for (size_t i = 0; i < FEW; i++)
        pthread_join(comers[i].id, NULL);
    for (size_t i = 0; i < FEW; i++)
        assert_int_equal(order[i], i);
    turns_free(turns);
}

TEST(one_that_keeps_its_turn_stops_nobody)
{
    turns = turns_make(1, CLOCK_US_PER_MS);
    const struct turn kept = turns_take(turns), next = turns_take(turns);
    assert_int_not_equal(kept.number, next.number);
    turns_give(turns, next);
    turns_free(turns);
}

static void *take_one(void *arg)
{
    (void)arg;
    const struct turn turn = turns_take(turns);
    atomic_fetch_add(&had, 1);
    turns_give(turns, turn);
    return NULL;
}

// The place of a turn that no longer counts belongs to another thread.
TEST(one_that_comes_late_gives_back_nothing_of_others)
{
    pthread_t thread;
    turns = turns_make(1, LONG_US);
    const struct turn late = turns_take(turns);
    turns_give(turns, late);
    const struct turn own = turns_take(turns);
    turns_give(turns, late);
    assert_int_equal(pthread_create(&thread, NULL, take_one, NULL), 0);
    clock_sleep(20 * CLOCK_US_PER_MS); // enough time for the thread to take a turn by mistake
    assert_int_equal(atomic_load(&had), 0);
    turns_give(turns, own);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&had), 1);
    turns_free(turns);
}

TEST(without_turns_everybody_has_one)
{
    const struct turn turn = turns_take(NULL);
    turns_give(NULL, turn);
    turns_free(NULL);
    assert_true(turns_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_have_one_at_a_time),
        cmocka_unit_test(they_get_it_in_the_order_in_which_they_come),
        cmocka_unit_test(one_that_keeps_its_turn_stops_nobody),
        cmocka_unit_test(one_that_comes_late_gives_back_nothing_of_others),
        cmocka_unit_test(without_turns_everybody_has_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
