// SPDX-License-Identifier: BSD-2-Clause
// Sends many requests, a few at a time: waits for the answers, repeats requests that were not
// answered, and gives up after the last attempt. Sweeps, counter readings and queries to subnet
// managers use it.
#ifndef IBTRAPD_IB_BATCH_H
#define IBTRAPD_IB_BATCH_H

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad.h"
#include "ib/mad_io.h"

#include <stdatomic.h>

enum { BATCH_IN_FLIGHT_MAX = 256 };

struct batch_options {
    struct mad_io io;   // stays the caller's; of a port of its own, or of shared_port_attach
    unsigned in_flight; // 1 to BATCH_IN_FLIGHT_MAX
    unsigned attempts;  // of each request, at least 1
    int64_t timeout_us; // of each attempt
    int64_t end_at;     // monotonic; batch_run ends then, as after batch_end; 0: never
    const struct clock *clock;
    struct log *log;   // NULL: none
    atomic_bool *stop; // when it becomes true, batch_run ends; NULL: never
};

struct batch_counters {
    uint64_t requests, sent, answered, given_up; // sent: attempts
};

// Gets the answer to a request; NULL: no attempt was answered, or the port refused to send it.
// Called once for each request while batch_run runs, by its thread or by the one that receives, one
// call at a time. An answer has the request's class and attribute; check its status and everything
// else. May add requests.
typedef void batch_done(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                        size_t size);

// Writes the MAD_SIZE octets of a request, just before its first attempt.
typedef void batch_make(void *ctx, const void *tag, size_t tag_size, uint8_t *mad);

enum { BATCH_TAG_MAX = 112 };

struct batch_request {
    enum mad_agent agent;
    struct mad_address to;
    const uint8_t *mad; // MAD_SIZE octets, copied; NULL: `make` writes them, to save memory
    batch_make *make;   // if `mad` is NULL
    bool next;          // send it before the requests that wait already
    batch_done *done;
    void *ctx;       // for both functions
    const void *tag; // for both functions; at most BATCH_TAG_MAX octets, copied
    size_t tag_size;
};

struct batch;
struct batch *batch_new(const struct batch_options *options, uint32_t first_tid);
void batch_free(struct batch *batch); // NULL is allowed

// Queues a request. The batch sets the lower half of its TransactionID, with MAD_TID_BATCH.
void batch_add(struct batch *batch, const struct batch_request *request);

// Runs until every request is answered or given up, or until batch_end. If another thread receives
// (mad_io's `listen`), that thread handles the answers and sends the next requests: waking this
// thread for each would cost more than everything else. False with a sentence: the port is gone, or
// `stop` became true; requests not done by then are dropped.
bool batch_run(struct batch *batch, struct error *err);

// Makes batch_run return true; requests not done by then are dropped, without a call of `done`.
// Call it in `done` or `make`.
void batch_end(struct batch *batch);
bool batch_was_ended(const struct batch *batch); // by batch_end, or at `end_at`

void batch_get_counters(const struct batch *batch, struct batch_counters *out);

#endif
