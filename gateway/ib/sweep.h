// SPDX-License-Identifier: BSD-2-Clause
// The parts of a sweep. Each blocks the sweeper's thread until it is done, and adds to a builder.
// Returns false with a sentence if the port is gone, if the builder has no room, or if the sweep
// was stopped. A node or port that does not answer is no error: it is missing from the builder.
// `complete` becomes false if a silent port can hide a part of the fabric, or if a part ends at a
// limit.
//
// Decides: Which devices are asked for registers, and how often? (ib/sweep_registers.c)
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "ib/mkeys.h"
#include "ib/requests.h"
#include "model/counter.h"
#include "model/device_reading.h"
#include "model/fabric.h"
#include "model/fabric_builder.h"
#include "model/link_reason.h"

// A limit of 0 does not limit.
struct sweep_limits {
    uint32_t nodes, ports; // that sweep_smp finds
    int64_t part_us;       // that each part takes
};

// The size of a fabric. A switch counts the ports of its NodeInfo, and port 0. Another node counts
// its linked ports. Zero: not known.
struct sweep_size {
    uint32_t nodes, ports;
};

// What sweep_counters learned of ticks, details and registers of the ports that told some,
// ascending by node and port: zero-initialised at first. Free `all` with free(3).
enum { SWEEP_TICKS_TRIES = 3 }; // readings in which a port may leave the query unanswered
struct sweep_kept;
struct sweep_ticks {
    struct sweep_kept *all;
    size_t count;
};

enum { SWEEP_TWINS_MAX = 16, SWEEP_LOCKED_MAX = 8 };

// What sweep_smp left out at a limit.
struct sweep_overflow {
    bool happened;
    const char *limit;                  // words: "its limit of nodes"
    uint32_t nodes;                     // found until then
    uint64_t node_guid;                 // the port of this node leads to the branch that cost most
    char node[FABRIC_DESCRIPTION_SIZE]; // its description; empty: it has none
    uint8_t port;                       // 0: the own node itself cost most
};

// A GUID that answered at two places: a place is a port that leads there, with the GUID of the
// port's node.
struct sweep_twin {
    uint64_t guid;
    uint64_t kept_guid, other_guid; // the node keeps its place at the first one; 0: the own node
    uint8_t kept_port, other_port;
};

// A port that was asked with an M_Key that is not its own, or may not be: the port says so, or does
// not answer (IBA 14.2.4: protection levels 2 and 3).
struct sweep_locked {
    uint64_t guid; // of its node; or of the node at the other end of its link
    uint8_t port;  // 0: the node itself says so; else the one behind this port does not answer
};

struct sweep_devices;

struct sweep {
    struct requests_options requests;
    const struct random *random;
    struct mad_port port;  // the SA client's last reading of the own port: LID, SM's LID and SL
    struct mad_address sa; // where requests to the SA go, if they were redirected; LID 0: to the SM
    uint64_t mkey;         // of ports without their own; 0: none
    struct mkeys *mkeys;   // where a port has its own M_Key; NULL: none does
    uint64_t vskey;        // of the registers of NVIDIA's devices; 0: none
    uint64_t own_guid;     // of the own port
    bool no_smps;          // this host may send none
    bool by_sa;            // the SA is asked for the nodes
    struct sweep_limits limits;
    struct sweep_ticks *ticks;     // what sweep_counters learned before; NULL: it asks for none
    struct sweep_devices *devices; // whose registers sweep_counters reads; NULL: nobody's
    // The devices take turns: sweep_counters reads the registers of one of so many shares of them,
    // and keeps the counters that the others told before. 0 shares: of nobody.
    uint32_t register_shares, register_share;
    const struct fabric *known; // the fabric before this sweep, the caller's; NULL: not known
    // sweep_smp calls this function for each node found, with the count of nodes so far. May be
    // NULL.
    void (*found)(void *ctx, uint32_t nodes);
    void *found_ctx;
    // The fabric before the first of the sweeps in a row that reached a limit: nodes missing there
    // were perhaps made up. The caller's; NULL: like `known`.
    const struct fabric *trusted;

    // Results; `complete` is true at first, the other results are zero.
    bool complete;
    // How many ports of switches have no PortInfoRecord, or are active and have no LinkRecord. The
    // SA tells nobody of ports with which the asker shares no partition (IBA 15.4.1.2), and makes
    // no port active whose other end is silent.
    uint32_t hidden;
    bool full;                         // the builder has no more room: each part fails from then on
    struct requests_counters counters; // sums over all parts
    struct sweep_overflow overflow;
    struct sweep_twin twins[SWEEP_TWINS_MAX]; // the first ones found
    size_t twin_count;
    struct sweep_locked locked[SWEEP_LOCKED_MAX]; // the first ones found
    size_t locked_count;                          // all
};

// Finds nodes, ports and links by directed-route SMPs, from the own port on (IBA 14.2). Marks
// silent ports.
//
// The part ends at a limit with the nodes found until then; `overflow` says so. Ports are silent if
// the sweep did not look behind them. The ports of each switch take turns (ib/sweep_branches.h),
// because a switch that makes up nodes must not hide the other nodes.
//
// A node is asked for its NodeInfo again after answers that differ from `known`. If another node is
// there by then, the sweep knows neither ports nor description of the first node, and is not
// complete.
//
// If a GUID answers at two places, the node keeps the place in `known`, or else the first place
// found. The port that leads to the other place is silent.
bool sweep_smp(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

struct sweep_branches;

// Completes the speeds of ports whose links are up, once all nodes are found; `branches` are the
// routes to the builder's nodes. A port is asked again if its capabilities have extended speeds,
// and if the port shows none: bit 31 of the AttributeModifier then says that the asker knows
// extended speeds. A port of Mellanox at QDR is asked for Mellanox's ExtendedPortInfo, which has
// FDR10. The ports of a node are asked one after the other, until a port does not answer. Ports
// without an answer keep the speeds of the same link in `known`. After a limit, no port is asked,
// and all ports keep their speeds.
bool sweep_speeds(struct sweep *sweep, struct fabric_builder *builder,
                  struct sweep_branches *branches, struct error *err);

// Finds nodes, ports and links by three queries to the SA, for NodeRecords, PortInfoRecords and
// LinkRecords (IBA 15.2.5). If this host may send no SMPs, two more queries ask for SMInfoRecords
// and SwitchInfoRecords. Without the first answer, ports have IsSM, and there is no fabric_sm.
// Without the second answer, SwitchInfo is not known.
bool sweep_sa(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// A NodeRecord: a port with its LID, and the port's node.
struct sweep_node {
    struct fabric_node node;
    uint64_t port_guid;
    uint16_t lid;
    uint8_t port; // of a switch: any
};

// Calls the function for each NodeRecord of the SA: a switch has one, another node one for each
// port. False with a sentence also if the SA does not answer, here and below.
bool sweep_sa_nodes(struct sweep *sweep, void (*each)(void *ctx, const struct sweep_node *found),
                    void *ctx, struct error *err);

// Counts the SA's NodeRecords, at least one for each node, and the ports of their nodes.
bool sweep_sa_count(struct sweep *sweep, struct sweep_size *size, struct error *err);

// Finds the ports of hosts and routers that are down, by PortInfo through another port of the node.
// A port that was known before keeps its GUID; the GUID of another port is 0. A sweep without these
// ports is complete.
bool sweep_unlinked_ports(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Reads the SMInfo of every port with IsSM. A port without an answer has IsSM, but no fabric_sm.
bool sweep_subnet_managers(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Reads the SwitchInfo of every switch. A switch without an answer keeps its SwitchInfo of `known`.
// Missing SwitchInfo does not make a sweep incomplete, because only tables show SwitchInfo.
bool sweep_switches(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Reads the P_Key tables of all ports whose links are up: of a switch, the table of port 0 and, if
// the switch enforces partitions, the tables of the other ports. The first FABRIC_PORT_PKEYS_MAX
// entries of a table are read. A table that was not read whole stays the table of `known`. Missing
// P_Key tables do not make a sweep incomplete. Call it after sweep_switches.
bool sweep_pkeys(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// How many entries of the table of that port are read. Returns 0 if the port has no table, or if
// that is not known.
uint16_t sweep_pkey_entries(const struct fabric_node *node, uint8_t port);

// Gives each port without a new table the table of `known`. `known` may be NULL.
void sweep_keep_pkeys(const struct fabric *known, struct fabric_builder *builder);

// The same as sweep_pkeys by a query to the SA for P_KeyTableRecords. If the SA does not answer,
// all tables stay.
void sweep_sa_pkeys(struct sweep *sweep, struct fabric_builder *builder);

// Reads IOUnitInfo and IOControllerProfiles of every port with IsDeviceManagement (IBA 16.3). Marks
// a node as unit_silent if its unit did not answer every query.
bool sweep_io_units(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// The order in which all nodes of a fabric are asked. At each node, the branches behind its ports
// take turns, like in a sweep (ib/sweep_branches.h). However many nodes a lying switch makes up,
// and with any GUIDs: a branch of N honest nodes waits for at most N made-up nodes. Pure. Returns
// the indices of all nodes. The node with LID `own_lid` comes first. Nodes without a route of
// SMP_HOPS_MAX links from there come last. Free them with free(3).
uint32_t *sweep_order_nodes(const struct fabric *fabric, uint16_t own_lid);

// The nodes whose counters are read.
struct sweep_choice {
    bool switches_only;
    const uint64_t *guids; // only these nodes; NULL: all
    size_t count;
};

// Reads the counters of the chosen nodes' active ports; if GUIDs are given, of all ports that are
// not down, because a link that has just come up is not active yet: PortCounters, and
// PortCountersExtended where the port has it (for the traffic or for all counters), and
// PortExtendedSpeedsCounters where the port has those of its error correction. A port whose LID has
// become that of another port did not answer. Where no GUIDs are given, `ticks` of the sweep learns
// the ticks of ports that had to wait, and the reading has the details of errors that grew since
// the reading before: PortRcvErrorDetails, PortXmitDiscardDetails and the lanes of
// PortExtendedSpeedsCounters. Free `out` with free(3).
// With `ticks` and `devices`, devices of NVIDIA that tell their registers are asked for those with
// counters, too.
// Never resets a counter.
bool sweep_counters(struct sweep *sweep, const struct fabric *fabric,
                    const struct sweep_choice *choice, struct counter_reading **out,
                    struct error *err);

// Registers of NVIDIA's devices.

// What the devices of the subnet can tell, as far as asked: zero-initialised at first.
struct sweep_devices {
    struct hash by_guid; // of the port that answers for the device
    struct sweep_device *all;
    size_t count;
};
void sweep_devices_clear(struct sweep_devices *devices);

// The device with that port, if it said that it tells its registers; NULL otherwise. `devices` may
// be NULL.
struct sweep_device *sweep_devices_find(const struct sweep_devices *devices, uint64_t guid);
bool sweep_device_has(const struct sweep_device *device, enum register_page page);

// Takes the answer of the device to a question for the page. Returns its octets, or NULL. Notes if
// the device refuses the page or does not answer.
struct sweep_query;
const uint8_t *sweep_device_take(const struct sweep *sweep, struct sweep_device *device,
                                 const struct sweep_query *query,
                                 const struct request_answer *answer);

// Asks the questions of the list; those about a node follow each other. The first question to a
// device is whether the device has registers. A device has one question at a time. A device that
// refuses a register, or leaves a question unanswered, is not asked for this register for a day.
// The time of the part is limited by `part_us`; `complete` is false for a list that was not asked
// to the end.
bool sweep_registers(struct sweep *sweep, const struct fabric *fabric,
                     struct sweep_devices *devices, struct device_readings *list,
                     struct error *err);

// Lists what a round asks of the devices with greater GUIDs than `after`, as many devices as have
// room, and sets `after` to the GUID of the last one; to 0 after the last device of the fabric.
struct device_readings *sweep_list_registers(const struct fabric *fabric, uint64_t *after);

// Lists the ends of links of `before` that are down or slower in `after`, as far as NVIDIA's
// devices can be asked there. LINK_REASONS_MAX at most.
void sweep_list_lost_links(const struct fabric *before, const struct fabric *after,
                           struct link_reasons *out);

// Asks the ports of the list why their links went down. Sets `known` and what the ports say.
// `readings`: what was read for that, the caller's.
bool sweep_link_reasons(struct sweep *sweep, const struct fabric *fabric,
                        struct sweep_devices *devices, struct link_reasons *list,
                        struct device_readings **readings, struct error *err);
