// SPDX-License-Identifier: BSD-2-Clause
// The active alarms and the map of the fabric for the page. One thread at a time.
#pragma once

#include "journal/journal.h"
#include "model/names.h"
#include "topology/topology.h"

#include <jansson.h>

enum {
    PAGE_VIEWS_ALARMS_MAX = 200,       // alarms that the page shows
    PAGE_VIEWS_MAP_ALARMS_MAX = 10000, // alarms that the map knows
    PAGE_VIEWS_READS_MAX = 256,        // events that are read for one document
    PAGE_VIEWS_NAMES_MAX = 1024,       // events whose names are remembered
};

// The names of both ends in an event; an unknown end has the GUID 0.
struct page_view_name {
    int64_t number; // of the event; 0: none
    uint64_t guid, peer_guid;
    char name[NAMES_NAME_SIZE], peer_name[NAMES_NAME_SIZE];
    char system[EVENT_SYSTEM_SIZE], peer_system[EVENT_SYSTEM_SIZE];
};

// The names of nodes that left the fabric, from the events that raised the alarms. A read may wait
// for the disk: each event is read once while there is room, and the next document reads the events
// that were too many for this document. Zero to begin.
struct page_view_names {
    struct page_view_name all[PAGE_VIEWS_NAMES_MAX]; // by the number of the event
    unsigned reads;                                  // events that this document may still read
};

// Returns the ends of the event with the number, valid until the next call. Returns NULL if the
// event is not committed yet, if the disk is in trouble, or if no read is left.
const struct page_view_name *page_views_find_name(struct page_view_names *names,
                                                  struct journal *journal, int64_t number);

// Adds the worst alarms to the state, PAGE_VIEWS_ALARMS_MAX at most, each with its ends, and the
// number of those "alarms_left_out". Alarms that follow from another one are not among them.
// `systems` and `names` may be NULL.
void page_views_alarms(json_t *state, struct journal *journal, const struct systems *systems,
                       const struct names *names, struct page_view_names *then);

// Returns the fabric with its alarms as SVG without a style of its own, which the caller frees.
// Before the first sweep the map is empty.
char *page_views_map(struct topology *topology, struct journal *journal,
                     struct page_view_names *then, size_t *size);
