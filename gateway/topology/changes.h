// What happened to the fabric between two snapshots, in terms of the catalogue: who came, went,
// moved, and what followed from what. Pure.
#ifndef IBTRAPD_TOPOLOGY_CHANGES_H
#define IBTRAPD_TOPOLOGY_CHANGES_H

#include "model/catalogue.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"

enum { CHANGES_NAMES_MAX = 5 }; // of affected nodes, in a text

struct change {
    enum catalogue_event type;
    // Whom it is about, its name filled in: a node as a whole, or a port. Of a link between a
    // switch and a CA the switch's end, else that of the smaller GUID; of a moved link the port
    // that stayed.
    struct endpoint subject;
    // The other end of the link; the port that a node hangs or hung on; for an I/O controller its
    // GUID, name and slot (as port); for a failover the former master. Zero: none.
    struct endpoint peer;
    uint64_t switch_guid; // IBSWITCH-MIB: the switch it is about or hangs on; 0: none
    uint64_t sm_guid;
    uint64_t affected; // nodes that came or went with it
    // A piece of a sentence, or empty. Node added or removed: "with it went 7 nodes: a, b, c, d, e
    // and 2 more". Moved: where it was, "port 3 of leaf1". Degraded: "1X SDR (2.5 Gb/s) instead of
    // 4X QDR (40 Gb/s)"; restored: the rate. Renamed: the old name. LID changed: the old one.
    char reason[EVENT_REASON_SIZE];
    char alarm_key[EVENT_KEY_SIZE]; // see below; empty: none
    uint32_t cause; // index of the change whose consequence this is; FABRIC_NONE: none
};

// Alarm keys, the same where an alarm is raised and cleared; GUIDs as 0x%016x:
//   node <guid>                              node removed, added
//   port <node guid>/<number>                further port of a CA or router removed, added
//   link <guid>/<port>-<guid>/<port>         link down, up; the end of the smaller node GUID first
//   rate link <guid>/<port>-<guid>/<port>    link degraded, restored
//   sm <port guid>                           subnet manager vanished, appeared
//   iou <node guid>, ioc <guid>              I/O unit, I/O controller removed, added
// A link that went with a move has no key: nothing will bring it back. No restored tells of a
// degraded link that went down: whoever keeps alarms ends "rate link X" with "link X".

struct changes {
    struct change *all;
    uint32_t count, capacity;
    bool cut; // memory was short
};

// Adds what happened, in an order that depends on nothing but the two fabrics. Causes come before
// their consequences. A link is there when its ends know each other, whatever the ports' states;
// silent nodes and ports that are not known change nothing. `names` may be NULL.
void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out);
void changes_clear(struct changes *changes);

// Fills guid, node GUID, type, port, LID, GID and name of a port (index into the fabric's ports),
// or of a node as a whole: then LID and GID are those of its first port that has a GUID. A switch's
// ports go by its port 0. Name: the map's for the node's or port's GUID, else the node description,
// else empty.
void changes_describe_port(const struct fabric *fabric, uint32_t port, const struct names *names,
                           struct endpoint *out);
void changes_describe_node(const struct fabric *fabric, uint32_t node, const struct names *names,
                           struct endpoint *out);

// The master among the fabric's subnet managers: index, or FABRIC_NONE. Of several (a subnet being
// merged) the one that wins: the higher priority, then the smaller GUID (IBA 14.4.1).
uint32_t changes_master(const struct fabric *fabric);
void changes_describe_sm(const struct fabric *fabric, uint32_t sm, const struct names *names,
                         struct endpoint *out);

// Adds a failover when the master of `after` is known and another than `former`. changes_between
// does so when both snapshots have a master; who remembers one over snapshots without calls this.
void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out);

#endif
