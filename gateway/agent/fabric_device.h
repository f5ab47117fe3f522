// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables that show the fabric as one device, to managers that know no contexts.
// Its interfaces are those of agent/interface_list.h.
#ifndef IBTRAPD_AGENT_FABRIC_DEVICE_H
#define IBTRAPD_AGENT_FABRIC_DEVICE_H

#include "agent/table.h"

// The `seek` of a group of scalars: one row, once there was a sweep.
bool fabric_device_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found);

// The `seek` of a table with a row for each interface, by ifIndex. Fills `node`, `port`, and `at`,
// which is the index.
bool fabric_device_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found);

// Finds the interface with the least ifIndex from `least` on, and fills the row as above. False:
// there is none.
bool fabric_device_find(const struct agent_snapshot *snapshot, uint64_t least,
                        struct table_row *row);

// Getters of the fabric's sysName and sysDescr.
bool fabric_device_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out);
bool fabric_device_descr(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out);

#endif
