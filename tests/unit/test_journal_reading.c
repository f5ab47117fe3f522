// SPDX-License-Identifier: BSD-2-Clause
// Reading: events about links, packed events, receivers that come and go, and who may examine the
// file.
#include "journal_fixture.h"

#include "event/event_builder.h"
#include "journal/store.h"
#include "model/catalogue.h"

#include <grp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void append_of(struct fixture *f, const char *type)
{
    struct event *event = event_make(catalogue_find(type));
    assert_non_null(event);
    event_builder_stamp(&f->builder, event);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
}

// Notes whether a step of the plan, or of the program, has that word.
struct wanted {
    const char *word;
    int column;
    bool found;
};

static int look_for_word(void *ctx, int columns, char **values, char **names)
{
    struct wanted *w = ctx;
    (void)names;
    assert_true(w->column < columns);
    w->found |= strstr(values[w->column], w->word) != NULL;
    return 0;
}

static bool explanation_has(const struct fixture *f, const char *sql, struct wanted wanted)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, look_for_word, &wanted, NULL), SQLITE_OK);
    sqlite3_close(db);
    return wanted.found;
}

// At each insertion SQLite asks whether the event belongs into the index of links. For a list
// behind IN, SQLite would make a table first.
static void test_an_insertion_makes_no_table(void **state)
{
    static const char INSERT[] =
        "EXPLAIN INSERT INTO event (sequence, id, type, time_us, severity, node_guid, report_lid,"
        " report_tid, report_digest, record) VALUES (?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT (sequence) DO NOTHING";
    const struct fixture *f = *state;
    assert_true(explanation_has(f, INSERT, (struct wanted){.word = "Insert", .column = 1}));
    assert_false(explanation_has(f, INSERT, (struct wanted){.word = "Ephemeral", .column = 1}));
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
    assert_true(explanation_has(
        f,
        "EXPLAIN QUERY PLAN SELECT record FROM event INDEXED BY event_link WHERE sequence < 100"
        " AND (type = 'link-down' OR type = 'link-interrupted' OR type = 'port-removed'"
        " OR type = 'flapping' OR type = 'link-errors-raised' OR type = 'alarm-cleared')"
        " ORDER BY sequence DESC LIMIT 64",
        (struct wanted){.word = "event_link", .column = 3}));
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
    journal_forget_receiver(f->journal, "gone", false);
    journal_forget_receiver(f->journal, "never there", false);
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    assert_int_equal(begin_receiver(f, "gone"), 3);
    assert_int_equal(begin_receiver(f, "kept"), 0);
    journal_forget_receiver(f->journal, "gone", false);
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
    journal_forget_receiver(f->journal, "nms", false);
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
        journal_forget_receiver(f->journal, name, false);
        journal_commit(f->journal);
    }
    begin_receiver(f, "the last");
    add_many(f, 1);
    reopen(f);
    assert_int_equal(begin_receiver(f, "the last"), 0);
    assert_int_equal(begin_receiver(f, "another"), 1);
}

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
    const struct maintenance_window window = {.name = "rack7", .until_us = INT64_MAX};
    raise_alarm(f, "subscriptions");
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    assert_true(journal_acknowledge_alarm(f->journal, "subscriptions", "Kim", "seen"));
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
        TEST(test_events_about_links_are_found_by_their_index),
        TEST(test_an_insertion_makes_no_table),
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
