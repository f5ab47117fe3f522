// Many requests, few at a time: sends them, waits for the answers, asks again, gives up. What the
// sweep, the counters and the questions to subnet managers stand on.
#ifndef IBTRAPD_IB_BATCH_H
#define IBTRAPD_IB_BATCH_H

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad.h"
#include "ib/mad_io.h"

#include <stdatomic.h>

enum { BATCH_IN_FLIGHT_MAX = 256 };

struct batch_options {
    struct mad_io io;   // stays the caller's; of a port of its own, or a share
    unsigned in_flight; // 1 to BATCH_IN_FLIGHT_MAX
    unsigned attempts;  // 1 and up, of each request
    int64_t timeout_us; // of each attempt
    const struct clock *clock;
    struct log *log;   // NULL: none
    atomic_bool *stop; // when it becomes true, batch_run ends; NULL: never
};

struct batch_counters {
    uint64_t requests, sent, answered, given_up; // sent: attempts
};

// Called while batch_run runs, for each request, in that thread or in the one that receives, one at
// a time: the answer, or NULL when no attempt was answered or the port refused to send it. An
// answer is to the same class and attribute; look at its status, and at all else. May add requests.
typedef void batch_done(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                        size_t size);

// Called when a request's turn comes: fills in its MAD_SIZE octets. False: it is not needed any
// more, and forgotten.
typedef bool batch_make(void *ctx, const void *tag, size_t tag_size, uint8_t *mad);

enum { BATCH_TAG_MAX = 112 };

struct batch_request {
    enum mad_agent agent;
    struct mad_address to;
    const uint8_t *mad; // MAD_SIZE octets, copied; NULL: made in time, which takes less memory
    batch_make *make;   // where `mad` is NULL
    bool next;          // its turn comes before that of those that wait
    batch_done *done;
    void *ctx;       // of both functions
    const void *tag; // for both, at most BATCH_TAG_MAX octets, copied
    size_t tag_size;
};

struct batch;
struct batch *batch_new(const struct batch_options *options,
                        uint32_t first_tid); // NULL: out of memory
void batch_free(struct batch *batch);        // NULL is allowed

// Queues a request; its TransactionID is filled in (the lower half, with MAD_TID_BATCH). False: out
// of memory.
bool batch_add(struct batch *batch, const struct batch_request *request);

// Until every request is answered or given up. Where another thread receives, answers are taken
// there and what is asked next goes out from there: to wake this thread would cost more than all
// else. False with a sentence when the port is gone, or it was stopped; what is not done then never
// will be.
bool batch_run(struct batch *batch, struct error *err);

void batch_get_counters(const struct batch *batch, struct batch_counters *out);

#endif
