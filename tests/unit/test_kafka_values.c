// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "kafka/values.h"

#include <stdlib.h>

static struct values values;
static uint64_t newest, oldest = 1; // tickets

static int begin(void **state)
{
    (void)state;
    values_init(&values);
    newest = 0;
    oldest = 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    values_free(&values);
    return 0;
}

// Keeps a value of `size` octets, all of them `mark`. NULL: there is no room.
static const char *keep(size_t size, int mark)
{
    struct text value = values_room(&values);
    if (!value.buf)
        return NULL;
    assert_in_range((uintptr_t)value.buf, (uintptr_t)values.octets,
                    (uintptr_t)values.octets + VALUES_SIZE - VALUE_SIZE_MAX);
    assert_int_equal(value.size, VALUE_SIZE_MAX);
    assert_int_equal(value.len, 0);
    memset(value.buf, mark, size);
    value.len = size;
    values_keep(&values, &value, ++newest);
    return value.buf;
}

static void drop_oldest(unsigned n)
{
    oldest += n;
    values_drop(&values, oldest);
}

static bool has_only(const char *octets, size_t size, int mark)
{
    size_t n = 0;
    while (n < size && octets[n] == (char)mark)
        n++;
    return n == size;
}

TEST(no_value_is_written_over_while_it_is_kept)
{
    static struct {
        const char *octets;
        size_t size;
        int mark;
    } kept[KAFKA_IN_FLIGHT_MAX];
    size_t first = 0, count = 0;
    unsigned seed = 7, refused = 0;
    for (int i = 0; i < 200000; i++) {
        const bool drop = count == KAFKA_IN_FLIGHT_MAX || (count > 0 && rand_r(&seed) % 100 < 49);
        if (drop) {
            assert_true(has_only(kept[first].octets, kept[first].size, kept[first].mark));
            drop_oldest(1);
            first = (first + 1) % KAFKA_IN_FLIGHT_MAX;
            count--;
            continue;
        }
        const size_t size = (size_t)rand_r(&seed) % VALUE_SIZE_MAX,
                     place = (first + count) % KAFKA_IN_FLIGHT_MAX;
        kept[place].octets = keep(size, i);
        kept[place].size = size;
        kept[place].mark = i;
        assert_true(kept[place].octets || count > 0);
        refused += !kept[place].octets;
        count += kept[place].octets != NULL;
    }
    assert_true(refused > 0);
}

TEST(as_many_values_of_usual_size_fit_as_may_be_pending)
{
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < KAFKA_IN_FLIGHT_MAX; i++)
            assert_non_null(keep(1900, i));
        drop_oldest(KAFKA_IN_FLIGHT_MAX / 2);
        for (int i = 0; i < KAFKA_IN_FLIGHT_MAX / 2; i++)
            assert_non_null(keep(1900, i));
        drop_oldest(KAFKA_IN_FLIGHT_MAX);
    }
}

TEST(a_value_now_and_then_takes_the_same_memory)
{
    const char *first = keep(900, 1);
    drop_oldest(1);
    for (int i = 0; i < 3000; i++) {
        assert_ptr_equal(keep(900, i), first);
        drop_oldest(1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_value_is_written_over_while_it_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(as_many_values_of_usual_size_fit_as_may_be_pending, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_value_now_and_then_takes_the_same_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
