// SPDX-License-Identifier: BSD-2-Clause
// A snapshot of the fabric: the result of a sweep. Built once, then immutable; counted.
#pragma once

#include "base/text.h"
#include "model/attribute.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FABRIC_NONE = UINT32_MAX,      // no such node or port
    FABRIC_DESCRIPTION_SIZE = 193, // 64 octets as valid UTF-8 (three octets each at most) and a NUL
    FABRIC_NODES_MAX = 1 << 18,
    FABRIC_PORTS_MAX = 1 << 22,
    FABRIC_SMS_MAX = 1 << 16,
    FABRIC_CONTROLLERS_MAX = 1 << 16,
    FABRIC_PORT_PKEYS_MAX = 1024, // of one port
    FABRIC_PKEYS_MAX = 1 << 20,   // of all
};

// NodeInfo.NodeType (IBA 14.2.5.3).
enum fabric_type { FABRIC_CA = 1, FABRIC_SWITCH = 2, FABRIC_ROUTER = 3 };

// Whether a node of that type is an element of the IBSWITCH-MIB.
static inline bool fabric_is_element(uint8_t type)
{
    return type == FABRIC_SWITCH || type == FABRIC_ROUTER;
}

struct fabric_node;

// Whether the device is NVIDIA's, by NodeInfo.VendorID, and may tell its registers.
bool fabric_is_nvidia(const struct fabric_node *node);

// "host", "switch" or "router"; empty: unknown.
const char *fabric_type_word(uint8_t type);

// PortInfo.PortState (IBA 14.2.5.6).
enum fabric_state { FABRIC_DOWN = 1, FABRIC_INITIALIZE = 2, FABRIC_ARMED = 3, FABRIC_ACTIVE = 4 };

// "down", "initialize", "armed" or "active"; else "unknown".
const char *fabric_state_word(unsigned state);

// Bits of PortInfo.CapabilityMask.
enum fabric_capability {
    FABRIC_IS_SM = 1u << 1,
    FABRIC_EXTENDS_SPEEDS = 1u << 14, // LinkSpeedExt
    FABRIC_HAS_CAPABILITIES2 = 1u << 15,
    FABRIC_IS_DM = 1u << 19,
};

// Link speeds as bits: LinkSpeed, LinkSpeedExt and LinkSpeedExt2 of PortInfo in a number, slowest
// first; then the speed of Mellanox's ExtendedPortInfo, between QDR and FDR.
enum fabric_speed {
    FABRIC_SDR = 1 << 0,   // 2.5 Gb/s a lane
    FABRIC_DDR = 1 << 1,   // 5
    FABRIC_QDR = 1 << 2,   // 10
    FABRIC_FDR = 1 << 3,   // 14.0625
    FABRIC_EDR = 1 << 4,   // 25.78125
    FABRIC_HDR = 1 << 5,   // 53.125
    FABRIC_NDR = 1 << 6,   // 106.25
    FABRIC_XDR = 1 << 7,   // 212.5
    FABRIC_FDR10 = 1 << 8, // 10.3125
};

// The octets of PortInfo behind its keys, known for ports queried since the start, but not for
// ports that the SA reports as down. Of a switch's external ports MasterSMLID and CapabilityMask
// are 0. Snapshots are compared, and kept on disk, without PortInfo.
enum { FABRIC_PORT_INFO_FIRST = 18, FABRIC_PORT_INFO_SIZE = 45 };
struct fabric_port_detail {
    bool known : 1;
    bool extends : 1;                      // supports extended speeds; of a switch: on port 0
    bool has_pkeys : 1;                    // the snapshot has its P_Key table
    uint8_t octets[FABRIC_PORT_INFO_SIZE]; // of the attribute, from FABRIC_PORT_INFO_FIRST on
};

// The order of the members leaves no gaps: a large fabric has 300,000 ports.
struct fabric_port {
    uint64_t guid;       // a CA or router: each port has one; a switch: only port 0, others have 0
    uint64_t gid_prefix; // GidPrefix; goes with `detail`; of a switch: on port 0
    uint32_t capabilities; // CapabilityMask; of a switch: on port 0
    uint32_t peer_node;    // index of a node; FABRIC_NONE: no link, or a silent other end
    uint8_t peer_port;
    uint8_t number;
    bool known;   // the port answered PortInfo; otherwise only number and peer are valid
    bool silent;  // the link is up, but the other end did not answer
    uint16_t lid; // 0: none; a switch's external ports have none of their own
    uint8_t lmc;
    uint8_t state;    // enum fabric_state
    uint8_t physical; // PortInfo.PortPhysicalState; 5: LinkUp
    // Bits as in PortInfo (1: 1X, 2: 4X, 4: 8X, 8: 12X, 16: 2X), and of enum fabric_speed.
    uint8_t width_active, width_enabled, width_supported;
    uint16_t speed_active, speed_enabled, speed_supported;
    struct fabric_port_detail detail;
};

// The octets of SwitchInfo (IBA 14.2.5.4); known like `detail` of a port.
enum { FABRIC_SWITCH_INFO_SIZE = 20 };
struct fabric_switch_info {
    bool known; // of switches only
    uint8_t octets[FABRIC_SWITCH_INFO_SIZE];
};

struct fabric_node {
    uint64_t guid, system_guid;
    uint8_t type;       // enum fabric_type
    uint8_t port_count; // NodeInfo.NumPorts
    uint32_t vendor;    // 24 bits
    uint16_t device;
    uint32_t revision; // NodeInfo.Revision: of the hardware
    // NodeInfo's BaseVersion and ClassVersion, known like `detail` of a port; 0: not known.
    uint8_t base_version, class_version;
    uint16_t partition_cap; // NodeInfo.PartitionCap and LocalPortNum; known like the versions
    uint8_t local_port;
    struct fabric_switch_info switch_info;
    char description[FABRIC_DESCRIPTION_SIZE]; // valid UTF-8 without control characters
    bool nameless;                             // the description is no name (node_name.h)
    bool namesake;    // nodes of several systems answer with the description; see fabric_builder.h
    bool silent;      // did not answer this sweep, and may still be there
    bool unit_silent; // the I/O unit did not report all controllers to this sweep
    uint32_t first_port; // index among the ports; the ports of a node ascend by number
    uint16_t ports;      // how many ports the snapshot has
    uint16_t sightings;  // see topology/merge.h; not kept on disk
};

enum fabric_sm_state {
    FABRIC_NOT_ACTIVE = 0,
    FABRIC_DISCOVERING = 1,
    FABRIC_STANDBY = 2,
    FABRIC_MASTER = 3,
};

// A subnet manager, from SMInfo (IBA 14.2.5.13).
struct fabric_sm {
    uint64_t guid; // of its port
    uint32_t node; // index among the nodes
    uint8_t port;
    uint16_t lid;
    uint8_t priority;
    uint8_t state;     // enum fabric_sm_state
    bool counts;       // `activity` is known; both are known like `detail` of a port
    uint32_t activity; // ActCount
};

// An I/O controller, from IOControllerProfile (IBA 16.3.3.4).
struct fabric_controller {
    uint64_t guid;
    uint32_t node;                      // index among the nodes
    uint8_t slot;                       // 1 and up
    char name[FABRIC_DESCRIPTION_SIZE]; // its IDString, valid UTF-8
};

// The P_Key table of a port (IBA 14.2.5.7), without empty and repeated entries.
struct fabric_pkey_table {
    uint32_t node;  // index among the nodes
    uint32_t first; // index among the P_Keys
    uint16_t count;
    uint8_t port;
};

struct fabric_port_key {
    uint64_t guid;
    uint32_t port; // index among the ports
};

struct fabric {
    _Atomic unsigned references;
    int64_t time_us; // UTC, when the sweep began
    uint64_t subnet_prefix;
    bool complete;                   // every asked node and port answered
    const struct fabric_node *nodes; // ascending by GUID
    uint32_t node_count;
    const struct fabric_port *ports;
    uint32_t port_count;
    const struct fabric_sm *sms; // ascending by GUID
    uint32_t sm_count;
    const struct fabric_controller *controllers; // ascending by node, then slot
    uint32_t controller_count;
    // The answered P_Key tables, ascending by node, then port. The P_Keys of a table ascend by
    // their lower 15 bits. If two P_Keys have the same lower bits, the full member's comes first.
    const struct fabric_pkey_table *pkey_tables;
    uint32_t pkey_table_count;
    uint32_t pkey_tables_left_out; // read, but without room (FABRIC_PKEYS_MAX)
    const uint16_t *pkeys;
    const struct fabric_port_key *port_guids; // ascending; ports that have a GUID
    uint32_t port_guid_count;
    const uint32_t *lids; // port index by LID, from 0, with LMC; FABRIC_NONE: no port
    uint32_t lid_count;   // the largest LID of a port, plus 1
};

// Any thread.
struct fabric *fabric_ref(struct fabric *fabric); // returns `fabric`
void fabric_unref(struct fabric *fabric);         // NULL is allowed

// A field of the port's PortInfo; 0: not known. The two states are known of every port that
// answered.
bool fabric_knows_port_info(const struct fabric_port *port, enum port_info_field field);
uint32_t fabric_port_info(const struct fabric_port *port, enum port_info_field field);
void fabric_set_port_info(struct fabric_port *port, enum port_info_field field, uint32_t value);

// The same of a switch's SwitchInfo.
uint32_t fabric_switch_info(const struct fabric_node *node, enum switch_info_field field);

// Makes `count` indices, and one more, of FABRIC_NONE each. The caller frees the block.
uint32_t *fabric_indices(size_t count);

// Indices, or FABRIC_NONE. Nothing is found in no fabric (NULL), and FABRIC_NONE has no port and no
// peer. fabric_find_end finds the port by the GUID of its node.
uint32_t fabric_find_node(const struct fabric *fabric, uint64_t guid);
uint32_t fabric_find_port(const struct fabric *fabric, uint32_t node, uint8_t number);
uint32_t fabric_find_end(const struct fabric *fabric, uint64_t node_guid, uint8_t number);
uint32_t fabric_find_port_guid(const struct fabric *fabric, uint64_t guid);
uint32_t fabric_find_lid(const struct fabric *fabric, uint16_t lid);
uint32_t fabric_node_of_port(const struct fabric *fabric, uint32_t port);
uint32_t fabric_peer(const struct fabric *fabric, uint32_t port); // the port at the other end
uint32_t fabric_count_links(const struct fabric *fabric);         // linear

// Whether the port has a link, and an end of the link says that it is not ACTIVE: Init or Armed.
bool fabric_is_inactive(const struct fabric *fabric, uint32_t port);
uint32_t fabric_count_inactive(const struct fabric *fabric); // such links; linear

// The index of the master subnet manager, or FABRIC_NONE. While two subnets are merged there can be
// several masters. The winner has the highest priority; among equal priorities, the smallest GUID
// wins (IBA 14.4.1).
uint32_t fabric_master(const struct fabric *fabric);

// Adds "4X EDR (100 Gb/s)" for a width bit and a speed bit; "?" for an unknown bit.
void fabric_add_rate(struct text *t, uint8_t width, uint16_t speed);

// The data rate of a width bit and a speed bit, the rate of fabric_add_rate; 0 for an unknown bit.
double fabric_bits_per_second(uint8_t width, uint16_t speed);

// The widest, or fastest, bit in both masks; 0: none.
uint8_t fabric_best_width(uint8_t a, uint8_t b);
uint16_t fabric_best_speed(uint16_t a, uint16_t b);
unsigned fabric_lanes(uint8_t width_bit);          // 0 for none
const char *fabric_speed_word(uint16_t speed_bit); // "EDR"; "?" for none
uint16_t fabric_speed_at(size_t i);                // each bit, slowest first; 0: there are no more
bool fabric_is_slower(uint16_t a, uint16_t b);     // of two bits; no bit is slower than any
