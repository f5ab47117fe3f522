// SPDX-License-Identifier: BSD-2-Clause
// The gateway's receivers as the control socket lists them, and the processor time of the thread of
// each, for bench-flood.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FLOOD_RECEIVERS_MAX = 256 };

struct flood_receiver {
    char name[65];
    uint64_t sent;
    int64_t done_at; // monotonic, us: when it was first seen to have every event; 0: not yet
};

struct flood_receivers {
    struct flood_receiver all[FLOOD_RECEIVERS_MAX];
    size_t count;
};

// Asks the gateway at that control socket how far its receivers are. Returns the number of events
// that all receivers together were sent. Ends the process if the gateway does not answer.
uint64_t flood_receivers_look(struct flood_receivers *receivers, const char *socket);

size_t flood_receivers_done(const struct flood_receivers *receivers);

// Prints `, "receivers": [...]`: for each receiver the sent events, the milliseconds from
// `since_us` (monotonic) to the last event, null if events are missing, and the processor time of
// the receiver's thread. Names have to differ in their first twelve characters.
void flood_receivers_print(const struct flood_receivers *receivers, int64_t since_us);
