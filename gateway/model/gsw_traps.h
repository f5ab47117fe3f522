// SPDX-License-Identifier: BSD-2-Clause
// Which traps of the IBSWITCH-MIB an event is told by. They are about an element, which is a switch
// or router, a port of one, or a link between two.
#ifndef IBTRAPD_MODEL_GSW_TRAPS_H
#define IBTRAPD_MODEL_GSW_TRAPS_H

#include "model/event.h"
#include "model/mib.h"

enum { GSW_TRAPS_MAX = 3 };

// Lists the notifications of the event's row that apply to it, in the order in which they are sent,
// but for gswEventTrap. Something that moved is told by the link that is gone and by the new one.
// Returns their number; 0: none, as for an event without an element.
size_t gsw_traps(const struct event *event, const struct mib_notification *out[GSW_TRAPS_MAX]);

#endif
