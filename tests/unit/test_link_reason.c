// SPDX-License-Identifier: BSD-2-Clause
// Which end of a link a sentence blames, and in which words.
#include "support.h"

#include "model/link_reason.h"

enum { BIT_ERRORS = 2, REMOTE_FAULT = 20, UNPLUGGED = 23, PEER_DISABLED = 33 };

static struct link_reason own, other;

static int begin(void **state)
{
    (void)state;
    own = other = (struct link_reason){0};
    return 0;
}

static void check(const char *words, enum link_end at)
{
    const struct link_down_cause cause = link_reason_judge(&own, &other);
    if (!words) {
        assert_null(cause.words);
        return;
    }
    assert_non_null(cause.words);
    assert_string_equal(cause.words, words);
    assert_int_equal(cause.at, at);
}

TEST(without_answers_there_is_no_cause)
{
    check(NULL, LINK_END_UNKNOWN);
    own = (struct link_reason){.known = true, .local = 1, .remote = 0};
    check(NULL, LINK_END_UNKNOWN);
    own.local = 200; // a number that nobody has told us of
    check(NULL, LINK_END_UNKNOWN);
    assert_string_equal(link_reason_words(200), "");
}

TEST(one_end_is_enough)
{
    own = (struct link_reason){.known = true, .local = UNPLUGGED};
    check("the cable was unplugged", LINK_END_OWN);
    own = (struct link_reason){0};
    other = (struct link_reason){.known = true, .local = UNPLUGGED};
    check("the cable was unplugged", LINK_END_OTHER);
}

TEST(the_more_definite_reason_counts)
{
    own = (struct link_reason){.known = true, .local = REMOTE_FAULT};
    other = (struct link_reason){.known = true, .local = BIT_ERRORS};
    check("too many bit errors", LINK_END_OTHER);
    own.local = UNPLUGGED;
    check("the cable was unplugged", LINK_END_OWN);
}

TEST(of_equal_reasons_that_of_the_blamed_end_counts)
{
    own = (struct link_reason){.known = true, .local = BIT_ERRORS, .blame = LINK_END_OTHER};
    other = (struct link_reason){.known = true, .local = BIT_ERRORS};
    check("too many bit errors", LINK_END_OTHER);
    own.blame = LINK_END_UNKNOWN;
    check("too many bit errors", LINK_END_OWN);
    other.blame = LINK_END_OWN; // of the other end: itself
    assert_int_equal(link_reason_judge(&own, &other).blame, LINK_END_OTHER);
    check("too many bit errors", LINK_END_OTHER);
}

TEST(a_port_may_speak_of_its_peer)
{
    own = (struct link_reason){.known = true, .local = PEER_DISABLED};
    check("the port was disabled", LINK_END_OTHER);
    other = own;
    own = (struct link_reason){0};
    check("the port was disabled", LINK_END_OWN);
}

TEST(what_the_peer_was_told_stands_in_for_a_silent_end)
{
    own = (struct link_reason){.known = true, .local = 1, .remote = UNPLUGGED};
    check("the cable was unplugged", LINK_END_OTHER);
    assert_int_equal(link_reason_judge(&own, &other).remote, UNPLUGGED);
    other = (struct link_reason){.known = true, .local = BIT_ERRORS}; // its own word counts more
    check("too many bit errors", LINK_END_OTHER);
}

TEST(the_status_helps_where_the_reason_is_unknown)
{
    own = (struct link_reason){.known = true, .local = 1, .status = 1024};
    check("the cable is unplugged", LINK_END_OWN);
    own.status = 27;
    check("the cable does not fit the port", LINK_END_OWN);
    own.status = 33;
    check(NULL, LINK_END_UNKNOWN);
}

TEST(the_devices_sentence_is_that_of_the_end_in_question)
{
    own = (struct link_reason){.known = true, .local = REMOTE_FAULT, .message = "remote"};
    other = (struct link_reason){.known = true, .local = UNPLUGGED, .message = "unplugged"};
    assert_string_equal(link_reason_judge(&own, &other).message, "unplugged");
    assert_string_equal(link_reason_judge(&other, &own).message, "unplugged");
    other.message[0] = '\0';
    assert_string_equal(link_reason_judge(&other, &own).message, "remote");
}

#define HERE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(without_answers_there_is_no_cause),
        HERE(one_end_is_enough),
        HERE(the_more_definite_reason_counts),
        HERE(of_equal_reasons_that_of_the_blamed_end_counts),
        HERE(a_port_may_speak_of_its_peer),
        HERE(what_the_peer_was_told_stands_in_for_a_silent_end),
        HERE(the_status_helps_where_the_reason_is_unknown),
        HERE(the_devices_sentence_is_that_of_the_end_in_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
