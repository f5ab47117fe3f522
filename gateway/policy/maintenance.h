// Windows in which nodes are worked on.
#ifndef IBTRAPD_POLICY_MAINTENANCE_H
#define IBTRAPD_POLICY_MAINTENANCE_H

#include "policy/policy.h"

struct maintenance {
    struct policy_maintenance windows[POLICY_MAINTENANCE_MAX];
    size_t count;
};

bool maintenance_start(struct maintenance *maintenance, const struct policy_maintenance *window,
                       int64_t now_us); // replaces the one of that name; false: too many
bool maintenance_stop(struct maintenance *maintenance, const char *name); // false: none such
size_t maintenance_each(const struct maintenance *maintenance, int64_t now_us,
                        void (*each)(void *ctx, const struct policy_maintenance *window),
                        void *ctx);

// The end of the last window that the event falls into; 0: into none.
int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us);

#endif
