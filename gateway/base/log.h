// The daemon's own log: one line an occurrence, to a stream (journald reads stderr).
#ifndef IBTRAPD_BASE_LOG_H
#define IBTRAPD_BASE_LOG_H

#include "base/clock.h"
#include "base/error.h"

#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log;

// The stream stays the caller's and must outlive the log. `prefix_priority` writes "<3>" and the
// like before each line, which journald turns into priorities (sd-daemon(3)); otherwise a line
// starts with the UTC time. NULL when memory is short.
struct log *log_open(FILE *stream, enum log_level level, bool prefix_priority,
                     const struct clock *clock);
void log_close(struct log *log);

// Writes one line; control characters in it become '?'. Any thread.
void log_write(struct log *log, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// For what a stranger or a broken device can cause at any rate: one line per ten seconds and
// limit; the next line says how many were left out. A limit belongs to one thread.
struct log_limit {
    int64_t open_at; // monotonic microseconds; zero-initialised
    unsigned held_back;
};
void log_write_limited(struct log *log, struct log_limit *limit, enum log_level level,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

// "error", "warning", "info", "debug"; false for any other word.
bool log_level_from_word(const char *word, enum log_level *level);

#endif
