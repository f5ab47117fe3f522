// SPDX-License-Identifier: BSD-2-Clause
#include "topology/link_history.h"

#include "base/memory.h"
#include "base/search.h"
#include "model/counter.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static_assert(LINK_HISTORY_OCCASIONS_MAX >= 16, "section unreliable takes up to 16");

struct link_history {
    pthread_mutex_t lock; // over `all` and `pending`, against the threads that only read
    struct link_history_limits limits;
    struct link_record **all; // ascending by link
    size_t count, capacity;
    struct link_incident *pending; // within LINK_HISTORY_SETTLE_US of the first
    size_t pending_count, pending_capacity;
    size_t unreliable; // records
    int64_t due_us;
    uint64_t overflowed;
};

struct link_history *link_history_new(const struct link_history_limits *limits)
{
    struct link_history *history = memory_zeroed(1, sizeof *history);
    pthread_mutex_init(&history->lock, NULL);
    history->limits = *limits;
    history->due_us = INT64_MIN;
    return history;
}

void link_history_clear(struct link_history *history)
{
    pthread_mutex_lock(&history->lock);
    for (size_t i = 0; i < history->count; i++)
        free(history->all[i]);
    history->count = history->pending_count = history->unreliable = 0;
    history->due_us = INT64_MIN;
    pthread_mutex_unlock(&history->lock);
}

void link_history_free(struct link_history *history)
{
    if (!history)
        return;
    link_history_clear(history);
    pthread_mutex_destroy(&history->lock);
    free(history->all);
    free(history->pending);
    free(history);
}

void link_history_change(struct link_history *history, const struct link_history_limits *limits)
{
    history->limits = *limits;
    history->due_us = INT64_MIN;
}

struct link_history_limits link_history_limits_of(const struct link_history *history)
{
    return history->limits;
}

uint64_t link_history_overflowed(const struct link_history *history)
{
    return history->overflowed;
}

int64_t link_history_due(const struct link_history *history)
{
    const int64_t settled =
        history->pending_count > 0 ? history->pending[0].at_us + LINK_HISTORY_SETTLE_US : INT64_MAX;
    return settled < history->due_us ? settled : history->due_us;
}

// Links and their records.

struct alarm_key link_history_key(uint64_t guid, uint8_t port, uint64_t peer_guid,
                                  uint8_t peer_port)
{
    const bool ordered = counter_compare_ports(guid, port, peer_guid, peer_port) <= 0;
    return (struct alarm_key){.kind = ALARM_KEY_LINK,
                              .guid = ordered ? guid : peer_guid,
                              .port = ordered ? port : peer_port,
                              .peer_guid = ordered ? peer_guid : guid,
                              .peer_port = ordered ? peer_port : port,
                              .about = ALARM_ABOUT_UNRELIABLE};
}

static int link_history_compare(const struct alarm_key *a, const struct alarm_key *b)
{
    const int first = counter_compare_ports(a->guid, a->port, b->guid, b->port);
    return first != 0
               ? first
               : counter_compare_ports(a->peer_guid, a->peer_port, b->peer_guid, b->peer_port);
}

uint64_t link_record_incidents(const struct link_record *record, enum link_incident_kind kind)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < record->count; i++)
        sum += record->occasions[i].incidents[kind];
    return sum;
}

// The place of the link's record, or where it would be.
static size_t link_history_place(const struct link_history *h, const struct alarm_key *link)
{
    size_t at;
    SEARCH_FIRST(at, 0, h->count, link_history_compare(&h->all[at]->link, link) < 0);
    return at;
}

static struct link_record *link_history_find(const struct link_history *h,
                                             const struct alarm_key *link)
{
    const size_t at = link_history_place(h, link);
    const bool found = at < h->count && link_history_compare(&h->all[at]->link, link) == 0;
    return found ? h->all[at] : NULL;
}

// Returns NULL if there are LINK_HISTORY_LINKS_MAX others.
static struct link_record *link_history_get(struct link_history *h, const struct alarm_key *link)
{
    struct link_record *record = link_history_find(h, link);
    if (record)
        return record;
    if (h->count == LINK_HISTORY_LINKS_MAX) {
        h->overflowed++;
        return NULL;
    }
    MEMORY_MAKE_ROOM(h->all, h->count, h->capacity);
    const size_t at = link_history_place(h, link);
    record = memory_zeroed(1, sizeof *record);
    record->link = *link;
    memmove(&h->all[at + 1], &h->all[at], (h->count - at) * sizeof *h->all);
    h->all[at] = record;
    h->count++;
    return record;
}

static void link_history_drop(struct link_history *h, struct link_record *record)
{
    const size_t at = link_history_place(h, &record->link);
    h->unreliable -= record->unreliable;
    free(record);
    memmove(&h->all[at], &h->all[at + 1], (--h->count - at) * sizeof *h->all);
}

static void link_record_drop_occasions(struct link_record *record, unsigned count)
{
    record->count -= count;
    memmove(record->occasions, record->occasions + count,
            record->count * sizeof *record->occasions);
}

static void link_record_drop_aged(struct link_record *record, int64_t now_us, int64_t window_us)
{
    unsigned aged = 0;
    while (aged < record->count && now_us - record->occasions[aged].at_us >= window_us)
        aged++;
    link_record_drop_occasions(record, aged);
}

// Incidents.

static void link_history_count_incident(struct link_history *h,
                                        const struct link_incident *incident)
{
    struct link_record *record = link_history_get(h, &incident->link);
    if (!record)
        return;
    struct link_occasion *last = record->count > 0 ? &record->occasions[record->count - 1] : NULL;
    if (!last || incident->at_us - last->at_us >= LINK_HISTORY_OCCASION_US) {
        if (record->count == LINK_HISTORY_OCCASIONS_MAX)
            link_record_drop_occasions(record, 1);
        last = &record->occasions[record->count++];
        *last = (struct link_occasion){.at_us = incident->at_us, .utc_us = incident->utc_us};
    }
    if (last->incidents[incident->kind] < UINT16_MAX)
        last->incidents[incident->kind]++;
}

// An end of a link that has a pending incident.
struct touched_end {
    uint64_t guid;
    uint32_t incident;
    uint8_t port;
};

static int touched_end_compare(const void *a, const void *b)
{
    const struct touched_end *m = a, *n = b;
    return counter_compare_ports(m->guid, m->port, n->guid, n->port);
}

// Marks the incidents of the nodes with LINK_HISTORY_SHARED touched ports. Both ends of a cable
// that leads back to its node are ends of the node.
static void touched_end_mark_shared(const struct touched_end *ends, size_t count, bool *shared)
{
    for (size_t i = 0, end; i < count; i = end) {
        size_t ports = 1;
        for (end = i + 1; end < count && ends[end].guid == ends[i].guid; end++)
            ports += ends[end].port != ends[end - 1].port;
        for (size_t k = i; ports >= LINK_HISTORY_SHARED && k < end; k++)
            shared[ends[k].incident] = true;
    }
}

static bool link_history_is_apart(const struct alarm_key *a, const struct alarm_key *b)
{
    return a->guid != b->guid && a->guid != b->peer_guid && a->peer_guid != b->guid &&
           a->peer_guid != b->peer_guid;
}

// Marks the incidents of the hosts of which links that have no node in common are touched. `ends`
// has room for an end of each pending incident.
static void touched_end_mark_hosts(const struct link_history *h, struct touched_end *ends,
                                   size_t pending, bool *shared)
{
    size_t count = 0;
    for (size_t i = 0; i < pending; i++) {
        if (h->pending[i].host != 0)
            ends[count++] = (struct touched_end){h->pending[i].host, (uint32_t)i, 0};
    }
    qsort(ends, count, sizeof *ends, touched_end_compare);
    for (size_t i = 0, end; i < count; i = end) {
        const struct alarm_key *first = &h->pending[ends[i].incident].link;
        bool several = false;
        for (end = i + 1; end < count && ends[end].guid == ends[i].guid; end++)
            several |= link_history_is_apart(first, &h->pending[ends[end].incident].link);
        for (size_t k = i; several && k < end; k++)
            shared[ends[k].incident] = true;
    }
}

// Counts the pending incidents that did not happen to a whole node or host.
static void link_history_settle(struct link_history *h)
{
    const size_t count = h->pending_count;
    struct touched_end *ends = memory_get(2 * count * sizeof *ends);
    bool *shared = memory_zeroed(count, sizeof *shared);
    h->pending_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct alarm_key *link = &h->pending[i].link;
        ends[2 * i] = (struct touched_end){link->guid, (uint32_t)i, link->port};
        ends[2 * i + 1] = (struct touched_end){link->peer_guid, (uint32_t)i, link->peer_port};
    }
    qsort(ends, 2 * count, sizeof *ends, touched_end_compare);
    touched_end_mark_shared(ends, 2 * count, shared);
    touched_end_mark_hosts(h, ends, count, shared);
    for (size_t i = 0; i < count; i++) {
        if (!shared[i])
            link_history_count_incident(h, &h->pending[i]);
    }
    free(ends);
    free(shared);
}

static bool link_history_has_settled(const struct link_history *h, int64_t now_us)
{
    return h->pending_count > 0 && now_us - h->pending[0].at_us >= LINK_HISTORY_SETTLE_US;
}

void link_history_add(struct link_history *history, const struct link_incident *incident)
{
    pthread_mutex_lock(&history->lock);
    if (link_history_has_settled(history, incident->at_us) ||
        history->pending_count == LINK_HISTORY_PENDING_MAX)
        link_history_settle(history);
    MEMORY_MAKE_ROOM(history->pending, history->pending_count, history->pending_capacity);
    history->pending[history->pending_count++] = *incident;
    pthread_mutex_unlock(&history->lock);
}

uint64_t link_history_failures(const struct link_history *history, const struct alarm_key *link,
                               int64_t since_us)
{
    const struct link_record *record = link_history_find(history, link);
    uint64_t failures = 0;
    for (unsigned i = 0; record && i < record->count; i++) {
        if (record->occasions[i].at_us >= since_us)
            failures += record->occasions[i].incidents[LINK_FAILED];
    }
    for (size_t i = 0; i < history->pending_count; i++) {
        const struct link_incident *one = &history->pending[i];
        failures += one->kind == LINK_FAILED && link_history_compare(&one->link, link) == 0;
    }
    return failures;
}

// Drops the reliable record with the fewest occasions.
static void link_history_make_room(struct link_history *h)
{
    struct link_record *least = NULL;
    for (size_t i = 0; i < h->count; i++) {
        struct link_record *one = h->all[i];
        if (!one->unreliable && (!least || one->count < least->count))
            least = one;
    }
    if (least)
        link_history_drop(h, least);
}

void link_history_restore(struct link_history *history, const struct alarm_key *link,
                          int64_t since_us, int64_t now_us)
{
    pthread_mutex_lock(&history->lock);
    if (link_history_has_settled(history, now_us))
        link_history_settle(history);
    if (history->count == LINK_HISTORY_LINKS_MAX && !link_history_find(history, link))
        link_history_make_room(history);
    struct link_record *record = link_history_get(history, link);
    if (record) {
        history->unreliable += !record->unreliable;
        record->unreliable = true;
        link_record_drop_aged(record, now_us, history->limits.window_us);
        if (record->count < history->limits.occasions)
            record->held_until_us = since_us + history->limits.window_us;
    }
    pthread_mutex_unlock(&history->lock);
}

static void link_history_forget_pending(struct link_history *h, const struct alarm_key *link)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->pending_count; i++) {
        if (link_history_compare(&h->pending[i].link, link) != 0)
            h->pending[kept++] = h->pending[i];
    }
    h->pending_count = kept;
}

void link_history_forget(struct link_history *history, const struct alarm_key *link)
{
    pthread_mutex_lock(&history->lock);
    struct link_record *record = link_history_find(history, link);
    link_history_forget_pending(history, link);
    if (record)
        link_history_drop(history, record);
    pthread_mutex_unlock(&history->lock);
}

// Judging.

// Sets `verdict`. Whether the link is unreliable.
static bool link_history_judge_record(const struct link_history *h,
                                      const struct link_record *record, int64_t now_us,
                                      const struct link_history_judge *judge,
                                      enum link_verdict *verdict)
{
    const unsigned limit = h->limits.occasions;
    *verdict = LINK_HAS_NO_LIMIT;
    if (limit == 0)
        return false;
    *verdict = LINK_HAS_FEWER_OCCASIONS;
    if (record->count < limit && !(record->unreliable && now_us < record->held_until_us))
        return false;
    *verdict = LINK_IS_ELSEWHERE;
    if (judge->is_elsewhere(judge->ctx, &record->link))
        return false;
    *verdict = LINK_IS_UNRELIABLE;
    return true;
}

static void link_history_judge_change(struct link_history *h, struct link_record *record,
                                      int64_t now_us, const struct link_history_judge *judge)
{
    enum link_verdict verdict;
    const bool unreliable = link_history_judge_record(h, record, now_us, judge, &verdict);
    const bool full = h->unreliable >= LINK_HISTORY_UNRELIABLE_MAX;
    const bool without_room = unreliable && !record->unreliable && full;
    h->overflowed += without_room && !record->without_room;
    record->without_room = without_room;
    if (unreliable == record->unreliable || without_room)
        return;
    record->unreliable = unreliable;
    judge->changed(judge->ctx, record, verdict);
    if (unreliable)
        h->unreliable++;
    else
        h->unreliable--;
}

void link_history_update(struct link_history *history, int64_t now_us,
                         const struct link_history_judge *judge)
{
    size_t kept = 0;
    pthread_mutex_lock(&history->lock);
    if (link_history_has_settled(history, now_us))
        link_history_settle(history);
    for (size_t i = 0; i < history->count; i++) {
        struct link_record *record = history->all[i];
        link_record_drop_aged(record, now_us, history->limits.window_us);
        link_history_judge_change(history, record, now_us, judge);
        if (record->count > 0 || record->unreliable)
            history->all[kept++] = record;
        else
            free(record);
    }
    history->count = kept;
    history->due_us = now_us + LINK_HISTORY_CHECK_US;
    pthread_mutex_unlock(&history->lock);
}

// Lists.

static int link_record_compare_latest(const void *a, const void *b)
{
    const struct link_record *m = *(struct link_record *const *)a;
    const struct link_record *n = *(struct link_record *const *)b;
    const int64_t last = m->count > 0 ? m->occasions[m->count - 1].at_us : 0;
    const int64_t other = n->count > 0 ? n->occasions[n->count - 1].at_us : 0;
    if (last != other)
        return last > other ? -1 : 1;
    return link_history_compare(&m->link, &n->link);
}

static int link_record_compare_worst(const void *a, const void *b)
{
    const struct link_record *m = *(struct link_record *const *)a;
    const struct link_record *n = *(struct link_record *const *)b;
    if (m->count != n->count)
        return m->count > n->count ? -1 : 1;
    return link_record_compare_latest(a, b);
}

static size_t link_history_copy(const struct link_history *h, enum link_order order,
                                struct link_record *out, size_t max)
{
    const struct link_record **sorted = memory_get(h->count * sizeof *sorted);
    const size_t count = h->count < max ? h->count : max;
    for (size_t i = 0; i < h->count; i++)
        sorted[i] = h->all[i];
    qsort(sorted, h->count, sizeof *sorted,
          order == LINK_WORST_FIRST ? link_record_compare_worst : link_record_compare_latest);
    for (size_t i = 0; i < count; i++)
        out[i] = *sorted[i];
    free(sorted);
    return count;
}

// The history as of now, as if all pending incidents counted. Those that happened to a whole node
// or host so far do not count here, either.
static struct link_history link_history_look(const struct link_history *h)
{
    struct link_history look = *h;
    look.all = memory_get(h->capacity * sizeof *look.all);
    for (size_t i = 0; i < h->count; i++) {
        look.all[i] = memory_get(sizeof *look.all[i]);
        *look.all[i] = *h->all[i];
    }
    if (look.pending_count > 0)
        link_history_settle(&look);
    return look;
}

static void link_history_end_look(struct link_history *look)
{
    for (size_t i = 0; i < look->count; i++)
        free(look->all[i]);
    free(look->all);
}

size_t link_history_list(struct link_history *history, enum link_order order,
                         struct link_record *out, size_t max)
{
    pthread_mutex_lock(&history->lock);
    struct link_history look = link_history_look(history);
    pthread_mutex_unlock(&history->lock);
    const size_t count = link_history_copy(&look, order, out, max);
    link_history_end_look(&look);
    return count;
}

size_t link_history_count(struct link_history *history)
{
    pthread_mutex_lock(&history->lock);
    struct link_history look = link_history_look(history);
    pthread_mutex_unlock(&history->lock);
    link_history_end_look(&look);
    return look.count;
}
