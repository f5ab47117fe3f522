// SPDX-License-Identifier: BSD-2-Clause
#include "driver.h"

#include <string.h>

bool driver_open(struct driver *d, const struct sink *sink, struct error *err)
{
    d->sink = *sink;
    if (d->tickets.first == 0)
        d->tickets.first = d->tickets.base = 1;
    return !sink->open || sink->open(sink->self, &d->tickets, err);
}

// The ticket of the event to be sent next.
static struct ticket *driver_next(struct driver *d, const struct event *event)
{
    struct ticket *ticket = tickets_at(&d->tickets, d->tickets.first + d->tickets.handed);
    if (d->tickets.handed == d->tickets.count)
        *ticket = (struct ticket){0};
    ticket->event = (struct event *)event;
    return ticket;
}

enum sink_result driver_send(struct driver *d, const struct event *event, struct error *err)
{
    struct tickets *t = &d->tickets;
    const bool is_done = driver_next(d, event)->state == TICKET_DONE;
    enum sink_result result = SINK_PENDING;
    if (d->sink.in_flight_max == 0)
        return d->sink.send(d->sink.self, event, err);
    if (!is_done && !tickets_give(t, t->first + t->handed))
        return SINK_BLOCKED;
    if (!is_done)
        result = d->sink.send(d->sink.self, event, err);
    if (result != SINK_PENDING && result != SINK_FAILED) {
        tickets_take_back(t);
        return result;
    }
    t->count += t->handed == t->count;
    t->handed += result == SINK_PENDING;
    return result;
}

static void driver_drop(struct driver *d)
{
    d->tickets.first++;
    d->tickets.count--;
    d->tickets.handed -= d->tickets.handed > 0;
    if (d->tickets.count == 0)
        d->tickets.base = d->tickets.first;
}

int driver_ended(struct driver *d)
{
    int n = 0;
    d->tickets.done = 0;
    for (; d->tickets.count > 0; n++) {
        if (tickets_at(&d->tickets, d->tickets.first)->state != TICKET_DONE)
            break;
        driver_drop(d);
    }
    return n;
}

int driver_wait(struct driver *d, int timeout_ms, struct error *err)
{
    const bool ok = d->sink.wait(d->sink.self, timeout_ms, err);
    const int n = driver_ended(d);
    return n > 0 || ok ? n : -1;
}

int driver_refused(struct driver *d)
{
    int n = 0;
    for (uint64_t i = d->tickets.oldest; i <= d->tickets.newest; i++) {
        const enum ticket_state state = tickets_at(&d->tickets, i)->state;
        if (state == TICKET_REFUSED)
            return n;
        n += state == TICKET_IN_FLIGHT || state == TICKET_DOUBTED;
    }
    return -1;
}

void driver_give_up(struct driver *d)
{
    driver_drop(d);
}

void driver_close(struct driver *d)
{
    if (d->sink.close)
        d->sink.close(d->sink.self);
    tickets_take_all_back(&d->tickets);
}

void driver_free(struct driver *d)
{
    d->sink.free(d->sink.self);
    memset(d, 0, sizeof *d);
}
