// SPDX-License-Identifier: BSD-2-Clause
// A clock and a source of random numbers that the test controls.
#pragma once

#include "base/clock.h"
#include "base/random.h"

// 2026-11-21T03:19:03.123456Z
#define SUPPORT_UTC_US INT64_C(1795231143123456)

// How long a test that is not about hanging disks lets the journal wait for one: on a busy machine
// a commit takes many seconds.
#define SUPPORT_PATIENCE_US (INT64_C(600) * CLOCK_US_PER_S)

// Microseconds, as in struct clock. Changes only when a test changes it; any thread.
struct support_time {
    _Atomic int64_t utc, monotonic;
};

// A clock that shows `time`. `time` must outlive the clock.
struct clock support_clock(struct support_time *time);

// A clock that always shows SUPPORT_UTC_US, in UTC and as monotonic time.
extern const struct clock SUPPORT_STOPPED;

// Gives the octets 0x01, 0x02, 0x03 and so on; starts again after 0xFF.
struct support_chance {
    uint8_t next;
};
struct random support_random(struct support_chance *chance);

// Always gives the same octet: 0x00 makes random additions minimal, 0xFF about maximal.
struct random support_constant(uint8_t *octet);

// Always gives 0x5A.
extern const struct random SUPPORT_SAME;
