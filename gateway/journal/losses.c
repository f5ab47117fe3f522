// SPDX-License-Identifier: BSD-2-Clause
// Events that receivers had yet to get and lose: one alarm, from the first of them until no more
// are lost.
#include "journal/journal_private.h"

#include <inttypes.h>
#include <stdio.h>

// No event is lost for so long: then no more are lost.
static const int64_t QUIET_US = 60 * CLOCK_US_PER_S;

// Counts a loss. True: it is the first since the last alarm has ended.
static bool losses_count(struct journal *j, int64_t count, int64_t through, const char *reason)
{
    struct dropping *d = &j->dropping;
    pthread_mutex_lock(&j->lock);
    bool first = !d->active;
    j->status.dropped += (uint64_t)count;
    d->active = true;
    d->lost += (uint64_t)count;
    d->through = through > d->through ? through : d->through;
    d->quiet_at = clock_monotonic(j->options.clock) + QUIET_US;
    if (first)
        snprintf(d->reason, sizeof d->reason, "%s", reason);
    pthread_mutex_unlock(&j->lock);
    return first;
}

// Call this and losses_end with the lock of `notify` held.
static void losses_report(struct journal *journal, int64_t known, int64_t through,
                          const char *reason)
{
    if (!losses_count(journal, known, through, reason)) {
        log_debug(journal->options.log, "%" PRId64 " further events are lost: %s", known, reason);
        return;
    }
    log_condition(journal->options.log, LOG_LEVEL_ERROR, "%" PRId64 " events are lost: %s", known,
                  reason);
    journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, reason, (uint64_t)known);
}

void journal_lose_events(struct journal *journal, int64_t count, int64_t through,
                         const char *reason)
{
    if (count == 0)
        return;
    pthread_mutex_lock(&journal->notify_lock);
    losses_report(journal, count > 0 ? count : 0, through, reason);
    pthread_mutex_unlock(&journal->notify_lock);
}

void journal_resume_dropping(struct journal *journal, bool raised)
{
    int64_t last = journal_last(journal);
    pthread_mutex_lock(&journal->notify_lock);
    pthread_mutex_lock(&journal->lock);
    const struct dropping was = journal->dropping;
    bool first = !journal->listener_heard;
    journal->listener_heard = true;
    if (!was.active && raised)
        journal->dropping =
            (struct dropping){.active = true,
                              .through = last,
                              .quiet_at = clock_monotonic(journal->options.clock) + QUIET_US};
    pthread_mutex_unlock(&journal->lock);
    if (was.active && first)
        journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, was.reason, was.lost);
    pthread_mutex_unlock(&journal->notify_lock);
}

static void losses_end(struct journal *j, int64_t read)
{
    pthread_mutex_lock(&j->lock);
    const struct dropping was = j->dropping;
    bool over =
        was.active && clock_monotonic(j->options.clock) >= was.quiet_at && read >= was.through;
    if (over)
        j->dropping = (struct dropping){.active = false};
    pthread_mutex_unlock(&j->lock);
    if (!over)
        return;
    log_condition(j->options.log, LOG_LEVEL_INFO, "no more events are lost; %" PRIu64 " were",
                  was.lost);
    j->options.notify(j->options.ctx, JOURNAL_DROPPING_ENDED,
                      "every receiver has read on beyond them", was.lost);
}

void journal_end_dropping(struct journal *journal)
{
    char behind[STORE_NAME_MAX + 1];
    pthread_mutex_lock(&journal->notify_lock);
    losses_end(journal, journal_least_read(journal, behind));
    pthread_mutex_unlock(&journal->notify_lock);
}
