// SPDX-License-Identifier: BSD-2-Clause
// A hash table of things that contain their nodes, found by a digest of their key. The things are
// the caller's, and so is the last word on whether two keys are equal: things with one digest
// follow each other. One thread at a time.
//
// Only hash_init allocates: 8 octets for each place of the capacity; the system backs only the
// pages in use. Growing is linear hashing (Litwin, 1980): when a table has more things than
// buckets, hash_add adds one bucket and splits one bucket. No call takes long. A table never
// shrinks.
//
// A digest is SipHash-2-4 under the table's own secret. A sender of keys does not know it, and can
// not choose keys that share a bucket.
#pragma once

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Part of the thing.
struct hash_node {
    struct hash_node *next; // in its bucket
    uint64_t digest;
};

struct hash {
    size_t count, capacity; // of the things
    size_t bucket_count;    // 1 to `capacity`
    uint64_t mask;          // the bits of a digest that number a bucket: all of bucket_count - 1
    struct hash_node **buckets;
    uint64_t secret[2];
};

// Makes an empty table with room for `capacity` things, at least 1.
void hash_init(struct hash *hash, size_t capacity, const struct random *random);

// Frees the buckets, not the things. A table of zeros is allowed.
void hash_clear(struct hash *hash);

uint64_t hash_digest(const struct hash *hash, const void *octets, size_t size);
uint64_t hash_digest_string(const struct hash *hash, const char *string);

static inline bool hash_is_full(const struct hash *hash)
{
    return hash->count == hash->capacity;
}

// hash_find returns the thing with this digest that was added last, hash_find_next the thing added
// before. NULL: there is none.
struct hash_node *hash_find(const struct hash *hash, uint64_t digest);
struct hash_node *hash_find_next(const struct hash_node *node);

void hash_add(struct hash *hash, struct hash_node *node, uint64_t digest); // not when it is full
void hash_remove(struct hash *hash, struct hash_node *node); // one that is in the table

static inline void *hash_thing_at(struct hash_node *node, size_t offset)
{
    return node ? (char *)node - offset : NULL;
}

// The thing of type `type` whose member `member` is the node; NULL for NULL.
#define HASH_THING(node, type, member) ((type *)hash_thing_at(node, offsetof(type, member)))

// FNV-1a with 64 bits, to find equal things quickly. Equal digests do not prove equality, and this
// digest protects no secret.

#define DIGEST_OF_NOTHING UINT64_C(0xcbf29ce484222325)

// Adds these octets to the content of `digest`. Returns the digest of both.
static inline uint64_t digest_add(uint64_t digest, const void *octets, size_t size)
{
    const uint8_t *each = octets;
    for (size_t i = 0; i < size; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): octets of a number
        digest = (digest ^ each[i]) * UINT64_C(0x100000001b3);
    return digest;
}
