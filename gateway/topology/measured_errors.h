// SPDX-License-Identifier: BSD-2-Clause
// The error rates of the ports after one reading, and what they waited, for those who show them:
// immutable and counted.
#ifndef IBTRAPD_TOPOLOGY_MEASURED_ERRORS_H
#define IBTRAPD_TOPOLOGY_MEASURED_ERRORS_H

#include "topology/counter_watch.h"

// A port that waited, as shares of both windows.
struct measured_wait {
    uint64_t node_guid;
    uint8_t port;
    bool unknown; // its counter is full
    float share[ERROR_WINDOWS];
};

// A counter that has no errors in either window is not among them.
struct measured_errors {
    _Atomic unsigned references;
    struct measured_wait *waits; // ascending by node and port
    size_t wait_count;
    size_t count;                 // COUNTER_WATCH_ERRORS_MAX at most
    struct counter_measure all[]; // ascending by node, port and counter
};

// Copies what the windows have after an update. Returns one reference, the caller's.
struct measured_errors *measured_errors_of(const struct counter_watch *watch);

// Any thread, as the following.
struct measured_errors *measured_errors_ref(struct measured_errors *errors);
void measured_errors_unref(struct measured_errors *errors); // NULL is allowed

// The share of a window in which that port, which was read, waited. False: it is not known, as its
// counter is full.
bool measured_errors_find_wait(const struct measured_errors *errors, uint64_t node_guid,
                               uint8_t port, enum error_window window, double *share);

// The place of the first measure of that port or of a later one; `count`: there is none.
size_t measured_errors_find(const struct measured_errors *errors, uint64_t node_guid, uint8_t port);

#endif
