// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include <sys/stat.h>

struct capture {
    char *text;
    size_t size;
    FILE *stream;
    struct support_time time;
    struct clock clock;
    struct log *log;
};

static void begin(struct capture *c, enum log_level level, bool prefix)
{
    *c = (struct capture){.time = {.utc = SUPPORT_UTC_US}};
    c->stream = open_memstream(&c->text, &c->size);
    assert_non_null(c->stream);
    c->clock = support_clock(&c->time);
    c->log = log_open(c->stream, level, prefix, &c->clock);
    assert_non_null(c->log);
}

static void end(struct capture *c, const char *expected)
{
    log_close(c->log);
    fclose(c->stream);
    assert_string_equal(c->text, expected);
    free(c->text);
}

TEST(lines_have_time_level_and_folder)
{
    struct capture c;
    begin(&c, LOG_LEVEL_INFO, false);
    log_write(c.log, LOG_LEVEL_WARNING, "port %d is down", 1);
    log_write(c.log, LOG_LEVEL_DEBUG, "not this");
    log_write(c.log, LOG_LEVEL_INFO, "up");
    end(&c, "2026-11-21T03:19:03.123456Z warning: other: port 1 is down\n"
            "2026-11-21T03:19:03.123456Z info: other: up\n");
}

TEST(a_folder_has_a_level_of_its_own)
{
    struct capture c;
    begin(&c, LOG_LEVEL_INFO, true);
    log_set_level(c.log, LOG_FOLDER_IB, LOG_LEVEL_DEBUG);
    log_set_level(c.log, LOG_FOLDER_SINK, LOG_LEVEL_ERROR);
    struct log_limit limit = {0};
    for (int i = 0; i < LOG_FOLDER_COUNT; i++) {
        log_write_from((enum log_folder)i, c.log, LOG_LEVEL_DEBUG, "debug %d", i);
        log_write_limited_from((enum log_folder)i, c.log, &limit, LOG_LEVEL_DEBUG, "limited %d", i);
    }
    log_write_from(LOG_FOLDER_SINK, c.log, LOG_LEVEL_WARNING, "not this");
    log_write_from(LOG_FOLDER_SINK, c.log, LOG_LEVEL_ERROR, "sink");
    log_write(c.log, LOG_LEVEL_INFO, "other");
    log_set_level(c.log, LOG_FOLDER_OTHER, LOG_LEVEL_ERROR);
    log_write(c.log, LOG_LEVEL_INFO, "not this");
    assert_int_equal(log_get_level(c.log, LOG_FOLDER_IB), LOG_LEVEL_DEBUG);
    assert_int_equal(log_get_level(c.log, LOG_FOLDER_OTHER), LOG_LEVEL_ERROR);
    assert_int_equal(log_get_level(c.log, LOG_FOLDER_BASE), LOG_LEVEL_INFO);
    end(&c, "<7>ib: debug 0\n<7>ib: limited 0\n<3>sink: sink\n<6>other: other\n");
}

static int evaluated;

static int evaluate(void)
{
    return ++evaluated;
}

TEST(arguments_of_debug_messages_are_not_evaluated_when_off)
{
    struct capture c;
    begin(&c, LOG_LEVEL_INFO, true);
    evaluated = 0;
    log_debug(c.log, "%d", evaluate());
    log_debug(NULL, "%d", evaluate());
    assert_false(log_is_debug(c.log));
    assert_false(log_is_debug(NULL));
    assert_int_equal(evaluated, 0);
    log_set_level(c.log, LOG_FOLDER_IB, LOG_LEVEL_DEBUG); // the level of another folder
    log_debug(c.log, "%d", evaluate());
    assert_int_equal(evaluated, 0);
    log_set_level(c.log, LOG_FOLDER, LOG_LEVEL_DEBUG);
    assert_true(log_is_debug(c.log));
    log_debug(c.log, "%d", evaluate());
    log_debug(NULL, "%d", evaluate());
    assert_int_equal(evaluated, 1);
    end(&c, "<7>other: 1\n");
}

TEST(folders_have_words)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        assert_true(log_folder_word((enum log_folder)i)[0] != '\0');
    assert_string_equal(log_folder_word(LOG_FOLDER_IB), "ib");
    assert_string_equal(log_folder_word(LOG_FOLDER_OTHER), "other");
}

// Whether the refusal names the folder.
static bool is_listed(const char *word)
{
    const char *list = strchr(log_folder_refusal(), ':') + 1;
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, " ")) {
        at++; // the space before it
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

TEST(folders_with_debug_messages_have_a_level)
{
    enum log_folder folder;
    for (int i = 0; i < LOG_FOLDER_COUNT; i++) {
        const char *word = log_folder_word((enum log_folder)i);
        bool taken = log_folder_from_word(word, &folder);
        if (taken)
            assert_int_equal(folder, i);
        assert_int_equal(is_listed(word), taken);
    }
    assert_true(log_folder_from_word("ib", &folder));
    assert_false(log_folder_from_word("base", &folder));
    assert_false(log_folder_from_word("IB", &folder));
    assert_false(log_folder_from_word("", &folder));
}

TEST(the_journal_is_known_by_its_stream)
{
    struct stat st;
    char stream[64];
    FILE *f = tmpfile();
    assert_int_equal(fstat(fileno(f), &st), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    assert_true(log_is_journal(fileno(f), stream));
    assert_false(log_is_journal(fileno(f), NULL));
    assert_false(log_is_journal(fileno(f), ""));
    assert_false(log_is_journal(fileno(f), "1:2")); // redirected since
    assert_false(log_is_journal(-1, stream));
    fclose(f);
}

TEST(journald_gets_priorities)
{
    struct capture c;
    begin(&c, LOG_LEVEL_DEBUG, true);
    log_write(c.log, LOG_LEVEL_ERROR, "a");
    log_write(c.log, LOG_LEVEL_WARNING, "b");
    log_write(c.log, LOG_LEVEL_INFO, "c");
    log_write(c.log, LOG_LEVEL_DEBUG, "d");
    end(&c, "<3>other: a\n<4>other: b\n<6>other: c\n<7>other: d\n");
}

// What is an event, too, is in journald once.
TEST(a_condition_is_written_where_no_event_says_it)
{
    for (int journald = 0; journald < 2; journald++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        struct log *log = log_open(stream, LOG_LEVEL_INFO, journald, &clock_system);
        log_condition(log, LOG_LEVEL_WARNING, "first %d", 1);
        log_set_events_seen(log, true);
        log_condition(log, LOG_LEVEL_WARNING, "second %d", 2);
        log_write(log, LOG_LEVEL_WARNING, "third");
        log_set_events_seen(log, false);
        log_condition(log, LOG_LEVEL_WARNING, "fourth");
        log_close(log);
        fclose(stream);
        assert_non_null(strstr(text, "first 1"));
        assert_int_equal(strstr(text, "second 2") == NULL, journald);
        assert_non_null(strstr(text, "third"));
        assert_non_null(strstr(text, "fourth"));
        free(text);
    }
}

TEST(no_text_can_forge_a_line)
{
    struct capture c;
    begin(&c, LOG_LEVEL_INFO, true);
    log_write(c.log, LOG_LEVEL_INFO, "name %s", "x\n<3>forged\r\x1B[2J\x7F");
    end(&c, "<6>other: name x?<3>forged??[2J?\n");
}

TEST(a_limit_lets_one_line_through_and_counts_the_rest)
{
    struct capture c;
    struct log_limit limit = {0};
    begin(&c, LOG_LEVEL_INFO, true);
    for (int i = 0; i < 4; i++)
        log_write_limited(c.log, &limit, LOG_LEVEL_WARNING, "foreign %d", i);
    c.time.monotonic += 10 * CLOCK_US_PER_S - 1;
    log_write_limited(c.log, &limit, LOG_LEVEL_WARNING, "too early");
    c.time.monotonic += 1;
    log_write_limited(c.log, &limit, LOG_LEVEL_WARNING, "again");
    c.time.monotonic += 10 * CLOCK_US_PER_S;
    log_write_limited(c.log, &limit, LOG_LEVEL_WARNING, "quiet since");
    end(&c, "<4>other: foreign 0\n<4>other: again (and 4 more like it)\n"
            "<4>other: quiet since\n");
}

TEST(levels_have_words)
{
    int64_t level;
    assert_true(word_value(WORDS_LOG_LEVEL, "error", &level));
    assert_int_equal(level, LOG_LEVEL_ERROR);
    assert_true(word_value(WORDS_LOG_LEVEL, "debug", &level));
    assert_int_equal(level, LOG_LEVEL_DEBUG);
    assert_false(word_value(WORDS_LOG_LEVEL, "Debug", &level));
    assert_false(word_value(WORDS_LOG_LEVEL, "", &level));
    assert_string_equal(log_level_word(LOG_LEVEL_WARNING), "warning");
}

TEST(errors_are_sentences_with_a_context)
{
    struct error err;
    assert_false(error_set(&err, "no %s", "port"));
    assert_string_equal(err.text, "no port");
    assert_false(error_prefix(&err, "%s:%d", "file", 3));
    assert_string_equal(err.text, "file:3: no port");
}

TEST(long_errors_are_cut)
{
    struct error err;
    char word[600];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    error_set(&err, "%s", word);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_prefix(&err, "context");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "context: www", 12);
    error_prefix(&err, "%s", word);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_time_level_and_folder),
        cmocka_unit_test(a_folder_has_a_level_of_its_own),
        cmocka_unit_test(arguments_of_debug_messages_are_not_evaluated_when_off),
        cmocka_unit_test(folders_have_words),
        cmocka_unit_test(folders_with_debug_messages_have_a_level),
        cmocka_unit_test(the_journal_is_known_by_its_stream),
        cmocka_unit_test(journald_gets_priorities),
        cmocka_unit_test(a_condition_is_written_where_no_event_says_it),
        cmocka_unit_test(no_text_can_forge_a_line),
        cmocka_unit_test(a_limit_lets_one_line_through_and_counts_the_rest),
        cmocka_unit_test(levels_have_words),
        cmocka_unit_test(errors_are_sentences_with_a_context),
        cmocka_unit_test(long_errors_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
