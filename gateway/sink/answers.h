// SPDX-License-Identifier: BSD-2-Clause
// One budget for the memory that the answers of all peers may take, beyond the small answers whose
// size a protocol bounds. A peer may always have an equal part of the budget, and more while the
// other peers leave room: a hostile peer takes no room from the others. Any thread.
//
// Decides: How much memory may the answers of receivers take?
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { ANSWERS_MAX = 160 << 20 }; // octets of memory

// What the answers of one peer take.
struct answers {
    atomic_size_t octets;
};

void answers_begin(struct answers *answers); // one more peer, which has nothing
void answers_end(struct answers *answers);

// The answers of the peer take further octets.
void answers_add(struct answers *answers, size_t octets);
void answers_give_back(struct answers *answers, size_t octets); // of those that were added
void answers_drop(struct answers *answers);                     // they take nothing any more

// Whether the peer has more than its part, and all together have more than `max` octets.
bool answers_are_beyond(const struct answers *answers, size_t max);

// Whether all together have more than `max` octets.
bool answers_are_full(size_t max);
