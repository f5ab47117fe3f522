// SPDX-License-Identifier: BSD-2-Clause
// Counts durations in fixed buckets. Each bucket is twice as wide as the bucket before.
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 22 }; // from 100 us to 3.5 minutes, and one for longer durations

// Zero-initialised. Any thread may add and read.
struct histogram {
    atomic_uint_fast64_t counts[HISTOGRAM_BUCKETS + 1];
    atomic_uint_fast64_t sum_us;
};

// Each duration is counted in one bucket; `total` is the sum of `counts`.
struct histogram_values {
    uint64_t counts[HISTOGRAM_BUCKETS + 1], total, sum_us;
};

// Counts a negative duration as zero; a clock set back causes negative durations.
void histogram_add(struct histogram *histogram, int64_t duration_us);

void histogram_read(const struct histogram *histogram, struct histogram_values *out);

// The longest duration of a bucket below HISTOGRAM_BUCKETS.
int64_t histogram_limit_us(size_t bucket);
