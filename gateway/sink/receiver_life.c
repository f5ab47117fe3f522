// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include "base/memory.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void receiver_free(struct receiver *receiver)
{
    guid_set_unref(receiver->options.filter.trap_group);
    receiver_again_free(receiver);
    pthread_cond_destroy(&receiver->has_ended);
    pthread_mutex_destroy(&receiver->filter_lock);
    pthread_mutex_destroy(&receiver->lock);
    free(receiver);
}

struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err)
{
    struct receiver *receiver = memory_zeroed(1, sizeof *receiver);
    receiver->sink = *sink;
    receiver->options = *options;
    receiver->has_problem = receiver->notified_failing = options->was_failing;
    receiver->tickets.first = receiver->tickets.base = 1;
    receiver->tokens = options->burst;
    receiver->tokens_at = clock_monotonic(options->clock);
    atomic_init(&receiver->paused, options->carried.paused);
    atomic_init(&receiver->flush_through, options->carried.flush_through);
    receiver->handle = options->backlog
                           ? journal_receiver_with_backlog(options->journal, sink->name)
                           : journal_receiver(options->journal, sink->name);
    if (receiver->handle < 0) {
        error_set(err, "too many receivers");
        free(receiver);
        return NULL;
    }
    receiver->audience = (struct audience){.filter = &receiver->options.filter,
                                           .lock = &receiver->filter_lock,
                                           .journal = options->journal,
                                           .handle = receiver->handle};
    journal_note_filter(options->journal, receiver->handle, filter_digest(&options->filter));
    if (options->section != 0)
        journal_note_section(options->journal, receiver->handle, options->section);
    receiver->read_through = journal_cursor(options->journal, receiver->handle);
    if (options->section < 0)
        journal_note_unknown(options->journal, receiver->handle, receiver->read_through);
    const int64_t had = journal_former_cursor(options->journal, receiver->handle);
    if (options->section < 0 || had < receiver->read_through)
        receiver_again_begin(receiver, journal_section_lacks_all_ends(options->section) ? 0 : had);
    receiver->read_through = had;
    receiver->had_through =
        journal_had_through(options->journal, receiver->handle, &receiver->had_after);
    guid_set_ref(receiver->options.filter.trap_group);
    pthread_mutex_init(&receiver->lock, NULL);
    pthread_mutex_init(&receiver->filter_lock, NULL);
    clock_condition_init(&receiver->has_ended);
    char name[THREAD_NAME_SIZE];
    snprintf(name, sizeof name, "to %s", sink->name);
    int rc = thread_start(&receiver->thread, name, receiver_thread_run, receiver);
    if (rc == 0)
        return receiver;
    error_set(err, "cannot start the thread of receiver %s: %s", sink->name, strerror(rc));
    receiver_free(receiver);
    return NULL;
}

void receiver_request_stop(struct receiver *receiver, int64_t stop_by)
{
    atomic_store(&receiver->stop_by, stop_by);
    atomic_store(&receiver->stop, true);
    journal_wake(receiver->options.journal);
}

bool receiver_await_end(struct receiver *receiver, int64_t patience_us)
{
    pthread_mutex_lock(&receiver->lock);
    CLOCK_AWAIT(&receiver->has_ended, &receiver->lock, patience_us, receiver->ended);
    bool ended = receiver->ended;
    receiver->left = !ended;
    pthread_mutex_unlock(&receiver->lock);
    return ended;
}

bool receiver_finish(struct receiver *receiver, int64_t patience_us)
{
    if (!receiver_await_end(receiver, patience_us))
        return false;
    pthread_join(receiver->thread, NULL);
    for (size_t i = 0; i < receiver->tickets.count; i++)
        event_unref(receiver_at(receiver, i)->event);
    receiver->sink.free(receiver->sink.self);
    receiver_free(receiver);
    return true;
}

const struct sink *receiver_sink(const struct receiver *receiver)
{
    return &receiver->sink;
}

void receiver_reopen(struct receiver *receiver)
{
    if (receiver->sink.reopen)
        receiver->sink.reopen(receiver->sink.self);
}

void receiver_pause(struct receiver *receiver, bool paused)
{
    atomic_store(&receiver->paused, paused);
}

void receiver_hurry(struct receiver *receiver)
{
    atomic_store(&receiver->hurried, true);
}

void receiver_flush(struct receiver *receiver)
{
    atomic_store(&receiver->flush_through, journal_last(receiver->options.journal));
}

void receiver_recall_failing(struct receiver *receiver)
{
    atomic_store(&receiver->recalled, true);
}

struct receiver_carried receiver_carried(const struct receiver *receiver)
{
    return (struct receiver_carried){atomic_load(&receiver->paused),
                                     atomic_load(&receiver->flush_through)};
}

const char *receiver_outcome_word(enum receiver_outcome outcome)
{
    static const char *const WORDS[] = {"waiting",  "delivered", "filtered",
                                        "given up", "passed",    "sent"};
    return WORDS[outcome];
}

static void receiver_read_counts(const struct receiver_counts *counts, struct receiver_status *out)
{
    out->sent = counts->sent;
    out->filtered = counts->filtered;
    out->dropped = counts->dropped;
    out->handed = counts->handed;
    out->repeated = counts->repeated;
    out->delivered_at = counts->delivered_at;
}

void receiver_get_status(struct receiver *receiver, struct receiver_status *out)
{
    int64_t cursor = journal_cursor(receiver->options.journal, receiver->handle);
    pthread_mutex_lock(&receiver->lock);
    *out = receiver->status;
    pthread_mutex_unlock(&receiver->lock);
    receiver_read_counts(&receiver->counts, out); // after the cursor: they have all events up to it
    out->untried = out->delivered_at == 0 && out->problem[0] == '\0';
    out->paused = atomic_load(&receiver->paused);
    out->hurried = atomic_load(&receiver->hurried) && out->problem[0] != '\0';
    out->confirms = receiver->sink.in_flight_max > 0;
    out->cursor = cursor;
    struct journal *journal = receiver->options.journal;
    out->lag = journal_between(journal, cursor, journal_last(journal) + 1);
    out->oldest_us = atomic_load(&receiver->oldest_us);
}

const struct histogram *receiver_times(const struct receiver *receiver)
{
    return &receiver->times;
}
