// SPDX-License-Identifier: BSD-2-Clause
#include "sink/kept_state.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

// Alarms of a page; how often the list is compared; the time of a call.
enum { PAGE = 256 };
static const int64_t SOON_US = 150 * CLOCK_US_PER_S; // more than two heartbeats
static const int64_t PERIOD_US = CLOCK_US_PER_S, CALL_US = CLOCK_US_PER_S / 20;

#define GATEWAY  "gateway "  // begins the keys of alarms about a gateway,
#define FLAPPING "flapping " // perhaps behind this word

// Digests of documents that are none.
enum { NO_DOCUMENT = 0, UNKNOWN_DOCUMENT = 1 };

struct kept_entry {
    struct hash_node by_key;
    TAILQ_ENTRY(kept_entry) in_all, in_due;
    uint64_t has;    // what the receiver has
    uint64_t wanted; // what is due, or was taken
    char *document;  // that is due; NULL: the deletion is
    bool is_due, is_taken;
    uint32_t scan; // that found the alarm last
    char key[];
};

TAILQ_HEAD(kept_entries, kept_entry);

struct kept_state {
    const struct module_alarms *alarms;
    int64_t refresh_us, refresh_at;
    struct hash by_key;
    struct kept_entries all, due;
    size_t due_count, taken_count;
    char fabric[EVENT_FABRIC_SIZE + 1]; // with the blank
    size_t fabric_size;
    bool wants_reading, is_standby;
    bool reads_soon; // a gateway that was heard wants another reading

    // The comparison under way, or the last one.
    bool scans, whole;
    bool scan_is_whole;     // all alarms were known all the time
    bool scan_is_owed;      // some documents were passed over, or the receiver may have lost some
    uint64_t changes, seen; // of the list: now, when the comparison began
    uint32_t scan;
    int64_t next_at;
    int64_t spent_us; // in the calls for it, and not between them
    size_t lacking, beyond;
    struct alarm_page page;
    struct alarm alarms_of_page[PAGE];
};

struct kept_state *kept_state_new(const struct module_alarms *alarms, int64_t refresh_us,
                                  const struct random *random)
{
    struct kept_state *k = memory_zeroed(1, sizeof *k);
    k->alarms = alarms;
    k->refresh_us = refresh_us;
    k->page = (struct alarm_page){.all = k->alarms_of_page, .room = PAGE};
    k->next_at = INT64_MIN;
    k->wants_reading = true;
    k->fabric_size = (size_t)snprintf(k->fabric, sizeof k->fabric, "%s ", alarms->fabric_name);
    hash_init(&k->by_key, KEPT_STATE_MAX, random);
    TAILQ_INIT(&k->all);
    TAILQ_INIT(&k->due);
    return k;
}

// Entries.

static void kept_state_take_from_due(struct kept_state *k, struct kept_entry *e)
{
    if (!e->is_due)
        return;
    TAILQ_REMOVE(&k->due, e, in_due);
    k->due_count--;
    e->is_due = false;
    free(e->document);
    e->document = NULL;
}

static void kept_state_drop(struct kept_state *k, struct kept_entry *e)
{
    kept_state_take_from_due(k, e);
    k->taken_count -= e->is_taken;
    TAILQ_REMOVE(&k->all, e, in_all);
    hash_remove(&k->by_key, &e->by_key);
    free(e);
}

void kept_state_free(struct kept_state *state)
{
    if (!state)
        return;
    while (!TAILQ_EMPTY(&state->all))
        kept_state_drop(state, TAILQ_FIRST(&state->all));
    hash_clear(&state->by_key);
    free(state);
}

// Finds or adds the entry of a key. NULL: there is no room.
static struct kept_entry *kept_state_at(struct kept_state *k, const char *key)
{
    const uint64_t digest = hash_digest_string(&k->by_key, key);
    struct hash_node *node = hash_find(&k->by_key, digest);
    while (node && strcmp(HASH_THING(node, struct kept_entry, by_key)->key, key) != 0)
        node = hash_find_next(node);
    if (node || hash_is_full(&k->by_key))
        return HASH_THING(node, struct kept_entry, by_key);
    const size_t size = strlen(key) + 1;
    struct kept_entry *e = memory_zeroed(1, sizeof *e + size);
    memcpy(e->key, key, size);
    hash_add(&k->by_key, &e->by_key, digest);
    TAILQ_INSERT_TAIL(&k->all, e, in_all);
    return e;
}

// Takes the document; NULL: the deletion is due.
static void kept_state_make_due(struct kept_state *k, struct kept_entry *e, uint64_t wanted,
                                char *document)
{
    kept_state_take_from_due(k, e);
    e->wanted = wanted;
    e->document = document;
    e->is_due = true;
    TAILQ_INSERT_TAIL(&k->due, e, in_due);
    k->due_count++;
}

// Whose documents.

// The name of the gateway that an alarm's key is about; NULL: the alarm is about the fabric.
static const char *kept_state_gateway_of(const char *key)
{
    if (strncmp(key, FLAPPING, sizeof FLAPPING - 1) == 0)
        key += sizeof FLAPPING - 1;
    return strncmp(key, GATEWAY, sizeof GATEWAY - 1) == 0 ? key + sizeof GATEWAY - 1 : NULL;
}

static bool kept_state_is_ours(const struct kept_state *k, const char *key)
{
    const char *gateway = kept_state_gateway_of(key + k->fabric_size);
    const size_t length = gateway ? strcspn(gateway, " ") : 0;
    return gateway ? length == strlen(k->alarms->gateway) &&
                         memcmp(gateway, k->alarms->gateway, length) == 0
                   : !k->is_standby;
}

// After a change of the active gateway another gateway has the documents of the alarms.
static void kept_state_follow_role(struct kept_state *k)
{
    const struct module_alarms_state state = k->alarms->state(k->alarms->ctx);
    k->whole = state.is_whole;
    k->changes = state.changes;
    if (state.is_standby == k->is_standby)
        return;
    k->is_standby = state.is_standby;
    kept_state_read_again(k);
}

// Readings.

bool kept_state_wants_reading(struct kept_state *state, int64_t now_us)
{
    kept_state_follow_role(state);
    state->wants_reading |= now_us >= state->refresh_at && state->refresh_at != 0;
    return state->wants_reading;
}

bool kept_state_found(struct kept_state *state, const char *key, size_t key_size,
                      const char *document, size_t size)
{
    const struct module_alarms *alarms = state->alarms;
    char name[FORMAT_KEY_SIZE];
    if (key_size >= sizeof name || key_size <= state->fabric_size ||
        memcmp(key, state->fabric, state->fabric_size) != 0 || memchr(key, '\0', key_size))
        return false;
    memcpy(name, key, key_size);
    name[key_size] = '\0';
    const char *what = name + state->fabric_size;
    const bool is_heartbeat =
        strncmp(what, GATEWAY, sizeof GATEWAY - 1) == 0 && !strchr(what + sizeof GATEWAY - 1, ' ');
    if (is_heartbeat && document)
        state->reads_soon |= alarms->heard(alarms->ctx, what + sizeof GATEWAY - 1, document, size);
    struct kept_entry *e = kept_state_is_ours(state, name) ? kept_state_at(state, name) : NULL;
    if (e)
        e->has = document ? UNKNOWN_DOCUMENT : NO_DOCUMENT;
    return true;
}

void kept_state_end_reading(struct kept_state *state, int64_t now_us)
{
    struct kept_entry *e;
    TAILQ_FOREACH(e, &state->all, in_all)
    {
        if (!e->is_taken && e->has != NO_DOCUMENT)
            e->has = UNKNOWN_DOCUMENT;
    }
    state->wants_reading = state->scans = state->scan_is_whole = false;
    state->refresh_at =
        now_us + (state->reads_soon && state->refresh_us > SOON_US ? SOON_US : state->refresh_us);
    state->reads_soon = false;
    state->scan_is_owed = true;
    state->next_at = now_us;
}

void kept_state_read_again(struct kept_state *state)
{
    struct kept_entry *e, *next;
    for (e = TAILQ_FIRST(&state->all); e; e = next) {
        next = TAILQ_NEXT(e, in_all);
        if (e->is_taken)
            e->wanted = UNKNOWN_DOCUMENT; // who knows whether the receiver still has the document
        else
            kept_state_drop(state, e);
    }
    state->wants_reading = true;
}

// Comparisons.

static void kept_state_want(struct kept_state *k, const char *what, uint64_t digest,
                            const struct alarm *alarm, char *heartbeat)
{
    char key[FORMAT_KEY_SIZE];
    snprintf(key, sizeof key, "%s%s", k->fabric, what);
    struct kept_entry *e = kept_state_is_ours(k, key) ? kept_state_at(k, key) : NULL;
    k->lacking += !e && hash_is_full(&k->by_key);
    k->scan_is_owed |= e && e->is_taken && e->wanted != digest;
    if (e)
        e->scan = k->scan;
    if (!e || e->is_taken || (e->is_due && e->wanted == digest)) {
        free(heartbeat);
    } else if (e->has == digest) {
        kept_state_take_from_due(k, e);
        free(heartbeat);
    } else {
        kept_state_make_due(k, e, digest,
                            alarm ? k->alarms->document(k->alarms->ctx, alarm) : heartbeat);
    }
}

static void kept_state_begin(struct kept_state *k)
{
    k->scans = true;
    k->scan_is_whole = k->whole;
    k->scan_is_owed = false;
    k->seen = k->changes;
    k->scan++;
    k->page.after = 0;
    k->spent_us = 0;
    k->lacking = 0;
}

static void kept_state_want_heartbeat(struct kept_state *k)
{
    char what[EVENT_KEY_SIZE];
    char *heartbeat = k->alarms->heartbeat(k->alarms->ctx);
    if (!heartbeat)
        return;
    snprintf(what, sizeof what, "%s%s", GATEWAY, k->alarms->gateway);
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, heartbeat, strlen(heartbeat));
    kept_state_want(k, what, digest | 2, NULL, heartbeat);
}

static bool kept_state_compare_page(struct kept_state *k)
{
    k->alarms->page(k->alarms->ctx, &k->page);
    for (size_t i = 0; i < k->page.count; i++) {
        const struct alarm *alarm = &k->page.all[i];
        kept_state_want(k, alarm->key, alarm_digest(alarm) | 2, alarm, NULL);
    }
    return k->page.more;
}

// An alarm that the comparison did not find is over.
static void kept_state_end(struct kept_state *k, int64_t now)
{
    struct kept_entry *e, *next;
    k->scan_is_whole &= k->whole;
    for (e = TAILQ_FIRST(&k->all); e; e = next) {
        next = TAILQ_NEXT(e, in_all);
        if (e->scan == k->scan)
            continue;
        k->scan_is_owed |= e->is_taken;
        if (e->is_taken)
            continue;
        if (e->has == NO_DOCUMENT || !kept_state_is_ours(k, e->key))
            kept_state_drop(k, e);
        else if (k->scan_is_whole && !(e->is_due && e->wanted == NO_DOCUMENT))
            kept_state_make_due(k, e, NO_DOCUMENT, NULL);
    }
    k->beyond = k->lacking;
    k->scan_is_owed |= k->lacking > 0 || !k->scan_is_whole;
    k->scans = false;
    k->next_at = now + (4 * k->spent_us > PERIOD_US ? 4 * k->spent_us : PERIOD_US);
}

void kept_state_compare(struct kept_state *state, int64_t now_us)
{
    const int64_t began = clock_now();
    kept_state_follow_role(state);
    if (state->wants_reading || (!state->scans && now_us < state->next_at))
        return;
    if (!state->scans) {
        const bool has_all = !state->scan_is_owed && state->whole && state->changes == state->seen;
        if (!has_all)
            kept_state_begin(state);
        kept_state_want_heartbeat(state);
        state->next_at = now_us + PERIOD_US;
        if (has_all)
            return;
    }
    bool more = true;
    while (more && state->due_count < KEPT_STATE_DUE_MAX && clock_now() - began < CALL_US)
        more = kept_state_compare_page(state);
    state->spent_us += clock_now() - began;
    if (!more)
        kept_state_end(state, now_us + (clock_now() - began));
}

// Writing.

bool kept_state_next(struct kept_state *state, struct kept_document *out)
{
    kept_state_follow_role(state);
    struct kept_entry *e = TAILQ_FIRST(&state->due);
    if (state->wants_reading || !e)
        return false;
    char *document = e->document;
    e->document = NULL;
    kept_state_take_from_due(state, e);
    e->is_taken = true;
    state->taken_count++;
    *out = (struct kept_document){.key = e->key, .document = document, .handle = e};
    return true;
}

void kept_state_settle(struct kept_state *state, void *handle, bool done)
{
    struct kept_entry *e = handle;
    e->is_taken = false;
    state->taken_count--;
    e->has = done ? e->wanted : UNKNOWN_DOCUMENT;
    state->scan_is_owed |= !done;
    if (e->has == NO_DOCUMENT)
        kept_state_drop(state, e);
}

void kept_state_lose(struct kept_state *state)
{
    struct kept_entry *e;
    TAILQ_FOREACH(e, &state->all, in_all)
    {
        if (e->is_taken)
            e->has = UNKNOWN_DOCUMENT;
        e->is_taken = false;
    }
    state->taken_count = 0;
    state->scan_is_owed = true;
}

bool kept_state_is_busy(const struct kept_state *state)
{
    return state->due_count + state->taken_count > 0 || state->scans;
}

bool kept_state_is_whole(const struct kept_state *state)
{
    return state->scan_is_whole && !state->wants_reading && !kept_state_is_busy(state);
}

bool kept_state_is_of_gateway(const struct kept_state *state, const char *key)
{
    return kept_state_gateway_of(key + state->fabric_size) != NULL;
}

size_t kept_state_in_flight(const struct kept_state *state)
{
    return state->taken_count;
}

size_t kept_state_beyond(const struct kept_state *state)
{
    return state->beyond;
}
