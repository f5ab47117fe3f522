// SPDX-License-Identifier: BSD-2-Clause
#include "ib/read_cache.h"

#include "base/memory.h"
#include "base/wire.h"
#include "ib/node_mad.h"
#include "ib/register_mad.h"

#include <assert.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sa.h>
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

// MADs.

static uint8_t read_cache_class(const struct demand_key *key)
{
    static const uint8_t CLASSES[] = {[DEMAND_SMP] = MAD_CLASS_SMP_LID,
                                      [DEMAND_PERF] = MAD_CLASS_PERF,
                                      [DEMAND_SA] = MAD_CLASS_SA};
    return CLASSES[key->class];
}

// Octets of a record of the SA (IBA 15.2.5).
static size_t read_cache_record_size(uint16_t attribute)
{
    enum { MC_MEMBER = 52, SERVICE = 176, PKEY_TABLE = 72, PATH = 64 };
    switch (attribute) {
    case DEMAND_MC_MEMBER_RECORD:
        return MC_MEMBER;
    case DEMAND_SERVICE_RECORD:
        return SERVICE;
    case DEMAND_PKEY_TABLE_RECORD:
        return PKEY_TABLE;
    default:
        assert(attribute == DEMAND_PATH_RECORD);
        return PATH;
    }
}

void read_mad_make(const struct demand_key *key, uint64_t mkey, uint8_t *out)
{
    if (key->class == DEMAND_SA) {
        mad_query_table(out, key->attribute);
        wire_put(out + offsetof(struct umad_sa_packet, comp_mask), 8, key->mask);
        memcpy(out + IB_SA_DATA_OFFS, key->record, sizeof key->record);
    } else if (key->class == DEMAND_REGISTER) {
        register_mad_make(out, key->attribute, (uint8_t)key->modifier, mkey);
    } else if (key->sets) {
        smp_make_lid_set(out, mkey, key->attribute, key->modifier, key->record);
    } else {
        node_mad_make_get(out, read_cache_class(key), key->attribute, key->modifier, mkey);
    }
}

static struct demand_answer *read_cache_copy(const uint8_t *data, size_t size)
{
    if (!data)
        return NULL;
    struct demand_answer *answer = demand_answer_new(1, size);
    memcpy(answer->octets, data, size);
    return answer;
}

// Takes the records of a table without a ServiceKey: a ServiceKey is a secret, and no table shows
// it.
struct read_mad_records {
    struct demand_answer *answer;
    bool of_services;
};

static void read_cache_take(void *ctx, const uint8_t *record, size_t size)
{
    struct read_mad_records *r = ctx;
    (void)size; // mad_read_table has compared it
    enum { SERVICE_KEY = 32, SERVICE_KEY_SIZE = 16 };
    uint8_t *to = r->answer->octets + r->answer->count++ * r->answer->size;
    memcpy(to, record, r->answer->size);
    if (r->of_services)
        memset(to + SERVICE_KEY, 0, SERVICE_KEY_SIZE);
}

static struct demand_answer *read_cache_read_records(const struct demand_key *key,
                                                     const uint8_t *mad, size_t size)
{
    struct error ignored;
    const size_t record_size = read_cache_record_size(key->attribute);
    struct read_mad_records r = {.answer = demand_answer_new(size / record_size, record_size),
                                 .of_services = key->attribute == DEMAND_SERVICE_RECORD};
    r.answer->count = 0;
    if (mad_read_table(mad, size, record_size, read_cache_take, &r, &ignored))
        return r.answer;
    demand_answer_unref(r.answer);
    return NULL;
}

struct demand_answer *read_mad_read(const struct demand_key *key, const uint8_t *mad, size_t size)
{
    if (key->class == DEMAND_SA)
        return read_cache_read_records(key, mad, size);
    if (key->class == DEMAND_REGISTER)
        return read_cache_copy(register_mad_read(mad, size, key->attribute, (uint8_t)key->modifier),
                               REGISTER_MAD_SIZE);
    return read_cache_copy(node_mad_answer(mad, size, read_cache_class(key), key->attribute),
                           key->class == DEMAND_SMP ? SMP_DATA_SIZE : GMP_DATA_SIZE);
}
