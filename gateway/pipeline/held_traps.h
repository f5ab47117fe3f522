// SPDX-License-Identifier: BSD-2-Clause
// The traps that waited for a sweep when the gateway was killed. Such a trap is acknowledged, and
// only receivers of each part have the trap.
//
// Decides: Which traps does a start tell that a sweep did not explain before a kill?
#pragma once

#include "journal/journal.h"

// How long before the journal's newest event a trap may have waited, and a change explains a trap.
#define HELD_TRAPS_US (INT64_C(180) * 1000000)

// Fills `out` with references, the caller's, to the last events of traps for which the journal has
// no late copy, and no change that explains the trap; at most `n`, the oldest first. Returns how
// many.
size_t held_traps_find(struct journal *journal, struct event **out, size_t n);
