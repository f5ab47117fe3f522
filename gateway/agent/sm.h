// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of the IB-SM-MIB about the fabric. Each row's index begins with the
// subnet prefix. mibs/README.md lists the columns without a value, and why.
#ifndef IBTRAPD_AGENT_SM_H
#define IBTRAPD_AGENT_SM_H

#include "agent/box.h"
#include "agent/table.h"

const struct fabric_node *sm_node(const struct agent_snapshot *snapshot,
                                  const struct table_row *row);
const struct fabric_port *sm_port(const struct agent_snapshot *snapshot,
                                  const struct table_row *row);

// The `seek` of a table with a row for each node for which `has` returns true, by prefix and GUID.
// Fills the row's `node` before it calls `has`.
bool sm_seek_node(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, bool (*has)(const struct fabric_node *node), struct table_row *row,
                  struct agentx_oid *found);

// The same for ports, by prefix, GUID of the node and port. Fills `node`, `port` and `number`.
bool sm_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, bool (*has)(const struct fabric_port *port), struct table_row *row,
                  struct agentx_oid *found);

// The same for a table with several rows for each node: their indices end with as many identifiers
// as each other. `next` finds the first such row of row->node after the one whose index ends with
// `tail` (length 0: the first), and fills row->tail with its end. False: there is none.
typedef bool sm_next(const struct agent_snapshot *snapshot, const uint32_t *tail, size_t length,
                     struct table_row *row);
bool sm_seek_tail(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                  bool after, size_t tail_length, sm_next *next, struct table_row *row,
                  struct agentx_oid *found);

// Columns of several tables.
bool sm_get_prefix(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out);
bool sm_get_node_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out);
bool sm_get_port_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out);

void sm_add_guid(struct agentx_oid *oid, uint64_t guid); // as an index

#endif
