// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about lost planes (topology/planes.h) agree with the newest snapshot: raises
// link-degraded where the comparison of two sweeps cannot know, after a start or with a host that
// came without a plane, and ends the alarms that do not hold. Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"

// Call it after the events of a snapshot's changes, with the snapshot current.
void lost_planes_update(struct emitter *emitter);
