// SPDX-License-Identifier: BSD-2-Clause
#include "base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

// getrandom(2) waits until the pool is seeded, and then fulfils small requests completely. A
// failure means wrong arguments.
static void random_fill(void *ctx, void *out, size_t size)
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

const struct random random_system = {random_fill, NULL};

int64_t backoff_us(unsigned failures, int64_t first_us, int64_t last_us,
                   const struct random *random)
{
    int64_t us = first_us;
    for (unsigned i = 1; i < failures && us < last_us; i++)
        us *= 2;
    if (us > last_us)
        us = last_us;
    uint32_t r;
    random->fill(random->ctx, &r, sizeof r);
    return us - (int64_t)(r % (uint64_t)(us / 2));
}
