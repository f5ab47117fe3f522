// SPDX-License-Identifier: BSD-2-Clause
// Starts and stops receivers: those of the configuration and the trap recipients that managers
// added. The main thread starts and stops them all; in between, the thread of reloads does.
#ifndef IBTRAPD_DAEMON_RECEIVERS_H
#define IBTRAPD_DAEMON_RECEIVERS_H

#include "daemon/gateway.h"

// How long a receiver that ends may still deliver.
#define RECEIVERS_FLUSH_US (2 * CLOCK_US_PER_S)

// How long its end may take after that: a call of a sink takes five seconds at most, as do the
// confirmations of what is in flight, and the sink is closed then. A receiver that takes longer, as
// a disk hangs, is left behind: it does nothing more once its call returns.
#define RECEIVERS_END_US (8 * CLOCK_US_PER_S)

// How long the end of the process waits for what receivers' modules have left behind, such as a
// library's client that still ends.
#define RECEIVERS_SETTLE_US CLOCK_US_PER_S

// How long one of the receivers' threads may have a processor before the next has its turn: a batch
// of events takes less, so that only a thread counts as running that runs.
#define RECEIVERS_TURN_US (2 * CLOCK_US_PER_MS)

// A receiver that does not run yet. Its sink may point into `conf`, a copy of its configuration.
struct receivers_made {
    struct conf_receiver *conf; // NULL: there is none
    struct sink sink;
    struct receiver_carried carried; // from its predecessor
};
bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err);
void receivers_free(struct receivers_made *made); // frees one that was not started

// Starts the receiver. Takes over the content of `made`, even when it fails.
bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err);

enum receivers_fate {
    RECEIVERS_STAYS,
    RECEIVERS_SUCCEEDED, // it ends, and its successor sends what it has not sent yet
    RECEIVERS_ENDS,      // it may still deliver for RECEIVERS_FLUSH_US
};

// Ends the receivers whose fate is not RECEIVERS_STAYS. When it returns, they have the
// confirmations of the events in flight (receiver_request_stop), and all events about them are in
// the journal. Takes RECEIVERS_FLUSH_US and RECEIVERS_END_US at most; so long the main loop shows
// them, and pauses and flushes them. Then it calls `leave` for each, in the loop's thread, as it
// takes them from the list; NULL: nothing is to be done.
void receivers_end(struct gateway *g,
                   enum receivers_fate (*fate)(void *ctx, const struct conf_receiver *running),
                   void (*leave)(void *ctx, const struct receiver *receiver), void *ctx);

// The running receiver of that name, or NULL.
struct receiver *receivers_find(const struct gateway *g, const char *name);

// Starts the receivers of the configuration. Stops all receivers, after the pipeline has stopped;
// false: one was left behind, or a module's library still runs, so nothing that receivers use may
// be freed, nor may the process end other than by _exit(2).
bool receivers_start_all(struct gateway *g, struct error *err);
bool receivers_stop_all(struct gateway *g);

#endif
