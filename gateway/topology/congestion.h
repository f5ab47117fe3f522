// SPDX-License-Identifier: BSD-2-Clause
// Finds ports that have to wait: for which share of the time a port had data and could not send, as
// its PortXmitWait says, over the windows of the error rates. A port that does not wait takes no
// memory. Pure.
//
// PortXmitWait counts ticks. A tick is as many symbol times of a lane as the port's
// PortSamplesControl says, or one if it does not say; a symbol time is ten bits.
#ifndef IBTRAPD_TOPOLOGY_CONGESTION_H
#define IBTRAPD_TOPOLOGY_CONGESTION_H

#include "model/counter.h"
#include "model/fabric.h"
#include "topology/error_window.h"

enum { CONGESTION_MAX = 256 << 10 }; // ports that wait: 21 MB

struct congestion_limits {
    int64_t window_us[ERROR_WINDOWS]; // at least ERROR_RATES_SLOTS
    double raise; // a larger share of a window raises the alarm: 0.2 is a fifth; 0: no alarm
    double clear; // the alarm ends when both windows have this share or less
};

struct congestion_change {
    uint64_t node_guid;
    uint8_t port;
    bool raised; // otherwise cleared
    // Of the window with the larger share.
    enum error_window window;
    int64_t covered_us; // the window, and up to a twelfth more; 0: there is no limit any more
    double share, limit;
    bool tick_known; // the port said how long its tick is
};

struct congestion;

struct congestion *congestion_new(const struct congestion_limits *limits); // NULL: out of memory
void congestion_free(struct congestion *congestion);                       // NULL is allowed

// Uses these limits from the next reading on. When a window has another length, all windows begin
// anew, and no alarm ends before a long one is over.
void congestion_change(struct congestion *congestion, const struct congestion_limits *limits);

// Restores an alarm from before a restart, each once. It does not end before a long window is over.
// Call it between two updates. False: out of memory, or there are CONGESTION_MAX ports.
bool congestion_restore(struct congestion *congestion, uint64_t node_guid, uint8_t port);

// An update: begin, then take for each port of the reading, ascending by node and port, then end.
// One that does not end did not happen. `now_us`: monotonic; `fabric`: the same for all ports.
void congestion_begin(struct congestion *congestion, int64_t now_us);

// `before`: what the reading before had of the port; NULL: nothing that can be compared. A value
// that fell was reset: it counts from zero. A full counter does not grow, and its alarm stays.
// Growth counts evenly over the time since the update before. A port whose link has no known rate
// does not count. False: out of memory, or too many ports wait, and what this one waited does not
// count.
bool congestion_take(struct congestion *congestion, const struct counter_sample *before,
                     const struct counter_sample *now, const struct fabric *fabric);

// Calls `each` for each alarm that begins or ends, ascending by node and port. Ports that the
// reading lacked wait no more: their alarms end as the windows go on, that of a full counter after
// a long window.
void congestion_end(struct congestion *congestion,
                    void (*each)(void *ctx, const struct congestion_change *change), void *ctx);

bool congestion_has_alarm(const struct congestion *congestion, uint64_t node_guid, uint8_t port);

// Lets the ports begin anew whose alarms do not stand, as `stands` says: somebody cleared them.
// Call it between two updates.
void congestion_review(struct congestion *congestion,
                       bool (*stands)(void *ctx, uint64_t node_guid, uint8_t port), void *ctx);

// What a port waited, as shares of both windows, after the last update.
struct congestion_measure {
    uint64_t node_guid;
    uint8_t port;
    bool unknown; // its counter is full
    float share[ERROR_WINDOWS];
};

// How many times a port had to wait and was not watched, as there were CONGESTION_MAX.
uint64_t congestion_overflowed(const struct congestion *congestion);

size_t congestion_count(const struct congestion *congestion); // ports that waited, or are full
void congestion_each(const struct congestion *congestion,
                     void (*each)(void *ctx, const struct congestion_measure *measure), void *ctx);

#endif
