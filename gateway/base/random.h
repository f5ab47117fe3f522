// SPDX-License-Identifier: BSD-2-Clause
// Randomness, passed in so that tests are repeatable.
#ifndef IBTRAPD_BASE_RANDOM_H
#define IBTRAPD_BASE_RANDOM_H

#include <stddef.h>

struct random {
    void (*fill)(void *ctx, void *out, size_t size); // never fails
    void *ctx;
};

// The kernel's generator, getrandom(2).
extern const struct random random_system;

#endif
