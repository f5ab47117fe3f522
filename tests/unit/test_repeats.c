// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ib/reports.h"

static struct repeats seen;
static const uint8_t A[] = "one notice", B[] = "two notice";
static const int64_t NOW = 1000 * CLOCK_US_PER_S;

static bool seen_before(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size,
                        int64_t now)
{
    return repeats_seen(&seen, lid, tid, repeats_digest(lid, tid, content, size), now);
}

static void remember(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size, int64_t now)
{
    repeats_remember(&seen, lid, tid, repeats_digest(lid, tid, content, size), now);
}

static int empty(void **state)
{
    (void)state;
    repeats_init(&seen, &random_system);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    repeats_clear(&seen);
    return 0;
}

TEST(nothing_was_seen_at_first)
{
    assert_false(seen_before(1, 7, A, sizeof A, NOW));
    assert_false(seen_before(0, 0, NULL, 0, 1));
}

TEST(asking_does_not_remember)
{
    assert_false(seen_before(1, 7, A, sizeof A, NOW));
    assert_false(seen_before(1, 7, A, sizeof A, NOW));
}

TEST(the_same_report_is_a_repeat)
{
    remember(1, 7, A, sizeof A, NOW);
    assert_true(seen_before(1, 7, A, sizeof A, NOW));
    assert_true(seen_before(1, 7, A, sizeof A, NOW + 600 * CLOCK_US_PER_MS));
}

TEST(sender_transaction_and_content_count)
{
    remember(1, 7, A, sizeof A, NOW);
    assert_false(seen_before(2, 7, A, sizeof A, NOW));
    assert_false(seen_before(1, 8, A, sizeof A, NOW));
    assert_false(seen_before(1, 7 | UINT64_C(1) << 63, A, sizeof A, NOW));
    assert_false(seen_before(1, 7, B, sizeof B, NOW));
    assert_false(seen_before(1, 7, A, sizeof A - 1, NOW));
}

TEST(memory_lasts_five_seconds)
{
    remember(1, 7, A, sizeof A, NOW);
    assert_true(seen_before(1, 7, A, sizeof A, NOW + 5 * CLOCK_US_PER_S - 1));
    assert_false(seen_before(1, 7, A, sizeof A, NOW + 5 * CLOCK_US_PER_S));
    remember(1, 7, A, sizeof A, NOW + 6 * CLOCK_US_PER_S);
    assert_true(seen_before(1, 7, A, sizeof A, NOW + 7 * CLOCK_US_PER_S));
}

// Two Reports with the same digest are different Reports.
TEST(a_digest_alone_is_not_enough)
{
    repeats_remember(&seen, 1, 7, 4711, NOW);
    assert_true(repeats_seen(&seen, 1, 7, 4711, NOW));
    assert_false(repeats_seen(&seen, 2, 7, 4711, NOW));
    assert_false(repeats_seen(&seen, 1, 8, 4711, NOW));
    assert_false(repeats_seen(&seen, 1, 7, 4711 + (1 << 16), NOW));
}

// The journal stores digests: a digest must not depend on the run or the machine.
TEST(digests_are_the_same_for_ever)
{
    assert_int_equal(repeats_digest(0, 0, NULL, 0), UINT64_C(0xcbf29ce484222325));
    assert_int_equal(repeats_digest(0, 0, (const uint8_t *)"a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    assert_int_equal(repeats_digest(0, 0, (const uint8_t *)"foobar", 6),
                     UINT64_C(0x85944171f73967e8));
    assert_int_not_equal(repeats_digest(1, 0, A, sizeof A), repeats_digest(0, 0, A, sizeof A));
    assert_int_not_equal(repeats_digest(0, 1, A, sizeof A), repeats_digest(0, 0, A, sizeof A));
}

// More Reports than there is room for: the oldest are dropped, and no Report is mistaken for
// another.
TEST(the_last_ones_are_remembered)
{
    for (uint64_t tid = 0; tid < 2 * REPEATS_MAX; tid++) {
        assert_false(seen_before(1, tid, A, sizeof A, NOW));
        remember(1, tid, A, sizeof A, NOW);
        assert_true(seen_before(1, tid, A, sizeof A, NOW));
    }
    for (uint64_t tid = 0; tid < 2 * REPEATS_MAX; tid++)
        assert_int_equal(seen_before(1, tid, A, sizeof A, NOW), tid >= REPEATS_MAX);
}

// Their digests end in the same bits.
TEST(many_of_similar_digests_are_remembered)
{
    for (uint64_t n = 1; n <= 100; n++)
        repeats_remember(&seen, 1, n, n << 16, NOW);
    for (uint64_t n = 1; n <= 100; n++)
        assert_true(repeats_seen(&seen, 1, n, n << 16, NOW));
}

TEST(the_last_time_counts)
{
    remember(1, 7, A, sizeof A, NOW);
    remember(1, 7, A, sizeof A, NOW + 4 * CLOCK_US_PER_S);
    assert_true(seen_before(1, 7, A, sizeof A, NOW + 8 * CLOCK_US_PER_S));
}

#define REPEATS_TEST(name) cmocka_unit_test_setup_teardown(name, empty, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPEATS_TEST(nothing_was_seen_at_first),
        REPEATS_TEST(asking_does_not_remember),
        REPEATS_TEST(the_same_report_is_a_repeat),
        REPEATS_TEST(sender_transaction_and_content_count),
        REPEATS_TEST(memory_lasts_five_seconds),
        REPEATS_TEST(a_digest_alone_is_not_enough),
        cmocka_unit_test(digests_are_the_same_for_ever),
        REPEATS_TEST(the_last_ones_are_remembered),
        REPEATS_TEST(many_of_similar_digests_are_remembered),
        REPEATS_TEST(the_last_time_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
