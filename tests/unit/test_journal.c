// SPDX-License-Identifier: BSD-2-Clause
// The journal's contract: order, durability, retention, and its behaviour while the disk fails.

#include "journal/journal.h"

#include "event/event_builder.h"
#include "journal/store.h"
#include "journal/wal.h"
#include "model/catalogue.h"
#include "model/event_record.h"
#include "scratch.h"
#include "support_clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const int64_t START_US = INT64_C(1795231143123456);

enum { ROWS = JOURNAL_MEMORY_KEPT + 76 }; // a limit above the number of events that always stay

struct fixture {
    const char *directory;
    char path[96];
    struct support_time time;
    uint64_t random_state;
    struct clock clock;
    struct random random;
    struct event_builder builder;
    struct log *log;
    FILE *log_stream;
    struct journal_options options;
    unsigned told[JOURNAL_CHANGES];
    uint64_t told_count[JOURNAL_CHANGES];
    char told_reason[JOURNAL_CHANGES][256];
    struct journal *journal;
};

static void fill(void *ctx, void *out, size_t size)
{
    struct fixture *f = ctx;
    for (size_t i = 0; i < size; i++) {
        f->random_state = f->random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
        ((uint8_t *)out)[i] = (uint8_t)(f->random_state >> 56);
    }
}

static void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    struct fixture *f = ctx;
    f->told[change]++;
    f->told_count[change] += count;
    snprintf(f->told_reason[change], sizeof f->told_reason[change], "%s", reason);
}

static void pass(struct fixture *f, int64_t us)
{
    f->time.utc += us;
    f->time.monotonic += us;
}

static void reopen(struct fixture *f)
{
    struct error err;
    journal_close(f->journal);
    f->journal = journal_open(&f->options, &err);
    assert_non_null(f->journal);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->directory = scratch_make();
    snprintf(f->path, sizeof f->path, "%s/journal.db", f->directory);
    f->time = (struct support_time){START_US, 1000 * CLOCK_US_PER_S};
    f->clock = support_clock(&f->time);
    f->random = (struct random){fill, f};
    f->builder =
        (struct event_builder){.clock = &f->clock, .random = &f->random, .subnet_prefix = 7};
    f->log_stream = fopen("/dev/null", "w");
    f->log = log_open(f->log_stream, LOG_LEVEL_DEBUG, false, &f->clock);
    f->options = (struct journal_options){.directory = f->directory,
                                          .rows_max = 1000000,
                                          .bytes_max = INT64_C(1) << 30,
                                          .age_us = 31 * 86400 * CLOCK_US_PER_S,
                                          .patience_us = SUPPORT_PATIENCE_US,
                                          .notify = take_change,
                                          .ctx = f,
                                          .clock = &f->clock,
                                          .random = &f->random,
                                          .log = f->log};
    *state = f;
    reopen(f);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    journal_close(f->journal);
    log_close(f->log);
    fclose(f->log_stream);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

static struct event *make(struct fixture *f, uint16_t trap)
{
    uint8_t wire[NOTICE_SIZE];
    fill(f, wire, sizeof wire);
    wire[0] |= 0x80;
    wire[4] = (uint8_t)(trap >> 8);
    wire[5] = (uint8_t)trap;
    struct event *event = event_builder_from_notice(&f->builder, wire);
    assert_non_null(event);
    return event;
}

static int64_t add(struct fixture *f, const struct journal_report *report)
{
    struct event *event = make(f, NOTICE_LINK_STATE);
    int64_t sequence =
        journal_append(f->journal, event, report ? report : &(struct journal_report){0});
    event_unref(event);
    return sequence;
}

static void add_many(struct fixture *f, int n)
{
    for (int i = 0; i < n; i++) {
        add(f, NULL);
        if (i % 100 == 99)
            journal_commit(f->journal);
    }
    journal_commit(f->journal);
}

// Reads everything after `after`; checks that the numbers rise by one. Returns the last number.
static int64_t read_all(struct fixture *f, int64_t after, size_t expected)
{
    struct journal_item items[64];
    size_t total = 0, n;
    while ((n = journal_read(f->journal, after, items, 64)) > 0) {
        for (size_t i = 0; i < n; i++) {
            if (total > 0 || i > 0)
                assert_int_equal(items[i].sequence, after + 1);
            after = items[i].sequence;
            event_unref(items[i].event);
        }
        total += n;
    }
    assert_int_equal(total, expected);
    return after;
}

static void assert_same_event(const struct event *a, const struct event *b)
{
    assert_ptr_equal(a->type, b->type);
    assert_string_equal(a->id, b->id);
    assert_int_equal(a->time_us, b->time_us);
    assert_true(a->subnet_prefix == b->subnet_prefix);
    assert_memory_equal(&a->issuer, &b->issuer, sizeof a->issuer);
    assert_memory_equal(&a->subject, &b->subject, sizeof a->subject);
    assert_memory_equal(&a->source, &b->source, sizeof a->source);
    assert_memory_equal(&a->destination, &b->destination, sizeof a->destination);
    assert_true(a->switch_guid == b->switch_guid);
    assert_memory_equal(&a->notice, &b->notice, sizeof a->notice);
    assert_int_equal(a->raw_size, b->raw_size);
    assert_memory_equal(a->raw, b->raw, a->raw_size);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->receiver, b->receiver);
    assert_true(a->lost == b->lost);
    assert_string_equal(a->alarm_key, b->alarm_key);
    assert_string_equal(a->text, b->text);
}

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

static void test_without_a_thread_the_writer_moves_the_wal(void **state)
{
    (void)state;
    assert_false(wal_note(NULL, WAL_STEP_PAGES - 1));
    assert_true(wal_note(NULL, WAL_STEP_PAGES));
    assert_false(wal_has_failed(NULL));
    wal_stop(NULL);
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
    add(f, NULL); // not committed, so readers do not see it
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

// The events up to a number are gone. While a reader finds that out, events leave memory: it gets
// them all the same, from the file.
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

static void collect(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    (void)utc_us;
    *(struct journal_report *)ctx = *report;
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

// Commits until retention has done its work.
static void settle(struct fixture *f)
{
    for (int i = 0; i < 10; i++) {
        pass(f, 11 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
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

static void test_what_a_receiver_has_read_is_not_lost(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    reopen(f);
    int receiver = journal_receiver(f->journal, "slow");
    add_many(f, ROWS + 150);
    journal_note_read(f->journal, receiver, 150);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
    journal_note_read(f->journal, receiver, 100); // it starts again
    add_many(f, 10);
    settle(f);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 10);
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
    journal_forget_receiver(f->journal, "nms");
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
    journal_note_read(f->journal, receiver, 301);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING_ENDED], 300);
    settle(f);
    assert_int_equal(f->told[JOURNAL_DROPPING_ENDED], 1);
}

static void tell(struct fixture *f, enum catalogue_event type, const char *key, const char *reason);

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

// The last run raised the alarm; this one ends it, although it loses nothing.
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

static void test_retention_by_age(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    f->options.age_us = 3600 * CLOCK_US_PER_S;
    reopen(f);
    add_many(f, 20);
    pass(f, 3500 * CLOCK_US_PER_S);
    add_many(f, 5);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 5);
}

// Also before the receivers of this run have registered.
static void test_age_takes_only_what_every_receiver_has(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 200);
    journal_advance(f->journal, receiver, 50);
    journal_note_read(f->journal, receiver, 100);
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
    journal_advance(f->journal, receiver, 200);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0);
    assert_int_equal(status.dropped, 0);
    assert_int_equal(f->told[JOURNAL_DROPPING], 0);
}

// A receiver that is configured no longer does not hold old events back.
static void test_age_does_not_wait_for_a_receiver_that_has_ended(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    journal_receiver(f->journal, "old");
    add_many(f, 20);
    pass(f, 32 * 86400 * CLOCK_US_PER_S);
    reopen(f);
    journal_end_receivers(f->journal, is_nms, NULL);
    settle(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0);
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

static size_t files_with(const struct fixture *f, const char *part)
{
    DIR *d = opendir(f->directory);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += strstr(e->d_name, part) != NULL;
    closedir(d);
    return n;
}

static void test_a_corrupt_file_is_set_aside(void **state)
{
    struct fixture *f = *state;
    add_many(f, 10);
    journal_close(f->journal);
    f->journal = NULL;
    int fd = open(f->path, O_WRONLY | O_TRUNC);
    char garbage[8192];
    memset(garbage, 'x', sizeof garbage);
    assert_int_equal(write(fd, garbage, sizeof garbage), sizeof garbage);
    close(fd);
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(files_with(f, "corrupt"), 1);
    add_many(f, 1);
    assert_true(read_all(f, 0, 1) > 10); // the numbers of the lost file are unknown
}

// Everything but the file's first page.
static void corrupt(const struct fixture *f)
{
    int fd = open(f->path, O_WRONLY);
    char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    off_t end = lseek(fd, 0, SEEK_END);
    for (off_t at = 4096; at < end; at += 4096)
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, at), sizeof garbage);
    close(fd);
}

static void test_corruption_while_running(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 2000);
    reopen(f); // what is in the WAL goes into the file
    receiver = journal_receiver(f->journal, "nms");
    corrupt(f);
    read_all(f, 0, 0); // a slow receiver stumbles over it
    for (int i = 0; i < 20; i++) {
        pass(f, 2 * CLOCK_US_PER_S);
        add_many(f, 50);
    }
    journal_advance(f->journal, receiver, 3000);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_true(files_with(f, "corrupt") >= 1);
    assert_int_equal(f->told[JOURNAL_DEGRADED], f->told[JOURNAL_HEALED]);
    // Nothing appended since the start was lost.
    assert_int_equal(read_all(f, 2000, 1000), 3000);
}

static void test_a_missing_disk_degrades_and_heals(void **state)
{
    struct fixture *f = *state;
    char away[80];
    journal_close(f->journal);
    f->journal = NULL;
    // A file is in the place of the directory, so nothing can be created there.
    snprintf(away, sizeof away, "%s/state", f->directory);
    int fd = open(away, O_CREAT | O_WRONLY, 0600);
    close(fd);
    f->options.directory = away;
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_non_null(strstr(status.problem, away));
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);

    int64_t before = journal_last(f->journal);
    add_many(f, 5);
    assert_int_equal(read_all(f, before, 5), before + 5); // from memory
    struct histogram_values times;
    histogram_read(journal_commit_times(f->journal), &times);
    assert_int_equal(times.total, 0);

    unlink(away);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    histogram_read(journal_commit_times(f->journal), &times);
    assert_int_equal(times.total, 1);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    assert_int_equal(status.pending, 0);
    reopen(f);
    assert_int_equal(read_all(f, before, 5), before + 5); // from disk
}

static void test_a_removed_directory_is_made_anew(void **state)
{
    struct fixture *f = *state;
    char command[128];
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 20);
    snprintf(command, sizeof command, "rm -rf %s", f->directory);
    assert_int_equal(system(command), 0);
    add_many(f, 20);
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_advance(f->journal, receiver, 5);
    journal_commit(f->journal);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 40), 40);
    assert_int_equal(journal_cursor(f->journal, journal_receiver(f->journal, "nms")), 5);
}

static void test_a_full_disk_degrades_and_heals(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    add_many(f, 10);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 64 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    add_many(f, 500);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);
    assert_int_equal(read_all(f, 0, 510), 510);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 510), 510);
}

// The last commit: what does not fit on the disk is lost, and said to be.
static void test_a_stop_while_the_disk_is_full(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    add_many(f, 10);
    assert_true(journal_finish(f->journal, &err));
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 64 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 500);
    journal_advance(f->journal, receiver, 500);
    assert_false(journal_finish(f->journal, &err));
    assert_non_null(strstr(err.text, "to 510 are lost, "));
    assert_non_null(strstr(err.text, "10 of them before every receiver had them"));
    assert_int_equal(read_all(f, 0, 510), 510);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(journal_finish(f->journal, &err)); // at once, without waiting for the next attempt
    reopen(f);
    assert_int_equal(read_all(f, 0, 510), 510);
}

// Part of what memory has fits on the disk.
static void test_a_stop_writes_as_much_as_there_is_room_for(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    journal_close(f->journal);
    f->journal = NULL;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 256 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    reopen(f);
    for (int i = 0; i < 2000; i++)
        add(f, NULL);
    assert_false(journal_finish(f->journal, &err));
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    reopen(f);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_in_range(status.rows, 20, 1999);
}

static void test_memory_is_bounded_while_degraded(void **state)
{
    struct fixture *f = *state;
    char away[80];
    journal_close(f->journal);
    f->journal = NULL;
    snprintf(away, sizeof away, "%s/state", f->directory);
    close(open(away, O_CREAT | O_WRONLY, 0600));
    f->options.directory = away;
    reopen(f);
    int64_t before = journal_last(f->journal);
    add_many(f, JOURNAL_MEMORY_MAX + 500);
    unlink(away);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 500);
    int64_t last = before + JOURNAL_MEMORY_MAX + 500;
    assert_int_equal(read_all(f, before, JOURNAL_MEMORY_MAX), last);
}

static void test_a_crash_keeps_what_was_committed(void **state)
{
    struct fixture *f = *state;
    journal_close(f->journal);
    f->journal = NULL;
    pid_t child = fork();
    if (child == 0) {
        struct error err;
        f->journal = journal_open(&f->options, &err);
        add_many(f, 250);
        add(f, NULL); // never committed
        kill(getpid(), SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    reopen(f);
    assert_int_equal(read_all(f, 0, 250), 250);
}

static void test_the_clock_may_go_back(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    f->time.utc -= 86400 * CLOCK_US_PER_S;
    add_many(f, 3);
    settle(f);
    assert_int_equal(read_all(f, 0, 6), 6);
}

static void test_the_clock_may_go_back_across_a_restart(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 3);
    journal_advance(f->journal, receiver, 2);
    settle(f);
    f->time.utc -= 86400 * CLOCK_US_PER_S;
    f->time.monotonic = 17; // another boot
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(journal_cursor(f->journal, receiver), 2);
    assert_int_equal(add(f, NULL), 4);
    settle(f);
    assert_int_equal(read_all(f, 0, 4), 4);
}

static bool count_row(void *ctx, const struct store_row *row)
{
    (void)row;
    ++*(unsigned *)ctx;
    return true;
}

// When fsync fails, the rows may be in the file all the same; the journal then adds them again.
static void test_a_row_may_be_added_again(void **state)
{
    struct fixture *f = *state;
    struct store *store;
    struct error err;
    char path[128];
    const struct store_row row = {.sequence = 7,
                                  .id = "an identifier",
                                  .type = "link-state-change",
                                  .time_us = START_US,
                                  .record = (const uint8_t *)"record",
                                  .record_size = 6};
    unsigned rows = 0;
    snprintf(path, sizeof path, "%s/other.db", f->directory);
    assert_int_equal(store_open(path, false, &store, &err), STORE_OK);
    for (int i = 0; i < 2; i++) {
        store_begin(store);
        store_add_event(store, &row);
        store_set_row(store, STORE_CURSORS,
                      &(struct store_cursor){.receiver = "nms", .sequence = 7});
        assert_int_equal(store_commit(store, &err), STORE_OK);
    }
    assert_int_equal(store_read(store, 0, 10, count_row, &rows, &err), STORE_OK);
    assert_int_equal(rows, 1);
    store_close(store);
}

static void test_numbers_go_on_after_everything_was_pruned(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 100);
    journal_advance(f->journal, receiver, 100);
    pass(f, JOURNAL_YOUNG_US + 1);
    journal_request_prune(f->journal, 1);
    settle(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0);
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(add(f, NULL), 101);
    journal_commit(f->journal);
    assert_int_equal(read_all(f, journal_cursor(f->journal, receiver), 1), 101);
}

// The subnet manager may still repeat the Report.
static void test_nobody_prunes_what_is_young(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 10);
    journal_advance(f->journal, receiver, 10);
    pass(f, JOURNAL_YOUNG_US - CLOCK_US_PER_S);
    journal_request_prune(f->journal, 1);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 10);
}

static void test_two_processes_do_not_share_a_directory(void **state)
{
    struct fixture *f = *state;
    struct error err;
    assert_null(journal_open(&f->options, &err));
    assert_non_null(strstr(err.text, f->directory));
    assert_non_null(strstr(err.text, "another ibtrapd"));
}

// The file cannot be opened for a while: a directory is in its place.
static void take_away(const struct fixture *f)
{
    char aside[120];
    snprintf(aside, sizeof aside, "%s.away", f->path);
    assert_int_equal(rename(f->path, aside), 0);
    assert_int_equal(mkdir(f->path, 0700), 0);
}

static void bring_back(const struct fixture *f)
{
    char aside[120];
    snprintf(aside, sizeof aside, "%s.away", f->path);
    assert_int_equal(rmdir(f->path), 0);
    assert_int_equal(rename(aside, f->path), 0);
}

static void test_what_waited_before_a_degraded_start_is_still_delivered(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 50);
    journal_advance(f->journal, receiver, 10);
    journal_commit(f->journal);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_true(journal_cursor(f->journal, receiver) > 1000000);
    add_many(f, 3);
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    // Until the receiver knows of the set-back, its confirmations do not move the cursor.
    int64_t after, last = journal_last(f->journal);
    journal_advance(f->journal, receiver, last);
    assert_true(journal_cursor_was_set_back(f->journal, receiver));
    assert_false(journal_cursor_was_set_back(f->journal, receiver));
    assert_int_equal(journal_cursor(f->journal, receiver), 10);
    assert_int_equal(journal_had_through(f->journal, receiver, &after), last);
    assert_int_equal(after, last - 3);
    struct journal_item items[64];
    assert_int_equal(journal_read(f->journal, 10, items, 64), 43);
    for (size_t i = 0; i < 43; i++) {
        assert_true(items[i].sequence == 11 + (int64_t)i || i >= 40);
        event_unref(items[i].event);
    }
}

static void test_numbers_of_a_degraded_start_count_as_far_as_they_go(void **state)
{
    struct fixture *f = *state;
    add_many(f, 50);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    add_many(f, 3);
    int64_t last = journal_last(f->journal);
    assert_true(last > 50 + 1000000);
    assert_int_equal(journal_between(f->journal, last - 3, last), 2);
    assert_int_equal(journal_between(f->journal, last, last), 0);
    assert_int_equal(journal_between(f->journal, 50, last - 2), 0);
    assert_int_equal(journal_between(f->journal, 50, last), 2);
    assert_int_equal(journal_between(f->journal, 40, last), 2); // the file's content is unknown
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    assert_int_equal(journal_between(f->journal, 40, last), 12);
    assert_int_equal(journal_between(f->journal, 40, 51), 10);
    reopen(f);
    assert_int_equal(journal_between(f->journal, 50, last), 0);
    assert_int_equal(journal_between(f->journal, last - 3, last), 2);
}

// Each start begins with numbers made from its own time.
static void test_two_starts_that_cannot_read_the_file(void **state)
{
    struct fixture *f = *state;
    add_many(f, 50);
    for (int i = 0; i < 2; i++) {
        journal_close(f->journal);
        f->journal = NULL;
        take_away(f);
        pass(f, CLOCK_US_PER_S / 2);
        reopen(f);
        add_many(f, 3);
        bring_back(f);
        pass(f, 2 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(files_with(f, "corrupt"), 0);
    reopen(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0); // the file was not read yet
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 56);
}

// Retention counts rows, not numbers.
static void test_retention_drops_nothing_between_two_ranges(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    journal_receiver(f->journal, "slow");
    add_many(f, 50);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    journal_receiver(f->journal, "slow");
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    add_many(f, ROWS + 10);
    for (int i = 0; i < 3; i++)
        settle(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, ROWS);
    assert_int_equal(status.dropped, 60);
}

// As after a start with a clock that was not set yet.
static void test_numbers_that_the_file_has_already(void **state)
{
    struct fixture *f = *state;
    add_many(f, 100);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    f->time.utc = 0;
    f->options.age_us = INT64_C(100) * 366 * 86400 * CLOCK_US_PER_S;
    reopen(f);
    add_many(f, 5);
    bring_back(f);
    f->time.utc = START_US;
    pass(f, 2 * CLOCK_US_PER_S);
    add_many(f, 5);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
    assert_int_equal(files_with(f, "corrupt"), 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 10), 10);
}

static void test_nothing_is_read_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    struct journal_item item;
    add_many(f, JOURNAL_MEMORY_MAX + 100);
    take_away(f);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 0);
    bring_back(f);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 1);
    assert_int_equal(item.sequence, 1);
    event_unref(item.event);
}

// Waiting for what comes next.

struct waiter {
    struct journal *journal;
    atomic_bool enough;
    bool more;
};

static void *wait_an_hour(void *arg)
{
    struct waiter *w = arg;
    w->more = journal_wait(w->journal, 10, 3600 * CLOCK_US_PER_S, &w->enough);
    return NULL;
}

static void test_a_reader_waits_for_the_next_event(void **state)
{
    struct fixture *f = *state;
    struct waiter w = {.journal = f->journal};
    pthread_t thread;
    add_many(f, 10);
    assert_int_equal(pthread_create(&thread, NULL, wait_an_hour, &w), 0);
    add_many(f, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(w.more);
}

static void test_a_reader_that_shall_end_waits_no_longer(void **state)
{
    struct fixture *f = *state;
    struct waiter w = {.journal = f->journal};
    pthread_t thread;
    add_many(f, 10);
    assert_int_equal(pthread_create(&thread, NULL, wait_an_hour, &w), 0);
    atomic_store(&w.enough, true);
    journal_wake(f->journal);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(w.more);
}

// Snapshots of the fabric.

static void save_fabric(struct fixture *f, unsigned n, size_t size)
{
    uint8_t *record = malloc(size);
    memset(record, (int)n, size);
    const struct journal_snapshot meta = {.number = 4711,
                                          .time_us = f->time.utc,
                                          .digest = UINT64_C(0xF000000000000000) + n,
                                          .nodes = n,
                                          .links = 2 * n};
    journal_save_snapshot(f->journal, &meta, record, size);
    free(record);
}

static void assert_fabric(struct fixture *f, int64_t number, int64_t expected_number, unsigned n,
                          size_t expected_size)
{
    struct journal_snapshot meta;
    struct error err;
    size_t size = 0;
    uint8_t *record = journal_read_snapshot(f->journal, number, &meta, &size, &err);
    assert_non_null(record);
    assert_int_equal(meta.number, expected_number);
    assert_int_equal(meta.nodes, n);
    assert_int_equal(meta.links, 2 * n);
    assert_true(meta.digest == UINT64_C(0xF000000000000000) + n);
    assert_int_equal(size, expected_size);
    assert_int_equal(record[0], (uint8_t)n);
    assert_int_equal(record[size - 1], (uint8_t)n);
    free(record);
}

static size_t list_fabrics(struct fixture *f,
                           struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1])
{
    size_t n = journal_list_snapshots(f->journal, list);
    for (size_t i = 1; i < n; i++)
        assert_true(list[i].time_us >= list[i - 1].time_us);
    return n;
}

static void test_a_snapshot_survives(void **state)
{
    struct fixture *f = *state;
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1], meta;
    struct error err;
    size_t size;
    assert_int_equal(list_fabrics(f, list), 0);
    assert_null(journal_read_snapshot(f->journal, 0, &meta, &size, &err));
    assert_string_equal(err.text, "there is no snapshot of the fabric yet");
    save_fabric(f, 1, 100000);
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    assert_int_equal(list_fabrics(f, list), 1);
    assert_int_equal(list[0].number, 1);
    assert_int_equal(list[0].time_us, START_US);
    assert_fabric(f, 0, 1, 1, 100000);
    assert_fabric(f, 1, 1, 1, 100000);
    assert_null(journal_read_snapshot(f->journal, 2, &meta, &size, &err));
    assert_string_equal(err.text, "there is no snapshot 2 of the fabric");
}

static void test_the_same_fabric_is_saved_once(void **state)
{
    struct fixture *f = *state;
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1];
    static const unsigned SEEN[] = {1, 1, 2, 2, 1};
    for (size_t i = 0; i < 5; i++) {
        pass(f, CLOCK_US_PER_S);
        save_fabric(f, SEEN[i], 10);
        journal_commit(f->journal);
    }
    reopen(f); // now only the file has the digest
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    assert_int_equal(list_fabrics(f, list), 3);
    assert_int_equal(list[0].nodes, 1);
    assert_int_equal(list[0].time_us, START_US + CLOCK_US_PER_S);
    assert_int_equal(list[1].nodes, 2);
    assert_int_equal(list[2].nodes, 1);
    assert_int_equal(list[2].number, 3);
}

static void test_the_newest_snapshots_are_kept(void **state)
{
    struct fixture *f = *state;
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1];
    for (unsigned i = 1; i <= JOURNAL_SNAPSHOTS_MAX + 8; i++) {
        save_fabric(f, i, 10);
        journal_commit(f->journal);
    }
    assert_int_equal(list_fabrics(f, list), JOURNAL_SNAPSHOTS_MAX);
    assert_int_equal(list[0].number, 9);
    assert_fabric(f, 0, JOURNAL_SNAPSHOTS_MAX + 8, JOURNAL_SNAPSHOTS_MAX + 8, 10);
    reopen(f); // numbers go on
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    assert_fabric(f, 0, JOURNAL_SNAPSHOTS_MAX + 9, 1, 10);
}

static void test_snapshots_take_a_quarter_of_the_file(void **state)
{
    struct fixture *f = *state;
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1];
    f->options.bytes_max = 4 << 20;
    reopen(f);
    for (unsigned i = 1; i <= 9; i++) {
        save_fabric(f, i, 300 << 10);
        journal_commit(f->journal);
    }
    assert_int_equal(list_fabrics(f, list), 3);
    save_fabric(f, 10, 5 << 20); // larger than the limit: kept, and no event is dropped for it
    add_many(f, 100);
    settle(f);
    assert_int_equal(list_fabrics(f, list), 1);
    assert_fabric(f, 0, 10, 10, 5 << 20);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 100);
}

static void test_the_latest_snapshot_waits_for_the_disk(void **state)
{
    struct fixture *f = *state;
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1];
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    save_fabric(f, 2, 10);
    journal_commit(f->journal);
    save_fabric(f, 3, 10);
    journal_commit(f->journal);
    assert_int_equal(list_fabrics(f, list), 1);
    assert_fabric(f, 0, 0, 3, 10);
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    assert_int_equal(list_fabrics(f, list), 2);
    assert_fabric(f, 0, 2, 3, 10);
}

// Alarms.

static void tell(struct fixture *f, enum catalogue_event type, const char *key, const char *reason)
{
    struct event_builder_occurrence o = {.type = type};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", key);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    struct event *event = event_builder_from_occurrence(&f->builder, &o);
    assert_non_null(event);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    pass(f, CLOCK_US_PER_S);
}

static void raise_alarm(struct fixture *f, const char *key)
{
    tell(f, CATALOGUE_RECEIVER_FAILING, key, "it does not answer");
}

static void clear_alarm(struct fixture *f, const char *key)
{
    tell(f, CATALOGUE_RECEIVER_BACK, key, "it answers");
}

struct alarm_list {
    struct alarm alarms[8];
    size_t count;
};

static void take_alarm(void *ctx, const struct alarm *alarm)
{
    struct alarm_list *list = ctx;
    assert_true(list->count < 8);
    list->alarms[list->count++] = *alarm;
}

static struct alarm_list list_alarms(struct fixture *f)
{
    struct alarm_list list = {.count = 0};
    struct journal_status status;
    journal_each_alarm(f->journal, take_alarm, &list);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.alarms, list.count);
    return list;
}

// The keys of the active alarms, in order.
static void assert_alarms(struct fixture *f, const char *expected)
{
    char keys[300] = "";
    const struct alarm_list list = list_alarms(f);
    for (size_t i = 0; i < list.count; i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? " " : "",
                 list.alarms[i].key);
    assert_string_equal(keys, expected);
}

static void test_alarms_are_raised_and_cleared(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "b");
    raise_alarm(f, "a");
    clear_alarm(f, "none"); // no such alarm
    raise_alarm(f, "");     // an event that raises no alarm
    assert_alarms(f, "b a");
    clear_alarm(f, "b");
    assert_alarms(f, "a");
    journal_commit(f->journal);
    raise_alarm(f, "b");
    clear_alarm(f, "a");
    assert_alarms(f, "b");
    journal_commit(f->journal);
    assert_alarms(f, "b");
    assert_false(journal_has_work(f->journal));
}

static void test_a_test_raises_and_clears_nothing(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "link 1");
    static const enum catalogue_event TYPES[] = {CATALOGUE_RECEIVER_FAILING,
                                                 CATALOGUE_RECEIVER_BACK};
    for (size_t i = 0; i < 2; i++) {
        struct event_builder_occurrence o = {.type = TYPES[i]};
        snprintf(o.alarm_key, sizeof o.alarm_key, "link %zu", 2 - i);
        struct event *event = event_builder_from_occurrence(&f->builder, &o);
        event->test = true;
        journal_append(f->journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(f->journal);
    assert_alarms(f, "link 1");
}

static void test_an_alarm_raised_again_is_the_same(void **state)
{
    struct fixture *f = *state;
    add(f, NULL);
    raise_alarm(f, "a");
    const struct alarm first = list_alarms(f).alarms[0];
    tell(f, CATALOGUE_JOURNAL_DEGRADED, "a", "the disk is gone");
    const struct alarm again = list_alarms(f).alarms[0];
    assert_int_equal(first.count, 1);
    assert_int_equal(first.event_sequence, 2);
    assert_int_equal(first.raised_us, START_US);
    assert_int_equal(first.last_us, START_US);
    assert_string_equal(first.type, "receiver-failing");
    assert_int_equal(first.severity, SEVERITY_ERROR);
    assert_non_null(strstr(first.text, "it does not answer"));
    assert_int_equal(again.count, 2);
    assert_int_equal(again.event_sequence, 2);
    assert_string_equal(again.event_id, first.event_id);
    assert_int_equal(again.raised_us, START_US);
    assert_int_equal(again.last_us, START_US + CLOCK_US_PER_S);
    assert_string_equal(again.type, "journal-degraded");
    assert_non_null(strstr(again.text, "the disk is gone"));
    clear_alarm(f, "a");
    raise_alarm(f, "a"); // another alarm
    assert_int_equal(list_alarms(f).alarms[0].count, 1);
    assert_int_equal(list_alarms(f).alarms[0].event_sequence, 5);
}

static void assert_same_alarm(const struct alarm *a, const struct alarm *b)
{
    assert_string_equal(a->key, b->key);
    assert_int_equal(a->event_sequence, b->event_sequence);
    assert_string_equal(a->event_id, b->event_id);
    assert_int_equal(a->raised_us, b->raised_us);
    assert_string_equal(a->type, b->type);
    assert_int_equal(a->severity, b->severity);
    assert_int_equal(a->node_guid, b->node_guid);
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->last_us, b->last_us);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->acknowledged_us, b->acknowledged_us);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->shelved_until_us, b->shelved_until_us);
}

static void test_alarms_survive_a_restart(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "a");
    raise_alarm(f, "b");
    raise_alarm(f, "c");
    journal_commit(f->journal);
    clear_alarm(f, "b");
    raise_alarm(f, "a");
    assert_true(journal_acknowledge_alarm(f->journal, "c", "Kim\nknows"));
    assert_true(journal_shelve_alarm(f->journal, "c", 4711));
    assert_false(journal_acknowledge_alarm(f->journal, "b", ""));
    assert_false(journal_shelve_alarm(f->journal, "d", 1));
    journal_commit(f->journal);
    raise_alarm(f, "d"); // never committed
    const struct alarm_list before = list_alarms(f);
    reopen(f);
    assert_alarms(f, "a c");
    const struct alarm_list after = list_alarms(f);
    for (size_t i = 0; i < 2; i++)
        assert_same_alarm(&after.alarms[i], &before.alarms[i]);
    assert_string_equal(after.alarms[1].note, "Kim?knows");
    assert_int_equal(after.alarms[1].acknowledged_us, START_US + 5 * CLOCK_US_PER_S);
    assert_int_equal(after.alarms[1].shelved_until_us, 4711);
    clear_alarm(f, "a");
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "c");
}

static void test_what_people_do_with_an_alarm_is_saved(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "a");
    journal_commit(f->journal);
    assert_true(journal_acknowledge_alarm(f->journal, "a", "seen"));
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    reopen(f);
    assert_string_equal(list_alarms(f).alarms[0].note, "seen");
}

static void test_alarms_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "stays");
    raise_alarm(f, "ends");
    raise_alarm(f, "again");
    journal_acknowledge_alarm(f->journal, "again", "seen");
    journal_commit(f->journal);
    const struct alarm again = list_alarms(f).alarms[2];
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    clear_alarm(f, "ends");
    raise_alarm(f, "again");
    raise_alarm(f, "new");
    raise_alarm(f, "gone");
    clear_alarm(f, "gone");
    journal_commit(f->journal);
    assert_alarms(f, "again new");
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    for (int i = 0; i < 2; i++) {
        assert_alarms(f, "stays again new");
        const struct alarm merged = list_alarms(f).alarms[1];
        assert_int_equal(merged.count, 2);
        assert_string_equal(merged.event_id, again.event_id);
        assert_string_equal(merged.note, "seen");
        assert_int_equal(merged.raised_us, again.raised_us);
        assert_true(merged.last_us > again.last_us);
        reopen(f);
    }
}

static void count_window(void *ctx, const struct journal_maintenance *window)
{
    (void)window;
    ++*(size_t *)ctx;
}

static size_t count_windows(struct fixture *f)
{
    size_t count = 0;
    journal_each_maintenance(f->journal, count_window, &count);
    return count;
}

static struct journal_maintenance make_window(const char *name, int64_t until_us)
{
    struct journal_maintenance window = {.until_us = until_us};
    snprintf(window.name, sizeof window.name, "%s", name);
    return window;
}

static void test_alarms_and_windows_outlive_a_corrupt_file(void **state)
{
    struct fixture *f = *state;
    const struct journal_maintenance window = make_window("w", START_US + 3600 * CLOCK_US_PER_S);
    assert_true(journal_set_maintenance(f->journal, &window));
    raise_alarm(f, "a");
    raise_alarm(f, "b");
    add_many(f, 2000);
    reopen(f); // what is in the WAL goes into the file
    save_fabric(f, 7, 10);
    journal_commit(f->journal);
    clear_alarm(f, "b");
    corrupt(f);
    read_all(f, 0, 0); // a slow receiver stumbles over it
    for (int i = 0; i < 20; i++) {
        pass(f, 2 * CLOCK_US_PER_S);
        save_fabric(f, 7, 10);
        journal_commit(f->journal);
    }
    assert_true(files_with(f, "corrupt") >= 1);
    reopen(f);
    assert_alarms(f, "a");
    assert_int_equal(count_windows(f), 1);
    assert_fabric(f, 0, 1, 7, 10);
}

// Receivers are notified of an alarm by the event that raised it, by a later event, or not at all.
static void tell_alarm(struct fixture *f, const char *id, const char *held, const char *related_id)
{
    struct event_builder_occurrence o = {.type = CATALOGUE_RECEIVER_FAILING, .alarm_key = "a"};
    struct event *event = event_builder_from_occurrence(&f->builder, &o);
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%s", id);
    snprintf(event->suppressed, sizeof event->suppressed, "%s", held);
    snprintf(event->related_id, sizeof event->related_id, "%s", related_id);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
}

static void assert_told(struct fixture *f, const char *told_id, uint64_t count)
{
    const struct alarm_list list = list_alarms(f);
    assert_string_equal(list.alarms[0].notified_id, told_id);
    assert_int_equal(list.alarms[0].count, count);
}

static void test_an_alarm_knows_by_which_event_it_was_told(void **state)
{
    struct fixture *f = *state;
    tell_alarm(f, "1", "maintenance", "trap");
    assert_told(f, "", 1);
    tell_alarm(f, "2", "maintenance", "trap");
    assert_told(f, "", 2);
    tell_alarm(f, "3", "", "2"); // late
    assert_told(f, "3", 2);
    tell_alarm(f, "4", "duplicate", "trap");
    assert_told(f, "3", 3);
    tell_alarm(f, "5", EVENT_STANDBY, "trap"); // by another gateway, whose event is not known
    assert_told(f, "", 4);
    journal_commit(f->journal);
    reopen(f);
    assert_told(f, "", 4);
    assert_int_equal(list_alarms(f).alarms[0].notified, ALARM_NOTIFIED_ELSEWHERE);
    tell_alarm(f, "6", "", "1"); // late, for the first alarm
    assert_told(f, "6", 4);
    clear_alarm(f, "a");
    tell_alarm(f, "7", "storm", "6");
    assert_told(f, "", 1);
}

static void take_open_alarm(void *ctx, const struct alarm *alarm)
{
    struct alarm *out = ctx;
    assert_string_equal(alarm->key, "a"); // the only one
    *out = *alarm;
}

static struct alarm open_alarm(struct fixture *f)
{
    struct alarm out = {.key = ""};
    journal_each_open_alarm(f->journal, take_open_alarm, &out);
    return out;
}

static void clear_untold(struct fixture *f, const char *held)
{
    struct event_builder_occurrence o = {.type = CATALOGUE_RECEIVER_BACK, .alarm_key = "a"};
    struct event *event = event_builder_from_occurrence(&f->builder, &o);
    assert_non_null(event);
    snprintf(event->suppressed, sizeof event->suppressed, "%s", held);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
}

static void test_an_end_that_was_not_told_survives_a_restart(void **state)
{
    struct fixture *f = *state;
    tell_alarm(f, "1", "", "");
    clear_untold(f, "flapping");
    assert_alarms(f, "");
    assert_true(open_alarm(f).over);
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "");
    assert_true(open_alarm(f).over);
    assert_string_equal(open_alarm(f).notified_id, "1");
    tell_alarm(f, "2", "flapping", ""); // raised again, and still as told
    assert_string_equal(open_alarm(f).notified_id, "1");
    assert_false(open_alarm(f).over);
    clear_untold(f, "flapping");
    clear_untold(f, ""); // told at last
    assert_string_equal(open_alarm(f).key, "");
    journal_commit(f->journal);
    reopen(f);
    assert_string_equal(open_alarm(f).key, "");
    tell_alarm(f, "3", "storm", "");
    clear_untold(f, EVENT_NEVER_NOTIFIED); // receivers knew of neither
    assert_string_equal(open_alarm(f).key, "");
}

static void take_window(void *ctx, const struct journal_maintenance *window)
{
    *(struct journal_maintenance *)ctx = *window;
}

static void test_maintenance_windows_survive_a_restart(void **state)
{
    struct fixture *f = *state;
    const int64_t end = START_US + 3600 * CLOCK_US_PER_S;
    struct journal_maintenance window = make_window("rack 7", end), all = make_window("all", end);
    window.nodes.count = 2;
    strcpy(window.nodes.patterns[0], "leaf*");
    memset(window.nodes.patterns[1], 'x', FILTER_PATTERN_SIZE - 1);
    assert_true(journal_set_maintenance(f->journal, &all));
    assert_true(journal_set_maintenance(f->journal, &window));
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    assert_true(journal_remove_maintenance(f->journal, "all"));
    assert_false(journal_remove_maintenance(f->journal, "all"));
    journal_commit(f->journal);
    reopen(f);
    struct journal_maintenance found = {.until_us = 0};
    assert_int_equal(count_windows(f), 1);
    journal_each_maintenance(f->journal, take_window, &found);
    assert_string_equal(found.name, "rack 7");
    assert_int_equal(found.until_us, end);
    assert_int_equal(found.nodes.count, 2);
    assert_string_equal(found.nodes.patterns[0], "leaf*");
    assert_string_equal(found.nodes.patterns[1], window.nodes.patterns[1]);
}

static void test_there_is_room_for_so_many_windows(void **state)
{
    struct fixture *f = *state;
    char name[8];
    for (int i = 0; i < JOURNAL_MAINTENANCE_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        const struct journal_maintenance window = make_window(name, START_US + CLOCK_US_PER_S + i);
        assert_true(journal_set_maintenance(f->journal, &window));
    }
    const struct journal_maintenance one_more = make_window("more", START_US + CLOCK_US_PER_S);
    const struct journal_maintenance replaces = make_window("7", START_US + CLOCK_US_PER_S);
    assert_false(journal_set_maintenance(f->journal, &one_more));
    assert_true(journal_set_maintenance(f->journal, &replaces));
    assert_int_equal(count_windows(f), JOURNAL_MAINTENANCE_MAX);
    pass(f, CLOCK_US_PER_S); // two end
    const struct journal_maintenance later = make_window("later", START_US + 9 * CLOCK_US_PER_S);
    assert_true(journal_set_maintenance(f->journal, &later));
    assert_int_equal(count_windows(f), JOURNAL_MAINTENANCE_MAX - 1);
}

// A file as version 1 of the schema had it.
static void test_a_file_of_the_first_schema_is_brought_up_to_date(void **state)
{
    static const char SCHEMA_1[] =
        "CREATE TABLE event (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL,"
        " time_us INTEGER NOT NULL, severity INTEGER NOT NULL, node_guid INTEGER NOT NULL,"
        " report_lid INTEGER NOT NULL, report_tid INTEGER NOT NULL, report_digest INTEGER NOT NULL,"
        " record BLOB NOT NULL);"
        "CREATE INDEX event_time ON event (time_us);"
        "CREATE TABLE receiver (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;"
        "PRAGMA user_version = 1; PRAGMA journal_mode = WAL;"
        "INSERT INTO event SELECT * FROM old.event; INSERT INTO receiver VALUES ('nms', 2);";
    struct fixture *f = *state;
    add_many(f, 3);
    journal_close(f->journal);
    f->journal = NULL;
    char old[120], attach[200];
    snprintf(old, sizeof old, "%s.old", f->path);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS old;", old);
    assert_int_equal(rename(f->path, old), 0);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, SCHEMA_1, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct store *store;
    struct error err;
    assert_int_equal(store_open(f->path, true, &store, &err), STORE_FAILED);
    assert_non_null(strstr(err.text,
                           "its schema has version 1; start this version of ibtrapd, which "
                           "upgrades it to version 7"));
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    int receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(journal_cursor(f->journal, receiver), 2);
    assert_int_equal(read_all(f, 0, 3), 3);
    raise_alarm(f, "a");
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "a");
    assert_fabric(f, 0, 1, 1, 10);
}

// Settings made by SNMP.

static struct setting make_setting(uint64_t guid, const char *name)
{
    struct setting setting = {
        .kind = SETTING_SWITCH_NAME, .guid = guid, .size = (uint16_t)strlen(name)};
    memcpy(setting.value, name, setting.size);
    return setting;
}

static void set_name(struct fixture *f, uint64_t guid, const char *name)
{
    const struct setting setting = make_setting(guid, name);
    assert_true(journal_change_settings(f->journal, &setting, 1));
}

static void assert_name(struct fixture *f, uint64_t guid, const char *name)
{
    struct settings *settings = journal_settings(f->journal);
    const struct setting *found = settings_find(settings, SETTING_SWITCH_NAME, guid, 0);
    assert_int_equal(found != NULL, name != NULL);
    if (found) {
        assert_int_equal(found->size, strlen(name));
        assert_memory_equal(found->value, name, found->size);
    }
    settings_unref(settings);
}

static void test_settings_survive_a_restart(void **state)
{
    struct fixture *f = *state;
    struct setting row = {.kind = SETTING_TRAP_RECIPIENT,
                          .guid = UINT64_MAX,
                          .number = 6,
                          .size = 4,
                          .value = {10, 0, 255, 0}};
    struct setting longest = {.kind = SETTING_FABRIC_NAME, .guid = 1, .size = sizeof longest.value};
    memset(longest.value, 'x', sizeof longest.value);
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    assert_true(journal_change_settings(f->journal, &row, 1));
    assert_true(journal_change_settings(f->journal, &longest, 1));
    set_name(f, 7, "leaf7");
    set_name(f, 8, "leaf8");
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    set_name(f, 8, "");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, NULL);
    struct settings *settings = journal_settings(f->journal);
    assert_int_equal(settings_count(settings), 3);
    const struct setting *found = settings_find(settings, row.kind, row.guid, row.number);
    assert_non_null(found);
    assert_memory_equal(found, &row, sizeof row);
    found = settings_find(settings, longest.kind, longest.guid, 0);
    assert_non_null(found);
    assert_memory_equal(found, &longest, sizeof longest);
    settings_unref(settings);
}

// What another program does to the file while the journal is closed.
static void tamper(struct fixture *f, const char *sql)
{
    sqlite3 *db;
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    reopen(f);
}

// Communities, which the group that may read the journal must not have.

#define COMMUNITY "of the managers"

static struct setting make_community(uint64_t guid, const char *community)
{
    struct setting setting = make_setting(guid, community);
    setting.kind = SETTING_COMMUNITY;
    setting.number = 2;
    return setting;
}

static void set_community(struct fixture *f, uint64_t guid, const char *community)
{
    const struct setting setting = make_community(guid, community);
    assert_true(journal_change_settings(f->journal, &setting, 1));
    journal_commit(f->journal);
}

static void assert_community(struct fixture *f, uint64_t guid, const char *community)
{
    struct settings *settings = journal_settings(f->journal);
    const struct setting *found = settings_find(settings, SETTING_COMMUNITY, guid, 2);
    assert_int_equal(found != NULL, community != NULL);
    if (found) {
        assert_int_equal(found->size, strlen(community));
        assert_memory_equal(found->value, community, found->size);
    }
    settings_unref(settings);
}

// How many of the directory's files that others than their user can read have the text in them.
static unsigned open_files_with(struct fixture *f, const char *text)
{
    unsigned found = 0;
    DIR *d = opendir(f->directory);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        static char octets[16 << 20];
        struct stat st;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY);
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0) {
            ssize_t n = read(fd, octets, sizeof octets);
            found += memmem(octets, (size_t)n, text, strlen(text)) != NULL;
        }
        close(fd);
    }
    closedir(d);
    return found;
}

static void test_communities_are_in_a_file_of_their_own(void **state)
{
    struct fixture *f = *state;
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/communities", f->directory);
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    assert_int_equal(stat(path, &st), -1);
    set_community(f, 7, COMMUNITY);
    set_community(f, UINT64_MAX, " ~");
    assert_int_equal(open_files_with(f, "leaf7"), 1); // in the WAL
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    reopen(f);
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
    assert_name(f, 7, "leaf7");
    assert_community(f, 7, COMMUNITY);
    assert_community(f, UINT64_MAX, " ~");
    set_community(f, UINT64_MAX, "");
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_community(f, UINT64_MAX, NULL);
    set_community(f, 7, "");
    assert_int_equal(stat(path, &st), -1);
}

// An earlier version kept them with the other settings.
static void test_communities_leave_the_file_of_an_earlier_version(void **state)
{
    struct fixture *f = *state;
    tamper(f,
           "INSERT INTO setting VALUES (5, 7, 2, CAST('" COMMUNITY "' AS BLOB)), (1, 7, 0, x'41')");
    assert_community(f, 7, COMMUNITY);
    assert_name(f, 7, "A");
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    reopen(f); // what is in the WAL goes into the file
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_name(f, 7, "A");
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
}

// A directory in place of the new file makes its writing fail, for root, too.
static void test_communities_that_cannot_be_saved(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    char path[200];
    snprintf(path, sizeof path, "%s/communities.new", f->directory);
    set_community(f, 7, COMMUNITY);
    assert_int_equal(mkdir(path, 0700), 0);
    set_community(f, 7, "another");
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_non_null(strstr(status.problem, "cannot save the communities in "));
    assert_community(f, 7, "another");
    assert_int_equal(rmdir(path), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    reopen(f);
    assert_community(f, 7, "another");
}

static void test_lines_that_are_no_communities_are_not_read(void **state)
{
    struct fixture *f = *state;
    char path[200];
    set_community(f, 7, COMMUNITY);
    journal_close(f->journal);
    f->journal = NULL;
    snprintf(path, sizeof path, "%s/communities", f->directory);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("\n0x0000000000000008 2 zz\nnonsense\n0x0000000000000008 9 41\n"
          "0x0000000000000008 2 41414141414141414141414141414141414141\n"
          "0x0000000000000009 2 414",
          file);
    fclose(file);
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_community(f, 8, NULL);
    assert_community(f, 9, NULL);
}

// A directory where the file should be.
static void take_the_file_away(struct fixture *f, const char *aside)
{
    assert_int_equal(rename(f->path, aside), 0);
    assert_int_equal(mkdir(f->path, 0700), 0);
}

static void bring_the_file_back(struct fixture *f, const char *aside)
{
    assert_int_equal(rmdir(f->path), 0);
    assert_int_equal(rename(aside, f->path), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
}

static void test_settings_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    set_name(f, 7, "leaf7");
    set_name(f, 8, "leaf8");
    set_name(f, 9, "leaf9");
    journal_commit(f->journal);
    journal_close(f->journal);
    f->journal = NULL;
    take_the_file_away(f, aside);
    reopen(f);
    assert_name(f, 7, NULL);
    set_name(f, 8, "spine8");
    set_name(f, 9, ""); // the file has a value for it, still unknown
    journal_commit(f->journal);
    assert_name(f, 8, "spine8");
    bring_the_file_back(f, aside);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, "spine8");
    assert_name(f, 9, NULL);
    reopen(f);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, "spine8");
    assert_name(f, 9, NULL);
}

static void test_settings_outlive_a_corrupt_file(void **state)
{
    struct fixture *f = *state;
    journal_receiver(f->journal, "nms");
    set_name(f, 7, "leaf7");
    add_many(f, 2000);
    reopen(f); // what is in the WAL goes into the file
    corrupt(f);
    read_all(f, 0, 0); // a slow receiver stumbles over it
    for (int i = 0; i < 20; i++) {
        pass(f, 2 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
    assert_true(files_with(f, "corrupt") >= 1);
    reopen(f);
    assert_name(f, 7, "leaf7");
}

static void test_there_is_room_for_so_many_settings(void **state)
{
    struct fixture *f = *state;
    struct setting *all = calloc(SETTINGS_MAX, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < SETTINGS_MAX; i++)
        all[i] = make_setting(i + 1, "x");
    assert_true(journal_change_settings(f->journal, all, SETTINGS_MAX));
    free(all);
    const struct setting more[] = {make_setting(1, "y"), make_setting(SETTINGS_MAX + 1, "z")};
    assert_false(journal_change_settings(f->journal, more, 2));
    assert_name(f, 1, "x"); // either all settings change or none
    set_name(f, 2, "y");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 2, "y");
    assert_name(f, SETTINGS_MAX, "x");
}

static size_t count_settings(struct fixture *f)
{
    struct settings *settings = journal_settings(f->journal);
    size_t count = settings_count(settings);
    settings_unref(settings);
    return count;
}

static void test_settings_that_cannot_be_are_not_read(void **state)
{
    struct fixture *f = *state;
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    tamper(f, "INSERT INTO setting VALUES (0, 1, 0, x'41'), (99, 1, 0, x'41'), (-1, 1, 0, x'41'),"
              " (1, 1, -1, x'41'), (1, 1, 256, x'41'), (1, 1, 1, x'41'), (1, 1, 0, x''),"
              " (1, 2, 0, zeroblob(257)), (1, 3, 0, x'41FF'), (4, 1, 0, x'06'),"
              " (5, 1, 1, zeroblob(256)), (6, 1, 1, x'0A0000')");
    assert_int_equal(count_settings(f), 1);
    assert_name(f, 7, "leaf7");
}

static void test_a_file_with_too_many_settings(void **state)
{
    struct fixture *f = *state;
    journal_commit(f->journal);
    tamper(f, "WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 20000)"
              " INSERT INTO setting SELECT 1, n, 0, x'41' FROM g");
    assert_int_equal(count_settings(f), SETTINGS_MAX);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
}

static void test_so_many_settings_wait_for_the_file(void **state)
{
    struct fixture *f = *state;
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    journal_close(f->journal);
    f->journal = NULL;
    take_the_file_away(f, aside);
    reopen(f);
    assert_true(journal_change_settings(f->journal, NULL, 0));
    struct setting *all = calloc(SETTINGS_MAX, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < SETTINGS_MAX; i++)
        all[i] = make_setting(7, "x");
    all[SETTINGS_MAX - 1] = make_setting(7, "last");
    assert_true(journal_change_settings(f->journal, all, SETTINGS_MAX));
    free(all);
    const struct setting more = make_setting(7, "more");
    assert_false(journal_change_settings(f->journal, &more, 1));
    bring_the_file_back(f, aside);
    assert_name(f, 7, "last");
    assert_true(journal_change_settings(f->journal, &more, 1));
}

static int64_t begin_receiver(struct fixture *f, const char *name)
{
    int receiver = journal_receiver(f->journal, name);
    assert_true(receiver >= 0);
    return journal_cursor(f->journal, receiver);
}

// Another program locks the file while rows of all kinds wait to be written and deleted.
static void test_everything_waits_for_a_locked_file(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;
    assert_int_equal(begin_receiver(f, "gone"), 0);
    raise_alarm(f, "a");
    journal_commit(f->journal);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    journal_forget_receiver(f->journal, "gone");
    clear_alarm(f, "a");
    raise_alarm(f, "b");
    set_name(f, 7, "leaf7");
    const struct journal_maintenance window =
        make_window("rack7", f->time.utc + CLOCK_US_PER_S * 3600);
    assert_true(journal_set_maintenance(f->journal, &window));
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    sqlite3_close(db);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "b");
    assert_name(f, 7, "leaf7");
    assert_int_equal(count_windows(f), 1);
    assert_fabric(f, 0, 1, 1, 10);
    assert_true(begin_receiver(f, "gone") > 0);
}

static void test_a_file_of_the_third_schema_is_brought_up_to_date(void **state)
{
    struct fixture *f = *state;
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    add_many(f, 3);
    raise_alarm(f, "a");
    journal_commit(f->journal);
    tamper(f, "DROP INDEX event_link; DROP TABLE node_number; DROP TABLE setting; ALTER TABLE "
              "alarm DROP COLUMN category;"
              "ALTER TABLE alarm DROP COLUMN told; ALTER TABLE alarm DROP COLUMN over;"
              "ALTER TABLE alarm DROP COLUMN cause_id;"
              "ALTER TABLE alarm DROP COLUMN last_sequence;"
              "ALTER TABLE receiver DROP COLUMN gone_us;"
              "ALTER TABLE receiver DROP COLUMN section;"
              "ALTER TABLE receiver DROP COLUMN filter;"
              "ALTER TABLE receiver DROP COLUMN filter_since; PRAGMA user_version = 3;");
    assert_int_equal(read_all(f, 0, 4), 4);
    assert_alarms(f, "a");
    const struct alarm_list list = list_alarms(f);
    assert_int_equal(list.alarms[0].notified, ALARM_NOTIFIED);
    assert_int_equal(list.alarms[0].category, catalogue_find(list.alarms[0].type)->category);
    assert_int_not_equal(list.alarms[0].category, CATEGORY_FABRIC);
    assert_int_equal(list.alarms[0].last_sequence, list.alarms[0].event_sequence);
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 7, "leaf7");
}

static void append_of(struct fixture *f, const char *type)
{
    struct event *event = event_make(catalogue_find(type));
    assert_non_null(event);
    event_builder_stamp(&f->builder, event);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
}

static int take_plan(void *ctx, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(bool *)ctx |= strstr(values[3], "event_link") != NULL;
    return 0;
}

static unsigned upgrade_steps, count_steps, other_steps;

static void hear_step(void *ctx, const char *doing)
{
    assert_string_equal(ctx, "the watch");
    if (strcmp(doing, "upgrading its schema from version 5 to 7, 5000 events") == 0)
        upgrade_steps++;
    else if (strcmp(doing, "counting its events") == 0)
        count_steps++;
    else
        other_steps++;
}

// An index over 5,000 events, and counting 10,000, take more operations of SQLite than are between
// two steps.
static void test_who_watches_hears_of_an_upgrade_while_it_goes_on(void **state)
{
    struct fixture *f = *state;
    upgrade_steps = other_steps = 0;
    add_many(f, 5000);
    f->options.watch = (struct journal_watch){hear_step, "the watch"};
    tamper(f, "DROP INDEX event_link; DROP TABLE node_number; PRAGMA user_version = 5;");
    assert_true(upgrade_steps > 1);
    assert_true(other_steps > 0);
    const unsigned heard = upgrade_steps + count_steps + other_steps;
    add_many(f, 5000); // the journal is open: nobody listens any more
    assert_int_equal(upgrade_steps + count_steps + other_steps, heard);
    upgrade_steps = count_steps = 0;
    reopen(f);
    assert_int_equal(upgrade_steps, 0);
    assert_true(count_steps > 1);
    f->options.watch = (struct journal_watch){0};
}

static void test_events_about_links_are_found_by_their_index(void **state)
{
    enum { TYPE_COUNT = 6 };
    static const char *const TYPES[TYPE_COUNT] = {"link-down",    "link-interrupted",
                                                  "port-removed", "link-errors-raised",
                                                  "flapping",     "alarm-cleared"};
    struct fixture *f = *state;
    struct journal_item items[JOURNAL_LINKS_PAGE];
    assert_int_equal(journal_read_links_back(f->journal, INT64_MAX, items), 0);
    for (int i = 0; i < 30 * TYPE_COUNT; i++) {
        append_of(f, "link-up");
        append_of(f, TYPES[i % TYPE_COUNT]);
    }
    journal_commit(f->journal);
    reopen(f);
    int64_t before = INT64_MAX, expected = 60 * TYPE_COUNT;
    size_t n, read = 0;
    while ((n = journal_read_links_back(f->journal, before, items)) > 0) {
        for (size_t i = 0; i < n; i++, expected -= 2) {
            assert_int_equal(items[i].sequence, expected);
            assert_string_equal(items[i].event->type->name, TYPES[(expected / 2 - 1) % TYPE_COUNT]);
            event_unref(items[i].event);
        }
        before = items[n - 1].sequence;
        read += n;
    }
    assert_int_equal(read, 30 * TYPE_COUNT);
    sqlite3 *db;
    bool used = false;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "EXPLAIN QUERY PLAN SELECT record FROM event INDEXED BY event_link"
                     " WHERE sequence < 100 AND type IN ('link-down', 'link-interrupted',"
                     " 'port-removed', 'flapping', 'link-errors-raised', 'alarm-cleared')"
                     " ORDER BY sequence DESC LIMIT 64",
                     take_plan, &used, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_true(used);
}

static void test_events_know_their_numbers(void **state)
{
    struct fixture *f = *state;
    struct event *event = make(f, NOTICE_LINK_STATE);
    assert_int_equal(event->number, 0);
    int64_t sequence = journal_append(f->journal, event, &(struct journal_report){0});
    assert_int_equal(event->number, sequence);
    event_unref(event);
    journal_commit(f->journal);
    reopen(f); // what is read comes from the disk
    struct journal_item item;
    assert_int_equal(journal_read(f->journal, sequence - 1, &item, 1), 1);
    assert_int_equal(item.event->number, sequence);
    event_unref(item.event);
}

// Events that stay in memory for a while are packed.

enum { PACKED = 3 };

static void settle_in_memory(struct fixture *f)
{
    for (int i = 0; i < 3; i++) {
        pass(f, CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
}

// Returns the number of the first.
static int64_t add_made(struct fixture *f, struct event *made[PACKED])
{
    static const uint16_t TRAPS[PACKED] = {64, 128, 258};
    int64_t last = 0;
    for (size_t i = 0; i < PACKED; i++) {
        made[i] = make(f, TRAPS[i]);
        last = journal_append(f->journal, made[i], &(struct journal_report){3, 4, 5});
    }
    journal_commit(f->journal);
    return last - PACKED + 1;
}

static void release_made(struct event *made[PACKED])
{
    for (size_t i = 0; i < PACKED; i++)
        event_unref(made[i]);
}

static void assert_item(const struct journal_item *item, int64_t sequence, const struct event *made)
{
    assert_int_equal(item->sequence, sequence);
    assert_non_null(item->event);
    assert_int_equal(item->event->number, sequence);
    assert_same_event(item->event, made);
    assert_int_equal(item->event->severity, made->severity);
    event_unref(item->event);
}

static void assert_made(struct fixture *f, int64_t first, struct event *made[PACKED])
{
    struct journal_item items[PACKED + 1];
    assert_int_equal(journal_read(f->journal, first - 1, items, PACKED + 1), PACKED);
    for (int i = 0; i < PACKED; i++)
        assert_item(&items[i], first + i, made[i]);
    assert_int_equal(journal_read_back(f->journal, first + PACKED, items, PACKED), PACKED);
    for (int i = 0; i < PACKED; i++)
        assert_item(&items[PACKED - 1 - i], first + i, made[i]);
}

static void test_a_packed_event_is_the_same(void **state)
{
    struct fixture *f = *state;
    struct event *made[PACKED];
    struct journal_item item;
    int64_t first = add_made(f, made);
    assert_int_equal(journal_read(f->journal, first - 1, &item, 1), 1);
    assert_ptr_equal(item.event, made[0]); // fast receivers share the event itself
    event_unref(item.event);
    pass(f, CLOCK_US_PER_S);
    assert_true(journal_has_work(f->journal));
    settle_in_memory(f);
    assert_false(journal_has_work(f->journal));
    assert_int_equal(journal_read(f->journal, first - 1, &item, 1), 1);
    assert_ptr_not_equal(item.event, made[0]);
    event_unref(item.event);
    assert_made(f, first, made);
    assert_int_equal(journal_first_in_memory(f->journal), first);
    release_made(made);
}

// Receivers go on with the next one.
static void test_a_packed_event_that_cannot_be_read(void **state)
{
    struct fixture *f = *state;
    struct catalogue_entry unknown = *catalogue_get(CATALOGUE_HEARTBEAT);
    unknown.name = "unknown-to-the-catalogue";
    struct event *event = make(f, NOTICE_LINK_STATE);
    event->type = &unknown;
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    add_many(f, 2);
    settle_in_memory(f);
    struct journal_item items[3];
    assert_int_equal(journal_read(f->journal, 0, items, 3), 3);
    assert_null(items[0].event);
    assert_int_equal(items[0].sequence, 1);
    for (size_t i = 1; i < 3; i++) {
        assert_non_null(items[i].event);
        event_unref(items[i].event);
    }
}

static void test_packed_events_leave_memory_like_others(void **state)
{
    struct fixture *f = *state;
    add_many(f, 100);
    settle_in_memory(f);
    add_many(f, 2 * JOURNAL_MEMORY_KEPT);
    settle_in_memory(f);
    add_many(f, 10);
    int64_t last = journal_last(f->journal);
    assert_int_equal(journal_first_in_memory(f->journal), last - JOURNAL_MEMORY_KEPT + 1);
    read_all(f, last - JOURNAL_MEMORY_KEPT, JOURNAL_MEMORY_KEPT);
}

static void test_packed_events_wait_for_the_file(void **state)
{
    struct fixture *f = *state;
    struct event *made[PACKED];
    struct journal_report found = {0};
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    journal_close(f->journal);
    f->journal = NULL;
    take_the_file_away(f, aside);
    reopen(f);
    int64_t first = add_made(f, made);
    settle_in_memory(f);
    assert_made(f, first, made);
    bring_the_file_back(f, aside);
    reopen(f); // what is read comes from the disk
    assert_made(f, first, made);
    journal_each_recent_report(f->journal, 0, collect, &found);
    assert_true(found.lid == 3 && found.tid == 4 && found.digest == 5);
    release_made(made);
}

static void test_packed_events_go_into_a_new_file(void **state)
{
    struct fixture *f = *state;
    struct event *made[PACKED];
    int64_t first = add_made(f, made);
    settle_in_memory(f);
    assert_int_equal(unlink(f->path), 0);
    journal_commit(f->journal); // notices the removal
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    reopen(f);
    assert_made(f, first, made);
    release_made(made);
}

// The limits of memory.

static void test_memory_keeps_more_while_the_disk_fails(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3000);
    journal_commit(f->journal);
    assert_int_equal(journal_first_in_memory(f->journal), 3000 - JOURNAL_MEMORY_KEPT + 1);
    journal_close(f->journal);
    f->journal = NULL;
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    take_the_file_away(f, aside);
    reopen(f);
    add_many(f, JOURNAL_MEMORY_MAX + 1000);
    journal_commit(f->journal);
    int64_t last = journal_last(f->journal);
    assert_int_equal(journal_first_in_memory(f->journal), last - JOURNAL_MEMORY_MAX + 1);
    bring_the_file_back(f, aside);
    assert_int_equal(journal_first_in_memory(f->journal), last - JOURNAL_MEMORY_KEPT + 1);
    assert_int_equal(read_all(f, last - JOURNAL_MEMORY_MAX, JOURNAL_MEMORY_MAX), last);
}

// A receiver that is gone for good.

static void test_a_forgotten_receiver_begins_anew(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(begin_receiver(f, "gone"), 0);
    assert_int_equal(begin_receiver(f, "kept"), 0);
    add_many(f, 3);
    journal_forget_receiver(f->journal, "gone");
    journal_forget_receiver(f->journal, "never there");
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    assert_int_equal(begin_receiver(f, "gone"), 3);
    assert_int_equal(begin_receiver(f, "kept"), 0);
    journal_forget_receiver(f->journal, "gone");
    add_many(f, 1);
    assert_int_equal(begin_receiver(f, "gone"), 4);
}

static void check_filter(struct fixture *f, const char *receiver, uint64_t digest, int64_t since)
{
    const int handle = journal_receiver(f->journal, receiver);
    journal_note_filter(f->journal, handle, digest);
    assert_int_equal(journal_filter_since(f->journal, handle), since);
}

static void test_it_is_known_when_a_filter_changed(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    check_filter(f, "nms", 17, 0); // new
    check_filter(f, "nms", 17, 0);
    add_many(f, 2);
    check_filter(f, "nms", 18, 5);
    add_many(f, 1);
    check_filter(f, "nms", 18, 5);
    check_filter(f, "other", 18, 0);
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    check_filter(f, "nms", 18, 5);
    reopen(f);
    check_filter(f, "nms", 17, 6); // changed while the gateway did not run
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    check_filter(f, "nms", 17, 6);
    journal_forget_receiver(f->journal, "nms");
    journal_commit(f->journal);
    check_filter(f, "nms", 19, 0);
}

static void test_a_filter_of_an_earlier_version_is_unknown(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    check_filter(f, "nms", 17, 0);
    journal_commit(f->journal);
    tamper(f, "UPDATE receiver SET filter = 0");
    check_filter(f, "nms", 18, 0);
    add_many(f, 1);
    check_filter(f, "nms", 19, 4);
}

static void test_a_clear_knows_the_number_of_its_raise(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    raise_alarm(f, "a"); // number 4
    raise_alarm(f, "a");
    clear_alarm(f, "a");
    clear_alarm(f, "a");
    journal_commit(f->journal);
    reopen(f); // what is read comes from the disk
    static const int64_t CLEARED[4] = {0, 0, 4, 0};
    struct journal_item items[4];
    assert_int_equal(journal_read(f->journal, 3, items, 4), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(items[i].event->cleared_number, CLEARED[i]);
        event_unref(items[i].event);
    }
}

static void test_forgotten_receivers_leave_room(void **state)
{
    struct fixture *f = *state;
    char name[32];
    for (int i = 0; i < 2 * JOURNAL_RECEIVERS_MAX; i++) {
        snprintf(name, sizeof name, "receiver %d", i);
        begin_receiver(f, name);
        journal_forget_receiver(f->journal, name);
        journal_commit(f->journal);
    }
    begin_receiver(f, "the last");
    add_many(f, 1);
    reopen(f);
    assert_int_equal(begin_receiver(f, "the last"), 0);
    assert_int_equal(begin_receiver(f, "another"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void test_there_is_room_for_so_many_receivers(void **state)
{
    struct fixture *f = *state;
    char name[16];
    for (int i = 0; i < JOURNAL_RECEIVERS_MAX; i++) {
        snprintf(name, sizeof name, "r%d", i);
        assert_int_equal(journal_receiver(f->journal, name), i);
    }
    assert_int_equal(journal_receiver(f->journal, "one-more"), -1);
    assert_int_equal(journal_receiver(f->journal, "r7"), 7);
}

static void test_a_directory_that_cannot_be_made(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    journal_close(f->journal);
    f->options.directory = "/nonexistent/ibtrapd/journal";
    f->journal = NULL;
    reopen(f);
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_string_equal(status.problem, "cannot make the directory /nonexistent/ibtrapd/journal: "
                                        "No such file or directory");
}

static void test_whatever_changes_is_work(void **state)
{
    struct fixture *f = *state;
    const struct journal_maintenance window = {.name = "rack7", .until_us = INT64_MAX};
    raise_alarm(f, "subscriptions");
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    assert_true(journal_acknowledge_alarm(f->journal, "subscriptions", "seen"));
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_true(journal_set_maintenance(f->journal, &window));
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    journal_request_prune(f->journal, CLOCK_US_PER_S);
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
}

static int access_part(const struct fixture *f, const char *part)
{
    char path[120];
    snprintf(path, sizeof path, "%s%s", f->path, part);
    return access(path, F_OK);
}

static void test_a_file_is_examined(void **state)
{
    struct fixture *f = *state;
    struct store *store;
    struct store_size size;
    struct error err;
    add_many(f, 1000);
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(store_open(f->path, true, &store, &err), STORE_OK);
    assert_int_equal(store_check(store, &err), STORE_OK);
    assert_int_equal(store_get_size(store, &size, &err), STORE_OK);
    assert_int_equal(size.rows, 1000);
    store_close(store);
    corrupt(f);
    assert_int_equal(store_open(f->path, true, &store, &err), STORE_OK);
    assert_int_equal(store_check(store, &err), STORE_CORRUPT);
    assert_string_not_equal(err.text, "");
    store_close(store);
    reopen(f);
}

// Runs the function as a user who may read the given files and write nothing.
static bool holds_for_reader(struct fixture *f, const char *const *parts, size_t n,
                             bool (*holds)(struct fixture *f))
{
    int status;
    for (size_t i = 0; i < n; i++) {
        char path[120];
        snprintf(path, sizeof path, "%s%s", f->path, parts[i]);
        assert_int_equal(chmod(path, 0444), 0);
    }
    assert_int_equal(chmod(f->directory, 0555), 0);
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        enum { NOBODY = 65534 };
        bool ok = geteuid() != 0 ||
                  (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
        _exit(ok && holds(f) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(f->directory, 0755), 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool has_ten(struct fixture *f)
{
    struct store *store;
    struct store_size size;
    struct error err;
    if (store_examine(f->path, &store, &err) != STORE_OK)
        return false;
    bool ok = store_get_size(store, &size, &err) == STORE_OK && size.rows == 10 &&
              store_stood_still(store, &err);
    store_close(store);
    return ok;
}

static bool is_told_what_to_do(struct fixture *f)
{
    struct store *store;
    struct error err;
    return store_examine(f->path, &store, &err) == STORE_FAILED &&
           strstr(err.text, "; run this as root");
}

static void test_a_link_to_a_file_is_examined(void **state)
{
    struct fixture *f = *state;
    struct store *store;
    struct store_size size;
    struct error err;
    char link[120];
    snprintf(link, sizeof link, "%s/link.db", f->directory);
    assert_int_equal(symlink(f->path, link), 0);
    add_many(f, 50); // in the WAL
    assert_int_equal(store_examine(link, &store, &err), STORE_OK);
    assert_int_equal(store_get_size(store, &size, &err), STORE_OK);
    assert_int_equal(size.rows, 50);
    store_close(store);
}

static void test_whoever_may_read_the_file_may_examine_it(void **state)
{
    struct fixture *f = *state;
    add_many(f, 10);
    assert_true(has_ten(f));
    assert_true(holds_for_reader(f, (const char *const[]){"", "-wal", "-shm"}, 3, has_ten));
    journal_close(f->journal);
    f->journal = NULL;
    assert_true(has_ten(f));
    assert_int_equal(access_part(f, "-wal"), -1); // nothing is left beside it
    assert_int_equal(access_part(f, "-shm"), -1);
    assert_true(holds_for_reader(f, (const char *const[]){""}, 1, has_ten));
}

static void test_who_may_not_examine_a_file_is_told_what_to_do(void **state)
{
    struct fixture *f = *state;
    add_many(f, 10);
    assert_int_equal(chmod(f->path, 0), 0);
    assert_true(holds_for_reader(f, NULL, 0, is_told_what_to_do));
    journal_close(f->journal);
    f->journal = NULL;
    char wal[120]; // a remaining WAL; its index is missing and has to be rebuilt
    snprintf(wal, sizeof wal, "%s-wal", f->path);
    FILE *left = fopen(wal, "w");
    assert_non_null(left);
    fputs("frames", left);
    fclose(left);
    assert_true(holds_for_reader(f, (const char *const[]){"", "-wal"}, 2, is_told_what_to_do));
}

static void test_a_journal_that_is_not_there_is_named(void **state)
{
    struct store *store;
    struct error err;
    (void)state;
    assert_int_equal(store_examine("/nonexistent/journal.db", &store, &err), STORE_FAILED);
    assert_string_equal(err.text,
                        "there is no journal at /nonexistent/journal.db; start ibtrapd, which "
                        "creates it, or name another one with --instance or --file");
}

static void test_a_file_whose_name_means_something_is_examined(void **state)
{
    struct fixture *f = *state;
    char odd[120];
    add_many(f, 10);
    journal_close(f->journal);
    f->journal = NULL;
    snprintf(odd, sizeof odd, "%s/a%%20b?mode=rw#c d\xC3\xB6.db", f->directory);
    assert_int_equal(rename(f->path, odd), 0);
    snprintf(f->path, sizeof f->path, "%s", odd);
    assert_true(has_ten(f));
}

static void test_a_file_that_is_written_meanwhile_is_told(void **state)
{
    struct fixture *f = *state;
    struct store *store;
    struct error err;
    add_many(f, 10);
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(store_examine(f->path, &store, &err), STORE_OK);
    assert_true(store_stood_still(store, &err));
    reopen(f);
    assert_false(store_stood_still(store, &err));
    assert_non_null(strstr(err.text, "while it was read; try again"));
    add_many(f, 10);
    journal_close(f->journal);
    f->journal = NULL;
    assert_false(store_stood_still(store, &err));
    store_close(store);
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
        TEST(test_without_a_thread_the_writer_moves_the_wal),
        TEST(test_a_new_receiver_begins_with_what_comes),
        TEST(test_a_slow_reader_reads_from_disk),
        TEST(test_a_reader_goes_back_from_memory_to_disk),
        TEST(test_a_reader_passes_a_gap_while_events_leave_memory),
        TEST(test_sqlite_counts_no_memory),
        TEST(test_reports_are_remembered_across_a_restart),
        TEST(test_retention_by_rows),
        TEST(test_retention_tells_what_a_receiver_loses),
        TEST(test_what_is_in_memory_stays_in_the_file),
        TEST(test_what_a_receiver_has_read_is_not_lost),
        TEST(test_a_receiver_that_has_ended_loses_nothing),
        TEST(test_a_receiver_that_is_forgotten_and_comes_again_is_a_new_one),
        TEST(test_what_a_receiver_loses_is_told_once),
        TEST(test_events_about_lost_events_are_not_lost),
        TEST(test_the_alarm_of_the_last_run_ends),
        TEST(test_retention_by_age),
        TEST(test_age_takes_only_what_every_receiver_has),
        TEST(test_age_does_not_wait_for_a_receiver_that_has_ended),
        TEST(test_a_clock_far_ahead_loses_nothing),
        TEST(test_retention_by_bytes),
        TEST(test_a_corrupt_file_is_set_aside),
        TEST(test_corruption_while_running),
        TEST(test_a_missing_disk_degrades_and_heals),
        TEST(test_a_removed_directory_is_made_anew),
        TEST(test_a_full_disk_degrades_and_heals),
        TEST(test_a_stop_while_the_disk_is_full),
        TEST(test_a_stop_writes_as_much_as_there_is_room_for),
        TEST(test_memory_is_bounded_while_degraded),
        TEST(test_a_crash_keeps_what_was_committed),
        TEST(test_the_clock_may_go_back),
        TEST(test_the_clock_may_go_back_across_a_restart),
        TEST(test_a_row_may_be_added_again),
        TEST(test_numbers_go_on_after_everything_was_pruned),
        TEST(test_nobody_prunes_what_is_young),
        TEST(test_two_processes_do_not_share_a_directory),
        TEST(test_what_waited_before_a_degraded_start_is_still_delivered),
        TEST(test_numbers_of_a_degraded_start_count_as_far_as_they_go),
        TEST(test_two_starts_that_cannot_read_the_file),
        TEST(test_retention_drops_nothing_between_two_ranges),
        TEST(test_numbers_that_the_file_has_already),
        TEST(test_nothing_is_read_while_the_file_is_away),
        TEST(test_a_reader_waits_for_the_next_event),
        TEST(test_a_reader_that_shall_end_waits_no_longer),
        TEST(test_a_snapshot_survives),
        TEST(test_the_same_fabric_is_saved_once),
        TEST(test_the_newest_snapshots_are_kept),
        TEST(test_snapshots_take_a_quarter_of_the_file),
        TEST(test_the_latest_snapshot_waits_for_the_disk),
        TEST(test_alarms_are_raised_and_cleared),
        TEST(test_a_test_raises_and_clears_nothing),
        TEST(test_an_alarm_raised_again_is_the_same),
        TEST(test_an_end_that_was_not_told_survives_a_restart),
        TEST(test_alarms_survive_a_restart),
        TEST(test_what_people_do_with_an_alarm_is_saved),
        TEST(test_alarms_while_the_file_is_away),
        TEST(test_alarms_and_windows_outlive_a_corrupt_file),
        TEST(test_an_alarm_knows_by_which_event_it_was_told),
        TEST(test_maintenance_windows_survive_a_restart),
        TEST(test_there_is_room_for_so_many_windows),
        TEST(test_a_file_of_the_first_schema_is_brought_up_to_date),
        TEST(test_settings_survive_a_restart),
        TEST(test_communities_are_in_a_file_of_their_own),
        TEST(test_communities_leave_the_file_of_an_earlier_version),
        TEST(test_communities_that_cannot_be_saved),
        TEST(test_lines_that_are_no_communities_are_not_read),
        TEST(test_settings_while_the_file_is_away),
        TEST(test_settings_outlive_a_corrupt_file),
        TEST(test_there_is_room_for_so_many_settings),
        TEST(test_settings_that_cannot_be_are_not_read),
        TEST(test_a_file_with_too_many_settings),
        TEST(test_so_many_settings_wait_for_the_file),
        TEST(test_everything_waits_for_a_locked_file),
        TEST(test_a_file_of_the_third_schema_is_brought_up_to_date),
        TEST(test_who_watches_hears_of_an_upgrade_while_it_goes_on),
        TEST(test_events_about_links_are_found_by_their_index),
        TEST(test_events_know_their_numbers),
        TEST(test_a_packed_event_is_the_same),
        TEST(test_a_packed_event_that_cannot_be_read),
        TEST(test_packed_events_leave_memory_like_others),
        TEST(test_packed_events_wait_for_the_file),
        TEST(test_packed_events_go_into_a_new_file),
        TEST(test_memory_keeps_more_while_the_disk_fails),
        TEST(test_a_forgotten_receiver_begins_anew),
        TEST(test_it_is_known_when_a_filter_changed),
        TEST(test_a_filter_of_an_earlier_version_is_unknown),
        TEST(test_a_clear_knows_the_number_of_its_raise),
        TEST(test_forgotten_receivers_leave_room),
        TEST(test_there_is_room_for_so_many_receivers),
        TEST(test_a_directory_that_cannot_be_made),
        TEST(test_whatever_changes_is_work),
        TEST(test_a_file_is_examined),
        TEST(test_a_link_to_a_file_is_examined),
        TEST(test_whoever_may_read_the_file_may_examine_it),
        TEST(test_who_may_not_examine_a_file_is_told_what_to_do),
        TEST(test_a_journal_that_is_not_there_is_named),
        TEST(test_a_file_whose_name_means_something_is_examined),
        TEST(test_a_file_that_is_written_meanwhile_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
