// SPDX-License-Identifier: BSD-2-Clause
// A list of counters that counter_watch.c watches. No other folder includes watched.h.
#pragma once

#include "model/counter.h"
#include "topology/counter_windows.h"

#include <stddef.h>

// A counter of a port. The counter grew lately, or its alarm stands.
struct watched {
    uint64_t node_guid, peer_guid; // peer_guid 0: not known
    union {
        int64_t held_until_us; // of a window: the alarm does not end before
        int64_t missing_since; // of a threshold: UTC, of the first reading without the port; 0: the
                               // last reading had the port
    };
    int64_t since_us; // the windows count since then. Of COUNTER_LINK_DOWNED: the link came up then
    struct counter_windows windows;   // of errors, or of the time that the port waited
    float packets;                    // received a second; 0: not known
    uint8_t port, peer_port, counter; // enum counter
    bool alarm : 1;                   // this port makes the alarm stand
    bool severe : 1;                  // and as an error
    bool settling : 1;                // the link came up less than a long window ago
    bool corrects : 1;                // the port has corrected errors
    bool full : 1;                    // the counter can grow no more
    bool anew : 1; // restored, or its windows were emptied, since the last update
    bool tick_known : 1;
    uint8_t width;  // of the link when it was up last, a bit of PortInfo; 0: not known
    uint16_t speed; // the same; enum fabric_speed
};

struct watched_list {
    struct watched *all; // ascending by node, port and counter, those beyond `sorted` in no order
    size_t count, sorted, capacity;
    size_t at; // in an update: the next one
    uint64_t overflowed;
};

// Adds a counter behind the sorted counters. Returns NULL if there are `max` counters.
struct watched *watched_add(struct watched_list *list, size_t max, const struct watched *one);

// Puts the added counters into their places, and joins two entries of one port and counter. Of two
// restored alarms with two neighbours, one alarm stays. A restored alarm joins the count since the
// start, unless the port has another neighbour now.
void watched_sort(struct watched_list *list);

// Finds one of the sorted counters. Returns NULL if the list has no such counter.
struct watched *watched_find(const struct watched_list *list, uint64_t node_guid, uint8_t port,
                             enum counter counter);

// Keeps the first `count` counters, and gives memory back.
void watched_shrink(struct watched_list *list, size_t count);
