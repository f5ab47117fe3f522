// SPDX-License-Identifier: BSD-2-Clause
#include "agent/walk_cache.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <sys/queue.h>

// An answered name, identified by its digest.
struct mark {
    struct hash_node node;
    TAILQ_ENTRY(mark) in_order;
    uint64_t entry; // number of the snapshot
    int64_t until;  // monotonic: a later request for its successor is not of that walk
    bool followed;  // a walk went on from it
};
TAILQ_HEAD(marks, mark);

struct cached_snapshot {
    struct agent_snapshot *snapshot; // NULL: none
    uint64_t number;
    int64_t used_at; // monotonic
    bool is_walked;  // it answered a name, and a walk may go on from there
};

struct walk_cache {
    const struct snapshot_source *source;
    struct snapshot_events *events;
    struct cached_snapshot entries[WALK_CACHE_SNAPSHOTS_MAX];
    uint64_t last_number;
    uint64_t context; // of the names
    struct hash by_name;
    struct marks order;                  // by age, oldest first
    struct mark marks[WALK_CACHE_NAMES]; // the first by_name.count are in use
};

struct walk_cache *walk_cache_new(const struct snapshot_source *source,
                                  struct snapshot_events *events, const struct random *random)
{
    struct walk_cache *cache = memory_zeroed(1, sizeof *cache);
    hash_init(&cache->by_name, WALK_CACHE_NAMES, random);
    TAILQ_INIT(&cache->order);
    cache->source = source;
    cache->events = events;
    return cache;
}

static void walk_cache_drop(struct cached_snapshot *entry)
{
    snapshot_free(entry->snapshot);
    *entry = (struct cached_snapshot){0};
}

void walk_cache_free(struct walk_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++)
        walk_cache_drop(&cache->entries[i]);
    hash_clear(&cache->by_name);
    free(cache);
}

static uint64_t walk_cache_digest_of(const struct walk_cache *cache, const struct agentx_oid *name)
{
    return hash_digest(&cache->by_name, name->ids, name->length * sizeof *name->ids) ^
           (cache->context != 0
                ? hash_digest(&cache->by_name, &cache->context, sizeof cache->context)
                : 0);
}

void walk_cache_enter(struct walk_cache *cache, uint64_t context)
{
    cache->context = context;
}

static struct cached_snapshot *walk_cache_newest(struct walk_cache *cache)
{
    struct cached_snapshot *newest = &cache->entries[0];
    for (size_t i = 1; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].number > newest->number)
            newest = &cache->entries[i];
    }
    return newest;
}

static struct cached_snapshot *walk_cache_least_used(struct walk_cache *cache)
{
    struct cached_snapshot *least = &cache->entries[0];
    for (size_t i = 1; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].used_at < least->used_at || !cache->entries[i].snapshot)
            least = &cache->entries[i];
    }
    return least;
}

// The entry that the next snapshot replaces. The newest, if no walk uses it: otherwise a manager
// that asks for single instances would push out the snapshots of walks.
static struct cached_snapshot *walk_cache_place_for_new(struct walk_cache *cache)
{
    struct cached_snapshot *entry = walk_cache_newest(cache);
    return entry->snapshot && !entry->is_walked ? entry : walk_cache_least_used(cache);
}

// Whether the snapshot still shows the present state. A new event ends that: a notified manager may
// ask for the row of the event.
static bool walk_cache_is_fresh(const struct walk_cache *cache,
                                const struct agent_snapshot *snapshot)
{
    const struct snapshot_source *source = cache->source;
    if (clock_monotonic(source->clock) - snapshot->now >= WALK_CACHE_FRESH_US ||
        source->master_started_at != snapshot->master_started_at ||
        journal_last(source->journal) != snapshot->last_event)
        return false;
    struct fabric *fabric = topology_current(source->topology);
    struct settings *settings = source->settings(source->ctx);
    bool fresh = fabric == snapshot->fabric && settings == snapshot->settings;
    fabric_unref(fabric);
    settings_unref(settings);
    return fresh;
}

static struct agent_snapshot *walk_cache_use(const struct walk_cache *cache,
                                             struct cached_snapshot *entry)
{
    entry->used_at = clock_monotonic(cache->source->clock);
    return entry->snapshot;
}

struct agent_snapshot *walk_cache_begin(struct walk_cache *cache)
{
    struct cached_snapshot *entry = walk_cache_newest(cache);
    if (entry->snapshot && walk_cache_is_fresh(cache, entry->snapshot))
        return walk_cache_use(cache, entry);
    struct agent_snapshot *snapshot = snapshot_take(cache->source, cache->events);
    if (!snapshot)
        return NULL;
    entry = walk_cache_place_for_new(cache);
    walk_cache_drop(entry);
    *entry = (struct cached_snapshot){.snapshot = snapshot, .number = ++cache->last_number};
    return walk_cache_use(cache, entry);
}

static struct cached_snapshot *walk_cache_entry_of(struct walk_cache *cache,
                                                   const struct mark *mark)
{
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].number == mark->entry)
            return &cache->entries[i];
    }
    return NULL;
}

// Finds a mark of the name: the latest from which no walk went on yet, otherwise the latest. NULL:
// none.
static struct mark *walk_cache_find_mark(struct walk_cache *cache, const struct agentx_oid *name)
{
    int64_t now = clock_monotonic(cache->source->clock);
    struct mark *last = NULL;
    struct hash_node *node = hash_find(&cache->by_name, walk_cache_digest_of(cache, name));
    for (; node; node = hash_find_next(node)) {
        struct mark *mark = HASH_THING(node, struct mark, node);
        if (now >= mark->until || !walk_cache_entry_of(cache, mark))
            continue;
        if (!mark->followed)
            return mark;
        if (!last)
            last = mark;
    }
    return last;
}

struct agent_snapshot *walk_cache_follow(struct walk_cache *cache, const struct agentx_oid *name)
{
    struct mark *mark = walk_cache_find_mark(cache, name);
    if (!mark)
        return walk_cache_begin(cache);
    struct cached_snapshot *entry = walk_cache_entry_of(cache, mark);
    struct agent_snapshot *snapshot = walk_cache_use(cache, entry);
    if (!mark->followed)
        mark->until = entry->used_at + WALK_CACHE_REPEAT_US;
    mark->followed = true;
    return snapshot;
}

uint64_t walk_cache_number(const struct walk_cache *cache, const struct agent_snapshot *snapshot)
{
    for (size_t i = 0; snapshot && i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].snapshot == snapshot)
            return cache->entries[i].number;
    }
    return 0;
}

// Finds a mark of the name that can be used again: of this snapshot, or of a dropped snapshot. So a
// name has no more marks than there are snapshots. NULL: none.
static struct mark *walk_cache_find_replaced(struct walk_cache *cache, uint64_t digest,
                                             uint64_t entry)
{
    struct mark *dropped = NULL;
    struct hash_node *node = hash_find(&cache->by_name, digest);
    for (; node; node = hash_find_next(node)) {
        struct mark *mark = HASH_THING(node, struct mark, node);
        if (mark->entry == entry)
            return mark;
        if (!walk_cache_entry_of(cache, mark))
            dropped = mark;
    }
    return dropped;
}

// Returns a mark outside the hash table: a mark to be used again, a free mark, or the oldest mark.
static struct mark *walk_cache_take_mark(struct walk_cache *cache, uint64_t digest, uint64_t entry)
{
    struct mark *mark = walk_cache_find_replaced(cache, digest, entry);
    if (!mark && !hash_is_full(&cache->by_name))
        return &cache->marks[cache->by_name.count];
    if (!mark)
        mark = TAILQ_FIRST(&cache->order);
    hash_remove(&cache->by_name, &mark->node);
    TAILQ_REMOVE(&cache->order, mark, in_order);
    return mark;
}

void walk_cache_remember(struct walk_cache *cache, const struct agent_snapshot *snapshot,
                         const struct agentx_oid *name)
{
    uint64_t digest = walk_cache_digest_of(cache, name);
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        struct cached_snapshot *entry = &cache->entries[i];
        if (entry->snapshot != snapshot)
            continue;
        entry->is_walked = true;
        struct mark *mark = walk_cache_take_mark(cache, digest, entry->number);
        mark->entry = entry->number;
        mark->until = clock_monotonic(cache->source->clock) + WALK_CACHE_KEEP_US;
        mark->followed = false;
        hash_add(&cache->by_name, &mark->node, digest);
        TAILQ_INSERT_TAIL(&cache->order, mark, in_order);
    }
}

int64_t walk_cache_expire(struct walk_cache *cache)
{
    int64_t now = clock_monotonic(cache->source->clock), next = INT64_MAX;
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        struct cached_snapshot *entry = &cache->entries[i];
        if (entry->snapshot && now - entry->used_at >= WALK_CACHE_KEEP_US)
            walk_cache_drop(entry);
        else if (entry->snapshot && entry->used_at + WALK_CACHE_KEEP_US < next)
            next = entry->used_at + WALK_CACHE_KEEP_US;
    }
    return next;
}
