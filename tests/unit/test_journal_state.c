// SPDX-License-Identifier: BSD-2-Clause
// Snapshots of the fabric, alarms and maintenance windows in the journal.
#include "journal_fixture.h"

#include "event/event_builder.h"
#include "model/catalogue.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Snapshots of the fabric.

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
        char key[EVENT_KEY_SIZE];
        snprintf(key, sizeof key, "link %zu", 2 - i);
        struct event *event = make_occurrence(f, TYPES[i], key, "");
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
    assert_true(journal_acknowledge_alarm(f->journal, "c", "Kim", "Kim\nknows"));
    assert_true(journal_shelve_alarm(f->journal, "c", 4711, "Kim"));
    assert_false(journal_acknowledge_alarm(f->journal, "b", "Kim", ""));
    assert_false(journal_shelve_alarm(f->journal, "d", 1, "Kim"));
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

static uint64_t count_changes(struct fixture *f)
{
    uint64_t changes;
    assert_true(journal_has_all_alarms(f->journal, &changes));
    return changes;
}

static void test_what_people_do_with_an_alarm_is_saved(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "a");
    journal_commit(f->journal);
    assert_true(journal_acknowledge_alarm(f->journal, "a", "Kim", "seen"));
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    reopen(f);
    const uint64_t before = count_changes(f);
    assert_string_equal(list_alarms(f).alarms[0].note, "seen");
    assert_string_equal(list_alarms(f).alarms[0].acknowledged_by, "Kim");
    assert_int_equal(count_changes(f), before); // of reading, none
    assert_true(journal_shelve_alarm(f->journal, "a", INT64_MAX, "Ana"));
    journal_explain_alarm(f->journal, "a", "root", "consequence");
    journal_explain_alarm(f->journal, "b", "root", "consequence"); // not active
    journal_commit(f->journal);
    assert_int_equal(count_changes(f), before + 2);
    reopen(f);
    const struct alarm saved = list_alarms(f).alarms[0];
    assert_string_equal(saved.shelved_by, "Ana");
    assert_string_equal(saved.suppressed, "consequence");
    assert_string_equal(saved.cause_id, "root");
    assert_true(journal_shelve_alarm(f->journal, "a", 0, "Kim"));
    assert_string_equal(list_alarms(f).alarms[0].shelved_by, "");
}

static void check_consequences(struct fixture *f, const char *keys, const uint32_t *wanted)
{
    assert_alarms(f, keys);
    const struct alarm_list list = list_alarms(f);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(list.alarms[i].consequences, wanted[i]);
}

static void test_an_alarm_counts_its_consequences(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "root");
    raise_alarm(f, "a");
    raise_alarm(f, "b");
    const struct alarm root = list_alarms(f).alarms[0];
    check_consequences(f, "root a b", (uint32_t[]){0, 0, 0});
    journal_explain_alarm(f->journal, "a", root.event_id, "consequence");
    journal_explain_alarm(f->journal, "b", root.event_id, "consequence");
    check_consequences(f, "root a b", (uint32_t[]){2, 0, 0});
    journal_commit(f->journal);
    reopen(f);
    check_consequences(f, "root a b", (uint32_t[]){2, 0, 0});
    clear_alarm(f, "a");
    check_consequences(f, "root b", (uint32_t[]){1, 0});
    journal_explain_alarm(f->journal, "b", "", "");
    check_consequences(f, "root b", (uint32_t[]){0, 0});
}

static void test_alarms_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    raise_alarm(f, "stays");
    raise_alarm(f, "ends");
    raise_alarm(f, "again");
    journal_acknowledge_alarm(f->journal, "again", "Kim", "seen");
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

static void test_alarms_and_windows_outlive_a_corrupt_file(void **state)
{
    struct fixture *f = *state;
    const struct maintenance_window window = make_window("w", START_US + 3600 * CLOCK_US_PER_S);
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
    struct event *event = make_occurrence(f, CATALOGUE_RECEIVER_FAILING, "a", "");
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
    journal_each_alarm(f->journal, JOURNAL_OPEN_ALARMS, take_open_alarm, &out);
    return out;
}

static void clear_untold(struct fixture *f, const char *held)
{
    struct event *event = make_occurrence(f, CATALOGUE_RECEIVER_BACK, "a", "");
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

static void take_window(void *ctx, const struct maintenance_window *window)
{
    *(struct maintenance_window *)ctx = *window;
}

static void test_maintenance_windows_survive_a_restart(void **state)
{
    struct fixture *f = *state;
    const int64_t end = START_US + 3600 * CLOCK_US_PER_S;
    struct maintenance_window window = make_window("rack 7", end), all = make_window("all", end);
    window.nodes.count = 2;
    strcpy(window.who, "alice (uid 1000)");
    strcpy(window.comment, "new cables");
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
    struct maintenance_window found = {.until_us = 0};
    assert_int_equal(count_windows(f), 1);
    journal_each_maintenance(f->journal, take_window, &found);
    assert_string_equal(found.name, "rack 7");
    assert_string_equal(found.who, "alice (uid 1000)");
    assert_string_equal(found.comment, "new cables");
    assert_int_equal(found.until_us, end);
    assert_int_equal(found.nodes.count, 2);
    assert_string_equal(found.nodes.patterns[0], "leaf*");
    assert_string_equal(found.nodes.patterns[1], window.nodes.patterns[1]);
}

static const int64_t HOUR_US = 3600 * CLOCK_US_PER_S, DAY_US = 86400 * CLOCK_US_PER_S;

static void assert_ends(struct fixture *f, int64_t left_us)
{
    struct maintenance_window window = {.until_us = 0};
    journal_each_maintenance(f->journal, take_window, &window);
    assert_int_equal(window.until_us - f->time.utc, left_us);
    assert_int_equal(list_alarms(f).alarms[0].shelved_until_us - f->time.utc, left_us);
}

static void begin_ends(struct fixture *f, int64_t length_us)
{
    raise_alarm(f, "a"); // a second later
    journal_follow_clock(f->journal);
    const struct maintenance_window window = make_window("w", f->time.utc + length_us);
    assert_true(journal_set_maintenance(f->journal, &window));
    assert_true(journal_shelve_alarm(f->journal, "a", f->time.utc + length_us, "Kim"));
    journal_commit(f->journal);
}

// Policy suppresses by a clock that nobody sets: what the journal says agrees with policy.
static void test_ends_follow_a_clock_that_is_set(void **state)
{
    static const int64_t STEPS[] = {400 * DAY_US, -400 * DAY_US, -HOUR_US, 2 * CLOCK_US_PER_S};
    struct fixture *f = *state;
    begin_ends(f, 2 * HOUR_US);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        f->time.utc += STEPS[i];
        journal_follow_clock(f->journal);
        assert_ends(f, 2 * HOUR_US);
        journal_commit(f->journal);
        reopen(f);
        assert_ends(f, 2 * HOUR_US);
    }
    journal_commit(f->journal);
    journal_follow_clock(f->journal);
    assert_false(journal_has_work(f->journal)); // nothing moves while nobody sets the clock
    pass(f, HOUR_US);
    journal_follow_clock(f->journal);
    assert_ends(f, HOUR_US);
}

// What begins just after a step does not move with the step.
static void test_a_step_moves_only_what_began_before(void **state)
{
    struct fixture *f = *state;
    f->time.utc += DAY_US;
    begin_ends(f, HOUR_US);
    journal_follow_clock(f->journal);
    assert_ends(f, HOUR_US);
}

// The clock was a year ahead, and was set while the gateway was down.
static void test_nothing_lasts_longer_than_it_was_to(void **state)
{
    struct fixture *f = *state;
    f->time.utc += 300 * DAY_US;
    begin_ends(f, 2 * HOUR_US);
    f->time.utc -= 300 * DAY_US;
    reopen(f);
    assert_ends(f, 2 * HOUR_US);
    journal_commit(f->journal);
    pass(f, HOUR_US);
    reopen(f);
    assert_ends(f, HOUR_US);
}

// A file of version 9 has no lengths.
static void test_an_end_without_a_length_is_a_year_away_at_most(void **state)
{
    struct fixture *f = *state;
    begin_ends(f, HOUR_US);
    tamper(f, "UPDATE alarm SET shelved_for_us = 0, shelved_until_us = 9223372036854775807;"
              "UPDATE maintenance SET length_us = 0, until_us = 9223372036854775807;");
    assert_ends(f, 366 * DAY_US);
}

static void test_there_is_room_for_so_many_windows(void **state)
{
    struct fixture *f = *state;
    char name[8];
    for (int i = 0; i < MAINTENANCE_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        const struct maintenance_window window = make_window(name, START_US + CLOCK_US_PER_S + i);
        assert_true(journal_set_maintenance(f->journal, &window));
    }
    const struct maintenance_window one_more = make_window("more", START_US + CLOCK_US_PER_S);
    const struct maintenance_window replaces = make_window("7", START_US + CLOCK_US_PER_S);
    assert_false(journal_set_maintenance(f->journal, &one_more));
    assert_true(journal_set_maintenance(f->journal, &replaces));
    assert_int_equal(count_windows(f), MAINTENANCE_MAX);
    pass(f, CLOCK_US_PER_S); // two end
    const struct maintenance_window later = make_window("later", START_US + 9 * CLOCK_US_PER_S);
    assert_true(journal_set_maintenance(f->journal, &later));
    assert_int_equal(count_windows(f), MAINTENANCE_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        TEST(test_an_alarm_counts_its_consequences),
        TEST(test_alarms_while_the_file_is_away),
        TEST(test_alarms_and_windows_outlive_a_corrupt_file),
        TEST(test_an_alarm_knows_by_which_event_it_was_told),
        TEST(test_maintenance_windows_survive_a_restart),
        TEST(test_ends_follow_a_clock_that_is_set),
        TEST(test_a_step_moves_only_what_began_before),
        TEST(test_nothing_lasts_longer_than_it_was_to),
        TEST(test_an_end_without_a_length_is_a_year_away_at_most),
        TEST(test_there_is_room_for_so_many_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
