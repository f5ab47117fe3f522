// SPDX-License-Identifier: BSD-2-Clause
// The active alarms that sweeps raise, with what their keys say. Used to compare them with a
// snapshot (reconcile.h). Pure but for reading the journal. Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_OPEN_ALARMS_H
#define IBTRAPD_PIPELINE_OPEN_ALARMS_H

#include "journal/journal.h"
#include "model/catalogue.h"
#include "model/fabric.h"
#include "topology/alarm_key.h"

// There may be as many as ALARMS_MAX: keep it small.
struct open_alarm {
    const char *key; // these texts belong to the list
    struct alarm_key what;
    const struct catalogue_entry *type; // of the event that raised it last; NULL: unknown
    const char *event_id;               // of the event that raised it first
    const char *cause_id;               // of its root cause; empty: none
    int64_t last_sequence;              // of the last event about it
    int64_t raised_us;                  // UTC
    bool ended;                         // by the caller; begins as false
    // Of a missing node: index of the alarm that is its root cause, or its own; a number that nodes
    // share which are connected by missing links.
    uint32_t root, island;
};

// A node that is missing, or an end of a missing link.
struct open_alarm_end {
    uint64_t guid;  // of the node
    uint8_t port;   // of the link; 0: the node itself
    uint32_t alarm; // index
};

// The end of an identifier, which sorts faster than the whole text; equal ones are compared.
struct open_alarm_id {
    uint64_t end;
    uint32_t alarm; // index
};

struct open_alarms {
    struct open_alarm *all; // in the order in which they were raised
    size_t count, room;
    struct open_alarm_end *ends; // the same, ascending by GUID and port
    size_t end_count;
    struct open_alarm_id *by_id; // ascending by `end`, then event_id
    struct open_alarm_texts *texts;
};

void open_alarms_collect(struct open_alarms *alarms, struct journal *journal);
void open_alarms_clear(struct open_alarms *alarms);

// Sets `root` and `island` of the alarms about missing nodes: connects the missing nodes by the
// links that are missing, too, to the nodes of the fabric, and finds the root causes
// (topology/root_causes.h). Leaves out alarms that ended.
void open_alarms_find_roots(struct open_alarms *alarms, const struct fabric *fabric);

// The alarm that the event with that identifier raised; NULL: it is not among them, or ended.
const struct open_alarm *open_alarms_find_id(const struct open_alarms *alarms, const char *id);

// The alarm about a missing node, or about a missing link at that port of a node (1 and up); NULL:
// there is none, or it ended.
const struct open_alarm *open_alarms_find_node(const struct open_alarms *alarms, uint64_t guid);
const struct open_alarm *open_alarms_find_link(const struct open_alarms *alarms, uint64_t guid,
                                               uint8_t port);

#endif
