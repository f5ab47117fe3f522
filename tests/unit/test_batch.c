// SPDX-License-Identifier: BSD-2-Clause
#include "fake_fabric.h"
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "ib/requests.h"

static const int64_t MS = CLOCK_US_PER_MS;

enum { REQUESTS = 2000, FIRST_TID = 0x12345 };

static struct fake_fabric f;
static struct error err;
static struct requests *batch;
static atomic_bool stop;
static struct requests_counters counters;

static unsigned done_of[REQUESTS], answers_of[REQUESTS];
static unsigned wanted; // requests that the callback adds
static unsigned added;
static int64_t done_at;

static struct requests *new_batch(unsigned in_flight, unsigned attempts, int64_t timeout_us)
{
    const struct requests_options options = {
        .io = fake_port_io(&f.port),
        .in_flight = in_flight,
        .attempts = attempts,
        .timeout_us = timeout_us,
        .clock = &f.port.clock,
        .stop = &stop,
    };
    return requests_new(&options, FIRST_TID);
}

static int begin(void **state)
{
    (void)state;
    fake_fabric_init(&f, 1);
    fake_fabric_add(&f, FABRIC_CA, 1);
    memset(done_of, 0, sizeof done_of);
    memset(answers_of, 0, sizeof answers_of);
    wanted = added = 0;
    atomic_store(&stop, false);
    batch = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    requests_free(batch);
    return 0;
}

static void add(unsigned id);

// Each answer repeats the request's modifier, which is the tag, so a mixed-up answer shows.
static void done(void *ctx, const void *tag, const struct request_answer *answer)
{
    unsigned id;
    assert_ptr_equal(ctx, &f);
    memcpy(&id, tag, sizeof id);
    assert_in_range(id, 0, REQUESTS - 1);
    done_of[id]++;
    done_at = f.port.time.monotonic;
    if (answer->mad) {
        assert_int_equal(answer->size, MAD_SIZE);
        assert_int_equal(wire_get32(answer->mad + 20), id);
        answers_of[id]++;
    }
    if (added < wanted)
        add(added);
}

static void make(void *ctx, const void *tag, uint8_t *mad)
{
    unsigned id;
    assert_ptr_equal(ctx, &f);
    memcpy(&id, tag, sizeof id);
    smp_make_get(mad, 0, SMP_NODE_INFO, id, NULL, 0);
}

static void add_to(unsigned id, request_done *to, bool next)
{
    requests_add(batch, &(struct mad_request){.to = {.lid = 0xFFFF},
                                              .make = make,
                                              .next = next,
                                              .done = to,
                                              .ctx = &f,
                                              .tag = &id,
                                              .tag_size = sizeof id});
}

static void add(unsigned id)
{
    added++;
    add_to(id, done, false);
}

static void add_many(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add(i);
}

// Every request is done once, and `answered` of them were answered.
static void check_done(unsigned n, unsigned answered)
{
    unsigned got = 0;
    for (unsigned i = 0; i < REQUESTS; i++) {
        assert_int_equal(done_of[i], i < n ? 1 : 0);
        got += answers_of[i];
    }
    assert_int_equal(got, answered);
    counters = (struct requests_counters){0};
    requests_add_counters(batch, &counters);
    assert_int_equal(counters.requests, n);
    assert_int_equal(counters.answered, answered);
    assert_int_equal(counters.given_up, n - answered);
    assert_int_equal(counters.sent, f.port.sent);
}

TEST(nothing_to_do_is_done_at_once)
{
    batch = new_batch(1, 1, 100 * MS);
    assert_true(requests_run(batch, &err));
    assert_false(requests_was_ended(batch));
    check_done(0, 0);
}

TEST(all_are_answered_and_few_are_under_way)
{
    static const unsigned AT_A_TIME[] = {1, 7, 16, REQUESTS_IN_FLIGHT_MAX};
    for (size_t i = 0; i < COUNT(AT_A_TIME); i++) {
        end(NULL);
        begin(NULL);
        batch = new_batch(AT_A_TIME[i], 3, 100 * MS);
        add_many(REQUESTS);
        assert_true(requests_run(batch, &err));
        check_done(REQUESTS, REQUESTS);
        assert_int_equal(f.port.sent, REQUESTS);
        assert_int_equal(f.port.in_flight_most, AT_A_TIME[i]);
    }
}

TEST(what_is_lost_is_asked_again)
{
    f.loss = 20;
    batch = new_batch(16, 30, 100 * MS);
    add_many(REQUESTS);
    assert_true(requests_run(batch, &err));
    check_done(REQUESTS, REQUESTS);
    assert_in_range(f.port.sent, REQUESTS * 5 / 4, REQUESTS * 2);
    assert_int_equal(f.port.in_flight_most, 16);
}

TEST(who_never_answers_is_given_up)
{
    f.loss = 100;
    int64_t begun = f.port.time.monotonic;
    batch = new_batch(10, 3, 200 * MS);
    add_many(20);
    assert_true(requests_run(batch, &err));
    check_done(20, 0);
    assert_int_equal(f.port.sent, 60);
    // Two rounds of ten, three attempts each.
    assert_int_equal(f.port.time.monotonic - begun, 2 * 3 * 200 * MS);
    assert_int_equal(f.port.in_flight_most, 10);
}

TEST(one_attempt_is_one_attempt)
{
    f.loss = 100;
    batch = new_batch(1, 1, 100 * MS);
    add_many(1);
    assert_true(requests_run(batch, &err));
    check_done(1, 0);
    assert_int_equal(f.port.sent, 1);
}

TEST(a_late_answer_counts_while_it_is_still_wanted)
{
    f.port.latency_us = 150 * MS;
    int64_t begun = f.port.time.monotonic;
    batch = new_batch(1, 3, 100 * MS);
    add_many(1);
    assert_true(requests_run(batch, &err));
    check_done(1, 1);
    assert_int_equal(f.port.sent, 2);
    assert_int_equal(done_at - begun, 150 * MS);
}

TEST(an_answer_that_comes_too_late_is_nobody_elses)
{
    // Each request is given up before its answer arrives; by then its slot belongs to another one.
    f.port.latency_us = 150 * MS;
    batch = new_batch(4, 1, 100 * MS);
    add_many(REQUESTS);
    assert_true(requests_run(batch, &err));
    check_done(REQUESTS, 0);
    assert_true(f.port.received > REQUESTS / 2);
}

TEST(a_done_may_add_more)
{
    wanted = REQUESTS;
    batch = new_batch(16, 3, 100 * MS);
    add(0);
    assert_true(requests_run(batch, &err));
    check_done(REQUESTS, REQUESTS);
}

static unsigned order[REQUESTS], ordered;

static void note(void *ctx, const void *tag, const struct request_answer *answer)
{
    (void)ctx, (void)answer;
    memcpy(&order[ordered++], tag, sizeof *order);
}

TEST(what_is_next_comes_before_those_that_wait)
{
    static const unsigned EXPECTED[] = {4, 3, 0, 1, 2, 5};
    ordered = 0;
    batch = new_batch(1, 1, 100 * MS);
    add_to(3, note, true); // into an empty queue
    for (unsigned i = 0; i < 3; i++)
        add_to(i, note, false);
    add_to(4, note, true);
    add_to(5, note, false);
    assert_true(requests_run(batch, &err));
    assert_int_equal(ordered, 6);
    assert_memory_equal(order, EXPECTED, sizeof EXPECTED);
}

TEST(a_batch_can_run_again)
{
    batch = new_batch(16, 3, 100 * MS);
    for (unsigned i = 0; i < 100; i++) {
        add(i);
        assert_true(requests_run(batch, &err));
    }
    check_done(100, 100);
}

TEST(what_the_port_refuses_is_given_up)
{
    f.port.refuses = true;
    batch = new_batch(16, 3, 100 * MS);
    add_many(100);
    assert_true(requests_run(batch, &err));
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(done_of[i], 1);
    counters = (struct requests_counters){0};
    requests_add_counters(batch, &counters);
    assert_int_equal(counters.given_up, 100);
}

TEST(a_lost_port_ends_it)
{
    f.port.gone = true;
    batch = new_batch(16, 3, 100 * MS);
    add_many(100);
    assert_false(requests_run(batch, &err));
    assert_string_equal(err.text, "it was unplugged");
    assert_int_equal(done_of[0], 0);
}

TEST(a_stop_ends_it)
{
    atomic_store(&stop, true);
    batch = new_batch(16, 3, 100 * MS);
    add_many(100);
    assert_false(requests_run(batch, &err));
    assert_string_equal(err.text, "stopped");
    assert_int_equal(f.port.sent, 0);
}

// Ends the batch when 50 requests are done; no further one may be done, or sent.
static void done_until_end(void *ctx, const void *tag, const struct request_answer *answer)
{
    assert_false(requests_was_ended(batch));
    done(ctx, tag, answer);
    if (++ordered == 50)
        requests_end(batch);
}

static void add_many_until_end(void)
{
    ordered = 0;
    for (unsigned i = 0; i < REQUESTS; i++)
        add_to(i, done_until_end, false);
}

TEST(it_ends_when_it_is_told_to)
{
    static const unsigned LOSSES[] = {0, 20, 100};
    for (size_t i = 0; i < COUNT(LOSSES); i++) {
        end(NULL);
        begin(NULL);
        f.loss = LOSSES[i];
        batch = new_batch(16, 3, 100 * MS);
        add_many_until_end();
        assert_true(requests_run(batch, &err));
        assert_true(requests_was_ended(batch));
        assert_int_equal(ordered, 50);
        assert_in_range(f.port.sent, 50, (50 + 16) * 3);
    }
}

TEST(it_ends_when_its_time_is_over)
{
    f.loss = 100;
    int64_t begun = f.port.time.monotonic;
    struct requests_options options = {.io = fake_port_io(&f.port),
                                       .in_flight = 1,
                                       .attempts = 3,
                                       .timeout_us = 100 * MS,
                                       .end_at = begun + 1000 * MS,
                                       .clock = &f.port.clock};
    batch = requests_new(&options, FIRST_TID);
    add_many(REQUESTS);
    assert_true(requests_run(batch, &err));
    assert_true(requests_was_ended(batch));
    assert_in_range(f.port.time.monotonic - begun, 1000 * MS, 1050 * MS);
    assert_int_equal(done_of[2], 1);
    assert_int_equal(done_of[4], 0);
}

static bool stop_it(void *ctx, int node, uint8_t *answer)
{
    (void)ctx, (void)node, (void)answer;
    atomic_store(&stop, f.port.sent >= 50);
    return true;
}

TEST(a_stop_under_way_ends_it_soon)
{
    f.tamper = stop_it;
    batch = new_batch(16, 3, 100 * MS);
    add_many(REQUESTS);
    assert_false(requests_run(batch, &err));
    assert_in_range(f.port.sent, 50, 66);
}

// Answers that match no request.

static bool change_octet(void *ctx, int node, uint8_t *answer)
{
    (void)node;
    const uint8_t *change = ctx; // offset, and the bits to flip
    answer[change[0]] ^= change[1];
    return true;
}

TEST(answers_that_do_not_fit_are_ignored)
{
    static uint8_t changes[][2] = {
        {1, 0x80},  // class
        {3, 0x80},  // method: a request
        {12, 0x80}, // the bit that marks batches
        {13, 0x01}, // serial
        {14, 0x40}, // serial
        {15, 0x01}, // slot
        {15, 0xFF}, // a slot that is never used
        {17, 0x01}, // attribute
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        end(NULL);
        begin(NULL);
        f.tamper = change_octet;
        f.tamper_ctx = changes[i];
        batch = new_batch(1, 2, 100 * MS);
        add_many(3);
        assert_true(requests_run(batch, &err));
        check_done(3, 0);
        assert_int_equal(f.port.received, 6);
    }
}

static bool answer_twice(void *ctx, int node, uint8_t *answer)
{
    (void)ctx, (void)node;
    fake_port_put(&f.port, answer, MAD_SIZE);
    return true;
}

TEST(a_second_answer_is_ignored)
{
    f.tamper = answer_twice;
    batch = new_batch(16, 3, 100 * MS);
    add_many(200);
    assert_true(requests_run(batch, &err));
    check_done(200, 200);
}

#define BATCH_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BATCH_TEST(nothing_to_do_is_done_at_once),
        BATCH_TEST(all_are_answered_and_few_are_under_way),
        BATCH_TEST(what_is_lost_is_asked_again),
        BATCH_TEST(who_never_answers_is_given_up),
        BATCH_TEST(one_attempt_is_one_attempt),
        BATCH_TEST(a_late_answer_counts_while_it_is_still_wanted),
        BATCH_TEST(an_answer_that_comes_too_late_is_nobody_elses),
        BATCH_TEST(a_done_may_add_more),
        BATCH_TEST(what_is_next_comes_before_those_that_wait),
        BATCH_TEST(a_batch_can_run_again),
        BATCH_TEST(what_the_port_refuses_is_given_up),
        BATCH_TEST(it_ends_when_it_is_told_to),
        BATCH_TEST(it_ends_when_its_time_is_over),
        BATCH_TEST(a_lost_port_ends_it),
        BATCH_TEST(a_stop_ends_it),
        BATCH_TEST(a_stop_under_way_ends_it_soon),
        BATCH_TEST(answers_that_do_not_fit_are_ignored),
        BATCH_TEST(a_second_answer_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
