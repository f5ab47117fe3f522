// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/histogram.h"

#include <pthread.h>

static struct histogram histogram;
static struct histogram_values values;

static int begin(void **state)
{
    (void)state;
    memset(&histogram, 0, sizeof histogram);
    return 0;
}

static void add(int64_t us)
{
    histogram_add(&histogram, us);
    histogram_read(&histogram, &values);
}

TEST(buckets_double)
{
    assert_int_equal(histogram_limit_us(0), 100);
    for (size_t i = 1; i < HISTOGRAM_BUCKETS; i++)
        assert_int_equal(histogram_limit_us(i), 2 * histogram_limit_us(i - 1));
    assert_int_equal(histogram_limit_us(HISTOGRAM_BUCKETS - 1), 209715200);
}

TEST(a_limit_belongs_to_its_bucket)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        begin(NULL);
        add(histogram_limit_us(i));
        assert_int_equal(values.counts[i], 1);
        add(histogram_limit_us(i) + 1);
        assert_int_equal(values.counts[i], 1);
        assert_int_equal(values.counts[i + 1], 1);
        assert_int_equal(values.total, 2);
    }
}

TEST(zero_and_what_is_negative_are_the_shortest)
{
    add(0);
    add(-5);
    add(INT64_MIN);
    assert_int_equal(values.counts[0], 3);
    assert_int_equal(values.sum_us, 0);
}

TEST(whatever_is_too_long_has_its_bucket)
{
    add(INT64_MAX);
    assert_int_equal(values.counts[HISTOGRAM_BUCKETS], 1);
    assert_int_equal(values.sum_us, INT64_MAX);
}

TEST(durations_are_summed)
{
    add(100);
    add(101);
    add(12345);
    assert_int_equal(values.sum_us, 12546);
    assert_int_equal(values.total, 3);
}

static void *add_many(void *arg)
{
    for (int64_t i = 0; i < 100000; i++)
        histogram_add(arg, i % 1000);
    return NULL;
}

TEST(threads_lose_nothing)
{
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &histogram), 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    histogram_read(&histogram, &values);
    assert_int_equal(values.total, 400000);
    assert_int_equal(values.counts[0], 4 * 100 * 101); // 0 to 100 us
    assert_int_equal(values.sum_us, 4 * 100 * 499500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(buckets_double, begin),
        cmocka_unit_test_setup(a_limit_belongs_to_its_bucket, begin),
        cmocka_unit_test_setup(zero_and_what_is_negative_are_the_shortest, begin),
        cmocka_unit_test_setup(whatever_is_too_long_has_its_bucket, begin),
        cmocka_unit_test_setup(durations_are_summed, begin),
        cmocka_unit_test_setup(threads_lose_nothing, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
