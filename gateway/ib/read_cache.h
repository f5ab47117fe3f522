// SPDX-License-Identifier: BSD-2-Clause
// The reads on demand (ib/reads.h) by key: reads that wait, reads under way, and answers that are
// kept; and the MADs of reads. The caller's lock is over all.
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "ib/mad_io.h"
#include "model/attribute.h"

#include <sys/queue.h>

enum { READ_ENTRIES_MAX = 16384 }; // reads that are kept: the oldest go first

enum read_state { ENTRY_FREE, ENTRY_WAITING, ENTRY_SENT, ENTRY_HERE, ENTRY_NONE };

struct read_entry {
    struct hash_node node;
    TAILQ_ENTRY(read_entry) in_order; // of its lane while it waits; of `done` or `unused`
    struct demand_key key;
    uint8_t state;       // enum read_state
    bool old;            // a Set passed this read, whose answer is not kept therefore
    uint32_t generation; // of the use of this entry, for tickets
    bool too_large;      // ENTRY_NONE: the answer was
    int64_t until;       // monotonic: the end of an answer that is kept
    struct demand_answer *answer;
};
TAILQ_HEAD(read_entries, read_entry);

struct read_cache {
    struct read_entries done, unused; // done: oldest first; unused: not in by_key
    size_t used;                      // entries that were ever used come first
    struct hash by_key;
    struct read_entry *entries;
};

void read_cache_init(struct read_cache *c, const struct random *random); // a zeroed cache
void read_cache_clear(struct read_cache *c);

struct read_entry *read_cache_find(struct read_cache *c, const struct demand_key *key);

// The entry of the key, which is not being read: it becomes ENTRY_FREE. Takes the oldest entry that
// is done if no entry is unused.
struct read_entry *read_cache_claim(struct read_cache *c, const struct demand_key *key);

// Keeps an entry that is done now.
void read_cache_keep(struct read_cache *c, struct read_entry *e);

// Forget an entry that is done, or all entries whose time is over. An answer of the SA may be
// large.
void read_cache_forget(struct read_cache *c, struct read_entry *e);
void read_cache_forget_old(struct read_cache *c, int64_t now);

// MADs.

// Writes the MAD_SIZE octets of the request, with TransactionID zero. `mkey` goes with an SMP, the
// VSKey with a register; 0: none.
void read_mad_make(const struct demand_key *key, uint64_t mkey, uint8_t *out);

// The content of an answer that fits: one reference, the caller's. Returns NULL if the answer's
// status is an error, or if the answer is malformed.
struct demand_answer *read_mad_read(const struct demand_key *key, const uint8_t *mad, size_t size);
