// SPDX-License-Identifier: BSD-2-Clause
// A port whose answers to a sweep's queries come from the input, in the order of the queries.
#pragma once

#include "fake_port.h"
#include "input.h"

enum { ANSWERING_IN_FLIGHT = 16, ANSWERING_ANSWER_MAX = 8192 };

struct answering_port {
    struct input in;
    unsigned questions_max; // stops the sweep after this many queries, as a small input may
                            // describe many ports

    // Writes the answer to a query, a MAD. Returns its size, at least MAD_SIZE; 0: no answer.
    size_t (*answer)(struct input *in, const uint8_t *question,
                     uint8_t answer[ANSWERING_ANSWER_MAX]);
    void (*check_question)(enum mad_agent agent, const struct mad_address *to);

    atomic_bool stop;
    struct fake_port port; // last, because a new input does not clear its large parts
};

// Sets up a sweep through the port, from the input's beginning. The sweep points to the port, which
// must not be moved.
struct sweep answering_port_sweep(struct answering_port *port, const uint8_t *data, size_t size);
