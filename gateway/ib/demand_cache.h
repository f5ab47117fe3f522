// SPDX-License-Identifier: BSD-2-Clause
// The reads on demand (ib/demand.h) by what they ask: those that wait, are under way, or are
// answered and kept. The caller's lock is over all.
#ifndef IBTRAPD_IB_DEMAND_CACHE_H
#define IBTRAPD_IB_DEMAND_CACHE_H

#include "base/hash.h"
#include "base/random.h"
#include "model/demand.h"

#include <sys/queue.h>

enum { DEMAND_ENTRIES_MAX = 16384 }; // reads that are kept: the oldest go first

enum demand_entry_state { ENTRY_FREE, ENTRY_WAITING, ENTRY_SENT, ENTRY_HERE, ENTRY_NONE };

struct demand_entry {
    struct hash_node node;
    TAILQ_ENTRY(demand_entry) in_order; // of its lane while it waits; of `done` or `unused`
    struct demand_key key;
    uint8_t state;       // enum demand_entry_state
    bool old;            // a Set passed this read, whose answer is not kept therefore
    uint32_t generation; // of the use of this entry, for tickets
    bool too_large;      // ENTRY_NONE: the answer was
    int64_t until;       // monotonic: once it is done, it is kept so long
    struct demand_answer *answer;
};
TAILQ_HEAD(demand_entries, demand_entry);

struct demand_cache {
    struct demand_entries done, unused; // done: oldest first; unused: not in by_key
    size_t used;                        // entries that were ever used come first
    struct hash by_key;
    struct demand_entry *entries;
};

void demand_cache_init(struct demand_cache *c, const struct random *random); // a zeroed cache
void demand_cache_clear(struct demand_cache *c);

struct demand_entry *demand_cache_find(struct demand_cache *c, const struct demand_key *key);

// The entry of the key, ENTRY_FREE if it is new. Takes the oldest that is done if there is no
// other.
struct demand_entry *demand_cache_claim(struct demand_cache *c, const struct demand_key *key);

// Keeps an entry that is done now.
void demand_cache_keep(struct demand_cache *c, struct demand_entry *e);

// An entry that is done gives up its answer, or is forgotten.
void demand_cache_empty(struct demand_cache *c, struct demand_entry *e);
void demand_cache_forget(struct demand_cache *c, struct demand_entry *e);

// Forgets what is not kept any more: an answer of the SA may be large.
void demand_cache_forget_old(struct demand_cache *c, int64_t now);

#endif
