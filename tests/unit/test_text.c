// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/clock.h"
#include "base/text.h"

#include <inttypes.h>

static void check_clean(const char *in, size_t n, size_t out_size, const char *expected)
{
    char out[64];
    memset(out, 'x', sizeof out);
    text_clean(in, n, out, out_size);
    assert_string_equal(out, expected);
    assert_int_equal(out[out_size], 'x');
}

#define CLEAN(in, expected)          check_clean(in, sizeof in - 1, 60, expected)
#define CLEAN_TO(size, in, expected) check_clean(in, sizeof in - 1, size, expected)
#define UNKNOWN                      "\xEF\xBF\xBD"

TEST(adding_stops_at_the_end_of_the_buffer)
{
    char buf[9] = "xxxxxxxx";
    struct text t = text_in(buf, 8);
    assert_string_equal(buf, "");
    text_add(&t, "abc");
    text_addf(&t, "%d", 12);
    assert_string_equal(buf, "abc12");
    assert_int_equal(t.len, 5);
    assert_false(t.cut);
    text_add_n(&t, "defgh", 2);
    assert_string_equal(buf, "abc12de");
    assert_false(t.cut);
    text_add(&t, "f");
    assert_true(t.cut);
    assert_string_equal(buf, "abc12de");
    assert_int_equal(t.len, 7);
}

TEST(nothing_follows_a_cut)
{
    char buf[6];
    struct text t = text_in(buf, sizeof buf);
    text_add(&t, "abcdefgh");
    assert_string_equal(buf, "abcde");
    assert_true(t.cut);
    text_add(&t, "");
    text_add_n(&t, "z", 1);
    assert_string_equal(buf, "abcde");
}

TEST(a_cut_never_splits_a_character)
{
    // One octet, two, three and four.
    static const char IN[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    static const size_t WHOLE[] = {0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
    for (size_t size = 1; size < COUNT(WHOLE); size++) {
        char buf[16];
        struct text t = text_in(buf, size);
        text_add(&t, IN);
        assert_int_equal(t.len, WHOLE[size]);
        assert_memory_equal(buf, IN, t.len);
        assert_int_equal(buf[t.len], '\0');
        assert_int_equal(t.cut, size < sizeof IN);
    }
}

TEST(one_may_go_back)
{
    char buf[8];
    struct text t = text_in(buf, sizeof buf);
    text_add(&t, "abc");
    struct text before = t;
    text_add(&t, "defghij");
    assert_true(t.cut);
    text_go_back(&t, &before);
    assert_string_equal(buf, "abc");
    assert_false(t.cut);
    text_add(&t, "xyz");
    assert_string_equal(buf, "abcxyz");
}

TEST(formatted_text_may_be_long)
{
    char word[700], buf[800];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    struct text t = text_in(buf, sizeof buf);
    text_addf(&t, "<%s>", word);
    assert_int_equal(t.len, 701);
    assert_int_equal(buf[700], '>');
    assert_false(t.cut);
    text_addf(&t, "%s", word);
    assert_true(t.cut);
    assert_int_equal(t.len, sizeof buf - 1);
}

TEST(a_cut_of_formatted_text_never_splits_a_character)
{
    for (size_t size = 1; size < 12; size++) {
        static const size_t WHOLE[] = {0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
        char buf[16];
        struct text t = text_in(buf, size);
        text_addf(&t, "a%s", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
        assert_int_equal(t.len, WHOLE[size]);
        assert_int_equal(strlen(buf), WHOLE[size]);
        assert_int_equal(t.cut, size < 11);
    }
}

TEST(hexadecimal_is_lower_case)
{
    char buf[16];
    struct text t = text_in(buf, sizeof buf);
    text_add_hex(&t, (const uint8_t[]){0x00, 0x0F, 0xA5, 0xFF}, 4);
    assert_string_equal(buf, "000fa5ff");
}

TEST(hexadecimal_numbers_have_so_many_digits_or_more)
{
    char buf[64];
    struct text t = text_in(buf, sizeof buf);
    text_add_hex_number(&t, 0xA5, 4);
    text_add(&t, " ");
    text_add_hex_number(&t, 0x12345, 4);
    text_add(&t, " ");
    text_add_hex_number(&t, 0, 1);
    text_add(&t, " ");
    text_add_hex_number(&t, UINT64_MAX, 16);
    assert_string_equal(buf, "00a5 12345 0 ffffffffffffffff");
}

TEST(hexadecimal_is_what_printf_writes)
{
    uint64_t number = 1;
    for (int i = 0; i < 20000; i++) {
        char buf[40], expected[40];
        struct text t = text_in(buf, sizeof buf);
        const int digits = 1 + i % 16;
        number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text_add_hex_number(&t, number >> i % 64, (unsigned)digits);
        snprintf(expected, sizeof expected, "%0*" PRIx64, digits, number >> i % 64);
        assert_string_equal(buf, expected);
    }
}

TEST(octets_of_any_number_become_hexadecimal)
{
    uint8_t octets[23];
    char buf[60], expected[60] = "";
    for (size_t n = 0; n < sizeof octets; n++) {
        struct text t = text_in(buf, sizeof buf);
        text_add_hex(&t, octets, n);
        assert_string_equal(buf, expected);
        octets[n] = (uint8_t)(n * 29 + 7);
        snprintf(expected + 2 * n, 3, "%02x", octets[n]);
    }
}

TEST(no_octet_is_cut_in_two)
{
    char buf[6];
    struct text t = text_in(buf, sizeof buf);
    text_add_hex(&t, (const uint8_t[]){0x12, 0x34, 0x56}, 3);
    assert_string_equal(buf, "1234");
    assert_true(t.cut);
    text_add_hex(&t, (const uint8_t[]){0x78}, 0);
    assert_true(t.cut);
}

TEST(numbers_are_decimal)
{
    char buf[64];
    struct text t = text_in(buf, sizeof buf);
    text_add_number(&t, 0);
    text_add(&t, " ");
    text_add_number(&t, 1090);
    text_add(&t, " ");
    text_add_number(&t, UINT64_MAX);
    assert_string_equal(buf, "0 1090 18446744073709551615");
}

TEST(clean_text_stays)
{
    CLEAN("", "");
    CLEAN("leaf12 mlx5_0", "leaf12 mlx5_0");
    CLEAN("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF",
          "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF");
}

TEST(control_characters_become_question_marks)
{
    CLEAN("a\tb\r\n\x1B[31mc\x7F", "a?b???[31mc?");
    CLEAN("\xE2\x80\xAE"
          "b\xE2\x81\xA6"
          "a\xD8\x9C\xE2\x80\x8F",
          "?b?a??"); // characters that change the direction of writing
    CLEAN("a\xE2\x80\xA8"
          "b\xE2\x80\xA9\xE2\x80\xAF\xE2\x80\x93",
          "a?b?\xE2\x80\xAF\xE2\x80\x93");
    CLEAN("C1 \xC2\x80\xC2\x9B\xC2\x9F, not \xC2\xA0", "C1 ???, not \xC2\xA0");
}

// XML cannot have these characters, not even as references (XML 1.0, 2.2).
TEST(what_no_xml_document_may_have_becomes_question_marks)
{
    CLEAN("a\xEF\xBF\xBE"
          "b\xEF\xBF\xBF",
          "a?b?");
    CLEAN("\xEF\xBF\xBD\xF0\x9F\xBF\xBE\xEE\x80\x80", "\xEF\xBF\xBD\xF0\x9F\xBF\xBE\xEE\x80\x80");
}

TEST(invalid_utf8_becomes_the_replacement_character)
{
    CLEAN("\x80", UNKNOWN);
    CLEAN("a\xC3", "a" UNKNOWN);
    CLEAN("\xC0\xAF", UNKNOWN UNKNOWN); // overlong
    CLEAN("\xC1\xBF", UNKNOWN UNKNOWN);
    CLEAN("\xE0\x9F\xBF", UNKNOWN UNKNOWN UNKNOWN); // overlong
    CLEAN("\xED\xA0\x80", UNKNOWN UNKNOWN UNKNOWN); // a surrogate
    CLEAN("\xF0\x8F\xBF\xBF", UNKNOWN UNKNOWN UNKNOWN UNKNOWN);
    CLEAN("\xF4\x90\x80\x80", UNKNOWN UNKNOWN UNKNOWN UNKNOWN); // beyond U+10FFFF
    CLEAN("\xF5\x80\x80\x80", UNKNOWN UNKNOWN UNKNOWN UNKNOWN);
    CLEAN("\xE2\x82", UNKNOWN UNKNOWN);
    CLEAN("\xE2\x82z", UNKNOWN UNKNOWN "z");
    CLEAN("\xFF\xFEok", UNKNOWN UNKNOWN "ok");
}

TEST(utf8_is_told_from_what_is_not)
{
    static const char *const GOOD[] = {"",
                                       "leaf1",
                                       "K\xC3\xB6ln",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80",
                                       "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"};
    static const char *const BAD[] = {"K\xF6ln",  "\xC3",         "a\xE2\x82",
                                      "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\x80",     "\xFF"};
    for (size_t i = 0; i < COUNT(GOOD); i++)
        assert_true(text_is_utf8(GOOD[i]));
    for (size_t i = 0; i < COUNT(BAD); i++)
        assert_false(text_is_utf8(BAD[i]));
}

TEST(cleaning_stops_at_nul_and_at_the_end)
{
    check_clean("ab\0cd", 5, 60, "ab");
    check_clean("abcd", 2, 60, "ab");
    check_clean("\xC3\xA4", 1, 60, UNKNOWN);
    CLEAN_TO(1, "abc", "");
    CLEAN_TO(3, "abc", "ab");
    CLEAN_TO(3, "a\xE2\x82\xAC", "a");
    CLEAN_TO(4, "ab\xFF", "ab"); // no room for the replacement
    CLEAN_TO(4, "ab\xFF!", "ab");
}

TEST(times_have_microseconds_and_stay_in_range)
{
    char out[CLOCK_TEXT_SIZE];
    clock_format_utc(SUPPORT_UTC_US, out);
    assert_string_equal(out, "2026-11-21T03:19:03.123456Z");
    clock_format_utc(0, out);
    assert_string_equal(out, "1970-01-01T00:00:00.000000Z");
    clock_format_utc(-1, out);
    assert_string_equal(out, "1969-12-31T23:59:59.999999Z");
    clock_format_utc(INT64_MAX, out);
    assert_memory_equal(out, "9999-12-31T23:59:59.", 20);
    clock_format_utc(INT64_MIN, out);
    assert_memory_equal(out, "0000-01-01T00:00:00.", 20);
}

// The C library knows the calendar, too. Every day from 1896 to 2105, and every 31st of the others.
TEST(dates_are_those_of_the_c_library)
{
    const time_t first = -719528, last = 2932896; // years 0 and 9999
    for (time_t day = first; day <= last; day += day > -27100 && day < 49710 ? 1 : 31) {
        char out[CLOCK_TEXT_SIZE], expected[64];
        const time_t when = day * 86400 + (day - first) % 86400;
        struct tm tm;
        gmtime_r(&when, &tm);
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.000007Z",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        clock_format_utc((int64_t)when * CLOCK_US_PER_S + 7, out);
        assert_string_equal(out, expected);
    }
}

TEST(what_ascii_lacks_becomes_a_question_mark)
{
    char out[16];
    text_ascii("leaf 12~", out, sizeof out);
    assert_string_equal(out, "leaf 12~");
    text_ascii("K\xC3\xB6ln \xE2\x82\xAC\xF0\x9F\x98\x80\x7F\t.", out, sizeof out);
    assert_string_equal(out, "K?ln ????.");
    text_ascii("0123456789012345", out, sizeof out);
    assert_string_equal(out, "012345678901234");
}

TEST(patterns_have_lists_of_numbers)
{
    static const struct {
        const char *pattern, *fits, *fits_not;
    } CASES[] = {
        {"gpu[01-18]", "gpu01 gpu09 gpu18", "gpu00 gpu19 gpu1 gpu001 gpu gpu18x gpu018"},
        {"gpu[01-03,07]", "gpu01 gpu03 gpu07", "gpu04 gpu7"},
        {"r[8-12]n[1,3]", "r8n1 r12n3 r9n1", "r08n1 r13n1 r8n2 r8n"},
        {"gpu[1-9]", "gpu1 gpu9", "gpu10 gpu0"},
        {"gpu[12]", "gpu1 gpu2", "gpu12"},
        {"gpu[098-101]*", "gpu098 gpu101-ib gpu099", "gpu98 gpu102"},
        {"n[10-", "", "n10 n1"},
        {"n[10-]", "", "n11"},
        {"n[,-12]", "", "n12 n10"},
        {"n[99999999999999999999-2]", "", "n1"},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char words[2][64], *rest;
        snprintf(words[0], sizeof words[0], "%s", CASES[i].fits);
        snprintf(words[1], sizeof words[1], "%s", CASES[i].fits_not);
        for (char *w = strtok_r(words[0], " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            assert_true(text_fits(w, CASES[i].pattern));
        for (char *w = strtok_r(words[1], " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            assert_false(text_fits(w, CASES[i].pattern));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_stops_at_the_end_of_the_buffer),
        cmocka_unit_test(nothing_follows_a_cut),
        cmocka_unit_test(a_cut_never_splits_a_character),
        cmocka_unit_test(one_may_go_back),
        cmocka_unit_test(formatted_text_may_be_long),
        cmocka_unit_test(a_cut_of_formatted_text_never_splits_a_character),
        cmocka_unit_test(hexadecimal_is_lower_case),
        cmocka_unit_test(hexadecimal_numbers_have_so_many_digits_or_more),
        cmocka_unit_test(hexadecimal_is_what_printf_writes),
        cmocka_unit_test(octets_of_any_number_become_hexadecimal),
        cmocka_unit_test(no_octet_is_cut_in_two),
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(clean_text_stays),
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(what_no_xml_document_may_have_becomes_question_marks),
        cmocka_unit_test(invalid_utf8_becomes_the_replacement_character),
        cmocka_unit_test(utf8_is_told_from_what_is_not),
        cmocka_unit_test(cleaning_stops_at_nul_and_at_the_end),
        cmocka_unit_test(what_ascii_lacks_becomes_a_question_mark),
        cmocka_unit_test(times_have_microseconds_and_stay_in_range),
        cmocka_unit_test(patterns_have_lists_of_numbers),
        cmocka_unit_test(dates_are_those_of_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
