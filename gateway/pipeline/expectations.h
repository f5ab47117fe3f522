// SPDX-License-Identifier: BSD-2-Clause
// Makes the alarms about differences from the expected topology agree with the newest snapshot.
// What is missing behind a missing switch has no alarm of its own, unless it had one before. An
// alarm about what a sweep lost while the gateway watched follows from the alarm about that loss.
// Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_EXPECTATIONS_H
#define IBTRAPD_PIPELINE_EXPECTATIONS_H

#include "pipeline/emitter.h"
#include "topology/expectation.h"

// Of what is not expected: a switch that makes up nodes is not to fill the table of alarms.
enum { EXPECTATIONS_UNEXPECTED_MAX = 1024 };

// Where more than EXPECTATIONS_SINGLE_MAX differ, receivers get one alarm, topology-differs, and
// not each of them: those are its consequences, unless the loss has an alarm already. It ends when
// EXPECTATIONS_SINGLE_FEW or fewer differ, and receivers get what is left. What is not expected
// does not count; what a sweep could not see, or follows from another difference, counts as long as
// it has an alarm.
enum { EXPECTATIONS_SINGLE_MAX = 100, EXPECTATIONS_SINGLE_FEW = 50 };

// Call it after reconcile_alarms. `expectation` NULL: none, and all these alarms end.
void expectations_update(struct emitter *emitter, const struct expectation *expectation);

#endif
