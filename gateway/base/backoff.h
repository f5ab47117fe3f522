// How long to wait before something that failed is tried again.
#ifndef IBTRAPD_BASE_BACKOFF_H
#define IBTRAPD_BASE_BACKOFF_H

#include "base/random.h"

#include <stdint.h>

// `first_us` after the first failure, twice as long after each further one in a row, `last_us` at
// most. Up to half of it is left out by chance, so that many gateways do not try in step. Both at
// least 2.
int64_t backoff_us(unsigned failures, int64_t first_us, int64_t last_us,
                   const struct random *random);

#endif
