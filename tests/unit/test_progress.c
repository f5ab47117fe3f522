// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ctl/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEADLINE_MS = 300000 };

static int64_t read_variable(const void *ctx)
{
    return atomic_load((const _Atomic int64_t *)ctx);
}

// Makes a terminal the standard error output until standard_error_restore.
static int standard_error_replace(int *former)
{
    int leader = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(leader >= 0 && grantpt(leader) == 0 && unlockpt(leader) == 0);
    int follower = open(ptsname(leader), O_RDWR | O_NOCTTY);
    assert_true(follower >= 0);
    *former = dup(STDERR_FILENO);
    dup2(follower, STDERR_FILENO);
    close(follower);
    return leader;
}

static void standard_error_restore(int former)
{
    dup2(former, STDERR_FILENO);
    close(former);
}

// Reads what the terminal shows until `text` comes, into `out`.
static void read_until(int leader, const char *text, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    while (!strstr(out, text)) {
        assert_int_equal(poll(&(struct pollfd){.fd = leader, .events = POLLIN}, 1, DEADLINE_MS), 1);
        ssize_t n = read(leader, out + used, size - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
        out[used] = '\0';
    }
}

TEST(a_long_task_says_how_far_it_is)
{
    static _Atomic int64_t done = 1000; // before the task
    char shown[4096];
    int former, leader = standard_error_replace(&former);
    struct progress *progress = progress_begin(
        &(struct progress_task){"checking the journal", 200, read_variable, &done, NULL});
    assert_non_null(progress);
    atomic_store(&done, 1100);
    read_until(leader, "checking the journal: 50 %", shown, sizeof shown);
    atomic_store(&done, 1400); // it reads some of it again
    read_until(leader, "checking the journal: 99 %", shown, sizeof shown);
    progress_end(progress);
    read_until(leader, "\r\033[K", shown, sizeof shown);
    assert_null(strstr(shown + strlen(shown) - 4, "%"));
    standard_error_restore(former);
    close(leader);
}

TEST(a_task_of_unknown_length_says_how_much_is_done)
{
    static _Atomic int64_t done = 7;
    char shown[4096];
    int former, leader = standard_error_replace(&former);
    struct progress *progress = progress_begin(&(struct progress_task){
        .what = "deleting old events", .done = read_variable, .ctx = &done, .unit = "events"});
    assert_non_null(progress);
    atomic_store(&done, 5007);
    read_until(leader, "\rdeleting old events: 5000 events, ", shown, sizeof shown);
    progress_end(progress);
    standard_error_restore(former);
    close(leader);
}

TEST(a_short_task_says_nothing)
{
    static _Atomic int64_t done;
    int former, leader = standard_error_replace(&former);
    struct progress *progress =
        progress_begin(&(struct progress_task){"exporting", 200, read_variable, &done, NULL});
    progress_end(progress);
    standard_error_restore(former);
    assert_int_equal(poll(&(struct pollfd){.fd = leader, .events = POLLIN}, 1, 0) > 0 &&
                         read(leader, (char[1]){0}, 1) > 0,
                     0);
    close(leader);
}

TEST(a_file_gets_nothing)
{
    static _Atomic int64_t done;
    int former = dup(STDERR_FILENO), file = open("/dev/null", O_WRONLY);
    dup2(file, STDERR_FILENO);
    assert_null(
        progress_begin(&(struct progress_task){"exporting", 200, read_variable, &done, NULL}));
    standard_error_restore(former);
    close(file);
    progress_end(NULL);
}

TEST(octets_that_were_read_are_counted)
{
    char octets[4096];
    const int64_t before = progress_octets_read(NULL);
    int file = open("/dev/zero", O_RDONLY);
    assert_int_equal(read(file, octets, sizeof octets), sizeof octets);
    close(file);
    assert_true(progress_octets_read(NULL) >= before + (int64_t)sizeof octets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_task_says_how_far_it_is),
        cmocka_unit_test(a_task_of_unknown_length_says_how_much_is_done),
        cmocka_unit_test(a_short_task_says_nothing),
        cmocka_unit_test(a_file_gets_nothing),
        cmocka_unit_test(octets_that_were_read_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
