// SPDX-License-Identifier: BSD-2-Clause
#include "journal_fixture.h"

#include "event/event_builder.h"
#include "model/catalogue.h"
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fill(void *ctx, void *out, size_t size)
{
    struct fixture *f = ctx;
    for (size_t i = 0; i < size; i++) {
        f->random_state = f->random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
        ((uint8_t *)out)[i] = (uint8_t)(f->random_state >> 56);
    }
}

void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    struct fixture *f = ctx;
    f->told[change]++;
    f->told_count[change] += count;
    snprintf(f->told_reason[change], sizeof f->told_reason[change], "%s", reason);
}

void pass(struct fixture *f, int64_t us)
{
    f->time.utc += us;
    f->time.monotonic += us;
}

void reopen(struct fixture *f)
{
    struct error err;
    journal_close(f->journal);
    f->journal = journal_open(&f->options, &err);
    assert_non_null(f->journal);
}

int set_up(void **state)
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

int tear_down(void **state)
{
    struct fixture *f = *state;
    journal_close(f->journal);
    log_close(f->log);
    fclose(f->log_stream);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

struct event *make(struct fixture *f, uint16_t trap)
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

int64_t add(struct fixture *f, const struct journal_report *report)
{
    struct event *event = make(f, NOTICE_LINK_STATE);
    int64_t sequence =
        journal_append(f->journal, event, report ? report : &(struct journal_report){0});
    event_unref(event);
    return sequence;
}

void add_many(struct fixture *f, int n)
{
    for (int i = 0; i < n; i++) {
        add(f, NULL);
        if (i % 100 == 99)
            journal_commit(f->journal);
    }
    journal_commit(f->journal);
}

int64_t read_all(struct fixture *f, int64_t after, size_t expected)
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

void assert_same_event(const struct event *a, const struct event *b)
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

void collect(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    (void)utc_us;
    *(struct journal_report *)ctx = *report;
}

void settle(struct fixture *f)
{
    for (int i = 0; i < 10; i++) {
        pass(f, 11 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
}

size_t files_with(const struct fixture *f, const char *part)
{
    DIR *d = opendir(f->directory);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += strstr(e->d_name, part) != NULL;
    closedir(d);
    return n;
}

void corrupt(const struct fixture *f)
{
    int fd = open(f->path, O_WRONLY);
    char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    off_t end = lseek(fd, 0, SEEK_END);
    for (off_t at = 4096; at < end; at += 4096)
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, at), sizeof garbage);
    close(fd);
}

void take_away(const struct fixture *f)
{
    char aside[120];
    snprintf(aside, sizeof aside, "%s.away", f->path);
    assert_int_equal(rename(f->path, aside), 0);
    assert_int_equal(mkdir(f->path, 0700), 0);
}

void bring_back(const struct fixture *f)
{
    char aside[120];
    snprintf(aside, sizeof aside, "%s.away", f->path);
    assert_int_equal(rmdir(f->path), 0);
    assert_int_equal(rename(aside, f->path), 0);
}

void save_fabric(struct fixture *f, unsigned n, size_t size)
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

void assert_fabric(struct fixture *f, int64_t number, int64_t expected_number, unsigned n,
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

struct event *make_occurrence(struct fixture *f, enum catalogue_event type, const char *key,
                              const char *reason)
{
    struct event_builder_occurrence o = {.type = type};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", key);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    struct event *event = event_builder_from_occurrence(&f->builder, &o);
    assert_non_null(event);
    return event;
}

void tell(struct fixture *f, enum catalogue_event type, const char *key, const char *reason)
{
    struct event *event = make_occurrence(f, type, key, reason);
    journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    pass(f, CLOCK_US_PER_S);
}

void raise_alarm(struct fixture *f, const char *key)
{
    tell(f, CATALOGUE_RECEIVER_FAILING, key, "it does not answer");
}

void clear_alarm(struct fixture *f, const char *key)
{
    tell(f, CATALOGUE_RECEIVER_BACK, key, "it answers");
}

void take_alarm(void *ctx, const struct alarm *alarm)
{
    struct alarm_list *list = ctx;
    assert_true(list->count < 8);
    list->alarms[list->count++] = *alarm;
}

struct alarm_list list_alarms(struct fixture *f)
{
    struct alarm_list list = {.count = 0};
    struct journal_status status;
    journal_each_alarm(f->journal, JOURNAL_ACTIVE_ALARMS, take_alarm, &list);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.alarms, list.count);
    return list;
}

void assert_alarms(struct fixture *f, const char *expected)
{
    char keys[300] = "";
    const struct alarm_list list = list_alarms(f);
    for (size_t i = 0; i < list.count; i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? " " : "",
                 list.alarms[i].key);
    assert_string_equal(keys, expected);
}

void count_window(void *ctx, const struct maintenance_window *window)
{
    (void)window;
    ++*(size_t *)ctx;
}

size_t count_windows(struct fixture *f)
{
    size_t count = 0;
    journal_each_maintenance(f->journal, count_window, &count);
    return count;
}

struct maintenance_window make_window(const char *name, int64_t until_us)
{
    struct maintenance_window window = {.until_us = until_us};
    snprintf(window.name, sizeof window.name, "%s", name);
    return window;
}

void tamper(struct fixture *f, const char *sql)
{
    sqlite3 *db;
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    reopen(f);
}

void take_the_file_away(struct fixture *f, const char *aside)
{
    assert_int_equal(rename(f->path, aside), 0);
    assert_int_equal(mkdir(f->path, 0700), 0);
}

void bring_the_file_back(struct fixture *f, const char *aside)
{
    assert_int_equal(rmdir(f->path), 0);
    assert_int_equal(rename(aside, f->path), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
}

int64_t begin_receiver(struct fixture *f, const char *name)
{
    int receiver = journal_receiver(f->journal, name);
    assert_true(receiver >= 0);
    return journal_cursor(f->journal, receiver);
}
