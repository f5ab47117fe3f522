// SPDX-License-Identifier: BSD-2-Clause
// Sentences about switches and hosts that are back. Pipeline's thread.
// Decides: What becomes of the alarm about a host that is back without some of its adapters?
#pragma once

#include "pipeline/emitter.h"

// Adds to the reason of each switch that is back which nodes behind the switch are still missing:
// "8 of the 12 nodes that went with it are still missing: a, b, c, d, e and 3 more". Call it before
// the events of the changes are made, with the snapshot current.
//
// Brings a change of a host first among the host's changes: the change about an adapter of whose
// alarm receivers know. Without such an adapter, the alarm about the whole host ends, and begins
// anew about the missing adapters.
void returns_explain(struct emitter *emitter, struct changes *changes);
