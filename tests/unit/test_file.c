// SPDX-License-Identifier: BSD-2-Clause
#include "driver.h"
#include "support.h"

#include "base/text.h"
#include "model/catalogue.h"
#include "sink/file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct driver driver;

static struct event *make(int n)
{
    struct event *e = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    assert_non_null(e);
    snprintf(e->id, sizeof e->id, "id%d", n);
    snprintf(e->text, sizeof e->text, "Event %d.", n);
    return e;
}

static struct sink begin(const char *path, bool fsync)
{
    struct sink r;
    file_sink(&r, "log", path, fsync);
    assert_string_equal(r.kind, "file");
    assert_string_equal(r.address, path);
    return r;
}

static void begin_open(const char *path, bool fsync)
{
    const struct sink r = begin(path, fsync);
    struct error err;
    assert_true(driver_open(&driver, &r, &err));
}

static void end(void)
{
    driver_close(&driver);
    driver_free(&driver);
}

static enum sink_result send_one(int n, struct error *err)
{
    struct event *e = make(n);
    enum sink_result result = driver_send(&driver, e, err);
    event_unref(e);
    return result;
}

// The numbers of the events in a file of complete lines, in the form "1 2 3 ".
static const char *content(const char *path)
{
    static char found[256];
    struct text t = text_in(found, sizeof found);
    char line[1024];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *id = strstr(line, "\"id\":\"id");
        assert_int_equal(line[0], '{');
        assert_string_equal(line + strlen(line) - 2, "}\n");
        assert_non_null(id);
        text_addf(&t, "%d ", atoi(id + 8));
    }
    fclose(f);
    return found;
}

TEST(events_are_done_when_written)
{
    const char *path = support_path("done");
    struct error err;
    struct stat st;
    begin_open(path, false);
    assert_int_equal(driver.sink.in_flight_max, 0);
    assert_int_equal(send_one(1, &err), SINK_DONE);
    assert_int_equal(send_one(2, &err), SINK_DONE);
    end();
    assert_string_equal(content(path), "1 2 ");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

TEST(a_second_start_appends)
{
    const char *path = support_path("append");
    struct error err;
    for (int n = 1; n <= 2; n++) {
        begin_open(path, false);
        assert_int_equal(send_one(n, &err), SINK_DONE);
        end();
    }
    assert_string_equal(content(path), "1 2 ");
}

TEST(events_are_pending_until_they_are_synced)
{
    const char *path = support_path("synced");
    struct error err;
    begin_open(path, true);
    assert_true(driver.sink.in_flight_max > 1);
    assert_int_equal(driver_wait(&driver, 100, &err), 0);
    assert_int_equal(send_one(1, &err), SINK_PENDING);
    assert_int_equal(send_one(2, &err), SINK_PENDING);
    assert_int_equal(driver_wait(&driver, 0, &err), 0);
    assert_int_equal(driver_wait(&driver, 100, &err), 2);
    assert_int_equal(driver_wait(&driver, 100, &err), 0);
    end();
    assert_string_equal(content(path), "1 2 ");
}

TEST(reopening_follows_the_name)
{
    const char *path = support_path("rotated"), *old = support_path("rotated.1");
    struct error err;
    begin_open(path, true);
    assert_int_equal(send_one(1, &err), SINK_PENDING);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(send_one(2, &err), SINK_PENDING);
    driver.sink.reopen(driver.sink.self);
    assert_int_equal(send_one(3, &err), SINK_PENDING);
    assert_int_equal(driver_wait(&driver, 100, &err), 3);
    end();
    assert_string_equal(content(old), "1 2 ");
    assert_string_equal(content(path), "3 ");
}

// Replaces the C library's function.
static unsigned syncs_to_fail;

int fdatasync(int fd)
{
    if (syncs_to_fail == 0)
        return fsync(fd);
    syncs_to_fail--;
    errno = EIO;
    return -1;
}

TEST(a_sync_that_fails_before_a_reopening_makes_all_come_again)
{
    const char *path = support_path("lost");
    begin_open(path, true);
    struct error err;
    for (int i = 1; i <= 3; i++)
        assert_int_equal(send_one(i, &err), SINK_PENDING);
    driver.sink.reopen(driver.sink.self);
    syncs_to_fail = 1; // Linux reports the error only once
    assert_int_equal(send_one(4, &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "cannot sync"));
    end();
}

TEST(a_reopening_that_fails_leaves_what_is_pending)
{
    const char *path = support_path("gone-soon/events");
    char directory[200];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(mkdir(directory, 0700), 0);
    begin_open(path, true);
    struct error err;
    assert_int_equal(send_one(1, &err), SINK_PENDING);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
    driver.sink.reopen(driver.sink.self);
    assert_int_equal(send_one(2, &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "cannot open"));
    assert_int_equal(driver_wait(&driver, 0, &err), 1);
    end();
}

TEST(a_reopening_that_fails_is_a_failure)
{
    const char *path = support_path("gone"), *old = support_path("gone.1");
    struct error err;
    begin_open(path, false);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    driver.sink.reopen(driver.sink.self);
    assert_int_equal(send_one(1, &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "gone: Is a directory"));
    end();
    assert_int_equal(rmdir(path), 0);
    assert_string_equal(content(old), "");
}

// The size limit acts as a full disk: only a part of the last line fits.
TEST(no_half_line_is_left_when_the_disk_is_full)
{
    const char *path = support_path("full");
    struct rlimit old, limit;
    struct error err;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    begin_open(path, false);
    limit = (struct rlimit){.rlim_cur = 500, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int n = 1;
    while (send_one(n, &err) == SINK_DONE)
        n++;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(n, 3);
    assert_non_null(strstr(err.text, "cannot write to "));
    assert_non_null(strstr(err.text, "full: File too large"));
    assert_string_equal(content(path), "1 2 ");
    end();
}

TEST(what_is_written_is_acknowledged_before_a_failure_is_told)
{
    const char *path = support_path("half");
    struct rlimit old, limit;
    struct error err;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    begin_open(path, true);
    limit = (struct rlimit){.rlim_cur = 500, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int n = 1; n <= 2; n++)
        assert_int_equal(send_one(n, &err), SINK_PENDING);
    assert_int_equal(send_one(3, &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "half: File too large"));
    assert_int_equal(driver_wait(&driver, 0, &err), 2);
    driver_close(&driver);
    const struct sink again = driver.sink;
    assert_true(driver_open(&driver, &again, &err));
    assert_int_equal(send_one(3, &err), SINK_FAILED);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_string_equal(content(path), "1 2 ");
    end();
}

TEST(an_unfinished_line_is_ended)
{
    const char *path = support_file("unfinished", "{\"x\":1", 0600);
    char octets[16] = "";
    struct error err;
    begin_open(path, false);
    assert_int_equal(send_one(1, &err), SINK_DONE);
    end();
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(octets, 1, 8, f), 8);
    fclose(f);
    assert_string_equal(octets, "{\"x\":1\n{");
}

TEST(what_is_no_file_is_refused)
{
    const char *path = support_path("fifo");
    struct error err;
    assert_int_equal(mkfifo(path, 0600), 0);
    struct sink r = begin(path, false);
    assert_false(driver_open(&driver, &r, &err));
    driver_free(&driver);
    r = begin("/nonexistent/log", false);
    assert_false(driver_open(&driver, &r, &err));
    assert_string_equal(err.text, "cannot open /nonexistent/log: No such file or directory");
    driver_free(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_done_when_written),
        cmocka_unit_test(a_second_start_appends),
        cmocka_unit_test(events_are_pending_until_they_are_synced),
        cmocka_unit_test(reopening_follows_the_name),
        cmocka_unit_test(a_sync_that_fails_before_a_reopening_makes_all_come_again),
        cmocka_unit_test(a_reopening_that_fails_leaves_what_is_pending),
        cmocka_unit_test(a_reopening_that_fails_is_a_failure),
        cmocka_unit_test(no_half_line_is_left_when_the_disk_is_full),
        cmocka_unit_test(what_is_written_is_acknowledged_before_a_failure_is_told),
        cmocka_unit_test(an_unfinished_line_is_ended),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
