// SPDX-License-Identifier: BSD-2-Clause
// An untrustworthy journal file: rows with arbitrary values, then arbitrary changed octets. The
// journal opens, reads only valid events, returns the events it was given, and uses no number
// twice.
//
// The input is a list of rows, each the number of its table and its columns' values; a number
// beyond the tables ends the list. Then follow changes: offset (2 octets) and octet. SCHEMA
// determines the places of the rows: a change of SCHEMA moves the octets that the corpus changes:
// in events-out-of-order, three events of NULLs are at the end of the second page, 13 octets each,
// the last one first; the second octet of the middle one, its number, becomes 9.
#include "fuzz.h"

#include "event/test_event.h"
#include "input.h"
#include "journal/journal.h"
#include "model/fabric_record.h"
#include "scratch.h"
#include "support_clock.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_MAX = 8192, ROWS_MAX = 32, ITEMS = 16, FILE_MAX = 1 << 18 };

// The store's schema, without the protection against values of a wrong type.
static const char SCHEMA[] =
    "PRAGMA page_size = 512;"
    "CREATE TABLE event (sequence INTEGER PRIMARY KEY, id, type, time_us, severity, node_guid,"
    " report_lid, report_tid, report_digest, record);"
    "CREATE INDEX event_time ON event (time_us);"
    "CREATE TABLE receiver (name UNIQUE, cursor, gone_us, section, filter, filter_since);"
    "CREATE TABLE snapshot (number INTEGER PRIMARY KEY, time_us, digest, nodes, links, record);"
    "CREATE TABLE alarm (key UNIQUE, event_sequence, event_id, type, severity, raised_us, last_us,"
    " count, node_guid, text, acknowledged_us, note, shelved_until_us, told_id,"
    " category, told, cause_id, over, last_sequence);"
    "CREATE TABLE maintenance (name UNIQUE, until_us, nodes);"
    "CREATE TABLE setting (kind, guid, number, value);"
    "PRAGMA user_version = 5;";

static const struct {
    const char *insert;
    int columns;
} TABLES[] = {
    {"INSERT OR REPLACE INTO event VALUES (?,?,?,?,?,?,?,?,?,?)", 10},
    {"INSERT OR REPLACE INTO receiver VALUES (?,?,?,?,?,?)", 6},
    {"INSERT OR REPLACE INTO snapshot VALUES (?,?,?,?,?,?)", 6},
    {"INSERT OR REPLACE INTO alarm VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 19},
    {"INSERT OR REPLACE INTO maintenance VALUES (?,?,?)", 3},
    {"INSERT INTO setting VALUES (?,?,?,?)", 4},
};
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

static const char *directory;
static char path[SCRATCH_PATH_SIZE + 16];
static uint8_t empty[FILE_MAX]; // the file without rows
static size_t empty_size;
static FILE *nowhere;
static struct log *log_;

static const struct event_builder MAKER = {.clock = &SUPPORT_STOPPED, .random = &SUPPORT_SAME};

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

// The file.

static void end(void)
{
    scratch_remove(directory);
    log_close(log_);
    fclose(nowhere);
}

static void begin(void)
{
    sqlite3 *db;
    directory = scratch_make_in_memory();
    snprintf(path, sizeof path, "%s/journal.db", directory);
    nowhere = fopen("/dev/null", "we");
    REQUIRE(nowhere);
    log_ = log_open(nowhere, LOG_LEVEL_DEBUG, false, &SUPPORT_STOPPED);
    REQUIRE(log_ && sqlite3_open(path, &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, SCHEMA, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    FILE *f = fopen(path, "re");
    REQUIRE(f);
    empty_size = fread(empty, 1, sizeof empty, f);
    REQUIRE(empty_size > 0 && empty_size < sizeof empty);
    fclose(f);
    atexit(end);
}

static void bind_value(sqlite3_stmt *s, int column, struct input *in)
{
    size_t size;
    const uint8_t *part;
    switch (input_number(in, 1)) {
    case 0:
        sqlite3_bind_null(s, column);
        break;
    case 1:
        sqlite3_bind_int64(s, column, (sqlite3_int64)input_number(in, 8));
        break;
    case 2:
        part = input_part(in, 1, &size);
        sqlite3_bind_text(s, column, (const char *)part, (int)size, SQLITE_STATIC);
        break;
    case 3:
        part = input_part(in, 2, &size);
        sqlite3_bind_blob(s, column, part, (int)size, SQLITE_STATIC);
        break;
    case 4:
        sqlite3_bind_double(s, column, (double)(int64_t)input_number(in, 8) / 3);
        break;
    default:
        sqlite3_bind_int64(s, column, (sqlite3_int64)input_number(in, 1));
        break;
    }
}

static void add_rows(sqlite3 *db, struct input *in)
{
    for (int rows = 0; rows < ROWS_MAX && input_left(in) > 0; rows++) {
        size_t table = (size_t)input_number(in, 1);
        sqlite3_stmt *s;
        if (table >= TABLE_COUNT)
            return;
        REQUIRE(sqlite3_prepare_v2(db, TABLES[table].insert, -1, &s, NULL) == SQLITE_OK);
        for (int i = 1; i <= TABLES[table].columns; i++)
            bind_value(s, i, in);
        sqlite3_step(s); // SQLite refuses a number of a wrong type
        sqlite3_finalize(s);
    }
}

static void change_octets(struct input *in)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    off_t size = lseek(fd, 0, SEEK_END);
    while (input_left(in) >= 3) {
        off_t at = (off_t)input_number(in, 2) % size;
        uint8_t octet = (uint8_t)input_number(in, 1);
        REQUIRE(pwrite(fd, &octet, 1, at) == 1);
    }
    close(fd);
}

static void make_file(struct input *in)
{
    sqlite3 *db;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && write(fd, empty, empty_size) == (ssize_t)empty_size);
    close(fd);
    REQUIRE(sqlite3_open(path, &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, "PRAGMA journal_mode = MEMORY; BEGIN", NULL, NULL, NULL) == SQLITE_OK);
    add_rows(db, in);
    REQUIRE(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    change_octets(in);
}

// Reading.

static void check_text(const char *s, size_t size)
{
    char clean[EVENT_TEXT_SIZE];
    REQUIRE(memchr(s, '\0', size));
    text_clean(s, strlen(s), clean, sizeof clean);
    REQUIRE(strcmp(s, clean) == 0);
}

static void check_alarm(void *ctx, const struct alarm *alarm)
{
    (void)ctx;
    REQUIRE(alarm->severity <= SEVERITY_DEBUG);
    check_text(alarm->key, sizeof alarm->key);
    check_text(alarm->event_id, sizeof alarm->event_id);
    check_text(alarm->type, sizeof alarm->type);
    check_text(alarm->text, sizeof alarm->text);
    check_text(alarm->notified_id, sizeof alarm->notified_id);
    check_text(alarm->note, sizeof alarm->note);
}

static void check_window(void *ctx, const struct maintenance_window *window)
{
    (void)ctx;
    check_text(window->name, sizeof window->name);
    REQUIRE(window->nodes.count <= FILTER_PATTERNS_MAX);
    for (size_t i = 0; i < window->nodes.count; i++)
        check_text(window->nodes.patterns[i], FILTER_PATTERN_SIZE);
}

static void check_settings(struct journal *journal)
{
    struct settings *settings = journal_settings(journal);
    for (size_t i = 0; i < settings_count(settings); i++)
        REQUIRE(setting_is_valid(settings_at(settings, i)));
    settings_unref(settings);
}

static void check_report(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    (void)ctx, (void)utc_us;
    REQUIRE(report->lid != 0);
}

static void check_event(const struct event *event)
{
    REQUIRE(event->type && event->time_us >= 0);
    check_text(event->id, sizeof event->id);
    check_text(event->text, sizeof event->text);
    check_text(event->reason, sizeof event->reason);
    check_text(event->subject.name, sizeof event->subject.name);
}

static void check_items(struct journal_item *items, size_t n, int64_t from, int step)
{
    for (size_t i = 0; i < n; i++) {
        int64_t before = i > 0 ? items[i - 1].sequence : from;
        REQUIRE(step > 0 ? items[i].sequence > before : items[i].sequence < before);
        if (items[i].event)
            check_event(items[i].event);
        event_unref(items[i].event);
    }
}

static void check_fabrics(struct journal *journal)
{
    struct journal_snapshot list[JOURNAL_SNAPSHOTS_MAX + 1], one;
    struct error err;
    size_t size, n = journal_list_snapshots(journal, list);
    REQUIRE(n <= JOURNAL_SNAPSHOTS_MAX);
    for (size_t i = 0; i <= n; i++) {
        int64_t number = i < n ? list[i].number : 0;
        uint8_t *record = journal_read_snapshot(journal, number, &one, &size, &err);
        struct fabric *fabric = record ? fabric_record_read(record, size, &err) : NULL;
        REQUIRE(fabric || err.text[0] != '\0');
        fabric_unref(fabric);
        free(record);
    }
}

static void check_all(struct journal *journal)
{
    struct journal_item items[ITEMS];
    int64_t last = journal_last(journal);
    REQUIRE(last >= 0 && last < INT64_MAX / 2);
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, check_alarm, NULL);
    journal_each_maintenance(journal, check_window, NULL);
    journal_each_recent_report(journal, 0, check_report, NULL);
    check_settings(journal);
    check_fabrics(journal);
    check_items(items, journal_read(journal, 0, items, ITEMS), 0, 1);
    check_items(items, journal_read_back(journal, last + 1, items, ITEMS), last + 1, -1);
}

// The journal continues.

static struct journal *open_journal(void)
{
    struct error err;
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 4,
                                            .bytes_max = 1 << 20,
                                            .age_us = CLOCK_US_PER_S,
                                            .notify = ignore_change,
                                            .clock = &SUPPORT_STOPPED,
                                            .random = &SUPPORT_SAME,
                                            .log = log_};
    struct journal *journal = journal_open(&options, &err);
    REQUIRE(journal);
    return journal;
}

static void expect_last(struct journal *journal, int64_t sequence, const struct event *event)
{
    struct journal_item item;
    REQUIRE(journal_last(journal) >= sequence);
    REQUIRE(journal_read_back(journal, sequence + 1, &item, 1) == 1);
    REQUIRE(item.sequence == sequence && item.event && strcmp(item.event->id, event->id) == 0);
    event_unref(item.event);
}

// A damaged page is no reason to give up a file while every receiver has what is on it.
static bool is_readable(struct journal *journal, int64_t sequence)
{
    struct journal_item item = {.event = NULL};
    const bool readable = journal_read_back(journal, sequence + 1, &item, 1) == 1;
    event_unref(item.event);
    return readable;
}

static const struct setting SETTING = {
    .kind = SETTING_FABRIC_NAME, .guid = 1, .size = 1, .value = "f"};

static void expect_setting(struct journal *journal)
{
    struct settings *settings = journal_settings(journal);
    const struct setting *found =
        settings_find(settings, SETTING.kind, SETTING.guid, SETTING.number);
    REQUIRE(found && found->size == SETTING.size && found->value[0] == SETTING.value[0]);
    settings_unref(settings);
}

// Appends an event and a setting. Returns whether they are on disk.
static bool add_event(struct journal *journal, struct event *event, int64_t *sequence)
{
    struct journal_status status;
    int receiver = journal_receiver(journal, "nms");
    int64_t before = journal_last(journal);
    REQUIRE(receiver < 0 || journal_cursor(journal, receiver) >= 0);
    journal_acknowledge_alarm(journal, "a", "Kim", "seen");
    REQUIRE(journal_change_settings(journal, &SETTING, 1));
    *sequence = journal_append(journal, event, &(struct journal_report){0});
    REQUIRE(*sequence == before + 1 &&
            (receiver < 0 || journal_cursor(journal, receiver) < *sequence));
    journal_commit(journal);
    expect_last(journal, *sequence, event);
    expect_setting(journal);
    if (receiver >= 0)
        journal_advance(journal, receiver, *sequence);
    journal_commit(journal);
    journal_get_status(journal, &status);
    REQUIRE(status.durable || status.problem[0] != '\0');
    return status.durable;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct test_event test = {.type = CATALOGUE_LINK_DOWN};
    int64_t sequence;
    if (size > INPUT_MAX)
        return 0;
    if (!nowhere)
        begin();
    make_file(&in);
    test_event_make_up(&test);
    struct event *event = test_event_make(&MAKER, &test);
    REQUIRE(event);
    struct journal *journal = open_journal();
    check_all(journal);
    bool durable = add_event(journal, event, &sequence);
    REQUIRE(durable || size > 0); // SCHEMA must agree with the store's
    journal_close(journal);
    journal = open_journal();
    check_all(journal);
    if (durable && (size == 0 || is_readable(journal, sequence)))
        expect_last(journal, sequence, event);
    if (durable)
        expect_setting(journal);
    journal_close(journal);
    event_unref(event);
    scratch_clear(directory);
    return 0;
}
