#include "agent/trail.h"

#include <stdlib.h>

enum { PLACES = 8, BUCKETS = TRAIL_NAMES / PLACES };

// A name that was answered.
struct mark {
    uint64_t digest;
    uint64_t view; // a number of a held view; 0: no mark
    uint64_t at;   // among all marks
};

struct held {
    struct view *view; // NULL: none
    uint64_t number;
    int64_t used_at; // monotonic
};

struct trail {
    const struct view_source *source;
    struct view_events *events;
    struct held held[TRAIL_VIEWS];
    uint64_t last_number, last_mark;
    struct mark marks[BUCKETS][PLACES];
};

struct trail *trail_new(const struct view_source *source, struct view_events *events)
{
    struct trail *trail = calloc(1, sizeof *trail);
    if (!trail)
        return NULL;
    trail->source = source;
    trail->events = events;
    return trail;
}

static void drop(struct held *held)
{
    view_release(held->view);
    *held = (struct held){0};
}

void trail_free(struct trail *trail)
{
    if (!trail)
        return;
    for (size_t i = 0; i < TRAIL_VIEWS; i++)
        drop(&trail->held[i]);
    free(trail);
}

// FNV-1a, 64 bits, by sub-identifiers.
static uint64_t digest_of(const struct agentx_oid *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < name->length; i++)
        h = (h ^ name->ids[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

static struct held *newest(struct trail *trail)
{
    struct held *newest = &trail->held[0];
    for (size_t i = 1; i < TRAIL_VIEWS; i++) {
        if (trail->held[i].number > newest->number)
            newest = &trail->held[i];
    }
    return newest;
}

static struct held *least_used(struct trail *trail)
{
    struct held *least = &trail->held[0];
    for (size_t i = 1; i < TRAIL_VIEWS; i++) {
        if (trail->held[i].used_at < least->used_at || !trail->held[i].view)
            least = &trail->held[i];
    }
    return least;
}

// What it shows is so still.
static bool is_fresh(const struct trail *trail, const struct view *view)
{
    const struct view_source *source = trail->source;
    if (clock_monotonic(source->clock) - view->now >= TRAIL_FRESH_US ||
        source->master_started_at != view->master_started_at)
        return false;
    struct fabric *fabric = topology_current(source->topology);
    struct settings *settings = source->settings(source->ctx);
    bool fresh = fabric == view->fabric && settings == view->settings;
    fabric_release(fabric);
    settings_release(settings);
    return fresh;
}

static struct view *use(const struct trail *trail, struct held *held)
{
    held->used_at = clock_monotonic(trail->source->clock);
    return held->view;
}

struct view *trail_begin(struct trail *trail)
{
    struct held *held = newest(trail);
    if (held->view && is_fresh(trail, held->view))
        return use(trail, held);
    struct view *view = view_take(trail->source, trail->events);
    if (!view)
        return NULL;
    held = least_used(trail);
    drop(held);
    *held = (struct held){.view = view, .number = ++trail->last_number};
    return use(trail, held);
}

static struct mark *find_mark(struct mark *bucket, uint64_t digest)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (bucket[i].view != 0 && bucket[i].digest == digest)
            return &bucket[i];
    }
    return NULL;
}

struct view *trail_follow(struct trail *trail, const struct agentx_oid *name)
{
    uint64_t digest = digest_of(name);
    const struct mark *mark = find_mark(trail->marks[digest % BUCKETS], digest);
    for (size_t i = 0; mark && i < TRAIL_VIEWS; i++) {
        if (trail->held[i].number == mark->view)
            return use(trail, &trail->held[i]);
    }
    return trail_begin(trail);
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

void trail_remember(struct trail *trail, const struct view *view, const struct agentx_oid *name)
{
    uint64_t digest = digest_of(name);
    struct mark *bucket = trail->marks[digest % BUCKETS];
    struct mark *mark = find_mark(bucket, digest);
    if (!mark)
        mark = oldest_mark(bucket);
    for (size_t i = 0; i < TRAIL_VIEWS; i++) {
        if (trail->held[i].view == view)
            *mark = (struct mark){digest, trail->held[i].number, ++trail->last_mark};
    }
}

int64_t trail_expire(struct trail *trail)
{
    int64_t now = clock_monotonic(trail->source->clock), next = INT64_MAX;
    for (size_t i = 0; i < TRAIL_VIEWS; i++) {
        struct held *held = &trail->held[i];
        if (held->view && now - held->used_at >= TRAIL_KEEP_US)
            drop(held);
        else if (held->view && held->used_at + TRAIL_KEEP_US < next)
            next = held->used_at + TRAIL_KEEP_US;
    }
    return next;
}
