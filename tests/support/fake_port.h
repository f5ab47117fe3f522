// SPDX-License-Identifier: BSD-2-Clause
// A MAD port whose requests a function of the test answers. It counts the MADs sent. Time is
// virtual and passes only while the code under test waits for an answer. For one thread.
#pragma once

#include "support_clock.h"

#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/sweep.h"

#include <stdbool.h>

enum { FAKE_ANSWER_MAX = 16384, FAKE_PORT_QUEUE = 1024 };

struct fake_request {
    enum mad_agent agent;
    struct mad_address to;
    const uint8_t *octets; // MAD_SIZE
    int response_timeout_ms;
};

struct fake_answer {
    uint8_t octets[FAKE_ANSWER_MAX]; // begins as the request's header turned into a response, then
                                     // zeros
    size_t size;                     // MAD_SIZE
    int64_t late_us;                 // after the latency; 0
    uint16_t from_lid;               // the LID of the request
};

// Fills in the answer. False: there is none, or the function called fake_port_put itself.
typedef bool fake_port_answer(void *ctx, const struct fake_request *request,
                              struct fake_answer *answer);

struct fake_port {
    // What the test may change.
    fake_port_answer *answer;
    void *ctx;
    struct support_time time;
    int64_t latency_us;      // delay of answers; 0 at first
    struct mad_address from; // of answers; LID 0: that of each answer
    bool gone;               // the port was removed
    bool refuses;            // sending fails

    // What happened.
    uint64_t sent, received;
    size_t in_flight_most;   // largest number of requests in flight at once
    int response_timeout_ms; // of the latest request

    struct clock clock; // shows `time`

    // Private.
    struct {
        uint32_t tid;
        int64_t over;
    } in_flight[FAKE_PORT_QUEUE];
    size_t in_flight_count;
    size_t head, queued;
    struct fake_answer current, made;
    int64_t due[FAKE_PORT_QUEUE];
    struct fake_answer queue[FAKE_PORT_QUEUE]; // last, and never cleared, because it is large
};

// Sets the time to 1000 s on the monotonic clock and to SUPPORT_UTC_US. The port must be in static
// memory, because it is large, and must not be moved.
void fake_port_init(struct fake_port *port, fake_port_answer *answer, void *ctx);

struct mad_io fake_port_io(struct fake_port *port);

// Sets up a sweep through the port: 8 requests in flight, 3 attempts of 100 ms, own LID 7, SM at
// LID 1.
struct sweep fake_port_sweep(struct fake_port *port);

// Makes a MAD arrive after the latency.
void fake_port_put(struct fake_port *port, const uint8_t *octets, size_t size);
