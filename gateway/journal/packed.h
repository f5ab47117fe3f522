// SPDX-License-Identifier: BSD-2-Clause
// An event in memory in the form that the file has: some hundred octets instead of more than 3,000.
#ifndef IBTRAPD_JOURNAL_PACKED_H
#define IBTRAPD_JOURNAL_PACKED_H

#include "journal/store.h"
#include "model/event.h"

struct packed; // immutable

struct packed *packed_new(const struct event *event); // NULL: out of memory
void packed_free(struct packed *packed);              // NULL is allowed

// The event, without its number; one reference, the caller's. NULL: out of memory.
struct event *packed_event(const struct packed *packed);

// Fills the columns that come from the event. They point into `packed`.
void packed_fill_row(const struct packed *packed, struct store_row *row);

#endif
