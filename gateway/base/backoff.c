// SPDX-License-Identifier: BSD-2-Clause
#include "base/backoff.h"

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
