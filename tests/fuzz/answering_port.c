// SPDX-License-Identifier: BSD-2-Clause
#include "answering_port.h"

#include "fuzz.h"

static bool answer(void *ctx, const struct fake_request *request, struct fake_answer *out)
{
    struct answering_port *port = ctx;
    port->check_question(request->agent, &request->to);
    if (port->port.sent == port->questions_max)
        atomic_store(&port->stop, true);
    if (input_left(&port->in) == 0)
        return false;
    out->size = port->answer(&port->in, request->octets, out->octets);
    return out->size > 0;
}

struct sweep answering_port_sweep(struct answering_port *port, const uint8_t *data, size_t size)
{
    port->in = (struct input){data, data + size};
    atomic_store(&port->stop, false);
    fake_port_init(&port->port, answer, port);
    struct sweep sweep = fake_port_sweep(&port->port);
    sweep.requests.in_flight = ANSWERING_IN_FLIGHT;
    sweep.requests.attempts = 1;
    sweep.requests.timeout_us = 50 * CLOCK_US_PER_MS;
    sweep.requests.stop = &port->stop;
    return sweep;
}
