// SPDX-License-Identifier: BSD-2-Clause
#include "base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

static void random_fill_from_pool(void *ctx, void *out, size_t size)
{
    struct random_pool *pool = ctx;
    if (size > sizeof pool->octets) {
        pool->source->fill(pool->source->ctx, out, size);
        return;
    }
    if (size > sizeof pool->octets - pool->used) {
        pool->source->fill(pool->source->ctx, pool->octets, sizeof pool->octets);
        pool->used = 0;
    }
    memcpy(out, pool->octets + pool->used, size);
    pool->used += size;
}

void random_pool_init(struct random_pool *pool, const struct random *source)
{
    *pool = (struct random_pool){
        {random_fill_from_pool, pool}, .source = source, .used = sizeof pool->octets};
}

int64_t backoff_steady_us(unsigned failures, int64_t first_us, int64_t last_us)
{
    int64_t us = first_us;
    for (unsigned i = 1; i < failures && us < last_us; i++)
        us *= 2;
    return us < last_us ? us : last_us;
}

int64_t backoff_us(unsigned failures, int64_t first_us, int64_t last_us,
                   const struct random *random)
{
    const int64_t us = backoff_steady_us(failures, first_us, last_us);
    uint32_t r;
    random->fill(random->ctx, &r, sizeof r);
    return us - (int64_t)(r % (uint64_t)(us / 2));
}

int64_t jitter_us(int64_t us, const struct random *random)
{
    uint32_t r;
    random->fill(random->ctx, &r, sizeof r);
    return us - us / 4 + (int64_t)(r % (uint64_t)(us / 2 + 1));
}
