// SPDX-License-Identifier: BSD-2-Clause
#include "ib/demand_cache.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void demand_cache_init(struct demand_cache *c, const struct random *random)
{
    TAILQ_INIT(&c->done);
    TAILQ_INIT(&c->unused);
    c->entries = memory_zeroed(DEMAND_ENTRIES_MAX, sizeof *c->entries);
    hash_init(&c->by_key, DEMAND_ENTRIES_MAX, random);
}

void demand_cache_clear(struct demand_cache *c)
{
    for (size_t i = 0; i < c->used; i++)
        demand_answer_unref(c->entries[i].answer);
    hash_clear(&c->by_key);
    free(c->entries);
}

struct demand_entry *demand_cache_find(struct demand_cache *c, const struct demand_key *key)
{
    struct hash_node *node = hash_find(&c->by_key, hash_digest(&c->by_key, key, sizeof *key));
    for (; node; node = hash_find_next(node)) {
        struct demand_entry *e = HASH_THING(node, struct demand_entry, node);
        if (memcmp(&e->key, key, sizeof *key) == 0)
            return e;
    }
    return NULL;
}

void demand_cache_empty(struct demand_cache *c, struct demand_entry *e)
{
    TAILQ_REMOVE(&c->done, e, in_order);
    demand_answer_unref(e->answer);
    e->answer = NULL;
    e->state = ENTRY_FREE;
    e->generation++;
}

void demand_cache_forget(struct demand_cache *c, struct demand_entry *e)
{
    demand_cache_empty(c, e);
    hash_remove(&c->by_key, &e->node);
    TAILQ_INSERT_HEAD(&c->unused, e, in_order);
}

void demand_cache_forget_old(struct demand_cache *c, int64_t now)
{
    struct demand_entry *e;
    while ((e = TAILQ_FIRST(&c->done)) && now >= e->until)
        demand_cache_forget(c, e);
}

struct demand_entry *demand_cache_claim(struct demand_cache *c, const struct demand_key *key)
{
    struct demand_entry *e = demand_cache_find(c, key);
    if (e)
        return e;
    if (TAILQ_EMPTY(&c->unused) && c->used == DEMAND_ENTRIES_MAX)
        demand_cache_forget(c, TAILQ_FIRST(&c->done));
    if ((e = TAILQ_FIRST(&c->unused)))
        TAILQ_REMOVE(&c->unused, e, in_order);
    else
        e = &c->entries[c->used++];
    e->key = *key;
    e->old = e->too_large = false;
    hash_add(&c->by_key, &e->node, hash_digest(&c->by_key, key, sizeof *key));
    return e;
}

void demand_cache_keep(struct demand_cache *c, struct demand_entry *e)
{
    TAILQ_INSERT_TAIL(&c->done, e, in_order);
}
