// SPDX-License-Identifier: BSD-2-Clause
// Other threads have functions run in the main loop's thread.
#include "support.h"

#include "daemon/loop.h"

#include <pthread.h>
#include <signal.h>

static struct loop *loop;
static struct error err;
static char reason[LOOP_REASON_SIZE];

static int begin(void **state)
{
    (void)state;
    loop = loop_new(&err);
    assert_non_null(loop);
    return 0;
}

static int end(void **state)
{
    (void)state;
    loop_free(loop);
    return 0;
}

struct called {
    pthread_t thread; // that ran the function
    unsigned times;
};

static void note(void *ctx)
{
    struct called *called = ctx;
    called->thread = pthread_self();
    called->times++;
}

static void note_and_stop(void *ctx)
{
    note(ctx);
    loop_signal(loop, SIGTERM);
}

static void *call_some_times(void *ctx)
{
    for (int i = 0; i < 100; i++)
        loop_call(loop, note, ctx);
    loop_call(loop, note_and_stop, ctx);
    for (int i = 0; i < 100; i++)
        loop_call(loop, note, ctx); // while the loop ends, and after it
    return NULL;
}

TEST(the_loops_thread_runs_it_while_the_loop_runs)
{
    struct called called = {.times = 0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call_some_times, &called), 0);
    loop_run(loop, NULL, NULL, reason);
    assert_string_equal(reason, "signal TERM");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(called.times, 201);
}

static void *call_and_stop(void *ctx)
{
    loop_call(loop, note_and_stop, ctx);
    return NULL;
}

static struct called seen_by_a_thread;

static void start_thread(void *ctx)
{
    assert_int_equal(pthread_create(ctx, NULL, call_and_stop, &seen_by_a_thread), 0);
}

TEST(it_is_the_loops_thread_and_no_other)
{
    pthread_t thread;
    struct loop_wake *wake = loop_wake_new(loop, start_thread, &thread, &err);
    loop_wake_up(wake); // so that the loop runs already
    loop_run(loop, NULL, NULL, reason);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen_by_a_thread.times, 1);
    assert_true(pthread_equal(seen_by_a_thread.thread, pthread_self()));
    loop_wake_free(wake);
}

TEST(the_caller_runs_it_while_no_loop_does)
{
    struct called called = {.times = 0};
    loop_call(loop, note, &called);
    assert_int_equal(called.times, 1);
    assert_true(pthread_equal(called.thread, pthread_self()));
}

#define LOOP_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(the_loops_thread_runs_it_while_the_loop_runs),
        LOOP_TEST(it_is_the_loops_thread_and_no_other),
        LOOP_TEST(the_caller_runs_it_while_no_loop_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
