// What sweeps and counter readings tell, as events: the pipeline's source beside the Reports. It
// knows which notice a change explains, and sums the counters up. The pipeline's thread only, but
// for observer_sums.
#ifndef IBTRAPD_PIPELINE_OBSERVER_H
#define IBTRAPD_PIPELINE_OBSERVER_H

#include "event/maker.h"
#include "topology/sums.h"
#include "topology/thresholds.h"
#include "topology/topology.h"

enum {
    OBSERVER_NOTICES_MAX = 512, // remembered; the oldest are forgotten first
    OBSERVER_STORY_S = 120,     // a notice older than this is no part of a change's story
};

struct observer_options {
    struct topology *topology;
    struct thresholds *thresholds;
    void (*emit)(void *ctx, struct event *event); // takes over the reference
    void *ctx;
};

struct observer;

struct observer *observer_new(const struct observer_options *options); // NULL: out of memory
void observer_free(struct observer *observer);                         // NULL is allowed

// An event made from a notice. True when it tells of something that a sweep can explain: traps 64,
// 65, 128, 144 and 145.
bool observer_note(struct observer *observer, const struct event *event);

// Takes over the reference. True when anything changed since the last one.
bool observer_fabric(struct observer *observer, const struct maker *maker, struct fabric *seen);

void observer_counters(struct observer *observer, const struct maker *maker,
                       const struct counter_reading *reading);

// As of the last reading: a reference, the caller's. NULL: nothing was read yet. Any thread.
struct sums *observer_sums(struct observer *observer);

#endif
