// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error err;
static size_t size;

static void check_read(const char *path, size_t max, const char *expected)
{
    char *content = regular_file_read(path, max, &size, &err);
    assert_non_null(content);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(content, expected);
    free(content);
}

static void check_refused(const char *path, size_t max, const char *words)
{
    assert_null(regular_file_read(path, max, &size, &err));
    if (!strstr(err.text, words) || !strstr(err.text, path))
        fail_msg("'%s' or '%s' is not in '%s'", words, path, err.text);
}

TEST(a_file_is_read_whole)
{
    check_read(support_file("text", "two\nlines\n", 0644), 100, "two\nlines\n");
    check_read(support_file("text", "1234567890", 0644), 10, "1234567890");
    check_read(support_file("empty", "", 0644), 10, "");
}

TEST(a_file_that_is_too_long_is_refused)
{
    check_refused(support_file("long", "12345678901", 0644), 10, "is longer than 10 octets");
    const char *path = support_file("sparse", "", 0644);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    check_refused(path, 1 << 20, "is longer than 1048576 octets");
}

// Such a file has a size of 0.
TEST(a_file_of_the_kernel_is_read_up_to_the_limit)
{
    char *content = regular_file_read("/proc/self/status", 1 << 20, &size, &err);
    assert_non_null(content);
    assert_true(size > 10);
    free(content);
    check_refused("/proc/self/status", 10, "is longer than 10 octets");
}

TEST(what_is_no_file_is_refused_at_once)
{
    char fifo[300];
    snprintf(fifo, sizeof fifo, "%s.fifo", support_file("text", "", 0644));
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    check_refused(fifo, 10, "is not a regular file");
    check_refused("/dev/zero", 10, "is not a regular file");
    check_refused("/tmp", 10, "is not a regular file");
    check_refused("/nonexistent/file", 10, "No such file or directory");
    assert_int_equal(unlink(fifo), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(a_file_that_is_too_long_is_refused),
        cmocka_unit_test(a_file_of_the_kernel_is_read_up_to_the_limit),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
