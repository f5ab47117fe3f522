// SPDX-License-Identifier: BSD-2-Clause
// The error rates of the ports after one reading, and the shares of time that ports waited:
// immutable and counted.
#pragma once

#include "topology/counter_watch.h"

// The shares of both windows in which a port waited.
struct measured_wait {
    uint64_t node_guid;
    uint8_t port;
    bool unknown; // the port's counter is full
    float share[ERROR_WINDOWS];
};

// The counters with errors in a window, and the ports that waited.
struct measured_errors {
    _Atomic unsigned references;
    struct measured_wait *waits; // ascending by node and port
    size_t wait_count;
    size_t count;                 // COUNTER_WATCH_ERRORS_MAX at most
    struct counter_measure all[]; // ascending by node, port and counter
};

// Copies the windows after an update. Returns one reference, the caller's.
struct measured_errors *measured_errors_of(const struct counter_watch *watch);

// Any thread, as the following.
struct measured_errors *measured_errors_ref(struct measured_errors *errors);
void measured_errors_unref(struct measured_errors *errors); // NULL is allowed

// Sets `share` to the share of a window in which a read port waited. Returns false if the share is
// not known: the port's counter is full.
bool measured_errors_find_wait(const struct measured_errors *errors, uint64_t node_guid,
                               uint8_t port, enum error_window window, double *share);

// The place of the first measure of the port or of a later port; `count`: no such measure.
size_t measured_errors_find(const struct measured_errors *errors, uint64_t node_guid, uint8_t port);
