// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/secret.h"

#include <sys/stat.h>
#include <unistd.h>

static struct error err;

static void check_refused(const char *path, const char *fmt, const char *more)
{
    char line[32], expected[600];
    assert_false(secret_read_line(path, line, sizeof line, &err));
    snprintf(expected, sizeof expected, "%s'%s'%s", fmt, path, more);
    assert_string_equal(err.text, expected);
}

static void check_line(const char *content, const char *expected)
{
    char line[32];
    assert_true(secret_read_line(support_file("line", content, 0600), line, sizeof line, &err));
    assert_string_equal(line, expected);
}

static void check_key(const char *content, uint64_t expected)
{
    uint64_t key = 99;
    assert_true(secret_read_key(support_file("key", content, 0400), &key, &err));
    assert_int_equal(key, expected);
}

static void check_no_key(const char *content)
{
    uint64_t key = 99;
    char expected[600];
    const char *path = support_file("key", content, 0600);
    assert_false(secret_read_key(path, &key, &err));
    snprintf(expected, sizeof expected,
             "'%s' must hold one 64-bit key, decimal or with 0x before it", path);
    assert_string_equal(err.text, expected);
    assert_int_equal(key, 99);
}

TEST(the_first_line_counts)
{
    check_line("secret", "secret");
    check_line("secret\n", "secret");
    check_line("secret\r\n", "secret");
    check_line("secret  \r\nmore\n", "secret");
    check_line("two words\n", "two words");
    check_line("1234567890123456789012345678901\n", "1234567890123456789012345678901");
    check_line("1234567890123456789012345678901", "1234567890123456789012345678901");
}

TEST(a_line_that_does_not_fit_is_refused)
{
    const char *path = support_file("long", "12345678901234567890123456789012\n", 0600);
    check_refused(path, "the first line of ", " is longer than 31 octets");
}

TEST(an_empty_line_is_refused)
{
    check_refused(support_file("empty", "", 0600), "the first line of ", " is empty");
    check_refused(support_file("empty", "\nsecret\n", 0600), "the first line of ", " is empty");
    check_refused(support_file("empty", " \r\n", 0600), "the first line of ", " is empty");
}

TEST(a_file_that_others_can_access_is_refused)
{
    static const struct {
        mode_t mode;
        const char *text;
    } MODES[] = {{0640, "0640"}, {0620, "0620"}, {0610, "0610"},
                 {0604, "0604"}, {0602, "0602"}, {0601, "0601"}};
    for (size_t i = 0; i < COUNT(MODES); i++) {
        char more[100];
        snprintf(more, sizeof more, " can be accessed by others (mode %s): run chmod 600 on it",
                 MODES[i].text);
        check_refused(support_file("open", "secret\n", MODES[i].mode), "", more);
    }
}

TEST(what_is_no_file_is_refused)
{
    check_refused("/nonexistent/key", "cannot open ", ": No such file or directory");
    check_refused("/dev/null", "", " is not a regular file");
    check_refused("/tmp", "", " is not a regular file");
    const char *fifo = support_path("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    check_refused(fifo, "", " is not a regular file"); // and the call does not wait for a writer
}

TEST(what_a_link_leads_to_is_examined)
{
    char line[32];
    const char *to = support_file("behind", "secret\n", 0600), *link = support_path("link");
    assert_int_equal(symlink(to, link), 0);
    assert_true(secret_read_line(link, line, sizeof line, &err));
    assert_string_equal(line, "secret");
    assert_int_equal(chmod(to, 0644), 0);
    check_refused(link, "", " can be accessed by others (mode 0644): run chmod 600 on it");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("/dev/null", link), 0);
    check_refused(link, "", " is not a regular file");
}

TEST(the_owner_is_root_or_oneself)
{
    const char *path = support_file("owned", "secret\n", 0600);
    check_line("mine", "mine");
    if (geteuid() != 0)
        skip(); // only root can make and read files of others
    assert_int_equal(chown(path, 54321, 0), 0);
    check_refused(path, "",
                  " belongs to user 54321: it must belong to root or to the user that runs "
                  "ibtrapd");
}

TEST(who_may_not_read_it_is_told_what_to_do)
{
    const char *path = support_file("closed", "secret\n", 0);
    const uid_t before = geteuid();
    if (before == 0)
        assert_int_equal(seteuid(54321), 0);
    check_refused(
        path, "cannot open ",
        ": Permission denied; give it to the user that runs ibtrapd (chown), and let that "
        "user into its directory");
    assert_int_equal(seteuid(before), 0);
}

static void check_content(const char *path, size_t length)
{
    size_t size = 0;
    char *content = secret_read_file(path, &size, &err);
    assert_non_null(content);
    assert_int_equal(size, length);
    assert_int_equal(strspn(content, "x"), length);
    secret_free(content, size);
}

TEST(a_whole_file_is_read_up_to_a_bound)
{
    static char text[SECRET_FILE_MAX + 2];
    size_t size;
    char expected[300];
    check_content(support_file("whole", "", 0600), 0);
    memset(text, 'x', sizeof text - 1);
    const char *path = support_file("whole", text, 0600);
    assert_null(secret_read_file(path, &size, &err));
    snprintf(expected, sizeof expected, "'%s' is longer than 65536 octets", path);
    assert_string_equal(err.text, expected);
    text[SECRET_FILE_MAX] = '\0';
    check_content(support_file("whole", text, 0600), SECRET_FILE_MAX);
}

TEST(a_whole_file_is_examined_too)
{
    size_t size;
    char expected[300];
    const char *path = support_file("open", "secret\n", 0640);
    snprintf(expected, sizeof expected,
             "'%s' can be accessed by others (mode 0640): run chmod 600 on it", path);
    assert_null(secret_read_file(path, &size, &err));
    assert_string_equal(err.text, expected);
    assert_false(secret_check_file(path, &err));
    assert_string_equal(err.text, expected);
    assert_int_equal(chmod(path, 0400), 0);
    assert_true(secret_check_file(path, &err));
    secret_free(NULL, 0);
}

TEST(keys_are_decimal_or_hexadecimal)
{
    check_key("1\n", 1);
    check_key("0\n", 0);
    check_key("0x1\r\n", 1);
    check_key("0X0002c90300001234", UINT64_C(0x0002c90300001234));
    check_key("18446744073709551615\n", UINT64_MAX);
    check_key("0xFFFFFFFFFFFFFFFF\n", UINT64_MAX);
    check_key("010\n", 10); // a leading zero does not make it octal
    check_key("089\n", 89);
}

TEST(anything_else_is_no_key)
{
    check_no_key("one\n");
    check_no_key("-1\n");
    check_no_key("+1\n");
    check_no_key(" 1\n");
    check_no_key("1 2\n");
    check_no_key("1;\n");
    check_no_key("0x\n");
    check_no_key("0xg\n");
    check_no_key("12ab\n");
    check_no_key("18446744073709551616\n");
    check_no_key("0x10000000000000000\n");
    check_no_key("\xFF\xFE\n");
}

TEST(an_error_never_tells_the_key)
{
    uint64_t key;
    assert_false(secret_read_key(support_file("key", "hunter2\n", 0600), &key, &err));
    assert_null(strstr(err.text, "hunter2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_counts),
        cmocka_unit_test(a_line_that_does_not_fit_is_refused),
        cmocka_unit_test(an_empty_line_is_refused),
        cmocka_unit_test(a_file_that_others_can_access_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(what_a_link_leads_to_is_examined),
        cmocka_unit_test(the_owner_is_root_or_oneself),
        cmocka_unit_test(who_may_not_read_it_is_told_what_to_do),
        cmocka_unit_test(a_whole_file_is_read_up_to_a_bound),
        cmocka_unit_test(a_whole_file_is_examined_too),
        cmocka_unit_test(keys_are_decimal_or_hexadecimal),
        cmocka_unit_test(anything_else_is_no_key),
        cmocka_unit_test(an_error_never_tells_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
