// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about differences from the expected topology agree with the newest snapshot.
// A node behind a missing switch has no alarm of its own, unless the node had an alarm before. If a
// sweep saw the loss, the alarm about the loss is the root cause.
// Decides: When does an alarm about the expected topology end?
// Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"
#include "topology/expectation.h"

// Unexpected nodes and links: a switch that makes up nodes cannot fill the table of alarms.
enum { EXPECTATIONS_UNEXPECTED_MAX = 1024 };

// If there are more than EXPECTATIONS_SINGLE_MAX differences, receivers get one alarm,
// topology-differs: the other alarms are consequences, unless the loss has an alarm already.
// topology-differs ends at EXPECTATIONS_SINGLE_FEW differences, and receivers get the alarms that
// are left. Unexpected nodes and links do not count. A difference that a sweep could not see, or
// that follows from another difference, counts as long as the difference has an alarm.
enum { EXPECTATIONS_SINGLE_MAX = 100, EXPECTATIONS_SINGLE_FEW = 50 };

// Call it after reconcile_alarms. `expectation` NULL: none, and all these alarms end.
void expectations_update(struct emitter *emitter, struct expectation *expectation);
