// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/search.h"

// Contains each number twice: the search has to find the first place.
static const int NUMBERS[] = {1, 1, 3, 3, 5, 5, 7, 7};

static size_t find(size_t begin, size_t end, int number)
{
    size_t at;
    SEARCH_FIRST(at, begin, end, NUMBERS[at] < number);
    return at;
}

static size_t look(size_t begin, size_t end, int number)
{
    size_t at = begin;
    while (at < end && NUMBERS[at] < number)
        at++;
    return at;
}

TEST(it_finds_what_looking_at_each_finds)
{
    for (size_t begin = 0; begin <= COUNT(NUMBERS); begin++) {
        for (size_t end = begin; end <= COUNT(NUMBERS); end++) {
            for (int number = 0; number <= 8; number++)
                assert_int_equal(find(begin, end, number), look(begin, end, number));
        }
    }
}

TEST(it_searches_all_that_its_places_can_number)
{
    uint32_t at;
    SEARCH_FIRST(at, 0, UINT32_MAX, at < 3000000000U);
    assert_int_equal(at, 3000000000U);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_looking_at_each_finds),
        cmocka_unit_test(it_searches_all_that_its_places_can_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
