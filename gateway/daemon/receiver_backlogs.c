// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/receiver_backlogs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct backlog {
    char name[CONF_NAME_SIZE];
    int64_t cursor, gone_us;
};

// How many events wait for a receiver with that cursor.
static long long backlog_size(const struct gateway *g, int64_t cursor)
{
    return (long long)journal_between(g->parts.journal, cursor, journal_last(g->parts.journal) + 1);
}

// "3 events", or "1 event".
static const char *backlog_words(long long events, char out[40])
{
    snprintf(out, 40, "%lld event%s", events, events == 1 ? "" : "s");
    return out;
}

static void __attribute__((format(printf, 3, 4)))
backlog_tell(struct gateway *g, enum log_level level, const char *fmt, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    log_write(g->parts.log, level, "%s", sentence);
    if (g->backlogs)
        text_addf(g->backlogs, "%s\n", sentence);
}

// Coming back and changing.

static void backlog_note_if_named(void *ctx, const struct journal_receiver_state *state)
{
    struct backlog *wanted = ctx;
    if (strcmp(state->name, wanted->name) == 0) {
        wanted->cursor = state->cursor;
        wanted->gone_us = state->gone_us;
    }
}

static void backlog_tell_return(struct gateway *g, const struct conf_receiver *conf,
                                const struct backlog *backlog, long long events)
{
    char since[CLOCK_TEXT_SIZE], words[40];
    clock_format_utc(backlog->gone_us, since);
    backlog_words(events, words);
    if (conf->from_backlog)
        backlog_tell(g, LOG_LEVEL_INFO,
                     "receiver %s was gone since %s and goes on where it stopped: %s waited for it",
                     conf->name, since, words);
    else
        backlog_tell(g, LOG_LEVEL_WARNING,
                     "receiver %s was gone since %s and begins with new events: it does not get "
                     "%s from before, as it has not start = \"backlog\"",
                     conf->name, since, words);
}

void receiver_backlogs_tell_start(struct gateway *g, const struct conf_receiver *conf,
                                  const char *former)
{
    char words[40];
    struct backlog backlog = {.cursor = -1};
    snprintf(backlog.name, sizeof backlog.name, "%s", former[0] != '\0' ? former : conf->name);
    journal_each_receiver(g->parts.journal, backlog_note_if_named, &backlog);
    long long events = backlog.cursor < 0 ? 0 : backlog_size(g, backlog.cursor);
    backlog_words(events, words);
    if (former[0] != '\0' && strcmp(former, conf->name) != 0)
        backlog_tell(g, LOG_LEVEL_INFO,
                     "receiver %s is called %s now and goes on where it was: %s waited for it",
                     former, conf->name, words);
    else if (former[0] != '\0' && events > 0)
        backlog_tell(g, LOG_LEVEL_INFO,
                     "receiver %s has changed and goes on where it was: %s waited for it",
                     conf->name, words);
    else if (backlog.gone_us != 0 && events > 0)
        backlog_tell_return(g, conf, &backlog, events);
}

// Going.

struct departing {
    bool (*runs)(void *ctx, const char *name);
    void *ctx;
    struct backlog backlogs[JOURNAL_RECEIVERS_MAX];
    size_t count;
};

static void backlog_note_if_departing(void *ctx, const struct journal_receiver_state *state)
{
    struct departing *departing = ctx;
    if (state->gone_us != 0 || departing->count == JOURNAL_RECEIVERS_MAX ||
        departing->runs(departing->ctx, state->name))
        return;
    struct backlog *backlog = &departing->backlogs[departing->count++];
    *backlog = (struct backlog){.cursor = state->cursor};
    snprintf(backlog->name, sizeof backlog->name, "%s", state->name);
}

void receiver_backlogs_tell_gone(struct gateway *g, bool (*runs)(void *ctx, const char *name),
                                 void *ctx)
{
    struct departing departing = {.runs = runs, .ctx = ctx};
    char words[40];
    journal_each_receiver(g->parts.journal, backlog_note_if_departing, &departing);
    for (size_t i = 0; i < departing.count; i++) {
        const struct backlog *backlog = &departing.backlogs[i];
        long long events = backlog_size(g, backlog->cursor);
        if (events == 0)
            backlog_tell(g, LOG_LEVEL_INFO, "receiver %s is gone; no event waited for it",
                         backlog->name);
        else
            backlog_tell(g, LOG_LEVEL_WARNING,
                         "receiver %s is gone, and %s that waited for it will not be sent, unless "
                         "it comes back with start = \"backlog\"",
                         backlog->name, backlog_words(events, words));
    }
}
