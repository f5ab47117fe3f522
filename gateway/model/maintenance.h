// SPDX-License-Identifier: BSD-2-Clause
// Maintenance windows: times in which events about some nodes are suppressed. Alarms that are still
// active at the end are sent.
#pragma once

#include "model/filter.h"

#include <stdbool.h>

enum {
    MAINTENANCE_MAX = 32,
    MAINTENANCE_NAME_SIZE = 64,
    MAINTENANCE_WHO_SIZE = 64,
    MAINTENANCE_COMMENT_SIZE = 256,
};

struct maintenance_window {
    char name[MAINTENANCE_NAME_SIZE];
    int64_t until_us;               // UTC in the journal, monotonic in policy
    int64_t length_us;              // from the start to the end; journal_set_maintenance sets it
    struct filter_list nodes;       // names or GUIDs, without control characters; empty: all
    char who[MAINTENANCE_WHO_SIZE]; // "alice (uid 1000)"; empty: an earlier version did not note it
    char comment[MAINTENANCE_COMMENT_SIZE]; // empty: none
};

// Starts zeroed.
struct maintenance {
    struct maintenance_window windows[MAINTENANCE_MAX];
    size_t count;
};

struct maintenance_window *maintenance_find(struct maintenance *maintenance, const char *name);

// Whether the window covers all nodes: its list is empty, or a pattern fits every name.
bool maintenance_covers_all(const struct maintenance_window *window);

// Replaces the window of the same name, and removes the windows that have ended. Returns false if
// there are too many windows.
bool maintenance_start(struct maintenance *maintenance, const struct maintenance_window *window,
                       int64_t now_us);
bool maintenance_stop(struct maintenance *maintenance, const char *name); // false: no such window
