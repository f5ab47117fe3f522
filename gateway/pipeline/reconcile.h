// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms that sweeps raise agree with the newest snapshot of the fabric. Most alarms end
// by the counterpart of their event. This ends the others: a cable that is elsewhere now, a port
// whose whole node left. It raises what the snapshot shows and no event told, and finds new root
// causes for what is still missing when the old one is over.
//
// The alarms themselves are the memory of what is missing: a key names its node, port or link.
// Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_RECONCILE_H
#define IBTRAPD_PIPELINE_RECONCILE_H

#include "event/event_builder.h"
#include "journal/journal.h"
#include "policy/policy.h"
#include "topology/topology.h"

struct reconcile_options {
    struct topology *topology;
    struct policy *policy;
    struct journal *journal;
    void (*emit)(void *ctx, struct event *event); // takes over the reference
    void *ctx;
    int64_t watching_since; // monotonic: the first snapshot of this run; not 0
};

// Call it after the events of a snapshot's changes, with the snapshot current. `late`: they
// happened while the gateway was not running. Alarms about nodes, links, subnet managers and I/O
// units that were raised more than `age_us` ago end, and those about ports with their links; 0: at
// no age. Setting the clock while the gateway runs makes none older. What the clock says of the
// time before this run counts after an hour, in which it may be set right.
void reconcile_alarms(const struct reconcile_options *options, const struct event_builder *builder,
                      bool late, int64_t age_us);

// Ends the alarm with that key by an event alarm-cleared, also one for which policy had no room for
// a state. `type`: of the event that raised it; NULL: unknown. Needs `policy` and `emit` of the
// options.
void reconcile_end_alarm(const struct reconcile_options *options,
                         const struct event_builder *builder, const char *key,
                         const struct catalogue_entry *type, const char *reason);

// Adds to the reasons of the switches that are back what is still missing of the nodes that went
// with each: "8 of the 12 nodes that went with it are still missing: a, b, c, d, e and 3 more".
// Call it before the events of the changes are made, with their snapshot current.
void reconcile_explain_returns(const struct reconcile_options *options, struct changes *changes);

#endif
