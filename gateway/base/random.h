// SPDX-License-Identifier: BSD-2-Clause
// Randomness. Callers pass the generator in: a test can repeat the same numbers.
//
// Decides: How long is the pause before a retry?
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
    void (*fill)(void *ctx, void *out, size_t size); // never fails
    void *ctx;
};

// The kernel's generator, getrandom(2).
extern const struct random random_system;

// Numbers of another generator, fetched many at a time: a call of the kernel's generator takes
// longer than to use the numbers. One thread at a time.
struct random_pool {
    struct random random; // fills from the pool
    const struct random *source;
    uint8_t octets[512];
    size_t used;
};

// The pool must not move afterwards.
void random_pool_init(struct random_pool *pool, const struct random *source);

// Exponential back-off: how long to wait before a retry.
//
// `first_us` after the first failure, doubled after each further failure in a row, up to `last_us`;
// both at least 2. Jitter shortens the wait by up to one half: many gateways do not retry at the
// same moment.
int64_t backoff_us(unsigned failures, int64_t first_us, int64_t last_us,
                   const struct random *random);

// The same wait without jitter.
int64_t backoff_steady_us(unsigned failures, int64_t first_us, int64_t last_us);

// The time, a quarter more or less: many gateways do not ask at the same moment.
int64_t jitter_us(int64_t us, const struct random *random);
