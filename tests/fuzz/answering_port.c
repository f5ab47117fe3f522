#include "answering_port.h"

#include "fuzz.h"

static int64_t tell_time(void *ctx)
{
    return ((struct answering_port *)ctx)->now;
}

static void some_chance(void *ctx, void *out, size_t size)
{
    (void)ctx;
    memset(out, 0x5A, size);
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)response_timeout_ms, (void)err;
    struct answering_port *port = self;
    port->check_question(agent, to);
    REQUIRE(port->count < ANSWERING_WAITING_MAX);
    memcpy(port->waiting[(port->first + port->count++) % ANSWERING_WAITING_MAX], octets, MAD_SIZE);
    if (++port->asked == port->questions_max)
        atomic_store(&port->stop, true);
    return true;
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct answering_port *port = self;
    if (input_left(&port->in) == 0 || port->count == 0) {
        port->now += timeout_ms * CLOCK_US_PER_MS;
        port->count = 0;
        return 0;
    }
    const uint8_t *question = port->waiting[port->first];
    port->first = (port->first + 1) % ANSWERING_WAITING_MAX;
    port->count--;
    *out = (struct mad_received){.octets = port->octets,
                                 .size = port->answer(&port->in, question, port->octets)};
    return out->size > 0;
}

static void port_close(void *self)
{
    (void)self;
}

struct sweep answering_port_sweep(struct answering_port *port)
{
    static const struct random RANDOM = {some_chance, NULL};
    port->clock = (struct clock){tell_time, tell_time, port};
    return (struct sweep){.batch = {.io = {port_receive, NULL, port_send, port_close, port},
                                    .in_flight = ANSWERING_WAITING_MAX,
                                    .attempts = 1,
                                    .timeout_us = 50 * CLOCK_US_PER_MS,
                                    .clock = &port->clock,
                                    .stop = &port->stop},
                          .random = &RANDOM,
                          .complete = true};
}
