// SPDX-License-Identifier: BSD-2-Clause
// SNMPv2-MIB: the system group of the fabric as one device.
#include "agent/fabric_device.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "mib_root.h"

enum { FABRIC_DEVICE_IDS = 3, FABRIC_DEVICE = 4 }; // ibtrapdDevices, ibtrapdDeviceFabric
enum { SERVICES_LAYER_2 = 2 };

static bool fabric_system_object(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    static const uint32_t OID[] = {MIB_ROOT_IDS, FABRIC_DEVICE_IDS, FABRIC_DEVICE};
    (void)snapshot, (void)row;
    for (size_t i = 0; i < sizeof OID / sizeof *OID; i++)
        agentx_oid_add(&out->oid, OID[i]);
    return true;
}

static bool fabric_system_up_time(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    (void)row;
    return put_time_stamp(out, snapshot, snapshot->now);
}

static bool fabric_system_empty(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_octets(out, "", 0);
}

static bool fabric_system_services(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_number(out, SERVICES_LAYER_2);
}

static const struct table_column COLUMNS[] = {
    {"sysDescr", 1, AGENTX_OCTETS, .get = fabric_device_descr},
    {"sysObjectID", 2, AGENTX_OID, .get = fabric_system_object},
    {"sysUpTime", 3, AGENTX_TIME_TICKS, .get = fabric_system_up_time},
    {"sysContact", 4, AGENTX_OCTETS, .get = fabric_system_empty},
    {"sysName", 5, AGENTX_OCTETS, .get = fabric_device_name},
    {"sysLocation", 6, AGENTX_OCTETS, .get = fabric_system_empty},
    {"sysServices", 7, AGENTX_INTEGER, .get = fabric_system_services},
};

static const uint32_t ENTRY[] = {TABLES_MIB_2_IDS, 1};

const struct table FABRIC_SYSTEM = TABLE("system", ENTRY, COLUMNS, fabric_device_seek_scalar);
