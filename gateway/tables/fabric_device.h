// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of the fabric as one device, for managers without contexts.
// agent/interface_list.h has the interfaces.
#pragma once

#include "agent/table.h"

// The `has` of a group of scalars: once there was a sweep.
bool fabric_device_has(struct look *look);

// The `seek` of a table with a row for each interface, by ifIndex. Fills `node`, `port`, and `at`,
// the index.
bool fabric_device_seek_port(struct look *look);

// Finds the interface with the least ifIndex from `least` on, and fills the row as above. Returns
// false if there is none.
bool fabric_device_find(struct look *look, uint64_t least);

// Getters of the fabric's sysName and sysDescr.
bool fabric_device_name(struct look *look, struct agentx_value *out);
bool fabric_device_descr(struct look *look, struct agentx_value *out);
