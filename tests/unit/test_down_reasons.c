// SPDX-License-Identifier: BSD-2-Clause
// Answers of a link's ends reach the event about the link, in time or later.
#include "pipeline_fixture.h"

#include <stdlib.h>

#define LINK_KEY "link 0x0000000000000010/1-0x0000000000000020/2"

enum { LEFT = PAIR_LEFT, RIGHT = PAIR_RIGHT, UNPLUGGED = 23, BIT_ERRORS = 2 };
static const int64_t MINUTE = 60 * CLOCK_US_PER_S;

static void pass(void)
{
    pass_time(MINUTE);
}

static int begin(void **state)
{
    (void)state;
    parts_begin(NULL);
    struct pipeline_options options = parts_options();
    pair_begin(&options);
    return 0;
}

static int end(void **state)
{
    (void)state;
    pair_end();
    return 0;
}

// The answers of both ends of the link; 0: none.
static void answer(unsigned left, unsigned right, bool complete)
{
    struct link_reasons *list = calloc(1, sizeof *list);
    assert_non_null(list);
    list->count = 2;
    list->complete = complete;
    list->all[0] = (struct link_reason){
        .node_guid = LEFT, .port = 1, .known = left != 0, .local = (uint8_t)left};
    list->all[1] = (struct link_reason){
        .node_guid = RIGHT, .port = 2, .known = right != 0, .local = (uint8_t)right};
    pipeline_put_reasons(pipeline, list);
}

// The sentence of the alarm that is open; empty: there is none.
static char alarm_text[EVENT_TEXT_SIZE];

static void note_alarm(void *ctx, const struct alarm *alarm)
{
    uint64_t *count = ctx;
    if (strcmp(alarm->key, LINK_KEY) == 0)
        snprintf(alarm_text, sizeof alarm_text, "%s", alarm->text);
    *count += alarm->count;
}

static uint64_t read_alarm(void)
{
    uint64_t count = 0;
    alarm_text[0] = '\0';
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, note_alarm, &count);
    return count;
}

static bool says(const char *words)
{
    read_alarm();
    return strstr(alarm_text, words) != NULL;
}

// The events that receivers get.
static unsigned count_told(enum catalogue_event type)
{
    unsigned count = 0;
    for (int64_t number = journal_last(journal); number > 0; number--) {
        struct event *event = journal_find(journal, number);
        count += event->type == catalogue_get(type) && event->suppressed[0] == '\0';
        event_unref(event);
    }
    return count;
}

static void lose(void)
{
    generated_unlink(&pair, 0, 1);
    pair_sweep();
}

TEST(answers_in_time_are_in_the_sentence)
{
    answer(UNPLUGGED, 0, true);
    lose();
    assert_true(says("went down: the cable was unplugged at left."));
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 1);
}

TEST(an_answer_that_comes_later_is_added_to_the_alarm)
{
    answer(0, 0, false);
    lose();
    assert_true(says("went down."));
    answer(0, BIT_ERRORS, true);
    pass();
    assert_true(says("went down: too many bit errors at right."));
    assert_int_equal(read_alarm(), 1);                    // not raised twice
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 1); // and told once
    answer(UNPLUGGED, 0, true);                           // nobody waits for it
    pass();
    assert_true(says("too many bit errors"));
}

TEST(the_second_end_may_answer_later)
{
    answer(BIT_ERRORS, 0, false);
    lose();
    assert_true(says("too many bit errors at left."));
    answer(BIT_ERRORS, UNPLUGGED, true);
    pass();
    assert_true(says("the cable was unplugged at right."));
}

TEST(an_answer_after_the_end_of_the_alarm_raises_nothing)
{
    answer(0, 0, false);
    lose();
    generated_link(&pair, 0, 1, 1, 2);
    pair_sweep();
    answer(UNPLUGGED, 0, true);
    pass();
    assert_int_equal(read_alarm(), 0);
    assert_int_equal(count_told(CATALOGUE_LINK_DOWN), 1);
}

TEST(an_answer_after_minutes_is_too_late)
{
    answer(0, 0, false);
    lose();
    pass();
    pass();
    pass();
    answer(UNPLUGGED, 0, true);
    pass();
    assert_true(says("went down."));
}

TEST(answers_are_for_the_next_snapshot_alone)
{
    answer(UNPLUGGED, 0, true);
    pair_sweep();
    lose();
    assert_true(says("went down."));
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(answers_in_time_are_in_the_sentence),
        HERE(an_answer_that_comes_later_is_added_to_the_alarm),
        HERE(the_second_end_may_answer_later),
        HERE(an_answer_after_the_end_of_the_alarm_raises_nothing),
        HERE(an_answer_after_minutes_is_too_late),
        HERE(answers_are_for_the_next_snapshot_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
