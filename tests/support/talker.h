// SPDX-License-Identifier: BSD-2-Clause
// A peer that never stops talking: repeats the same octets on a connected socket, from a thread of
// its own, until the other side closes, the test ends it, or it has sent TALKER_LIMIT octets. A
// reader without a bound returns, too, but only after reading all octets.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { TALKER_LIMIT = 64 << 20 };

struct talker {
    int fd;
    const void *octets;
    size_t size;
    pthread_t thread;
    atomic_bool ended;  // by the test
    atomic_bool silent; // it talks no longer, for whatever reason
};

// Begins to talk. The socket and the octets stay the caller's and outlive talker_end.
void talker_start(struct talker *talker, int fd, const void *octets, size_t size);
void talker_end(struct talker *talker);
