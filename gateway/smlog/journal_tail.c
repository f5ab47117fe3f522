// SPDX-License-Identifier: BSD-2-Clause
#include "smlog/journal_tail.h"

#ifdef IBTRAPD_HAVE_SYSTEMD

#include "base/memory.h"
#include "smlog/log_tail.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-journal.h>

enum { ROUND_MAX = 4096 }; // messages

struct journal_tail {
    char name[64];
    char place[LOG_TAIL_PLACE_SIZE];
    sd_journal *journal; // NULL: not open
    struct log *log;
    bool told; // the log has a line about why the journal cannot be read
};

struct journal_tail *journal_tail_new(const char *name, const char *place, struct log *log)
{
    struct journal_tail *t = memory_zeroed(1, sizeof *t);
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->place, sizeof t->place, "%s", place);
    t->log = log;
    return t;
}

void journal_tail_free(struct journal_tail *tail)
{
    if (!tail)
        return;
    if (tail->journal)
        sd_journal_close(tail->journal);
    free(tail);
}

void journal_tail_place(const struct journal_tail *tail, char *out, size_t size)
{
    snprintf(out, size, "%s", tail->place);
}

static void journal_tail_note(struct journal_tail *t)
{
    char *cursor;
    if (sd_journal_get_cursor(t->journal, &cursor) < 0)
        return;
    snprintf(t->place, sizeof t->place, "%s", cursor);
    free(cursor);
}

// Goes behind the place, or behind the last message.
static void journal_tail_seek(struct journal_tail *t)
{
    const bool known = t->place[0] != '\0' && sd_journal_seek_cursor(t->journal, t->place) >= 0;
    if (known && sd_journal_next(t->journal) > 0) {
        if (sd_journal_test_cursor(t->journal, t->place) > 0)
            return;
        log_write(t->log, LOG_LEVEL_WARNING,
                  "the place in the journal of systemd is gone: messages may be missed");
        sd_journal_previous(t->journal);
    } else if (!known && sd_journal_seek_tail(t->journal) >= 0 &&
               sd_journal_previous(t->journal) > 0) {
        journal_tail_note(t);
    }
}

// OpenSM writes its main messages to syslog as OpenSM. systemd calls the log that OpenSM writes to
// its standard output opensm.
static void journal_tail_open(struct journal_tail *t)
{
    const int rc = sd_journal_open_namespace(&t->journal, t->name[0] != '\0' ? t->name : NULL,
                                             SD_JOURNAL_LOCAL_ONLY);
    if (rc < 0) {
        t->journal = NULL;
        if (!t->told)
            log_write(t->log, LOG_LEVEL_WARNING,
                      "cannot open the journal of systemd: %s; ibtrapd tries again each second",
                      strerror(-rc));
        t->told = true;
        return;
    }
    sd_journal_add_match(t->journal, "SYSLOG_IDENTIFIER=OpenSM", 0);
    sd_journal_add_match(t->journal, "SYSLOG_IDENTIFIER=opensm", 0);
    journal_tail_seek(t);
}

// Gives the message of the present entry to `each`.
static bool journal_tail_take(const struct journal_tail *t,
                              bool (*each)(void *ctx, const char *line), void *ctx)
{
    static const char FIELD[] = "MESSAGE=";
    char line[LOG_TAIL_LINE_MAX + 1];
    const void *data;
    size_t size;
    if (sd_journal_get_data(t->journal, "MESSAGE", &data, &size) < 0 || size < sizeof FIELD - 1)
        return true;
    snprintf(line, sizeof line, "%.*s", (int)(size - (sizeof FIELD - 1)),
             (const char *)data + sizeof FIELD - 1);
    return each(ctx, line);
}

bool journal_tail_round(struct journal_tail *tail, bool (*each)(void *ctx, const char *line),
                        void *ctx)
{
    char before[LOG_TAIL_PLACE_SIZE];
    if (!tail->journal)
        journal_tail_open(tail);
    if (!tail->journal)
        return false;
    sd_journal_process(tail->journal); // notices rotated files
    for (int i = 0; i < ROUND_MAX; i++) {
        if (sd_journal_next(tail->journal) <= 0)
            return false;
        memcpy(before, tail->place, sizeof before);
        journal_tail_note(tail);
        if (!journal_tail_take(tail, each, ctx)) {
            memcpy(tail->place, before, sizeof before);
            sd_journal_previous(tail->journal);
            return false;
        }
    }
    return true;
}

#else

struct journal_tail *journal_tail_new(const char *name, const char *place, struct log *log)
{
    (void)name, (void)place, (void)log;
    return NULL;
}

void journal_tail_free(struct journal_tail *tail)
{
    (void)tail;
}

bool journal_tail_round(struct journal_tail *tail, bool (*each)(void *ctx, const char *line),
                        void *ctx)
{
    (void)tail, (void)each, (void)ctx;
    return false;
}

void journal_tail_place(const struct journal_tail *tail, char *out, size_t size)
{
    (void)tail;
    snprintf(out, size, "%s", "");
}

#endif
