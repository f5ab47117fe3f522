// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/thread.h"

#include <semaphore.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_has_its_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
