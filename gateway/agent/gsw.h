// SPDX-License-Identifier: BSD-2-Clause
// Functions for the tables of the IBSWITCH-MIB about the fabric. The MIB calls a switch or
// router an element. mibs/README.md lists the columns without a value, and why.
#ifndef IBTRAPD_AGENT_GSW_H
#define IBTRAPD_AGENT_GSW_H

#include "agent/table.h"

enum { GSW_IB_SWITCH = 2, GSW_IB_ROUTER = 3 }; // GswType
enum { GSW_LOCAL_ID_SIZE = 8, GSW_GLOBAL_ID_SIZE = 16, GSW_NAME_MAX = 256 };
enum { GSW_COMMUNITIES_MAX = SETTING_ROWS_MAX }; // of an element

const struct fabric_node *gsw_node(const struct agent_snapshot *snapshot,
                                   const struct table_row *row);
const struct fabric_port *gsw_port(const struct agent_snapshot *snapshot,
                                   const struct table_row *row);

bool gsw_is_element(const struct fabric_node *node);
uint8_t gsw_type(const struct fabric_node *node); // GswType of an element
void gsw_global_id(const struct fabric_node *node, uint8_t out[GSW_GLOBAL_ID_SIZE]);
void gsw_add_global_id(struct agentx_oid *oid, const struct fabric_node *node); // as an index

// The index in snapshot->switches of the first element whose GswGlobalId is not before `ids`;
// snapshot->switch_count: there is none.
size_t gsw_first_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length);

// The `seek` of a table with a row for each element, by GswGlobalId. Fills the row's `at` and
// `node`.
bool gsw_seek_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                      bool after, struct table_row *row, struct agentx_oid *found);

// The `seek` of a table with a row for each port of an element for which `has` returns true, by
// GswGlobalId and port. Fills the row's `at` (of the element), `node`, `port` and `number`, before
// it calls `has`.
bool gsw_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                   bool after,
                   bool (*has)(const struct agent_snapshot *snapshot, const struct table_row *row),
                   struct table_row *row, struct agentx_oid *found);

// The same for all ports of elements.
bool gsw_seek_any_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found);

// Whether PortInfo of the port is known, and speaks for the element: of port 0 of a switch, of each
// port of a router.
bool gsw_speaks_for_element(const struct fabric_node *node, const struct fabric_port *port);

// Getters of columns that several tables have.
bool gsw_get_global_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out);
bool gsw_get_port_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out);
// The present date, in UTC as gswEventTimeInfo is, and saying so.
bool gsw_get_date(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out);
bool gsw_get_one(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out);

// The setting of this kind for the row's element; NULL: it was never set.
const struct setting *gsw_setting(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, enum setting_kind kind);

#endif
