// SPDX-License-Identifier: BSD-2-Clause
// The thread for the work with the file, with a disk that hangs.
#include "support.h"

#include "base/clock.h"
#include "journal/disk.h"

#include <pthread.h>
#include <stdatomic.h>

static const int64_t LONG_US = 60 * CLOCK_US_PER_S, SHORT_US = 1000;

static pthread_mutex_t hangs = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void work(void *ctx, int64_t rows_max)
{
    (void)ctx;
    pthread_mutex_lock(&hangs);
    pthread_mutex_unlock(&hangs);
    atomic_fetch_add(&done, (int)rows_max);
}

TEST(work_is_waited_for)
{
    struct disk *disk = disk_start(NULL);
    assert_non_null(disk);
    atomic_store(&done, 0);
    assert_true(disk_run(disk, work, 1, 0, LONG_US));
    assert_int_equal(done, 1);
    assert_true(disk_stop(disk, LONG_US));
    assert_true(disk_stop(NULL, 0));
}

// While earlier work hangs, nothing new begins.
TEST(work_that_hangs_is_not_waited_for)
{
    struct disk *disk = disk_start(NULL);
    assert_non_null(disk);
    atomic_store(&done, 0);
    pthread_mutex_lock(&hangs);
    assert_false(disk_run(disk, work, 1, 0, SHORT_US));
    assert_false(disk_run(disk, work, 10, 0, LONG_US));
    assert_false(disk_run(disk, work, 10, SHORT_US, LONG_US));
    pthread_mutex_unlock(&hangs);
    assert_true(disk_run(disk, work, 100, LONG_US, LONG_US));
    assert_int_equal(done, 101);
    assert_true(disk_stop(disk, LONG_US));
}

// A thread that has taken the file works beside the one that wants it, which may wait or not.
TEST(the_file_is_one_threads_at_a_time)
{
    struct disk *disk = disk_start(NULL);
    atomic_store(&done, 0);
    assert_true(disk_take(disk, 0));
    assert_false(disk_take(disk, 0));
    assert_false(disk_take(disk, SHORT_US));
    assert_false(disk_run(disk, work, 1, SHORT_US, LONG_US));
    assert_false(disk_stop(disk, 0));
    disk_give_back(disk);
    assert_true(disk_take(disk, 0));
    disk_give_back(disk);
    assert_true(disk_stop(disk, LONG_US));
    assert_int_equal(done, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_waited_for),
        cmocka_unit_test(work_that_hangs_is_not_waited_for),
        cmocka_unit_test(the_file_is_one_threads_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
