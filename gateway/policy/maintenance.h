// SPDX-License-Identifier: BSD-2-Clause
// Maintenance windows: times in which events about some nodes are suppressed.
#ifndef IBTRAPD_POLICY_MAINTENANCE_H
#define IBTRAPD_POLICY_MAINTENANCE_H

#include "policy/options.h"

struct maintenance {
    struct policy_maintenance windows[POLICY_MAINTENANCE_MAX];
    size_t count;
};

struct maintenance *maintenance_new(void); // no windows; free() frees it

bool maintenance_start(struct maintenance *maintenance, const struct policy_maintenance *window,
                       int64_t now_us); // replaces the window of that name; false: too many
bool maintenance_stop(struct maintenance *maintenance, const char *name); // false: no such window
size_t maintenance_each(const struct maintenance *maintenance, int64_t now_us,
                        void (*each)(void *ctx, const struct policy_maintenance *window),
                        void *ctx);

// When the last of the windows that the event falls into ends; 0: it falls into none.
int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us);

#endif
