// SPDX-License-Identifier: BSD-2-Clause
#include "smlog/sm_log.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/thread.h"
#include "smlog/journal_tail.h"
#include "smlog/log_tail.h"
#include "smlog/sm_log_rows.h"

#include <stdlib.h>
#include <string.h>

// A restart reads this much of the log again, without events of it. The alarms are compared with an
// unchanged list as often: policy may have had no room for an alarm.
static const int64_t KEEP_US = 60 * CLOCK_US_PER_S;

struct sm_log {
    struct sm_log_options options;
    struct log_tail *tail;        // NULL: the journal of systemd instead
    struct journal_tail *journal; // NULL: the file; both NULL: no log
    uint64_t seen, taken;         // digests of the list: as last read, and of the alarms
    int64_t taken_at;
    struct error trouble; // with the list; empty: none
    struct sm_log_memory memory;
    struct event_builder_occurrence batch[SM_LOG_BATCH_MAX];
    size_t count;
    char kept[LOG_TAIL_PLACE_SIZE], place[LOG_TAIL_PLACE_SIZE]; // with, and behind, the batch
    int64_t kept_at;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop; // with the lock
};

static void sm_log_place(struct sm_log *s)
{
    if (s->tail)
        log_tail_place(s->tail, s->place);
    else
        journal_tail_place(s->journal, s->place, sizeof s->place);
}

// Takes a line into the batch, and notes the place behind the line of the last occurrence.
static bool sm_log_take(void *ctx, const char *line)
{
    struct sm_log *s = ctx;
    if (s->count == SM_LOG_BATCH_MAX)
        return false;
    const uint16_t lid = s->options.sm_lid(s->options.ctx);
    if (sm_log_rows_read(&s->memory, line, lid, &s->batch[s->count])) {
        s->count++;
        sm_log_place(s);
    }
    return true;
}

static void sm_log_put(struct sm_log *s)
{
    if (!s->options.put(s->options.ctx, s->batch, s->count, s->place))
        return;
    s->count = 0;
    s->kept_at = clock_now();
    memcpy(s->kept, s->place, sizeof s->kept);
}

// True: there is more to read at once.
static bool sm_log_round(struct sm_log *s)
{
    const bool more = s->tail ? log_tail_round(s->tail, sm_log_take, s)
                              : journal_tail_round(s->journal, sm_log_take, s);
    const bool full = s->count == SM_LOG_BATCH_MAX;
    if (s->count == 0)
        sm_log_place(s);
    if (s->count > 0 || s->kept[0] == '\0' ||
        (strcmp(s->kept, s->place) != 0 && clock_now() - s->kept_at >= KEEP_US))
        sm_log_put(s);
    return more || (full && s->count == 0);
}

static void sm_log_complain(struct sm_log *s, const struct error *err)
{
    if (strcmp(s->trouble.text, err->text) != 0 && err->text[0] != '\0')
        log_write(s->options.log, LOG_LEVEL_WARNING, "%s", err->text);
    s->trouble = *err;
}

static void sm_log_take_list(struct sm_log *s, const char *text)
{
    struct error err = {0};
    struct unhealthy_list list = unhealthy_list_read(text);
    if (list.strange > 0)
        error_set(&err, "%s: %zu lines have another form, and are left out: see doc/sm-log.md",
                  s->options.unhealthy, list.strange);
    sm_log_complain(s, &err);
    if (s->options.compare(s->options.ctx, &list)) {
        s->taken = s->seen;
        s->taken_at = clock_now();
    }
    free(list.ports);
}

// Looks at the list of unhealthy ports. The subnet manager may be writing: what counts is read
// twice.
static void sm_log_look(struct sm_log *s)
{
    struct error err = {0}, why = {0};
    size_t size;
    char *text = regular_file_read(s->options.unhealthy, UNHEALTHY_LIST_SIZE_MAX, &size, &why);
    if (!text) {
        error_set(&err, "%s; the alarms sm-port-unhealthy stay as they are", why.text);
        sm_log_complain(s, &err);
        return;
    }
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, text, size);
    const bool is_due =
        s->taken_at == 0 || digest != s->taken || clock_now() - s->taken_at >= KEEP_US;
    if (digest == s->seen && is_due)
        sm_log_take_list(s, text);
    s->seen = digest;
    free(text);
}

static void *sm_log_run(void *arg)
{
    struct sm_log *s = arg;
    bool stop = false;
    while (!stop) {
        const bool has_log = s->tail || s->journal;
        const int64_t pause = has_log && sm_log_round(s) ? 0 : CLOCK_US_PER_S;
        if (s->options.unhealthy[0] != '\0')
            sm_log_look(s);
        pthread_mutex_lock(&s->lock);
        CLOCK_AWAIT(&s->stopped, &s->lock, pause, s->stop);
        stop = s->stop;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void sm_log_free(struct sm_log *s)
{
    if (s->tail)
        log_tail_free(s->tail);
    journal_tail_free(s->journal);
    pthread_cond_destroy(&s->stopped);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

struct sm_log *sm_log_start(const struct sm_log_options *options, struct error *err)
{
    struct sm_log *s = memory_zeroed(1, sizeof *s);
    s->options = *options;
    const bool is_file = options->path[0] == '/';
    if (is_file)
        s->tail = log_tail_new(options->path, options->place, options->log);
    else if (options->path[0] != '\0')
        s->journal = journal_tail_new(options->path + strcspn(options->path, ":") +
                                          (strchr(options->path, ':') != NULL),
                                      options->place, options->log);
    snprintf(s->kept, sizeof s->kept, "%s", options->place);
    s->kept_at = clock_now();
    pthread_mutex_init(&s->lock, NULL);
    clock_condition_init(&s->stopped);
    const int rc = thread_start(&s->thread, "sm-log", sm_log_run, s);
    if (rc == 0)
        return s;
    error_set(err, "cannot start to read the log of the subnet manager: %s", strerror(rc));
    sm_log_free(s);
    return NULL;
}

void sm_log_stop(struct sm_log *sm_log)
{
    if (!sm_log)
        return;
    pthread_mutex_lock(&sm_log->lock);
    sm_log->stop = true;
    pthread_cond_signal(&sm_log->stopped);
    pthread_mutex_unlock(&sm_log->lock);
    pthread_join(sm_log->thread, NULL);
    sm_log_free(sm_log);
}
