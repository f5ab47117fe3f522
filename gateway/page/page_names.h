// SPDX-License-Identifier: BSD-2-Clause
// What nodes that left the fabric were called in the events that raised the alarms. One thread at a
// time.
#ifndef IBTRAPD_PAGE_PAGE_NAMES_H
#define IBTRAPD_PAGE_PAGE_NAMES_H

#include "journal/journal.h"
#include "model/names.h"

enum { PAGE_NAMES_MAX = 64 }; // events that are remembered

// The two ends of an event; an unknown one has the GUID 0.
struct page_name {
    int64_t number; // of the event; 0: none
    uint64_t guid, peer_guid;
    char name[NAMES_NAME_SIZE], peer_name[NAMES_NAME_SIZE];
};

// Remembers, as a read can wait for the disk: each event is read once while there is room. Zero to
// begin.
struct page_names {
    struct page_name all[PAGE_NAMES_MAX];
    size_t next; // the one to be replaced
};

// The ends of the event with that number. NULL: it is not committed yet, or the disk is in trouble.
// Valid until the next call.
const struct page_name *page_names_find(struct page_names *names, struct journal *journal,
                                        int64_t number);

#endif
