// SPDX-License-Identifier: BSD-2-Clause
// The raised alarms about the fabric, with what their keys say, for the comparison with a snapshot
// (reconcile.h). Pure. Pipeline's thread.
#pragma once

#include "model/fabric.h"
#include "policy/policy.h"
#include "topology/alarm_key.h"

struct open_alarm {
    struct policy_alarm is; // first member
    struct alarm_key what;
    uint64_t cause; // the node of its root cause, which may have ended since; 0: none
    // Of a missing node: the index of the root cause's alarm, or the own index; a number that nodes
    // share if missing links connect the nodes.
    uint32_t root, island;
};

// A node that is missing, or an end of a missing link.
struct open_alarm_end {
    uint64_t guid;  // of the node
    uint8_t port;   // of the link; 0: the node itself
    uint32_t alarm; // index
};

struct open_alarms {
    struct open_alarm *all; // the oldest first
    size_t count;
    struct open_alarm_end *ends; // ascending by GUID and port
    size_t end_count;
};

// Call open_alarms_clear in the end.
void open_alarms_collect(struct open_alarms *alarms, struct policy *policy);
void open_alarms_clear(struct open_alarms *alarms);

// Sets `root` and `island` of the alarms about missing nodes: connects the missing nodes by the
// links that are missing, too, to the nodes of the fabric, and finds the root causes
// (topology/root_causes.h). Leaves out alarms that ended. Returns
// false, with nothing set, if more is missing than a fabric may have.
bool open_alarms_find_roots(struct open_alarms *alarms, const struct fabric *fabric);

// The alarm about a missing node, or about a missing link at that port of a node (1 and up).
// Returns NULL if there is no such alarm, or the alarm ended.
const struct open_alarm *open_alarms_find_node(const struct open_alarms *alarms, uint64_t guid);
const struct open_alarm *open_alarms_find_link(const struct open_alarms *alarms, uint64_t guid,
                                               uint8_t port);
