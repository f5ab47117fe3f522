// A fabric in memory that answers directed-route SMPs through struct mad_io. Time is virtual, and
// what gets lost depends on a seed alone. For one thread.
#ifndef IBTRAPD_TESTS_FAKE_FABRIC_H
#define IBTRAPD_TESTS_FAKE_FABRIC_H

#include "fake_port.h"

#include "model/fabric.h"

enum { FAKE_FABRIC_NODES = 400, FAKE_FABRIC_PORTS = 40 };

struct fake_fabric_port {
    int peer; // its node; -1: nobody, and the link is down
    uint8_t peer_port;
    uint16_t lid;
    uint8_t speeds; // active, supported, enabled are made of it
    bool deaf;      // answers no PortInfo
};

struct fake_node {
    uint64_t guid;
    uint8_t type, port_count;
    char description[65];
    bool deaf;     // answers nothing, and still passes on
    uint64_t mkey; // 0: none; else it does not answer without it
    bool nameless; // answers no NodeDescription
    struct fake_fabric_port ports[FAKE_FABRIC_PORTS + 1];
};

struct fake_fabric {
    struct fake_node nodes[FAKE_FABRIC_NODES];
    int count;
    int own; // where the MADs start, at port 1 or, of a switch, at port 0

    // What the test may change.
    unsigned loss; // percent of the requests, and of the answers
    uint64_t seed;
    // May change an answer of that node, or drop it by returning false. NULL: does not.
    bool (*tamper)(void *ctx, int node, uint8_t *answer);
    void *tamper_ctx;

    struct random random; // from the seed
    struct fake_port port;
};

// Empty.
void fake_fabric_init(struct fake_fabric *f, uint64_t seed);

// Below `limit`, from the seed.
unsigned fake_fabric_chance(struct fake_fabric *f, unsigned limit);

// Returns the new node's index; its GUID and LIDs come from it, its ports are down.
int fake_fabric_add(struct fake_fabric *f, enum fabric_type type, uint8_t port_count);
void fake_fabric_link(struct fake_fabric *f, int a, uint8_t port_a, int b, uint8_t port_b);
void fake_fabric_unlink(struct fake_fabric *f, int node, uint8_t port);

// Random switches, hosts and links between them, all reachable from the own node, a host.
void fake_fabric_generate(struct fake_fabric *f, int switches, int hosts);

// A queued answer that nobody asked for.
void fake_fabric_arrive(struct fake_fabric *f, const uint8_t *mad);

// What a look at it should find: the caller's.
struct fabric *fake_fabric_truth(const struct fake_fabric *f);

#endif
