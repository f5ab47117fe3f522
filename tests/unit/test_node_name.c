// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/node_name.h"

#include <stdlib.h>

TEST(descriptions_of_the_factory_are_no_names)
{
    static const char *const NONE[] = {"",
                                       "MT4129 ConnectX7   Mellanox Technologies",
                                       "MT25408 ConnectX Mellanox Technologies",
                                       "MT25408 ConnectX",
                                       "Quantum Mellanox Technologies",
                                       "SwitchIB Mellanox Technologies",
                                       "Infiniscale-IV Mellanox Technologies",
                                       "Mellanox Technologies Aggregation Node",
                                       "localhost",
                                       "localhost HCA-1",
                                       "localhost.localdomain mlx5_0",
                                       "(none) mlx5_0"};
    static const char *const NAMES[] = {"gpu17 mlx5_3",     "n101 HCA-1",   "MF0;leaf1:MQM8700/U1",
                                        "localhost7 HCA-1", "mt4129 HCA-1", "leaf1"};
    for (size_t i = 0; i < COUNT(NONE); i++)
        assert_true(node_name_is_of_factory(NONE[i]));
    for (size_t i = 0; i < COUNT(NAMES); i++)
        assert_false(node_name_is_of_factory(NAMES[i]));
}

static void check(const char *pattern, const char *description, const char *host, bool has_device)
{
    const struct node_name found = node_name_read(pattern, description);
    assert_int_equal(found.length, strlen(host));
    assert_int_equal(found.has_device, has_device);
    if (found.length > 0)
        assert_memory_equal(found.host, host, found.length);
}

TEST(the_part_of_the_machine)
{
    check("%h %d", "gpu17 mlx5_3", "gpu17", true);
    check("%h %d", "n101 HCA-1", "n101", true);
    check("%h %d", "a07-p1-dgx-03-c14 HCA-2", "a07-p1-dgx-03-c14", true);
    check("MF0;%h:%d", "MF0;core1:CS8500/L01/U1", "core1", true);
    check("%h", "storage1", "storage1", false);
    check("%h-ib", "storage1", "", false);
    check("%h.cluster %d", "n1.cluster mlx5_0", "n1", true);
}

TEST(what_the_pattern_does_not_fit)
{
    check("%h %d", "gpu17", "", false);
    check("%h %d", "gpu17 ", "", false);
    check("%h %d", " mlx5_0", "", false);
    check("%h %d", "MT4129 ConnectX7   Mellanox Technologies", "", false);
    check("MF0;%h:%d", "core1 mlx5_0", "", false);
    check("MF0;%h:%d", "MF0;core1", "", false);
    check("%h", "two words", "", false);
    check("", "gpu17", "", false);
}

TEST(patterns)
{
    static const char *const GOOD[] = {"%h", "%h %d", "MF0;%h:%d", "ib-%h"};
    static const char *const WRONG[] = {"",        "%d",    "%h%d",  "%d %h",
                                        "%h %d x", "%h %h", "%h %x", "50%"};
    for (size_t i = 0; i < COUNT(GOOD); i++)
        assert_true(node_name_is_pattern(GOOD[i]));
    for (size_t i = 0; i < COUNT(WRONG); i++)
        assert_false(node_name_is_pattern(WRONG[i]));
}

TEST(a_pattern_of_a_million_characters_takes_no_time)
{
    char *pattern = malloc(1000001);
    memset(pattern, 'a', 1000000);
    memcpy(pattern + 999998, "%h", 3);
    assert_true(node_name_is_pattern(pattern));
    check(pattern, "gpu17 mlx5_3", "", false);
    memcpy(pattern, "%h", 2);
    assert_false(node_name_is_pattern(pattern));
    free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_of_the_factory_are_no_names),
        cmocka_unit_test(the_part_of_the_machine),
        cmocka_unit_test(what_the_pattern_does_not_fit),
        cmocka_unit_test(patterns),
        cmocka_unit_test(a_pattern_of_a_million_characters_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
