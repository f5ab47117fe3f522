// SPDX-License-Identifier: BSD-2-Clause
#include "ib/requests.h"

#include "base/memory.h"
#include "base/secret.h"
#include "ib/node_mad.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The lower half of a TransactionID consists of the window's bits, a serial number of the slot, and
// the slot's number. So an answer leads to its request at once, and every attempt has a
// TransactionID of its own, as the kernel requires.
enum { REQUESTS_SLOT_BITS = 8, REQUESTS_WAIT_MS_MAX = 50 };
static_assert(REQUESTS_IN_FLIGHT_MAX == 1 << REQUESTS_SLOT_BITS, "a slot has to fit");

// The window.

static uint32_t requests_serials(const struct request_window *w)
{
    return (UINT32_C(1) << w->serial_bits) - 1;
}

void request_window_open(struct request_window *window, uint32_t serial)
{
    assert(window->slot_count >= 1 && window->slot_count <= REQUESTS_IN_FLIGHT_MAX);
    TAILQ_INIT(&window->under_way);
    TAILQ_INIT(&window->free);
    window->slots = memory_zeroed(window->slot_count, sizeof *window->slots);
    for (unsigned i = 0; i < window->slot_count; i++) {
        window->slots[i].serial = serial & requests_serials(window);
        TAILQ_INSERT_TAIL(&window->free, &window->slots[i], in_order);
    }
}

void request_window_close(struct request_window *window)
{
    secret_release(window->slots);
}

struct request_slot *request_window_take(struct request_window *window, void *owner)
{
    struct request_slot *slot = TAILQ_FIRST(&window->free);
    assert(slot);
    TAILQ_REMOVE(&window->free, slot, in_order);
    TAILQ_INSERT_TAIL(&window->under_way, slot, in_order);
    slot->owner = owner;
    slot->attempts = 0;
    return slot;
}

void request_window_release(struct request_window *window, struct request_slot *slot)
{
    slot->owner = NULL;
    TAILQ_REMOVE(&window->under_way, slot, in_order);
    TAILQ_INSERT_HEAD(&window->free, slot, in_order);
}

static uint32_t requests_tid(const struct request_window *w, const struct request_slot *slot)
{
    return w->tid_bits | slot->serial << REQUESTS_SLOT_BITS | (uint32_t)(slot - w->slots);
}

bool request_window_send(struct request_window *window, struct request_slot *slot, int64_t now)
{
    struct error ignored;
    const int64_t ms = (window->timeout_us + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
    if (slot->attempts++ == 0)
        slot->sent_at = now;
    slot->serial = (slot->serial + 1) & requests_serials(window);
    slot->answer_by = now + window->timeout_us;
    // All attempts have the same time-out, so the last attempt expires last.
    TAILQ_REMOVE(&window->under_way, slot, in_order);
    TAILQ_INSERT_TAIL(&window->under_way, slot, in_order);
    mad_set_tid(slot->mad, requests_tid(window, slot));
    window->sent++;
    const enum mad_agent agent = mad_agent_of(mad_class(slot->mad));
    return window->io->send(window->io->self, agent, &slot->to, slot->mad, (int)ms, &ignored);
}

struct request_slot *request_window_find(struct request_window *window,
                                         const struct mad_received *in)
{
    struct mad_header h, asked;
    const uint32_t serials = requests_serials(window);
    if (!mad_read_header(in->octets, in->size, &h) || !(h.method & MAD_METHOD_RESPONSE))
        return NULL;
    const uint32_t tid = (uint32_t)h.tid, at = tid & (REQUESTS_IN_FLIGHT_MAX - 1);
    const uint32_t serial = tid >> REQUESTS_SLOT_BITS & serials;
    const uint32_t bits = tid & ~(serials << REQUESTS_SLOT_BITS | (REQUESTS_IN_FLIGHT_MAX - 1));
    if (bits != window->tid_bits || at >= window->slot_count)
        return NULL;
    struct request_slot *slot = &window->slots[at];
    if (!slot->owner || ((slot->serial - serial) & serials) >= slot->attempts ||
        !mad_read_header(slot->mad, MAD_SIZE, &asked))
        return NULL;
    return h.mgmt_class == asked.mgmt_class && h.attribute == asked.attribute ? slot : NULL;
}

// The batch.

struct requests_entry {
    STAILQ_ENTRY(requests_entry) in_order;
    struct mad_request request; // without `tag`
    alignas(max_align_t) uint8_t tag[];
};

struct requests {
    struct requests_options options;

    // Held while requests_run runs, except while it waits for answers.
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool lost;  // the port is gone
    bool ended; // by requests_end
    char reason[256];

    struct requests_counters counters;
    STAILQ_HEAD(requests_queue, requests_entry) waiting; // not sent yet
    struct request_window window;
};

struct requests *requests_new(const struct requests_options *options, uint32_t serial)
{
    assert(options->attempts >= 1);
    struct requests *b = memory_zeroed(1, sizeof *b);
    b->options = *options;
    b->window = (struct request_window){.io = &b->options.io,
                                        .tid_bits = MAD_TID_SWEEPER,
                                        .serial_bits = 23,
                                        .slot_count = options->in_flight,
                                        .timeout_us = options->timeout_us};
    request_window_open(&b->window, serial);
    pthread_mutex_init(&b->lock, NULL);
    clock_condition_init(&b->woken);
    STAILQ_INIT(&b->waiting);
    return b;
}

void requests_free(struct requests *batch)
{
    struct requests_entry *entry;
    if (!batch)
        return;
    while ((entry = STAILQ_FIRST(&batch->waiting))) {
        STAILQ_REMOVE_HEAD(&batch->waiting, in_order);
        free(entry);
    }
    for (unsigned i = 0; i < batch->window.slot_count; i++)
        free(batch->window.slots[i].owner);
    request_window_close(&batch->window);
    pthread_cond_destroy(&batch->woken);
    pthread_mutex_destroy(&batch->lock);
    free(batch);
}

void requests_add_counters(const struct requests *batch, struct requests_counters *sums)
{
    sums->requests += batch->counters.requests;
    sums->sent += batch->window.sent;
    sums->answered += batch->counters.answered;
    sums->given_up += batch->counters.given_up;
}

void requests_end(struct requests *batch)
{
    batch->ended = true;
}

bool requests_was_ended(const struct requests *batch)
{
    return batch->ended;
}

void requests_add(struct requests *batch, const struct mad_request *request)
{
    struct requests_entry *entry = memory_get(sizeof *entry + request->tag_size);
    entry->request = *request;
    if (request->tag_size > 0)
        memcpy(entry->tag, request->tag, request->tag_size);
    if (request->next)
        STAILQ_INSERT_HEAD(&batch->waiting, entry, in_order);
    else
        STAILQ_INSERT_TAIL(&batch->waiting, entry, in_order);
    batch->counters.requests++;
}

// Ends the request of a slot. `in` is NULL if the request is given up.
static void requests_finish(struct requests *b, struct request_slot *slot,
                            const struct mad_received *in, int64_t now)
{
    struct requests_entry *entry = slot->owner;
    assert(entry);
    struct request_answer answer = {.waited_us = now - slot->sent_at};
    struct mad_header asked;
    if (in && mad_read_header(slot->mad, MAD_SIZE, &asked)) {
        answer.mad = in->octets;
        answer.size = in->size;
        answer.from_lid = in->from.lid;
        answer.data = node_mad_answer(in->octets, in->size, asked.mgmt_class, asked.attribute);
    }
    request_window_release(&b->window, slot);
    b->counters.answered += in != NULL;
    b->counters.given_up += !in;
    entry->request.done(entry->request.ctx, entry->tag, &answer);
    free(entry);
}

static void requests_attempt(struct requests *b, struct request_slot *slot, int64_t now)
{
    if (!request_window_send(&b->window, slot, now))
        requests_finish(b, slot, NULL, now);
}

static void requests_send_waiting(struct requests *b, int64_t now)
{
    struct requests_entry *entry;
    while (!b->ended && !TAILQ_EMPTY(&b->window.free) && (entry = STAILQ_FIRST(&b->waiting))) {
        struct request_slot *slot = request_window_take(&b->window, entry);
        STAILQ_REMOVE_HEAD(&b->waiting, in_order);
        slot->to = entry->request.to;
        entry->request.make(entry->request.ctx, entry->tag, slot->mad);
        requests_attempt(b, slot, now);
    }
}

static void requests_expire(struct requests *b, int64_t now)
{
    struct request_slot *slot;
    while (!b->ended && (slot = TAILQ_FIRST(&b->window.under_way)) && slot->answer_by <= now) {
        log_debug(b->options.log, "no answer to TransactionID 0x%08" PRIx32 ", attempt %u of %u",
                  requests_tid(&b->window, slot), slot->attempts, b->options.attempts);
        if (slot->attempts < b->options.attempts)
            requests_attempt(b, slot, now);
        else
            requests_finish(b, slot, NULL, now);
    }
}

static bool requests_are_done(const struct requests *b)
{
    return b->ended || (STAILQ_EMPTY(&b->waiting) && TAILQ_EMPTY(&b->window.under_way));
}

static void requests_take(struct requests *b, const struct mad_received *in, int64_t now)
{
    struct request_slot *slot = b->ended ? NULL : request_window_find(&b->window, in);
    if (slot)
        requests_finish(b, slot, in, now);
}

// Called by the thread that receives.

static void requests_listen(void *ctx, const struct mad_received *in)
{
    struct requests *b = ctx;
    pthread_mutex_lock(&b->lock);
    const int64_t now = clock_monotonic(b->options.clock);
    requests_take(b, in, now);
    requests_send_waiting(b, now);
    if (requests_are_done(b))
        pthread_cond_signal(&b->woken);
    pthread_mutex_unlock(&b->lock);
}

static void requests_lose(void *ctx, const char *reason)
{
    struct requests *b = ctx;
    pthread_mutex_lock(&b->lock);
    b->lost = true;
    snprintf(b->reason, sizeof b->reason, "%s", reason);
    pthread_cond_signal(&b->woken);
    pthread_mutex_unlock(&b->lock);
}

// Running.

// Waits for an answer, at most until the earliest attempt expires.
static bool requests_await(struct requests *b, int64_t now, struct error *err)
{
    struct mad_received in;
    const int64_t us = TAILQ_FIRST(&b->window.under_way)->answer_by - now;
    int64_t wait_ms = (us + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
    if (wait_ms > REQUESTS_WAIT_MS_MAX)
        wait_ms = REQUESTS_WAIT_MS_MAX;
    if (!b->options.io.receive) {
        struct timespec deadline = clock_deadline(wait_ms * CLOCK_US_PER_MS);
        pthread_cond_timedwait(&b->woken, &b->lock, &deadline);
        return true;
    }
    const int rc = b->options.io.receive(b->options.io.self, &in, (int)wait_ms, err);
    if (rc > 0)
        requests_take(b, &in, clock_monotonic(b->options.clock));
    return rc >= 0;
}

static bool requests_run_until_done(struct requests *b, struct error *err)
{
    while (!requests_are_done(b)) {
        if (b->options.stop && atomic_load(b->options.stop))
            return error_set(err, "stopped");
        if (b->lost)
            return error_set(err, "%s", b->reason);
        const int64_t now = clock_monotonic(b->options.clock);
        if (b->options.end_at != 0 && b->options.end_at <= now)
            requests_end(b);
        requests_expire(b, now);
        requests_send_waiting(b, now);
        if (!requests_are_done(b) && !TAILQ_EMPTY(&b->window.under_way) &&
            !requests_await(b, now, err))
            return false;
    }
    return true;
}

bool requests_run(struct requests *batch, struct error *err)
{
    const struct mad_io *io = &batch->options.io;
    const struct mad_listener listener = {requests_listen, requests_lose, batch};
    struct error ignored;
    if (io->listen && !io->listen(io->self, &listener, err))
        return false;
    pthread_mutex_lock(&batch->lock);
    bool ok = requests_run_until_done(batch, err);
    pthread_mutex_unlock(&batch->lock);
    if (io->listen)
        io->listen(io->self, NULL, &ignored);
    return ok;
}
