// SPDX-License-Identifier: BSD-2-Clause
#include "agent/tables.h"

// Ascending by the OID of the first column (table.h).
static const struct table *const ALL[] = {
    &GSW_MISC,         &GSW_SYSTEM,      &GSW_INVENTORY,   &GSW_SWITCHES,     &GSW_PORTS,
    &GSW_SENSORS,      &GSW_IB_NODES,    &GSW_IB_SWITCHES, &GSW_LINKS,        &GSW_IB_TOPOLOGY,
    &GSW_IB_PORTS,     &GSW_COUNTERS,    &GSW_EVENTS,      &GSW_COMMUNITIES,  &SM_CONFIG,
    &SM_NODES,         &SM_PORTS,        &SM_SWITCHES,     &SM_PARTITIONS,    &SM_GROUPS,
    &SM_GROUP_MEMBERS, &SM_MANAGERS,     &SM_LINKS,        &SM_PATH_REQUESTS, &SM_PATHS,
    &SM_SERVICES,      &SM_SWITCH_LANES, &SM_PORT_LANES,   &SM_ARBITRATION,   &OWN_SUBSCRIPTIONS,
    &OWN_RECEIVERS,    &OWN_ALARMS,      &OWN_EVENT_LOG,   &OWN_FLOW,         &OWN_PORTS,
};

const struct table_list TABLES = {ALL, sizeof ALL / sizeof *ALL};

static const struct table *const OF_DEVICE[] = {
    &DEVICE_SYSTEM,  &DEVICE_IF_NUMBER, &DEVICE_IF,     &DEVICE_IF_X,    &DEVICE_ENTITIES,
    &DEVICE_ALIASES, &IF_ERRORS,        &SMA_NODE,      &SMA_SWITCH,     &SMA_GUIDS,
    &SMA_END_PORT,   &SMA_PORTS,        &SMA_PKEYS,     &SMA_LANES,      &SMA_HIGH,
    &SMA_LOW,        &SMA_LINEAR,       &SMA_MULTICAST, &SMA_MANAGERS,   &SMA_DIAGNOSTICS,
    &SMA_LEDS,       &PMA_COUNTERS,     &PMA_TRAFFIC,   &PMA_ERRORS,     &PMA_DISCARDS,
    &PMA_FLOW,       &PMA_UPDATES,      &PMA_WAITS,     &PMA_CONGESTION,
};

const struct table_list DEVICE_TABLES = {OF_DEVICE, sizeof OF_DEVICE / sizeof *OF_DEVICE};

static const struct table *const OF_FABRIC[] = {
    &LLDP_SYSTEM,      &LLDP_PORTS, &LLDP_NEIGHBOURS, &FABRIC_SYSTEM,
    &FABRIC_IF_NUMBER, &FABRIC_IF,  &FABRIC_IF_X,
};

const struct table_list FABRIC_DEVICE_TABLES = {OF_FABRIC, sizeof OF_FABRIC / sizeof *OF_FABRIC};
