// SPDX-License-Identifier: BSD-2-Clause
// The journal on a disk that fails at each of its operations in turn: no event is lost or doubled,
// the order stays, and events reported as on disk survive a power failure.

#include "faulty_disk.h"
#include "support.h"

#include "event/event_builder.h"
#include "journal/journal.h"
#include "journal/store.h"
#include "journal/wal.h"

#include <unistd.h>

enum { ROUNDS = 6, EVENTS_MAX = 16384 };

static const int64_t S = CLOCK_US_PER_S;

// The events that the journal was given.
static struct {
    int64_t sequence;
    char id[EVENT_ID_SIZE];
} given[EVENTS_MAX];
static size_t given_count;

static const char *directory;
static struct support_time now;
static struct clock clock_;
static struct support_chance counting;
static struct random chance;
static struct event_builder builder;
static struct log *log_;
static unsigned told[JOURNAL_CHANGES];
static struct journal *journal;
static struct error err;
static int receiver;
static bool with_reader;

static void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)reason, (void)count;
    told[change]++;
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static struct journal *open_in(const char *where, bool counted)
{
    const struct journal_options options = {.directory = where,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = counted ? take_change : ignore_change,
                                            .clock = &clock_,
                                            .random = &chance,
                                            .log = log_};
    struct journal *opened = journal_open(&options, &err);
    assert_non_null(opened);
    return opened;
}

static void begin(void)
{
    now = (struct support_time){SUPPORT_UTC_US, 1000 * S};
    clock_ = support_clock(&now);
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    log_ = support_log(NULL);
    given_count = 0;
    memset(told, 0, sizeof told);
    directory = scratch_make_in_memory();
    faulty_disk_begin(directory);
}

static void end(void)
{
    journal_close(journal);
    faulty_disk_end();
    log_close(log_);
    scratch_remove(directory);
}

static void pass(int64_t us)
{
    now.utc += us;
    now.monotonic += us;
}

static void add(enum catalogue_event type, const char *key)
{
    struct event_builder_occurrence o = {.type = type};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", key);
    pass(1000); // so that identifiers differ
    struct event *event = event_builder_from_occurrence(&builder, &o);
    assert_non_null(event);
    assert_true(given_count < EVENTS_MAX);
    given[given_count].sequence = journal_append(journal, event, &(struct journal_report){0});
    memcpy(given[given_count++].id, event->id, EVENT_ID_SIZE);
    event_unref(event);
}

static void start(void)
{
    journal = open_in(directory, true);
    receiver = journal_receiver(journal, "nms");
}

// A second connection, for instance a slow receiver's. While it exists, the WAL's index outlives a
// failed connection; without it, SQLite rebuilds the index from the WAL.
static void read_from_disk(void)
{
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1];
    assert_int_equal(journal_list_snapshots(journal, list), 0);
}

// Writes some events, an alarm that stays active and an alarm that is raised and cleared; the
// receiver has all earlier events.
static void play_round(unsigned round)
{
    if (with_reader)
        read_from_disk();
    int64_t before = journal_last(journal);
    if (round == 0)
        add(CATALOGUE_SM_UNREACHABLE, "stays");
    add(round % 2 ? CATALOGUE_RECEIVER_BACK : CATALOGUE_RECEIVER_FAILING, "goes");
    for (unsigned i = 0; i < round % 4; i++)
        add(CATALOGUE_HEARTBEAT, "");
    journal_advance(journal, receiver, before);
    journal_commit(journal);
    pass(2 * S);
}

static struct journal_status status_of(struct journal *j)
{
    struct journal_status status;
    journal_get_status(j, &status);
    return status;
}

// Checks that the journal has the first `count` of the written events, in order, and, if `all`, no
// further events.
static void check_events(struct journal *j, size_t count, bool all)
{
    struct journal_item items[EVENTS_MAX + 1];
    size_t n = journal_read(j, given[0].sequence - 1, items, EVENTS_MAX + 1);
    assert_in_range(n, count, all ? count : given_count);
    for (size_t i = 0; i < n; i++) {
        assert_non_null(items[i].event);
        assert_int_equal(items[i].sequence, given[i].sequence);
        assert_string_equal(items[i].event->id, given[i].id);
        event_unref(items[i].event);
    }
}

static void add_key(void *ctx, const struct alarm *alarm)
{
    strcat(strcat(ctx, alarm->key), " ");
}

static void check_alarms(struct journal *j, const char *expected)
{
    char keys[256] = "";
    journal_each_alarm(j, JOURNAL_ACTIVE_ALARMS, add_key, keys);
    assert_string_equal(keys, expected);
}

static void check_sound(void)
{
    char path[96];
    struct store *store;
    snprintf(path, sizeof path, "%s/journal.db", directory);
    assert_int_equal(store_open(path, true, &store, &err), STORE_OK);
    assert_int_equal(store_check(store, &err), STORE_OK);
    store_close(store);
}

// The disk works again and must have all events.
static void check_healed(void)
{
    faulty_disk_fail(0, false);
    pass(2 * S);
    journal_commit(journal);
    struct journal_status status = status_of(journal);
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
    assert_int_equal(status.dropped, 0);
    assert_int_equal(told[JOURNAL_DEGRADED], told[JOURNAL_HEALED]);
    check_events(journal, given_count, true);
    int64_t cursor = journal_cursor(journal, receiver);
    journal_close(journal);
    check_sound();
    start();
    assert_int_equal(journal_cursor(journal, receiver), cursor);
    check_events(journal, given_count, true);
    check_alarms(journal, "stays ");
}

static unsigned count_operations(void)
{
    begin();
    start();
    for (unsigned round = 0; round < ROUNDS; round++)
        play_round(round);
    unsigned n = faulty_disk_operations();
    check_healed();
    assert_false(faulty_disk_failed());
    end();
    assert_true(n > 2 * ROUNDS);
    return n;
}

static void fail_each(bool reader, bool for_good)
{
    with_reader = reader;
    unsigned operations = count_operations();
    for (unsigned n = 1; n <= operations; n++) {
        begin();
        faulty_disk_fail(n, for_good);
        start();
        for (unsigned round = 0; round < ROUNDS; round++)
            play_round(round);
        assert_true(faulty_disk_failed());
        check_healed();
        end();
    }
}

TEST(each_operation_may_fail_once)
{
    fail_each(false, false);
    fail_each(true, false);
}

TEST(the_disk_may_fail_from_each_operation_on)
{
    fail_each(false, true);
    fail_each(true, true);
}

// How many events are on disk, according to the journal.
static size_t promised(void)
{
    const struct journal_status status = status_of(journal);
    return status.durable ? given_count - (size_t)status.pending : 0;
}

static void check_after_power_failure(void)
{
    size_t count = promised();
    if (count == 0)
        return;
    const char *other = scratch_make_in_memory();
    faulty_disk_after_power_failure(other);
    struct journal *j = open_in(other, false);
    check_events(j, count, false);
    journal_close(j);
    scratch_remove(other);
}

// An outage begins with each operation in turn. The failure ends with this operation, or after the
// next round.
static void lose_power_after_each(bool reader, bool for_good)
{
    with_reader = reader;
    unsigned operations = count_operations();
    for (unsigned n = 0; n <= operations; n++) {
        begin();
        faulty_disk_fail(n, for_good);
        start();
        for (unsigned round = 0; round < ROUNDS; round++) {
            bool over = faulty_disk_failed();
            play_round(round);
            check_after_power_failure();
            if (over)
                faulty_disk_fail(0, false);
        }
        end();
    }
}

TEST(what_is_on_disk_survives_a_power_failure)
{
    lose_power_after_each(false, false);
    lose_power_after_each(true, false);
}

TEST(what_is_on_disk_after_an_outage_survives_a_power_failure)
{
    lose_power_after_each(false, true);
    lose_power_after_each(true, true);
}

// Commits some pages each time until the WAL starts again at its beginning.
static void fill_wal(void)
{
    size_t end = given_count + WAL_FULL_PAGES / 2;
    while (given_count < end) {
        add(CATALOGUE_HEARTBEAT, "");
        journal_commit(journal);
    }
}

// After a failed sync of the file, the pages moved into it are moved again before the WAL, which
// still has them, is overwritten.
TEST(what_the_wal_had_survives_a_failed_sync_of_the_file)
{
    support_limit_files(SUPPORT_NO_LIMIT);
    for (unsigned n = 1; n <= 3; n++) {
        begin();
        start();
        add(CATALOGUE_SM_UNREACHABLE, "stays");
        faulty_disk_fail_sync(n);
        while (!faulty_disk_failed())
            fill_wal();
        fill_wal();
        assert_int_equal(told[JOURNAL_DEGRADED], 1);
        pass(2 * S);
        fill_wal();
        fill_wal();
        check_after_power_failure();
        check_healed();
        end();
    }
}

static void commit_one(void)
{
    add(CATALOGUE_HEARTBEAT, "");
    journal_commit(journal);
}

// The thread's sync of the file fails, and the disk disappears before the journal notices. A reader
// keeps the file, and so the WAL's index, open.
TEST(what_the_wal_had_survives_an_outage_while_somebody_reads)
{
    support_limit_files(SUPPORT_NO_LIMIT);
    begin();
    start();
    add(CATALOGUE_SM_UNREACHABLE, "stays");
    journal_commit(journal);
    read_from_disk();
    for (int i = 0; i < 2 * WAL_STEP_PAGES;
         i++) // faster than the thread: it moves pages and does not sync
        commit_one();
    faulty_disk_fail_sync(1);
    while (!faulty_disk_failed()) {
        commit_one();
        usleep(3000); // gives the thread time
    }
    if (told[JOURNAL_DEGRADED] == 0)
        faulty_disk_fail(1, true);
    commit_one();
    pass(2 * S);
    journal_commit(journal);
    assert_int_equal(told[JOURNAL_DEGRADED], 1);
    faulty_disk_fail(0, false);
    pass(2 * S);
    commit_one();
    check_after_power_failure();
    check_healed();
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_may_fail_once),
        cmocka_unit_test(the_disk_may_fail_from_each_operation_on),
        cmocka_unit_test(what_is_on_disk_survives_a_power_failure),
        cmocka_unit_test(what_is_on_disk_after_an_outage_survives_a_power_failure),
        cmocka_unit_test(what_the_wal_had_survives_a_failed_sync_of_the_file),
        cmocka_unit_test(what_the_wal_had_survives_an_outage_while_somebody_reads),
    };
    support_limit_files(WAL_BYTES / 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
