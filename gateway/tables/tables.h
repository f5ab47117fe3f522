// SPDX-License-Identifier: BSD-2-Clause
// All tables that the subagent offers: of the IBSWITCH-MIB (gsw*.c), the IB-SM-MIB (sm*.c) and the
// IBTRAPD-MIB (own*.c); in the contexts of devices, of SNMPv2-MIB and IF-MIB (device*.c), of
// ENTITY-MIB and ENTITY-SENSOR-MIB (entities.c), the IB-SMA-MIB (sma*.c), the IB-PMA-MIB and the
// IB-IF-MIB (pma.c); of the fabric as a device (fabric_device.c, lldp.c).
// Decides: Which file has the table of a MIB?
#pragma once

#include "agent/table.h"

#define TABLES_GSW_IDS 1, 3, 6, 1, 3, 2, 2, 1 // gsw, the root of the IBSWITCH-MIB

#define TABLES_SM_IDS 1, 3, 6, 1, 3, 117, 7 // ibSmMIB, the root of the IB-SM-MIB

// Of the fabric as one device: lldpMIB, the root of IEEE 802.1AB's LLDP-MIB.
#define TABLES_LLDP_IDS 1, 0, 8802, 1, 1, 2

// In the contexts of devices: mib-2, and infinibandMIB, the root of four drafts.
#define TABLES_MIB_2_IDS      1, 3, 6, 1, 2, 1
#define TABLES_INFINIBAND_IDS 1, 3, 6, 1, 3, 117
#define TABLES_SMA_IDS        TABLES_INFINIBAND_IDS, 3 // ibSmaMIB, the root of the IB-SMA-MIB
#define TABLES_PMA_IDS        TABLES_INFINIBAND_IDS, 6 // ibPmaMIB, of the IB-PMA-MIB

extern const struct table_list TABLES;
extern const struct table_list DEVICE_TABLES; // in the context of a device (device.h)
extern const struct table_list
    FABRIC_DEVICE_TABLES; // of the fabric as one device (fabric_device.h)

// About the fabric.
extern const struct table GSW_MISC, GSW_SYSTEM, GSW_INVENTORY, GSW_SWITCHES, GSW_PORTS, GSW_SENSORS,
    GSW_IB_NODES, GSW_IB_SWITCHES, GSW_LINKS, GSW_IB_TOPOLOGY, GSW_IB_PORTS, GSW_COUNTERS,
    GSW_COMMUNITIES, SM_CONFIG, SM_NODES, SM_PORTS, SM_SWITCHES, SM_MANAGERS, SM_LINKS;

// The same, read on demand.
extern const struct table SM_PARTITIONS, SM_GROUPS, SM_GROUP_MEMBERS, SM_SERVICES, SM_SWITCH_LANES,
    SM_PORT_LANES, SM_ARBITRATION, SM_PATHS;

// What managers ask of the SA.
extern const struct table SM_PATH_REQUESTS;

// From the journal.
extern const struct table GSW_EVENTS, OWN_ALARMS, OWN_EVENT_LOG;

// About the gateway itself.
extern const struct table OWN_SUBSCRIPTIONS, OWN_RECEIVERS, OWN_FLOW, OWN_WINDOWS;

// About the fabric again, of the IBTRAPD-MIB.
extern const struct table OWN_PORTS, OWN_MODULES;

// The rows of both: port number `at` of the fabric, by the GUID of its node and its number.
void tables_enter_port(struct look *look);

// About a device.
extern const struct table DEVICE_SYSTEM, DEVICE_IF_NUMBER, DEVICE_IF, DEVICE_IF_X, DEVICE_ENTITIES,
    DEVICE_ALIASES, DEVICE_SENSORS;
extern const struct table SMA_NODE, SMA_SWITCH, SMA_END_PORT, SMA_PORTS, SMA_MANAGERS,
    SMA_DIAGNOSTICS, PMA_COUNTERS, PMA_TRAFFIC, IF_ERRORS;

// About a device, read on demand.
extern const struct table SMA_GUIDS, SMA_PKEYS, SMA_LANES, SMA_HIGH, SMA_LOW, SMA_LINEAR,
    SMA_MULTICAST, SMA_LEDS, PMA_ERRORS, PMA_DISCARDS, PMA_FLOW, PMA_UPDATES, PMA_WAITS,
    PMA_CONGESTION;

// About the fabric as one device.
extern const struct table LLDP_SYSTEM, LLDP_PORTS, LLDP_NEIGHBOURS, FABRIC_SYSTEM, FABRIC_IF_NUMBER,
    FABRIC_IF, FABRIC_IF_X;
