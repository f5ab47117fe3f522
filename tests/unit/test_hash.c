// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/hash.h"

enum { CAPACITY = 3000, KEYS = 4000, STEPS = 100000 };

struct thing {
    unsigned number;
    struct hash_node node; // on purpose not the first member
};

// The secret is the octets from 0 on.
static void fill_counting(void *ctx, void *out, size_t size)
{
    (void)ctx;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)out)[i] = (uint8_t)i;
}

static void fill_ones(void *ctx, void *out, size_t size)
{
    (void)ctx;
    memset(out, 1, size);
}

static const struct random counting = {fill_counting, NULL}, ones = {fill_ones, NULL};

static struct hash hash;

static int begin(void **state)
{
    (void)state;
    hash_init(&hash, CAPACITY, &counting);
    return 0;
}

static int end(void **state)
{
    (void)state;
    hash_clear(&hash);
    return 0;
}

static struct thing *find(uint64_t digest, unsigned number)
{
    struct hash_node *node = hash_find(&hash, digest);
    while (node && HASH_THING(node, struct thing, node)->number != number)
        node = hash_find_next(node);
    return HASH_THING(node, struct thing, node);
}

// The vector in appendix A of the paper.
TEST(digests_are_those_of_siphash)
{
    uint8_t octets[15];
    fill_counting(NULL, octets, sizeof octets);
    assert_true(hash_digest(&hash, octets, sizeof octets) == UINT64_C(0xa129ca6149be45e5));
}

TEST(digests_depend_on_octets_and_length_and_secret)
{
    struct hash other;
    hash_init(&other, 1, &ones);
    assert_true(hash_digest_string(&hash, "link 7") == hash_digest(&hash, "link 7", 6));
    assert_true(hash_digest_string(&hash, "link 7") != hash_digest_string(&hash, "link 8"));
    assert_true(hash_digest(&hash, "\0\0", 1) != hash_digest(&hash, "\0\0", 2));
    assert_true(hash_digest_string(&hash, "link 7") != hash_digest_string(&other, "link 7"));
    hash_clear(&other);
}

TEST(an_empty_table_has_nothing)
{
    assert_null(hash_find(&hash, 0));
    assert_null(HASH_THING(hash_find(&hash, 1), struct thing, node));
    assert_false(hash_is_full(&hash));
}

TEST(a_table_of_zeros_can_be_cleared)
{
    struct hash zeros = {0};
    hash_clear(&zeros);
}

TEST(the_bound_holds)
{
    static struct thing things[CAPACITY];
    for (unsigned i = 0; i < CAPACITY; i++) {
        assert_false(hash_is_full(&hash));
        hash_add(&hash, &things[i].node, i);
    }
    assert_true(hash_is_full(&hash));
    assert_true(hash.bucket_count <= CAPACITY);
    hash_remove(&hash, &things[7].node);
    assert_false(hash_is_full(&hash));
}

// The low bits select the bucket: these digests share a bucket at every size of the table.
TEST(things_of_one_bucket_stay_apart)
{
    static struct thing things[1000];
    for (unsigned i = 0; i < COUNT(things); i++)
        hash_add(&hash, &things[i].node, (uint64_t)i << 32);
    for (unsigned i = 0; i < COUNT(things); i += 2)
        hash_remove(&hash, &things[i].node);
    for (unsigned i = 0; i < COUNT(things); i++)
        assert_ptr_equal(hash_find(&hash, (uint64_t)i << 32), i % 2 ? &things[i].node : NULL);
}

TEST(the_last_of_one_digest_comes_first)
{
    static struct thing things[100], others[1000];
    for (unsigned i = 0; i < COUNT(things); i++) {
        hash_add(&hash, &things[i].node, 4711);
        for (unsigned n = 0; n < 10; n++) // the table grows in between
            hash_add(&hash, &others[10 * i + n].node, 10 * i + n);
    }
    hash_remove(&hash, &things[50].node);
    struct hash_node *node = hash_find(&hash, 4711);
    for (unsigned i = COUNT(things); i-- > 0;) {
        if (i == 50)
            continue;
        assert_ptr_equal(node, &things[i].node);
        node = hash_find_next(node);
    }
    assert_null(node);
}

// With this secret, entries spread evenly; no bucket gets nearly all of them.
TEST(digests_of_similar_keys_spread)
{
    static struct thing things[CAPACITY];
    size_t longest = 0;
    for (unsigned i = 0; i < CAPACITY; i++) {
        char key[32];
        snprintf(key, sizeof key, "link 0x%016x/1", i);
        hash_add(&hash, &things[i].node, hash_digest_string(&hash, key));
    }
    for (size_t bucket = 0; bucket < hash.bucket_count; bucket++) {
        size_t length = 0;
        for (struct hash_node *node = hash.buckets[bucket]; node; node = node->next)
            length++;
        longest = length > longest ? length : longest;
    }
    assert_true(longest < 16);
}

// Random operations, compared with an array of the expected content. Every third number shares its
// digest with others.
static uint64_t digest_of(unsigned number)
{
    const unsigned key = number % 3 == 0 ? number % 8 : number;
    return hash_digest(&hash, &key, sizeof key);
}

TEST(it_has_what_a_simple_model_has)
{
    static struct thing things[KEYS];
    static bool model[KEYS];
    uint32_t random = 1;
    size_t count = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        const unsigned number = (random >> 8) % KEYS;
        const uint64_t digest = digest_of(number);
        const bool shrinks = step / (STEPS / 4) % 2;
        assert_ptr_equal(find(digest, number), model[number] ? &things[number] : NULL);
        if (!model[number] && !hash_is_full(&hash) && !(shrinks && random & 0x80)) {
            things[number].number = number;
            hash_add(&hash, &things[number].node, digest);
            model[number] = true;
            count++;
        } else if (model[number] && (shrinks || random & 0x80)) {
            hash_remove(&hash, &things[number].node);
            model[number] = false;
            count--;
        }
        assert_int_equal(hash.count, count);
    }
    for (unsigned number = 0; number < KEYS; number++)
        assert_ptr_equal(find(digest_of(number), number), model[number] ? &things[number] : NULL);
}

#define HASH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HASH_TEST(digests_are_those_of_siphash),
        HASH_TEST(digests_depend_on_octets_and_length_and_secret),
        HASH_TEST(an_empty_table_has_nothing),
        cmocka_unit_test(a_table_of_zeros_can_be_cleared),
        HASH_TEST(the_bound_holds),
        HASH_TEST(things_of_one_bucket_stay_apart),
        HASH_TEST(the_last_of_one_digest_comes_first),
        HASH_TEST(digests_of_similar_keys_spread),
        HASH_TEST(it_has_what_a_simple_model_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
