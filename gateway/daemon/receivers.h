// SPDX-License-Identifier: BSD-2-Clause
// Starts and stops receivers: those of the configuration and the trap recipients that managers
// added. Main thread.
#ifndef IBTRAPD_DAEMON_RECEIVERS_H
#define IBTRAPD_DAEMON_RECEIVERS_H

#include "daemon/gateway.h"

// How long a receiver that ends may still deliver.
#define RECEIVERS_FLUSH_US (2 * CLOCK_US_PER_S)

// How long its end may take after that: a call of a sink takes five seconds at most, and the sink
// is closed then. A receiver that takes longer, as a disk hangs, is left behind: it does nothing
// more once its call returns.
#define RECEIVERS_END_US (8 * CLOCK_US_PER_S)

// A receiver that does not run yet. Its sink may point into `conf`, a copy of its configuration.
struct receivers_made {
    struct conf_receiver *conf; // NULL: there is none
    struct sink sink;
};
bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err);
void receivers_free(struct receivers_made *made); // frees one that was not started

// Starts the receiver. Takes over the content of `made`, even when it fails.
bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err);

// Ends the receivers for which `stays` returns false. They may still deliver for `flush_us`. Takes
// RECEIVERS_END_US more at most. When it returns, all events about these receivers are in the
// journal.
void receivers_end(struct gateway *g, int64_t flush_us,
                   bool (*stays)(void *ctx, const struct conf_receiver *running), void *ctx);

bool receivers_run(const struct gateway *g, const char *name); // whether that receiver runs

// Lets the journal drop the events that it kept for receivers that have ended and have no
// successor.
void receivers_forget_departed(struct gateway *g);

// Starts the receivers of the configuration. Stops all receivers, after the pipeline has stopped;
// false: one was left behind, so nothing that receivers use may be freed.
bool receivers_start_all(struct gateway *g, struct error *err);
bool receivers_stop_all(struct gateway *g);

#endif
