// The receivers that run, the configuration's and those that were set by SNMP: how they begin and
// end. Main thread.
#ifndef IBTRAPD_DAEMON_RECEIVERS_H
#define IBTRAPD_DAEMON_RECEIVERS_H

#include "daemon/gateway.h"

// How long a receiver that ends may still deliver.
#define RECEIVERS_FLUSH_US (2 * CLOCK_US_PER_S)

// A receiver that does not run yet, made from a copy of its configuration, which it may point into.
struct receivers_made {
    struct conf_receiver *conf; // NULL: there is none
    struct sink sink;
};
bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err);
void receivers_free(struct receivers_made *made); // one that was not started

// Starts to deliver; `made` is taken over in any case.
bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err);

// Ends all that do not stay, with what they can still deliver in so many microseconds. What they
// told of themselves is in the journal then.
void receivers_end(struct gateway *g, int64_t flush_us,
                   bool (*stays)(void *ctx, const struct conf_receiver *running), void *ctx);

bool receivers_run(const struct gateway *g, const char *name); // whether one of that name does

// What waited for those that have ended, and that nothing follows, waits no longer.
void receivers_forget_departed(struct gateway *g);

// The configuration's, at the start; all, when the pipeline takes no more.
bool receivers_start_all(struct gateway *g, struct error *err);
void receivers_stop_all(struct gateway *g);

#endif
