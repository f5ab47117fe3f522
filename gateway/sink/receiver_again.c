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

// Adds the ends among the next events.
static void receiver_again_add_ends(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    struct journal_item items[READ_AHEAD];
    const size_t n = journal_read(receiver->options.journal, resync->ends_after, items, READ_AHEAD);
    resync->ends_after = n > 0 ? items[n - 1].sequence : resync->through;
    for (size_t i = 0; i < n; i++) {
        struct event *event = items[i].event;
        if (event && items[i].sequence <= resync->through && !event->test &&
            event_alarm(event) == ALARM_CLEARS)
            receiver_again_add(receiver, receiver_again_mark(event));
        event_unref(event);
    }
}

struct receiver_again_page {
    struct alarm alarms[READ_AHEAD];
    size_t count;
};

static void receiver_again_take(void *ctx, const struct alarm *alarm)
{
    struct receiver_again_page *page = ctx;
    page->alarms[page->count++] = *alarm;
}

// The event that raised the alarm, as receivers were told: under the identifier that they know.
static struct event *receiver_again_raise(struct receiver *receiver, const struct alarm *alarm)
{
    struct event *event = receiver_again_load(receiver, alarm->event_sequence);
    if (!event)
        log_write(receiver->options.log, LOG_LEVEL_WARNING,
                  "receiver %s: the alarm '%s' is not sent again, as the journal no longer has its "
                  "event",
                  receiver->sink.name, alarm->key);
    if (event && alarm->notified == ALARM_NOTIFIED) {
        event->suppressed[0] = '\0';
        snprintf(event->id, sizeof event->id, "%s", alarm->notified_id);
    }
    return event;
}

static void receiver_again_add_alarms(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    struct receiver_again_page *page = memory_zeroed(1, sizeof *page);
    resync->active = journal_each_alarm_after(receiver->options.journal, resync->alarms_after,
                                              READ_AHEAD, receiver_again_take, page);
    for (size_t i = 0; i < page->count; i++) {
        const struct alarm *alarm = &page->alarms[i];
        resync->alarms_after = alarm->event_sequence;
        struct event *event = alarm->event_sequence <= resync->through
                                  ? receiver_again_raise(receiver, alarm)
                                  : NULL; // in its turn
        if (event)
            receiver_again_add(receiver, event);
    }
    free(page);
    if (!resync->active)
        resync->last = receiver->tickets.first + receiver->tickets.count;
}

void receiver_again_begin(struct receiver *receiver, bool ends)
{
    const int64_t through = receiver->read_through,
                  after = ends ? through - RECEIVER_RESYNC_ENDS : through;
    receiver->resync = (struct receiver_resync){
        .active = true, .through = through, .ends_after = after > 0 ? after : 0};
}

void receiver_again_end(struct receiver *receiver)
{
    struct receiver_resync *resync = &receiver->resync;
    if (resync->last == 0 || receiver->tickets.first < resync->last)
        return;
    resync->last = 0;
    const int64_t section = receiver->options.section;
    if (section < 0)
        journal_note_section(receiver->options.journal, receiver->handle, -section);
}

void receiver_resync(struct receiver *receiver)
{
    atomic_store(&receiver->wants_resync, true);
    journal_wake(receiver->options.journal);
}

bool receiver_again_waits(struct receiver *receiver)
{
    return receiver->resync.active || atomic_load(&receiver->resend) != 0 ||
           atomic_load(&receiver->wants_resync);
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
    if (atomic_exchange(&receiver->wants_resync, false))
        receiver_again_begin(receiver, true);
    if (!resync->active)
        return false;
    if (resync->ends_after < resync->through)
        receiver_again_add_ends(receiver);
    else
        receiver_again_add_alarms(receiver);
    return true;
}
