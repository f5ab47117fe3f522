// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of the IB-SM-MIB about the fabric. Each row's index begins with the
// subnet prefix. mibs/README.md lists the columns without a value, and why.
#pragma once

#include "agent/table.h"

// The `seek` of a table with the index prefix, GUID and further numbers, whose ranges are in the
// table's `box`. `node` and `tail` are set before `has` is called; `has` sets `port`.
bool sm_seek_box(struct look *look);

// Appends the index of the whole subnet, and of a row with a GUID.
void sm_add_prefix(struct look *look);
void sm_add_guid(struct agentx_oid *oid, uint64_t guid);

bool sm_get_prefix(struct look *look, struct agentx_value *out); // of the subnet
