// SPDX-License-Identifier: BSD-2-Clause
// The screen of the command "watch", by ncurses. Between begin and end, nothing else may write to
// the terminal. ncurses also gives the terminal back at SIGINT and SIGTERM.
// Decides: What do the keys of watch do?
#ifndef IBTRAPD_CTL_WATCH_SCREEN_H
#define IBTRAPD_CTL_WATCH_SCREEN_H

#include "ctl/watch_data.h"

#include <stddef.h>

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

#endif
