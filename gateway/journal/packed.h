// SPDX-License-Identifier: BSD-2-Clause
// An event in memory in the form that the file has: some hundred octets instead of more than 3,000.
#ifndef IBTRAPD_JOURNAL_PACKED_H
#define IBTRAPD_JOURNAL_PACKED_H

#include "journal/store.h"
#include "model/event.h"

struct packed; // immutable

struct packed *packed_new(const struct event *event); // a reference
struct packed *packed_ref(struct packed *packed);     // another one; NULL is allowed
void packed_unref(struct packed *packed);             // NULL is allowed

// Returns the event, without its number, a reference of the caller's. Returns NULL with a sentence
// if the record cannot be read.
struct event *packed_event(const struct packed *packed, struct error *err);

// Fills the columns that come from the event. They point into `packed`.
void packed_fill_row(const struct packed *packed, struct store_row *row);

#endif
