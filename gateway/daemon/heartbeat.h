// What a heartbeat says: how the gateway is.
#ifndef IBTRAPD_DAEMON_HEARTBEAT_H
#define IBTRAPD_DAEMON_HEARTBEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heartbeat {
    uint64_t events; // since the last one
    unsigned period_s;
    size_t receivers, failing;
    bool sm_answers;
};

// Part of a sentence, without a full stop.
void heartbeat_describe(const struct heartbeat *heartbeat, char *out, size_t size);

#endif
