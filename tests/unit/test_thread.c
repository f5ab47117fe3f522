// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/thread.h"

#include <semaphore.h>
#include <unistd.h>

static sem_t named;

static void *tell_name(void *arg)
{
    sem_wait(&named);
    pthread_getname_np(pthread_self(), arg, THREAD_NAME_SIZE);
    return arg;
}

static void assert_named(const char *wanted, const char *name)
{
    char got[THREAD_NAME_SIZE];
    pthread_t thread;
    assert_int_equal(thread_start(&thread, name, tell_name, got), 0);
    sem_post(&named);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(got, wanted);
}

TEST(a_thread_has_its_name)
{
    sem_init(&named, 0, 0);
    assert_named("pipeline", "pipeline");
    assert_named("to a-receiver-w", "to a-receiver-with-a-long-name");
    sem_destroy(&named);
}

// The 19th field of a task's stat file, the 17th behind its name (proc(5)).
static int nice_value(pid_t thread)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    const char *at = strrchr(line, ')') + 1;
    for (int field = 3; field <= 19; field++)
        at = strchr(at, ' ') + 1;
    return atoi(at);
}

struct yielding {
    int before, once, often;
    bool ok;
};

static void *yield_often(void *arg)
{
    struct yielding *y = arg;
    y->before = nice_value(gettid());
    y->ok = thread_yield();
    y->once = nice_value(gettid());
    for (int i = 0; i < 8; i++)
        y->ok &= thread_yield();
    y->often = nice_value(gettid());
    return NULL;
}

TEST(a_thread_yields_alone_and_only_so_far)
{
    struct yielding y;
    pthread_t thread;
    const int own = nice_value(gettid());
    assert_int_equal(thread_start(&thread, "yields", yield_often, &y), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(y.ok);
    assert_int_equal(y.before, own);
    assert_int_equal(y.once, own < 19 - THREAD_YIELDING ? own + THREAD_YIELDING : 19);
    assert_int_equal(y.often, 19);
    assert_int_equal(nice_value(gettid()), own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_has_its_name),
                                       cmocka_unit_test(a_thread_yields_alone_and_only_so_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
