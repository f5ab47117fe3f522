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

#include "pipeline/emitter.h"

// Call it after the events of a snapshot's changes, with the snapshot current. `late`: they
// happened while the gateway was not running. Alarms about nodes, links, subnet managers and I/O
// units that were raised more than `age_us` ago end, and those about ports with their links; 0: at
// no age. Setting the clock while the gateway runs makes none older. What the clock says of the
// time before this run counts after an hour, in which it may be set right.
// `watching_since`: on policy's clock, the first snapshot of this run.
void reconcile_alarms(struct emitter *emitter, int64_t watching_since, bool late, int64_t age_us);

// Adds to the reasons of the switches that are back what is still missing of the nodes that went
// with each: "8 of the 12 nodes that went with it are still missing: a, b, c, d, e and 3 more".
// Call it before the events of the changes are made, with their snapshot current.
void reconcile_explain_returns(const struct emitter *emitter, struct changes *changes);

#endif
