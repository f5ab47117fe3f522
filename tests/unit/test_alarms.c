// SPDX-License-Identifier: BSD-2-Clause
// The journal's alarms and maintenance windows alone, and their merging with a file that becomes
// readable later.
#include "support.h"

#include "journal/journal_private.h"
#include "model/catalogue.h"

#include <unistd.h>

static struct support_time now;
static struct clock test_clock;
static struct journal journal; // that has alarms and windows only
static struct store *store;
static struct error err;

static int begin(void **state)
{
    (void)state;
    const char *path = support_path("journal.db");
    unlink(path);
    assert_int_equal(store_open(path, false, &store, &err), STORE_OK);
    test_clock = support_clock(&now);
    journal.options.clock = &test_clock;
    journal.mirrors[STORE_ALARMS] = alarms_new(&random_system, &test_clock);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal.mirrors[STORE_ALARMS]->kind->free(journal.mirrors[STORE_ALARMS]->self);
    store_close(store);
    return 0;
}

static bool take(enum catalogue_event type, const char *key, const char *id, int64_t number)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    snprintf(event->id, sizeof event->id, "%s", id);
    event->time_us = number;
    bool taken = alarms_apply(&journal, event, number);
    event_unref(event);
    return taken;
}

static void save_mirror(struct mirror *mirror)
{
    mirror_plan(mirror);
    store_begin(store);
    mirror_write(mirror, store);
    assert_int_equal(store_commit(store, &err), STORE_OK);
    mirror_committed(mirror);
}

static void save(void)
{
    save_mirror(journal.mirrors[STORE_ALARMS]);
}

// The state after a start.
static void start_again(void)
{
    journal.mirrors[STORE_ALARMS]->kind->free(journal.mirrors[STORE_ALARMS]->self);
    journal.mirrors[STORE_ALARMS] = alarms_new(&random_system, &test_clock);
}

static void load(void)
{
    assert_int_equal(mirror_load(journal.mirrors[STORE_ALARMS], store, &err), STORE_OK);
}

static void copy(void *ctx, const struct alarm *alarm)
{
    struct alarm *out = ctx;
    assert_string_equal(out->key, "");
    *out = *alarm;
}

// The only alarm.
static struct alarm get(void)
{
    struct alarm alarm = {.key = ""};
    journal_each_alarm(&journal, JOURNAL_ACTIVE_ALARMS, copy, &alarm);
    return alarm;
}

TEST(an_alarm_of_a_held_event_is_joined_with_the_one_in_the_file)
{
    load();
    assert_true(take(CATALOGUE_LINK_DOWN, "a", "first", 1));
    save();
    start_again();
    struct event *held = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    strcpy(held->alarm_key, "a");
    strcpy(held->id, "second");
    strcpy(held->suppressed, "storm");
    assert_true(alarms_apply(&journal, held, 2));
    event_unref(held);
    load();
    assert_int_equal(alarms_count(&journal, NULL), 1);
    const struct alarm alarm = get();
    assert_string_equal(alarm.event_id, "first");
    assert_string_equal(alarm.notified_id, "first"); // the second was not notified
    assert_int_equal(alarm.event_sequence, 1);
    assert_int_equal(alarm.count, 2);
}

static uint32_t active(enum catalogue_event event, enum severity severity)
{
    struct alarm_counts counts;
    journal_count_alarms(&journal, &counts);
    return counts.of[event][severity];
}

TEST(active_alarms_are_counted_by_event_and_severity)
{
    load();
    assert_true(take(CATALOGUE_LINK_DOWN, "a", "first", 1));
    assert_true(take(CATALOGUE_LINK_DOWN, "b", "second", 2));
    assert_true(take(CATALOGUE_HOST_REMOVED, "c", "third", 3));
    assert_int_equal(active(CATALOGUE_LINK_DOWN, SEVERITY_WARNING), 2);
    assert_int_equal(active(CATALOGUE_HOST_REMOVED, SEVERITY_ERROR), 1);
    assert_true(
        take(CATALOGUE_SWITCH_REMOVED, "c", "fourth", 4)); // the same alarm, by another event
    assert_int_equal(active(CATALOGUE_HOST_REMOVED, SEVERITY_ERROR), 0);
    assert_int_equal(active(CATALOGUE_SWITCH_REMOVED, SEVERITY_ERROR), 1);
    assert_true(take(CATALOGUE_LINK_UP, "a", "fifth", 5));
    assert_true(take(CATALOGUE_LINK_UP, "a", "sixth", 6));
    assert_int_equal(active(CATALOGUE_LINK_DOWN, SEVERITY_WARNING), 1);
    save();
    start_again();
    load();
    assert_int_equal(active(CATALOGUE_LINK_DOWN, SEVERITY_WARNING), 1);
    assert_int_equal(active(CATALOGUE_SWITCH_REMOVED, SEVERITY_ERROR), 1);
    size_t of[SEVERITY_DEBUG + 1];
    assert_int_equal(alarms_count(&journal, of), 2);
    assert_int_equal(of[SEVERITY_ERROR], 1);
    assert_int_equal(of[SEVERITY_WARNING], 1);
}

TEST(what_was_cleared_before_the_file_was_read_stays_so)
{
    load();
    assert_true(take(CATALOGUE_LINK_DOWN, "a", "first", 1));
    save();
    start_again();
    assert_true(take(CATALOGUE_LINK_UP, "a", "second", 2));
    load();
    assert_int_equal(alarms_count(&journal, NULL), 0);
    assert_false(journal_acknowledge_alarm(&journal, "a", "Kim", "too late"));
    assert_false(journal_shelve_alarm(&journal, "a", 3, "Kim"));
    save();
    start_again();
    load();
    assert_int_equal(alarms_count(&journal, NULL), 0);
}

TEST(what_changes_during_a_commit_is_written_with_the_next)
{
    load();
    assert_true(take(CATALOGUE_LINK_DOWN, "a", "first", 1));
    struct mirror *mirror = journal.mirrors[STORE_ALARMS];
    mirror_plan(mirror);
    store_begin(store);
    mirror_write(mirror, store);
    assert_true(journal_acknowledge_alarm(&journal, "a", "Kim", "meanwhile"));
    assert_int_equal(store_commit(store, &err), STORE_OK);
    mirror_committed(mirror);
    assert_true(mirror_has_changed(mirror));
    save();
    assert_false(mirror_has_changed(mirror));
    start_again();
    load();
    assert_string_equal(get().note, "meanwhile");
}

TEST(active_ones_are_counted_by_severity)
{
    size_t of[SEVERITY_DEBUG + 1];
    load();
    assert_true(take(CATALOGUE_LINK_DOWN, "a", "first", 1));
    assert_true(take(CATALOGUE_LINK_DOWN, "b", "second", 2));
    const enum severity severity = catalogue_get(CATALOGUE_LINK_DOWN)->severity;
    assert_int_equal(alarms_count(&journal, of), 2);
    assert_int_equal(of[severity], 2);
    struct event *worse = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    worse->severity = SEVERITY_EMERGENCY;
    strcpy(worse->alarm_key, "b");
    strcpy(worse->id, "third");
    assert_true(alarms_apply(&journal, worse, 3));
    event_unref(worse);
    assert_true(take(CATALOGUE_LINK_UP, "a", "fourth", 4));
    save();
    for (int i = 0; i < 2; i++) { // also when they come from the file
        assert_int_equal(alarms_count(&journal, of), 1);
        assert_int_equal(of[severity], 0);
        assert_int_equal(of[SEVERITY_EMERGENCY], 1);
        start_again();
        load();
    }
}

TEST(an_event_without_a_role_changes_nothing)
{
    load();
    assert_true(take(CATALOGUE_HEARTBEAT, "a", "first", 1));
    assert_int_equal(alarms_count(&journal, NULL), 0);
    assert_false(mirror_has_changed(journal.mirrors[STORE_ALARMS]));
}

TEST(there_is_room_for_so_many)
{
    char key[32];
    for (int i = 0; i < ALARMS_MAX; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(take(CATALOGUE_SUBSCRIPTION_LOST, key, "id", i + 1));
    }
    assert_int_equal(alarms_count(&journal, NULL), ALARMS_MAX);
    assert_false(take(CATALOGUE_SUBSCRIPTION_LOST, "another", "id", ALARMS_MAX + 1));
    assert_true(take(CATALOGUE_SUBSCRIPTION_LOST, "k7", "id", ALARMS_MAX + 2));
    assert_int_equal(alarms_count(&journal, NULL), ALARMS_MAX);
}

// Reads a page of at most `n` alarms, which are in order behind `*after`, and moves `*after` to the
// last alarm. Returns whether there are more.
static bool read_page(int64_t *after, size_t n)
{
    static struct alarm alarms[100];
    assert_true(n <= sizeof alarms / sizeof *alarms);
    struct alarm_page page = {.all = alarms, .room = n, .after = *after};
    journal_read_alarms(&journal, JOURNAL_ACTIVE_ALARMS, &page);
    assert_true(page.count <= n);
    for (size_t i = 0; i < page.count; i++) {
        assert_true(alarms[i].event_sequence > *after);
        *after = alarms[i].event_sequence;
    }
    assert_int_equal(page.after, *after);
    return page.more;
}

// Reads pages of so many alarms up to the end. Returns the number of pages.
static int read_pages(size_t n)
{
    int64_t after = 0;
    int pages = 1;
    while (read_page(&after, n))
        assert_true(++pages <= 1000);
    return pages;
}

TEST(pages_follow_each_other_while_alarms_come_and_go)
{
    char key[32];
    int64_t after = 0;
    load();
    assert_false(read_page(&(int64_t){0}, 10));
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(take(CATALOGUE_LINK_DOWN, key, "id", i + 1));
    }
    assert_int_equal(read_pages(10), 10);
    assert_int_equal(read_pages(30), 4);
    assert_int_equal(read_pages(100), 1);
    assert_true(read_page(&after, 20));
    assert_int_equal(after, 20);
    assert_true(take(CATALOGUE_LINK_UP, "k19", "up", 101)); // the page's last, and its neighbours
    assert_true(take(CATALOGUE_LINK_UP, "k20", "up", 102));
    assert_true(take(CATALOGUE_LINK_UP, "k18", "up", 103));
    assert_true(read_page(&after, 1));
    assert_int_equal(after, 22);
    assert_int_equal(read_pages(97), 1);
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(take(CATALOGUE_LINK_UP, key, "up", 104 + i));
    }
    assert_false(read_page(&(int64_t){0}, 10));
}

static void fill(char *text, size_t size)
{
    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
}

TEST(every_text_is_kept_to_its_last_octet)
{
    struct alarm in = {.event_sequence = 7,
                       .raised_us = 8,
                       .last_us = 9,
                       .count = 10,
                       .node_guid = 11,
                       .last_sequence = 12,
                       .acknowledged_us = 13,
                       .shelved_until_us = 14,
                       .severity = SEVERITY_ERROR,
                       .category = CATEGORY_SECURITY,
                       .notified = ALARM_NOTIFIED,
                       .type = "of another release"};
    fill(in.key, sizeof in.key);
    fill(in.text, sizeof in.text);
    fill(in.note, sizeof in.note);
    fill(in.suppressed, sizeof in.suppressed);
    fill(in.acknowledged_by, sizeof in.acknowledged_by);
    fill(in.shelved_by, sizeof in.shelved_by);
    fill(in.event_id, sizeof in.event_id);
    strcpy(in.cause_id, "01234567-89ab-4cde-bf01-23456789abcd");
    strcpy(in.notified_id, "01234567-89ab-4cde-bf01+23456789abcd"); // no UUID
    store_begin(store);
    store_set_row(store, STORE_ALARMS, &in);
    assert_int_equal(store_commit(store, &err), STORE_OK);
    load();
    const struct alarm out = get();
    assert_string_equal(out.key, in.key);
    assert_string_equal(out.type, in.type);
    assert_string_equal(out.text, in.text);
    assert_string_equal(out.note, in.note);
    assert_string_equal(out.suppressed, in.suppressed);
    assert_string_equal(out.acknowledged_by, in.acknowledged_by);
    assert_string_equal(out.shelved_by, in.shelved_by);
    assert_string_equal(out.event_id, in.event_id);
    assert_string_equal(out.cause_id, in.cause_id);
    assert_string_equal(out.notified_id, in.notified_id);
    assert_int_equal(out.event_sequence + out.raised_us + out.last_us, 7 + 8 + 9);
    assert_int_equal(out.count, 10);
    assert_int_equal(out.node_guid, 11);
    assert_int_equal(out.last_sequence, 12);
    assert_int_equal(out.acknowledged_us, 13);
    assert_int_equal(out.shelved_until_us, 14);
    assert_int_equal(out.severity, SEVERITY_ERROR);
    assert_int_equal(out.category, CATEGORY_SECURITY);
    assert_int_equal(out.notified, ALARM_NOTIFIED);
    assert_false(out.over);
}

static int64_t number_of(const char *key)
{
    struct event *clear = event_make(catalogue_get(CATALOGUE_LINK_UP));
    snprintf(clear->alarm_key, sizeof clear->alarm_key, "%s", key);
    alarms_note_past(&journal, clear);
    const int64_t number = clear->cleared_number;
    event_unref(clear);
    return number;
}

TEST(the_file_and_what_came_before_it_are_one_list)
{
    char key[32];
    load();
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(take(CATALOGUE_LINK_DOWN, key, "id", i + 1));
    }
    save();
    start_again();
    for (int i = 40; i < 90; i++) { // the file has the first ten of them
        snprintf(key, sizeof key, "k%d", i);
        assert_true(take(CATALOGUE_LINK_DOWN, key, "again", 1000 + i));
    }
    load();
    assert_int_equal(alarms_count(&journal, NULL), 90);
    assert_int_equal(read_pages(9), 10);
    assert_true(journal_alarm_is_active(&journal, "k40"));
    assert_int_equal(number_of("k40"), 41);
    assert_int_equal(number_of("k50"), 1050);
    assert_false(journal_alarm_is_active(&journal, "k90"));
}

// Windows.

static void copy_window(void *ctx, const struct maintenance_window *window)
{
    struct maintenance_window *out = ctx;
    *out = *window;
}

static void count_window(void *ctx, const struct maintenance_window *window)
{
    (void)window;
    ++*(size_t *)ctx;
}

static struct mirror *begin_windows(void)
{
    return journal.mirrors[STORE_WINDOWS] = maintenance_windows_new(&test_clock);
}

static void end_windows(void)
{
    struct mirror *windows = journal.mirrors[STORE_WINDOWS];
    windows->kind->free(windows->self);
}

TEST(a_window_in_memory_goes_before_that_in_the_file)
{
    struct maintenance_window window = {.name = "rack7", .until_us = 10}, found = {.name = ""};
    struct mirror *windows = begin_windows();
    assert_true(journal_set_maintenance(&journal, &window));
    save_mirror(windows);
    end_windows();
    windows = begin_windows();
    window.until_us = 20;
    assert_true(journal_set_maintenance(&journal, &window));
    assert_int_equal(mirror_load(windows, store, &err), STORE_OK);
    journal_each_maintenance(&journal, copy_window, &found);
    assert_int_equal(found.until_us, 20);
    end_windows();
}

TEST(windows_of_the_file_for_which_there_is_no_room)
{
    struct maintenance_window window = {.name = "in-the-file", .until_us = 10};
    struct mirror *windows = begin_windows();
    size_t count = 0;
    assert_true(journal_set_maintenance(&journal, &window));
    save_mirror(windows);
    end_windows();
    windows = begin_windows();
    for (int i = 0; i < MAINTENANCE_MAX; i++) {
        snprintf(window.name, sizeof window.name, "w%d", i);
        assert_true(journal_set_maintenance(&journal, &window));
    }
    assert_int_equal(mirror_load(windows, store, &err), STORE_OK);
    journal_each_maintenance(&journal, count_window, &count);
    assert_int_equal(count, MAINTENANCE_MAX);
    end_windows();
}

#define ALARM_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALARM_TEST(an_alarm_of_a_held_event_is_joined_with_the_one_in_the_file),
        ALARM_TEST(active_alarms_are_counted_by_event_and_severity),
        ALARM_TEST(what_was_cleared_before_the_file_was_read_stays_so),
        ALARM_TEST(what_changes_during_a_commit_is_written_with_the_next),
        ALARM_TEST(active_ones_are_counted_by_severity),
        ALARM_TEST(an_event_without_a_role_changes_nothing),
        ALARM_TEST(there_is_room_for_so_many),
        ALARM_TEST(pages_follow_each_other_while_alarms_come_and_go),
        ALARM_TEST(every_text_is_kept_to_its_last_octet),
        ALARM_TEST(the_file_and_what_came_before_it_are_one_list),
        ALARM_TEST(a_window_in_memory_goes_before_that_in_the_file),
        ALARM_TEST(windows_of_the_file_for_which_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
