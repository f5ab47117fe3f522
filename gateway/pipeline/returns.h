// SPDX-License-Identifier: BSD-2-Clause
// What is said of switches and hosts that are back. Pipeline's thread.
// Decides: What becomes of the alarm about a host that is back without some of its adapters?
#ifndef IBTRAPD_PIPELINE_RETURNS_H
#define IBTRAPD_PIPELINE_RETURNS_H

#include "pipeline/emitter.h"

// Adds to the reason of each switch that is back which nodes behind the switch are still missing:
// "8 of the 12 nodes that went with it are still missing: a, b, c, d, e and 3 more". Call it before
// the events of the changes are made, with the snapshot current.
//
// Of a host that left as a whole, the adapters that are back, and those that are not: an adapter of
// whose alarm receivers know comes first among the host's changes. If no such adapter is back, the
// alarm about the whole host ends, and begins anew about the adapters that are missing.
void returns_explain(struct emitter *emitter, struct changes *changes);

#endif
