// SPDX-License-Identifier: BSD-2-Clause
#include "fake_port.h"

#include "require.h"

#include "base/wire.h"

#include <string.h>

enum { HEADER = 24, TID = 12, WAIT_MOST_MS = 50 };

void fake_port_init(struct fake_port *port, fake_port_answer *answer, void *ctx)
{
    memset(port, 0, offsetof(struct fake_port, queue));
    port->answer = answer;
    port->ctx = ctx;
    port->time = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    port->clock = support_clock(&port->time);
}

static void put_at(struct fake_port *port, const uint8_t *octets, size_t size, uint16_t from_lid,
                   int64_t due)
{
    REQUIRE(port->queued < FAKE_PORT_QUEUE && size <= FAKE_ANSWER_MAX);
    size_t i = (port->head + port->queued++) % FAKE_PORT_QUEUE;
    memcpy(port->queue[i].octets, octets, size);
    port->queue[i].size = size;
    port->queue[i].from_lid = from_lid;
    port->due[i] = due;
}

void fake_port_put(struct fake_port *port, const uint8_t *octets, size_t size)
{
    put_at(port, octets, size, 0, port->time.monotonic + port->latency_us);
}

static void swap_answers(struct fake_answer *a, struct fake_answer *b)
{
    uint8_t octets[FAKE_ANSWER_MAX];
    size_t size = a->size;
    memcpy(octets, a->octets, size);
    memcpy(a->octets, b->octets, b->size);
    a->size = b->size;
    memcpy(b->octets, octets, size);
    b->size = size;
    const uint16_t from_lid = a->from_lid;
    a->from_lid = b->from_lid;
    b->from_lid = from_lid;
}

// Moves the answer that is due first to the head of the queue.
static void advance_first(struct fake_port *port)
{
    size_t first = port->head;
    for (size_t i = 1; i < port->queued; i++) {
        size_t at = (port->head + i) % FAKE_PORT_QUEUE;
        if (port->due[at] < port->due[first])
            first = at;
    }
    if (first == port->head)
        return;
    int64_t due = port->due[first];
    swap_answers(&port->queue[first], &port->queue[port->head]);
    port->due[first] = port->due[port->head];
    port->due[port->head] = due;
}

static void forget_in_flight(struct fake_port *port, uint32_t tid)
{
    size_t kept = 0;
    for (size_t i = 0; i < port->in_flight_count; i++) {
        if (port->in_flight[i].tid != tid && port->in_flight[i].over > port->time.monotonic)
            port->in_flight[kept++] = port->in_flight[i];
    }
    port->in_flight_count = kept;
}

static void note_in_flight(struct fake_port *port, uint32_t tid, int response_timeout_ms)
{
    forget_in_flight(port, tid);
    REQUIRE(port->in_flight_count < FAKE_PORT_QUEUE);
    size_t i = port->in_flight_count++;
    port->in_flight[i].tid = tid;
    port->in_flight[i].over = port->time.monotonic + response_timeout_ms * CLOCK_US_PER_MS;
    if (port->in_flight_most < port->in_flight_count)
        port->in_flight_most = port->in_flight_count;
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    struct fake_port *port = self;
    const struct fake_request request = {agent, *to, octets, response_timeout_ms};
    if (port->refuses)
        return error_set(err, "it refuses");
    port->sent++;
    port->response_timeout_ms = response_timeout_ms;
    note_in_flight(port, wire_get32(octets + TID), response_timeout_ms);
    memset(&port->made, 0, sizeof port->made);
    memcpy(port->made.octets, octets, HEADER);
    port->made.octets[3] |= MAD_METHOD_RESPONSE;
    port->made.size = MAD_SIZE;
    port->made.from_lid = to->lid;
    int64_t due = port->time.monotonic + port->latency_us;
    if (port->answer(port->ctx, &request, &port->made))
        put_at(port, port->made.octets, port->made.size, port->made.from_lid,
               due + port->made.late_us);
    return true;
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct fake_port *port = self;
    REQUIRE(timeout_ms >= 0 && timeout_ms <= WAIT_MOST_MS);
    if (port->gone) {
        error_set(err, "it was unplugged");
        return -1;
    }
    int64_t until = port->time.monotonic + timeout_ms * CLOCK_US_PER_MS;
    advance_first(port);
    if (port->queued == 0 || port->due[port->head] > until) {
        port->time.monotonic = until;
        return 0;
    }
    if (port->time.monotonic < port->due[port->head])
        port->time.monotonic = port->due[port->head];
    port->current.size = port->queue[port->head].size;
    memcpy(port->current.octets, port->queue[port->head].octets, port->current.size);
    const size_t was = port->head;
    port->head = (port->head + 1) % FAKE_PORT_QUEUE;
    port->queued--;
    port->received++;
    forget_in_flight(port, wire_get32(port->current.octets + TID));
    *out = (struct mad_received){port->from, port->current.octets, port->current.size};
    if (out->from.lid == 0)
        out->from.lid = port->queue[was].from_lid;
    return 1;
}

static void port_close(void *self)
{
    (void)self;
}

struct mad_io fake_port_io(struct fake_port *port)
{
    return (struct mad_io){
        .receive = port_receive, .send = port_send, .close = port_close, .self = port};
}

struct sweep fake_port_sweep(struct fake_port *port)
{
    return (struct sweep){
        .requests = {.io = fake_port_io(port),
                     .in_flight = 8,
                     .attempts = 3,
                     .timeout_us = 100 * CLOCK_US_PER_MS,
                     .clock = &port->clock},
        .random = &SUPPORT_SAME,
        .port = {.lid = 7, .sm_lid = 1, .sm_sl = 3, .state = FABRIC_ACTIVE},
        .complete = true,
    };
}
