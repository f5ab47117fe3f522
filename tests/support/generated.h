// Fabrics made up for tests and benchmarks: fat trees and random ones, which can be changed and
// then looked at, in any order of discovery. Runs out of memory by aborting.
#ifndef IBTRAPD_TESTS_GENERATED_H
#define IBTRAPD_TESTS_GENERATED_H

#include "model/fabric.h"

// Numbers that depend on the seed only.
struct generated_chance {
    uint64_t state;
};
uint64_t generated_next(struct generated_chance *chance);
uint32_t generated_below(struct generated_chance *chance, uint32_t limit); // 0 to limit - 1

struct generated_port {
    struct fabric_port port; // its peer is a number of `nodes`
    bool absent;             // the look does not show it
};

struct generated_node {
    struct fabric_node node;
    struct generated_port *ports; // 0 to node.port_count; 0 exists for switches only
    bool removed;
};

struct generated {
    struct generated_node *nodes;
    uint32_t count, capacity;
    struct fabric_sm *sms; // node is a number of `nodes`
    uint32_t sm_count;
    struct fabric_controller *controllers;
    uint32_t controller_count;
    uint16_t last_lid;
};

void generated_clear(struct generated *g);

// A node of that many ports, none linked, and its number. A GUID of 0 stands for one made from the
// number. A CA's ports have the GUIDs that follow the node's.
uint32_t generated_add(struct generated *g, enum fabric_type type, uint64_t guid, const char *name,
                       uint8_t ports);

struct fabric_port *generated_port(struct generated *g, uint32_t node, uint8_t number);
void generated_link(struct generated *g, uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b);
void generated_unlink(struct generated *g, uint32_t node, uint8_t port);
void generated_remove(struct generated *g, uint32_t node); // and its links
void generated_rename(struct generated *g, uint32_t node, const char *name);
void generated_sm(struct generated *g, uint32_t node, uint8_t port, uint8_t priority,
                  uint8_t state); // or changes it
void generated_controller(struct generated *g, uint32_t node, uint8_t slot, uint64_t guid,
                          const char *name);

// Three levels: leaves with `half` hosts and `half` uplinks, pods of `half` leaves, spines of 2 *
// half ports. Leaves are named leaf0, leaf1 and so on; hosts "node0 HCA-1".
void generated_fat_tree(struct generated *g, uint32_t hosts, uint8_t half);

// Some switches, hosts, dual-port hosts, routers, subnet managers and I/O units, linked by chance;
// parallel links included.
void generated_random(struct generated *g, struct generated_chance *chance);

// Some changes by chance: nodes and links gone, come and moved, names, LIDs, rates.
void generated_mutate(struct generated *g, struct generated_chance *chance);

// What a complete look finds. `order` permutes the discovery; 0: as they were made.
struct fabric *generated_look(const struct generated *g, uint64_t order);

#endif
