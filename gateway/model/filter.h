// SPDX-License-Identifier: BSD-2-Clause
// The filter of a receiver, and the sets of GUIDs in filters. Pure.
// Decides: Which events does a receiver's filter pass?
#pragma once

#include "model/event.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A set of GUIDs; immutable, counted.
struct guid_set;

// A set of `n` GUIDs, given in any order, with one reference, the caller's.
struct guid_set *guid_set_make(const uint64_t *guids, size_t n);
struct guid_set *guid_set_ref(struct guid_set *set); // NULL is allowed, and returned
void guid_set_unref(struct guid_set *set);           // NULL is allowed

// Any thread.
bool guid_set_has(const struct guid_set *set, uint64_t guid);
bool guid_set_equal(const struct guid_set *a, const struct guid_set *b);

enum { FILTER_PATTERNS_MAX = 64, FILTER_PATTERN_SIZE = 128 };

// Patterns of the shell: * ? [a-z]. In a filter, an empty list lets every event pass.
struct filter_list {
    char patterns[FILTER_PATTERNS_MAX][FILTER_PATTERN_SIZE];
    size_t count;
};

struct filter {
    enum severity severity; // the least severe that passes; SEVERITY_DEBUG: all
    bool security;          // events of category security pass, too
    // Whether a host or box that comes or goes is told of by an event for each of its parts, and
    // each trap is passed on; 1: yes. The events about parts are suppressed (sink/audience.h).
    int each_part;
    struct filter_list events; // identifiers, such as link-*
    struct filter_list categories;
    struct filter_list nodes;    // names of the issuer, the subject or the peer
    struct filter_list guids;    // of the nodes or their ports, as 0x and 16 digits
    struct filter_list switches; // names or GUIDs of switches: reporters of events, or places of
                                 // changes
    // GUIDs of switches, for a trap recipient. The maker of the filter owns a reference. NULL:
    // every event passes.
    struct guid_set *trap_group;
};

// Whether a pattern of the list matches; an empty list matches nothing.
bool filter_list_has(const struct filter_list *list, const char *word);
bool filter_list_has_guid(const struct filter_list *list, uint64_t guid); // nothing matches 0

// Whether a pattern matches the name of the node's host or box: "gpu17" means all its adapters.
bool filter_list_has_system(const struct filter_list *list, const struct endpoint *who);

// Whether a pattern matches a name that the node or port of the event had lately.
bool filter_list_has_other_name(const struct filter_list *list, const struct event *event,
                                const struct endpoint *who);

// Sets a filter that every event passes.
void filter_init(struct filter *filter);

// Whether the filter has no condition: every event passes that no reason suppresses, and no other.
bool filter_is_open(const struct filter *filter);

// A digest of the conditions, without the trap group; not 0. Equal filters have equal digests.
uint64_t filter_digest(const struct filter *filter);

// Whether the event fulfils the conditions of the filter. A summary also has the kind of the
// summarised events. A summary about many nodes fulfils the conditions on nodes, except the trap
// group.
bool filter_matches(const struct filter *filter, const struct event *event);

// Whether a receiver with this filter gets the event, as far as the event alone says. The event
// matches, or the event is a clear and would match with the severity, category and kind of the
// event that raised the alarm. A clear without nodes fulfils the conditions on nodes, except the
// trap group, unless the clear is about the gateway. If the raising event can be read, the raising
// event decides (sink/audience.h).
bool filter_passes(const struct filter *filter, const struct event *event);

// Whether the filter passes no raising event of the kind, severity and category that the clear
// names, whatever the nodes. False also if the clear names none.
bool filter_refuses_raises(const struct filter *filter, const struct event *clear);

// Whether an event of this kind, severity and category may pass. The rest depends on the nodes of
// an event, and on the events that a summary has.
bool filter_may_pass(const struct filter *filter, const struct catalogue_entry *type,
                     enum severity severity, enum category category);

// The configuration item that refuses the event; NULL: the event passes.
const char *filter_refusal(const struct filter *filter, const struct event *event);
