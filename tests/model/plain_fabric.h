// SPDX-License-Identifier: BSD-2-Clause
// The true fabric: nodes with or without power, and cables between their ports. Shares no code with
// the gateway. The gateway gets only the snapshots of plain_fabric_sweep.
#pragma once

#include "generated.h"

#include <stdio.h>

enum {
    PLAIN_NODES_MAX = 48,
    PLAIN_CABLES_MAX = 96,
    PLAIN_PORTS_MAX = 12,
    PLAIN_KEY_SIZE = 128,
    PLAIN_GATEWAY = 0, // the node that the sweeps begin at; its cable, and its switch, stay
    PLAIN_NONE = 255,
};

struct plain_end {
    uint8_t node, port;
};

struct plain_node {
    enum fabric_type type;
    uint64_t guid;
    uint8_t ports;
    bool powered;
    bool nameless;  // it shows the description of the factory instead of its name
    bool forgotten; // a gateway has started meanwhile
    char name[16];
};

struct plain_cable {
    struct plain_end ends[2];
    bool plugged, degraded;
};

struct plain_fabric {
    struct plain_node nodes[PLAIN_NODES_MAX];
    struct plain_cable cables[PLAIN_CABLES_MAX];
    unsigned node_count, cable_count;
};

// What a sweep finds.
struct plain_sight {
    bool nodes[PLAIN_NODES_MAX], cables[PLAIN_CABLES_MAX];
    uint8_t silent; // a node without answers, which hides the nodes behind itself; PLAIN_NONE: none
    bool complete;
};

// Some switches with links between them, some links parallel, hosts with one or two ports, and
// perhaps a router.
void plain_fabric_make(struct plain_fabric *f, uint64_t seed);

void plain_fabric_look(const struct plain_fabric *f, uint8_t silent, struct plain_sight *sight);
struct fabric *plain_fabric_sweep(const struct plain_fabric *f, const struct plain_sight *sight,
                                  int64_t utc_us);

// Changes. False: it is impossible now, and nothing changed.
bool plain_fabric_plug(struct plain_fabric *f, unsigned cable); // where it was
bool plain_fabric_unplug(struct plain_fabric *f, unsigned cable);
// Plugs one end of the cable into a free port of the first node from `node` on with a free port.
bool plain_fabric_move(struct plain_fabric *f, unsigned cable, unsigned end, unsigned node);
bool plain_fabric_swap(struct plain_fabric *f, unsigned one, unsigned other); // their second ends
bool plain_fabric_power(struct plain_fabric *f, unsigned node, bool on);
bool plain_fabric_degrade(struct plain_fabric *f, unsigned cable, bool on);
bool plain_fabric_rename(struct plain_fabric *f, unsigned node); // takes or gives back its name

// Describe by names, for people.
void plain_fabric_print(const struct plain_fabric *f, FILE *out);
void plain_fabric_print_cable(const struct plain_fabric *f, unsigned cable, FILE *out);
