// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "daemon/heartbeat.h"

static char words[200];

static const char *describe(struct heartbeat heartbeat)
{
    heartbeat_describe(&heartbeat, words, sizeof words);
    return words;
}

TEST(all_is_well)
{
    assert_string_equal(describe((struct heartbeat){
                            .events = 12, .period_s = 300, .receivers = 3, .sm_answers = true}),
                        "12 events in 300 s, no receiver failing, the subnet manager answers");
}

TEST(one_event_is_one)
{
    assert_string_equal(describe((struct heartbeat){
                            .events = 1, .period_s = 1, .receivers = 1, .sm_answers = true}),
                        "1 event in 1 s, no receiver failing, the subnet manager answers");
}

TEST(what_is_wrong_is_said)
{
    assert_string_equal(
        describe((struct heartbeat){.period_s = 86400, .receivers = 64, .failing = 2}),
        "0 events in 86400 s, 2 of 64 receivers failing, the subnet manager does not answer");
}

TEST(it_fits)
{
    const struct heartbeat most = {UINT64_MAX, UINT32_MAX, SIZE_MAX, SIZE_MAX, false};
    char reason[256], small[16];
    heartbeat_describe(&most, reason, sizeof reason);
    assert_non_null(strstr(reason, "does not answer"));
    heartbeat_describe(&most, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_well),
        cmocka_unit_test(one_event_is_one),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
