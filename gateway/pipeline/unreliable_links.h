// SPDX-License-Identifier: BSD-2-Clause
// Raises an alarm about each link that fails, flaps or has too many errors again and again, and
// ends the alarm. The journal's events are the memory, so the memory survives a restart. These
// count:
//
// - link-down, link-interrupted, link-errors-raised, port-removed of a host that another port
//   connects, and flapping of such an alarm.
// - Not a consequence of a node that left: the node may have restarted. So the only link of a host
//   does not count when the host leaves; the link counts if it is back before a sweep.
// - Not an event that maintenance or a policy suppresses: somebody said that the event does not
//   matter. Not a late copy of a suppressed event.
//
// Decides: When is a link unreliable?
// Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"
#include "topology/link_history.h"

enum { UNRELIABLE_LINKS_READ_MAX = 131072 }; // events of the journal that count, the newest

struct unreliable_links {
    struct link_history *history; // NULL: none, and nothing happens
    struct emitter *emitter;
    uint64_t overflowed; // link_history_overflowed at the last update
};

// Notes an event that goes to the journal. If somebody cleared an alarm of this kind, or the cable
// was replaced, forgets the link's occasions. If the link failed within a day before, the event's
// sentence says so: NVIDIA's bring-up of links asks for an investigation of two failures in 24
// hours.
void unreliable_links_note(struct unreliable_links *links, struct event *event);

// Reads events and active alarms from the journal, in place of what is known so far.
void unreliable_links_restore(struct unreliable_links *links);

// Raises and ends the alarms that are due.
void unreliable_links_update(struct unreliable_links *links);
