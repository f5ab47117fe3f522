// SPDX-License-Identifier: BSD-2-Clause
// Makes the events about NVIDIA's devices and their modules from the registers that a round reads
// (topology/device_rules.h), and ends the alarms that do not hold: hardware-good. Pipeline's
// thread.
//
// Decides: When does an alarm about a module or about the hardware of a switch end?
#ifndef IBTRAPD_PIPELINE_DEVICE_ALARMS_H
#define IBTRAPD_PIPELINE_DEVICE_ALARMS_H

#include "pipeline/emitter.h"
#include "topology/devices.h"

// Judges what the devices told, and remembers it in `devices`. After the end of a round, ends the
// alarms about nodes and ports that the fabric does not have any more.
void device_alarms_take(struct emitter *emitter, struct devices *devices,
                        const struct device_readings *readings);

#endif
