// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/random.h"

// A source of octets that count.
static void count(void *ctx, void *out, size_t size)
{
    uint8_t *next = ctx, *octets = out;
    for (size_t i = 0; i < size; i++)
        octets[i] = (*next)++;
}

// Each octet of the source goes out once at most, in the order of the source.
TEST(a_pool_gives_no_octet_twice)
{
    uint8_t next = 0, octets[10], expected = 0;
    const struct random source = {count, &next};
    struct random_pool pool;
    random_pool_init(&pool, &source);
    for (int i = 0; i < 2 * (int)(sizeof pool.octets / sizeof octets); i++) {
        pool.random.fill(pool.random.ctx, octets, sizeof octets);
        if (octets[0] != expected) // the rest of a pool is dropped
            expected = (uint8_t)(expected + sizeof pool.octets % sizeof octets);
        for (size_t k = 0; k < sizeof octets; k++)
            assert_int_equal(octets[k], expected++);
    }
}

TEST(more_than_a_pool_comes_from_the_source)
{
    uint8_t next = 7, octets[sizeof(struct random_pool)];
    const struct random source = {count, &next};
    struct random_pool pool;
    random_pool_init(&pool, &source);
    pool.random.fill(pool.random.ctx, octets, sizeof octets);
    assert_int_equal(octets[0], 7);
    assert_int_equal(next, (uint8_t)(7 + sizeof octets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_gives_no_octet_twice),
        cmocka_unit_test(more_than_a_pool_comes_from_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
