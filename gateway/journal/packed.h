// An event in memory as the file has it: some hundred octets instead of more than 3,000.
#ifndef IBTRAPD_JOURNAL_PACKED_H
#define IBTRAPD_JOURNAL_PACKED_H

#include "journal/store.h"
#include "model/event.h"

struct packed; // immutable

struct packed *packed_new(const struct event *event); // NULL: out of memory
void packed_free(struct packed *packed);              // NULL is allowed

// An equal event but for its number, with one reference, the caller's. NULL: out of memory.
struct event *packed_event(const struct packed *packed);

// The part of the row that is the event's own; it points into `packed`.
void packed_fill_row(const struct packed *packed, struct store_row *row);

#endif
