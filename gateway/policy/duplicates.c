// SPDX-License-Identifier: BSD-2-Clause
#include "policy/duplicates.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/wire.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "policy/timers.h"

#include <stdlib.h>
#include <string.h>

enum { IDENTITY_MAX = 640 };

// Events with equal identities are duplicates of each other.
struct identity {
    uint8_t octets[IDENTITY_MAX];
    size_t size;
};

struct thing {
    struct timer timer; // first member: the end of its window
    struct hash_node node;
    struct identity identity;
    const struct catalogue_entry *type; // of the event that was sent
    struct duplicates_account account;
};

struct duplicates {
    void (*report)(void *ctx, const struct duplicates_account *account);
    void *ctx;
    struct hash things; // by identity
    struct timers timers;
};

struct duplicates *duplicates_new(void (*report)(void *ctx,
                                                 const struct duplicates_account *account),
                                  void *ctx, const struct random *random)
{
    struct duplicates *d = memory_zeroed(1, sizeof *d);
    d->report = report;
    d->ctx = ctx;
    hash_init(&d->things, DUPLICATES_MAX, random);
    timers_init(&d->timers, DUPLICATES_MAX);
    return d;
}

static void duplicates_forget(struct duplicates *d, struct thing *thing)
{
    hash_remove(&d->things, &thing->node);
    timers_drop(&d->timers, &thing->timer);
    event_unref(thing->account.last);
    free(thing);
}

void duplicates_free(struct duplicates *duplicates)
{
    if (!duplicates)
        return;
    while (timers_first(&duplicates->timers))
        duplicates_forget(duplicates, (struct thing *)timers_first(&duplicates->timers));
    timers_clear(&duplicates->timers);
    hash_clear(&duplicates->things);
    free(duplicates);
}

// Identities.

static void duplicates_add_octets(struct identity *i, const void *octets, size_t size)
{
    const size_t room = sizeof i->octets - i->size;
    memcpy(i->octets + i->size, octets, size < room ? size : room);
    i->size += size < room ? size : room;
}

static void duplicates_add_number(struct identity *i, uint64_t number)
{
    uint8_t octets[8];
    wire_put(octets, sizeof octets, number);
    duplicates_add_octets(i, octets, sizeof octets);
}

static void duplicates_add_endpoint(struct identity *i, const struct endpoint *who)
{
    duplicates_add_number(i, who->guid);
    duplicates_add_number(i, (uint64_t)who->lid << 8 | who->port);
}

// The traps 64 to 69 form pairs: an even trap and the next odd trap are counterparts.
static bool duplicates_is_of_pair(const struct event *event)
{
    const uint16_t trap = event->type->trap;
    return trap >= NOTICE_GID_IN_SERVICE && trap <= NOTICE_REPATH;
}

// The Notice's octets without TrapNumber, NoticeToggle and NoticeCount (IBA 13.4.8.2).
static void duplicates_add_raw(struct identity *i, const struct event *event)
{
    enum { TRAP = 4, LID = 6, TOGGLE = 8, DETAILS = 10 };
    if (event->raw_size != NOTICE_SIZE) {
        duplicates_add_octets(i, event->raw, event->raw_size);
        return;
    }
    duplicates_add_octets(i, event->raw, TRAP);
    duplicates_add_octets(i, event->raw + LID, TOGGLE - LID);
    duplicates_add_octets(i, event->raw + DETAILS, NOTICE_SIZE - DETAILS);
}

static void duplicates_add_field(struct identity *i, const struct event *event, enum field field)
{
    if (field == FIELD_RAW) {
        duplicates_add_raw(i, event);
        return;
    }
    const struct field_value value = field_get(event, field);
    if (value.is_number)
        duplicates_add_number(i, value.number);
    else
        duplicates_add_octets(i, value.octets, value.size);
}

static void duplicates_identify(const struct event *event, struct identity *out)
{
    out->size = 0;
    if (duplicates_is_of_pair(event)) {
        duplicates_add_number(out, event->type->trap / 2);
    } else {
        duplicates_add_octets(out, &event->type, sizeof event->type);
        duplicates_add_number(out, event->notice.trap);
        duplicates_add_endpoint(out, &event->issuer);
    }
    duplicates_add_endpoint(out, &event->subject);
    duplicates_add_endpoint(out, &event->peer);
    duplicates_add_number(out, event->sm_guid);
    duplicates_add_number(out, event->counter);
    const enum field *fields = event->type->fields;
    for (size_t f = 0; f < CATALOGUE_FIELDS_MAX && fields[f] != FIELD_NONE; f++)
        duplicates_add_field(out, event, fields[f]);
    duplicates_add_octets(out, event->reason, strlen(event->reason));
}

static bool duplicates_is_identity(const struct identity *a, const struct identity *b)
{
    return a->size == b->size && memcmp(a->octets, b->octets, a->size) == 0;
}

static struct thing *duplicates_find(const struct duplicates *d, const struct identity *identity,
                                     uint64_t digest)
{
    struct hash_node *node = hash_find(&d->things, digest);
    while (node &&
           !duplicates_is_identity(&HASH_THING(node, struct thing, node)->identity, identity))
        node = hash_find_next(node);
    return HASH_THING(node, struct thing, node);
}

// Windows.

static void duplicates_report(struct duplicates *d, struct thing *thing)
{
    if (thing->account.suppressed == 0)
        return;
    d->report(d->ctx, &thing->account);
    event_unref(thing->account.last);
    thing->account.last = NULL;
    thing->account.suppressed = 0;
}

static void duplicates_begin_window(struct duplicates *d, struct thing *thing,
                                    const struct event *event, int64_t end)
{
    duplicates_report(d, thing);
    thing->type = event->type;
    memcpy(thing->account.first_id, event->id, sizeof thing->account.first_id);
    timers_set(&d->timers, &thing->timer, end);
}

static struct thing *duplicates_add(struct duplicates *d, const struct identity *identity,
                                    uint64_t digest)
{
    if (hash_is_full(&d->things)) {
        struct thing *oldest = (struct thing *)timers_first(&d->timers);
        duplicates_report(d, oldest);
        duplicates_forget(d, oldest);
    }
    struct thing *thing = memory_zeroed(1, sizeof *thing);
    thing->identity = *identity;
    hash_add(&d->things, &thing->node, digest);
    return thing;
}

static void duplicates_count_duplicate(struct thing *thing, struct event *event)
{
    if (thing->account.suppressed++ == 0)
        thing->account.since_us = event->time_us;
    event_unref(thing->account.last);
    thing->account.last = event_ref(event);
}

bool duplicates_suppress(struct duplicates *duplicates, struct event *event, int64_t window_us,
                         int64_t now_us)
{
    struct identity identity;
    if (window_us == 0)
        return false;
    duplicates_tick(duplicates, window_us, now_us);
    duplicates_identify(event, &identity);
    const uint64_t digest = hash_digest(&duplicates->things, identity.octets, identity.size);
    struct thing *thing = duplicates_find(duplicates, &identity, digest);
    if (thing && thing->type == event->type) {
        duplicates_count_duplicate(thing, event);
        return true;
    }
    if (!thing)
        thing = duplicates_add(duplicates, &identity, digest);
    duplicates_begin_window(duplicates, thing, event, now_us + window_us);
    return false;
}

void duplicates_tick(struct duplicates *duplicates, int64_t window_us, int64_t now_us)
{
    while (timers_due(&duplicates->timers) <= now_us) {
        struct thing *thing = (struct thing *)timers_first(&duplicates->timers);
        const bool go_on = thing->account.suppressed > 0 && window_us > 0;
        duplicates_report(duplicates, thing);
        if (go_on)
            timers_set(&duplicates->timers, &thing->timer, now_us + window_us);
        else
            duplicates_forget(duplicates, thing);
    }
}

void duplicates_end(struct duplicates *duplicates)
{
    struct thing *thing;
    while ((thing = (struct thing *)timers_first(&duplicates->timers)) != NULL) {
        duplicates_report(duplicates, thing);
        duplicates_forget(duplicates, thing);
    }
}

int64_t duplicates_due(const struct duplicates *duplicates)
{
    return timers_due(&duplicates->timers);
}
