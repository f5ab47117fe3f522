// The tables of the IBSWITCH-MIB about the fabric, and what they have in common. A switch or router
// is an element there; what no column tells, and why, is in mibs/README.md.
#ifndef IBTRAPD_AGENT_GSW_H
#define IBTRAPD_AGENT_GSW_H

#include "agent/table.h"

extern const struct table GSW_INVENTORY, GSW_SWITCHES, GSW_PORTS, GSW_SENSORS, GSW_IB_NODES,
    GSW_IB_SWITCHES, GSW_LINKS, GSW_IB_TOPOLOGY, GSW_IB_PORTS, GSW_COUNTERS, GSW_COMMUNITIES;

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

// The place among view->switches of the first element whose GswGlobalId is not before these ids;
// their number: there is none.
size_t gsw_first_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length);

// A row for each element, by GswGlobalId: for a table's `seek`. Fills in the row's `at` and `node`.
bool gsw_seek_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                      bool after, struct table_row *row, struct agentx_oid *found);

// A row for each port of an element for which `has` is true, by GswGlobalId and port. Fills in the
// row's `at` (of the element), `node`, `port` and `number`; `has` finds them filled in.
bool gsw_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                   bool after,
                   bool (*has)(const struct agent_snapshot *snapshot, const struct table_row *row),
                   struct table_row *row, struct agentx_oid *found);

// The same of all ports.
bool gsw_seek_any_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found);

// Columns of several tables.
bool gsw_get_global_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out);
bool gsw_get_port_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out);
bool gsw_get_date(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out);
bool gsw_get_one(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out);

// What was set for the row's element; NULL: nothing.
const struct setting *gsw_setting(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, enum setting_kind kind);

#endif
