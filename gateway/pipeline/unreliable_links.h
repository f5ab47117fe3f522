// SPDX-License-Identifier: BSD-2-Clause
// Raises an alarm about each link that fails, flaps or has too many errors again and again, and
// ends it. The journal's events are the memory of that, so it survives a restart. What counts:
//
// - link-down, link-interrupted, link-errors-raised, port-removed where the host is there by
//   another port, and flapping of one of them.
// - Not what follows from a node that left: the node may have restarted. So the only link of a host
//   that leaves with it does not count; it counts where it is back before a sweep sees it.
// - Not what is suppressed as maintenance or disabled by a policy: somebody said that it does not
//   matter. Not a copy of an event that was held back.
//
// Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_UNRELIABLE_LINKS_H
#define IBTRAPD_PIPELINE_UNRELIABLE_LINKS_H

#include "pipeline/emitter.h"
#include "topology/link_history.h"

enum { UNRELIABLE_LINKS_READ_MAX = 131072 }; // events of the journal that count, the newest

struct unreliable_links {
    struct link_history *history; // NULL: none, and nothing happens
    struct emitter *emitter;
    uint64_t overflowed; // link_history_overflowed at the last update
};

// Notes an event that went to the journal. An alarm of this kind that somebody cleared takes the
// occasions of its link with it.
void unreliable_links_note(struct unreliable_links *links, const struct event *event);

// Reads events and active alarms from the journal, in place of what is known so far.
void unreliable_links_restore(struct unreliable_links *links);

// Raises and ends the alarms, if that is due.
void unreliable_links_update(struct unreliable_links *links);

#endif
