// SPDX-License-Identifier: BSD-2-Clause
// A look at the tables: the snapshot and the device of one request, and the row at hand. Getters
// and seeks of tables take a look and nothing else. A look also reads attributes on demand. The
// agent's thread only.
// Decides: What happens to an SNMP request whose value has to be read from the fabric first?
#pragma once

#include "agent/snapshot.h"
#include "agentx/value.h"
#include "model/board_pages.h"

enum { LOOK_TAIL_MAX = 3 };

struct look {
    struct agent_snapshot *snapshot; // NULL: the journal could not be read
    const struct fabric *fabric;     // of the snapshot; NULL: no sweep yet

    // The device that the request is about.
    uint32_t device; // index of its end port; FABRIC_NONE: the port is not in the fabric
    bool of_fabric;  // the device is the whole fabric; then `device` is FABRIC_NONE
    const struct contexts *contexts; // when its ports changed; may be NULL

    // Reads on demand.
    struct demand_answer *fetched; // the last answer; look_end drops it
    int64_t ticket;                // of an answer that comes later; 0: none
    bool sa_away;                  // the SA could not be asked: a table looks empty

    // The index for a seek to find (agent/table.h).
    const struct table *table;
    const struct table_column *column; // the column whose value is wanted
    const uint32_t *ids;
    size_t length;
    bool after;

    // The row that the seek found. A table uses some of the members.
    struct agentx_oid found; // its index
    size_t at;               // its number, if the rows are numbered
    uint32_t node, port;     // indices in `fabric`
    uint8_t number;
    uint32_t tail[LOOK_TAIL_MAX]; // the last identifiers of its index
    struct event *event;          // a reference, which table.c drops; may be NULL
};

// Begins a look at the tables of the gateway itself. The snapshot may be NULL.
struct look look_at(struct agent_snapshot *snapshot);
void look_end(struct look *look); // drops what was fetched

static inline const struct fabric_node *look_node(const struct look *look)
{
    return &look->fabric->nodes[look->node];
}

static inline const struct fabric_port *look_port(const struct look *look)
{
    return &look->fabric->ports[look->port];
}

// The node at the other end of the link of the row's port, which has a link.
static inline const struct fabric_node *look_peer(const struct look *look)
{
    return &look->fabric->nodes[look_port(look)->peer_node];
}

// Reads on demand.

// Returns the answer, valid until the next call of a function below, or NULL. If the answer comes
// later, the look has a ticket then. If the SA cannot be asked, `sa_away` is true then.
const struct demand_answer *look_ask(struct look *look, const struct demand_key *key);

// The same, but nobody waits for a later answer: `ticket` and `sa_away` stay.
const struct demand_answer *look_ask_now(struct look *look, const struct demand_key *key);

// Each reads an attribute of a port, by the port's index in the fabric; for a port of a switch,
// port 0 answers. Each returns NULL also if the node is silent.
const uint8_t *look_smp(struct look *look, uint32_t port, enum demand_attribute attribute,
                        uint32_t modifier);
const uint8_t *look_perf(struct look *look, uint32_t port, uint16_t attribute);
// Of devices of NVIDIA alone; the other two read a register of the row's node, the third one that
// of a fan.
const uint8_t *look_register(struct look *look, uint32_t port, enum register_page page);
const uint8_t *look_device_register(struct look *look, enum register_page page);
const uint8_t *look_fan_register(struct look *look, enum register_page page, uint8_t fan);

// Whether a `seek` finds rows of what the registers of the row's node tell, as look_can_smp.
bool look_can_registers(const struct look *look);

// The firmware of the row's node: "27.2010.3004". Returns false if the node does not tell.
bool look_firmware(struct look *look, char out[BOARD_FIRMWARE_SIZE]);

// Makes the question of look_smp. Returns false if nobody answers for the port.
bool look_smp_key(const struct look *look, uint32_t port, enum demand_attribute attribute,
                  uint32_t modifier, struct demand_key *key);

// Whether a `seek` finds rows of the port whose values look_smp reads. Returns false if look_smp
// would return NULL for all these rows (of a switch: for the rows of all its ports): then nobody
// asks row by row.
bool look_can_smp(const struct look *look, uint32_t port, enum demand_attribute attribute);
