#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024 };
static const int64_t LIMIT_PERIOD_US = 10 * CLOCK_US_PER_S;

struct log {
    FILE *stream;
    enum log_level level;
    bool prefix_priority;
    const struct clock *clock;
    pthread_mutex_t lock;
};

static const char *const WORDS[] = {"error", "warning", "info", "debug"};
static const int PRIORITIES[] = {3, 4, 6, 7}; // RFC 5424, as sd-daemon(3) wants them

bool log_level_from_word(const char *word, enum log_level *level)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strcmp(word, WORDS[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

struct log *log_open(FILE *stream, enum log_level level, bool prefix_priority,
                     const struct clock *clock)
{
    struct log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->stream = stream;
    log->level = level;
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

static void emit(struct log *log, enum log_level level, char *line)
{
    for (char *p = line; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    }
    char prefix[CLOCK_TEXT_SIZE + 16];
    if (log->prefix_priority) {
        snprintf(prefix, sizeof prefix, "<%d>", PRIORITIES[level]);
    } else {
        char when[CLOCK_TEXT_SIZE];
        clock_format_utc(clock_utc(log->clock), when);
        snprintf(prefix, sizeof prefix, "%s %s: ", when, WORDS[level]);
    }
    pthread_mutex_lock(&log->lock);
    fprintf(log->stream, "%s%s\n", prefix, line);
    fflush(log->stream);
    pthread_mutex_unlock(&log->lock);
}

void log_write(struct log *log, enum log_level level, const char *fmt, ...)
{
    if (level > log->level)
        return;
    char line[LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    emit(log, level, line);
}

void log_write_limited(struct log *log, struct log_limit *limit, enum log_level level,
                       const char *fmt, ...)
{
    if (level > log->level)
        return;
    int64_t now = clock_monotonic(log->clock);
    if (now < limit->open_at) {
        limit->held_back++;
        return;
    }
    char line[LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (limit->held_back > 0 && n >= 0 && (size_t)n < sizeof line)
        snprintf(line + n, sizeof line - (size_t)n, " (and %u more like it)", limit->held_back);
    limit->held_back = 0;
    limit->open_at = now + LIMIT_PERIOD_US;
    emit(log, level, line);
}
