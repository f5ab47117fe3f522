// SPDX-License-Identifier: BSD-2-Clause
// A journal in a scratch directory, with a clock that the test sets, for the tests of the journal.
#pragma once

#include "event/event_builder.h"
#include "journal/journal.h"
#include "journal/store.h"
#include "support_clock.h"

#include <setjmp.h>
#include <stdarg.h>

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

void fill(void *ctx, void *out, size_t size);

void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count);

void pass(struct fixture *f, int64_t us);

void reopen(struct fixture *f);

int set_up(void **state);

int tear_down(void **state);

struct event *make(struct fixture *f, uint16_t trap);

int64_t add(struct fixture *f, const struct journal_report *report);

void add_many(struct fixture *f, int n);

// Reads everything after `after`; checks that the numbers rise by one. Returns the last number.
int64_t read_all(struct fixture *f, int64_t after, size_t expected);

void assert_same_event(const struct event *a, const struct event *b);

void collect(void *ctx, const struct journal_report *report, int64_t utc_us);

// Commits until retention has done its work.
void settle(struct fixture *f);

size_t files_with(const struct fixture *f, const char *part);

// Everything but the file's first page.
void corrupt(const struct fixture *f);

// The file cannot be opened for a while: a directory is in its place.
void take_away(const struct fixture *f);

void bring_back(const struct fixture *f);

void save_fabric(struct fixture *f, unsigned n, size_t size);

void assert_fabric(struct fixture *f, int64_t number, int64_t expected_number, unsigned n,
                   size_t expected_size);

struct event *make_occurrence(struct fixture *f, enum catalogue_event type, const char *key,
                              const char *reason);

void tell(struct fixture *f, enum catalogue_event type, const char *key, const char *reason);

void raise_alarm(struct fixture *f, const char *key);

void clear_alarm(struct fixture *f, const char *key);

struct alarm_list {
    struct alarm alarms[8];
    size_t count;
};

void take_alarm(void *ctx, const struct alarm *alarm);

struct alarm_list list_alarms(struct fixture *f);

// The keys of the active alarms, in order.
void assert_alarms(struct fixture *f, const char *expected);

void count_window(void *ctx, const struct maintenance_window *window);

size_t count_windows(struct fixture *f);

struct maintenance_window make_window(const char *name, int64_t until_us);

// What another program does to the file while the journal is closed.
void tamper(struct fixture *f, const char *sql);

// A directory where the file should be.
void take_the_file_away(struct fixture *f, const char *aside);

void bring_the_file_back(struct fixture *f, const char *aside);

int64_t begin_receiver(struct fixture *f, const char *name);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
