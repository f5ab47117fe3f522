// SPDX-License-Identifier: BSD-2-Clause
// The daemon's own log: writes each message as one line to a stream (journald reads stderr). Each
// line names the writer's folder of the gateway. Each folder has a level, which may change at any
// time.
//
// Decides: Which folders have a log level of their own?
// Decides: Which messages does the log leave out?
#pragma once

#include "base/clock.h"
#include "base/word.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

// The folders with debug messages, each of which has a level of its own, and the others. Code
// outside the gateway, such as a test, is OTHER.
#define LOG_FOLDERS_WITH_DEBUG(FOLDER)                                                             \
    FOLDER(IB, "ib")                                                                               \
    FOLDER(TOPOLOGY, "topology")                                                                   \
    FOLDER(POLICY, "policy")                                                                       \
    FOLDER(JOURNAL, "journal")                                                                     \
    FOLDER(SINK, "sink")                                                                           \
    FOLDER(AGENTX, "agentx")                                                                       \
    FOLDER(AGENT, "agent")                                                                         \
    FOLDER(PIPELINE, "pipeline")                                                                   \
    FOLDER(CONTROL, "control")                                                                     \
    FOLDER(DAEMON, "daemon")
#define LOG_FOLDERS_WITHOUT_DEBUG(FOLDER)                                                          \
    FOLDER(OTHER, "other")                                                                         \
    FOLDER(BASE, "base")                                                                           \
    FOLDER(MODEL, "model")                                                                         \
    FOLDER(CONF, "conf")                                                                           \
    FOLDER(EVENT, "event")                                                                         \
    FOLDER(CTL, "ctl")                                                                             \
    FOLDER(WEB, "web")                                                                             \
    FOLDER(SMLOG, "smlog")

// The folder that writes. The build defines LOG_FOLDER for each folder's sources. The folders with
// debug messages come before LOG_FOLDER_OTHER.
#define LOG_FOLDER_AS_MEMBER(name, word) LOG_FOLDER_##name,
enum log_folder {
    LOG_FOLDERS_WITH_DEBUG(LOG_FOLDER_AS_MEMBER) LOG_FOLDERS_WITHOUT_DEBUG(LOG_FOLDER_AS_MEMBER)
        LOG_FOLDER_COUNT
};

// The words of the folders with debug messages, with ", " before each word.
#define LOG_FOLDER_AS_WORD(name, word) ", " word
#define LOG_FOLDER_WORDS               LOG_FOLDERS_WITH_DEBUG(LOG_FOLDER_AS_WORD)

#ifndef LOG_FOLDER
#define LOG_FOLDER LOG_FOLDER_OTHER
#endif

// The members are for log.c and for the inline functions below. log_is_debug_from is inline: a
// disabled debug message costs one load.
struct log {
    _Atomic enum log_level levels[LOG_FOLDER_COUNT];
    FILE *stream;
    bool prefix_priority;
    atomic_bool events_seen;
    const struct clock *clock;
    pthread_mutex_t lock; // over the stream
};

// The stream stays the caller's and must outlive the log. Every folder begins with `level`. With
// `prefix_priority`, each line begins with "<3>" or another number, which journald turns into a
// priority (sd-daemon(3)); otherwise with the UTC time and the level.
struct log *log_open(FILE *stream, enum log_level level, bool prefix_priority,
                     const struct clock *clock);
void log_close(struct log *log);

// From now on, writes the folder's lines of that level and of more severe levels. Any thread.
void log_set_level(struct log *log, enum log_folder folder, enum log_level level);

// Does the same for each folder: `own` has the folder's level, or -1 where `level` counts.
void log_set_levels(struct log *log, enum log_level level, const int own[LOG_FOLDER_COUNT]);

enum log_level log_get_level(struct log *log, enum log_folder folder);

// Writes one line with the folder's name at the beginning. Control characters become '?', and
// invalid UTF-8 becomes U+FFFD. Any thread.
#define log_write(log, level, ...) log_write_from(LOG_FOLDER, log, level, __VA_ARGS__)
void log_write_from(enum log_folder folder, struct log *log, enum log_level level, const char *fmt,
                    ...) __attribute__((format(printf, 4, 5)));

// Does the same for a condition that the gateway makes an event of, too: at level debug only, where
// people find the event beside the log (log_set_events_seen). Any thread.
#define log_condition(log, level, ...) log_write(log, log_condition_level(log, level), __VA_ARGS__)
static inline enum log_level log_condition_level(const struct log *log, enum log_level level)
{
    return atomic_load(&log->events_seen) ? LOG_LEVEL_DEBUG : level;
}

// From now on, whether every event goes to journald. `seen` counts only if the log goes to journald
// as well. Any thread.
void log_set_events_seen(struct log *log, bool seen);

// Writes a line of level debug. If the folder's level is not debug, or `to` is NULL, does not
// evaluate the other arguments. To prepare them, ask `if (log_is_debug(log))` first. Any thread.
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

// For messages that a stranger or a broken device can cause at any rate: writes one line in ten
// seconds for each limit. The next line says how many were left out. A limit belongs to one thread.
struct log_limit {
    int64_t open_at; // monotonic microseconds: when the next line may be written; zero-initialised
    unsigned left_out; // lines left out since the last one
};
#define log_write_limited(log, limit, level, ...)                                                  \
    log_write_limited_from(LOG_FOLDER, log, limit, level, __VA_ARGS__)
void log_write_limited_from(enum log_folder folder, struct log *log, struct log_limit *limit,
                            enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

extern const struct word WORDS_LOG_LEVEL[]; // "error", "warning", "info", "debug"

const char *log_level_word(enum log_level level);

// The folder's name, such as "ib".
const char *log_folder_word(enum log_folder folder);

// Finds the folder of that name among the folders with debug messages. Only these folders have a
// level of their own. False: another word.
bool log_folder_from_word(const char *word, enum log_folder *folder);
const char *log_folder_refusal(void); // the sentence for another word; it lists these folders

// Whether the descriptor leads to journald. `journal_stream` is the value of the environment
// variable JOURNAL_STREAM; NULL: not set.
bool log_is_journal(int fd, const char *journal_stream);
