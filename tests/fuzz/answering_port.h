// A port at which a sweep asks and the input answers, in the order of the questions.
#ifndef IBTRAPD_TESTS_ANSWERING_PORT_H
#define IBTRAPD_TESTS_ANSWERING_PORT_H

#include "fake_port.h"
#include "input.h"

enum { ANSWERING_IN_FLIGHT = 16, ANSWERING_ANSWER_MAX = 8192 };

struct answering_port {
    struct input in;
    unsigned questions_max; // a small input may stand for many ports: then the sweep is stopped

    // Writes the answer to a question, a MAD; returns its size, MAD_SIZE at least, or 0: there is
    // none.
    size_t (*answer)(struct input *in, const uint8_t *question,
                     uint8_t answer[ANSWERING_ANSWER_MAX]);
    void (*check_question)(enum mad_agent agent, const struct mad_address *to);

    atomic_bool stop;
    struct fake_port port; // last: a new input leaves what is large in it
};

// A sweep through it, from the input's beginning; it points to the port, which stays where it is.
struct sweep answering_port_sweep(struct answering_port *port, const uint8_t *data, size_t size);

#endif
