// The tests' clock and their source of chance: both do as the test says.
#ifndef IBTRAPD_TESTS_SUPPORT_CLOCK_H
#define IBTRAPD_TESTS_SUPPORT_CLOCK_H

#include "base/clock.h"
#include "base/random.h"

// 2026-11-21T03:19:03.123456Z
#define SUPPORT_UTC_US INT64_C(1795231143123456)

// Microseconds, as in struct clock. It stands still until somebody moves it; any thread.
struct support_time {
    _Atomic int64_t utc, monotonic;
};

// A clock that shows that time, which has to live as long.
struct clock support_clock(struct support_time *time);

// SUPPORT_UTC_US in both of its times, for ever.
extern const struct clock SUPPORT_STOPPED;

// Octets 0x01, 0x02, 0x03 and so on, beginning anew after 0xFF.
struct support_chance {
    uint8_t next;
};
struct random support_random(struct support_chance *chance);

// Always the same octet: 0x00 gives the least that chance can add, 0xFF about the most.
struct random support_constant(uint8_t *octet);

// Always 0x5A.
extern const struct random SUPPORT_SAME;

#endif
