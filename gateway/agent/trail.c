#include "agent/trail.h"

#include "base/digest.h"

#include <stdlib.h>

enum { PLACES = 8, BUCKETS = TRAIL_NAMES / PLACES };

// A name that was answered.
struct mark {
    uint64_t digest;
    uint64_t view; // a number of a held view; 0: no mark
    uint64_t at;   // among all marks
    int64_t until; // monotonic: later, who asks what follows it is not that walk
    bool followed; // a walk went on from it
};

struct held {
    struct view *view; // NULL: none
    uint64_t number;
    int64_t used_at; // monotonic
    bool is_walked;  // a name was answered from which a walk may go on
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

static uint64_t digest_of(const struct agentx_oid *name)
{
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, name->ids, name->length * sizeof *name->ids);
    return digest ^ digest >> 32;
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

// The one that makes room. What is not walked comes first, or a manager that asks for single
// instances would take their views from those that walk.
static struct held *place_for_new(struct trail *trail)
{
    struct held *held = newest(trail);
    return held->view && !held->is_walked ? held : least_used(trail);
}

// What it shows is so still. Who was told of an event may ask for what is in the tables about it.
static bool is_fresh(const struct trail *trail, const struct view *view)
{
    const struct view_source *source = trail->source;
    if (clock_monotonic(source->clock) - view->now >= TRAIL_FRESH_US ||
        source->master_started_at != view->master_started_at ||
        journal_last(source->journal) != view->last_event)
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
    held = place_for_new(trail);
    drop(held);
    *held = (struct held){.view = view, .number = ++trail->last_number};
    return use(trail, held);
}

static struct held *held_of(struct trail *trail, const struct mark *mark)
{
    for (size_t i = 0; i < TRAIL_VIEWS; i++) {
        if (mark->view != 0 && trail->held[i].number == mark->view)
            return &trail->held[i];
    }
    return NULL;
}

static bool is_better(const struct mark *a, const struct mark *b)
{
    return a->followed == b->followed ? a->at > b->at : !a->followed;
}

// Of the walks that were answered the name: one that did not go on yet, or else the last.
static struct mark *find_mark(struct trail *trail, struct mark *bucket, uint64_t digest)
{
    int64_t now = clock_monotonic(trail->source->clock);
    struct mark *found = NULL;
    for (size_t i = 0; i < PLACES; i++) {
        struct mark *mark = &bucket[i];
        if (mark->digest == digest && now < mark->until && held_of(trail, mark) &&
            (!found || is_better(mark, found)))
            found = mark;
    }
    return found;
}

struct view *trail_follow(struct trail *trail, const struct agentx_oid *name)
{
    uint64_t digest = digest_of(name);
    struct mark *mark = find_mark(trail, trail->marks[digest % BUCKETS], digest);
    if (!mark)
        return trail_begin(trail);
    struct held *held = held_of(trail, mark);
    struct view *view = use(trail, held);
    if (!mark->followed)
        mark->until = held->used_at + TRAIL_REPEAT_US;
    mark->followed = true;
    return view;
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
static struct mark *place_of(struct mark *bucket, uint64_t digest, uint64_t view)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (bucket[i].view == view && bucket[i].digest == digest)
            return &bucket[i];
    }
    return oldest_mark(bucket);
}

void trail_remember(struct trail *trail, const struct view *view, const struct agentx_oid *name)
{
    uint64_t digest = digest_of(name);
    struct mark *bucket = trail->marks[digest % BUCKETS];
    for (size_t i = 0; i < TRAIL_VIEWS; i++) {
        struct held *held = &trail->held[i];
        if (held->view != view)
            continue;
        held->is_walked = true;
        *place_of(bucket, digest, held->number) =
            (struct mark){.digest = digest,
                          .view = held->number,
                          .at = ++trail->last_mark,
                          .until = clock_monotonic(trail->source->clock) + TRAIL_KEEP_US};
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
