#include "agent/walk_cache.h"

#include "base/digest.h"

#include <stdlib.h>

enum { PLACES = 8, BUCKETS = WALK_CACHE_NAMES / PLACES };

// A name that was answered.
struct mark {
    uint64_t digest;
    uint64_t entry; // a number of a held view; 0: no mark
    uint64_t at;    // among all marks
    int64_t until;  // monotonic: later, who asks what follows it is not that walk
    bool followed;  // a walk went on from it
};

struct cached_snapshot {
    struct agent_snapshot *snapshot; // NULL: none
    uint64_t number;
    int64_t used_at; // monotonic
    bool is_walked;  // a name was answered from which a walk may go on
};

struct walk_cache {
    const struct snapshot_source *source;
    struct snapshot_events *events;
    struct cached_snapshot entries[WALK_CACHE_SNAPSHOTS_MAX];
    uint64_t last_number, last_mark;
    struct mark marks[BUCKETS][PLACES];
};

struct walk_cache *walk_cache_new(const struct snapshot_source *source,
                                  struct snapshot_events *events)
{
    struct walk_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->source = source;
    cache->events = events;
    return cache;
}

static void walk_cache_drop(struct cached_snapshot *entry)
{
    snapshot_unref(entry->snapshot);
    *entry = (struct cached_snapshot){0};
}

void walk_cache_free(struct walk_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++)
        walk_cache_drop(&cache->entries[i]);
    free(cache);
}

static uint64_t walk_cache_digest_of(const struct agentx_oid *name)
{
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, name->ids, name->length * sizeof *name->ids);
    return digest ^ digest >> 32;
}

static struct cached_snapshot *newest(struct walk_cache *cache)
{
    struct cached_snapshot *newest = &cache->entries[0];
    for (size_t i = 1; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].number > newest->number)
            newest = &cache->entries[i];
    }
    return newest;
}

static struct cached_snapshot *least_used(struct walk_cache *cache)
{
    struct cached_snapshot *least = &cache->entries[0];
    for (size_t i = 1; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (cache->entries[i].used_at < least->used_at || !cache->entries[i].snapshot)
            least = &cache->entries[i];
    }
    return least;
}

// The one that makes room. What is not walked comes first, or a manager that asks for single
// instances would take their views from those that walk.
static struct cached_snapshot *place_for_new(struct walk_cache *cache)
{
    struct cached_snapshot *entry = newest(cache);
    return entry->snapshot && !entry->is_walked ? entry : least_used(cache);
}

// What it shows is so still. Who was told of an event may ask for what is in the tables about it.
static bool is_fresh(const struct walk_cache *cache, const struct agent_snapshot *snapshot)
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

static struct agent_snapshot *use(const struct walk_cache *cache, struct cached_snapshot *entry)
{
    entry->used_at = clock_monotonic(cache->source->clock);
    return entry->snapshot;
}

struct agent_snapshot *walk_cache_begin(struct walk_cache *cache)
{
    struct cached_snapshot *entry = newest(cache);
    if (entry->snapshot && is_fresh(cache, entry->snapshot))
        return use(cache, entry);
    struct agent_snapshot *snapshot = snapshot_take(cache->source, cache->events);
    if (!snapshot)
        return NULL;
    entry = place_for_new(cache);
    walk_cache_drop(entry);
    *entry = (struct cached_snapshot){.snapshot = snapshot, .number = ++cache->last_number};
    return use(cache, entry);
}

static struct cached_snapshot *entry_of(struct walk_cache *cache, const struct mark *mark)
{
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        if (mark->entry != 0 && cache->entries[i].number == mark->entry)
            return &cache->entries[i];
    }
    return NULL;
}

static bool is_better(const struct mark *a, const struct mark *b)
{
    return a->followed == b->followed ? a->at > b->at : !a->followed;
}

// Of the walks that were answered the name: one that did not go on yet, or else the last.
static struct mark *find_mark(struct walk_cache *cache, struct mark *bucket, uint64_t digest)
{
    int64_t now = clock_monotonic(cache->source->clock);
    struct mark *found = NULL;
    for (size_t i = 0; i < PLACES; i++) {
        struct mark *mark = &bucket[i];
        if (mark->digest == digest && now < mark->until && entry_of(cache, mark) &&
            (!found || is_better(mark, found)))
            found = mark;
    }
    return found;
}

struct agent_snapshot *walk_cache_follow(struct walk_cache *cache, const struct agentx_oid *name)
{
    uint64_t digest = walk_cache_digest_of(name);
    struct mark *mark = find_mark(cache, cache->marks[digest % BUCKETS], digest);
    if (!mark)
        return walk_cache_begin(cache);
    struct cached_snapshot *entry = entry_of(cache, mark);
    struct agent_snapshot *snapshot = use(cache, entry);
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

static struct mark *oldest_mark(struct mark *bucket)
{
    struct mark *oldest = &bucket[0];
    for (size_t i = 1; i < PLACES; i++) {
        if (bucket[i].at < oldest->at)
            oldest = &bucket[i];
    }
    return oldest;
}

// Where the view's answer with that name is, or is to be, remembered.
static struct mark *walk_cache_place_of(struct mark *bucket, uint64_t digest, uint64_t view)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (bucket[i].entry == view && bucket[i].digest == digest)
            return &bucket[i];
    }
    return oldest_mark(bucket);
}

void walk_cache_remember(struct walk_cache *cache, const struct agent_snapshot *snapshot,
                         const struct agentx_oid *name)
{
    uint64_t digest = walk_cache_digest_of(name);
    struct mark *bucket = cache->marks[digest % BUCKETS];
    for (size_t i = 0; i < WALK_CACHE_SNAPSHOTS_MAX; i++) {
        struct cached_snapshot *entry = &cache->entries[i];
        if (entry->snapshot != snapshot)
            continue;
        entry->is_walked = true;
        *walk_cache_place_of(bucket, digest, entry->number) =
            (struct mark){.digest = digest,
                          .entry = entry->number,
                          .at = ++cache->last_mark,
                          .until = clock_monotonic(cache->source->clock) + WALK_CACHE_KEEP_US};
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
