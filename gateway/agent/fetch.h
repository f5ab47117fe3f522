// SPDX-License-Identifier: BSD-2-Clause
// Getters' way to attributes that are read on demand.
#ifndef IBTRAPD_AGENT_FETCH_H
#define IBTRAPD_AGENT_FETCH_H

#include "agent/snapshot.h"

// The answer, valid until the next call of a function here for this snapshot. NULL: there is none;
// or it comes later, and the snapshot has a ticket; or the SA cannot be asked, and the snapshot
// says so (snapshot_sa_was_away).
const struct demand_answer *fetch(const struct agent_snapshot *snapshot,
                                  const struct demand_key *key);

// The same, but nobody waits for what comes later, or misses it: no ticket.
const struct demand_answer *fetch_now(const struct agent_snapshot *snapshot,
                                      const struct demand_key *key);

// An attribute of a node's port, by its index in the fabric; of a switch, port 0 answers. NULL also
// if the node is silent.
const uint8_t *fetch_smp(const struct agent_snapshot *snapshot, uint32_t port,
                         enum demand_attribute attribute, uint32_t modifier);
const uint8_t *fetch_perf(const struct agent_snapshot *snapshot, uint32_t port, uint16_t attribute);

// What fetch_smp asks. False: nobody answers for the port.
bool fetch_smp_key(const struct agent_snapshot *snapshot, uint32_t port,
                   enum demand_attribute attribute, uint32_t modifier, struct demand_key *key);

// Whether a `seek` is to find rows whose values fetch_smp reads of that port and attribute. False:
// it would return NULL for all of them, of a switch for those of all its ports, so that nobody asks
// row by row.
bool fetch_can_smp(const struct agent_snapshot *snapshot, uint32_t port,
                   enum demand_attribute attribute);

#endif
