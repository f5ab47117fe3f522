// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// A fabric of channel adapters and switches in software, below the kernel's InfiniBand stack: link
// layer InfiniBand, QP0 and QP1, no other traffic. Each host has an adapter with one port: fab0,
// fab1 and further. Switches are in a line; host h is at port h + 1 of switch h modulo their
// number.
#ifndef IBFABRIC_FABRIC_H
#define IBFABRIC_FABRIC_H

#include <asm/unaligned.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

enum {
    HOSTS_MAX = 16,
    SWITCHES_MAX = 4,
    PORT_NEXT = HOSTS_MAX + 1,
    PORT_PREVIOUS,
    SWITCH_PORTS = PORT_PREVIOUS
};
enum { PKEYS = 32, LFT_SIZE = 0xC000, MAD_OCTETS = 256, GRH_OCTETS = 40, LID_PERMISSIVE = 0xFFFF };

// PortInfo's octets (IBA 14.2.5.6).
enum {
    PI_MKEY = 0,
    PI_PREFIX = 8,
    PI_LID = 16,
    PI_SM_LID = 18,
    PI_CAPABILITIES = 20,
    PI_LEASE = 26,
    PI_LOCAL_PORT = 28,
    PI_WIDTH_ENABLED = 29,
    PI_WIDTH_SUPPORTED = 30,
    PI_WIDTH_ACTIVE = 31,
    PI_STATE = 32,    // and the supported speeds
    PI_PHYSICAL = 33, // and the state after a link-down
    PI_PROTECT = 34,  // and the LMC
    PI_SPEED = 35,    // active and enabled
    PI_MTU = 36,      // and SM SL
    PI_VLS = 37,
    PI_HIGH_LIMIT = 38,
    PI_MTU_CAP = 41,
    PI_STALL = 42,
    PI_OPERATIONAL_VLS = 43,
    PI_MKEY_VIOLATIONS = 44,
    PI_PKEY_VIOLATIONS = 46,
    PI_GUID_CAP = 50,
    PI_TIMEOUT = 51, // and ClientReregister
    PI_RESPONSE_TIME = 52,
    PI_ERRORS = 53,
    PI_SPEED_EXT2 = 56, // active, supported and enabled
    PI_CAPABILITIES2 = 60,
    PI_SPEED_EXT = 62, // active and supported
    PI_SPEED_EXT_ENABLED = 63,
    PI_SIZE = 64,
};
enum { STATE_DOWN = 1, STATE_INIT, STATE_ARMED, STATE_ACTIVE };
enum { PHYSICAL_POLLING = 2, PHYSICAL_UP = 5 };

// LinkSpeedExt's bits, and a bit for the speed of LinkSpeedExt2: as the parameter `speed` has them.
enum { SPEED_FDR = 1, SPEED_EDR = 2, SPEED_HDR = 4, SPEED_NDR = 8, SPEED_XDR = 16 };
enum { TYPE_HOST = 1, TYPE_SWITCH = 2 };

// What becomes of a host's SMPs: its kernel handles them; the port has no QP0, like a port of a
// multi-plane adapter; the port has a QP0, but its SMPs are refused, like a virtual function's. In
// the last two cases the adapter's firmware answers the SMPs of other nodes.
enum fabric_smps { SMPS_KERNEL, SMPS_NO_QP0, SMPS_REFUSED };

struct adapter;
struct fabric_node;

struct fabric_port {
    u8 info[PI_SIZE];
    u16 pkeys[PKEYS];
    u16 symbol_errors;
    struct fabric_node *peer; // NULL: there is no cable
    u8 peer_port;
    bool up; // the cable is plugged in at both ends
};

struct fabric_node {
    u8 type, port_count;
    u64 guid;
    u8 description[64];
    struct fabric_port ports[SWITCH_PORTS + 1]; // 0: a switch's own
    u8 switch_info[64];
    u8 lft[LFT_SIZE];

    // Of a host.
    unsigned int index;
    enum fabric_smps smps;
    bool needs_grh;          // drops MADs without a GRH, and its kernel refuses to send them
    unsigned int speed;      // of its link: the highest, which is active; 0: QDR
    u16 first_pkey;          // that the kernel sees before the subnet manager's entries; 0: none
    struct adapter *adapter; // NULL: unplugged
    struct {
        unsigned long smps, gmps, with_grh;
        u32 sls, pkey_indexes, request_indexes; // a bit for each; those of requests alone
    } sent;
};

struct fabric_packet {
    struct list_head entry;
    struct fabric_node *node; // its place, and its outgoing port
    u8 port;
    u8 mad[MAD_OCTETS], grh[GRH_OCTETS];
    bool has_grh;
    u32 to_qp, from_qp;
    u16 slid, dlid, pkey;
    u8 sl;
};

// Packets that were dropped, by reason.
struct fabric_lost {
    unsigned long cable, route, pkey, grh, no_buffer, no_agent, by_chance;
};

// Protects all nodes, and the queue pairs of their adapters.
extern spinlock_t fabric_lock;
extern struct fabric_node *fabric_hosts[HOSTS_MAX], *fabric_switches[SWITCHES_MAX];
extern unsigned int fabric_host_count;
extern struct fabric_lost fabric_lost;
extern unsigned int fabric_drop_permille;

static inline u16 fabric_lid(const struct fabric_node *node)
{
    return get_unaligned_be16(node->ports[node->type == TYPE_HOST].info + PI_LID);
}

static inline u8 fabric_state(const struct fabric_port *port)
{
    return port->info[PI_STATE] & 15;
}

static inline bool fabric_is_smp(const u8 *mad)
{
    return mad[1] == IB_MGMT_CLASS_SUBN_LID_ROUTED || mad[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

// Sets a port's PortInfo to what it is after a link-up or link-down; LIDs and the M_Key stay. With
// fabric_lock.
void fabric_reset_port(struct fabric_node *node, u8 port, bool up);

// Whether two P_Keys are of one partition, and not both limited members.
bool fabric_pkeys_match(u16 a, u16 b);

// Answers an SMP or a performance MAD. False: `in` is none that the node answers. With fabric_lock.
bool sma_answer(struct fabric_node *node, u8 port, const u8 *in, u8 *out);
bool pma_answer(struct fabric_node *node, const u8 *in, u8 *out);

int adapter_plug(struct fabric_node *host);
void adapter_unplug(struct fabric_node *host);

// Raises an asynchronous event. With fabric_lock.
void adapter_raise(struct fabric_node *host, enum ib_event_type type);

// Gives a packet to the queue pair of a host. With fabric_lock.
void adapter_deliver(struct fabric_node *host, const struct fabric_packet *packet);

int wire_start(void);
void wire_stop(void);

// Sends a packet, which it takes. Any context.
void wire_send(struct fabric_packet *packet);

// Handles a packet at once: for MADs that are faster than the queue. With fabric_lock.
void wire_carry(struct fabric_packet *packet);

// Sends trap 128 of a switch to its subnet manager. With fabric_lock.
void wire_send_link_trap(struct fabric_node *node);

extern const struct kernel_param_ops flood_ops;
void flood_stop(void);

#endif
