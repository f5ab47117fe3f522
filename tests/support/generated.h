// SPDX-License-Identifier: BSD-2-Clause
// Made-up fabrics for tests and benchmarks: fat trees and random ones. A caller can change them and
// make snapshots of them, in any order of discovery. Aborts if memory runs out.
#pragma once

#include "model/fabric.h"

// Random numbers that depend only on the seed.
struct generated_chance {
    uint64_t state;
};
uint64_t generated_next(struct generated_chance *chance);
uint32_t generated_below(struct generated_chance *chance, uint32_t limit); // 0 to limit - 1

struct generated_port {
    struct fabric_port port; // its peer is an index of `nodes`
    bool absent;             // snapshots omit it
};

struct generated_node {
    struct fabric_node node;
    struct generated_port *ports; // 0 to node.port_count; port 0 exists for switches only
    bool removed;
};

struct generated {
    struct generated_node *nodes;
    uint32_t count, capacity;
    struct fabric_sm *sms; // their `node` is an index of `nodes`
    uint32_t sm_count;
    struct fabric_controller *controllers;
    uint32_t controller_count;
    uint16_t last_lid;
};

void generated_clear(struct generated *g);

// Adds a node with that many unlinked ports; returns its index. With a GUID of 0, the GUID is made
// from the index. The ports of a CA get the GUIDs after the node's.
uint32_t generated_add(struct generated *g, enum fabric_type type, uint64_t guid, const char *name,
                       uint8_t ports);

struct fabric_port *generated_port(struct generated *g, uint32_t node, uint8_t number);
void generated_link(struct generated *g, uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b);
void generated_unlink(struct generated *g, uint32_t node, uint8_t port);
void generated_remove(struct generated *g, uint32_t node); // and its links
void generated_rename(struct generated *g, uint32_t node, const char *name);
void generated_sm(struct generated *g, uint32_t node, uint8_t port, uint8_t priority,
                  uint8_t state); // adds it, or changes its state
void generated_controller(struct generated *g, uint32_t node, uint8_t slot, uint64_t guid,
                          const char *name);

// Three levels: leaves with `half` hosts and `half` uplinks, pods of `half` leaves, spines of 2 *
// half ports. Leaves are named leaf0, leaf1 and so on; hosts "node0 HCA-1".
void generated_fat_tree(struct generated *g, uint32_t hosts, uint8_t half);

// Some switches, hosts, dual-port hosts, routers, subnet managers and I/O units with random links,
// some of them parallel.
void generated_random(struct generated *g, struct generated_chance *chance);

// Makes some random changes: nodes and links removed, added and moved; names, LIDs, rates.
void generated_mutate(struct generated *g, struct generated_chance *chance);

// The snapshot of a complete sweep. `order` permutes the order of discovery; 0: in the order of
// creation.
struct fabric *generated_look(const struct generated *g, uint64_t order);
