// SPDX-License-Identifier: BSD-2-Clause
// The files are written like OpenSM's files (osm_db_store): an empty line follows each line, in any
// order; OpenSM removes the former file before the new file takes its place.
#include "support.h"

#include "ib/mkeys.h"

#include <sys/stat.h>
#include <unistd.h>

static const uint64_t OTHER = 7;
static const char *directory;
static char path[300], text[4096];
static FILE *stream;
static struct mkeys *mkeys;
static struct log *log_;

static void write_file(const char *name, const char *content)
{
    char temporary[340], file[300];
    snprintf(file, sizeof file, "%s/%s", directory, name);
    snprintf(temporary, sizeof temporary, "%s.tmp", file);
    FILE *f = fopen(temporary, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
    unlink(file);
    assert_int_equal(rename(temporary, file), 0);
}

static int begin(void **state)
{
    (void)state;
    directory = scratch_make();
    snprintf(path, sizeof path, "%s/guid2mkey", directory);
    stream = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    log_ = support_log(stream);
    mkeys = mkeys_new(log_);
    assert_non_null(mkeys);
    return 0;
}

static int end(void **state)
{
    (void)state;
    mkeys_free(mkeys);
    log_close(log_);
    fclose(stream);
    scratch_remove(directory);
    return 0;
}

static const char *told(void)
{
    fflush(stream);
    return text;
}

static void check_key(uint64_t guid, uint64_t expected)
{
    assert_int_equal(mkeys_find(mkeys, guid, OTHER), expected);
}

TEST(each_port_has_its_own_key)
{
    write_file("guid2mkey", "0x0002c90300000003 0x0000000000000033\n\n"
                            "0x0002c90300000001 0xfedcba9876543210\n\n"
                            "0x0002c90300000002 0x0000000000000000\n\n");
    mkeys_use(mkeys, path);
    check_key(0x0002c90300000001, 0xfedcba9876543210);
    check_key(0x0002c90300000002, 0);
    check_key(0x0002c90300000003, 0x33);
    check_key(0x0002c90300000004, OTHER);
    check_key(0, OTHER);
    assert_string_equal(told(), "");
}

TEST(without_a_file_all_have_the_other_key)
{
    check_key(1, OTHER);
    assert_int_equal(mkeys_find(NULL, 1, OTHER), OTHER);
    assert_int_equal(mkeys_find_behind(NULL, 1, 1), 0);
    mkeys_use(mkeys, "");
    assert_false(mkeys_refresh(mkeys));
    check_key(1, OTHER);
}

TEST(neighbors_say_who_is_behind_a_port)
{
    write_file("guid2mkey", "");
    write_file("neighbors", "0x0002c90300000001:12 0x0002c90300000005:1\n\n"
                            "0x0002c90300000005:1 0x0002c90300000001:12\n\n"
                            "0x0002c90300000001:2 0x0002c90300000006:36\n\n");
    mkeys_use(mkeys, path);
    assert_int_equal(mkeys_find_behind(mkeys, 0x0002c90300000001, 12), 0x0002c90300000005);
    assert_int_equal(mkeys_find_behind(mkeys, 0x0002c90300000001, 2), 0x0002c90300000006);
    assert_int_equal(mkeys_find_behind(mkeys, 0x0002c90300000005, 1), 0x0002c90300000001);
    assert_int_equal(mkeys_find_behind(mkeys, 0x0002c90300000001, 1), 0);
    assert_int_equal(mkeys_find_behind(mkeys, 0x0002c90300000006, 12), 0);
}

TEST(a_file_is_read_again_when_it_is_replaced)
{
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000011\n\n");
    mkeys_use(mkeys, path);
    assert_false(mkeys_refresh(mkeys));
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000012\n\n");
    assert_true(mkeys_refresh(mkeys));
    check_key(1, 0x12);
    assert_false(mkeys_refresh(mkeys));
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000012\n\n"); // another one, as before
    assert_false(mkeys_refresh(mkeys));
}

TEST(keys_hold_while_the_file_is_away)
{
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000011\n\n");
    mkeys_use(mkeys, path);
    unlink(path);
    assert_false(mkeys_refresh(mkeys)); // OpenSM is just replacing it
    assert_string_equal(told(), "");
    for (int i = 0; i < 5; i++)
        assert_false(mkeys_refresh(mkeys));
    check_key(1, 0x11);
    assert_non_null(strstr(told(), "cannot open"));
    assert_null(strstr(strstr(told(), "cannot open") + 1, "cannot open")); // once
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000012\n\n");
    assert_true(mkeys_refresh(mkeys));
    check_key(1, 0x12);
    assert_non_null(strstr(told(), "can be read again"));
}

TEST(what_opensm_does_not_write_is_refused_and_not_shown)
{
    static const char *const BAD[] = {
        "0x0000000000000001\n",
        "0x0000000000000001 0x5ec1e7\n", // cut off
        "0x0000000000000001 5ec1e75ec1e75ec1\n",
        "0x0000000000000001 0x5ec1e75ec1e75ec1 more\n",
        "0x0000000000000001 0x5ec1e75ec1e75ec1e\n",
        "0x00000000000000010x5ec1e75ec1e75ec1\n",
        "0x0000000000000000 0x5ec1e75ec1e75ec1\n",
        "0x0000000000000001:1 0x5ec1e75ec1e75ec1\n",
        "secret 0x5ec1e75ec1e75ec1\n",
    };
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000011\n\n");
    mkeys_use(mkeys, path);
    for (size_t i = 0; i < COUNT(BAD); i++) {
        write_file("guid2mkey", BAD[i]);
        assert_false(mkeys_refresh(mkeys));
        assert_false(mkeys_refresh(mkeys));
        check_key(1, 0x11);
        assert_null(strstr(told(), "5ec1e7"));
    }
    assert_non_null(strstr(told(), "line 1 of '"));
}

TEST(a_file_of_empty_lines_takes_no_memory_for_them)
{
    enum { LINES = 2 << 20 };
    char *lines = malloc(LINES + 1);
    assert_non_null(lines);
    memset(lines, '\n', LINES);
    lines[LINES] = '\0';
    memcpy(lines + LINES / 2, "0x0000000000000001 0x0000000000000011\n", 38);
    write_file("guid2mkey", lines);
    free(lines);
    mkeys_use(mkeys, path);
    check_key(1, 0x11);
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000012"); // without its line feed
    assert_true(mkeys_refresh(mkeys));
    check_key(1, 0x12);
}

TEST(what_is_no_file_is_refused)
{
    mkeys_use(mkeys, directory);
    mkeys_refresh(mkeys);
    assert_non_null(strstr(told(), "is not a regular file"));
    check_key(1, OTHER);
}

TEST(another_path_forgets_the_former_keys)
{
    char gone[300];
    write_file("guid2mkey", "0x0000000000000001 0x0000000000000011\n\n");
    mkeys_use(mkeys, path);
    snprintf(gone, sizeof gone, "%s/nowhere/guid2mkey", directory);
    mkeys_use(mkeys, gone);
    check_key(1, OTHER);
    mkeys_use(mkeys, path);
    check_key(1, 0x11);
    mkeys_use(mkeys, "");
    check_key(1, OTHER);
}

#define MKEYS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MKEYS_TEST(each_port_has_its_own_key),
        MKEYS_TEST(without_a_file_all_have_the_other_key),
        MKEYS_TEST(neighbors_say_who_is_behind_a_port),
        MKEYS_TEST(a_file_is_read_again_when_it_is_replaced),
        MKEYS_TEST(keys_hold_while_the_file_is_away),
        MKEYS_TEST(what_opensm_does_not_write_is_refused_and_not_shown),
        MKEYS_TEST(a_file_of_empty_lines_takes_no_memory_for_them),
        MKEYS_TEST(what_is_no_file_is_refused),
        MKEYS_TEST(another_path_forgets_the_former_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
