// A MAD port behind which a function of the test answers. It keeps count of what is sent. Time is
// virtual and passes only while an answer is waited for. For one thread.
#ifndef IBTRAPD_TESTS_FAKE_PORT_H
#define IBTRAPD_TESTS_FAKE_PORT_H

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
    uint8_t octets[FAKE_ANSWER_MAX]; // the request's header as a response, then zeros
    size_t size;                     // MAD_SIZE
};

// Fills in the answer; false: none comes, or it came by fake_port_put.
typedef bool fake_port_answer(void *ctx, const struct fake_request *request,
                              struct fake_answer *answer);

struct fake_port {
    // What the test may change.
    fake_port_answer *answer;
    void *ctx;
    struct support_time time;
    int64_t latency_us;      // of answers; 0 at first
    struct mad_address from; // of answers
    bool gone;               // the port is
    bool refuses;            // to send

    // What happened.
    uint64_t sent, received;
    size_t in_flight_most;   // of those neither answered nor over
    int response_timeout_ms; // of the latest request

    struct clock clock; // shows `time`

    // Its own.
    struct {
        uint32_t tid;
        int64_t over;
    } in_flight[FAKE_PORT_QUEUE];
    size_t in_flight_count;
    size_t head, queued;
    struct fake_answer current, made;
    int64_t due[FAKE_PORT_QUEUE];
    struct fake_answer queue[FAKE_PORT_QUEUE]; // last, and never cleared: it is large
};

// At 1000 s on the monotonic clock, and SUPPORT_UTC_US. The port stays where it is, in static
// memory: it is large.
void fake_port_init(struct fake_port *port, fake_port_answer *answer, void *ctx);

struct mad_io fake_port_io(struct fake_port *port);

// A sweep through it: 8 requests in flight, 3 attempts of 100 ms, at LID 7, SM at LID 1.
struct sweep fake_port_sweep(struct fake_port *port);

// A MAD arrives, after the latency.
void fake_port_put(struct fake_port *port, const uint8_t *octets, size_t size);

#endif
