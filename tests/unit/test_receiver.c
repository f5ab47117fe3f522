// SPDX-License-Identifier: BSD-2-Clause
#include "each_receiver.h"
#include "fake_sink.h"
#include "support.h"

#include "model/catalogue.h"
#include "sink/receiver.h"

#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct fake_sink fake;
static struct receiver *receiver;
static struct receiver_options options;
static struct receiver_status status;
static struct journal *journal;
static struct journal_options journal_options;
static const char *directory;
static struct random chance;
static uint8_t octet;
static char *log_text;
static size_t log_size;
static FILE *log_stream;
static struct log *log_;

// The state changes that the delivery reported. Its thread writes them; read them after it has
// stopped.
static struct {
    enum receiver_change change;
    char reason[128];
    uint64_t dropped;
} changes[32];
static size_t change_count;

static atomic_bool frozen;

// Virtual time: a sleep of the delivery takes no time but advances its clock, unless the clock is
// frozen. Replaces the C library's function.
int nanosleep(const struct timespec *wanted, struct timespec *rest)
{
    (void)rest;
    if (!frozen)
        atomic_fetch_add(&fake.time.monotonic,
                         wanted->tv_sec * CLOCK_US_PER_S + wanted->tv_nsec / 1000);
    sched_yield();
    return 0;
}

static void take_change(void *ctx, const char *name, enum receiver_change change,
                        const char *reason, uint64_t dropped)
{
    assert_ptr_equal(ctx, &changes);
    assert_string_equal(name, "siem");
    assert_true(change_count < COUNT(changes));
    changes[change_count].change = change;
    changes[change_count].dropped = dropped;
    snprintf(changes[change_count++].reason, sizeof changes->reason, "%s", reason);
}

static uint64_t told_lost; // by the end of the alarm about lost events

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t count)
{
    (void)ctx, (void)reason;
    if (change == JOURNAL_DROPPING_ENDED)
        told_lost = count;
}

static void reopen_journal(void)
{
    struct error err;
    journal_close(journal);
    journal = journal_open(&journal_options, &err);
    assert_non_null(journal);
    options.journal = journal;
}

static int begin(void **state)
{
    (void)state;
    fake_receiver_init(&fake);
    change_count = 0;
    octet = 0;
    frozen = false;
    chance = support_constant(&octet);
    log_stream = open_memstream(&log_text, &log_size);
    log_ = support_log(log_stream);
    directory = scratch_make();
    journal_options = (struct journal_options){.directory = directory,
                                               .rows_max = 1000000,
                                               .bytes_max = INT64_C(1) << 30,
                                               .age_us = 86400 * CLOCK_US_PER_S,
                                               .patience_us = SUPPORT_PATIENCE_US,
                                               .notify = take_journal_change,
                                               .clock = &fake.clock,
                                               .random = &random_system,
                                               .log = log_};
    options = (struct receiver_options){.change = take_change,
                                        .ctx = &changes,
                                        .clock = &fake.clock,
                                        .random = &chance,
                                        .log = log_};
    filter_init(&options.filter);
    reopen_journal();
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(journal);
    journal = NULL;
    scratch_remove(directory);
    fake_receiver_release(&fake);
    log_close(log_);
    fclose(log_stream);
    free(log_text);
    return 0;
}

static void start(void)
{
    struct error err;
    const struct sink sink = fake_receiver_as_receiver(&fake);
    receiver = receiver_start(&sink, &options, &err);
    assert_non_null(receiver);
}

static void append_of(enum catalogue_event type, unsigned number)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%u", number);
    event->time_us = clock_utc(&fake.clock);
    journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
}

// Appends events numbered from `first` and commits them together.
static void put(unsigned first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        append_of(CATALOGUE_GATEWAY_STARTED, first + i);
    journal_commit(journal);
}

// Stops the delivery when everything is done, or at a given time.
static void stop_by(int64_t monotonic)
{
    receiver_request_stop(receiver, monotonic);
    assert_true(receiver_finish(receiver, 60 * CLOCK_US_PER_S));
    receiver = NULL;
}

static void stop(void)
{
    stop_by(INT64_MAX);
}

static void check_numbers(const unsigned long *numbers, size_t count, unsigned first, size_t n)
{
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(numbers[i], first + i);
}

// Checks that the receiver confirmed exactly these events, in order and once.
static void check_had(unsigned first, size_t n)
{
    check_numbers(fake.had, fake.had_count, first, n);
}

static int64_t saved_cursor(void)
{
    return journal_cursor(journal, journal_receiver(journal, "siem"));
}

static void check_change(size_t i, enum receiver_change change, const char *reason)
{
    assert_in_range(i + 1, 1, change_count);
    assert_int_equal(changes[i].change, change);
    assert_string_equal(changes[i].reason, reason);
}

TEST(events_arrive_in_order)
{
    start();
    put(1, 500);
    put(501, 500);
    stop();
    check_had(1, 1000);
    assert_int_equal(fake.opens, 1);
    assert_int_equal(fake.closes, 1);
    assert_int_equal(fake.frees, 1);
    assert_int_equal(saved_cursor(), 1000);
    assert_int_equal(change_count, 0);
    fflush(log_stream);
    assert_string_equal(log_text, "");
}

TEST(what_was_in_the_journal_before_is_not_for_a_new_receiver)
{
    put(1, 10);
    start();
    put(11, 5);
    stop();
    check_had(11, 5);
}

TEST(nothing_is_opened_before_the_first_event)
{
    start();
    stop();
    assert_int_equal(fake.opens, 0);
    assert_int_equal(fake.closes, 0);
    assert_int_equal(fake.frees, 1);
}

// Nor while the receiver is paused, with waiting events: the thread has to take in the results from
// its sink.
TEST(a_sink_that_is_open_and_has_nothing_to_do_is_idle_again_and_again)
{
    fake.window = 4;
    start();
    assert_int_equal(atomic_load(&fake.idles), 0);
    put(1, 1);
    fake_receiver_wait_had(&fake, 1);
    for (unsigned paused = 0; paused < 2; paused++) {
        const unsigned before = atomic_load(&fake.idles);
        const int64_t until = clock_monotonic(&clock_system) + SUPPORT_PATIENCE_US;
        while (atomic_load(&fake.idles) < before + 2 && clock_monotonic(&clock_system) < until)
            sched_yield();
        assert_true(atomic_load(&fake.idles) >= before + 2);
        receiver_pause(receiver, true);
        put(2 + paused, 1);
    }
    receiver_pause(receiver, false);
    stop();
    check_had(1, 3);
}

// Returns whether the sink of the state was called so many times more.
static bool is_kept(unsigned n)
{
    const unsigned before = atomic_load(&fake.keeps);
    const int64_t until = clock_monotonic(&clock_system) + SUPPORT_PATIENCE_US;
    while (atomic_load(&fake.keeps) < before + n && clock_monotonic(&clock_system) < until)
        sched_yield();
    return atomic_load(&fake.keeps) >= before + n;
}

TEST(a_state_is_kept_without_events_and_while_a_part_of_the_receiver_fails)
{
    fake.window = 4;
    fake.keeps_state = true;
    start();
    assert_true(is_kept(2));
    receiver_get_status(receiver, &status);
    assert_false(status.untried);
    assert_string_equal(status.problem, "");
    atomic_store(&fake.behind, true);
    assert_true(is_kept(3));
    receiver_get_status(receiver, &status);
    assert_string_equal(status.problem, "it hears half of it");
    put(1, 2); // what the sink confirms does not make the receiver whole
    fake_receiver_wait_had(&fake, 2);
    assert_true(is_kept(3));
    receiver_get_status(receiver, &status);
    assert_string_equal(status.problem, "it hears half of it");
    atomic_store(&fake.behind, false);
    assert_true(is_kept(2));
    receiver_get_status(receiver, &status);
    assert_string_equal(status.problem, "");
    stop();
    assert_int_equal(change_count, 2);
    check_change(0, RECEIVER_FAILING, "it hears half of it");
    check_change(1, RECEIVER_BACK, "it takes events again");
    assert_int_equal(fake.opens, 1);
    check_had(1, 2);
}

// A state that is kept again while a part fails is no further attempt.
TEST(attempts_to_keep_a_state_are_counted_once)
{
    fake.keeps_state = true;
    atomic_store(&fake.behind, true);
    atomic_store(&fake.attempts_failed, 2);
    start();
    assert_true(is_kept(5));
    receiver_get_status(receiver, &status);
    assert_int_equal(status.failed, 2);
    stop();
}

// With a pause of two seconds after each call, this would take an hour.
TEST(a_state_with_more_to_do_is_kept_on_at_once_although_a_part_fails)
{
    fake.keeps_state = true;
    atomic_store(&fake.busy, true);
    start();
    for (unsigned i = 0; i < 20; i++)
        assert_true(is_kept(50));
    atomic_store(&fake.behind, true);
    for (unsigned i = 0; i < 20; i++)
        assert_true(is_kept(50));
    stop();
}

TEST(a_state_is_not_kept_while_its_receiver_is_paused)
{
    fake.keeps_state = true;
    options.carried.paused = true;
    start();
    put(1, 1);
    for (int i = 0; i < 1000; i++) // it might come
        sched_yield();
    assert_int_equal(atomic_load(&fake.keeps), 0);
    receiver_pause(receiver, false);
    assert_true(is_kept(1));
    stop();
    check_had(1, 1);
}

// The file cannot be opened for a while: a directory is in its place.
static void move_file(bool away)
{
    char path[64], aside[80];
    snprintf(path, sizeof path, "%s/journal.db", directory);
    snprintf(aside, sizeof aside, "%s.away", path);
    if (!away)
        assert_int_equal(rmdir(path), 0);
    assert_int_equal(away ? rename(path, aside) : rename(aside, path), 0);
    if (away)
        assert_int_equal(mkdir(path, 0700), 0);
}

TEST(a_journal_that_could_not_be_read_tells_later_what_waits)
{
    int handle = journal_receiver(journal, "siem");
    put(1, 50);
    journal_advance(journal, handle, 10);
    journal_commit(journal);
    journal_close(journal);
    journal = NULL;
    move_file(true);
    reopen_journal();
    start();
    put(51, 1);
    fake_receiver_wait_had(&fake, 1); // from now on it waits for the next event
    move_file(false);
    atomic_fetch_add(&fake.time.monotonic, 2 * CLOCK_US_PER_S);
    put(52, 1);
    fake_receiver_wait_had(&fake, 42);
    stop();
    assert_int_equal(fake.had[0], 51); // and no event again
    check_numbers(fake.had + 1, 40, 11, 40);
    check_numbers(fake.had + 41, fake.had_count - 41, 52, 1);
    fflush(log_stream);
    assert_null(strstr(log_text, "were gone"));
}

TEST(the_status_tells_what_happens)
{
    fake.hold = true;
    start();
    assert_string_equal(receiver_sink(receiver)->name, "siem");
    assert_string_equal(receiver_sink(receiver)->kind, "fake");
    put(1, 3);
    fake_receiver_wait_holding(&fake);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.sent, 0);
    assert_int_equal(status.cursor, 0);
    assert_int_equal(status.lag, 3);
    assert_int_equal(status.failed, 0);
    assert_int_equal(status.dropped, 0);
    assert_string_equal(status.problem, "");
    fake_receiver_let_go(&fake);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0);
    assert_int_equal(status.sent, 3);
    assert_int_equal(status.cursor, 3);
    assert_int_equal(status.handed, 3);
    assert_int_equal(status.repeated, 0);
    assert_true(status.delivered_at > 0);
    assert_int_equal(status.changed_at, status.delivered_at); // it is untried no longer
    stop();
}

TEST(the_age_of_what_waits_is_known)
{
    int64_t begin = clock_utc(&fake.clock);
    fake.hold = true;
    start();
    receiver_get_status(receiver, &status);
    assert_int_equal(status.oldest_us, 0);
    put(1, 1);
    fake_receiver_wait_holding(&fake);
    atomic_fetch_add(&fake.time.utc, 5 * CLOCK_US_PER_S);
    put(2, 1);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.oldest_us, begin);
    fake_receiver_let_go(&fake);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0 || status.oldest_us > 0);
    stop();
}

TEST(the_time_to_the_hand_over_is_measured)
{
    struct histogram_values values;
    fake.hold = true;
    start();
    put(1, 1);
    fake_receiver_wait_holding(&fake);
    atomic_fetch_add(&fake.time.utc, 5 * CLOCK_US_PER_S);
    put(2, 1);
    fake_receiver_let_go(&fake);
    do {
        sched_yield();
        histogram_read(receiver_times(receiver), &values);
    } while (values.total < 2);
    assert_int_equal(values.sum_us, 5 * CLOCK_US_PER_S);
    assert_int_equal(values.counts[0], 1);
    stop();
}

TEST(what_was_not_handed_over_is_not_measured)
{
    struct histogram_values values;
    fake.refuse_send = 3;
    start();
    put(1, 1);
    fake_receiver_wait_had(&fake, 1);
    do {
        sched_yield();
        histogram_read(receiver_times(receiver), &values);
    } while (values.total < 1);
    assert_int_equal(values.total, 1);
    stop();
}

// Failing.

TEST(a_failed_event_comes_again_first)
{
    fake.send_before_fail = 2;
    fake.refuse_send = 3;
    start();
    put(1, 10);
    stop();
    check_had(1, 10);
    assert_int_equal(fake.opens, 4);
    assert_int_equal(fake.closes, 4);
}

TEST(what_is_handed_over_again_is_counted_apart)
{
    fake.send_before_fail = 2;
    fake.refuse_send = 3;
    start();
    put(1, 10);
    fake_receiver_wait_had(&fake, 10);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.sent < 10);
    assert_int_equal(status.handed, 10);
    assert_int_equal(status.repeated, 3);
    assert_true(status.changed_at > 0);
    stop();
}

TEST(failing_and_back_are_told_once_each)
{
    fake.refuse_open = 5;
    fake.send_before_fail = 1;
    fake.refuse_send = 4;
    start();
    put(1, 3);
    stop();
    check_had(1, 3);
    assert_int_equal(change_count, 4);
    check_change(0, RECEIVER_FAILING, "nobody is there");
    check_change(1, RECEIVER_BACK, "it takes events again");
    check_change(2, RECEIVER_FAILING, "it hung up");
    check_change(3, RECEIVER_BACK, "it takes events again");
    assert_int_equal(fake.closes, 5); // only an open sink is closed
    fflush(log_stream);
    assert_string_equal(log_text, "<4>sink: receiver siem: nobody is there; its events wait\n"
                                  "<6>sink: receiver siem works again\n"
                                  "<4>sink: receiver siem: it hung up; its events wait\n"
                                  "<6>sink: receiver siem works again\n");
}

TEST(attempts_that_failed_are_counted)
{
    fake.refuse_open = 4;
    start();
    put(1, 1);
    fake_receiver_wait_had(&fake, 1);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0);
    assert_int_equal(status.failed, 4);
    assert_string_equal(status.problem, "");
    stop();
}

static void check_waits(const int64_t *ms, size_t n)
{
    fake.refuse_open = (unsigned)n;
    start();
    put(1, 1);
    stop();
    check_had(1, 1);
    assert_int_equal(fake.opens, n + 1);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(fake.opened_at[i + 1] - fake.opened_at[i], ms[i] * CLOCK_US_PER_MS);
}

TEST(waits_grow_to_half_a_minute)
{
    static const int64_t MS[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000};
    check_waits(MS, COUNT(MS));
}

// The clock is frozen: no wait ends by itself.
TEST(a_failing_receiver_tries_at_once_when_asked)
{
    frozen = true;
    fake.refuse_open = 2;
    start();
    put(1, 1);
    fake_receiver_wait_opens(&fake, 1);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.failed < 1);
    receiver_hurry(receiver);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.hurried || status.failed < 2);
    assert_string_equal(status.problem, "nobody is there");
    receiver_hurry(receiver);
    fake_receiver_wait_had(&fake, 1);
    frozen = false;
    stop();
    assert_int_equal(fake.opens, 3);
}

TEST(chance_takes_up_to_half_of_a_wait_away)
{
    octet = 0xFF; // 0xFFFFFFFF % (half of the wait)
    static const int64_t WHOLE_US[] = {500000,  1000000,  2000000, 4000000,
                                       8000000, 16000000, 30000000};
    fake.refuse_open = COUNT(WHOLE_US);
    start();
    put(1, 1);
    stop();
    for (size_t i = 0; i < COUNT(WHOLE_US); i++) {
        int64_t wait = fake.opened_at[i + 1] - fake.opened_at[i];
        assert_int_equal(wait, WHOLE_US[i] - INT64_C(0xFFFFFFFF) % (WHOLE_US[i] / 2));
    }
}

TEST(back_is_told_for_a_predecessor_that_failed)
{
    options.was_failing = true;
    journal_receiver(journal, "siem");
    put(1, 1);
    start();
    stop();
    assert_int_equal(change_count, 1);
    check_change(0, RECEIVER_BACK, "it takes events again");
}

static void wait_problem(bool problem)
{
    do {
        atomic_fetch_add(&fake.time.monotonic, CLOCK_US_PER_S);
        sched_yield();
        receiver_get_status(receiver, &status);
    } while ((status.problem[0] != '\0') != problem);
}

TEST(a_receiver_for_which_nothing_waits_is_tried_until_it_is_back)
{
    for (int i = 0; i < 2; i++) {
        change_count = 0;
        options.age_max_us = i == 0 ? 0 : 60 * CLOCK_US_PER_S;
        fake.refuse_open = 1000000;
        start();
        put(1, 2);
        wait_problem(true);
        if (i == 0)
            receiver_flush(receiver);
        else
            atomic_fetch_add(&fake.time.utc, 61 * CLOCK_US_PER_S);
        do
            receiver_get_status(receiver, &status);
        while (status.lag > 0);
        const uint64_t failed = status.failed;
        do { // while nobody is there
            wait_problem(true);
        } while (status.failed <= failed);
        fake.refuse_open = 0;
        wait_problem(false);
        stop();
        assert_int_equal(change_count, 2);
        check_change(0, RECEIVER_FAILING, "nobody is there");
        check_change(1, RECEIVER_BACK, "no event waits for it any more");
    }
}

// As after a restart: the alarm of the last run stands, and all is delivered.
TEST(back_is_told_for_a_predecessor_although_nothing_waits)
{
    options.was_failing = true;
    start();
    wait_problem(false);
    fake_receiver_wait_opens(&fake, 1);
    stop();
    assert_int_equal(change_count, 1);
    check_change(0, RECEIVER_BACK, "no event waits for it any more");
}

// Only a confirmation shows that the receiver works, not the sending of events.
TEST(waits_grow_too_when_only_acknowledgements_fail)
{
    fake.window = 4;
    fake.fail_wait = 5;
    start();
    put(1, 1);
    stop();
    check_had(1, 1);
    assert_int_equal(fake.opens, 6);
    for (size_t i = 0; i < 5; i++) {
        int64_t wait = fake.opened_at[i + 1] - fake.opened_at[i];
        assert_int_equal(wait, 500 * CLOCK_US_PER_MS << i);
    }
    assert_int_equal(change_count, 2);
    check_change(0, RECEIVER_FAILING, "no answer came");
    check_change(1, RECEIVER_BACK, "it takes events again");
}

// Windows.

TEST(a_window_is_used_and_never_exceeded)
{
    fake.window = 7;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 100);
    fake_receiver_wait_taken(&fake, 7);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.cursor, 0);
    assert_int_equal(status.sent, 0);
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    stop();
    check_had(1, 100);
    check_numbers(fake.taken, fake.count, 1, 100);
    assert_int_equal(fake.pending_most, 7);
    assert_int_equal(saved_cursor(), 100);
}

TEST(acknowledgements_out_of_order_end_in_order)
{
    fake.window = 16;
    fake.answers = FAKE_RECEIVER_REVERSED;
    start();
    put(1, 200);
    stop();
    check_had(1, 200);
    check_numbers(fake.taken, fake.count, 1, 200);
    assert_in_range(fake.pending_most, 1, 16);
    assert_int_equal(saved_cursor(), 200);
}

// Event 2 is done at once, event 1 is not: the cursor waits for it.
TEST(events_retire_in_order)
{
    fake.window = 2;
    fake.done_every = 2;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 2);
    fake_receiver_wait_had(&fake, 1);
    assert_int_equal(fake.had[0], 2);
    put(3, 1);
    fake_receiver_wait_taken(&fake, 3);
    assert_int_equal(saved_cursor(), 0);
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    stop();
    assert_int_equal(saved_cursor(), 3);
    assert_int_equal(fake.had_count, 3);
}

static void check_comes_again(unsigned refuse_send, unsigned fail_wait, const char *reason)
{
    fake.window = 5;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 4);
    fake_receiver_wait_taken(&fake, 4);
    pthread_mutex_lock(&fake.lock);
    fake.refuse_send = refuse_send;
    fake.fail_wait = fail_wait;
    fake.answers = FAKE_RECEIVER_ALL;
    if (refuse_send > 0)
        fake.answers = FAKE_RECEIVER_NONE;
    pthread_mutex_unlock(&fake.lock);
    put(5, 1);
    fake_receiver_wait_taken(&fake, 8);
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    stop();
    check_had(1, 5);
    size_t again = fake.count - 5;
    assert_in_range(again, 4, 5); // event 5 was sent before the failure, or not
    check_numbers(fake.taken, again, 1, again);
    check_numbers(fake.taken + again, 5, 1, 5);
    assert_int_equal(change_count, 2);
    check_change(0, RECEIVER_FAILING, reason);
    assert_int_equal(saved_cursor(), 5);
}

TEST(after_a_failed_send_all_that_were_pending_come_again)
{
    check_comes_again(1, 0, "it hung up");
}

TEST(after_a_failed_wait_all_that_were_pending_come_again)
{
    check_comes_again(0, 1, "no answer came");
}

TEST(what_was_done_does_not_come_again)
{
    fake.window = 4;
    fake.done_every = 2; // 2 is done while 1 is pending
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 3);
    fake_receiver_wait_taken(&fake, 3);
    pthread_mutex_lock(&fake.lock);
    fake.done_every = 0;
    fake.fail_wait = 1;
    fake.answers = FAKE_RECEIVER_ALL;
    pthread_mutex_unlock(&fake.lock);
    stop();
    static const unsigned long TAKEN[] = {1, 2, 3, 1, 3};
    assert_int_equal(fake.count, COUNT(TAKEN));
    for (size_t i = 0; i < COUNT(TAKEN); i++)
        assert_int_equal(fake.taken[i], TAKEN[i]);
    assert_int_equal(saved_cursor(), 3);
}

// Refusals.

static size_t times_taken(unsigned long number)
{
    size_t n = 0;
    for (size_t i = 0; i < fake.count; i++)
        n += fake.taken[i] == number;
    return n;
}

static void check_given_up(int64_t number)
{
    const struct receiver_event_outcome o = receiver_outcome_of(receiver, number);
    assert_int_equal(o.outcome, RECEIVER_GIVEN_UP);
    assert_string_equal(o.reason, "refused 5 times: it answers genErr");
}

static void wait_all_settled(void)
{
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0);
}

TEST(an_event_that_is_refused_is_given_up_and_the_others_arrive)
{
    fake.window = 4;
    fake.refuse_from = fake.refuse_through = 3;
    start();
    put(1, 8);
    fake_receiver_wait_had(&fake, 7);
    wait_all_settled();
    check_given_up(3);
    assert_int_equal(receiver_outcome_of(receiver, 4).outcome, RECEIVER_DELIVERED);
    assert_string_equal(receiver_outcome_of(receiver, 4).reason, "");
    assert_string_equal(status.problem, "");
    stop();
    static const unsigned long HAD[] = {1, 2, 4, 5, 6, 7, 8};
    assert_int_equal(fake.had_count, COUNT(HAD));
    for (size_t i = 0; i < COUNT(HAD); i++)
        assert_int_equal(fake.had[i], HAD[i]);
    assert_int_equal(times_taken(3), RECEIVER_REFUSALS + 1);
    assert_int_equal(status.refused, 1);
    assert_int_equal(status.dropped, 1);
    assert_int_equal(status.sent, 7);
    assert_int_equal(saved_cursor(), 8);
    assert_int_equal(change_count, 1); // the receiver works
    check_change(0, RECEIVER_REFUSES,
                 "number 3 (gateway-started), refused 5 times: it answers genErr");
    assert_int_equal(changes[0].dropped, 1);
    fflush(log_stream);
    assert_non_null(strstr(log_text, "receiver siem: gave up number 3 (gateway-started), which it "
                                     "refused 5 times: it answers genErr\n"));
}

// After a refusal that may mean any event in flight, each of them goes alone.
TEST(one_of_several_events_that_is_refused_is_found)
{
    fake.window = 4;
    fake.doubts = true;
    fake.refuse_from = fake.refuse_through = 3;
    start();
    put(1, 8);
    fake_receiver_wait_had(&fake, 7);
    wait_all_settled();
    check_given_up(3);
    stop();
    assert_int_equal(fake.had_count, 7);
    assert_in_range(times_taken(3), RECEIVER_REFUSALS + 1, RECEIVER_REFUSALS + 2);
    assert_int_equal(status.refused, 1);
    assert_int_equal(saved_cursor(), 8);
}

TEST(an_event_that_is_refused_as_it_is_sent_is_given_up_too)
{
    fake.window = 4;
    fake.refuses_in_send = true;
    fake.refuse_from = fake.refuse_through = 3;
    start();
    put(1, 8);
    fake_receiver_wait_had(&fake, 7);
    wait_all_settled();
    check_given_up(3);
    stop();
    static const unsigned long HAD[] = {1, 2, 4, 5, 6, 7, 8};
    assert_int_equal(fake.had_count, COUNT(HAD));
    for (size_t i = 0; i < COUNT(HAD); i++)
        assert_int_equal(fake.had[i], HAD[i]);
    assert_int_equal(saved_cursor(), 8);
    assert_int_equal(change_count, 1);
}

TEST(a_number_that_no_event_has_has_no_outcome)
{
    start();
    put(1, 1);
    wait_all_settled();
    assert_int_equal(receiver_outcome_of(receiver, 0).outcome, RECEIVER_PASSED);
    assert_int_equal(receiver_outcome_of(receiver, -1).outcome, RECEIVER_PASSED);
    stop();
}

static void refuse(unsigned long from, unsigned long through)
{
    pthread_mutex_lock(&fake.lock);
    fake.refuse_from = from, fake.refuse_through = through;
    pthread_mutex_unlock(&fake.lock);
}

static void wait_until(int64_t monotonic)
{
    while (atomic_load(&fake.time.monotonic) < monotonic)
        sched_yield();
}

// A server that refuses everything for a night is out of order, whatever it answers.
TEST(a_receiver_that_refuses_everything_is_failing_and_loses_nothing)
{
    fake.window = 4;
    refuse(1, 1000);
    start();
    put(1, 1000);
    const int64_t since = atomic_load(&fake.time.monotonic), watched_us = 900 * CLOCK_US_PER_S;
    wait_until(since + watched_us);
    // The receiver goes on while this thread waits for the processor.
    const int64_t attempts = (int64_t)fake.count, later = atomic_load(&fake.time.monotonic);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.dropped, 0);
    assert_string_equal(status.problem, "it answers genErr");
    assert_int_equal(receiver_outcome_of(receiver, 1).outcome, RECEIVER_WAITING);
    // Two attempts each half a minute.
    assert_in_range(attempts * watched_us / (later - since), 50, 500);
    refuse(0, 0);
    stop();
    assert_int_equal(fake.had_count, 1000);
    assert_int_equal(change_count, 2);
    check_change(0, RECEIVER_FAILING, "it answers genErr");
    check_change(1, RECEIVER_BACK, "it takes events again");
}

// The receiver takes nothing else in between: it may be out of order.
TEST(an_event_that_is_refused_waits_until_others_pass)
{
    fake.window = 4;
    fake.refuse_from = fake.refuse_through = 1;
    start();
    put(1, 1);
    wait_until(atomic_load(&fake.time.monotonic) + 120 * CLOCK_US_PER_S);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.dropped, 0);
    put(2, 1); // before the last refusal
    fake_receiver_wait_had(&fake, 1);
    wait_until(atomic_load(&fake.time.monotonic) + 120 * CLOCK_US_PER_S);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.dropped, 0);
    put(3, 1); // behind it
    wait_all_settled();
    assert_int_equal(status.refused, 1);
    stop();
    check_had(2, 2);
    assert_int_equal(changes[change_count - 1].change, RECEIVER_REFUSES);
}

// Not the first alone: the events behind are tried in turn.
TEST(several_events_in_a_row_that_are_refused_are_given_up)
{
    fake.window = 4;
    refuse(3, 5);
    start();
    put(1, 20);
    wait_all_settled();
    assert_int_equal(status.refused, 3);
    assert_string_equal(status.problem, "");
    stop();
    assert_int_equal(fake.had_count, 17);
}

TEST(what_fails_otherwise_is_never_given_up)
{
    fake.window = 4;
    fake.fail_wait = 50;
    start();
    put(1, 3);
    stop();
    check_had(1, 3);
    assert_true(times_taken(1) > RECEIVER_REFUSALS);
}

// The journal.

TEST(the_cursor_is_saved_and_gone_on_from)
{
    start();
    put(1, 10);
    stop();
    put(11, 5); // no delivery runs
    reopen_journal();
    start();
    put(16, 5);
    stop();
    check_had(1, 20);
    assert_int_equal(saved_cursor(), 20);
}

TEST(what_was_not_acknowledged_comes_again_after_a_restart)
{
    fake.window = 8;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 5);
    fake_receiver_wait_taken(&fake, 5);
    stop_by(0);
    assert_int_equal(saved_cursor(), 0);
    journal_commit(journal);
    reopen_journal();
    fake.answers = FAKE_RECEIVER_ALL;
    start();
    stop();
    check_had(1, 5);
    assert_int_equal(fake.count, 10);
}

TEST(more_events_than_memory_holds_come_from_the_disk)
{
    enum { MANY = JOURNAL_MEMORY_MAX + 2000 };
    fake.window = 64;
    fake.refuse_open = 1;
    journal_receiver(journal, "siem");
    for (unsigned i = 0; i < MANY; i += 100)
        put(1 + i, MANY - i < 100 ? MANY - i : 100);
    start();
    stop();
    check_had(1, MANY);
}

TEST(events_that_are_gone_are_counted)
{
    journal_options.rows_max = JOURNAL_MEMORY_KEPT + 100;
    reopen_journal();
    journal_receiver(journal, "siem");
    put(1, JOURNAL_MEMORY_KEPT + 250);
    for (int i = 0; i < 10; i++) {
        atomic_fetch_add(&fake.time.monotonic, 11 * CLOCK_US_PER_S);
        journal_commit(journal);
    }
    reopen_journal();
    start();
    fake_receiver_wait_had(&fake, JOURNAL_MEMORY_KEPT + 100);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.dropped, 150);
    stop();
    check_had(151, JOURNAL_MEMORY_KEPT + 100);
    fflush(log_stream);
    assert_non_null(strstr(
        log_text, "<3>sink: receiver siem: 150 events expired from the journal before delivery;"));
}

// Pacing: the burst at once, then one event for each interval.
// The thread has read further than the receiver has confirmed. A kill would lose what the journal
// deletes.
TEST(what_the_thread_has_read_is_not_what_the_receiver_has)
{
    struct journal_status in_journal;
    journal_options.rows_max = 100;
    reopen_journal();
    fake.hold = true;
    start();
    put(1, 1500);
    fake_receiver_wait_holding(&fake);
    atomic_fetch_add(&fake.time.monotonic, 60 * CLOCK_US_PER_S);
    journal_commit(journal);
    put(1501, 1);
    journal_get_status(journal, &in_journal);
    assert_int_equal(in_journal.dropped, 1500 - JOURNAL_MEMORY_KEPT);
    fake_receiver_let_go(&fake);
    stop();
}

// The receiver gets from memory what its thread has read ahead.
TEST(the_end_says_how_many_events_were_lost)
{
    journal_options.rows_max = 100;
    reopen_journal();
    fake.hold = true;
    start();
    put(1, 4000);
    fake_receiver_wait_holding(&fake);
    atomic_fetch_add(&fake.time.monotonic, 60 * CLOCK_US_PER_S);
    journal_commit(journal);
    put(4001, 1);
    fake_receiver_let_go(&fake);
    do {
        sched_yield();
    } while (saved_cursor() < 4001);
    receiver_get_status(receiver, &status);
    told_lost = 0;
    atomic_fetch_add(&fake.time.monotonic, 120 * CLOCK_US_PER_S);
    put(4002, 1);
    journal_commit(journal);
    stop();
    assert_int_equal(fake.had_count + told_lost, 4002);
    assert_int_equal(told_lost, status.dropped);
    assert_true(told_lost > 0);
}

TEST(events_go_at_their_rate)
{
    options.rate = 10;
    options.burst = 5;
    start();
    put(1, 50);
    stop();
    check_had(1, 50);
    for (size_t i = 0; i < 50; i++) {
        int64_t earliest = i < 5 ? 0 : (int64_t)(i - 4) * 100 * CLOCK_US_PER_MS;
        int64_t after = fake.taken_at[i] - fake.taken_at[0];
        assert_true(after >= earliest);
        assert_true(after <= earliest + (int64_t)i * CLOCK_US_PER_MS); // and not slower
    }
}

TEST(a_pause_allows_a_burst_again)
{
    options.rate = 10;
    options.burst = 3;
    start();
    put(1, 3);
    fake_receiver_wait_had(&fake, 3);
    atomic_fetch_add(&fake.time.monotonic, 3600 * CLOCK_US_PER_S);
    put(4, 4);
    stop();
    check_had(1, 7);
    assert_int_equal(fake.taken_at[5], fake.taken_at[3]);
    assert_true(fake.taken_at[6] >= fake.taken_at[3] + 100 * CLOCK_US_PER_MS);
}

TEST(what_waits_for_an_earlier_event_costs_no_attempt)
{
    options.rate = 10;
    options.burst = 5;
    fake.window = 8;
    fake.one_at_a_time = true;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 5);
    fake_receiver_wait_taken(&fake, 1);
    int64_t since = atomic_load(&fake.time.monotonic);
    while (atomic_load(&fake.time.monotonic) < since + CLOCK_US_PER_S)
        sched_yield(); // many attempts
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0);
    stop();
    check_had(1, 5);
    assert_int_equal(fake.pending_most, 1);
    assert_int_equal(status.handed, 5);
    assert_int_equal(status.repeated, 0);
    assert_int_equal(status.failed, 0);
    // The burst allowed all five: none of them waited for the rate.
    assert_in_range(fake.taken_at[4] - fake.taken_at[1], 0, CLOCK_US_PER_S / 10);
}

TEST(without_a_rate_nothing_waits)
{
    options.rate = 0;
    start();
    put(1, 1000);
    stop();
    check_had(1, 1000);
    assert_int_equal(fake.taken_at[999], fake.taken_at[0]);
}

// Events that are not sent.

// Appends an event about the alarm "receiver x"; the event clears an alarm that receivers got as a
// warning.
static int64_t append_alarm_of(enum catalogue_event type, unsigned number, const char *key)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%u", number);
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    event->time_us = clock_utc(&fake.clock);
    if (event_alarm(event) == ALARM_CLEARS) {
        event->cleared = catalogue_get(CATALOGUE_RECEIVER_FAILING);
        event->cleared_severity = SEVERITY_WARNING;
        event->cleared_category = CATEGORY_GATEWAY;
        snprintf(event->clears_id, sizeof event->clears_id, "%u", number - 1);
    }
    int64_t sequence = journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
    journal_commit(journal);
    return sequence;
}

static int64_t append_alarm(enum catalogue_event type, unsigned number)
{
    return append_alarm_of(type, number, "receiver x");
}

static void deliver_all(void)
{
    start();
    stop();
}

TEST(an_event_waits_for_the_one_of_its_alarm)
{
    fake.window = 4;
    fake.overtakes = true;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    journal_commit(journal);
    fake_receiver_wait_taken(&fake, 1);
    for (int i = 0; i < 1000; i++) // the second one might come
        sched_yield();
    assert_int_equal(fake.count, 1);
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    stop();
    check_had(1, 2);
    assert_int_equal(fake.pending_most, 1);
}

// The event is the same and has a mark; the cursor stays.
TEST(an_event_is_sent_again_by_its_number)
{
    start();
    put(1, 5);
    wait_all_settled();
    assert_true(receiver_resend(receiver, 2));
    fake_receiver_wait_had(&fake, 6);
    assert_int_equal(fake.had[5], 2);
    assert_int_equal(fake.marked, 1);
    assert_true(receiver_resend(receiver, 4711)); // there is none
    put(6, 1);
    fake_receiver_wait_had(&fake, 7);
    stop();
    assert_int_equal(fake.had[6], 6);
    assert_int_equal(fake.marked, 1);
    assert_int_equal(saved_cursor(), 6);
}

// Neither a flush nor an age leaves a wrong state behind.
static void check_state_is_told(void)
{
    put(1, 2);
    append_alarm(CATALOGUE_RECEIVER_BACK, 3); // the end of an alarm of before
    append_alarm(CATALOGUE_RECEIVER_FAILING, 4);
    append_alarm(CATALOGUE_RECEIVER_BACK, 5);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 6);
}

static void check_had_state(void)
{
    static const unsigned long HAD[] = {3, 4, 5, 6, 7};
    assert_int_equal(fake.had_count, COUNT(HAD));
    for (size_t i = 0; i < COUNT(HAD); i++)
        assert_int_equal(fake.had[i], HAD[i]);
}

TEST(a_flush_gives_up_no_state)
{
    start();
    receiver_pause(receiver, true);
    check_state_is_told();
    receiver_flush(receiver);
    put(7, 1);
    receiver_pause(receiver, false);
    fake_receiver_wait_taken(&fake, 5);
    stop();
    check_had_state();
}

// The receiver fails, and an alarm that stands is the first to wait.
TEST(a_flush_gives_up_what_waits_behind_a_state)
{
    frozen = true;
    fake.refuse_open = 1;
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    put(2, 3);
    fake_receiver_wait_opens(&fake, 1);
    receiver_flush(receiver);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.dropped < 3);
    assert_int_equal(receiver_outcome_of(receiver, 1).outcome, RECEIVER_WAITING);
    assert_int_equal(receiver_outcome_of(receiver, 4).outcome, RECEIVER_GIVEN_UP);
    frozen = false;
    stop();
    check_had(1, 1);
}

TEST(no_age_gives_up_a_state)
{
    options.age_max_us = 60 * CLOCK_US_PER_S;
    journal_receiver(journal, "siem");
    check_state_is_told();
    atomic_fetch_add(&fake.time.utc, 61 * CLOCK_US_PER_S);
    put(7, 1);
    deliver_all();
    check_had_state();
}

static void check_had_these(const unsigned long *numbers, size_t n)
{
    assert_int_equal(fake.had_count, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(fake.had[i], numbers[i]);
}

// The receiver never got the first raise.
TEST(a_clear_of_a_raise_that_was_given_up_refers_to_nothing)
{
    static const unsigned long HAD[] = {2, 3, 4};
    options.age_max_us = 60 * CLOCK_US_PER_S;
    start();
    receiver_pause(receiver, true);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    atomic_fetch_add(&fake.time.utc, 61 * CLOCK_US_PER_S);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 3);
    append_alarm(CATALOGUE_RECEIVER_BACK, 4);
    receiver_pause(receiver, false);
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.referring, 1);
}

// Another receiver has the name, and knows nothing of what the former receiver got.
static void move(void)
{
    fake.count = fake.had_count = fake.referring = 0;
    options.section = -8;
    start();
}

TEST(no_end_refers_to_an_event_from_before_a_move)
{
    static const unsigned long HAD[] = {3, 6, 4, 4, 6, 2};
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 3, "receiver z");
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 5, "receiver y");
    stop();
    append_alarm_of(CATALOGUE_RECEIVER_BACK, 6, "receiver y");
    move();
    fake_receiver_wait_had(&fake, 2);
    append_alarm_of(CATALOGUE_RECEIVER_BACK, 4, "receiver z");
    fake_receiver_wait_had(&fake, 3);
    assert_int_equal(fake.referring, 1); // to what the receiver was told again
    assert_true(journal_ask_line(journal, "siem"));
    journal_wake(journal);
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.dangling, 0);
}

// A restart comes between the two.
TEST(no_end_refers_to_a_raise_that_an_earlier_process_gave_up)
{
    static const unsigned long HAD[] = {2};
    start();
    receiver_pause(receiver, true);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    receiver_flush(receiver);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.dropped == 0);
    stop_by(0);
    journal_commit(journal);
    reopen_journal();
    deliver_all();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.referring, 0);
}

// The last ends first, then the active alarms, and then what is new: an alarm that stands gets no
// end, however old the ends are.
TEST(a_receiver_is_brought_into_line)
{
    enum { MANY = 3000 };
    static const unsigned long HAD[] = {5, 2, 3, MANY + 6};
    options.section = 8;
    append_alarm_of(CATALOGUE_RECEIVER_BACK, 1, "receiver y");
    append_alarm_of(CATALOGUE_RECEIVER_BACK, 2, "receiver y");
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 3, "receiver z");
    append_alarm(CATALOGUE_RECEIVER_FAILING, 4);
    append_alarm(CATALOGUE_RECEIVER_BACK, 5);
    put(6, MANY);
    start();
    receiver_pause(receiver, true);
    assert_true(journal_ask_line(journal, "siem"));
    put(MANY + 6, 1);
    receiver_pause(receiver, false);
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.marked, 3);
    assert_int_equal(saved_cursor(), MANY + 6);
}

static int64_t saved_section;

static void take_section(void *ctx, const struct journal_receiver_state *state)
{
    (void)ctx;
    saved_section = state->section;
}

static bool is_in_line(void)
{
    journal_each_receiver(journal, take_section, NULL);
    return saved_section > 0;
}

// The receiver filters, and knows the alarm because the alarm was sent again when the receiver
// came.
TEST(no_alarm_is_told_twice_to_a_receiver_that_came_late)
{
    static const unsigned long HAD[] = {1, 3};
    options.filter.events.count = 1;
    strcpy(options.filter.events.patterns[0], "receiver-*");
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    options.section = -8;
    start();
    fake_receiver_wait_had(&fake, 1);
    while (!is_in_line())
        sched_yield();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 2);
    append_alarm(CATALOGUE_RECEIVER_BACK, 3);
    stop();
    check_had_these(HAD, COUNT(HAD));
}

// The link was up for a moment when the receiver came: the others know that the link is down, and
// hear nothing more when the link is down again.
TEST(a_new_receiver_is_told_of_an_alarm_that_flaps)
{
    static const unsigned long HAD[] = {1};
    static const enum catalogue_event FLAPS[] = {CATALOGUE_RECEIVER_BACK,
                                                 CATALOGUE_RECEIVER_FAILING};
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    for (unsigned long i = 0; i < COUNT(FLAPS); i++) {
        struct event *event = event_make(catalogue_get(FLAPS[i]));
        snprintf(event->id, sizeof event->id, "%lu", i + 2);
        strcpy(event->alarm_key, "receiver x");
        strcpy(event->suppressed, "flapping");
        event->time_us = clock_utc(&fake.clock);
        journal_append(journal, event, &(struct journal_report){0});
        journal_commit(journal);
        event_unref(event);
        if (i > 0)
            continue;
        options.section = -8;
        start();
        fake_receiver_wait_had(&fake, COUNT(HAD));
    }
    stop();
    check_had_these(HAD, COUNT(HAD));
}

// An alarm that was told late stands, and retention has deleted the event that raised it.
TEST(an_alarm_is_sent_again_as_it_was_told)
{
    static const unsigned long HAD[] = {2};
    struct event *raise = event_make(catalogue_get(CATALOGUE_RECEIVER_FAILING));
    assert_non_null(raise);
    strcpy(raise->id, "1");
    strcpy(raise->alarm_key, "receiver x");
    strcpy(raise->suppressed, "held");
    raise->time_us = clock_utc(&fake.clock);
    journal_append(journal, raise, &(struct journal_report){0});
    struct event *late = event_copy(raise);
    strcpy(late->id, "2");
    strcpy(late->related_id, "1");
    late->suppressed[0] = '\0';
    journal_append(journal, late, &(struct journal_report){0});
    journal_commit(journal);
    event_unref(raise);
    event_unref(late);
    put(3, 10);
    journal_advance(journal, journal_receiver(journal, "nms"), 12);
    for (int i = 0; i < 3; i++) {
        atomic_fetch_add(&fake.time.utc, 2 * JOURNAL_YOUNG_US);
        atomic_fetch_add(&fake.time.monotonic, 2 * JOURNAL_YOUNG_US);
        journal_request_prune(journal, 1);
        journal_commit(journal);
    }
    reopen_journal(); // nothing is in memory
    options.section = -8;
    start();
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    fflush(log_stream);
    assert_null(strstr(log_text, "no longer has"));
}

// Its event expired: nothing else would tell the receiver of the alarm.
TEST(an_alarm_that_stands_is_told_though_its_event_expired)
{
    journal_options.rows_max = JOURNAL_MEMORY_KEPT + 100;
    reopen_journal();
    journal_receiver(journal, "siem");
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    put(2, JOURNAL_MEMORY_KEPT + 250);
    for (int i = 0; i < 10; i++) {
        atomic_fetch_add(&fake.time.monotonic, 11 * CLOCK_US_PER_S);
        journal_commit(journal);
    }
    reopen_journal();
    start();
    fake_receiver_wait_had(&fake, 1 + JOURNAL_MEMORY_KEPT + 100);
    stop();
    assert_int_equal(fake.had[0], 1);
    assert_int_equal(fake.marked, 1);
    check_numbers(fake.had + 1, fake.had_count - 1, 152, JOURNAL_MEMORY_KEPT + 100);
}

// The end of an alarm that the receiver knows expired.
TEST(an_end_that_expired_is_told)
{
    static const unsigned long HAD[] = {1, 4};
    options.filter.events.count = 1;
    strcpy(options.filter.events.patterns[0], "receiver-failing");
    journal_options.rows_max = JOURNAL_MEMORY_KEPT + 100;
    reopen_journal();
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    fake_receiver_wait_had(&fake, 1);
    stop();
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 3);
    append_alarm(CATALOGUE_RECEIVER_BACK, 4);
    for (int i = 0; i < 10; i++) {
        put(5 + (unsigned)i * 300, 300);
        atomic_fetch_add(&fake.time.monotonic, 11 * CLOCK_US_PER_S);
        journal_commit(journal);
    }
    reopen_journal();
    start();
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.marked, 1);
    assert_int_equal(fake.referring, 0);
}

// A kill in between begins anew: the journal knows that the receiver is not in line.
TEST(a_receiver_that_is_not_in_line_is_brought_into_line)
{
    options.section = -8;
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 3);
    fake.hold = true;
    start();
    fake_receiver_wait_holding(&fake);
    journal_each_receiver(journal, take_section, NULL);
    assert_int_equal(saved_section, -8);
    put(4, 1);
    fake_receiver_let_go(&fake);
    stop();
    check_had(3, 2); // no end: a new receiver knows no alarm
    assert_int_equal(fake.marked, 1);
    journal_each_receiver(journal, take_section, NULL);
    assert_int_equal(saved_section, 8);
}

static bool nobody_runs(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return false;
}

// A kill comes after the wish, before its first event was confirmed.
TEST(a_wish_to_be_brought_into_line_outlives_a_kill)
{
    static const unsigned long HAD[] = {3, 1};
    options.section = 8;
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 1, "receiver y");
    append_alarm(CATALOGUE_RECEIVER_FAILING, 2);
    append_alarm(CATALOGUE_RECEIVER_BACK, 3);
    start();
    receiver_pause(receiver, true);
    assert_true(journal_ask_line(journal, "siem"));
    journal_commit(journal);
    stop_by(0);
    reopen_journal();
    journal_each_receiver(journal, take_section, NULL);
    assert_int_equal(saved_section, -8 - JOURNAL_ALL_ENDS);
    options.section = saved_section;
    start();
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(fake.marked, 2);
    journal_each_receiver(journal, take_section, NULL);
    assert_int_equal(saved_section, 8);
}

// A receiver that was gone gets the ends that it missed, also after a kill in between.
TEST(a_receiver_that_was_gone_gets_the_ends_that_it_missed)
{
    enum { MANY = 2000 };
    static const unsigned long HAD[] = {1, 2, MANY + 5, MANY + 5, 4, 3, MANY + 6};
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 2, "receiver y");
    stop();
    journal_end_receivers(journal, nobody_runs, NULL);
    append_alarm_of(CATALOGUE_RECEIVER_FAILING, 3, "receiver z");
    append_alarm(CATALOGUE_RECEIVER_BACK, 4);
    put(5, MANY);
    append_alarm_of(CATALOGUE_RECEIVER_BACK, MANY + 5, "receiver y");
    options.section = -8;
    fake.hold = true;
    start();
    fake_receiver_wait_holding(&fake); // the first end is sent, and nothing confirmed
    journal_commit(journal);
    receiver_request_stop(receiver, 0);
    fake_receiver_let_go(&fake);
    assert_true(receiver_finish(receiver, 60 * CLOCK_US_PER_S));
    assert_int_equal(saved_cursor(), MANY + 5); // what is new comes after that
    start();
    put(MANY + 6, 1);
    fake_receiver_wait_had(&fake, COUNT(HAD));
    stop();
    check_had_these(HAD, COUNT(HAD));
    assert_int_equal(saved_cursor(), MANY + 6);
}

// The clear of a refused raise is no probe: a raise that comes later would stand for ever.
TEST(no_event_of_a_refused_alarm_overtakes_it)
{
    fake.window = 4;
    refuse(1, 1);
    start();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    put(3, 1);
    fake_receiver_wait_had(&fake, 1);
    wait_until(atomic_load(&fake.time.monotonic) + 120 * CLOCK_US_PER_S);
    refuse(0, 0);
    stop();
    static const unsigned long HAD[] = {3, 1, 2};
    assert_int_equal(fake.had_count, COUNT(HAD));
    for (size_t i = 0; i < COUNT(HAD); i++)
        assert_int_equal(fake.had[i], HAD[i]);
}

TEST(a_narrower_filter_leaves_no_alarm_behind)
{
    journal_receiver(journal, "siem");
    deliver_all();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    deliver_all();
    options.filter.severity = SEVERITY_ALERT;
    start(); // as after a reload
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    append_alarm(CATALOGUE_RECEIVER_FAILING, 3);
    append_alarm(CATALOGUE_RECEIVER_BACK, 4);
    stop();
    check_had(1, 2);
}

TEST(a_clear_that_waits_while_the_filter_becomes_narrower_arrives)
{
    journal_receiver(journal, "siem");
    deliver_all();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 1);
    deliver_all();
    append_alarm(CATALOGUE_RECEIVER_BACK, 2);
    journal_commit(journal);
    reopen_journal(); // and the gateway was started again
    options.filter.severity = SEVERITY_ALERT;
    deliver_all();
    append_alarm(CATALOGUE_RECEIVER_FAILING, 3);
    append_alarm(CATALOGUE_RECEIVER_BACK, 4);
    deliver_all();
    check_had(1, 2);
}

TEST(a_receiver_gets_only_what_it_wants)
{
    options.filter.events.count = 1;
    strcpy(options.filter.events.patterns[0], "gateway-*");
    start();
    for (unsigned i = 1; i <= 9; i++)
        append_of(i % 3 == 0 ? CATALOGUE_GATEWAY_STARTED : CATALOGUE_LINK_STATE_CHANGE, i);
    journal_commit(journal);
    do {
        sched_yield();
        receiver_get_status(receiver, &status);
    } while (status.lag > 0);
    assert_int_equal(status.sent, 3);
    assert_int_equal(status.filtered, 6);
    assert_int_equal(status.dropped, 0);
    stop();
    assert_int_equal(fake.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fake.had[i], 3 * (i + 1));
    assert_int_equal(saved_cursor(), 9);
}

static void append_marked(const char *held, const char *only_receiver, unsigned number)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%u", number);
    snprintf(event->suppressed, sizeof event->suppressed, "%s", held);
    snprintf(event->only_receiver, sizeof event->only_receiver, "%s", only_receiver);
    event->time_us = clock_utc(&fake.clock);
    journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
}

TEST(what_is_held_back_or_for_another_is_not_sent)
{
    start();
    append_marked("standby", "", 1);
    append_marked("", "nms", 2);
    append_marked("", "siem", 3);
    append_marked("standby", "siem", 4);
    append_marked("", "", 5);
    journal_commit(journal);
    fake_receiver_wait_had(&fake, 2);
    stop();
    assert_int_equal(fake.count, 2);
    assert_int_equal(fake.had[0], 3);
    assert_int_equal(fake.had[1], 5);
    assert_int_equal(saved_cursor(), 5);
}

TEST(a_receiver_that_wants_nothing_is_not_opened)
{
    options.filter.severity = SEVERITY_EMERGENCY;
    start();
    put(1, 2000);
    stop();
    assert_int_equal(fake.opens, 0);
    assert_int_equal(saved_cursor(), 2000);
}

TEST(what_is_too_old_is_given_up)
{
    options.age_max_us = 60 * CLOCK_US_PER_S;
    journal_receiver(journal, "siem");
    put(1, 4);
    atomic_fetch_add(&fake.time.utc, 61 * CLOCK_US_PER_S);
    put(5, 3);
    start();
    fake_receiver_wait_had(&fake, 3);
    receiver_get_status(receiver, &status);
    assert_int_equal(status.dropped, 4);
    stop();
    check_had(5, 3);
    assert_int_equal(saved_cursor(), 7);
}

// Stopping.

TEST(a_stop_sends_what_waits)
{
    fake.hold = true;
    start();
    put(1, 1);
    fake_receiver_wait_holding(&fake);
    put(2, 99);
    receiver_request_stop(receiver, INT64_MAX);
    fake_receiver_let_go(&fake);
    stop();
    check_had(1, 100);
}

TEST(a_stop_leaves_the_rest_in_the_journal_when_its_time_is_over)
{
    fake.refuse_open = UINT32_MAX;
    start();
    put(1, 5);
    fake_receiver_wait_opens(&fake, 2);
    stop_by(clock_monotonic(&fake.clock) + 3 * CLOCK_US_PER_S);
    assert_int_equal(fake.count, 0);
    assert_int_equal(fake.frees, 1);
    assert_int_equal(fake.closes, 0);
    assert_int_equal(saved_cursor(), 0);
    journal_commit(journal);
    reopen_journal();
    fake.refuse_open = 0;
    start();
    stop();
    check_had(1, 5);
}

TEST(a_stop_goes_no_further_than_the_event_at_which_its_time_is_over)
{
    fake.hold = true;
    start();
    put(1, 50);
    fake_receiver_wait_holding(&fake);
    receiver_request_stop(receiver, 0);
    fake_receiver_let_go(&fake);
    stop_by(0);
    check_had(1, 1);
    assert_int_equal(saved_cursor(), 1);
}

static void leave_behind(unsigned refused)
{
    fake.hold = true;
    start();
    put(1, 2);
    fake_receiver_wait_holding(&fake);
    receiver_request_stop(receiver, 0);
    assert_false(receiver_finish(receiver, 1000));
    assert_int_equal(fake.frees, 0);
    fake.refuse_send = refused;
    fake_receiver_let_go(&fake);
    stop_by(0);
    assert_int_equal(fake.frees, 1);
    assert_int_equal(saved_cursor(), 0); // its successor may be at work
    assert_int_equal(change_count, 0);
}

TEST(a_receiver_that_does_not_end_is_left_behind)
{
    leave_behind(0);
}

TEST(a_receiver_that_was_left_behind_does_not_tell_that_it_fails)
{
    leave_behind(1);
}

TEST(a_stop_waits_for_acknowledgements)
{
    fake.window = 10;
    fake.answers = FAKE_RECEIVER_REVERSED;
    start();
    put(1, 10);
    fake_receiver_wait_taken(&fake, 1);
    stop();
    check_had(1, 10);
    assert_int_equal(saved_cursor(), 10);
}

// A receiver with ten events in flight and five waiting events; nothing is confirmed.
static void start_with_ten_in_flight(void)
{
    fake.window = 10;
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    put(1, 15);
    fake_receiver_wait_taken(&fake, 10);
}

TEST(a_stop_waits_for_what_is_in_flight_and_sends_nothing_further)
{
    start_with_ten_in_flight();
    pthread_mutex_lock(&fake.lock);
    int64_t now = clock_monotonic(&fake.clock);
    fake.answers_at = now + 3 * CLOCK_US_PER_S;
    pthread_mutex_unlock(&fake.lock);
    stop_by(now);
    assert_int_equal(fake.count, 10);
    check_had(1, 10);
    assert_int_equal(saved_cursor(), 10);
    start(); // the successor
    stop();
    check_had(1, 15);
    assert_int_equal(fake.count, 15); // each was sent once
}

TEST(a_stop_does_not_wait_for_ever_for_what_is_in_flight)
{
    start_with_ten_in_flight();
    int64_t begun = clock_monotonic(&fake.clock);
    stop_by(begun);
    assert_in_range(clock_monotonic(&fake.clock) - begun, RECEIVER_CONFIRM_US,
                    RECEIVER_CONFIRM_US + CLOCK_US_PER_S);
    assert_int_equal(saved_cursor(), 0);
}

TEST(a_stop_does_not_wait_for_a_receiver_that_fails)
{
    fake.window = 10;
    fake.answers = FAKE_RECEIVER_NONE;
    fake.fail_wait = 1;
    start();
    put(1, 1);
    fake_receiver_wait_taken(&fake, 2); // again, after the failure
    int64_t begun = clock_monotonic(&fake.clock);
    stop_by(begun);
    assert_in_range(clock_monotonic(&fake.clock) - begun, 0, RECEIVER_CONFIRM_US - 1);
    assert_int_equal(saved_cursor(), 0);
}

TEST(a_successor_is_paused_as_its_predecessor_was)
{
    start();
    receiver_pause(receiver, true);
    put(1, 5);
    options.carried = receiver_carried(receiver);
    stop_by(0);
    start();
    receiver_get_status(receiver, &status);
    assert_true(status.paused);
    receiver_pause(receiver, false);
    fake_receiver_wait_taken(&fake, 5);
    options.carried = receiver_carried(receiver);
    stop();
    assert_false(options.carried.paused);
    check_had(1, 5);
}

TEST(a_successor_gives_up_what_was_flushed)
{
    start();
    receiver_pause(receiver, true);
    put(1, 5);
    receiver_flush(receiver);
    options.carried = receiver_carried(receiver);
    options.carried.paused = false;
    stop_by(0);
    put(6, 2);
    start();
    stop();
    check_numbers(fake.had, fake.had_count, 6, 2);
}

static enum receiver_outcome outcome_of_one_event(void)
{
    start();
    put(1, 1);
    fake_receiver_wait_had(&fake, 1);
    while (journal_cursor(journal, journal_receiver(journal, "siem")) < 1)
        sched_yield();
    receiver_get_status(receiver, &status);
    enum receiver_outcome outcome = receiver_outcome_of(receiver, 1).outcome;
    stop();
    return outcome;
}

TEST(what_is_not_confirmed_is_sent_and_not_delivered)
{
    assert_string_equal(receiver_outcome_word(outcome_of_one_event()), "sent");
    assert_false(status.confirms);
}

TEST(what_is_confirmed_is_delivered)
{
    fake.window = 10;
    assert_string_equal(receiver_outcome_word(outcome_of_one_event()), "delivered");
    assert_true(status.confirms);
}

static bool nobody(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return false;
}

TEST(a_receiver_that_was_gone_gets_its_backlog_if_it_asks_for_it)
{
    start();
    stop();
    put(1, 3);
    journal_end_receivers(journal, nobody, NULL);
    options.backlog = true;
    start();
    put(4, 1);
    stop();
    check_had(1, 4);
    put(5, 1);
    journal_end_receivers(journal, nobody, NULL);
    options.backlog = false;
    start();
    put(6, 1);
    stop();
    check_numbers(fake.had + 4, fake.had_count - 4, 6, 1);
}

TEST(a_paused_receiver_gets_what_waited_when_it_goes_on)
{
    start();
    put(1, 1);
    fake_receiver_wait_taken(&fake, 1);
    receiver_pause(receiver, true);
    put(2, 5);
    receiver_get_status(receiver, &status);
    assert_true(status.paused);
    assert_int_equal(receiver_outcome_of(receiver, 6).outcome, RECEIVER_WAITING);
    receiver_pause(receiver, false);
    fake_receiver_wait_taken(&fake, 6);
    stop();
    check_had(1, 6);
}

TEST(a_flush_gives_up_what_waits_and_nothing_later)
{
    start();
    receiver_pause(receiver, true);
    put(1, 5);
    receiver_flush(receiver);
    put(6, 2);
    receiver_pause(receiver, false);
    fake_receiver_wait_taken(&fake, 2);
    stop();
    check_had(6, 2);
}

TEST(the_fate_of_an_event_is_remembered)
{
    start();
    receiver_pause(receiver, true);
    put(1, 1);
    receiver_flush(receiver);
    put(2, 1);
    receiver_pause(receiver, false);
    fake_receiver_wait_taken(&fake, 1);
    while (journal_cursor(journal, journal_receiver(journal, "siem")) < 2)
        sched_yield();
    assert_int_equal(receiver_outcome_of(receiver, 1).outcome, RECEIVER_GIVEN_UP);
    struct receiver_event_outcome fate = receiver_outcome_of(receiver, 2);
    assert_int_equal(fate.outcome, RECEIVER_SENT);
    assert_int_equal(fate.time_us, clock_utc(&fake.clock));
    assert_int_equal(receiver_outcome_of(receiver, 3).outcome, RECEIVER_WAITING);
    stop();
}

TEST(all_that_waits_is_handed_over_before_anything_is_waited_for)
{
    fake.window = 1024;
    start();
    stop();
    put(1, 500);
    fake.answers = FAKE_RECEIVER_NONE;
    start();
    fake_receiver_wait_taken(&fake, 500);
    fake_receiver_answer(&fake, FAKE_RECEIVER_ALL);
    fake_receiver_wait_had(&fake, 500);
    stop();
    assert_int_equal(fake.taken_before_waiting, 500);
}

#define RECEIVER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(events_arrive_in_order),
        RECEIVER_TEST(what_was_in_the_journal_before_is_not_for_a_new_receiver),
        RECEIVER_TEST(nothing_is_opened_before_the_first_event),
        RECEIVER_TEST(a_sink_that_is_open_and_has_nothing_to_do_is_idle_again_and_again),
        RECEIVER_TEST(a_state_is_kept_without_events_and_while_a_part_of_the_receiver_fails),
        RECEIVER_TEST(a_state_with_more_to_do_is_kept_on_at_once_although_a_part_fails),
        RECEIVER_TEST(a_state_is_not_kept_while_its_receiver_is_paused),
        RECEIVER_TEST(a_journal_that_could_not_be_read_tells_later_what_waits),
        RECEIVER_TEST(a_journal_that_could_not_be_read_tells_later_what_waits),
        RECEIVER_TEST(the_status_tells_what_happens),
        RECEIVER_TEST(the_age_of_what_waits_is_known),
        RECEIVER_TEST(the_time_to_the_hand_over_is_measured),
        RECEIVER_TEST(what_was_not_handed_over_is_not_measured),
        RECEIVER_TEST(a_failed_event_comes_again_first),
        RECEIVER_TEST(what_is_handed_over_again_is_counted_apart),
        RECEIVER_TEST(failing_and_back_are_told_once_each),
        RECEIVER_TEST(back_is_told_for_a_predecessor_that_failed),
        RECEIVER_TEST(a_receiver_for_which_nothing_waits_is_tried_until_it_is_back),
        RECEIVER_TEST(back_is_told_for_a_predecessor_although_nothing_waits),
        RECEIVER_TEST(attempts_that_failed_are_counted),
        RECEIVER_TEST(attempts_to_keep_a_state_are_counted_once),
        RECEIVER_TEST(waits_grow_to_half_a_minute),
        RECEIVER_TEST(a_failing_receiver_tries_at_once_when_asked),
        RECEIVER_TEST(chance_takes_up_to_half_of_a_wait_away),
        RECEIVER_TEST(waits_grow_too_when_only_acknowledgements_fail),
        RECEIVER_TEST(a_window_is_used_and_never_exceeded),
        RECEIVER_TEST(all_that_waits_is_handed_over_before_anything_is_waited_for),
        RECEIVER_TEST(acknowledgements_out_of_order_end_in_order),
        RECEIVER_TEST(events_retire_in_order),
        RECEIVER_TEST(after_a_failed_send_all_that_were_pending_come_again),
        RECEIVER_TEST(after_a_failed_wait_all_that_were_pending_come_again),
        RECEIVER_TEST(what_was_done_does_not_come_again),
        RECEIVER_TEST(an_event_that_is_refused_is_given_up_and_the_others_arrive),
        RECEIVER_TEST(one_of_several_events_that_is_refused_is_found),
        RECEIVER_TEST(an_event_waits_for_the_one_of_its_alarm),
        RECEIVER_TEST(an_event_that_is_refused_as_it_is_sent_is_given_up_too),
        RECEIVER_TEST(a_number_that_no_event_has_has_no_outcome),
        RECEIVER_TEST(a_receiver_that_refuses_everything_is_failing_and_loses_nothing),
        RECEIVER_TEST(an_event_that_is_refused_waits_until_others_pass),
        RECEIVER_TEST(several_events_in_a_row_that_are_refused_are_given_up),
        RECEIVER_TEST(no_event_of_a_refused_alarm_overtakes_it),
        RECEIVER_TEST(a_flush_gives_up_no_state),
        RECEIVER_TEST(a_flush_gives_up_what_waits_behind_a_state),
        RECEIVER_TEST(no_age_gives_up_a_state),
        RECEIVER_TEST(a_clear_of_a_raise_that_was_given_up_refers_to_nothing),
        RECEIVER_TEST(no_end_refers_to_an_event_from_before_a_move),
        RECEIVER_TEST(no_end_refers_to_a_raise_that_an_earlier_process_gave_up),
        RECEIVER_TEST(a_receiver_is_brought_into_line),
        RECEIVER_TEST(no_alarm_is_told_twice_to_a_receiver_that_came_late),
        RECEIVER_TEST(a_new_receiver_is_told_of_an_alarm_that_flaps),
        RECEIVER_TEST(an_alarm_is_sent_again_as_it_was_told),
        RECEIVER_TEST(a_receiver_that_is_not_in_line_is_brought_into_line),
        RECEIVER_TEST(a_wish_to_be_brought_into_line_outlives_a_kill),
        RECEIVER_TEST(a_receiver_that_was_gone_gets_the_ends_that_it_missed),
        RECEIVER_TEST(an_event_is_sent_again_by_its_number),
        RECEIVER_TEST(what_fails_otherwise_is_never_given_up),
        RECEIVER_TEST(the_cursor_is_saved_and_gone_on_from),
        RECEIVER_TEST(what_was_not_acknowledged_comes_again_after_a_restart),
        RECEIVER_TEST(more_events_than_memory_holds_come_from_the_disk),
        RECEIVER_TEST(events_that_are_gone_are_counted),
        RECEIVER_TEST(an_end_that_expired_is_told),
        RECEIVER_TEST(an_alarm_that_stands_is_told_though_its_event_expired),
        RECEIVER_TEST(what_the_thread_has_read_is_not_what_the_receiver_has),
        RECEIVER_TEST(the_end_says_how_many_events_were_lost),
        RECEIVER_TEST(events_go_at_their_rate),
        RECEIVER_TEST(a_pause_allows_a_burst_again),
        RECEIVER_TEST(what_waits_for_an_earlier_event_costs_no_attempt),
        RECEIVER_TEST(without_a_rate_nothing_waits),
        RECEIVER_TEST(a_narrower_filter_leaves_no_alarm_behind),
        RECEIVER_TEST(a_clear_that_waits_while_the_filter_becomes_narrower_arrives),
        RECEIVER_TEST(a_receiver_gets_only_what_it_wants),
        RECEIVER_TEST(what_is_held_back_or_for_another_is_not_sent),
        RECEIVER_TEST(a_receiver_that_wants_nothing_is_not_opened),
        RECEIVER_TEST(what_is_too_old_is_given_up),
        RECEIVER_TEST(a_stop_sends_what_waits),
        RECEIVER_TEST(a_stop_goes_no_further_than_the_event_at_which_its_time_is_over),
        RECEIVER_TEST(a_receiver_that_does_not_end_is_left_behind),
        RECEIVER_TEST(a_receiver_that_was_left_behind_does_not_tell_that_it_fails),
        RECEIVER_TEST(a_stop_leaves_the_rest_in_the_journal_when_its_time_is_over),
        RECEIVER_TEST(a_stop_waits_for_acknowledgements),
        RECEIVER_TEST(a_stop_waits_for_what_is_in_flight_and_sends_nothing_further),
        RECEIVER_TEST(a_stop_does_not_wait_for_ever_for_what_is_in_flight),
        RECEIVER_TEST(a_stop_does_not_wait_for_a_receiver_that_fails),
        RECEIVER_TEST(a_successor_is_paused_as_its_predecessor_was),
        RECEIVER_TEST(a_successor_gives_up_what_was_flushed),
        RECEIVER_TEST(what_is_not_confirmed_is_sent_and_not_delivered),
        RECEIVER_TEST(what_is_confirmed_is_delivered),
        RECEIVER_TEST(a_receiver_that_was_gone_gets_its_backlog_if_it_asks_for_it),
        RECEIVER_TEST(a_paused_receiver_gets_what_waited_when_it_goes_on),
        RECEIVER_TEST(a_flush_gives_up_what_waits_and_nothing_later),
        RECEIVER_TEST(the_fate_of_an_event_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
