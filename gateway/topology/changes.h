// SPDX-License-Identifier: BSD-2-Clause
// Compares two snapshots of the fabric: finds nodes, ports, links and services that came, went,
// moved or changed, and the root causes among these changes. Pure.
//
// Read compare_all.c for the order of the steps, compare.h for each step, and comparison.h for the
// tools that the steps share.
#pragma once

#include "model/catalogue.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"

// One event of the fabric, by the catalogue of events.

struct change {
    enum catalogue_event type;
    // The node or port that the change is about. For a link between a switch and a CA: the switch's
    // port; for another link: the port whose node has the smaller GUID; for a moved link: the port
    // that kept its place. describe.h lists the members that are filled in.
    struct endpoint subject;
    // For a link: the other end. For a node: the port at the other end of its link, now or before.
    // For an I/O controller: its GUID, name and slot (as the port). For a failover: the former
    // master. Otherwise all zero.
    struct endpoint peer;
    uint8_t uplink;                  // as in model/event.h, like the next
    struct event_former_link former; // a moved link: of the end that kept its place
    uint64_t switch_guid; // the switch or router that the subject is or is connected to; 0: none
    uint64_t sm_guid;
    uint64_t affected; // number of nodes of other systems that are consequences of this change
    // Of a node added or removed: as in model/event.h. A part has the change about the first part
    // as its cause.
    uint16_t parts, parts_changed;
    bool is_part;
    bool together; // left at once with many other nodes (pipeline/together.h)
    bool untold;   // no event: former_names.h
    // A piece of a sentence, or empty.
    // - Node added or removed: topology/root_causes.h has examples.
    // - Moved: where it was, "port 3 of leaf1 (LID 2)".
    // - Link degraded: "1X SDR (2.5 Gb/s) instead of 4X QDR (40 Gb/s)"; restored: the rate.
    // - Node renamed: the old name. LID changed: the old LID.
    // - P_Keys changed: "0x8005 (full) came; 0x0006 (limited) went".
    char reason[EVENT_REASON_SIZE];
    char alarm_key[EVENT_KEY_SIZE]; // see below; empty: the change raises and clears no alarm
    uint32_t cause;                 // index of the change that is the root cause; FABRIC_NONE: none
};

// Alarm keys. Both the change that raises an alarm and the change that clears the alarm have the
// key. GUIDs are written as 0x%016x.
// node <guid>                              node removed, added
// together node <guid>                     many nodes removed, added; GUID of the first node
// port <node guid>/<number>                further port of a CA or router removed, added
// link <guid>/<port>-<guid>/<port>         link down, up; the end of the smaller node GUID first
// rate link <guid>/<port>-<guid>/<port>    link degraded, restored
// sm <port guid>                           subnet manager vanished, appeared
// iou <node guid>, ioc <guid>              I/O unit, I/O controller removed, added
// An alarm also ends without its counterpart: the cable of a link is elsewhere, the host of a port
// left, a degraded link went down. The pipeline finds these ends (pipeline/reconcile.h).

// Starts zeroed.
struct changes {
    struct change *all; // see changes_clear
    uint32_t count, capacity;
    bool named; // a node lost its name to a name of the factory, or got a name: no change
};

// Adds the changes to `out`, root causes before their consequences, in an order that depends on the
// two snapshots only. A link is there when both of its ports name each other; port states do not
// matter. A silent node, and a port whose PortInfo is not known, is no change. `names` may be NULL.
void changes_between_systems(const struct systems *before, const struct systems *after,
                             const struct names *names, struct changes *out);

// The same, with the systems as they are without a configuration.
void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out);

// Adds a failover if the master subnet manager of `after` is not `former`. changes_between compares
// the masters of two snapshots that both have a master. Call changes_add_failover for the master of
// an earlier snapshot.
void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out);

void changes_clear(struct changes *changes); // frees the list and zeroes the struct
