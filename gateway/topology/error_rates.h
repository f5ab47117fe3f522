// SPDX-License-Identifier: BSD-2-Clause
// Finds links on which errors are too frequent: keeps, for each counter that grew, how many errors
// a short and a long sliding window had, and compares their rates with limits. A counter that does
// not grow takes no memory. Pure.
#ifndef IBTRAPD_TOPOLOGY_ERROR_RATES_H
#define IBTRAPD_TOPOLOGY_ERROR_RATES_H

#include "model/fabric.h"
#include "topology/accumulated.h"
#include "topology/congestion.h"

enum { ERROR_RATES_MAX = 128 << 10 }; // counters that are watched: 20 MB, twice in an update

// A rate has two limits, one for each window; 0: none. A link that is down has the rate that it
// had.
struct error_rate_limits {
    int64_t window_us[ERROR_WINDOWS];               // at least ERROR_RATES_SLOTS
    double per_bit[COUNTER_ERRORS][ERROR_WINDOWS];  // errors a bit, where the link's rate is known
    double per_hour[COUNTER_ERRORS][ERROR_WINDOWS]; // errors an hour, everywhere else
    uint64_t errors_min;                            // fewer errors in the window raise nothing
    unsigned clear_percent; // of the limit: an alarm ends when both windows are at or below
};

// A link has one alarm for each counter, whichever of its ends counts.
struct error_rate_change {
    uint64_t node_guid, peer_guid; // peer_guid 0: the other end is not known
    uint8_t port, peer_port;
    enum counter counter;
    bool raised; // otherwise cleared
    bool moved;  // cleared, because the port has another neighbour now
    // Of the window that is closest to its limit, or farthest over it. All 0: the counter lost its
    // limits.
    int64_t covered_us; // the time that `errors` is about: the window, and up to a twelfth more
    uint64_t errors;
    double rate, limit;
    bool per_bit;   // `rate` and `limit` are errors a bit, otherwise errors an hour
    uint8_t width;  // of the link, a bit of PortInfo; 0: not known
    uint16_t speed; // enum fabric_speed; 0: not known
};

struct error_rates;

struct error_rates *error_rates_new(const struct error_rate_limits *limits); // NULL: out of memory
void error_rates_free(struct error_rates *rates);                            // NULL is allowed

// Uses these limits from the next reading on. When a window has another length, all windows begin
// anew, and no alarm ends before a long one is over.
void error_rates_change(struct error_rates *rates, const struct error_rate_limits *limits);

// Restores an alarm from before a restart, by its members node_guid, port, peer_guid, peer_port
// and counter. It does not end before a long window is over. Call it between two updates.
// False: out of memory, or there are ERROR_RATES_MAX.
bool error_rates_restore(struct error_rates *rates, const struct error_rate_change *alarm);

// A reading, and what it is compared with.
struct error_rate_reading {
    const struct accumulated_counters *before; // without the reading; NULL: it is the first
    const struct counter_reading *reading;
    const struct fabric *fabric; // NULL: not known
    int64_t now_us;              // a monotonic clock's, never less than at the update before
    // Is updated on the way, up to congestion_end, which is the caller's; NULL: none.
    struct congestion *congestion;
};

// Adds a reading to the windows, and calls `each` for each alarm that begins or ends, in no
// particular order.
// - A value that fell was reset: it counts from zero. A full counter does not grow, and its alarm
//   stays.
// - Growth counts evenly over the time since the update before. That of a port which the last
//   reading lacked does not count, as nobody knows when it was; neither does that of a port which
//   changed between native and 64-bit counters.
// - A port that has another neighbour than before begins anew, and its alarm ends.
// - A port that no reading has any more has no errors: its alarm ends as the windows go on, that of
//   a full counter after a long window.
// False: out of memory, and the reading was not added.
bool error_rates_update(struct error_rates *rates, const struct error_rate_reading *reading,
                        void (*each)(void *ctx, const struct error_rate_change *change), void *ctx);

// Whether that alarm stands, at one end of its link at least: it is named as in
// error_rates_restore. An alarm that was restored may stand no more, as a port keeps that of one
// neighbour. Call it after an update.
bool error_rates_has_alarm(const struct error_rates *rates, const struct error_rate_change *alarm);

// Lets the counters begin anew whose alarms do not stand, as `stands` says: somebody cleared them.
// Further errors raise them again. Call it between two updates.
void error_rates_review(struct error_rates *rates,
                        bool (*stands)(void *ctx, const struct error_rate_change *alarm),
                        void *ctx);

// The errors of a watched counter over both windows.
struct error_rate_measure {
    uint64_t node_guid;
    uint8_t port;
    enum counter counter;
    double per_second[ERROR_WINDOWS];
    double per_bit[ERROR_WINDOWS]; // 0: the rate of the link is not known, or there are no errors
};

size_t error_rates_count(const struct error_rates *rates); // counters that are watched
// Calls `each` for each of them, ascending by node, port and counter, with what its windows had at
// the last update. Call it between an update and the next restoring of an alarm.
void error_rates_each(const struct error_rates *rates,
                      void (*each)(void *ctx, const struct error_rate_measure *measure), void *ctx);

// The errors of a counter in that window at the last update; 0 also if it is not watched.
uint64_t error_rates_errors(const struct error_rates *rates, uint64_t node_guid, uint8_t port,
                            enum counter counter, enum error_window window);

// How many times a counter grew and was not watched, as there were ERROR_RATES_MAX.
uint64_t error_rates_overflowed(const struct error_rates *rates);

#endif
