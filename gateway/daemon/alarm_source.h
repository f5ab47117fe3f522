// SPDX-License-Identifier: BSD-2-Clause
// The alarm list for receivers that keep a state (sink/module.h): which alarms a receiver is to
// have, and the events that raised them.
//
// It is to have what receivers were notified of, by this gateway or by the one that was active
// then, as far as its filter lets it pass. A shelved alarm is not told while it is shelved; an
// acknowledged one is.
#ifndef IBTRAPD_DAEMON_ALARM_SOURCE_H
#define IBTRAPD_DAEMON_ALARM_SOURCE_H

#include "daemon/gateway.h"
#include "sink/module.h"

// `g` outlives it. Its journal and pipeline are there before the first receiver starts, and after
// the last has ended.
struct module_alarms alarm_source(struct gateway *g);

#endif
