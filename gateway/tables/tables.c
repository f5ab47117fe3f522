// SPDX-License-Identifier: BSD-2-Clause
#include "tables/tables.h"

#include "base/wire.h"
#include "mib_root.h"

void tables_enter_port(struct look *look)
{
    uint8_t octets[sizeof(uint64_t)];
    look->port = (uint32_t)look->at;
    look->node = fabric_node_of_port(look->fabric, look->port);
    look->number = look_port(look)->number;
    wire_put(octets, sizeof octets, look_node(look)->guid);
    agentx_oid_add_octets(&look->found, octets, sizeof octets);
    agentx_oid_add(&look->found, look->number);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROOT(ids)                                                                                  \
    {                                                                                              \
        (ids), COUNT(ids)                                                                          \
    }
#define LIST(of, at)                                                                               \
    {                                                                                              \
        (of), COUNT(of), (at), COUNT(at)                                                           \
    }

static const uint32_t GSW[] = {TABLES_GSW_IDS}, SM[] = {TABLES_SM_IDS}, OWN[] = {MIB_ROOT_IDS};
static const uint32_t MIB_2[] = {TABLES_MIB_2_IDS}, LLDP[] = {TABLES_LLDP_IDS};
static const uint32_t INFINIBAND[] = {TABLES_INFINIBAND_IDS};

// Ascending by the OID of the first column (table.h).
static const struct table *const ALL[] = {
    &GSW_MISC,         &GSW_SYSTEM,      &GSW_INVENTORY,   &GSW_SWITCHES,     &GSW_PORTS,
    &GSW_SENSORS,      &GSW_IB_NODES,    &GSW_IB_SWITCHES, &GSW_LINKS,        &GSW_IB_TOPOLOGY,
    &GSW_IB_PORTS,     &GSW_COUNTERS,    &GSW_EVENTS,      &GSW_COMMUNITIES,  &SM_CONFIG,
    &SM_NODES,         &SM_PORTS,        &SM_SWITCHES,     &SM_PARTITIONS,    &SM_GROUPS,
    &SM_GROUP_MEMBERS, &SM_MANAGERS,     &SM_LINKS,        &SM_PATH_REQUESTS, &SM_PATHS,
    &SM_SERVICES,      &SM_SWITCH_LANES, &SM_PORT_LANES,   &SM_ARBITRATION,   &OWN_SUBSCRIPTIONS,
    &OWN_RECEIVERS,    &OWN_ALARMS,      &OWN_EVENT_LOG,   &OWN_FLOW,         &OWN_PORTS,
    &OWN_MODULES,      &OWN_WINDOWS,
};

static const struct table_root ROOTS[] = {ROOT(GSW), ROOT(SM), ROOT(OWN)};
const struct table_list TABLES = LIST(ALL, ROOTS);

static const struct table *const OF_DEVICE[] = {
    &DEVICE_SYSTEM,   &DEVICE_IF_NUMBER, &DEVICE_IF,    &DEVICE_IF_X,   &DEVICE_ENTITIES,
    &DEVICE_ALIASES,  &DEVICE_SENSORS,   &IF_ERRORS,    &SMA_NODE,      &SMA_SWITCH,
    &SMA_GUIDS,       &SMA_END_PORT,     &SMA_PORTS,    &SMA_PKEYS,     &SMA_LANES,
    &SMA_HIGH,        &SMA_LOW,          &SMA_LINEAR,   &SMA_MULTICAST, &SMA_MANAGERS,
    &SMA_DIAGNOSTICS, &SMA_LEDS,         &PMA_COUNTERS, &PMA_TRAFFIC,   &PMA_ERRORS,
    &PMA_DISCARDS,    &PMA_FLOW,         &PMA_UPDATES,  &PMA_WAITS,     &PMA_CONGESTION,
};

static const struct table_root DEVICE_ROOTS[] = {ROOT(MIB_2), ROOT(INFINIBAND)};
const struct table_list DEVICE_TABLES = LIST(OF_DEVICE, DEVICE_ROOTS);

static const struct table *const OF_FABRIC[] = {
    &LLDP_SYSTEM,      &LLDP_PORTS, &LLDP_NEIGHBOURS, &FABRIC_SYSTEM,
    &FABRIC_IF_NUMBER, &FABRIC_IF,  &FABRIC_IF_X,
};

static const struct table_root FABRIC_ROOTS[] = {ROOT(MIB_2), ROOT(LLDP)};
const struct table_list FABRIC_DEVICE_TABLES = LIST(OF_FABRIC, FABRIC_ROOTS);
