// SPDX-License-Identifier: BSD-2-Clause
// The interfaces of the fabric as one device: the external ports of switches, and if wanted the
// ports of hosts and routers. The ifIndex of a port is NODE_NUMBERS_STEP times the number of its
// node, plus the number of the port: 12012 is port 12 of the node with number 12.
// Decides: Which ifIndex does a port have when the fabric is one device?
// (journal/node_number_rows.c)
#pragma once

#include "agent/contexts.h"
#include "model/fabric.h"
#include "model/node_numbers.h"

struct journal;

struct interface_node {
    uint32_t number, node; // number of the node, and its index in the fabric
};

// Immutable.
struct interface_list {
    uint32_t interfaces; // how many
    size_t count;
    struct interface_node nodes[]; // ascending by number
};

// Makes the list of all nodes with a number. Linear; for free().
struct interface_list *interface_list_make(const struct fabric *fabric,
                                           const struct node_numbers *numbers, enum contexts_of of);

// Gives numbers to the nodes without a number. A number counts from a commit of the journal on.
// Returns false if the journal cannot number nodes now (journal/journal.h).
bool interface_list_number(struct journal *journal, const struct fabric *fabric,
                           enum contexts_of of);

// Finds the interface with the least ifIndex from `least` on: index of its node and port in the
// fabric. Returns its ifIndex; 0: there is none.
uint32_t interface_list_find(const struct interface_list *list, const struct fabric *fabric,
                             uint32_t least, uint32_t *node, uint32_t *port);
