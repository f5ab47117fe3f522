// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_SIZE = 1024, LEVELS = 4 };
static const int64_t LIMIT_PERIOD_US = 10 * CLOCK_US_PER_S;

const struct word WORDS_LOG_LEVEL[] = {{LOG_LEVEL_ERROR, "error"},
                                       {LOG_LEVEL_WARNING, "warning"},
                                       {LOG_LEVEL_INFO, "info"},
                                       {LOG_LEVEL_DEBUG, "debug"},
                                       {0, NULL}};

static const int PRIORITIES[LEVELS] = {3, 4, 6, 7}; // severities of RFC 5424, for sd-daemon(3)

#define LOG_FOLDER_AS_ROW(name, word) [LOG_FOLDER_##name] = (word),
static const char *const FOLDERS[LOG_FOLDER_COUNT] = {
    LOG_FOLDERS_WITH_DEBUG(LOG_FOLDER_AS_ROW) LOG_FOLDERS_WITHOUT_DEBUG(LOG_FOLDER_AS_ROW)};

const char *log_level_word(enum log_level level)
{
    return WORDS_LOG_LEVEL[level].name;
}

bool log_folder_from_word(const char *word, enum log_folder *folder)
{
    int i = 0;
    while (i < LOG_FOLDER_OTHER && strcmp(FOLDERS[i], word) != 0)
        i++;
    if (i < LOG_FOLDER_OTHER)
        *folder = (enum log_folder)i;
    return i < LOG_FOLDER_OTHER;
}

const char *log_folder_refusal(void)
{
#define LOG_FOLDER_AS_PART(name, word) " " word
    return "no folder of that name has debug messages; these have:" LOG_FOLDERS_WITH_DEBUG(
        LOG_FOLDER_AS_PART);
}

const char *log_folder_word(enum log_folder folder)
{
    return FOLDERS[folder];
}

bool log_is_journal(int fd, const char *journal_stream)
{
    struct stat st;
    char own[64];
    if (!journal_stream || fstat(fd, &st) != 0)
        return false;
    snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(own, journal_stream) == 0;
}

struct log *log_open(FILE *stream, enum log_level level, bool prefix_priority,
                     const struct clock *clock)
{
    struct log *log = memory_zeroed(1, sizeof *log);
    log->stream = stream;
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        atomic_init(&log->levels[i], level);
    log->prefix_priority = prefix_priority;
    log->clock = clock;
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

void log_close(struct log *log)
{
    if (!log)
        return;
    pthread_mutex_destroy(&log->lock);
    free(log);
}

void log_set_level(struct log *log, enum log_folder folder, enum log_level level)
{
    atomic_store(&log->levels[folder], level);
}

void log_set_levels(struct log *log, enum log_level level, const int own[LOG_FOLDER_COUNT])
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        log_set_level(log, (enum log_folder)i, own[i] < 0 ? level : (enum log_level)own[i]);
}

enum log_level log_get_level(struct log *log, enum log_folder folder)
{
    return atomic_load(&log->levels[folder]);
}

static void log_emit(struct log *log, enum log_folder folder, enum log_level level,
                     const char *text)
{
    char line[LINE_SIZE];
    text_clean(text, strlen(text), line, sizeof line);
    char prefix[CLOCK_TEXT_SIZE + 16];
    if (log->prefix_priority) {
        snprintf(prefix, sizeof prefix, "<%d>", PRIORITIES[level]);
    } else {
        char when[CLOCK_TEXT_SIZE];
        clock_format_utc(clock_utc(log->clock), when);
        snprintf(prefix, sizeof prefix, "%s %s: ", when, log_level_word(level));
    }
    pthread_mutex_lock(&log->lock);
    fprintf(log->stream, "%s%s: %s\n", prefix, FOLDERS[folder], line);
    fflush(log->stream);
    pthread_mutex_unlock(&log->lock);
}

void log_write_from(enum log_folder folder, struct log *log, enum log_level level, const char *fmt,
                    ...)
{
    if (level > log_get_level(log, folder))
        return;
    char line[LINE_SIZE];
    TEXT_FILL(line, fmt);
    log_emit(log, folder, level, line);
}

void log_set_events_seen(struct log *log, bool seen)
{
    atomic_store(&log->events_seen, seen && log->prefix_priority);
}

void log_write_limited_from(enum log_folder folder, struct log *log, struct log_limit *limit,
                            enum log_level level, const char *fmt, ...)
{
    if (level > log_get_level(log, folder))
        return;
    int64_t now = clock_monotonic(log->clock);
    if (now < limit->open_at) {
        limit->left_out++;
        return;
    }
    char line[LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (limit->left_out > 0 && n >= 0 && (size_t)n < sizeof line)
        snprintf(line + n, sizeof line - (size_t)n, " (and %u more like it)", limit->left_out);
    limit->left_out = 0;
    limit->open_at = now + LIMIT_PERIOD_US;
    log_emit(log, folder, level, line);
}
