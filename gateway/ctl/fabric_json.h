// SPDX-License-Identifier: BSD-2-Clause
// Snapshots of the fabric, and the changes between two snapshots, in JSON. Each function returns a
// new reference. `names` may be NULL.
#pragma once

#include "event/event_builder.h"
#include "model/fabric.h"

#include <jansson.h>

// All but the nodes. `number` is the number of the snapshot in the journal; 0: the fabric as it was
// then.
json_t *fabric_json_head(const struct systems *systems, int64_t number, const struct names *names);

// The node at `index`, with its system, its ports and their peers.
json_t *fabric_json_node(const struct systems *systems, uint32_t index, const struct names *names);

// The subnet managers.
json_t *fabric_json_sms(const struct fabric *fabric, const struct names *names);

// One side of a comparison.
json_t *fabric_json_side(const struct fabric *fabric, int64_t number);

// A change, with its sentence; `builder` has the names.
json_t *fabric_json_change(const struct change *change, const struct event_builder *builder);

// "switch", "host", "router" or "unknown".
const char *fabric_json_type(uint8_t type);

// The LID of the port; all ports of a switch have the LID of port 0.
uint16_t fabric_json_lid(const struct fabric *fabric, uint32_t node,
                         const struct fabric_port *port);
