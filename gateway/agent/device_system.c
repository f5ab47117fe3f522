// SPDX-License-Identifier: BSD-2-Clause
// SNMPv2-MIB: the system group of a device that has no SNMP agent itself.
#include "agent/device.h"
#include "agent/put.h"
#include "agent/tables.h"

enum { SERVICES_LAYER_2 = 2 }; // RFC 3418: 2 to the power of the layer less 1

static bool device_system_descr(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    return device_put_description(out, device_node(snapshot, row));
}

static bool device_system_object(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    return device_put_kind(out, device_node(snapshot, row));
}

static bool device_system_up_time(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    (void)row;
    return put_time_stamp(out, snapshot, snapshot->now);
}

static bool device_system_empty(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_octets(out, "", 0);
}

static bool device_system_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return device_put_text(out, device_name(snapshot, device_node(snapshot, row)));
}

static bool device_system_services(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, SERVICES_LAYER_2);
}

static const struct table_column COLUMNS[] = {
    {"sysDescr", 1, AGENTX_OCTETS, .get = device_system_descr},
    {"sysObjectID", 2, AGENTX_OID, .get = device_system_object},
    {"sysUpTime", 3, AGENTX_TIME_TICKS, .get = device_system_up_time},
    {"sysContact", 4, AGENTX_OCTETS, .get = device_system_empty},
    {"sysName", 5, AGENTX_OCTETS, .get = device_system_name},
    {"sysLocation", 6, AGENTX_OCTETS, .get = device_system_empty},
    {"sysServices", 7, AGENTX_INTEGER, .get = device_system_services},
};

static const uint32_t ENTRY[] = {TABLES_MIB_2_IDS, 1};

const struct table DEVICE_SYSTEM = TABLE("system", ENTRY, COLUMNS, device_seek_scalar);
