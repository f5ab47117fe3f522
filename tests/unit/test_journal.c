// SPDX-License-Identifier: BSD-2-Clause
// The journal's contract: order, durability, the WAL, receivers and retention.
#include "journal_fixture.h"

#include "journal/wal.h"
#include "model/catalogue.h"
#include "model/event_record.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_a_record_holds_the_whole_event(void **state)
{
    struct fixture *f = *state;
    static const uint16_t TRAPS[] = {64,  65,  66,  67,  68,  128, 129,
                                     144, 145, 256, 257, 258, 259, 4711};
    for (size_t i = 0; i < sizeof TRAPS / sizeof *TRAPS; i++) {
        struct event *event = make(f, TRAPS[i]);
        snprintf(event->subject.name, sizeof event->subject.name, "leaf \"%zu\" ]", i);
        uint8_t record[EVENT_RECORD_MAX];
        struct error err;
        size_t size = event_record_write(event, record);
        struct event *again = event_record_read(record, size, &err);
        assert_non_null(again);
        assert_same_event(event, again);
        event_unref(again);
        // Cut anywhere, it is refused or lacks something at its end; never a crash.
        for (size_t cut = 0; cut < size; cut++)
            event_unref(event_record_read(record, cut, &err));
        event_unref(event);
    }
}

static void test_a_full_event_fits_its_record(void **state)
{
    struct fixture *f = *state;
    struct event *event = make(f, NOTICE_BAD_PKEY);
    struct endpoint *const endpoints[] = {&event->issuer, &event->subject, &event->source,
                                          &event->destination};
    for (size_t i = 0; i < 4; i++)
        memset(endpoints[i]->name, 'n', sizeof endpoints[i]->name - 1);
    memset(event->raw, 0xFF, event->raw_size = EVENT_RAW_MAX);
    memset(event->reason, 'r', sizeof event->reason - 1);
    memset(event->receiver, 'c', sizeof event->receiver - 1);
    memset(event->alarm_key, 'k', sizeof event->alarm_key - 1);
    memset(event->text, 't', sizeof event->text - 1);
    uint8_t record[EVENT_RECORD_MAX];
    assert_true(event_record_write(event, record) <= EVENT_RECORD_MAX);
    event_unref(event);
}

static void test_only_committed_events_are_read(void **state)
{
    struct fixture *f = *state;
    struct journal_item item;
    assert_int_equal(add(f, NULL), 1);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 0);
    journal_commit(f->journal);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 1);
    assert_int_equal(item.sequence, 1);
    event_unref(item.event);
}

static void test_events_and_cursors_survive(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 10);
    journal_advance(f->journal, receiver, 4);
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(journal_cursor(f->journal, receiver), 4);
    assert_int_equal(read_all(f, 4, 6), 10);
    assert_int_equal(add(f, NULL), 11);
}

static void test_nobody_else_may_read_the_files(void **state)
{
    static const char *const ENDS[] = {"", "-wal", "-shm"};
    struct fixture *f = *state;
    add_many(f, 1);
    journal_commit(f->journal);
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        struct stat status;
        char path[sizeof f->path + 8];
        snprintf(path, sizeof path, "%s%s", f->path, ENDS[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0007, 0);
    }
}

// The WAL.

static off_t wal_size(const struct fixture *f)
{
    char path[sizeof f->path + 8];
    struct stat status;
    snprintf(path, sizeof path, "%s-wal", f->path);
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

// Counts from a number by chance.
static uint32_t times_begun_anew(const struct fixture *f)
{
    char path[sizeof f->path + 8];
    uint8_t header[16];
    snprintf(path, sizeof path, "%s-wal", f->path);
    int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, header, sizeof header, 0), sizeof header);
    close(fd);
    return (uint32_t)header[12] << 24 | (uint32_t)header[13] << 16 | (uint32_t)header[14] << 8 |
           header[15];
}

static void test_the_wal_has_room_from_the_start(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(wal_size(f), WAL_BYTES);
    add_many(f, 300);
    assert_int_equal(wal_size(f), WAL_BYTES);
    reopen(f);
    assert_int_equal(wal_size(f), WAL_BYTES);
    assert_int_equal(read_all(f, 0, 300), 300);
}

static void test_where_there_is_no_room_the_wal_grows(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = WAL_BYTES - 1;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    reopen(f);
    off_t before = wal_size(f);
    assert_true(before < 64 * 1024);
    add_many(f, 300);
    assert_true(wal_size(f) > before);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void test_the_wal_begins_anew_and_nothing_is_lost(void **state)
{
    enum { COMMITS_MAX = 40 * WAL_FULL_PAGES };
    struct fixture *f = *state;
    add_many(f, 1);
    uint32_t first = times_begun_anew(f);
    int n = 1;
    for (; times_begun_anew(f) - first < 2 && n < COMMITS_MAX; n++) {
        add(f, NULL);
        journal_commit(f->journal);
    }
    assert_true(n < COMMITS_MAX);
    assert_int_equal(read_all(f, 0, (size_t)n), n);
    reopen(f);
    assert_int_equal(read_all(f, 0, (size_t)n), n);
}

static void test_a_new_receiver_begins_with_what_comes(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    assert_int_equal(journal_cursor(f->journal, journal_receiver(f->journal, "new")), 3);
}

static void test_a_slow_reader_reads_from_disk(void **state)
{
    struct fixture *f = *state;
    add_many(f, JOURNAL_MEMORY_MAX + 3000);
    assert_int_equal(read_all(f, 0, JOURNAL_MEMORY_MAX + 3000), JOURNAL_MEMORY_MAX + 3000);
}

static void test_a_reader_goes_back_from_memory_to_disk(void **state)
{
    struct fixture *f = *state;
    struct journal_item items[64];
    add_many(f, JOURNAL_MEMORY_MAX + 500);
    int64_t before = journal_last(f->journal) + 1;
    size_t total = 0, n;
    add(f, NULL); // not committed: readers do not see the event
    while ((n = journal_read_back(f->journal, before, items, 64)) > 0) {
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(items[i].sequence, before - 1);
            assert_non_null(items[i].event);
            before = items[i].sequence;
            event_unref(items[i].event);
        }
        total += n;
    }
    assert_int_equal(total, JOURNAL_MEMORY_MAX + 500);
    assert_int_equal(journal_read_back(f->journal, INT64_MAX, items, 1), 1);
    assert_int_equal(items[0].sequence, journal_last(f->journal));
    event_unref(items[0].event);
    assert_int_equal(journal_read(f->journal, INT64_MAX, items, 1), 0);
}

// The journal asks for the time when a read of the file has ended: then the pipeline works on.
static struct fixture *grows; // NULL: it did
static pthread_t reads;

static int64_t grow_at_read(void *ctx)
{
    struct fixture *f = grows;
    if (f && pthread_equal(pthread_self(), reads)) {
        grows = NULL;
        add_many(f, JOURNAL_MEMORY_KEPT + 500);
    }
    return ((struct support_time *)ctx)->monotonic;
}

// The events up to a number are gone. Meanwhile, events leave memory: the reader gets these events
// from the file.
static void test_a_reader_passes_a_gap_while_events_leave_memory(void **state)
{
    struct fixture *f = *state;
    struct journal_item items[64];
    sqlite3 *db;
    size_t n = 0;
    assert_true(journal_receiver(f->journal, "nms") >= 0);
    add_many(f, JOURNAL_MEMORY_KEPT + 500);
    const int64_t first = journal_first_in_memory(f->journal);
    assert_true(first > 1);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM event", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    const int64_t last = journal_last(f->journal);
    reads = pthread_self();
    grows = f;
    f->clock.monotonic = grow_at_read;
    for (int tries = 0; tries < 2 && n == 0; tries++)
        n = journal_read(f->journal, 0, items, 64);
    assert_null(grows);
    assert_true(n > 0 && items[0].sequence == last + 1); // those before are not in the file
    for (size_t i = 0; i < n; i++)
        event_unref(items[i].event);
}

static void test_sqlite_counts_no_memory(void **state)
{
    (void)state;
    assert_int_equal(sqlite3_memory_used(), 0); // a lock less for each allocation
}

static void test_reports_are_remembered_across_a_restart(void **state)
{
    struct fixture *f = *state;
    const struct journal_report report = {3, UINT64_C(0x02DAB00112345678),
                                          UINT64_C(0xFEDCBA9876543210)};
    struct journal_report found = {0};
    add(f, &report);
    add(f, NULL);
    journal_commit(f->journal);
    reopen(f);
    journal_each_recent_report(f->journal, f->time.utc - 5 * CLOCK_US_PER_S, collect, &found);
    assert_int_equal(found.lid, report.lid);
    assert_true(found.tid == report.tid && found.digest == report.digest);
    found = (struct journal_report){0};
    journal_each_recent_report(f->journal, f->time.utc + 1, collect, &found);
    assert_int_equal(found.lid, 0);
}

static void test_retention_by_rows(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, ROWS + 150);
    journal_advance(f->journal, receiver, ROWS + 150);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, ROWS);
    assert_int_equal(status.first, 151);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

static void test_what_is_in_memory_stays_in_the_file(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = 100;
    f->options.bytes_max = 1;
    reopen(f);
    journal_receiver(f->journal, "nms");
    add_many(f, JOURNAL_MEMORY_KEPT);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, JOURNAL_MEMORY_KEPT);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

static void test_retention_tells_what_a_receiver_loses(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "slow");
    add_many(f, ROWS + 150);
    journal_advance(f->journal, receiver, 120);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 30);
    assert_string_equal(f->told_reason[JOURNAL_DROPPING],
                        "the journal has room for 1100 events only, and receiver slow is too far "
                        "behind");
}

// The process that was killed had deleted the events and told nobody.
static void test_a_start_tells_what_the_last_process_did_not(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    journal_receiver(f->journal, "away");
    add_many(f, ROWS + 150);
    settle(f);
    memset(f->told, 0, sizeof f->told);
    memset(f->told_count, 0, sizeof f->told_count);
    reopen(f);
    journal_resume_dropping(f->journal, false);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 150);
    reopen(f);
    journal_resume_dropping(f->journal, true);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
}

// Retention saves the cursors with the deletion: the start finds no loss where there is none.
static void test_a_start_tells_nothing_that_receivers_have(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, ROWS + 150);
    pass(f, 60 * CLOCK_US_PER_S);
    assert_int_equal(journal_begin_commit(f->journal, true), JOURNAL_TAKEN);
    journal_advance(f->journal, receiver, ROWS + 150);
    journal_end_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.dropped, 0);
    reopen(f);
    journal_resume_dropping(f->journal, false);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

static bool is_nms(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "nms") == 0;
}

static void test_a_receiver_that_has_ended_loses_nothing(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "nms");
    journal_receiver(f->journal, "old");
    journal_end_receivers(f->journal, is_nms, NULL);
    add_many(f, ROWS + 150);
    journal_advance(f->journal, receiver, ROWS + 150);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
    pass(f, JOURNAL_YOUNG_US + 1);
    journal_request_prune(f->journal, 1);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0);
    assert_int_equal(status.dropped, 0);
    int old = journal_receiver_with_backlog(f->journal, "old");
    assert_int_equal(journal_cursor(f->journal, old), 0);
}

static void test_a_receiver_that_is_forgotten_and_comes_again_is_a_new_one(void **state)
{
    struct fixture *f = *state;
    journal_receiver(f->journal, "nms");
    add_many(f, 10);
    journal_forget_receiver(f->journal, "nms", false);
    assert_int_equal(journal_cursor(f->journal, journal_receiver(f->journal, "nms")), 10);
    add_many(f, 5);
    reopen(f);
    assert_int_equal(journal_cursor(f->journal, journal_receiver(f->journal, "nms")), 10);
}

// A dead receiver beside a full journal raises one alarm, which ends with the count.
static void test_what_a_receiver_loses_is_told_once(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "dead");
    add_many(f, ROWS);
    for (int i = 1; i <= 3; i++) {
        add_many(f, 100);
        settle(f);
    }
    journal_get_status(f->journal, &status);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 100);
    assert_int_equal(status.dropped, 300);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 0);
    journal_note_lost(f->journal, receiver, 250); // it had the others in memory
    journal_advance(f->journal, receiver, 301);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING_ENDED], 250);
    assert_string_equal(f->told_reason[JOURNAL_DROPPING_ENDED], "receiver dead lacks them");
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
}

// Otherwise each such event would be the reason for the next.
static void test_events_about_lost_events_are_not_lost(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    journal_receiver(f->journal, "dead");
    for (int i = 0; i < 10; i++) {
        tell(f, CATALOGUE_JOURNAL_DROPPING, "journal-dropping", "full");
        tell(f, CATALOGUE_JOURNAL_DROPPING_ENDED, "journal-dropping", "not full");
    }
    add_many(f, ROWS);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.first, 21);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

// The last run raised the alarm; this run ends the alarm, although this run loses nothing.
static void test_the_alarm_of_the_last_run_ends(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 10);
    journal_resume_dropping(f->journal, true);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 0);
    journal_advance(f->journal, receiver, 10);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

// The last run was killed when a receiver had passed lost events. Another receiver passes lost
// events in this run.
static void test_the_alarm_of_the_last_run_ends_with_the_count(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    const int dead = journal_receiver(f->journal, "dead");
    journal_receiver(f->journal, "slow");
    add_many(f, ROWS + 300);
    settle(f);
    journal_note_lost(f->journal, dead, 300);
    journal_advance(f->journal, dead, ROWS + 300);
    journal_commit(f->journal);
    reopen(f);
    journal_resume_dropping(f->journal, true);
    const int slow = journal_receiver(f->journal, "slow");
    journal_note_lost(f->journal, slow, 20);
    journal_advance(f->journal, slow, ROWS + 300);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING_ENDED], 300);
    assert_string_equal(f->told_reason[JOURNAL_DROPPING_ENDED],
                        "receiver dead lacks as many, and 1 more lacks some");
}

// Without a loss, what a receiver that comes back does not get is no loss of the journal's.
static void test_the_end_counts_what_was_lost_since_the_alarm(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "back");
    journal_note_lost(f->journal, receiver, 7);
    add_many(f, ROWS + 300);
    settle(f);
    journal_advance(f->journal, receiver, ROWS + 300);
    settle(f);
    assert_int_equal(f->told_count[JOURNAL_DROPPING_ENDED], 0);
    assert_string_equal(f->told_reason[JOURNAL_DROPPING_ENDED],
                        "every receiver got them from memory");
}

static void test_retention_by_age(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.age_us = 3600 * CLOCK_US_PER_S;
    reopen(f);
    add_many(f, 20);
    pass(f, 3500 * CLOCK_US_PER_S);
    add_many(f, JOURNAL_MEMORY_KEPT);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, JOURNAL_MEMORY_KEPT);
    pass(f, 3700 * CLOCK_US_PER_S);
    reopen(f);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, JOURNAL_MEMORY_KEPT);
}

// Also before the receivers of this run have registered.
static void test_age_takes_only_what_every_receiver_has(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 200 + JOURNAL_MEMORY_KEPT);
    journal_advance(f->journal, receiver, 50);
    pass(f, 32 * 86400 * CLOCK_US_PER_S);
    settle(f);
    reopen(f);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.first, 51);
    receiver = journal_receiver(f->journal, "nms");
    journal_end_receivers(f->journal, is_nms, NULL);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.first, 51);
    journal_advance(f->journal, receiver, 200 + JOURNAL_MEMORY_KEPT);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, JOURNAL_MEMORY_KEPT);
    assert_int_equal(status.dropped, 0);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

// A receiver that is configured no longer does not hold old events back.
static void test_age_does_not_wait_for_a_receiver_that_has_ended(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    journal_receiver(f->journal, "old");
    add_many(f, 20 + JOURNAL_MEMORY_KEPT);
    pass(f, 32 * 86400 * CLOCK_US_PER_S);
    reopen(f);
    journal_end_receivers(f->journal, is_nms, NULL);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, JOURNAL_MEMORY_KEPT);
}

static void check_key(struct fixture *f, int64_t number, const char *key)
{
    struct event *event = journal_read_one(f->journal, number);
    assert_int_equal(event != NULL, key != NULL);
    if (event) {
        assert_int_equal(event->number, number);
        assert_string_equal(event->alarm_key, key);
    }
    event_unref(event);
}

// The events by which receivers were told, and the last.
static void test_open_alarms_keep_their_events(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.rows_max = ROWS;
    reopen(f);
    raise_alarm(f, "over");
    raise_alarm(f, "open");
    clear_alarm(f, "over");
    raise_alarm(f, "open");
    add_many(f, ROWS);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_in_range(status.first, 5, ROWS);
    reopen(f);
    check_key(f, 1, NULL);
    check_key(f, 2, "open");
    check_key(f, 3, NULL);
    check_key(f, 4, "open");
    struct event *event = journal_find(f->journal, 4);
    assert_int_equal(event->told_number, 2);
    event_unref(event);
    clear_alarm(f, "open");
    add_many(f, 10);
    settle(f);
    check_key(f, 4, "open"); // until the end, too, is deleted
    for (int i = 0; i < 3; i++) {
        add_many(f, ROWS);
        settle(f);
    }
    check_key(f, 4, NULL);
    check_key(f, 2, NULL);
}

// The first event is the root cause of other alarms, though nobody was told of it.
static void test_an_alarm_that_was_told_late_keeps_its_first_event(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    struct event *event = make_occurrence(f, CATALOGUE_RECEIVER_FAILING, "late", "");
    snprintf(event->suppressed, sizeof event->suppressed, "hold-down");
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    raise_alarm(f, "late");
    raise_alarm(f, "late");
    add_many(f, ROWS);
    settle(f);
    check_key(f, 1, "late");
}

// The alarm is over, and a receiver has yet to get the end.
static void test_an_end_that_waits_keeps_its_raise(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    const int receiver = journal_receiver(f->journal, "nms");
    raise_alarm(f, "over");
    raise_alarm(f, "waits");
    clear_alarm(f, "over");
    add_many(f, ROWS);
    clear_alarm(f, "waits");
    journal_advance(f->journal, receiver, ROWS);
    settle(f);
    check_key(f, 1, NULL);
    check_key(f, 2, "waits");
    journal_advance(f->journal, receiver, ROWS + 4);
    for (int i = 0; i < 3; i++) {
        add_many(f, ROWS);
        journal_advance(f->journal, receiver, journal_last(f->journal));
        settle(f);
    }
    check_key(f, 2, NULL);
}

static void end_by_standby(struct fixture *f, const char *key)
{
    struct event *event = make_occurrence(f, CATALOGUE_RECEIVER_BACK, key, "");
    snprintf(event->suppressed, sizeof event->suppressed, "%s", EVENT_STANDBY);
    journal_append(f->journal, event, &(struct journal_report){0});
    assert_int_equal(event->told_number, 1);
    event_unref(event);
}

// The active gateway sends the end. Who was told of the alarm before is told of the next one.
static void test_an_alarm_after_an_end_elsewhere_begins_anew(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "link");
    end_by_standby(f, "link");
    raise_alarm(f, "link");
    settle(f);
    struct event *event = journal_find(f->journal, 3);
    assert_non_null(event);
    assert_int_equal(event->told_number, 0);
    event_unref(event);
}

static void test_a_clock_far_ahead_loses_nothing(void **state)
{
    struct fixture *f = *state;
    journal_receiver(f->journal, "nms");
    add_many(f, 2000);
    f->time.utc += 40 * 86400 * CLOCK_US_PER_S;
    add_many(f, 10);
    settle(f);
    f->time.utc -= 40 * 86400 * CLOCK_US_PER_S;
    settle(f);
    assert_int_equal(read_all(f, 0, 2010), 2010);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

static void test_retention_by_bytes(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.bytes_max = 1 << 20;
    reopen(f);
    add_many(f, 6000);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_true(status.bytes <= 1 << 20);
    assert_true(status.rows > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_record_holds_the_whole_event),
        TEST(test_a_full_event_fits_its_record),
        TEST(test_only_committed_events_are_read),
        TEST(test_events_and_cursors_survive),
        TEST(test_nobody_else_may_read_the_files),
        TEST(test_the_wal_has_room_from_the_start),
        TEST(test_where_there_is_no_room_the_wal_grows),
        TEST(test_the_wal_begins_anew_and_nothing_is_lost),
        TEST(test_a_new_receiver_begins_with_what_comes),
        TEST(test_a_slow_reader_reads_from_disk),
        TEST(test_a_reader_goes_back_from_memory_to_disk),
        TEST(test_a_reader_passes_a_gap_while_events_leave_memory),
        TEST(test_sqlite_counts_no_memory),
        TEST(test_reports_are_remembered_across_a_restart),
        TEST(test_retention_by_rows),
        TEST(test_retention_tells_what_a_receiver_loses),
        TEST(test_what_is_in_memory_stays_in_the_file),
        TEST(test_a_start_tells_what_the_last_process_did_not),
        TEST(test_a_start_tells_nothing_that_receivers_have),
        TEST(test_a_receiver_that_has_ended_loses_nothing),
        TEST(test_a_receiver_that_is_forgotten_and_comes_again_is_a_new_one),
        TEST(test_what_a_receiver_loses_is_told_once),
        TEST(test_events_about_lost_events_are_not_lost),
        TEST(test_the_alarm_of_the_last_run_ends),
        TEST(test_the_alarm_of_the_last_run_ends_with_the_count),
        TEST(test_the_end_counts_what_was_lost_since_the_alarm),
        TEST(test_retention_by_age),
        TEST(test_age_takes_only_what_every_receiver_has),
        TEST(test_age_does_not_wait_for_a_receiver_that_has_ended),
        TEST(test_open_alarms_keep_their_events),
        TEST(test_an_end_that_waits_keeps_its_raise),
        TEST(test_an_alarm_that_was_told_late_keeps_its_first_event),
        TEST(test_an_alarm_after_an_end_elsewhere_begins_anew),
        TEST(test_a_clock_far_ahead_loses_nothing),
        TEST(test_retention_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
