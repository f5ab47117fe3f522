// SPDX-License-Identifier: BSD-2-Clause
// Exponential back-off: how long to wait before a retry.
#ifndef IBTRAPD_BASE_BACKOFF_H
#define IBTRAPD_BASE_BACKOFF_H

#include "base/random.h"

#include <stdint.h>

// `first_us` after the first failure, doubled after each further failure in a row, up to `last_us`;
// both at least 2. Jitter shortens it by up to one half, so that many gateways do not retry at
// once.
int64_t backoff_us(unsigned failures, int64_t first_us, int64_t last_us,
                   const struct random *random);

#endif
