// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of a context (agent/contexts.h), which shows one end port as a device:
// a switch with all its ports, or one port of a host or router. The snapshot's scope says which.
#ifndef IBTRAPD_AGENT_DEVICE_H
#define IBTRAPD_AGENT_DEVICE_H

#include "agent/table.h"

enum { DEVICE_PORT_0 = 255 }; // the number of a switch's port 0 in an index

// The `seek` of a group of scalars: one row, with the scope's `node` and `port`.
bool device_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after, struct table_row *row, struct agentx_oid *found);

// The same for switches only.
bool device_seek_switch(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                        bool after, struct table_row *row, struct agentx_oid *found);

// The `seek` of a table with a row for each of its ports, by number, and port 0 as DEVICE_PORT_0.
// Fills `node`, `port`, and `number`, which is the index.
bool device_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                      bool after, struct table_row *row, struct agentx_oid *found);

// The same for the end port alone.
bool device_seek_end_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found);

// The same for all ports without port 0.
bool device_seek_data_port(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found);

// The same for a table whose indices are in a box. `has` says whether the device has the row that
// row->tail names; else it may count `tail` up to the last end that the device lacks as well. Fills
// `node`, `port` (the context's end port, unless `has` fills it) and `tail`.
typedef bool device_has_row(const struct agent_snapshot *snapshot, struct table_row *row);
bool device_seek_box(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                     bool after, const struct box *box, device_has_row *has, struct table_row *row,
                     struct agentx_oid *found);

const struct fabric_node *device_node(const struct agent_snapshot *snapshot,
                                      const struct table_row *row);
const struct fabric_port *device_port(const struct agent_snapshot *snapshot,
                                      const struct table_row *row);

// The node's name, by the node-name-map or else its description. Valid as long as the snapshot.
const char *device_name(const struct agent_snapshot *snapshot, const struct fabric_node *node);

// Put the text as a DisplayString; what the node is, in a sentence; and what type of device it is,
// an OID of the IBTRAPD-MIB. All return true.
bool device_put_text(struct agentx_value *out, const char *text);
bool device_put_description(struct agentx_value *out, const struct fabric_node *node);
bool device_put_kind(struct agentx_value *out, const struct fabric_node *node);

// Adds the port's ifName in ASCII: its number, in the fabric's tables behind its node's name and a
// slash.
void device_add_port_name(struct text *t, const struct agent_snapshot *snapshot, uint32_t node,
                          uint8_t port);

#endif
