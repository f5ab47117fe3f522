// SPDX-License-Identifier: BSD-2-Clause
// Compares two snapshots of the fabric: which nodes, ports, links and services came, went, moved or
// changed, and which of these changes is the root cause of which others. Pure.
//
// Read compare_all.c for the order of the steps, compare.h for each step, and
// comparison.h for the tools that the steps share.
#ifndef IBTRAPD_TOPOLOGY_CHANGES_H
#define IBTRAPD_TOPOLOGY_CHANGES_H

#include "model/catalogue.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"

// One thing that happened to the fabric, in terms of the catalogue of events.

struct change {
    enum catalogue_event type;
    // The node or port that the change is about. For a link between a switch and a CA: the switch's
    // port; for another link: the port whose node has the smaller GUID; for a moved link: the port
    // that kept its place. describe.h says which members are filled in.
    struct endpoint subject;
    // For a link: the other end. For a node: the port that it is or was connected to. For an I/O
    // controller: its GUID, name and slot (as the port). For a failover: the former master. All
    // zero where there is none.
    struct endpoint peer;
    uint8_t uplink;                  // as in model/event.h, like the next
    struct event_former_link former; // a moved link: of the end that kept its place
    uint64_t switch_guid; // the switch or router that the subject is or is connected to; 0: none
    uint64_t sm_guid;
    uint64_t affected; // number of nodes that came or went as consequences of this change
    // A piece of a sentence, or empty.
    // - Node added or removed: "with it went 7 nodes: a, b, c, d, e and 2 more".
    // - Moved: where it was, "port 3 of leaf1 (LID 2)".
    // - Link degraded: "1X SDR (2.5 Gb/s) instead of 4X QDR (40 Gb/s)"; restored: the rate.
    // - Node renamed: the old name. LID changed: the old LID.
    // - P_Keys changed: "0x8005 (full) came; 0x0006 (limited) went".
    char reason[EVENT_REASON_SIZE];
    char alarm_key[EVENT_KEY_SIZE]; // see below; empty: the change raises and clears no alarm
    uint32_t cause; // index of the change that is the root cause of this one; FABRIC_NONE: none
};

// Alarm keys. The change that raises an alarm and the one that clears it have the same key. GUIDs
// are written as 0x%016x.
//   node <guid>                              node removed, added
//   port <node guid>/<number>                further port of a CA or router removed, added
//   link <guid>/<port>-<guid>/<port>         link down, up; the end of the smaller node GUID first
//   rate link <guid>/<port>-<guid>/<port>    link degraded, restored
//   sm <port guid>                           subnet manager vanished, appeared
//   iou <node guid>, ioc <guid>              I/O unit, I/O controller removed, added
// An alarm also ends without its counterpart: the cable of a link is elsewhere, the host of a port
// left, a degraded link went down. The pipeline finds that (pipeline/reconcile.h).

// Starts zeroed.
struct changes {
    struct change *all; // see changes_clear
    uint32_t count, capacity;
};

// Adds the changes to `out`, root causes before their consequences, in an order that depends on the
// two snapshots only. A link is there when both of its ports name each other; port states do not
// matter. A silent node, and a port whose PortInfo is not known, is no change. `names` may be NULL.
void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out);

// Adds a failover if `after` has a master subnet manager and that is not `former`. changes_between
// does this for two snapshots that both have a master. Call it for a master that was remembered
// from an earlier snapshot.
void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out);

void changes_clear(struct changes *changes); // frees the list and zeroes the struct

#endif
