// SPDX-License-Identifier: BSD-2-Clause
#include "ib/read_cache.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void read_cache_init(struct read_cache *c, const struct random *random)
{
    TAILQ_INIT(&c->done);
    TAILQ_INIT(&c->unused);
    c->entries = memory_zeroed(READ_ENTRIES_MAX, sizeof *c->entries);
    hash_init(&c->by_key, READ_ENTRIES_MAX, random);
}

void read_cache_clear(struct read_cache *c)
{
    for (size_t i = 0; i < c->used; i++)
        demand_answer_unref(c->entries[i].answer);
    hash_clear(&c->by_key);
    free(c->entries);
}

struct read_entry *read_cache_find(struct read_cache *c, const struct demand_key *key)
{
    struct hash_node *node = hash_find(&c->by_key, hash_digest(&c->by_key, key, sizeof *key));
    for (; node; node = hash_find_next(node)) {
        struct read_entry *e = HASH_THING(node, struct read_entry, node);
        if (memcmp(&e->key, key, sizeof *key) == 0)
            return e;
    }
    return NULL;
}

static void read_cache_empty(struct read_cache *c, struct read_entry *e)
{
    TAILQ_REMOVE(&c->done, e, in_order);
    demand_answer_unref(e->answer);
    e->answer = NULL;
    e->state = ENTRY_FREE;
    e->old = e->too_large = false;
    e->generation++;
}

void read_cache_forget(struct read_cache *c, struct read_entry *e)
{
    read_cache_empty(c, e);
    hash_remove(&c->by_key, &e->node);
    TAILQ_INSERT_HEAD(&c->unused, e, in_order);
}

void read_cache_forget_old(struct read_cache *c, int64_t now)
{
    struct read_entry *e;
    while ((e = TAILQ_FIRST(&c->done)) && now >= e->until)
        read_cache_forget(c, e);
}

struct read_entry *read_cache_claim(struct read_cache *c, const struct demand_key *key)
{
    struct read_entry *e = read_cache_find(c, key);
    if (e && e->state != ENTRY_FREE)
        read_cache_empty(c, e);
    if (e)
        return e;
    if (TAILQ_EMPTY(&c->unused) && c->used == READ_ENTRIES_MAX)
        read_cache_forget(c, TAILQ_FIRST(&c->done));
    if ((e = TAILQ_FIRST(&c->unused)))
        TAILQ_REMOVE(&c->unused, e, in_order);
    else
        e = &c->entries[c->used++];
    e->key = *key;
    hash_add(&c->by_key, &e->node, hash_digest(&c->by_key, key, sizeof *key));
    return e;
}

void read_cache_keep(struct read_cache *c, struct read_entry *e)
{
    TAILQ_INSERT_TAIL(&c->done, e, in_order);
}
