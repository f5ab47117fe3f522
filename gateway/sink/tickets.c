// SPDX-License-Identifier: BSD-2-Clause
#include "sink/tickets.h"

#include "base/hash.h"

#include <string.h>

static bool tickets_is_out(const struct ticket *ticket)
{
    return ticket->state >= TICKET_IN_FLIGHT && ticket->state <= TICKET_DOUBTED;
}

void tickets_settle(struct tickets *t, uint64_t number, enum ticket_state verdict)
{
    struct ticket *ticket = tickets_at(t, number);
    if (t->in_flight == 0 || number < t->oldest || number > t->newest ||
        ticket->state != TICKET_IN_FLIGHT)
        return;
    ticket->state = verdict == TICKET_DOUBTED && t->in_flight == 1 ? TICKET_REFUSED : verdict;
    if (verdict != TICKET_DONE)
        return;
    t->done++;
    t->in_flight--;
    while (t->in_flight > 0 && !tickets_is_out(tickets_at(t, t->oldest)))
        t->oldest++;
}

uint64_t tickets_behind(struct tickets *t, uint64_t number)
{
    uint64_t n = number + 1 > t->oldest ? number + 1 : t->oldest;
    if (t->in_flight == 0)
        return 0;
    while (n <= t->newest && tickets_at(t, n)->state != TICKET_IN_FLIGHT)
        n++;
    return n <= t->newest ? n : 0;
}

static uint64_t tickets_digest(const char *text)
{
    return digest_add(DIGEST_OF_NOTHING, text, strlen(text));
}

uint64_t tickets_alarm_key(const struct event *event)
{
    return tickets_digest(event->alarm_key);
}

int64_t tickets_stalled_us(struct tickets *t, int64_t now)
{
    if (t->watched != t->oldest || t->in_flight == 0) {
        t->watched = t->oldest;
        t->watched_at = now;
    }
    return now - t->watched_at;
}

static bool tickets_is_same(uint64_t digest, uint64_t other)
{
    return digest == other && digest != DIGEST_OF_NOTHING;
}

// Whether the event follows an event in flight: an event of its alarm, or its root cause. If the
// network lost the earlier event, this event would overtake the earlier event. Two different texts
// with one digest only make an event wait.
static bool tickets_follows(struct tickets *t, const struct ticket *ticket)
{
    const uint64_t cause = tickets_digest(ticket->event->cause_id);
    uint64_t n = 0;
    while ((n = tickets_behind(t, n)) != 0) {
        const struct ticket *other = tickets_at(t, n);
        if (tickets_is_same(other->key, ticket->key) || tickets_is_same(other->id, cause))
            return true;
    }
    return false;
}

bool tickets_give(struct tickets *t, uint64_t number)
{
    struct ticket *ticket = tickets_at(t, number);
    if (t->order_key) {
        ticket->id = tickets_digest(ticket->event->id);
        ticket->key = t->order_key(ticket->event);
    }
    if (t->in_flight > 0 &&
        (t->alone || ticket->alone || (t->order_key && tickets_follows(t, ticket))))
        return false;
    ticket->state = TICKET_IN_FLIGHT;
    ticket->mark = 0;
    if (t->in_flight++ == 0)
        t->oldest = number;
    t->newest = number;
    t->alone = ticket->alone;
    return true;
}

void tickets_take_back(struct tickets *t)
{
    struct ticket *ticket = tickets_at(t, t->newest);
    if (ticket->state == TICKET_IN_FLIGHT) {
        ticket->state = TICKET_WAITING;
        t->in_flight--;
    }
}

void tickets_take_all_back(struct tickets *t)
{
    for (uint64_t n = t->oldest; t->in_flight > 0 && n <= t->newest; n++) {
        struct ticket *ticket = tickets_at(t, n);
        ticket->alone |= ticket->state == TICKET_DOUBTED;
        if (tickets_is_out(ticket))
            ticket->state = TICKET_WAITING;
    }
    t->in_flight = t->handed = 0;
    t->watched = 0;
    t->order_key = NULL;
}

uint64_t tickets_refused(struct tickets *t)
{
    for (uint64_t n = t->oldest; t->in_flight > 0 && n <= t->newest; n++) {
        if (tickets_at(t, n)->state == TICKET_REFUSED)
            return n;
    }
    return 0;
}
