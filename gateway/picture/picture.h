// SPDX-License-Identifier: BSD-2-Clause
// The fabric as a picture: its nodes in layers, its links, and what the active alarms say of both.
// Pure. The same fabric, names, alarms and options give the same octets (dot.h, svg.h).
#ifndef IBTRAPD_PICTURE_PICTURE_H
#define IBTRAPD_PICTURE_PICTURE_H

#include "picture/parts.h"
#include "topology/alarm_key.h"

enum {
    PICTURE_ABSENT_MAX = 1024,  // nodes, and links, that alarms name and the fabric lacks
    PICTURE_TROUBLED_HOSTS = 4, // of a switch that are shown while hosts are folded
    PICTURE_NAME_SIZE = FABRIC_DESCRIPTION_SIZE,
};

// Begins a picture. `names` may be NULL. Folded hosts are counted at their switches; those that
// are troubled are shown nevertheless if they are few.
struct picture *picture_new(const struct fabric *fabric, const struct names *names,
                            bool show_hosts);
void picture_free(struct picture *picture); // NULL is allowed

// Adds what an active alarm says: its key, and the event that raised it. Alarms about something
// else than nodes, ports and links change nothing. Before picture_finish.
void picture_add_alarm(struct picture *picture, const char *key, const char *event);

// Gives an absent node that has no name this one. Before picture_finish.
void picture_name_absent(struct picture *picture, uint64_t guid, const char *name);

// Finds the node, port or link that an alarm's key names, behind the words that some keys begin
// with, such as those of counters. False: it names none.
bool picture_read_key(const char *key, struct alarm_key *out);

// Arranges all that was added. A switch is in layer 1 if it has hosts, unless it has fewer of them
// than neighbours with more of them: a spine does not become a leaf by the host of a subnet
// manager. Nodes that are part of the switch itself, such as its aggregation node, do not count.
// Another switch's layer is one more than its distance from those of layer 1.
void picture_finish(struct picture *picture);

// The name of the node, or its GUID as 0x and 16 digits if it has none.
void picture_name(const struct picture_node *node, char out[PICTURE_NAME_SIZE]);

// "good", "missing", "degraded", "fault"
const char *picture_state_word(enum picture_state state);

#endif
