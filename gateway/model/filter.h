// SPDX-License-Identifier: BSD-2-Clause
// The filter of a receiver: which events it gets. Also the sets of GUIDs that filters have. Pure.
#ifndef IBTRAPD_MODEL_FILTER_H
#define IBTRAPD_MODEL_FILTER_H

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
    enum severity severity;    // the least severe that passes; SEVERITY_DEBUG: all
    bool security;             // events of category security pass, too
    struct filter_list events; // identifiers, such as link-*
    struct filter_list categories;
    struct filter_list nodes;    // names of the issuer, the subject or the peer
    struct filter_list guids;    // of these nodes or their ports, as 0x and 16 digits
    struct filter_list switches; // names or GUIDs of the switches that reported the event, or at
                                 // which a change happened
    // GUIDs of switches, for a trap recipient; the maker of the filter owns a reference. NULL:
    // every event passes.
    struct guid_set *trap_group;
};

// Whether a pattern of the list matches; an empty list matches nothing.
bool filter_list_has(const struct filter_list *list, const char *word);
bool filter_list_has_guid(const struct filter_list *list, uint64_t guid); // nothing matches 0

// Sets a filter that every event passes.
void filter_init(struct filter *filter);

// Whether it has no condition, so that every event passes.
bool filter_is_open(const struct filter *filter);

// A digest of the conditions, without the trap group; not 0. Equal filters have equal digests.
uint64_t filter_digest(const struct filter *filter);

// Whether the event has what the filter asks for. A summary has the kind of the events that it
// summarises, too. A summary about many nodes fulfils the conditions on nodes, except the trap
// group.
bool filter_matches(const struct filter *filter, const struct event *event);

// Whether a receiver with this filter gets the event: it matches, or it clears an alarm and would
// match with the severity, the category and the kind by which receivers were notified of that
// alarm. So no alarm stays raised at a receiver because clears are milder. A clear that names no
// node fulfils the conditions on nodes, except the trap group and if it is about the gateway.
bool filter_passes(const struct filter *filter, const struct event *event);

// Whether the event by which receivers were notified of the alarm that this one clears passes the
// filter. False also where that is unknown.
bool filter_passed_raise(const struct filter *filter, const struct event *clear);

// Whether an event of this kind, severity and category may pass: its nodes and, of a summary, what
// it summarises decide the rest.
bool filter_may_pass(const struct filter *filter, const struct catalogue_entry *type,
                     enum severity severity, enum category category);

// The configuration item that keeps the event from passing; NULL: the event passes.
const char *filter_refusal(const struct filter *filter, const struct event *event);

#endif
