// SPDX-License-Identifier: BSD-2-Clause
// The heartbeat: an event at regular times. The event says that the gateway runs, and gives its
// state.
// Decides: What does a heartbeat say?
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gateway;

struct heartbeat {
    uint64_t events; // since the last heartbeat
    unsigned period_s;
    size_t receivers, failing;
    bool sm_answers;
};

// Writes part of a sentence, without a full stop.
void heartbeat_describe(const struct heartbeat *heartbeat, char *out, size_t size);

// heartbeat_start ends the former timer, and starts a timer with the period of the configuration.
// Without a period there is no timer. Main thread.
void heartbeat_start(struct gateway *gateway);
void heartbeat_stop(struct gateway *gateway);
