// The answer to `ibtrapctl status`.
#ifndef IBTRAPD_CONTROL_STATUS_H
#define IBTRAPD_CONTROL_STATUS_H

#include "agent/agent.h"
#include "conf/conf.h"
#include "ib/sweeper.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

#include <jansson.h>

struct status_parts {
    struct sa_client *client;
    struct pipeline *pipeline;
    struct journal *journal;
    struct receiver *const *receivers;
    size_t receiver_count;
    const struct sweeper_status *sweep;      // NULL: there is no sweeper
    const struct fabric *fabric;             // as known now; NULL: not yet
    const struct names *names;               // may be NULL
    struct agent *tables;                    // the subagent; NULL: there is none
    const struct conf_subagent *tables_conf; // its configuration
    bool active;                             // receivers get events
    const char *role; // why they do, or do not: part of a sentence; may be empty
};

// One line for people, such as "mlx5_0 port 1 active, 17 of 17 subscriptions".
void status_line(const struct sa_status *sa, char *out, size_t size);

// A new reference.
json_t *status_json(const struct status_parts *parts, int64_t uptime_us);

#endif
