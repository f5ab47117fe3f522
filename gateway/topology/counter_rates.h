// SPDX-License-Identifier: BSD-2-Clause
// The rates of a watched counter in its windows, and the limits of the rates. Pure.
//
// What a link may have of errors depends on its error correction. Links of HDR and faster have one.
// A slower link has one if its port has counted corrections. Packets are counted on such links
// alone: without error correction a link loses a packet with each of the bit errors that it may
// have.
//
// A link that comes up counts errors while it trains. Its windows begin when the link comes up, and
// once more after a long window. Until then its limits for bits and packets are
// COUNTER_RATES_SETTLING times as high. A link came up if LinkDownedCounter of one of its ends
// grew, or if the reading has a port that no reading had before.
//
// Decides: Which limit do the errors of a link have?
#pragma once

#include "topology/alarm_key.h"
#include "topology/counter_windows.h"

enum {
    COUNTER_RATES_SETTLING = 10,
    COUNTER_RATES_WAIT_UNIT_US = 100, // the windows count waiting in this unit
};

// A warning has a limit for each window, an error has another.
enum error_level { ERROR_LEVEL_WARNING, ERROR_LEVEL_ERROR, ERROR_LEVELS };
enum { ERROR_LIMITS = ERROR_LEVELS * ERROR_WINDOWS };

enum error_unit { ERRORS_PER_HOUR, ERRORS_PER_BIT, ERRORS_PER_PACKET };

struct counter_watch_limits {
    // The growth from one reading to the next at which a counter reaches its threshold; 0: never.
    uint64_t growth[COUNTER_ERRORS];
    int64_t window_us[ERROR_WINDOWS]; // at least COUNTER_WINDOWS_SLOTS
    // Rates of errors that are too many: those of a warning, then those of an error; 0: no limit.
    // Where the link's rate is known. A link that is down has its last rate.
    double per_bit[COUNTER_ERRORS][ERROR_LIMITS];     // of links without error correction
    double fec_per_bit[COUNTER_ERRORS][ERROR_LIMITS]; // of links with error correction
    // Of links with error correction, where it is known how many packets the port receives.
    double fec_per_packet[COUNTER_ERRORS][ERROR_LIMITS];
    double per_hour[COUNTER_ERRORS][ERROR_LIMITS]; // everywhere else, and without such a limit
    // Fewer errors in the window raise nothing. No limit of bits or packets of a link with error
    // correction has such a minimum.
    uint64_t errors_min;
    unsigned clear_percent; // of the limit: an alarm ends when both windows are at or below
    // Shares of the time that a port waits: 0.2 is a fifth.
    double wait_raise; // a larger share of a window raises the alarm; 0: no alarm
    double wait_clear; // the alarm ends when both windows have this share or less
};

// What is true of a counter. A link has one alarm for each counter, whichever of its ends counts.
struct counter_statement {
    struct alarm_key key;   // of ALARM_ABOUT_ERRORS: `guid` and `port` are the end that counts
    bool raised;            // the alarm begins, or gets worse; false: the alarm ends
    bool severe;            // the alarm is an error, otherwise a warning
    bool moved;             // the alarm ends: the port has another neighbour now
    uint64_t before, after; // of growth: the counter's values
    // Of errors and wait: the values of the window that is closest to its limit, or farthest over
    // its limit. All 0: the counter lost its limits.
    enum error_window window;
    int64_t covered_us; // the time that `rate` is about: of the window, what was watched
    uint64_t errors;
    double rate, limit; // of wait: shares of the time
    enum error_unit unit;
    bool tick_known; // of wait: the port said how long its tick is
    uint8_t width;   // of the link, a bit of PortInfo; 0: not known
    uint16_t speed;  // enum fabric_speed; 0: not known
};

// The functions below are those of counter_watch.c.
struct watched;

// Whether the counter has a limit on links of some kind, or the waiting of a port has one.
bool counter_rates_have_limit(const struct counter_watch_limits *limits, bool of_link,
                              enum counter counter);

// Whether the counter has a limit on its link, or as above.
bool counter_rates_have_own_limit(const struct counter_watch_limits *limits, bool of_link,
                                  const struct watched *one);

// How much of the window was watched. `of_link`: a window of errors is as long as it says, and a
// minute counts at least; the errors of the slot that leaves the window count with the window.
// Otherwise the slots have the time that they have.
int64_t counter_rates_covered(const struct counter_windows_time *time, const struct watched *one,
                              bool of_link, enum error_window window);

// The share of the time that the port waited.
double counter_rates_wait_share(const struct counter_windows_time *time, const struct watched *one,
                                enum error_window window);

// Sets what a window of the counter has, and its limit. Returns false if there is no limit.
bool counter_rates_measure(const struct counter_watch_limits *limits,
                           const struct counter_windows_time *time, bool of_link,
                           const struct watched *one, enum error_level level,
                           struct counter_statement *out); // `window` is set

// Whether there are more errors, or is more waiting, than a whole window may have by `part` of its
// limit. A window that was watched for a short time says little: its rate is not judged.
bool counter_rates_are_over(const struct counter_windows_time *time, const struct watched *one,
                            const struct counter_statement *found, double part,
                            uint64_t errors_min);
