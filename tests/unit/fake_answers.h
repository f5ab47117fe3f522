// A port behind which a function of the test answers every request. Time is virtual. For one
// thread.
#ifndef IBTRAPD_TESTS_FAKE_ANSWERS_H
#define IBTRAPD_TESTS_FAKE_ANSWERS_H

#include "ib/sweep.h"

enum { FAKE_ANSWER_MAX = 16384, FAKE_ANSWERS_QUEUE = 32 };

struct fake_answer {
    uint8_t octets[FAKE_ANSWER_MAX]; // the request's header as a response, then zeros
    size_t size;                     // MAD_SIZE
};

struct fake_answers {
    // Fills in the answer; false: none comes.
    bool (*answer)(enum mad_agent agent, const struct mad_address *to, const uint8_t *request,
                   struct fake_answer *answer);
    unsigned sent;
    int response_timeout_ms; // of the latest request
    int64_t now;

    // Its own.
    struct fake_answer queue[FAKE_ANSWERS_QUEUE], current;
    size_t head, queued;
    struct clock clock;
    struct random random;
};

// Time passes only while an answer is waited for.
void fake_answers_init(struct fake_answers *f,
                       bool (*answer)(enum mad_agent agent, const struct mad_address *to,
                                      const uint8_t *request, struct fake_answer *answer));

// A sweep through that port: 8 requests in flight, 3 attempts of 100 ms, at LID 7, SM at LID 1.
struct sweep fake_answers_sweep(struct fake_answers *f);

#endif
