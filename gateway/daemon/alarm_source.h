// SPDX-License-Identifier: BSD-2-Clause
// The alarm list for receivers that keep a state (sink/module.h): the alarms of a receiver, and the
// events that raised the alarms.
// Decides: Which alarms does a receiver have that keeps a state?
//
// A receiver has the alarms that receivers were notified of and that pass the receiver's filter.
// The notification may come from this gateway, or from the gateway that was active then. A shelved
// alarm is left out while it is shelved. An acknowledged alarm stays in the list.
#pragma once

#include "daemon/gateway.h"
#include "sink/module.h"

// `g` outlives the list. Journal and pipeline of `g` are there before the first receiver starts and
// after the last receiver has ended.
struct module_alarms alarm_source(struct gateway *g);
