#include "policy/tracks.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16384 };

struct tracks {
    size_t count, kept; // of those, with an event
    struct track *by_key[BUCKETS], *by_id[BUCKETS];
};

static size_t bucket_of(const char *s)
{
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, s, strlen(s));
    return (size_t)((digest ^ digest >> 32) % BUCKETS);
}

struct tracks *tracks_new(void)
{
    return calloc(1, sizeof(struct tracks));
}

static void free_track(void *ctx, struct track *track)
{
    (void)ctx;
    event_release(track->last);
    free(track);
}

void tracks_free(struct tracks *tracks)
{
    if (!tracks)
        return;
    tracks_each(tracks, free_track, NULL);
    free(tracks);
}

struct track *tracks_find(const struct tracks *tracks, const char *key)
{
    struct track *track = tracks->by_key[bucket_of(key)];
    while (track && strcmp(track->key, key) != 0)
        track = track->next_of_key;
    return track;
}

struct track *tracks_get(struct tracks *tracks, const char *key)
{
    struct track *track = tracks_find(tracks, key);
    if (track || tracks->count == POLICY_ALARMS_MAX)
        return track;
    track = calloc(1, sizeof *track);
    if (!track)
        return NULL;
    struct track **bucket = &tracks->by_key[bucket_of(key)];
    snprintf(track->key, sizeof track->key, "%s", key);
    track->next_of_key = *bucket;
    *bucket = track;
    tracks->count++;
    return track;
}

static void drop_id(struct tracks *tracks, struct track *track)
{
    if (track->raised_id[0] == '\0')
        return;
    struct track **p = &tracks->by_id[bucket_of(track->raised_id)];
    while (*p != track)
        p = &(*p)->next_of_id;
    *p = track->next_of_id;
    track->raised_id[0] = '\0';
}

void tracks_forget(struct tracks *tracks, struct track *track)
{
    struct track **p = &tracks->by_key[bucket_of(track->key)];
    while (*p != track)
        p = &(*p)->next_of_key;
    *p = track->next_of_key;
    drop_id(tracks, track);
    tracks_set_last(tracks, track, NULL);
    tracks->count--;
    free(track);
}

const struct track *tracks_find_raised(const struct tracks *tracks, const char *id)
{
    const struct track *track = tracks->by_id[bucket_of(id)];
    while (track && strcmp(track->raised_id, id) != 0)
        track = track->next_of_id;
    return track && track->raised ? track : NULL;
}

void tracks_set_raised_id(struct tracks *tracks, struct track *track, const char *id)
{
    drop_id(tracks, track);
    snprintf(track->raised_id, sizeof track->raised_id, "%s", id);
    if (id[0] == '\0')
        return;
    struct track **bucket = &tracks->by_id[bucket_of(id)];
    track->next_of_id = *bucket;
    *bucket = track;
}

bool tracks_set_last(struct tracks *tracks, struct track *track, struct event *event)
{
    if (event && !track->last && tracks->kept == POLICY_PENDING_MAX)
        return false;
    tracks->kept += (event != NULL);
    tracks->kept -= (track->last != NULL);
    struct event *before = track->last;
    track->last = event ? event_keep(event) : NULL;
    event_release(before);
    return true;
}

void tracks_each(struct tracks *tracks, void (*each)(void *ctx, struct track *track), void *ctx)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct track *track = tracks->by_key[i], *next; track; track = next) {
            next = track->next_of_key;
            each(ctx, track);
        }
    }
}
