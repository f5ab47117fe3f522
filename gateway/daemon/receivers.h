// SPDX-License-Identifier: BSD-2-Clause
// Starts and ends receivers: the receivers of the configuration, and the trap recipients that
// managers added. The main thread starts the first receivers, and stops all at the end; in between,
// the thread of reloads starts and ends them.
// Decides: How long may a receiver take to end?
// Decides: From which event on does a receiver go on after a change, a new name or an absence?
#pragma once

#include "daemon/gateway.h"

// How long a receiver that ends may still deliver.
#define RECEIVERS_FLUSH_US (2 * CLOCK_US_PER_S)

// How long the end of a receiver may take after RECEIVERS_FLUSH_US. A call of a sink takes five
// seconds at most, and so do the confirmations of the events in flight; then the sink is closed. A
// receiver that takes longer, because a disk hangs, is left behind: once its call returns, it does
// nothing more.
#define RECEIVERS_END_US (8 * CLOCK_US_PER_S)

// How long the end of the process waits for remains of receivers' modules, such as a library's
// client that still ends.
#define RECEIVERS_SETTLE_US CLOCK_US_PER_S

// How long one of the receivers' threads may have a processor before the next has its turn. A batch
// of events takes less: a thread that waits does not count as running.
#define RECEIVERS_TURN_US (2 * CLOCK_US_PER_MS)

// A receiver that does not run yet. Its sink may point into `conf`, a copy of its configuration.
struct receivers_made {
    struct conf_receiver *conf; // NULL: there is none
    struct sink sink;
    struct receiver_carried carried; // from its predecessor
    // The name until now, its present name or another name. Empty: the receiver did not run.
    char former[CONF_NAME_SIZE];
};

// Fills `out`, without a former name. False with a sentence.
bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err);
void receivers_free(struct receivers_made *made); // frees a receiver that was not started

// Starts the receiver at the place of its former name. Takes over the content of `made`, even when
// it fails.
bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err);

enum receivers_fate {
    RECEIVERS_STAYS,
    RECEIVERS_SUCCEEDED, // it ends, and its successor sends the unsent events
    RECEIVERS_ENDS,      // it may still deliver for RECEIVERS_FLUSH_US
};

// Ends the receivers whose fate is not RECEIVERS_STAYS, in RECEIVERS_FLUSH_US and RECEIVERS_END_US
// at most. Until then the main loop shows, pauses and flushes these receivers. Then the loop's
// thread takes them from the list, and calls `leave` for each receiver; `leave` may be NULL. After
// the return the receivers have the confirmations of the events in flight (receiver_request_stop),
// and the journal has all events about them.
void receivers_end(struct gateway *g,
                   enum receivers_fate (*fate)(void *ctx, const struct conf_receiver *running),
                   void (*leave)(void *ctx, const struct receiver *receiver), void *ctx);

// The running receiver with the name, and the receiver of the configuration with the name; or NULL.
struct receiver *receivers_find(const struct gateway *g, const char *name);
const struct conf_receiver *receivers_find_conf(const struct conf *conf, const char *name);

// Starts the receivers of the configuration.
bool receivers_start_all(struct gateway *g, struct error *err);

// Stops all receivers, after the pipeline has stopped. Returns false if a receiver was left behind,
// or a module's library still runs. Then free nothing that receivers use, and end the process by
// _exit(2).
bool receivers_stop_all(struct gateway *g);

// Lets each receiver whose alarm is active end the alarm once the receiver works. Call it after the
// journal was read late. Any thread.
void receivers_recall_failing(struct gateway *gateway);

// Clears the alarms of receivers that neither run nor are configured: nothing else would clear
// them. The thread of settings_apply, which calls this function.
void receivers_clear_departed(struct gateway *gateway);

// Both functions log how many events wait for a receiver, and what becomes of the events. During a
// reload, both also add this to the answer (`backlogs` of struct gateway). The thread of reloads,
// or the pipeline's thread while the thread of reloads waits for it.

// Call it before the receiver starts. `former`: the name that the receiver had until now, its
// present name or another name; empty: the receiver did not run.
void receivers_tell_start(struct gateway *g, const struct conf_receiver *conf, const char *former);

// Call it before journal_end_receivers with the same arguments.
void receivers_tell_gone(struct gateway *g, bool (*runs)(void *ctx, const char *name), void *ctx);
