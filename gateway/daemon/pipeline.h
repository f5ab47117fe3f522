// From report to journal, in one thread: report or occurrence -> event -> journal -> answer to the
// subnet manager. What waits together is committed together; nobody is answered before the commit.
// The receivers read behind the journal.
#ifndef IBTRAPD_DAEMON_PIPELINE_H
#define IBTRAPD_DAEMON_PIPELINE_H

#include "event/maker.h"
#include "ib/sa_agent.h"
#include "journal/journal.h"

enum {
    PIPELINE_QUEUE_MAX = 65536, // reports that wait at most: a new master sends one per port at once
    PIPELINE_BATCH_MAX = 512,   // of them in one commit
};

struct pipeline_counters {
    uint64_t events;   // made
    uint64_t repeated; // reports answered again without a new event
};

struct pipeline_options {
    struct maker maker;
    struct journal *journal; // the pipeline is its writer; outlives the pipeline
    // Answers a report; called in the pipeline's thread after the commit.
    void (*acknowledge)(void *ctx, const struct sa_report *report);
    void *ctx;
};

struct pipeline;

// Starts the thread. NULL with a sentence when memory or threads are short.
struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err);

// Takes over a report made with malloc; false when there is no room. Any thread; never waits.
bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report);

// Any thread; never waits. Lost when memory is short or the queue is full of reports.
void pipeline_put_occurrence(struct pipeline *pipeline, const struct maker_occurrence *occurrence,
                             uint64_t subnet_prefix);

// Handles what is queued, then ends the thread. What is put from then on is refused.
void pipeline_stop(struct pipeline *pipeline);
void pipeline_free(struct pipeline *pipeline); // a stopped one; NULL is allowed

void pipeline_get_counters(struct pipeline *pipeline, struct pipeline_counters *out); // any thread

#endif
