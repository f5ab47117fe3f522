// SPDX-License-Identifier: BSD-2-Clause
// The journal while a statement on its file hangs: the writer and all that asks the journal go on.
//
// The linker substitutes the functions in this file for SQLite's (--wrap).
#include "each_receiver.h"
#include "support.h"

#include "event/event_builder.h"
#include "event/test_event.h"
#include "journal/journal.h"

#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <unistd.h>

// A statement with this beginning hangs while the test has the lock.
static const char *_Atomic slow;
static atomic_bool reached;
static pthread_mutex_t hanging = PTHREAD_MUTEX_INITIALIZER;

int __real_sqlite3_step(sqlite3_stmt *s);
int __wrap_sqlite3_step(sqlite3_stmt *s);

// Somebody asks to delete more events while the older ones are being deleted.
static atomic_bool prunes_again;
static struct journal *journal;

static void prune_again(sqlite3_stmt *s)
{
    const char *sql = sqlite3_sql(s);
    if (sql && strncmp(sql, "DELETE FROM event ", 18) == 0 && atomic_exchange(&prunes_again, false))
        journal_request_prune(journal, JOURNAL_YOUNG_US);
}

int __wrap_sqlite3_step(sqlite3_stmt *s)
{
    prune_again(s);
    const char *text = atomic_load(&slow), *sql = sqlite3_sql(s);
    if (text && sql && strncmp(sql, text, strlen(text)) == 0) {
        atomic_store(&reached, true);
        pthread_mutex_lock(&hanging);
        pthread_mutex_unlock(&hanging);
    }
    return __real_sqlite3_step(s);
}

// The file cannot be opened.
static atomic_bool absent;

int __real_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs)
{
    if (!atomic_load(&absent))
        return __real_sqlite3_open_v2(path, out, flags, vfs);
    *out = NULL;
    return SQLITE_CANTOPEN;
}

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static struct log *log_;
static const char *directory;
static struct event *alarm_;
static int receiver;

// The change that the listener heard last. The listener may hear late of the degraded journal: the
// disk answers meanwhile.
static atomic_bool slow_to_hear;
static atomic_int heard;

static bool wait_until_heard(enum journal_change change)
{
    for (int ms = 0; ms < 1000 && atomic_load(&heard) != (int)change; ms++)
        usleep(1000);
    return atomic_load(&heard) == (int)change;
}

static void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)reason, (void)count;
    if (change == JOURNAL_DEGRADED && atomic_load(&slow_to_hear)) {
        atomic_store(&slow, NULL);
        pthread_mutex_unlock(&hanging);
        wait_until_heard(JOURNAL_HEALED);
    }
    atomic_store(&heard, (int)change);
}

// `patience_us` as in struct journal_options.
static void open_with_patience(int64_t patience_us)
{
    struct error err;
    const struct journal_options options = {.directory = directory,
                                            .patience_us = patience_us,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .notify = take_change,
                                            .clock = &clock_,
                                            .random = &chance,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
    receiver = journal_receiver(journal, "nms");
}

static void open_journal(void)
{
    open_with_patience(0);
}

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    log_ = support_log(NULL);
    struct test_event test = {.type = CATALOGUE_LINK_DOWN};
    test_event_make_up(&test);
    alarm_ = test_event_make(&builder, &test);
    assert_non_null(alarm_);
    alarm_->test = false;
    directory = scratch_make_in_memory();
    open_journal();
    return 0;
}

static int end(void **state)
{
    (void)state;
    atomic_store(&absent, false);
    assert_true(journal_close(journal));
    event_unref(alarm_);
    log_close(log_);
    scratch_remove(directory);
    return 0;
}

// Changes everything that the journal keeps, and commits the changes.
static void change_all(void)
{
    const struct setting name = {.kind = SETTING_SWITCH_NAME, .guid = 7, .size = 1, .value = "x"};
    const struct maintenance_window window = {
        .name = "rack7", .until_us = now.utc + 3600 * CLOCK_US_PER_S, .nodes = {.count = 1}};
    int64_t number = journal_append(journal, alarm_, &(struct journal_report){1, 2, 3});
    journal_acknowledge_alarm(journal, alarm_->alarm_key, "Kim", "seen");
    assert_true(journal_set_maintenance(journal, &window));
    assert_true(journal_change_settings(journal, &name, 1));
    journal_advance(journal, receiver, number);
    journal_commit(journal);
}

static void ignore_alarm(void *ctx, const struct alarm *alarm)
{
    (void)ctx, (void)alarm;
}

static void ignore_window(void *ctx, const struct maintenance_window *window)
{
    (void)ctx, (void)window;
}

static void ignore_receiver(void *ctx, const struct journal_receiver_state *state)
{
    (void)ctx, (void)state;
}

static atomic_bool done;

// What the writer and the receivers do with new events.
static void *use_journal(void *arg)
{
    struct journal_item item;
    struct journal_status status;
    change_all(); // begins the transaction that hangs
    change_all();
    if (journal_read(journal, journal_last(journal) - 1, &item, 1) == 1)
        event_unref(item.event);
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, ignore_alarm, NULL);
    journal_each_maintenance(journal, ignore_window, NULL);
    journal_each_receiver(journal, ignore_receiver, NULL);
    journal_get_status(journal, &status);
    settings_unref(journal_settings(journal));
    atomic_store(&done, true);
    return arg;
}

static bool wait_for(const atomic_bool *condition)
{
    for (int ms = 0; ms < 20000 && !atomic_load(condition); ms++)
        usleep(1000);
    return atomic_load(condition);
}

static void pass_until_healed(void)
{
    struct journal_status status = {.durable = false};
    for (int i = 0; i < 20000 && (!status.durable || status.pending > 0); i++) {
        usleep(1000);
        now.monotonic += 2 * CLOCK_US_PER_S;
        journal_commit(journal);
        journal_get_status(journal, &status);
    }
    if (!status.durable)
        fail_msg("%s", status.problem);
    assert_int_equal(status.alarms, 1);
}

// `use` goes on while a statement with this beginning hangs.
static void expect_no_wait_by(void *(*use)(void *), const char *statement)
{
    pthread_t thread;
    atomic_store(&reached, false);
    atomic_store(&done, false);
    pthread_mutex_lock(&hanging);
    atomic_store(&slow, statement);
    now.monotonic += 2 * CLOCK_US_PER_S;
    assert_int_equal(pthread_create(&thread, NULL, use, NULL), 0);
    bool hangs = wait_for(&reached), went_on = wait_for(&done);
    atomic_store(&slow, NULL);
    pthread_mutex_unlock(&hanging);
    pthread_join(thread, NULL);
    if (!hangs || !went_on)
        fail_msg("%s: %s", statement, hangs ? "the writer waits" : "it was not run");
    pass_until_healed();
}

static void expect_no_wait(const char *statement)
{
    expect_no_wait_by(use_journal, statement);
}

TEST(a_write_that_hangs)
{
    static const char *const WRITES[] = {
        "INSERT INTO event", "INSERT OR REPLACE INTO receiver", "INSERT OR REPLACE INTO alarm",
        "INSERT OR REPLACE INTO maintenance", "INSERT OR REPLACE INTO setting"};
    change_all();
    for (size_t i = 0; i < COUNT(WRITES); i++)
        expect_no_wait(WRITES[i]);
}

// The file is removed: the new one gets all.
static void remove_file(void)
{
    char path[300];
    pass_until_healed();
    snprintf(path, sizeof path, "%s/journal.db", directory);
    assert_int_equal(unlink(path), 0);
}

TEST(a_write_to_a_new_file_that_hangs)
{
    static const char *const WRITES[] = {"INSERT OR REPLACE INTO receiver",
                                         "INSERT OR REPLACE INTO alarm",
                                         "INSERT OR REPLACE INTO maintenance"};
    change_all();
    for (size_t i = 0; i < COUNT(WRITES); i++) {
        remove_file();
        change_all(); // finds out
        expect_no_wait(WRITES[i]);
    }
}

// The file could not be read at the start. It is there again, but its disk hangs.
TEST(a_late_read_that_hangs)
{
    static const char *const READS[] = {"SELECT name, cursor", "SELECT key", "SELECT name, until",
                                        "SELECT kind"};
    change_all();
    for (size_t i = 0; i < COUNT(READS); i++) {
        pass_until_healed();
        assert_true(journal_close(journal));
        now.utc += 3600 * CLOCK_US_PER_S;
        atomic_store(&absent, true);
        open_journal();
        atomic_store(&absent, false);
        expect_no_wait(READS[i]);
    }
}

// What policy does: the reader reads an event that is no longer in memory.
static void *find_first(void *arg)
{
    event_unref(journal_find(journal, 1));
    return use_journal(arg);
}

TEST(a_read_by_the_writer_that_hangs)
{
    for (int i = 0; i < JOURNAL_MEMORY_KEPT + 2; i++)
        journal_append(journal, alarm_, &(struct journal_report){1, 2, 3});
    change_all();
    assert_true(journal_first_in_memory(journal) > 1);
    expect_no_wait_by(find_first, "SELECT sequence");
    struct event *first = journal_find(journal, 1);
    assert_non_null(first);
    assert_string_equal(first->id, alarm_->id);
    event_unref(first);
}

static void *let_go_later(void *arg)
{
    pthread_mutex_lock(&hanging);
    sem_post(arg);
    usleep(6 * 1000 * 1000); // longer than the journal waits by default
    atomic_store(&slow, NULL);
    pthread_mutex_unlock(&hanging);
    return arg;
}

static void reopen(int64_t patience_us)
{
    pass_until_healed();
    assert_true(journal_close(journal));
    open_with_patience(patience_us);
}

// The commit of an event hangs. Returns the status after it.
static struct journal_status commit_that_hangs(void)
{
    struct journal_status status;
    atomic_store(&slow, "INSERT INTO event");
    journal_append(journal, alarm_, &(struct journal_report){0});
    journal_commit(journal);
    journal_get_status(journal, &status);
    return status;
}

TEST(a_writer_without_patience)
{
    change_all();
    reopen(3 * CLOCK_US_PER_S);
    pthread_mutex_lock(&hanging);
    struct journal_status status = commit_that_hangs();
    atomic_store(&slow, NULL);
    pthread_mutex_unlock(&hanging);
    assert_false(status.durable);
    assert_non_null(strstr(status.problem, "a commit or a read takes longer than 3 seconds"));
    pass_until_healed();
}

static void append_alarm(void)
{
    journal_append(journal, alarm_, &(struct journal_report){0});
}

static void *end_commit(void *arg)
{
    journal_end_commit(journal);
    return arg;
}

// The thread that took the file hangs. The writer appends the next event, and sees the hang once it
// has to wait.
TEST(a_commit_of_another_thread_that_hangs)
{
    pthread_t thread;
    change_all();
    reopen(3 * CLOCK_US_PER_S);
    const int64_t before = journal_last(journal);
    append_alarm();
    assert_int_equal(journal_begin_commit(journal, false), JOURNAL_TAKEN);
    atomic_store(&reached, false);
    pthread_mutex_lock(&hanging);
    atomic_store(&slow, "INSERT INTO event");
    assert_int_equal(pthread_create(&thread, NULL, end_commit, NULL), 0);
    assert_true(wait_for(&reached));
    append_alarm();
    assert_int_equal(journal_begin_commit(journal, false), JOURNAL_BUSY);
    assert_int_equal(journal_last(journal), before);
    assert_int_equal(journal_begin_commit(journal, true), JOURNAL_AWAY);
    assert_int_equal(journal_begin_commit(journal, true), JOURNAL_AWAY); // without patience now
    journal_commit(journal);
    assert_int_equal(journal_last(journal), before + 2); // in memory
    atomic_store(&slow, NULL);
    pthread_mutex_unlock(&hanging);
    pthread_join(thread, NULL);
    pass_until_healed();
    assert_int_equal(journal_begin_commit(journal, false), JOURNAL_TAKEN);
    journal_end_commit(journal);
}

// What is appended after the begin of a commit waits for the next.
TEST(a_commit_writes_what_there_was_at_its_begin)
{
    struct journal_status status;
    change_all();
    const int64_t before = journal_last(journal);
    append_alarm();
    assert_int_equal(journal_begin_commit(journal, false), JOURNAL_TAKEN);
    append_alarm();
    journal_end_commit(journal);
    journal_get_status(journal, &status);
    assert_int_equal(journal_last(journal), before + 1);
    assert_int_equal(status.pending, 1);
    journal_commit(journal);
    assert_int_equal(journal_last(journal), before + 2);
}

// The disk answers while the listener hears of its silence: it hears of that last.
TEST(changes_in_their_order)
{
    change_all();
    reopen(3 * CLOCK_US_PER_S);
    atomic_store(&slow_to_hear, true);
    pthread_mutex_lock(&hanging);
    commit_that_hangs();
    atomic_store(&slow_to_hear, false);
    pass_until_healed();
    for (int i = 0; i < 20 && !wait_until_heard(JOURNAL_HEALED); i++) {
    }
    assert_int_equal(heard, JOURNAL_HEALED);
}

TEST(a_writer_with_patience)
{
    sem_t held;
    pthread_t thread;
    change_all();
    reopen(SUPPORT_PATIENCE_US);
    sem_init(&held, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, let_go_later, &held), 0);
    sem_wait(&held);
    struct journal_status status = commit_that_hangs();
    pthread_join(thread, NULL);
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
}

TEST(a_request_to_prune_during_another_is_served)
{
    struct journal_status status = {.rows = -1};
    change_all();
    pass_until_healed();
    now.utc += 7200 * CLOCK_US_PER_S;
    alarm_->time_us = now.utc;
    change_all();
    now.utc += JOURNAL_YOUNG_US + 1;
    pass_until_healed();
    atomic_store(&prunes_again, true);
    journal_request_prune(journal, 3600 * CLOCK_US_PER_S);
    for (int i = 0; i < 1000 && (status.pruning || status.rows != 0); i++) {
        usleep(1000);
        now.monotonic += 2 * CLOCK_US_PER_S;
        journal_commit(journal);
        journal_get_status(journal, &status);
    }
    assert_false(atomic_load(&prunes_again));
    assert_int_equal(status.rows, 0);
    assert_false(status.pruning);
}

#define HANGS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HANGS_TEST(a_write_that_hangs),
        HANGS_TEST(a_write_to_a_new_file_that_hangs),
        HANGS_TEST(a_late_read_that_hangs),
        HANGS_TEST(a_read_by_the_writer_that_hangs),
        HANGS_TEST(a_writer_without_patience),
        HANGS_TEST(a_writer_with_patience),
        HANGS_TEST(a_commit_of_another_thread_that_hangs),
        HANGS_TEST(a_commit_writes_what_there_was_at_its_begin),
        HANGS_TEST(changes_in_their_order),
        HANGS_TEST(a_request_to_prune_during_another_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
