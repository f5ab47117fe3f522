// SPDX-License-Identifier: BSD-2-Clause
// Encodes events for the journal, and decodes their records. A reader reads the records of earlier
// versions, and skips the unknown fields of later versions.
// Decides: How is an event encoded in the journal?
#pragma once

#include "base/error.h"
#include "model/event.h"

enum { EVENT_RECORD_MAX = 5888 };

// Encodes the event and returns the number of octets. All octets always fit.
size_t event_record_write(const struct event *event, uint8_t out[EVENT_RECORD_MAX]);

// Decodes a record into a new event, the caller's. NULL with a sentence: the octets are not an
// event, or the catalogue has no such event.
struct event *event_record_read(const uint8_t *record, size_t size, struct error *err);
