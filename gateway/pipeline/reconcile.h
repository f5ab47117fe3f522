// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about the fabric agree with the newest snapshot. Most alarms end by the
// counterpart of their event. reconcile_alarms ends the others: a cable is elsewhere now, the whole
// node of a port left, a host with the name of a missing host hangs on the same port. A threshold
// ends, too, if the port has no link and the cable is elsewhere: nobody reads the port.
// reconcile_alarms raises alarms that the snapshot shows and no event told, and finds new root
// causes for missing things whose root cause is over.
//
// Decides: When does an alarm end?
// Decides: What is the root cause of a missing node when the old root cause is over?
//
// The alarms themselves are the memory of missing things: a key names its node, port or link.
// Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"

// Call it after the events of a snapshot's changes, with the snapshot current. `late`: the changes
// happened while the gateway was not running. Alarms about nodes, links, subnet managers and I/O
// units end at the age `age_us`, alarms about ports with their links; 0: at no age. To set the
// clock while the gateway runs makes no alarm older. In the first hour, in which somebody may set
// the clock right, the time before this run does not count. `watching_since`: the first snapshot of
// this run, on policy's clock.
void reconcile_alarms(struct emitter *emitter, const struct changes *changes,
                      int64_t watching_since, bool late, int64_t age_us);
