// SPDX-License-Identifier: BSD-2-Clause
#include "base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

// getrandom(2) waits until the pool is seeded, and then fulfils small requests completely. So it
// fails only if our arguments are wrong.
static void system_fill(void *ctx, void *out, size_t size)
{
    (void)ctx;
    for (size_t done = 0; done < size;) {
        ssize_t n = getrandom((char *)out + done, size - done, 0);
        if (n < 0 && errno != EINTR)
            abort();
        if (n > 0)
            done += (size_t)n;
    }
}

const struct random random_system = {system_fill, NULL};
