// SPDX-License-Identifier: BSD-2-Clause
// The events of a request: which events are in the body, and when the body is full.
#include "support.h"

#include "http/body.h"
#include "model/catalogue.h"

enum { BODY_MAX = 3 * BODY_ENDS_MAX };

static struct post *batch;
static struct body_context context;
static size_t piece_size;

// A piece begins with the event's identifier, and is filled up with dots.
static void add_piece(struct text *t, const struct body_context *c, const struct event *event)
{
    assert_ptr_equal(c, &context);
    text_add(t, event->id);
    for (size_t n = strlen(event->id); n < piece_size; n++)
        text_add(t, ".");
}

static const struct body_format FORMAT = {
    .begin = "[", .separator = ",", .end = "]", .add = add_piece};

static int begin(void **state)
{
    (void)state;
    piece_size = 0;
    batch = post_new(BODY_MAX, &FORMAT, &context);
    assert_non_null(batch);
    return 0;
}

static int end(void **state)
{
    (void)state;
    post_free(batch);
    return 0;
}

static struct event *make(const char *id)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%s", id);
    return event;
}

static bool add(const char *id)
{
    struct event *event = make(id);
    const bool result = post_add(batch, event, batch->count + 1, BODY_MAX);
    event_unref(event);
    return result;
}

static void check_body(const char *expected)
{
    post_finish(batch);
    assert_string_equal(batch->body.buf, expected);
    assert_int_equal(batch->body.len, strlen(expected));
}

TEST(a_batch_knows_the_tickets_of_its_events)
{
    assert_true(add("a"));
    assert_true(add("b"));
    assert_int_equal(batch->count, 2);
    assert_int_equal(batch->tickets[0], 1);
    assert_int_equal(batch->tickets[1], 2);
    check_body("[a,b]");
}

TEST(a_full_batch_stays_as_it_is)
{
    piece_size = BODY_ENDS_MAX;
    assert_true(add("a"));
    const size_t before = batch->body.len;
    assert_false(add("b"));
    assert_int_equal(batch->count, 1);
    assert_int_equal(batch->body.len, before);
    piece_size = 0;
    assert_true(add("c"));
}

TEST(an_event_that_is_too_large_goes_alone)
{
    piece_size = BODY_MAX;
    assert_true(add("b"));
    assert_false(add("c"));
    assert_int_equal(batch->count, 1);
}

TEST(a_batch_that_begins_anew_is_empty)
{
    assert_true(add("a"));
    post_begin(batch);
    assert_int_equal(batch->count, 0);
    assert_true(add("b"));
    check_body("[b]");
}

#define BATCH_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BATCH_TEST(a_batch_knows_the_tickets_of_its_events),
        BATCH_TEST(a_full_batch_stays_as_it_is),
        BATCH_TEST(an_event_that_is_too_large_goes_alone),
        BATCH_TEST(a_batch_that_begins_anew_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
