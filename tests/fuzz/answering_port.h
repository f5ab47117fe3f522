// A port at which a sweep asks and the input answers: the question that waits longest first.
#ifndef IBTRAPD_TESTS_ANSWERING_PORT_H
#define IBTRAPD_TESTS_ANSWERING_PORT_H

#include "ib/sweep.h"
#include "input.h"

enum { ANSWERING_WAITING_MAX = 16, ANSWERING_ANSWER_MAX = 8192 };

struct answering_port {
    struct input in;
    unsigned questions_max; // a small input may stand for many ports: then the sweep is stopped

    // Writes the answer to a question, a MAD; returns its size, MAD_SIZE at least, or 0: there is
    // none.
    size_t (*answer)(struct input *in, const uint8_t *question,
                     uint8_t answer[ANSWERING_ANSWER_MAX]);
    void (*check_question)(enum mad_agent agent, const struct mad_address *to);

    uint8_t waiting[ANSWERING_WAITING_MAX][MAD_SIZE];
    size_t first, count;
    uint8_t octets[ANSWERING_ANSWER_MAX];
    unsigned asked;
    int64_t now;
    atomic_bool stop;
    struct clock clock;
};

// A sweep through it, which both point to: they stay where they are.
struct sweep answering_port_sweep(struct answering_port *port);

#endif
