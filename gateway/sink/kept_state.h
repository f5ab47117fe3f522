// SPDX-License-Identifier: BSD-2-Clause
// The documents of the alarms at a receiver that keeps the last document of each key: a document
// for each active alarm, and one for the gateway itself. Compares the list of alarms with what the
// receiver has confirmed, and says what to write next. No network; the time is passed in. One
// thread.
//
// Decides: When is the document of an alarm written or deleted?
//
// A key is the name of the fabric, a blank and the key of the alarm; for the gateway itself,
// "gateway" and its name. A document is written when it differs from what the receiver confirmed,
// and anew after each reading of the receiver: at first, when the gateway becomes active or
// standby, after kept_state_read_again, and every `refresh_us`. A reading finds documents of alarms
// that are over. They are deleted once all alarms are known. The standby gateway of a pair has the
// documents about itself alone, and no gateway deletes a document about the other gateway.
//
// The list of alarms is compared when its number of changes is another one, or when a document is
// owed.
#pragma once

#include "base/random.h"
#include "sink/format.h"
#include "sink/module.h"

enum {
    KEPT_STATE_MAX = 524288, // documents
    KEPT_STATE_DUE_MAX = 512 // made and not taken yet
};

struct kept_state;

// `alarms` outlives the state.
struct kept_state *kept_state_new(const struct module_alarms *alarms, int64_t refresh_us,
                                  const struct random *random);
void kept_state_free(struct kept_state *state); // NULL is allowed

// Readings of the receiver. While a reading is due, nothing is written. Times are monotonic.

bool kept_state_wants_reading(struct kept_state *state, int64_t now_us);

// The receiver has the document under the key. `document` NULL: it was deleted. Returns whether the
// key belongs to this fabric.
bool kept_state_found(struct kept_state *state, const char *key, size_t key_size,
                      const char *document, size_t size);

void kept_state_end_reading(struct kept_state *state, int64_t now_us);

// The receiver may have lost documents: a reading is due.
void kept_state_read_again(struct kept_state *state);

// Writing.

// Goes on comparing, for a moment. Call it every second or two, and while there is something to
// write. Without a change it costs nothing.
void kept_state_compare(struct kept_state *state, int64_t now_us);

struct kept_document {
    const char *key; // valid until it is settled
    char *document;  // JSON; free it. NULL: delete the document
    void *handle;    // for kept_state_settle
};

// Takes the next document to write. Returns false if there is none now.
bool kept_state_next(struct kept_state *state, struct kept_document *out);

// Says whether the receiver has the document now. Otherwise the document is due again.
void kept_state_settle(struct kept_state *state, void *handle, bool done);

// Nothing that was taken will be settled: all of it is due again.
void kept_state_lose(struct kept_state *state);

// Whether documents are due, or taken and not settled.
bool kept_state_is_busy(const struct kept_state *state);
size_t kept_state_in_flight(const struct kept_state *state); // taken and not settled

// Whether the receiver has confirmed everything of a comparison with all alarms, since the reading.
bool kept_state_is_whole(const struct kept_state *state);

// Whether the key is that of an alarm about a gateway, or of a gateway, and not of the fabric.
bool kept_state_is_of_gateway(const struct kept_state *state, const char *key);

// Returns how many alarms had no room at the last comparison.
size_t kept_state_beyond(const struct kept_state *state);
