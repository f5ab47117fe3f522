// SPDX-License-Identifier: BSD-2-Clause
// A receiver module for the tests: its sink counts. The build makes several of it, all but the
// first of which do not fit.
#include "install.h"
#include "sink/module.h"

#include <stdio.h>

#ifndef MADE_INTERFACE
#define MADE_INTERFACE MODULE_INTERFACE
#endif
#ifndef MADE_VERSION
#define MADE_VERSION INSTALL_VERSION
#endif
#ifndef MADE_EVENT_SIZE
#define MADE_EVENT_SIZE sizeof(struct event)
#endif

// The options: a pointer to an array that counts calls; a first number 9 is refused.
enum { CHECKED, MADE, OPENED, SENT, WAITED, IDLE, CLOSED, FREED };

static bool open_made(void *self, struct tickets *tickets, struct error *err)
{
    (void)tickets;
    (void)err;
    ((unsigned *)self)[OPENED]++;
    return true;
}

static enum sink_result send_made(void *self, const struct event *event, struct error *err)
{
    (void)event;
    (void)err;
    ((unsigned *)self)[SENT]++;
    return SINK_PENDING;
}

static bool wait_made(void *self, int timeout_ms, struct error *err)
{
    (void)timeout_ms;
    (void)err;
    ((unsigned *)self)[WAITED]++;
    return true;
}

static void idle_made(void *self)
{
    ((unsigned *)self)[IDLE]++;
}

static void close_made(void *self)
{
    ((unsigned *)self)[CLOSED]++;
}

static void free_made(void *self)
{
    ((unsigned *)self)[FREED]++;
}

static bool make(struct sink *out, const char *kind, const char *name, const void *options,
                 const struct module_host *host, struct error *err)
{
    unsigned *counts = *(unsigned *const *)options;
    (void)host;
    if (counts[CHECKED] == 9) // the error is not the daemon's function's: this module calls none
        return snprintf(err->text, sizeof err->text, "%s %s: nine", kind, name) < 0;
    counts[MADE]++;
    *out = (struct sink){.open = open_made,
                         .send = send_made,
                         .wait = wait_made,
                         .idle = idle_made,
                         .close = close_made,
                         .free = free_made,
                         .self = counts};
    return true;
}

static bool check(const char *kind, const void *options, struct error *err)
{
    unsigned *counts = *(unsigned *const *)options;
    if (counts[CHECKED] == 9)
        return snprintf(err->text, sizeof err->text, "%s: nine", kind) < 0;
    counts[CHECKED]++;
    return true;
}

// What it leaves behind takes two microseconds.
static bool settle(int64_t patience_us)
{
    return patience_us >= 2;
}

#ifndef MADE_NO_MODULE
const struct module ibtrapd_module = {MADE_INTERFACE, MADE_VERSION, MADE_EVENT_SIZE,
                                      make,           check,        settle};
#else
const struct module another_symbol = {MADE_INTERFACE, MADE_VERSION, MADE_EVENT_SIZE,
                                      make,           check,        settle};
#endif
