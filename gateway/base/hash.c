// SPDX-License-Identifier: BSD-2-Clause
#include "base/hash.h"

#include "base/memory.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

// SipHash-2-4 (Aumasson and Bernstein, 2012).

static uint64_t hash_rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

// A word of up to eight octets, little-endian.
static uint64_t hash_word(const uint8_t *octets, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, octets, size);
    return le64toh(word);
}

static void hash_mix(uint64_t v[4], unsigned rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[1] = hash_rotate(v[1], 13) ^ v[0];
        v[0] = hash_rotate(v[0], 32);
        v[2] += v[3];
        v[3] = hash_rotate(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = hash_rotate(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = hash_rotate(v[1], 17) ^ v[2];
        v[2] = hash_rotate(v[2], 32);
    }
}

static void hash_absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    hash_mix(v, 2);
    v[0] ^= word;
}

uint64_t hash_digest(const struct hash *hash, const void *octets, size_t size)
{
    const uint8_t *at = octets;
    const uint64_t *secret = hash->secret;
    uint64_t v[4] = {
        secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
        secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8)
        hash_absorb(v, hash_word(at, 8));
    hash_absorb(v, (uint64_t)size << 56 | hash_word(at, left));
    v[2] ^= 0xFF;
    hash_mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_digest_string(const struct hash *hash, const char *string)
{
    return hash_digest(hash, string, strlen(string));
}

// The table.

void hash_init(struct hash *hash, size_t capacity, const struct random *random)
{
    uint8_t secret[16];
    assert(capacity >= 1);
    *hash = (struct hash){.capacity = capacity, .bucket_count = 1};
    hash->buckets = memory_resize(NULL, capacity, sizeof(struct hash_node *));
    hash->buckets[0] = NULL;
    random->fill(random->ctx, secret, sizeof secret);
    hash->secret[0] = hash_word(secret, 8);
    hash->secret[1] = hash_word(secret + 8, 8);
}

void hash_clear(struct hash *hash)
{
    free(hash->buckets);
    *hash = (struct hash){0};
}

// The bucket of a digest. If the bucket does not exist yet, the bucket with one bit less in its
// number has the things.
static struct hash_node **hash_bucket(const struct hash *hash, uint64_t digest)
{
    const uint64_t place = digest & hash->mask;
    return &hash->buckets[place < hash->bucket_count ? place : place & hash->mask >> 1];
}

static struct hash_node *hash_skip_to(struct hash_node *node, uint64_t digest)
{
    while (node && node->digest != digest)
        node = node->next;
    return node;
}

struct hash_node *hash_find(const struct hash *hash, uint64_t digest)
{
    return hash_skip_to(*hash_bucket(hash, digest), digest);
}

struct hash_node *hash_find_next(const struct hash_node *node)
{
    return hash_skip_to(node->next, node->digest);
}

// Adds a bucket and moves the things of this bucket there, in their order.
static void hash_grow(struct hash *hash)
{
    const size_t added = hash->bucket_count++;
    if (added > hash->mask)
        hash->mask = hash->mask << 1 | 1;
    struct hash_node **from = &hash->buckets[added & hash->mask >> 1], **to = &hash->buckets[added];
    while (*from) {
        struct hash_node *node = *from;
        if ((node->digest & hash->mask) == added) {
            *from = node->next;
            *to = node;
            to = &node->next;
        } else {
            from = &node->next;
        }
    }
    *to = NULL;
}

void hash_add(struct hash *hash, struct hash_node *node, uint64_t digest)
{
    assert(!hash_is_full(hash));
    if (++hash->count > hash->bucket_count)
        hash_grow(hash);
    struct hash_node **bucket = hash_bucket(hash, digest);
    *node = (struct hash_node){.next = *bucket, .digest = digest};
    *bucket = node;
}

void hash_remove(struct hash *hash, struct hash_node *node)
{
    struct hash_node **p = hash_bucket(hash, node->digest);
    while (*p != node)
        p = &(*p)->next;
    *p = node->next;
    hash->count--;
}
