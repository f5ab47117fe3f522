// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of the IBSWITCH-MIB about the fabric. The MIB calls a switch or a router
// an element. mibs/README.md lists the columns without a value, and why.
#pragma once

#include "agent/table.h"

// Appends the GswGlobalId of a node to an index.
void gsw_add_id(struct agentx_oid *oid, const struct fabric_node *node);
bool gsw_put_id(struct agentx_value *out, const struct fabric_node *node); // returns true

bool gsw_get_id(struct look *look, struct agentx_value *out); // of the row's element
