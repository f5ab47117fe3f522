// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/names.h"

#include <sys/stat.h>
#include <unistd.h>

#define PARSE(content) names_parse("map", content, sizeof content - 1, &err)

static struct error err;

static void check_error(const char *content, size_t size, const char *expected)
{
    assert_null(names_parse("map", content, size, &err));
    assert_string_equal(err.text, expected);
}

#define WRONG(content, sentence) check_error(content, sizeof content - 1, sentence)

TEST(the_format_of_infiniband_diags)
{
    struct names *names = PARSE("# names of the fabric\n"
                                "\n"
                                "0x0002c90300001234 \"leaf 12\"\n"
                                "  0x2c90300001235\t\"spine # 1\" # the old one\n"
                                "0002C90300001236 unquoted name # comment\n"
                                "0X1  \"  \xC3\xA4 \"\r\n"
                                "\t# indented comment\n"
                                "0xffffffffffffffff last");
    assert_non_null(names);
    assert_int_equal(names_count(names), 5);
    assert_string_equal(names_find(names, UINT64_C(0x0002c90300001234)), "leaf 12");
    assert_string_equal(names_find(names, UINT64_C(0x0002c90300001235)), "spine # 1");
    assert_string_equal(names_find(names, UINT64_C(0x0002c90300001236)), "unquoted name");
    assert_string_equal(names_find(names, 1), "  \xC3\xA4");
    assert_string_equal(names_find(names, UINT64_MAX), "last");
    assert_null(names_find(names, 0));
    assert_null(names_find(names, 2));
    names_unref(names);
}

TEST(an_empty_map_is_fine)
{
    struct names *names = PARSE("");
    assert_non_null(names);
    assert_int_equal(names_count(names), 0);
    assert_null(names_find(names, 1));
    names_unref(names);
    names = PARSE("\n\n# nothing\n");
    assert_non_null(names);
    assert_int_equal(names_count(names), 0);
    names_unref(names);
}

TEST(no_map_knows_no_names)
{
    assert_null(names_find(NULL, 1));
    assert_int_equal(names_count(NULL), 0);
    names_unref(NULL);
}

TEST(errors_name_file_and_line)
{
    WRONG("leaf12 0x1\n", "map:1: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("0x1 \"a\"\n\n# c\n0xg \"b\"\n",
          "map:4: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("0x \"a\"\n", "map:1: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("0x12345678901234567 \"a\"\n",
          "map:1: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("0x1\"a\"\n", "map:1: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("\"a\" 0x1\n", "map:1: a line must begin with a GUID such as 0x0002c90200001234");
    WRONG("0x1\n", "map:1: the GUID must be followed by a name");
    WRONG("0x1 \n0x2 b\n", "map:1: the GUID must be followed by a name");
    WRONG("0x1 a\n0x2 # b\n", "map:2: the GUID must be followed by a name");
    WRONG("0x1 \"\"\n", "map:1: the GUID must be followed by a name");
    WRONG("0x1 a\n0x2 \"b\n", "map:2: the name's closing double quote is missing");
    WRONG("0x1 \"a\nb\"\n", "map:1: the name's closing double quote is missing");
}

TEST(hostile_names_become_harmless)
{
    struct names *names = PARSE("0x1 \"a\x1B[31mb\tc\x7F\"\n"
                                "0x2 \"\xFF\xC0\xAF ok\"\n"
                                "0x3 \"C1 \xC2\x9B\"\n"
                                "0x4 nul\0hidden\n"
                                "0x5 quote\"in it\n");
    assert_non_null(names);
    assert_string_equal(names_find(names, 1), "a?[31mb?c?");
    assert_string_equal(names_find(names, 2), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD ok");
    assert_string_equal(names_find(names, 3), "C1 ?");
    assert_string_equal(names_find(names, 4), "nul");
    assert_string_equal(names_find(names, 5), "quote\"in it");
    names_unref(names);
}

TEST(names_too_long_are_cut_between_characters)
{
    char content[400] = "0x1 \"";
    for (int i = 0; i < 80; i++)
        strcat(content, "\xE2\x82\xAC"); // 240 octets
    strcat(content, "\"\n");
    struct names *names = names_parse("map", content, strlen(content), &err);
    assert_non_null(names);
    const char *name = names_find(names, 1);
    assert_int_equal(strlen(name), 126); // 42 complete characters
    assert_memory_equal(name + 123, "\xE2\x82\xAC", 3);
    names_unref(names);
}

TEST(of_two_lines_for_one_guid_the_later_holds)
{
    struct names *names = PARSE("0x2 b\n0x1 first\n0x3 c\n0x01 second\n0x0001 \"third\"\n");
    assert_non_null(names);
    assert_int_equal(names_count(names), 3);
    assert_string_equal(names_find(names, 1), "third");
    assert_string_equal(names_find(names, 2), "b");
    assert_string_equal(names_find(names, 3), "c");
    names_unref(names);
}

TEST(files_are_read_whole)
{
    struct error why;
    const char *path = support_file("names", "0x1 one\n0x2 two", 0644);
    struct names *names = names_load(path, &why);
    assert_non_null(names);
    assert_string_equal(names_find(names, 2), "two");
    names_unref(names);

    char *large = malloc(200001);
    assert_non_null(large);
    memset(large, '\n', 200000);
    memcpy(large + 199990, "0x3 three\n", 10);
    large[200000] = '\0';
    path = support_file("names", large, 0644);
    names = names_load(path, &why);
    assert_non_null(names);
    assert_string_equal(names_find(names, 3), "three");
    names_unref(names);
    free(large);

    path = support_file("names", "", 0644);
    names = names_load(path, &why);
    assert_non_null(names);
    assert_int_equal(names_count(names), 0);
    names_unref(names);
}

TEST(what_cannot_be_read_is_told)
{
    char expected[300];
    assert_null(names_load("/nonexistent/map", &err));
    assert_string_equal(err.text, "node-name-map: cannot open '/nonexistent/map': "
                                  "No such file or directory");
    assert_null(names_load("/tmp", &err));
    assert_string_equal(err.text, "node-name-map: '/tmp' is not a regular file");
    const char *fifo = support_path("fifo"); // nobody ever writes to it
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_null(names_load(fifo, &err));
    assert_non_null(strstr(err.text, "is not a regular file"));
    const char *path = support_file("names", "0x1 a\n0x2\n", 0644);
    assert_null(names_load(path, &err));
    snprintf(expected, sizeof expected, "%s:2: the GUID must be followed by a name", path);
    assert_string_equal(err.text, expected);
}

TEST(a_map_is_bounded)
{
    size_t size = 0, lines = NAMES_ENTRIES_MAX + 1;
    char *content = malloc(lines * 16);
    assert_non_null(content);
    for (size_t i = 0; i < lines; i++)
        size += (size_t)sprintf(content + size, "%zx n%zu\n", i + 1, i % 10);
    assert_null(names_parse("map", content, size, &err));
    assert_string_equal(err.text, "map:200001: more than 200000 names");
    char *last = content + size - 1;
    while (last[-1] != '\n')
        last--;
    struct names *names = names_parse("map", content, (size_t)(last - content), &err);
    assert_non_null(names);
    assert_int_equal(names_count(names), NAMES_ENTRIES_MAX);
    assert_string_equal(names_find(names, 123457), "n6");
    names_unref(names);
    free(content);
}

TEST(a_file_is_bounded)
{
    char expected[300];
    const char *path = support_file("names", "", 0644);
    assert_int_equal(truncate(path, 100 << 20), 0); // filled with NULs, without disk blocks
    assert_null(names_load(path, &err));
    snprintf(expected, sizeof expected, "node-name-map: '%s' is longer than %d octets", path,
             64 << 20);
    assert_string_equal(err.text, expected);
}

// Names that were set by SNMP.

static struct setting set_name(enum setting_kind kind, uint64_t guid, const char *name)
{
    struct setting s = {.kind = kind, .guid = guid, .size = (uint16_t)strlen(name)};
    memcpy(s.value, name, s.size);
    return s;
}

TEST(what_was_set_goes_before_the_map)
{
    const struct setting some[] = {set_name(SETTING_SWITCH_NAME, 9, "spine9"),
                                   set_name(SETTING_SWITCH_NAME, 2, "spine2"),
                                   set_name(SETTING_SAN_NAME, 1, "san")};
    struct settings *settings = settings_with(NULL, some, COUNT(some));
    struct names *map = names_parse("map", "0x1 one\n0x2 two\n", 16, &err);
    struct names *names = names_with(map, settings, NULL, 0);
    names_unref(map); // the others hold their own references
    settings_unref(settings);
    assert_string_equal(names_find(names, 1), "one");
    assert_string_equal(names_find(names, 2), "spine2");
    assert_string_equal(names_find(names, 9), "spine9");
    assert_null(names_find(names, 3));
    assert_ptr_equal(names_ref(names), names);
    names_unref(names);
    assert_string_equal(names_find(names, 1), "one");
    names_unref(names);
}

TEST(without_names_set_there_is_the_map)
{
    const struct setting san = set_name(SETTING_SAN_NAME, 1, "san"),
                         name = set_name(SETTING_SWITCH_NAME, 1, "leaf");
    struct settings *none = settings_with(NULL, &san, 1), *one = settings_with(NULL, &name, 1);
    struct names *map = names_parse("map", "0x1 one\n", 8, &err),
                 *names = names_with(map, none, NULL, 0);
    assert_ptr_equal(names, map);
    names_unref(names);
    names_unref(map);
    assert_null(names_with(NULL, none, NULL, 0));
    names = names_with(NULL, one, NULL, 0);
    assert_string_equal(names_find(names, 1), "leaf");
    names_unref(names);
    assert_null(names_ref(NULL));
    settings_unref(none);
    settings_unref(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_format_of_infiniband_diags),
        cmocka_unit_test(an_empty_map_is_fine),
        cmocka_unit_test(no_map_knows_no_names),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(hostile_names_become_harmless),
        cmocka_unit_test(names_too_long_are_cut_between_characters),
        cmocka_unit_test(of_two_lines_for_one_guid_the_later_holds),
        cmocka_unit_test(files_are_read_whole),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(a_map_is_bounded),
        cmocka_unit_test(a_file_is_bounded),
        cmocka_unit_test(what_was_set_goes_before_the_map),
        cmocka_unit_test(without_names_set_there_is_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
