// SPDX-License-Identifier: BSD-2-Clause
// Makes the events about NVIDIA's devices and their modules from the registers that a round reads
// (topology/device_rules.h), and ends the alarms that do not hold: hardware-good. Pipeline's
// thread.
//
// Decides: When does an alarm about a module or about the hardware of a switch end?
#pragma once

#include "pipeline/emitter.h"
#include "topology/alarm_key.h"
#include "topology/devices.h"

// Judges the readings, and keeps the readings in `devices`. After the end of a round, ends the
// alarms about nodes and ports that the fabric does not have any more.
void device_alarms_take(struct emitter *emitter, struct devices *devices,
                        const struct device_readings *readings);

// The event that raised the alarm about the heat of a switch or module at an end of the link whose
// errors have this key: the root cause of the errors. Returns false if nothing there is too hot.
bool device_alarms_find_heat(const struct emitter *emitter, const struct alarm_key *errors,
                             char out[EVENT_ID_SIZE]);
