// SPDX-License-Identifier: BSD-2-Clause
#include "ib/batch.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The lower half of a TransactionID consists of MAD_TID_BATCH, a serial number of the slot, and the
// slot's number. So an answer leads to its request at once, and every attempt has a TransactionID
// of its own, as the kernel requires.
enum { SLOT_BITS = 8, SERIAL_BITS = 23, WAIT_MS_MAX = 50 };
static_assert(BATCH_IN_FLIGHT_MAX == 1 << SLOT_BITS, "a slot has to fit");
static const uint32_t SERIAL_MASK = (UINT32_C(1) << SERIAL_BITS) - 1;

struct request {
    struct request *next;
    enum mad_agent agent;
    struct mad_address to;
    batch_make *make;
    batch_done *done;
    void *ctx;
    size_t tag_size;
    uint8_t octets[]; // the tag; without `make`, the MAD follows
};

// A place for a request under way.
struct slot {
    struct request *request;      // NULL: free
    struct slot *earlier, *later; // among those under way, in order of answer_by
    uint32_t serial;              // of the last attempt
    uint8_t mad[MAD_SIZE];        // of the last attempt
    unsigned attempts;            // made; each used one serial
    int64_t answer_by;
};

struct batch {
    struct batch_options options;

    // Held while batch_run runs, except while it waits for answers.
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool lost;  // the port is gone
    bool ended; // by batch_end
    char reason[256];

    struct batch_counters counters;
    struct request *first, **end; // waiting, not sent yet
    struct slot slots[BATCH_IN_FLIGHT_MAX];
    struct slot *free[BATCH_IN_FLIGHT_MAX];
    size_t free_count;
    struct slot *earliest, *latest;
};

struct batch *batch_new(const struct batch_options *options, uint32_t first_tid)
{
    assert(options->in_flight >= 1 && options->in_flight <= BATCH_IN_FLIGHT_MAX);
    assert(options->attempts >= 1);
    struct batch *b = memory_zeroed(1, sizeof *b);
    b->options = *options;
    pthread_mutex_init(&b->lock, NULL);
    clock_condition_init(&b->woken);
    b->end = &b->first;
    while (b->free_count < options->in_flight) {
        struct slot *slot = &b->slots[b->free_count];
        slot->serial = first_tid & SERIAL_MASK;
        b->free[b->free_count++] = slot;
    }
    return b;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    for (struct request *r = batch->first, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    for (size_t i = 0; i < BATCH_IN_FLIGHT_MAX; i++)
        free(batch->slots[i].request);
    pthread_cond_destroy(&batch->woken);
    pthread_mutex_destroy(&batch->lock);
    free(batch);
}

void batch_get_counters(const struct batch *batch, struct batch_counters *out)
{
    *out = batch->counters;
}

void batch_end(struct batch *batch)
{
    batch->ended = true;
}

bool batch_was_ended(const struct batch *batch)
{
    return batch->ended;
}

static void put_first(struct batch *b, struct request *r)
{
    r->next = b->first;
    b->first = r;
    if (!r->next)
        b->end = &r->next;
}

static void put_last(struct batch *b, struct request *r)
{
    *b->end = r;
    b->end = &r->next;
}

void batch_add(struct batch *batch, const struct batch_request *request)
{
    assert(request->tag_size <= BATCH_TAG_MAX && !request->mad != !request->make);
    const size_t tag_size = request->tag_size;
    struct request *r = memory_get(sizeof *r + tag_size + (request->mad ? MAD_SIZE : 0));
    *r = (struct request){.agent = request->agent,
                          .to = request->to,
                          .make = request->make,
                          .done = request->done,
                          .ctx = request->ctx,
                          .tag_size = tag_size};
    if (tag_size > 0)
        memcpy(r->octets, request->tag, tag_size);
    if (request->mad)
        memcpy(r->octets + tag_size, request->mad, MAD_SIZE);
    if (request->next)
        put_first(batch, r);
    else
        put_last(batch, r);
    batch->counters.requests++;
}

static struct request *batch_dequeue(struct batch *b)
{
    struct request *r = b->first;
    b->first = r->next;
    if (!b->first)
        b->end = &b->first;
    return r;
}

// All attempts have the same timeout, so the last one sent expires last.
static void put_latest(struct batch *b, struct slot *slot)
{
    slot->earlier = b->latest;
    slot->later = NULL;
    *(b->latest ? &b->latest->later : &b->earliest) = slot;
    b->latest = slot;
}

static void unlink_slot(struct batch *b, struct slot *slot)
{
    *(slot->earlier ? &slot->earlier->later : &b->earliest) = slot->later;
    *(slot->later ? &slot->later->earlier : &b->latest) = slot->earlier;
}

// Ends the request of a slot that is not linked, and frees the slot. `answer` NULL: it is given up.
static void batch_finish(struct batch *b, struct slot *slot, const uint8_t *answer, size_t size)
{
    struct request *r = slot->request;
    assert(r);
    slot->request = NULL;
    b->free[b->free_count++] = slot;
    if (answer)
        b->counters.answered++;
    else
        b->counters.given_up++;
    r->done(r->ctx, r->octets, r->tag_size, answer, size);
    free(r);
}

static uint32_t batch_tid_of(const struct batch *b, const struct slot *slot)
{
    return MAD_TID_BATCH | slot->serial << SLOT_BITS | (uint32_t)(slot - b->slots);
}

static void send_attempt(struct batch *b, struct slot *slot, int64_t now)
{
    struct request *r = slot->request;
    struct error ignored;
    assert(r);
    slot->attempts++;
    slot->serial = (slot->serial + 1) & SERIAL_MASK;
    slot->answer_by = now + b->options.timeout_us;
    mad_set_tid(slot->mad, batch_tid_of(b, slot));
    b->counters.sent++;
    int timeout_ms = (int)((b->options.timeout_us + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS);
    if (b->options.io.send(b->options.io.self, r->agent, &r->to, slot->mad, timeout_ms, &ignored))
        put_latest(b, slot);
    else
        batch_finish(b, slot, NULL, 0);
}

static void send_first(struct batch *b, int64_t now)
{
    struct request *r = batch_dequeue(b);
    struct slot *slot = b->free[--b->free_count];
    if (r->make)
        r->make(r->ctx, r->octets, r->tag_size, slot->mad);
    else
        memcpy(slot->mad, r->octets + r->tag_size, MAD_SIZE);
    slot->request = r;
    slot->attempts = 0;
    send_attempt(b, slot, now);
}

static void send_waiting(struct batch *b, int64_t now)
{
    while (!b->ended && b->first && b->free_count > 0)
        send_first(b, now);
}

static void batch_expire(struct batch *b, int64_t now)
{
    while (!b->ended && b->earliest && b->earliest->answer_by <= now) {
        struct slot *slot = b->earliest;
        unlink_slot(b, slot);
        log_debug(b->options.log, "no answer to TransactionID 0x%08" PRIx32 ", attempt %u of %u",
                  batch_tid_of(b, slot), slot->attempts, b->options.attempts);
        if (slot->attempts < b->options.attempts)
            send_attempt(b, slot, now);
        else
            batch_finish(b, slot, NULL, 0);
    }
}

// The slot of the request that this answers, in its last attempt or an earlier one. NULL: none.
static struct slot *batch_find_slot(struct batch *b, const struct mad_received *in)
{
    struct mad_header h;
    if (!mad_read_header(in->octets, in->size, &h) || !(h.method & MAD_METHOD_RESPONSE) ||
        !(h.tid & MAD_TID_BATCH))
        return NULL;
    struct slot *slot = &b->slots[h.tid & (BATCH_IN_FLIGHT_MAX - 1)];
    uint32_t serial = (uint32_t)(h.tid >> SLOT_BITS) & SERIAL_MASK;
    struct mad_header asked;
    if (!slot->request || ((slot->serial - serial) & SERIAL_MASK) >= slot->attempts ||
        !mad_read_header(slot->mad, MAD_SIZE, &asked))
        return NULL;
    return h.mgmt_class == asked.mgmt_class && h.attribute == asked.attribute ? slot : NULL;
}

static bool is_done(const struct batch *b)
{
    return b->ended || (!b->first && !b->earliest);
}

static void batch_handle_answer(struct batch *b, const struct mad_received *in)
{
    struct slot *slot = b->ended ? NULL : batch_find_slot(b, in);
    if (!slot)
        return;
    unlink_slot(b, slot);
    batch_finish(b, slot, in->octets, in->size);
}

// Called by the thread that receives.

static void batch_handle(void *ctx, const struct mad_received *in)
{
    struct batch *b = ctx;
    pthread_mutex_lock(&b->lock);
    batch_handle_answer(b, in);
    send_waiting(b, clock_monotonic(b->options.clock));
    if (is_done(b))
        pthread_cond_signal(&b->woken);
    pthread_mutex_unlock(&b->lock);
}

static void batch_handle_loss(void *ctx, const char *reason)
{
    struct batch *b = ctx;
    pthread_mutex_lock(&b->lock);
    b->lost = true;
    snprintf(b->reason, sizeof b->reason, "%s", reason);
    pthread_cond_signal(&b->woken);
    pthread_mutex_unlock(&b->lock);
}

// Running.

static bool batch_receive(struct batch *b, int timeout_ms, struct error *err)
{
    struct mad_received in;
    int rc = b->options.io.receive(b->options.io.self, &in, timeout_ms, err);
    if (rc > 0)
        batch_handle_answer(b, &in);
    return rc >= 0;
}

// Waits for an answer, at most until the earliest attempt expires.
static bool batch_await(struct batch *b, int64_t now, struct error *err)
{
    int64_t wait_ms = (b->earliest->answer_by - now + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
    if (wait_ms > WAIT_MS_MAX)
        wait_ms = WAIT_MS_MAX;
    if (b->options.io.receive)
        return batch_receive(b, (int)wait_ms, err);
    struct timespec deadline = clock_deadline(wait_ms * CLOCK_US_PER_MS);
    pthread_cond_timedwait(&b->woken, &b->lock, &deadline);
    return true;
}

static bool batch_run_until_done(struct batch *b, struct error *err)
{
    while (!is_done(b)) {
        if (b->options.stop && atomic_load(b->options.stop))
            return error_set(err, "stopped");
        if (b->lost)
            return error_set(err, "%s", b->reason);
        int64_t now = clock_monotonic(b->options.clock);
        if (b->options.end_at != 0 && b->options.end_at <= now)
            batch_end(b);
        batch_expire(b, now);
        send_waiting(b, now);
        if (!is_done(b) && b->earliest && !batch_await(b, now, err))
            return false;
    }
    return true;
}

bool batch_run(struct batch *batch, struct error *err)
{
    const struct mad_io *io = &batch->options.io;
    const struct mad_listener listener = {batch_handle, batch_handle_loss, batch};
    struct error ignored;
    if (io->listen && !io->listen(io->self, &listener, err))
        return false;
    pthread_mutex_lock(&batch->lock);
    bool ok = batch_run_until_done(batch, err);
    pthread_mutex_unlock(&batch->lock);
    if (io->listen)
        io->listen(io->self, NULL, &ignored);
    return ok;
}
