// SPDX-License-Identifier: BSD-2-Clause
#include "base/histogram.h"

static const int64_t FIRST_US = 100;

int64_t histogram_limit_us(size_t bucket)
{
    return FIRST_US << bucket;
}

void histogram_add(struct histogram *histogram, int64_t duration_us)
{
    size_t bucket = 0;
    if (duration_us < 0)
        duration_us = 0;
    while (bucket < HISTOGRAM_BUCKETS && duration_us > histogram_limit_us(bucket))
        bucket++;
    atomic_fetch_add_explicit(&histogram->counts[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_us, (uint64_t)duration_us, memory_order_relaxed);
}

void histogram_read(const struct histogram *histogram, struct histogram_values *out)
{
    out->total = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        out->counts[i] = atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        out->total += out->counts[i];
    }
    out->sum_us = atomic_load_explicit(&histogram->sum_us, memory_order_relaxed);
}
