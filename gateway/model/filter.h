// Which events a receiver wants. Pure.
#ifndef IBTRAPD_MODEL_FILTER_H
#define IBTRAPD_MODEL_FILTER_H

#include "model/event.h"
#include "model/guid_set.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stddef.h>

enum { FILTER_PATTERNS_MAX = 64, FILTER_PATTERN_SIZE = 128 };

// Patterns as the shell has them: * ? [a-z]. No pattern at all: everything passes.
struct filter_list {
    char patterns[FILTER_PATTERNS_MAX][FILTER_PATTERN_SIZE];
    size_t count;
};

struct filter {
    enum severity severity;    // this one and worse; SEVERITY_DEBUG: all
    bool security;             // events of category security, too
    struct filter_list events; // identifiers, such as link-*
    struct filter_list categories;
    struct filter_list nodes;    // names of the issuer, the subject or the link's other end
    struct filter_list guids;    // theirs, of port or node, as 0x and 16 digits
    struct filter_list switches; // names or GUIDs: only what these switches report themselves, or
                                 // what changed at them
    struct guid_set *trap_group; // likewise, of a trap recipient that was set by SNMP; whoever
                                 // makes the filter has a reference. NULL: all pass
};

// Whether any of the patterns fits; a list without patterns fits nothing.
bool filter_list_has(const struct filter_list *list, const char *word);
bool filter_list_has_guid(const struct filter_list *list, uint64_t guid); // 0 fits nothing

// Everything passes.
void filter_init(struct filter *filter);

// A summary is judged by the kind of events that it sums up. One of many nodes passes whatever the
// filter asks of nodes, but for the trap group.
bool filter_passes(const struct filter *filter, const struct event *event);

// The item that the event does not pass, by its name in the configuration; NULL: it passes.
const char *filter_refusal(const struct filter *filter, const struct event *event);

#endif
