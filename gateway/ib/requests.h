// SPDX-License-Identifier: BSD-2-Clause
// The engine for MAD requests. A window has the requests under way: it gives each attempt a
// TransactionID and a time-out, and matches answers to requests. Reads on demand (ib/reads.h) have
// windows, and choose what is sent. A batch has a window and a queue: it sends many requests, a few
// at a time, repeats unanswered requests, and gives a request up after the last attempt. Sweeps,
// counter readings and queries to subnet managers are batches.
// Decides: Which answer to a query does ibtrapd believe?
// Decides: When does ibtrapd send a query again, and when does it give up?
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad.h"
#include "ib/mad_io.h"

#include <stdatomic.h>
#include <sys/queue.h>

enum { REQUESTS_IN_FLIGHT_MAX = 256 };

// A window.

struct request_slot {
    TAILQ_ENTRY(request_slot) in_order; // of `under_way` or `free`
    void *owner;                        // the caller's; NULL: free
    struct mad_address to;
    uint8_t mad[MAD_SIZE];
    unsigned attempts; // made; each used one serial number
    uint32_t serial;   // of the last attempt
    int64_t sent_at;   // monotonic: the first attempt
    int64_t answer_by; // monotonic: the end of the last attempt
};
TAILQ_HEAD(request_slots, request_slot);

struct request_window {
    // The caller sets these before request_window_open.
    const struct mad_io *io;
    uint32_t tid_bits;    // MAD_TID_SWEEPER or MAD_TID_READS, and perhaps bits of the caller
    unsigned serial_bits; // of the TransactionID, above the slot's 8 bits
    unsigned slot_count;  // 1 to REQUESTS_IN_FLIGHT_MAX
    int64_t timeout_us;   // of each attempt

    struct request_slot *slots;
    struct request_slots under_way, free; // under_way: in order of answer_by
    uint64_t sent;                        // attempts, those that the port refused included
};

// `serial`: the serial number before that of the first attempt in each slot.
void request_window_open(struct request_window *window, uint32_t serial);
void request_window_close(struct request_window *window); // erases the MADs, which have M_Keys

// Takes a free slot. The caller knows that a slot is free. The caller then sets `to` and `mad`.
struct request_slot *request_window_take(struct request_window *window, void *owner);
void request_window_release(struct request_window *window, struct request_slot *slot);

// Makes an attempt. Returns false if the port refuses to send; the slot stays taken.
bool request_window_send(struct request_window *window, struct request_slot *slot, int64_t now);

// The slot of the request that this MAD answers, in the last attempt or in an earlier attempt.
// Class and attribute have to match, too. Returns NULL if the MAD answers no request.
struct request_slot *request_window_find(struct request_window *window,
                                         const struct mad_received *in);

// A batch.

struct requests_options {
    struct mad_io io;   // stays the caller's; of a port of its own, or of shared_port_attach
    unsigned in_flight; // 1 to REQUESTS_IN_FLIGHT_MAX
    unsigned attempts;  // of each request, at least 1
    int64_t timeout_us; // of each attempt
    int64_t end_at; // monotonic; requests_run ends at this time, like after requests_end; 0: never
    const struct clock *clock;
    struct log *log;   // NULL: none
    atomic_bool *stop; // when it becomes true, requests_run ends; NULL: never
};

struct requests_counters {
    uint64_t requests, sent, answered, given_up; // sent: attempts
};

struct request_answer {
    const uint8_t *mad; // NULL: no attempt was answered, or the port refused to send
    size_t size;
    const uint8_t *data; // the attribute, as node_mad_answer has it
    int64_t waited_us;   // since the first attempt
    uint16_t from_lid;   // of the sender of `mad`
};

// Gets the answer to a request. The function is called once for each request while requests_run
// runs, by the thread of requests_run or by the thread that receives, one call at a time. An answer
// has the request's class and attribute. Check everything else in `mad`; `data` has the status
// success. May add requests.
typedef void request_done(void *ctx, const void *tag, const struct request_answer *answer);

// Writes the MAD_SIZE octets of a request, just before its first attempt.
typedef void request_make(void *ctx, const void *tag, uint8_t *mad);

struct mad_request {
    struct mad_address to;
    request_make *make;
    request_done *done;
    bool next;       // send the request before all requests that wait
    void *ctx;       // for both functions
    const void *tag; // for both functions: they get a copy, aligned like memory of malloc
    size_t tag_size;
};

struct requests;
struct requests *requests_new(const struct requests_options *options, uint32_t serial);
void requests_free(struct requests *batch); // NULL is allowed
void requests_add(struct requests *batch, const struct mad_request *request);

// Runs until every request is answered or given up, or until requests_end. If another thread
// receives (mad_io's `listen`), that thread handles the answers and sends the next requests,
// because waking this thread for each answer would cost more than everything else. Returns false
// with a sentence if the port is gone, or if `stop` became true; the requests left are dropped.
bool requests_run(struct requests *batch, struct error *err);

// Makes requests_run return true; the requests left are dropped, without a call of `done`. Call
// this function in `done` or `make`.
void requests_end(struct requests *batch);
bool requests_was_ended(const struct requests *batch); // by requests_end, or at `end_at`

// Adds the counters of the batch to the sums.
void requests_add_counters(const struct requests *batch, struct requests_counters *sums);
