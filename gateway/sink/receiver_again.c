// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include <stdio.h>

bool receiver_resend(struct receiver *receiver, int64_t number)
{
    int_fast64_t none = 0;
    if (!atomic_compare_exchange_strong(&receiver->resend, &none, number))
        return false;
    journal_wake(receiver->options.journal);
    return true;
}

// The event with the number, as a copy with a mark; the caller's. NULL: the journal does not have
// the event, or the disk fails.
static struct event *receiver_again_load(struct receiver *receiver, int64_t number)
{
    struct journal_item item;
    struct event *copy = NULL;
    if (journal_read(receiver->options.journal, number - 1, &item, 1) == 0)
        return NULL;
    if (item.event && item.sequence == number) {
        copy = event_copy(item.event);
        copy->sent_again = true;
        snprintf(copy->text, sizeof copy->text, "Sent again: %.1000s", item.event->text);
    }
    event_unref(item.event);
    return copy;
}

// Takes over the event. The cursor stays where it is.
static void receiver_again_add(struct receiver *receiver, struct event *event)
{
    struct tickets *t = &receiver->tickets;
    *receiver_at(receiver, t->count++) = (struct ticket){
        .sequence = receiver->read_through, .event = event, .state = TICKET_WAITING};
}

bool receiver_again_waits(struct receiver *receiver)
{
    return atomic_load(&receiver->resend) != 0;
}

bool receiver_again_read(struct receiver *receiver)
{
    const int64_t number = atomic_exchange(&receiver->resend, 0);
    struct event *event = number != 0 ? receiver_again_load(receiver, number) : NULL;
    if (event)
        receiver_again_add(receiver, event);
    return event != NULL;
}
