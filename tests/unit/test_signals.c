// SPDX-License-Identifier: BSD-2-Clause
// Each test runs in a child process. The child's main thread only waits, like a thread that hangs.
#include "support.h"

#include "daemon/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 300000, SAID_SIZE = 512 };

static int taken[2],
    said[2]; // pipes: the signals taken by the child, one octet each; the child's log

static void take(void *ctx, int number)
{
    const char octet = (char)number;
    (void)ctx;
    if (write(taken[1], &octet, 1) != 1)
        abort();
}

static _Noreturn void be_child(int64_t first_us, int64_t then_us)
{
    struct error err;
    FILE *out = fdopen(said[1], "w");
    struct signals_options options = {.take = take, .limit_us = first_us, .log = support_log(out)};
    signals_block();
    struct signals *signals = signals_start(&options, &err);
    if (!signals)
        abort();
    signals_limit(signals, then_us);
    take(NULL, 0); // it is there
    poll(NULL, 0, WAIT_MS);
    signals_free(signals);
    _exit(7);
}

static pid_t start(int64_t first_us, int64_t then_us)
{
    assert_int_equal(pipe(taken), 0);
    assert_int_equal(pipe(said), 0);
    pid_t child = fork();
    if (child == 0)
        be_child(first_us, then_us);
    close(taken[1]);
    close(said[1]);
    return child;
}

static int next_taken(void)
{
    char octet = -1;
    struct pollfd ready = {.fd = taken[0], .events = POLLIN};
    assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
    assert_int_equal(read(taken[0], &octet, 1), 1);
    return octet;
}

static int end(pid_t child, char text[SAID_SIZE])
{
    int status;
    ssize_t n = read(said[0], text, SAID_SIZE - 1);
    text[n > 0 ? n : 0] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    close(taken[0]);
    close(said[0]);
    return status;
}

static void check_end(int number, int64_t first_us, int64_t then_us)
{
    char text[SAID_SIZE];
    pid_t child = start(first_us, then_us);
    assert_int_equal(next_taken(), 0);
    kill(child, number);
    assert_int_equal(next_taken(), number);
    int status = end(child, text);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
    assert_non_null(strstr(text, "the stop takes longer than"));
}

TEST(a_stop_that_takes_too_long_ends_the_process)
{
    check_end(SIGTERM, 0, 0);
    check_end(SIGINT, 600 * CLOCK_US_PER_S, CLOCK_US_PER_MS);
}

TEST(a_reload_ends_nothing)
{
    char text[SAID_SIZE];
    pid_t child = start(0, 0);
    assert_int_equal(next_taken(), 0);
    kill(child, SIGHUP);
    assert_int_equal(next_taken(), SIGHUP);
    kill(child, SIGHUP);
    assert_int_equal(next_taken(), SIGHUP);
    kill(child, SIGKILL);
    assert_true(WIFSIGNALED(end(child, text)));
    assert_string_equal(text, "");
}

TEST(a_stop_has_the_time_that_it_may_take)
{
    char text[SAID_SIZE];
    pid_t child = start(0, 600 * CLOCK_US_PER_S);
    assert_int_equal(next_taken(), 0);
    kill(child, SIGTERM);
    assert_int_equal(next_taken(), SIGTERM);
    kill(child, SIGTERM);
    assert_int_equal(next_taken(), SIGTERM); // it lives
    kill(child, SIGKILL);
    assert_true(WIFSIGNALED(end(child, text)));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_that_takes_too_long_ends_the_process),
        cmocka_unit_test(a_reload_ends_nothing),
        cmocka_unit_test(a_stop_has_the_time_that_it_may_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
