// SPDX-License-Identifier: BSD-2-Clause
#include "page/page_alarms.h"

#include "base/search.h"
#include "control/answer.h"
#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

enum { ALARMS_AT_ONCE = 256 };

struct page_alarms {
    struct alarm *kept;                   // room for PAGE_ALARMS_MAX, in no order
    struct alarm *worst[PAGE_ALARMS_MAX]; // these, in order
    size_t count;
    int64_t after;
    int64_t now_us;
    struct journal *journal;
    const struct fabric *fabric;
    const struct names *names;
    struct page_names *then;
    unsigned names_read;
};

static bool page_alarms_is_calm(const struct alarm *a, int64_t now_us)
{
    return a->acknowledged_us != 0 || a->shelved_until_us > now_us;
}

static bool page_alarms_before(const struct page_alarms *all, const struct alarm *a,
                               const struct alarm *b)
{
    const bool calm_a = page_alarms_is_calm(a, all->now_us);
    const bool calm_b = page_alarms_is_calm(b, all->now_us);
    if (calm_a != calm_b)
        return calm_b;
    if (a->severity != b->severity)
        return a->severity < b->severity;
    return a->raised_us > b->raised_us;
}

// There may be half a million: alarms are large, and only pointers to them are moved.
static void page_alarms_take(void *ctx, const struct alarm *alarm)
{
    struct page_alarms *all = ctx;
    size_t at;
    all->after = alarm->event_sequence;
    SEARCH_FIRST(at, (size_t)0, all->count, !page_alarms_before(all, alarm, all->worst[at]));
    if (at == PAGE_ALARMS_MAX)
        return;
    const bool full = all->count == PAGE_ALARMS_MAX;
    struct alarm *place = full ? all->worst[all->count - 1] : &all->kept[all->count];
    all->count += !full;
    memmove(&all->worst[at + 1], &all->worst[at], (all->count - 1 - at) * sizeof(struct alarm *));
    *place = *alarm;
    all->worst[at] = place;
}

// What an end was called in the event that raised the alarm, if that was about it.
static const char *page_alarms_name_then(const struct page_name *then, uint64_t guid)
{
    return !then                     ? ""
           : then->guid == guid      ? then->name
           : then->peer_guid == guid ? then->peer_name
                                     : "";
}

static bool page_alarms_is_there(const struct page_alarms *all, uint64_t guid)
{
    return names_find(all->names, guid) ||
           (all->fabric && fabric_find_node(all->fabric, guid) != FABRIC_NONE);
}

static json_t *page_alarms_end(const struct page_alarms *all, const struct page_name *then,
                               uint64_t guid, uint8_t port)
{
    const uint32_t node = all->fabric ? fabric_find_node(all->fabric, guid) : FABRIC_NONE;
    const char *name = names_find(all->names, guid);
    if (!name)
        name = node != FABRIC_NONE ? all->fabric->nodes[node].description
                                   : page_alarms_name_then(then, guid);
    return json_pack("{s:o, s:o, s:i}", "guid", answer_guid(guid), "name", answer_text(name),
                     "port", (int)port);
}

static json_t *page_alarms_ends(struct page_alarms *all, const struct alarm *a)
{
    struct alarm_key what;
    json_t *ends = json_array();
    if (!picture_read_key(a->key, &what) || what.kind > ALARM_KEY_RATE)
        return ends;
    const bool gone = !page_alarms_is_there(all, what.guid) ||
                      (what.peer_guid != 0 && !page_alarms_is_there(all, what.peer_guid));
    const struct page_name *then = gone && all->names_read++ < PAGE_NAMES_MAX
                                       ? page_names_find(all->then, all->journal, a->event_sequence)
                                       : NULL;
    json_array_append_new(ends, page_alarms_end(all, then, what.guid, what.port));
    if (what.peer_guid != 0)
        json_array_append_new(ends, page_alarms_end(all, then, what.peer_guid, what.peer_port));
    return ends;
}

static json_t *page_alarms_one(struct page_alarms *all, const struct alarm *a)
{
    return json_pack("{s:I, s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "number",
                     (json_int_t)a->event_sequence, "event", a->type, "severity",
                     severity_word(a->severity), "text", answer_text(a->text), "raised",
                     answer_time(a->raised_us), "count", (json_int_t)a->count, "acknowledged",
                     answer_time(a->acknowledged_us), "note", answer_text(a->note), "shelved_until",
                     answer_time(a->shelved_until_us), "ends", page_alarms_ends(all, a));
}

json_t *page_alarms_json(struct journal *journal, const struct fabric *fabric,
                         const struct names *names, struct page_names *then)
{
    struct page_alarms all = {.kept = calloc(PAGE_ALARMS_MAX, sizeof *all.kept),
                              .now_us = clock_utc(&clock_system),
                              .journal = journal,
                              .fabric = fabric,
                              .names = names,
                              .then = then};
    json_t *list = all.kept ? json_array() : NULL;
    if (list) {
        bool more = true;
        while (more)
            more = journal_each_alarm_after(journal, all.after, ALARMS_AT_ONCE, page_alarms_take,
                                            &all);
        for (size_t i = 0; i < all.count; i++)
            json_array_append_new(list, page_alarms_one(&all, all.worst[i]));
    }
    free(all.kept);
    return list;
}
