// SPDX-License-Identifier: BSD-2-Clause
// A fabric in memory that answers directed-route SMPs through struct mad_io. Time is virtual. A
// seed alone decides which MADs get lost. A switch of it may lie. For one thread.
#pragma once

#include "fake_port.h"

#include "model/fabric.h"

enum { FAKE_FABRIC_NODES = 400, FAKE_FABRIC_PORTS = 40 };

struct fake_fabric_port {
    int peer; // index of the peer's node; -1: none, and the link is down
    uint8_t peer_port;
    uint16_t lid;
    uint8_t speeds; // gives the active, supported and enabled speeds
    bool deaf;      // does not answer PortInfo
};

struct fake_node {
    uint64_t guid;
    uint8_t type, port_count;
    char description[65];
    bool deaf;     // answers nothing, but still forwards SMPs
    uint64_t mkey; // 0: none; otherwise the node ignores SMPs without it
    // At protection level 0 (IBA 14.2.4.1) the node answers every query, with its M_Key in
    // PortInfo. At level 1 PortInfo has the M_Key only for a query with the M_Key.
    bool level0, level1;
    // Shows its extended speed, EDR, only where the AttributeModifier's bit 31 asks for it, as some
    // switches do.
    bool extends;
    // Of Mellanox, and answers ExtendedPortInfo with that in LinkSpeedActive, -Supported and
    // -Enabled; 0: of another vendor, and has no such attribute.
    uint8_t mellanox;
    bool nameless; // does not answer NodeDescription
    bool lies;     // all its ports are up; fake_fabric sets it
    struct fake_fabric_port ports[FAKE_FABRIC_PORTS + 1];
};

// A switch that answers queries itself instead of forwarding them. Behind each of its ports without
// a link there is a node. The node's GUID is new, or, by `claims`, the GUID of another node. Behind
// each port of a made-up switch there is a further switch, without end.
struct fake_liar {
    int node;           // the lying switch; -1: none
    uint8_t port_count; // of the switches that it makes up; 0: it makes up hosts
    uint64_t series;    // other GUIDs for another number
    unsigned attempt;   // the switch answers this attempt of each query for nodes behind it, and no
                        // earlier attempt
    int64_t late_us;    // and so late
    int claims[FAKE_FABRIC_PORTS + 1]; // by port: the node that the switch makes up; -1: none
};

struct fake_fabric {
    struct fake_node nodes[FAKE_FABRIC_NODES];
    int count;
    int own; // the node that MADs start from: at port 1; at port 0 of a switch

    // What the test may change.
    unsigned loss; // percent of the requests, and of the answers, that get lost
    uint64_t seed;
    // May change an answer of that node; returns false to drop it. NULL: no change.
    bool (*tamper)(void *ctx, int node, uint8_t *answer);
    void *tamper_ctx;
    struct fake_liar liar;

    // Private.
    struct fake_node made_up;
    struct {
        uint64_t query;
        unsigned attempts;
    } asked[256]; // by the lowest octet of the TransactionID, which a batch keeps for a query

    struct random random; // from the seed
    struct fake_port port;
};

// Makes an empty fabric.
void fake_fabric_init(struct fake_fabric *f, uint64_t seed);

// A random number below `limit`, from the seed.
unsigned fake_fabric_chance(struct fake_fabric *f, unsigned limit);

// Adds a node with all ports down. Returns its index, from which its GUID and LIDs are made.
int fake_fabric_add(struct fake_fabric *f, enum fabric_type type, uint8_t port_count);
void fake_fabric_link(struct fake_fabric *f, int a, uint8_t port_a, int b, uint8_t port_b);
void fake_fabric_unlink(struct fake_fabric *f, int node, uint8_t port);

// Makes the switch the liar, who answers at once and claims nothing yet.
void fake_fabric_lie(struct fake_fabric *f, int node, uint8_t port_count);

// Adds random switches and hosts with links between them. All are reachable from the own node, a
// host.
void fake_fabric_generate(struct fake_fabric *f, int switches, int hosts);

// Queues a MAD that answers no request.
void fake_fabric_arrive(struct fake_fabric *f, const uint8_t *mad);

// The snapshot that a complete sweep should find. The caller releases it.
struct fabric *fake_fabric_truth(const struct fake_fabric *f);
