// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { READ_AHEAD = 64 };

bool receiver_resend(struct receiver *receiver, int64_t number)
{
    int_fast64_t none = 0;
    if (!atomic_compare_exchange_strong(&receiver->resend, &none, number))
        return false;
    journal_wake(receiver->options.journal);
    return true;
}

// A copy with a mark; the caller's.
static struct event *receiver_again_mark(const struct event *event)
{
    struct event *copy = event_copy(event);
    copy->sent_again = true;
    snprintf(copy->text, sizeof copy->text, "Sent again: %.1000s", event->text);
    return copy;
}

// The event with the number, with a mark; the caller's. NULL: the journal does not have the event,
// or the disk fails.
static struct event *receiver_again_load(struct receiver *receiver, int64_t number)
{
    struct event *event = journal_read_one(receiver->options.journal, number);
    struct event *copy = event ? receiver_again_mark(event) : NULL;
    event_unref(event);
    return copy;
}

// Takes over the event. The cursor stays where it is.
static void receiver_again_add(struct receiver *receiver, struct event *event)
{
    struct tickets *t = &receiver->tickets;
    *receiver_at(receiver, t->count++) = (struct ticket){
        .sequence = receiver->read_through, .event = event, .state = TICKET_WAITING};
}

// Whether the event is the last one by which the receiver hears of its alarm: the walk goes back.
// Beyond RECEIVER_RESYNC_KEYS alarms an end may come more than once.
static bool receiver_again_is_last(struct receiver *receiver, const struct event *event)
{
    struct receiver_resync *resync = &receiver->resync;
    if (event->test || event_alarm(event) == ALARM_NONE ||
        audience_refusal(&receiver->audience, event))
        return false;
    const uint64_t digest = hash_digest_string(&resync->keys, event->alarm_key);
    if (hash_find(&resync->keys, digest))
        return false;
    if (!hash_is_full(&resync->keys))
        hash_add(&resync->keys, &resync->nodes[resync->keys.count], digest);
    return true;
}

static void receiver_again_end_ends(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    resync->ends_before = 0;
    receiver->read_through = resync->through;
    receiver_again_free(receiver);
}

// Adds the ends among the events before, of alarms of which the receiver heard nothing later.
static void receiver_again_add_ends(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    struct journal_item items[READ_AHEAD];
    struct journal *journal = receiver->options.journal;
    size_t n = journal_read_back(journal, resync->ends_before, items, READ_AHEAD);
    if (n == 0)
        n = journal_read_kept_back(journal, resync->ends_before, items, READ_AHEAD);
    bool more = n > 0;
    for (size_t i = 0; i < n; i++) {
        struct event *event = items[i].event;
        resync->ends_before = items[i].sequence;
        more = more && items[i].sequence > resync->ends_after;
        if (more && event && receiver_again_is_last(receiver, event) &&
            event_alarm(event) == ALARM_CLEARS)
            receiver_again_add(receiver, receiver_again_mark(event));
        event_unref(event);
    }
    if (!more)
        receiver_again_end_ends(receiver);
}

// Whether the alarm is active, or no receiver was told of its end: an alarm that flaps may stand
// again, and receivers are told nothing more then.
static bool receiver_again_stands(const struct alarm *alarm)
{
    return !alarm->over || (alarm->notified == ALARM_NOTIFIED && alarm->told_sequence > 0);
}

// The last event that told receivers of the alarm, under the identifier that receivers know, or the
// last one before that passes the filter. Retention keeps these events while the alarm is open.
static struct event *receiver_again_raise(struct receiver *receiver, const struct alarm *alarm)
{
    const int64_t last = alarm->told_sequence > 0 ? alarm->told_sequence : alarm->event_sequence;
    struct event *event = receiver_again_load(receiver, last);
    if (!event)
        log_write(receiver->options.log, LOG_LEVEL_WARNING,
                  "receiver %s: the alarm '%s' is not sent again, as the journal no longer has its "
                  "event",
                  receiver->sink.name, alarm->key);
    if (event && alarm->notified == ALARM_NOTIFIED) {
        event->suppressed[0] = '\0';
        snprintf(event->id, sizeof event->id, "%s", alarm->notified_id);
    }
    for (int i = 1; i < JOURNAL_RAISES_MAX && event && event->told_number > 0 &&
                    audience_refusal(&receiver->audience, event);
         i++) {
        struct event *earlier = receiver_again_load(receiver, event->told_number);
        event_unref(event);
        event = earlier;
    }
    return event;
}

static void receiver_again_add_alarms(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    struct alarm_page page = {.all = memory_zeroed(READ_AHEAD, sizeof *page.all),
                              .room = READ_AHEAD,
                              .after = resync->alarms_after};
    journal_read_alarms(receiver->options.journal, JOURNAL_OPEN_ALARMS, &page);
    resync->active = page.more;
    resync->alarms_after = page.after;
    for (size_t i = 0; i < page.count; i++) {
        const struct alarm *alarm = &page.all[i];
        struct event *event =
            receiver_again_stands(alarm) && alarm->event_sequence <= resync->through
                ? receiver_again_raise(receiver, alarm)
                : NULL; // in its turn
        if (event)
            receiver_again_add(receiver, event);
    }
    free(page.all);
    if (resync->active)
        return;
    resync->last = receiver->tickets.first + receiver->tickets.count;
    resync->sure_at = journal_last(receiver->options.journal);
}

// Notes in the journal whether the receiver is in line: a kill in between begins anew.
static void receiver_again_note(const struct receiver *receiver, bool in_line, bool all_ends)
{
    const int64_t section = journal_section_number(receiver->options.section);
    if (section != 0)
        journal_note_section(receiver->options.journal, receiver->handle,
                             in_line ? section : -(section | all_ends));
}

void receiver_again_begin(struct receiver *receiver, int64_t ends_after)
{
    const int64_t through = receiver->read_through;
    receiver_again_note(receiver, false, ends_after == 0 && through > 0);
    receiver_again_free(receiver);
    receiver->resync = (struct receiver_resync){.active = true, .through = through};
    journal_note_told_again(receiver->options.journal, receiver->handle, 0);
    if (ends_after >= through)
        return;
    receiver->resync.ends_before = through + 1;
    receiver->resync.ends_after = ends_after;
    hash_init(&receiver->resync.keys, RECEIVER_RESYNC_KEYS, receiver->options.random);
    receiver->resync.nodes = memory_get(RECEIVER_RESYNC_KEYS * sizeof *receiver->resync.nodes);
}

void receiver_again_free(struct receiver *receiver)
{
    hash_clear(&receiver->resync.keys);
    free(receiver->resync.nodes);
    receiver->resync.nodes = NULL;
}

void receiver_advance(struct receiver *receiver, int64_t through)
{
    pthread_mutex_lock(&receiver->lock);
    if (!receiver->left && receiver->unknown_through > 0 && receiver->unknown_through <= through)
        journal_note_unknown(receiver->options.journal, receiver->handle,
                             receiver->unknown_through);
    if (!receiver->left)
        journal_advance(receiver->options.journal, receiver->handle, through);
    pthread_mutex_unlock(&receiver->lock);
    log_debug(receiver->options.log, "%s: cursor moved to number %lld", receiver->sink.name,
              (long long)through);
}

// Notes that the receiver knows the alarms that were open, once it has also passed the ends that
// came before it was told.
static void receiver_again_be_sure(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    if (resync->sure_at == 0 || resync->last != 0 ||
        journal_cursor(receiver->options.journal, receiver->handle) < resync->sure_at)
        return;
    if (!resync->gave_up)
        journal_note_told_again(receiver->options.journal, receiver->handle, resync->through);
    resync->sure_at = 0;
}

void receiver_again_end(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    const bool ends = resync->last != 0 && receiver->tickets.first >= resync->last;
    if (ends) {
        resync->last = 0;
        if (journal_cursor(receiver->options.journal, receiver->handle) <= resync->through)
            receiver_advance(receiver, resync->through);
    }
    receiver_again_be_sure(receiver);
    if (ends)
        receiver_again_note(receiver, true, false);
}

bool receiver_again_waits(struct receiver *receiver)
{
    return receiver->resync.active || atomic_load(&receiver->resend) != 0 ||
           journal_is_asked_line(receiver->options.journal, receiver->handle);
}

static bool receiver_again_read_one(struct receiver *receiver)
{
    const int64_t number = atomic_exchange(&receiver->resend, 0);
    struct event *event = number != 0 ? receiver_again_load(receiver, number) : NULL;
    if (event)
        receiver_again_add(receiver, event);
    return event != NULL;
}

bool receiver_again_read(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    if (receiver_again_read_one(receiver))
        return true;
    if (journal_is_asked_line(receiver->options.journal, receiver->handle))
        receiver_again_begin(receiver, 0);
    if (!resync->active)
        return false;
    if (resync->ends_before > 0)
        receiver_again_add_ends(receiver);
    else
        receiver_again_add_alarms(receiver);
    return true;
}
