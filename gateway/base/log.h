// The daemon's own log: one line an occurrence, to a stream (journald reads stderr). Each line
// names the folder of the gateway that wrote it. A folder has a level, which may change at any
// time.
#ifndef IBTRAPD_BASE_LOG_H
#define IBTRAPD_BASE_LOG_H

#include "base/clock.h"
#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

// Who writes. The build defines LOG_FOLDER for each folder's sources.
enum log_folder {
    LOG_FOLDER_OTHER, // nobody of the gateway
    LOG_FOLDER_BASE,
    LOG_FOLDER_MODEL,
    LOG_FOLDER_CONF,
    LOG_FOLDER_IB,
    LOG_FOLDER_TOPOLOGY,
    LOG_FOLDER_EVENT,
    LOG_FOLDER_POLICY,
    LOG_FOLDER_JOURNAL,
    LOG_FOLDER_SINK,
    LOG_FOLDER_AGENTX,
    LOG_FOLDER_AGENT,
    LOG_FOLDER_PIPELINE,
    LOG_FOLDER_CONTROL,
    LOG_FOLDER_CTL,
    LOG_FOLDER_METRICS,
    LOG_FOLDER_DAEMON,
    LOG_FOLDER_COUNT,
};
#ifndef LOG_FOLDER
#define LOG_FOLDER LOG_FOLDER_OTHER
#endif

// Its members are for log.c; they stand here so that a debug message that is off costs one load.
struct log {
    _Atomic enum log_level levels[LOG_FOLDER_COUNT];
    FILE *stream;
    bool prefix_priority;
    const struct clock *clock;
    pthread_mutex_t lock; // over the stream
};

// The stream stays the caller's and must outlive the log. Every folder begins with that level.
// `prefix_priority` writes "<3>" and the like before each line, which journald turns into
// priorities (sd-daemon(3)); otherwise a line starts with the UTC time and the level. NULL when
// memory is short.
struct log *log_open(FILE *stream, enum log_level level, bool prefix_priority,
                     const struct clock *clock);
void log_close(struct log *log);

// From now on the folder's lines of that level and above are written. Any thread.
void log_set_level(struct log *log, enum log_folder folder, enum log_level level);
void log_set_levels(struct log *log, const enum log_level levels[LOG_FOLDER_COUNT]);
enum log_level log_get_level(struct log *log, enum log_folder folder);

// Writes one line, which begins with the folder's name; control characters in it become '?', and
// what is not UTF-8 U+FFFD. Any thread.
#define log_write(log, level, ...) log_write_from(LOG_FOLDER, log, level, __VA_ARGS__)
void log_write_from(enum log_folder folder, struct log *log, enum log_level level, const char *fmt,
                    ...) __attribute__((format(printf, 4, 5)));

// A line of level debug. While the folder's level is less, or `to` is NULL, the arguments behind
// `to` are not evaluated. For what they need beforehand: `if (log_is_debug(log))`. Any thread.
#define log_is_debug(log) log_is_debug_from(LOG_FOLDER, log)
#define log_debug(to, ...)                                                                         \
    do {                                                                                           \
        struct log *log_debug_to = (to);                                                           \
        if (log_is_debug(log_debug_to))                                                            \
            log_write(log_debug_to, LOG_LEVEL_DEBUG, __VA_ARGS__);                                 \
    } while (0)
static inline bool log_is_debug_from(enum log_folder folder, struct log *log)
{
    return __builtin_expect(
        log && atomic_load_explicit(&log->levels[folder], memory_order_relaxed) == LOG_LEVEL_DEBUG,
        false);
}

// For what a stranger or a broken device can cause at any rate: one line per ten seconds and
// limit; the next line says how many were left out. A limit belongs to one thread.
struct log_limit {
    int64_t open_at; // monotonic microseconds; zero-initialised
    unsigned held_back;
};
#define log_write_limited(log, limit, level, ...)                                                  \
    log_write_limited_from(LOG_FOLDER, log, limit, level, __VA_ARGS__)
void log_write_limited_from(enum log_folder folder, struct log *log, struct log_limit *limit,
                            enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

// "error", "warning", "info", "debug"; false for any other word.
bool log_level_from_word(const char *word, enum log_level *level);
const char *log_level_word(enum log_level level);

// "ib" and the like, by the folders' names.
const char *log_folder_word(enum log_folder folder);

// A folder whose level can be set by itself, which is one with debug messages; false for any other
// word.
bool log_folder_from_word(const char *word, enum log_folder *folder);
const char *log_folder_refusal(void); // of any other word: a sentence that lists these folders

// Whether what is written to the descriptor goes to journald: `journal_stream` is the environment's
// JOURNAL_STREAM, NULL if not set.
bool log_is_journal(int fd, const char *journal_stream);

#endif
