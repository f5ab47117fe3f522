// SPDX-License-Identifier: BSD-2-Clause
// The screen of the command "watch", by ncurses. Between begin and end, nothing else may write to
// the terminal. ncurses also gives the terminal back at SIGINT and SIGTERM.
// Decides: What do the keys of watch do?
// Decides: How often does watch read alarms and events?
#pragma once

#include "ctl/client.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WATCH_EVENTS_MAX = 200,  // the last events that are kept
    WATCH_RATE_SAMPLES = 10, // readings that a rate is taken over
};

// The daemon's counters at a time.
struct watch_sample {
    int64_t at_us; // monotonic
    long long reports, events;
};

struct watch_data {
    const char *socket; // the caller's
    struct client_idle idle;
    json_t *status;  // the last answer; NULL: none came yet
    json_t *alarms;  // the worst, in the order of the daemon (control/alarm_answers.h)
    json_t *events;  // oldest first
    bool is_reached; // the last reading succeeded; else `problem` says why
    struct error problem;
    int64_t place;                                   // the number of the last event read
    struct watch_sample samples[WATCH_RATE_SAMPLES]; // oldest first
    size_t sample_count;
    int64_t alarms_due_us; // monotonic: they are not read again before
};

// Where the operator is.
struct watch_view {
    size_t selected; // of the alarms
    int silent_s;    // seconds without an answer of the daemon, while keys are taken; 0: the daemon
                     // answers
    char note[200];  // what the last key did; empty: the keys are shown
    const char *page; // a text over the whole screen, lines with newlines; NULL: none
    size_t page_line; // the first line shown; watch_screen_draw keeps the number within the text
};

enum watch_key {
    WATCH_KEY_NONE, // the wait is over
    WATCH_KEY_QUIT,
    WATCH_KEY_UP,
    WATCH_KEY_DOWN,
    WATCH_KEY_PAGE_UP,
    WATCH_KEY_PAGE_DOWN,
    WATCH_KEY_ACKNOWLEDGE,
    WATCH_KEY_EXPLAIN,
    WATCH_KEY_LEAVE, // ends the page
    WATCH_KEY_OTHER,
};

// False with a sentence: standard input and output are no terminal, or ncurses does not know the
// terminal.
bool watch_screen_begin(struct error *err);
void watch_screen_end(void);

void watch_screen_draw(const struct watch_data *data, struct watch_view *view);

// Waits for a key. A resized terminal is WATCH_KEY_OTHER.
enum watch_key watch_screen_wait(int milliseconds);

// Asks for a line of text, UTF-8. False: the operator left by Escape.
bool watch_screen_ask(const char *question, char *out, size_t size);

// How many lines of alarms or of a page the screen has.
int watch_screen_step(void);
