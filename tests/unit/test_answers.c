// SPDX-License-Identifier: BSD-2-Clause
// The budget of the memory that the answers of peers may take.
#include "support.h"

#include "sink/answers.h"

enum { PEERS = 4, MAX = 1000 };

static struct answers peers[PEERS];

static int begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < PEERS; i++)
        answers_begin(&peers[i]);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < PEERS; i++)
        answers_end(&peers[i]);
    return 0;
}

TEST(a_peer_may_take_what_others_leave)
{
    answers_add(&peers[0], MAX);
    assert_false(answers_are_beyond(&peers[0], MAX));
    answers_add(&peers[0], 1);
    assert_true(answers_are_beyond(&peers[0], MAX));
    answers_drop(&peers[0]);
    assert_false(answers_are_beyond(&peers[0], MAX));
}

TEST(a_peer_always_has_its_part)
{
    answers_add(&peers[0], 10 * MAX);
    answers_add(&peers[1], MAX / PEERS);
    assert_true(answers_are_beyond(&peers[0], MAX));
    assert_false(answers_are_beyond(&peers[1], MAX));
    answers_add(&peers[1], 1);
    assert_true(answers_are_beyond(&peers[1], MAX));
    answers_end(&peers[0]);
    assert_false(answers_are_beyond(&peers[1], MAX));
    answers_begin(&peers[0]);
}

TEST(what_is_given_back_leaves_room)
{
    answers_add(&peers[0], MAX);
    answers_add(&peers[1], 2);
    assert_true(answers_are_full(MAX));
    answers_give_back(&peers[0], 2);
    assert_false(answers_are_full(MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_peer_may_take_what_others_leave, begin, end),
        cmocka_unit_test_setup_teardown(a_peer_always_has_its_part, begin, end),
        cmocka_unit_test_setup_teardown(what_is_given_back_leaves_room, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
