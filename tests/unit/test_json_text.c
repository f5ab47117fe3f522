// SPDX-License-Identifier: BSD-2-Clause
// JSON as text, compared with jansson's output.
#include "support.h"

#include "base/json_text.h"

#include <jansson.h>

// Expects what jansson writes; for a string that is not UTF-8, with jansson's output of the clean
// string.
static void check_string(const char *value)
{
    char buffer[256], clean[128], *expected;
    struct text t = text_in(buffer, sizeof buffer);
    text_clean(value, strlen(value), clean, sizeof clean);
    json_t *string = json_string(value);
    string = string ? string : json_string(clean);
    assert_non_null(string);
    expected = json_dumps(string, JSON_ENCODE_ANY | JSON_COMPACT);
    json_text_add(&t, value);
    assert_string_equal(buffer, expected);
    assert_int_equal(t.len, strlen(expected));
    assert_false(t.cut);
    free(expected);
    json_decref(string);
}

TEST(strings_of_one_and_two_octets)
{
    for (unsigned octets = 0; octets <= UINT16_MAX; octets++)
        check_string((char[]){(char)(octets >> 8), (char)octets, '\0'});
}

TEST(strings_around_the_ends_of_characters)
{
    static const uint8_t OCTETS[] = {'a',  0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                     0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF,
                                     0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF, '"',  '\n'};
    enum { N = sizeof OCTETS, ALL = N * N * N * N };
    for (unsigned i = 0; i < ALL; i++) {
        char value[] = "12345678xxxx9";
        for (unsigned k = 0, left = i; k < 4; k++, left /= N)
            value[8 + k] = (char)OCTETS[left % N];
        check_string(value);
    }
}

TEST(an_octet_is_seen_wherever_it_is)
{
    for (size_t n = 1; n < 26; n++) {
        for (size_t i = 0; i < n * UINT8_MAX; i++) {
            char value[32] = "";
            memset(value, 'x', n);
            value[i % n] = (char)(1 + i / n);
            check_string(value);
        }
    }
}

TEST(members_have_commas_between_them)
{
    char buffer[64];
    struct text t = text_in(buffer, sizeof buffer);
    text_add(&t, "{");
    json_text_member(&t, "a", "{");
    json_text_name(&t, "b");
    text_add(&t, "{");
    json_text_member(&t, "c", "");
    text_add(&t, "}");
    json_text_member(&t, "d", "x");
    text_add(&t, "}");
    assert_string_equal(buffer, "{\"a\":\"{\",\"b\":{\"c\":\"\"},\"d\":\"x\"}");
}

// At every size, what fits is the whole, and what does not fit is marked.
TEST(nothing_is_written_beyond_the_room)
{
    static const char *const VALUES[] = {"", "plain", "\"\n\x01", "\xC3\xA9\\", "\xFF\xFF"};
    for (size_t i = 0; i < COUNT(VALUES); i++) {
        char whole[64], buffer[64];
        struct text all = text_in(whole, sizeof whole);
        json_text_member(&all, "name", VALUES[i]);
        assert_false(all.cut);
        for (size_t size = 1; size < sizeof buffer; size++) {
            memset(buffer, '~', sizeof buffer);
            struct text t = text_in(buffer, size);
            json_text_member(&t, "name", VALUES[i]);
            assert_int_equal(t.cut, size <= all.len);
            assert_int_equal(strlen(buffer), t.len);
            assert_true(t.len < size && buffer[size] == '~');
            assert_memory_equal(buffer, whole, t.cut ? 0 : all.len);
        }
    }
}

TEST(integers_have_63_bits)
{
    static const uint64_t NUMBERS[] = {0,
                                       9,
                                       10,
                                       UINT32_MAX,
                                       UINT64_C(999999999999999999),
                                       UINT64_C(1000000000000000000),
                                       INT64_MAX - 1,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       UINT64_C(9999999999999999999),
                                       UINT64_C(10000000000000000000),
                                       UINT64_MAX};
    for (size_t i = 0; i < COUNT(NUMBERS); i++) {
        char digits[32];
        snprintf(digits, sizeof digits, "%ju", (uintmax_t)NUMBERS[i]);
        assert_int_equal(strtoll(json_text_int64(digits), NULL, 10), strtoll(digits, NULL, 10));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_one_and_two_octets),
        cmocka_unit_test(strings_around_the_ends_of_characters),
        cmocka_unit_test(an_octet_is_seen_wherever_it_is),
        cmocka_unit_test(members_have_commas_between_them),
        cmocka_unit_test(nothing_is_written_beyond_the_room),
        cmocka_unit_test(integers_have_63_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
