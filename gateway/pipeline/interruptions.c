// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/interruptions.h"

#include "topology/joined.h"

#include <string.h>

// A change of so many things at once explains every trap.
enum { CHANGES_MAX = 4096 };

static struct interruptions_suspect *interruptions_suspect_of(struct interruptions *all,
                                                              uint64_t guid, bool judged)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->suspects[i].guid == guid && all->suspects[i].judged == judged)
            return &all->suspects[i];
    }
    return NULL;
}

static void interruptions_forget(struct interruptions *all, size_t place)
{
    all->suspects[place] = all->suspects[--all->count];
}

void interruptions_note(struct interruptions *interruptions, const struct event *event)
{
    if (event->type->trap != NOTICE_LINK_STATE || event->derived || event->switch_guid == 0)
        return;
    struct interruptions_suspect *one =
        interruptions_suspect_of(interruptions, event->switch_guid, false);
    if (!one && interruptions->count == INTERRUPTIONS_SWITCHES_MAX)
        return;
    if (!one)
        one = &interruptions->suspects[interruptions->count++];
    *one = (struct interruptions_suspect){.guid = event->switch_guid, .time_us = event->time_us};
    memcpy(one->id, event->id, sizeof one->id);
}

// Also true if the clock was set back since the trap.
static bool interruptions_is_old(const struct interruptions_suspect *one, int64_t now_us)
{
    return now_us - one->time_us > INTERRUPTIONS_AGE_US ||
           one->time_us - now_us > INTERRUPTIONS_AGE_US;
}

static bool interruptions_is_explained(uint64_t guid, const struct changes *changes)
{
    if (changes->count > CHANGES_MAX)
        return true;
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->all[i];
        if (c->subject.node_guid == guid || c->peer.node_guid == guid || c->switch_guid == guid)
            return true;
    }
    return false;
}

size_t interruptions_judge(struct interruptions *interruptions,
                           const struct interruptions_sweep *sweep,
                           uint64_t out[INTERRUPTIONS_SWITCHES_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < interruptions->count;) {
        struct interruptions_suspect *one = &interruptions->suspects[i];
        if (interruptions_is_old(one, sweep->begun_us)) {
            interruptions_forget(interruptions, i);
        } else if (one->judged || one->time_us >= sweep->begun_us ||
                   joined_lacks_link(sweep->joined, sweep->now, one->guid)) {
            i++;
        } else if (interruptions_is_explained(one->guid, sweep->changes)) {
            interruptions_forget(interruptions, i);
        } else {
            one->judged = true;
            out[n++] = one->guid;
            i++;
        }
    }
    return n;
}

static bool interruptions_grew(const struct accumulated_counters *before,
                               const struct accumulated_counters *after,
                               const struct counter_sample *sample, uint64_t *growth)
{
    uint64_t then[COUNTER_COUNT], now[COUNTER_COUNT];
    if (!accumulated_find(before, sample->node_guid, sample->port, then) ||
        !accumulated_find(after, sample->node_guid, sample->port, now))
        return false;
    *growth = now[COUNTER_LINK_DOWNED] - then[COUNTER_LINK_DOWNED];
    return *growth > 0;
}

void interruptions_find(struct interruptions *interruptions, const struct counter_reading *reading,
                        const struct accumulated_counters *before,
                        const struct accumulated_counters *after,
                        void (*each)(void *ctx, const struct interruptions_found *found), void *ctx)
{
    for (size_t i = 0; i < reading->count && interruptions->count > 0; i++) {
        const struct counter_sample *sample = &reading->samples[i];
        struct interruptions_suspect *one =
            interruptions_suspect_of(interruptions, sample->node_guid, true);
        if (!one)
            continue;
        one->read = true;
        struct interruptions_found found = {
            .node_guid = sample->node_guid, .port = sample->port, .related_id = one->id};
        if (interruptions_grew(before, after, sample, &found.times))
            each(ctx, &found);
    }
    for (size_t i = interruptions->count; i-- > 0;) {
        if (interruptions->suspects[i].read)
            interruptions_forget(interruptions, i);
    }
}
