// SPDX-License-Identifier: BSD-2-Clause
// The notices of other books: the rows of a site's file, and what they say of a Notice.
#include "support.h"

#include "model/notice_book.h"

static const char BOOK[] = "# number producer severity sentence\n"
                           "\n"
                           "  1144 switch  warning Port {2} marked {4:2} packets, mask {6:3:hex}\n"
                           "1144\tany error\t{0:8} of {10:5:text}, and {53}\r\n"
                           "0x10 0x0002c9 critical Tree {1} is down\n"
                           "16 0x001405 notice other vendor";

static struct notice_book *book;

static int open_book(void **state)
{
    struct error err;
    (void)state;
    book = notice_book_parse("notices", BOOK, &err);
    return book ? 0 : -1;
}

static int close_book(void **state)
{
    (void)state;
    notice_book_free(book);
    return 0;
}

static void check(bool generic, uint32_t producer, uint16_t number, enum severity severity,
                  const char *sentence)
{
    uint8_t wire[NOTICE_SIZE];
    char said[256];
    struct text t = text_in(said, sizeof said);
    for (size_t i = 0; i < sizeof wire; i++)
        wire[i] = (uint8_t)(i - 10); // the DataDetails are 0, 1, 2 ...
    memcpy(wire + 20, "ab\nd", 5);
    const struct notice notice = {.generic = generic, .producer = producer, .trap = number};
    const struct notice_book_row *row = notice_book_find(book, &notice);
    assert_non_null(row);
    assert_int_equal(row->severity, severity);
    notice_book_explain(row, wire, &t);
    assert_string_equal(said, sentence);
}

TEST(a_notice_has_the_sentence_of_its_row)
{
    assert_int_equal(notice_book_count(book), 4);
    check(true, NOTICE_PRODUCER_SWITCH, 1144, SEVERITY_WARNING,
          "Port 2 marked 1029 packets, mask 0x060708");
    check(true, NOTICE_PRODUCER_CA, 1144, SEVERITY_ERROR, "283686952306183 of ab?d, and 53");
    check(false, 0x0002c9, 16, SEVERITY_CRITICAL, "Tree 1 is down");
    check(false, 0x001405, 16, SEVERITY_NOTICE, "other vendor");
}

TEST(other_notices_have_no_row)
{
    static const struct notice OTHERS[] = {{.generic = true, .producer = 2, .trap = 1145},
                                           {.generic = false, .producer = 2, .trap = 1144},
                                           {.generic = false, .producer = 0x0002ca, .trap = 16},
                                           {.generic = true, .producer = 0x0002c9, .trap = 16}};
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        assert_null(notice_book_find(book, &OTHERS[i]));
    assert_null(notice_book_find(NULL, &OTHERS[0]));
}

TEST(a_mistake_has_a_line_and_a_sentence)
{
    static const struct {
        const char *content, *sentence;
    } WRONG[] = {
        {"\nx any notice s", "notices:2: the number of a notice is 0 to 65535, and not 'x'"},
        {"65536 any notice s", "notices:1: the number of a notice is 0 to 65535, and not '65536'"},
        {"-1 any notice s", "notices:1: the number of a notice is 0 to 65535, and not '-1'"},
        {"1",
         "notices:1: the producer is host, switch, router, manager, any, or a VendorID such as "
         "0x0002c9"},
        {"1 0x1234567 notice s",
         "notices:1: the producer is host, switch, router, manager, any, or "
         "a VendorID such as 0x0002c9"},
        {"1 any loud s", "notices:1: the third word is a severity, such as warning"},
        {"1 any notice", "notices:1: the sentence is missing, or longer than 255 octets"},
        {"1 any notice {54}", NULL},
        {"1 any notice {46:9}", NULL},
        {"1 any notice {0:0}", NULL},
        {"1 any notice {53:2}", NULL},
        {"1 any notice {0:1:word}", NULL},
        {"1 any notice {", NULL},
        {"1 any notice {-1}", NULL},
        {"128 switch notice s", "notices:1: ibtrapd knows trap 128: see ibtrapctl catalogue"},
        {"1 any notice s\n1 any error t", "notices:2: the notice is there twice"},
    };
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        struct error err;
        assert_null(notice_book_parse("notices", WRONG[i].content, &err));
        if (WRONG[i].sentence)
            assert_string_equal(err.text, WRONG[i].sentence);
        else
            assert_non_null(strstr(err.text, "is no field: write {OFFSET:SIZE}"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notice_has_the_sentence_of_its_row),
        cmocka_unit_test(other_notices_have_no_row),
        cmocka_unit_test(a_mistake_has_a_line_and_a_sentence),
    };
    return cmocka_run_group_tests(tests, open_book, close_book);
}
