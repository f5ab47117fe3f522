// The answer to `ibtrapctl status`.
#ifndef IBTRAPD_DAEMON_STATUS_H
#define IBTRAPD_DAEMON_STATUS_H

#include "daemon/pipeline.h"
#include "sink/delivery.h"

#include <jansson.h>

struct status_parts {
    struct sa_agent *agent;
    struct pipeline *pipeline;
    struct journal *journal;
    struct delivery *const *deliveries;
    size_t delivery_count;
};

// A new reference.
json_t *status_json(const struct status_parts *parts, int64_t uptime_us);

#endif
