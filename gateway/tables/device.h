// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of a context (agent/contexts.h). A context shows one end port,
// look->device, as a device: a switch with all its ports, or one port of a host or router.
#pragma once

#include "agent/column.h"

enum { DEVICE_PORT_0 = 255 }; // the number of a switch's port 0 in an index

// Fills the row's `node`, and `port` with the end port. Returns false if the end port is not in the
// fabric any more. The `has` of a group of scalars.
bool device_enter(struct look *look);
bool device_enter_switch(struct look *look); // the same for switches only

// Of a table with a row for each of the device's ports, by number, and port 0 as DEVICE_PORT_0: the
// `count` of all ports, of all ports without port 0, of the end port alone, and their `enter`. Each
// `enter` fills `node`, `port`, and `number`, which is the index.
size_t device_count_ports(struct look *look);
size_t device_count_data_ports(struct look *look);
size_t device_count_end_port(struct look *look);
void device_take_port(struct look *look, size_t at); // the same without the index
void device_enter_port(struct look *look);
void device_enter_end_port(struct look *look);

#define DEVICE_PORTS      TABLE_SORTED(device_count_ports, device_enter_port)
#define DEVICE_DATA_PORTS TABLE_SORTED(device_count_data_ports, device_enter_port)
#define DEVICE_END_PORT   TABLE_SORTED(device_count_end_port, device_enter_end_port)

// The `seek` of a table whose indices are in the table's `box`. Fills `node`, `tail`, and `port`
// with the end port, unless `has` fills it.
bool device_seek_box(struct look *look);

// The node's name, by the node-name-map or else its description. Valid as long as the snapshot.
const char *device_name(const struct look *look, const struct fabric_node *node);

// Put the text as a DisplayString; a sentence about the node; the type of the node, an OID of the
// IBTRAPD-MIB. All return true.
bool device_put_text(struct agentx_value *out, const char *text);
bool device_put_description(struct agentx_value *out, const struct fabric_node *node);
bool device_put_kind(struct agentx_value *out, const struct fabric_node *node);

// Puts the ifName of a port in ASCII: the port's number, in the fabric's tables behind its node's
// name and a slash. Returns true. device_port_name is the getter for the row's port.
bool device_put_port_name(struct agentx_value *out, const struct look *look, uint32_t node,
                          uint8_t port);
bool device_port_name(struct look *look, struct agentx_value *out);
