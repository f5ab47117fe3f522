// SPDX-License-Identifier: BSD-2-Clause
// A start that takes long: the messages to the service manager and the log.
#include "fake_manager.h"
#include "support.h"

#include "daemon/service.h"

#include <unistd.h>

static struct support_time now;
static struct clock clock_;
static struct log *log_;
static struct service_opening opening;
static FILE *stream;
static char *lines;
static size_t size;
static int manager;

static int begin(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "@ibtrapd/starting/%d", (int)getpid());
    manager = fake_manager_listen(name);
    now = (struct support_time){.monotonic = 0};
    clock_ = support_clock(&now);
    stream = open_memstream(&lines, &size);
    log_ = log_open(stream, LOG_LEVEL_INFO, false, &clock_);
    service_opening_begin(&opening, name, &clock_, log_);
    return stream && log_ ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    log_close(log_);
    fclose(stream);
    free(lines);
    close(manager);
    return 0;
}

static void expect(const char *message)
{
    const char *next = fake_manager_next(manager);
    assert_non_null(next);
    assert_string_equal(next, message);
}

// The number of lines in the log with these words.
static int logged(const char *words)
{
    int n = 0;
    fflush(stream);
    for (const char *p = lines; p && (p = strstr(p, words)); p += strlen(words))
        n++;
    return n;
}

static void steps_until(int64_t us, const char *doing)
{
    for (; now.monotonic < us; now.monotonic += CLOCK_US_PER_MS)
        service_opening_step(&opening, doing);
}

TEST(a_short_start_says_nothing)
{
    steps_until(CLOCK_US_PER_S, "counting its events");
    service_opening_end(&opening);
    expect("EXTEND_TIMEOUT_USEC=300000000\n"); // the first step itself may take long
    assert_null(fake_manager_next(manager));
    assert_int_equal(logged("journal"), 0);
}

TEST(a_long_start_gets_more_time_each_second)
{
    steps_until(3 * CLOCK_US_PER_S, "upgrading it");
    expect("EXTEND_TIMEOUT_USEC=300000000\n");
    expect("EXTEND_TIMEOUT_USEC=300000000\n");
    expect("EXTEND_TIMEOUT_USEC=300000000\n");
    expect("STATUS=Opening the journal, 2 s so far: upgrading it\n");
    assert_null(fake_manager_next(manager));
    service_opening_end(&opening);
}

TEST(a_start_that_makes_no_progress_gets_none)
{
    service_opening_step(&opening, "upgrading it");
    expect("EXTEND_TIMEOUT_USEC=300000000\n");
    now.monotonic += 3600 * CLOCK_US_PER_S;
    assert_null(fake_manager_next(manager));
    service_opening_end(&opening);
}

TEST(the_log_tells_each_minute_and_at_the_end)
{
    steps_until(125 * CLOCK_US_PER_S, "upgrading it");
    service_opening_end(&opening);
    assert_int_equal(logged("opening the journal takes long, do not stop ibtrapd: upgrading it\n"),
                     1);
    assert_int_equal(logged("opening the journal, 62 s so far: upgrading it\n"), 1);
    assert_int_equal(logged("opening the journal, 122 s so far: upgrading it\n"), 1);
    assert_int_equal(logged("opened the journal after 125 s\n"), 1);
    assert_int_equal(logged("\n"), 4);
}

TEST(no_service_manager_is_no_error)
{
    service_opening_end(&opening);
    service_opening_begin(&opening, NULL, &clock_, log_);
    steps_until(3 * CLOCK_US_PER_S, "upgrading it");
    service_opening_end(&opening);
    assert_null(fake_manager_next(manager));
    assert_int_equal(logged("upgrading it"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_short_start_says_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_long_start_gets_more_time_each_second, begin, end),
        cmocka_unit_test_setup_teardown(a_start_that_makes_no_progress_gets_none, begin, end),
        cmocka_unit_test_setup_teardown(the_log_tells_each_minute_and_at_the_end, begin, end),
        cmocka_unit_test_setup_teardown(no_service_manager_is_no_error, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
