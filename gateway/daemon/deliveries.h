// The receivers that run, the configuration's and those that were set by SNMP: how they begin and
// end. Main thread.
#ifndef IBTRAPD_DAEMON_DELIVERIES_H
#define IBTRAPD_DAEMON_DELIVERIES_H

#include "daemon/gateway.h"

// How long a receiver that ends may still deliver.
#define DELIVERIES_FLUSH_US (2 * CLOCK_US_PER_S)

// A receiver that does not run yet, made from a copy of its configuration, which it may point into.
struct deliveries_made {
    struct conf_receiver *conf; // NULL: there is none
    struct receiver receiver;
};
bool deliveries_make(const struct gateway *g, const struct conf_receiver *conf,
                     struct deliveries_made *out, struct error *err);
void deliveries_free(struct deliveries_made *made); // one that was not started

// Starts to deliver; `made` is taken over in any case.
bool deliveries_start(struct gateway *g, struct deliveries_made *made, struct error *err);

// Ends all that do not stay, with what they can still deliver in so many microseconds. What they
// told of themselves is in the journal then.
void deliveries_end(struct gateway *g, int64_t flush_us,
                    bool (*stays)(void *ctx, const struct conf_receiver *running), void *ctx);

bool deliveries_run(const struct gateway *g, const char *name); // whether one of that name does

// What waited for those that have ended, and that nothing follows, waits no longer.
void deliveries_let_go(struct gateway *g);

// The configuration's, at the start; all, when the pipeline takes no more.
bool deliveries_start_all(struct gateway *g, struct error *err);
void deliveries_stop_all(struct gateway *g);

#endif
