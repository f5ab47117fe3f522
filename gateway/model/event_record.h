// An event as octets, and back: what the journal keeps. Readable by every later version: a reader
// skips what it does not know.
#ifndef IBTRAPD_MODEL_EVENT_RECORD_H
#define IBTRAPD_MODEL_EVENT_RECORD_H

#include "base/error.h"
#include "model/event.h"

enum { EVENT_RECORD_MAX = 4096 };

// Writes the event into `out` and returns the octets used; they always fit.
size_t event_record_write(const struct event *event, uint8_t out[EVENT_RECORD_MAX]);

// A new event, the caller's, equal to the one that was written. NULL with a sentence when the
// octets are no event, or of a kind that the catalogue does not have, or memory is short.
struct event *event_record_read(const uint8_t *record, size_t size, struct error *err);

// The same into a new event of the caller's, made with event_make(NULL). Needs no memory.
bool event_record_fill(struct event *event, const uint8_t *record, size_t size, struct error *err);

#endif
