// SPDX-License-Identifier: BSD-2-Clause
#include "ib/demand.h"

#include "base/memory.h"
#include "base/secret.h"
#include "ib/demand_cache.h"
#include "ib/demand_mad.h"
#include "ib/sa_client.h"
#include "ib/smp_decode.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

static const int64_t KEEP_US = 60 * CLOCK_US_PER_S;
static const int64_t AGAIN_US = CLOCK_US_PER_S;            // after a read that could not be sent
static const int64_t BURST_US = 20 * CLOCK_US_PER_MS;      // of the rate that may be made up for
static const int64_t LOOK_US = 200 * CLOCK_US_PER_MS;      // between two looks at the port
static const int64_t SA_TIMEOUT_US = 20 * CLOCK_US_PER_S;  // it needs seconds for a large table
static const int64_t IDENTITY_US = 10 * CLOCK_US_PER_S;    // that a LID is taken for a port's
static const int64_t IDENTITY_SET_US = 2 * CLOCK_US_PER_S; // the same, for a Set
static const int64_t OVERDUE_US = 100 * CLOCK_US_PER_MS;   // a node that is there has answered
enum { SLOT_BITS = 7, SLOTS = DEMAND_SLOTS + DEMAND_SA_IN_FLIGHT };
enum { PICK_MAX = 512 }; // reads that may wait for their ports and are passed
static_assert(SLOTS <= 1 << SLOT_BITS, "a TransactionID has the slot's number");

// Each has its own slots. The SA's comes first: its few queries, each of a whole table, would
// otherwise wait for all that nodes are asked.
enum lane { LANE_SA, LANE_NODES, LANES };

// A read under way.
struct slot {
    struct demand_entry *entry; // NULL: free
    unsigned attempts;          // made; each used one serial
    uint32_t serial;            // of the last attempt
    int64_t sent_at, answer_by;
};

struct demand {
    struct demand_options options;
    int fd;

    // The thread's own.
    struct mad_io io; // io.self NULL: not attached
    int64_t look_at;
    struct mad_address sa;
    bool away;           // nothing can be read now
    bool no_smps, no_sa; // nor these

    pthread_mutex_t lock; // over the rest
    bool attached;        // `io` can be used
    int64_t free_at;      // when the next MAD may be sent
    struct slot slots[SLOTS];
    struct demand_entries waiting[LANES];
    size_t waiting_count;
    struct demand_cache cache;
    struct demand_counters counters;
};

static int64_t demand_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t demand_now(const struct demand *d)
{
    return clock_monotonic(d->options.clock);
}

static enum lane lane_of(const struct demand_entry *e)
{
    return e->key.class == DEMAND_SA ? LANE_SA : LANE_NODES;
}

// The read by which the port of a key is recognized.
static struct demand_key key_of_identity(const struct demand_key *key)
{
    return (struct demand_key){
        .guid = key->guid, .lid = key->lid, .class = DEMAND_SMP, .attribute = DEMAND_NODE_INFO};
}

static bool demand_is_identity(const struct demand_key *key)
{
    return key->class == DEMAND_SMP && key->attribute == DEMAND_NODE_INFO;
}

// What a Set changed, or may have, is read again, for those who ask from now on.
static void demand_forget_read(struct demand *d, const struct demand_key *set)
{
    struct demand_key key = *set;
    if (!key.sets)
        return;
    key.sets = 0;
    memset(key.record, 0, sizeof key.record);
    struct demand_entry *e = demand_cache_find(&d->cache, &key);
    if (e && e->state >= ENTRY_HERE)
        demand_cache_forget(&d->cache, e);
    else if (e && e->state == ENTRY_SENT)
        e->old = true;
}

// `answer` is taken over; NULL: there is none.
static void demand_finish(struct demand *d, struct demand_entry *e, struct demand_answer *answer,
                          int64_t until)
{
    e->state = answer ? ENTRY_HERE : ENTRY_NONE;
    e->answer = answer;
    e->until = until;
    demand_cache_keep(&d->cache, e);
    if (!demand_is_identity(&e->key))
        eventfd_write(d->fd, 1);
    demand_forget_read(d, &e->key);
}

// Silence: an entry of its own says that a port does not answer to an attribute. Another one may be
// one that it has, unless it is silent even to NodeInfo.
static struct demand_key key_of_silence(const struct demand_key *key)
{
    struct demand_key silence = {.guid = key->guid, .lid = key->lid, .class = key->class};
    silence.attribute = key->attribute;
    silence.reserved[0] = 1;
    return silence;
}

static bool demand_is_silent_to(struct demand *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key silence = key_of_silence(key);
    const struct demand_entry *e = demand_cache_find(&d->cache, &silence);
    return e && e->state == ENTRY_NONE && now < e->until;
}

static bool demand_is_silent(struct demand *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key identity = key_of_identity(key);
    return key->class != DEMAND_SA &&
           (demand_is_silent_to(d, key, now) ||
            (key->class == DEMAND_SMP && demand_is_silent_to(d, &identity, now)));
}

static void demand_note_silence(struct demand *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key silence = key_of_silence(key);
    if (key->class == DEMAND_SA || key->sets) // it may lack the M_Key
        return;
    struct demand_entry *e = demand_cache_claim(&d->cache, &silence);
    if (e->state != ENTRY_FREE)
        demand_cache_empty(&d->cache, e);
    demand_finish(d, e, NULL, now + KEEP_US);
}

// Sending.

// A slot for another MAD. NULL: there is none, but there may be at `when`; INT64_MAX: not before
// another one is free.
static struct slot *demand_free_slot(struct demand *d, enum lane lane, int64_t now, int64_t *when)
{
    const size_t first = lane == LANE_SA ? DEMAND_SLOTS : 0;
    const size_t end = lane == LANE_SA ? SLOTS : DEMAND_SLOTS;
    struct slot *free_slot = NULL;
    size_t under_way = 0;
    *when = INT64_MAX;
    for (size_t i = first; i < end; i++) {
        struct slot *slot = &d->slots[i];
        const int64_t overdue_at = slot->sent_at + OVERDUE_US;
        if (!slot->entry) {
            free_slot = free_slot ? free_slot : slot;
        } else if (now < overdue_at) {
            under_way++;
            *when = demand_earlier(*when, overdue_at);
        }
    }
    if (!free_slot)
        *when = INT64_MAX;
    return under_way < DEMAND_IN_FLIGHT ? free_slot : NULL;
}

static size_t demand_count_slots(const struct demand *d, const struct demand_key *key)
{
    size_t count = 0;
    for (size_t i = 0; i < DEMAND_SLOTS; i++) {
        const struct demand_entry *e = d->slots[i].entry;
        count += e && e->key.guid == key->guid && e->key.lid == key->lid;
    }
    return count;
}

// Whether the port at the LID of a key is the one that is meant.
enum identity { IDENTITY_RIGHT, IDENTITY_OTHER, IDENTITY_UNKNOWN, IDENTITY_BEING_READ };

static enum identity demand_identify(struct demand *d, const struct demand_key *key, int64_t now)
{
    struct fabric_node ignored;
    uint64_t guid;
    uint8_t number;
    const struct demand_key identity = key_of_identity(key);
    if (key->class == DEMAND_SA || key->guid == 0 || (key->class == DEMAND_PERF && d->no_smps))
        return IDENTITY_RIGHT;
    const struct demand_entry *e = demand_cache_find(&d->cache, &identity);
    if (e && (e->state == ENTRY_WAITING || e->state == ENTRY_SENT))
        return IDENTITY_BEING_READ;
    if (!e || now >= e->until ||
        (key->sets && e->state == ENTRY_HERE && now >= e->until - IDENTITY_US + IDENTITY_SET_US))
        return IDENTITY_UNKNOWN;
    if (e->state == ENTRY_NONE)
        return key->class == DEMAND_PERF ? IDENTITY_RIGHT : IDENTITY_OTHER;
    const bool is_known =
        smp_read_node_info(demand_answer_at(e->answer, 0), &ignored, &guid, &number);
    return is_known && guid == key->guid ? IDENTITY_RIGHT : IDENTITY_OTHER;
}

static void demand_release(struct slot *slot)
{
    slot->entry = NULL;
}

static bool demand_send(struct demand *d, const struct demand_entry *e, uint32_t tid,
                        int64_t timeout_us)
{
    uint8_t mad[MAD_SIZE];
    struct error err;
    const struct demand_key *key = &e->key;
    struct mad_address to = {.lid = key->lid, .guid = key->guid};
    if (key->class == DEMAND_SA) {
        to = d->sa;
        to.keyless = key->keyless;
    } else if (key->class == DEMAND_PERF) {
        to.qpn = 1;
    }
    demand_mad_make(key, mkeys_find(d->options.mkeys, key->guid, d->options.mkey), mad);
    mad_set_tid(mad, tid);
    d->counters.sent++;
    return d->io.send(d->io.self, demand_mad_agent(key), &to, mad,
                      (int)((timeout_us + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS), &err);
}

static void demand_send_slot(struct demand *d, struct slot *slot, int64_t now)
{
    struct demand_entry *e = slot->entry;
    const bool is_sa = e->key.class == DEMAND_SA;
    const int64_t timeout_us = is_sa ? SA_TIMEOUT_US : d->options.timeout_us;
    slot->attempts++;
    slot->serial++;
    if (slot->attempts == 1) // repeats are overdue
        slot->sent_at = now;
    slot->answer_by = now + timeout_us;
    d->free_at += CLOCK_US_PER_S / d->options.rate;
    const uint32_t tid = ((slot->serial << SLOT_BITS) & (MAD_TID_DEMAND - 1)) | MAD_TID_DEMAND |
                         (uint32_t)(slot - d->slots);
    if (demand_send(d, e, tid, timeout_us))
        return;
    demand_release(slot);
    demand_finish(d, e, NULL, now + AGAIN_US);
}

// Whether the rate allows a MAD now.
static bool demand_may_send(struct demand *d, int64_t now)
{
    if (d->free_at < now - BURST_US)
        d->free_at = now - BURST_US;
    return d->free_at <= now;
}

static void demand_dequeue(struct demand *d, struct demand_entry *e)
{
    TAILQ_REMOVE(&d->waiting[lane_of(e)], e, in_order);
    d->waiting_count--;
}

// The first read that does not have to wait for others of its port. NULL: there is none.
static struct demand_entry *demand_pick(struct demand *d, enum lane lane, int64_t now)
{
    struct demand_entry *e = TAILQ_FIRST(&d->waiting[lane]);
    for (size_t passed = 0; e && passed < PICK_MAX; passed++, e = TAILQ_NEXT(e, in_order)) {
        if (lane == LANE_SA || demand_is_silent(d, &e->key, now))
            return e;
        if (demand_identify(d, &e->key, now) != IDENTITY_BEING_READ &&
            demand_count_slots(d, &e->key) < DEMAND_PORT_SLOTS)
            return e;
    }
    return NULL;
}

static void demand_send_entry(struct demand *d, struct slot *slot, struct demand_entry *e,
                              int64_t now)
{
    e->state = ENTRY_SENT;
    *slot = (struct slot){.entry = e, .serial = slot->serial};
    demand_send_slot(d, slot, now);
}

// Sends a read, or first what says whether its port is the right one.
static void demand_send_picked(struct demand *d, struct slot *slot, struct demand_entry *e,
                               int64_t now)
{
    const enum identity identity = demand_identify(d, &e->key, now);
    const bool silent = demand_is_silent(d, &e->key, now);
    if (identity == IDENTITY_UNKNOWN && !silent) {
        const struct demand_key key = key_of_identity(&e->key);
        e = demand_cache_claim(&d->cache, &key);
        if (e->state != ENTRY_FREE)
            demand_cache_empty(&d->cache, e);
        demand_send_entry(d, slot, e, now);
        return;
    }
    demand_dequeue(d, e);
    if (!silent && identity == IDENTITY_RIGHT) {
        demand_send_entry(d, slot, e, now);
        return;
    }
    const struct demand_key key = key_of_identity(&e->key);
    d->counters.silent += silent;
    demand_finish(d, e, NULL, silent ? now + KEEP_US : demand_cache_find(&d->cache, &key)->until);
}

static void demand_send_lane(struct demand *d, enum lane lane, int64_t now)
{
    struct slot *slot;
    struct demand_entry *e;
    int64_t when;
    while (demand_may_send(d, now) && (slot = demand_free_slot(d, lane, now, &when)) &&
           (e = demand_pick(d, lane, now)))
        demand_send_picked(d, slot, e, now);
}

static void demand_send_waiting(struct demand *d, int64_t now)
{
    for (enum lane lane = 0; lane < LANES && d->attached; lane++)
        demand_send_lane(d, lane, now);
}

// Repeats reads that were not answered in time, as far as the rate allows, or gives them up.
static void demand_expire(struct demand *d, int64_t now)
{
    for (size_t i = 0; i < SLOTS && d->attached; i++) {
        struct slot *slot = &d->slots[i];
        struct demand_entry *e = slot->entry;
        if (!e || now < slot->answer_by)
            continue;
        const unsigned attempts = e->key.class == DEMAND_SA ? 1 : d->options.attempts;
        if (slot->attempts < attempts) {
            if (demand_may_send(d, now))
                demand_send_slot(d, slot, now);
            continue;
        }
        log_debug(d->options.log, "LID %u does not answer to attribute 0x%04x", e->key.lid,
                  e->key.attribute);
        demand_release(slot);
        d->counters.silent += !demand_is_identity(&e->key);
        demand_note_silence(d, &e->key, now);
        // The SA is asked again when somebody asks: a table that it has does not look empty.
        demand_finish(d, e, NULL, e->key.class == DEMAND_SA ? now : now + KEEP_US);
    }
}

// Called by the SA client's thread.

// The slot of the read that this answers, in its last attempt or an earlier one. NULL: none. A node
// answers from the LID that it was asked at, so that none can answer for another; the SA's may be
// redirected. Who is busy has discarded the MAD (IBA 13.4.7), and is asked again in time.
static struct slot *demand_slot_of(struct demand *d, const struct mad_received *in)
{
    enum { BUSY = 1 };
    struct mad_header h;
    if (!mad_read_header(in->octets, in->size, &h) || !(h.method & MAD_METHOD_RESPONSE) ||
        (mad_status(&h) & BUSY))
        return NULL;
    const uint32_t tid = (uint32_t)h.tid & (MAD_TID_DEMAND - 1);
    const uint32_t at = tid & ((1u << SLOT_BITS) - 1);
    if (at >= SLOTS || !d->slots[at].entry)
        return NULL;
    struct slot *slot = &d->slots[at];
    const struct demand_key *key = &slot->entry->key;
    const uint32_t mask = (MAD_TID_DEMAND - 1) >> SLOT_BITS;
    if (((slot->serial - (tid >> SLOT_BITS)) & mask) >= slot->attempts ||
        (key->class != DEMAND_SA && in->from.lid != key->lid))
        return NULL;
    return demand_mad_fits(key, in->octets, in->size) ? slot : NULL;
}

// The thread copies it that takes the Reports: so it is not to be too large. NULL also if there is
// none.
static struct demand_answer *demand_copy(struct demand *d, struct demand_entry *e,
                                         const struct mad_received *in)
{
    e->too_large = in->size > DEMAND_ANSWER_MAX;
    if (!e->too_large)
        return demand_mad_read(&e->key, in->octets, in->size);
    if (d->options.log)
        log_write(
            d->options.log, LOG_LEVEL_WARNING,
            "the subnet manager's table of attribute 0x%04x has %zu octets and is not shown by "
            "SNMP: ibtrapd reads %d at most; look at it with saquery",
            e->key.attribute, in->size, DEMAND_ANSWER_MAX);
    return NULL;
}

static void demand_take(void *ctx, const struct mad_received *in)
{
    struct demand *d = ctx;
    pthread_mutex_lock(&d->lock);
    struct slot *slot = demand_slot_of(d, in);
    const int64_t now = demand_now(d);
    if (slot) {
        struct demand_entry *e = slot->entry;
        demand_release(slot);
        d->counters.answered += !demand_is_identity(&e->key);
        demand_finish(d, e, demand_copy(d, e, in),
                      e->old                        ? now
                      : demand_is_identity(&e->key) ? now + IDENTITY_US
                                                    : now + KEEP_US);
        demand_send_waiting(d, now);
        if (!TAILQ_EMPTY(&d->waiting[LANE_NODES]))
            eventfd_write(d->fd, 1); // the caller sends those that waited for it, by the rate
    }
    pthread_mutex_unlock(&d->lock);
}

// Gives up all that waits or is under way, for now.
static void demand_give_up(struct demand *d)
{
    const int64_t now = demand_now(d);
    for (enum lane lane = 0; lane < LANES; lane++) {
        struct demand_entry *e;
        while ((e = TAILQ_FIRST(&d->waiting[lane]))) {
            demand_dequeue(d, e);
            demand_finish(d, e, NULL, now);
        }
    }
    for (size_t i = 0; i < SLOTS; i++) {
        struct demand_entry *e = d->slots[i].entry;
        demand_release(&d->slots[i]);
        if (e)
            demand_finish(d, e, NULL, now);
    }
}

static void demand_lost(void *ctx, const char *reason)
{
    struct demand *d = ctx;
    pthread_mutex_lock(&d->lock);
    log_debug(d->options.log, "reads on demand end: %s", reason);
    d->attached = false;
    demand_give_up(d);
    pthread_mutex_unlock(&d->lock);
}

// The port.

static void demand_detach(struct demand *d)
{
    struct error ignored;
    if (!d->io.self)
        return;
    d->io.listen(d->io.self, NULL, &ignored);
    d->io.close(d->io.self);
    d->io.self = NULL;
}

static bool demand_attach(struct demand *d, struct error *err)
{
    const struct mad_listener listener = {demand_take, demand_lost, d};
    demand_detach(d);
    if (!sa_client_attach(d->options.client, MAD_USER_DEMAND, &d->io, err)) {
        d->io.self = NULL;
        return false;
    }
    pthread_mutex_lock(&d->lock);
    d->attached = true; // before `lost` can be called
    pthread_mutex_unlock(&d->lock);
    if (d->io.listen(d->io.self, &listener, err))
        return true;
    pthread_mutex_lock(&d->lock);
    d->attached = false;
    pthread_mutex_unlock(&d->lock);
    return false;
}

// Looks whether the port is up and who answers, now and then.
static void demand_look(struct demand *d)
{
    struct sa_status status;
    struct error err;
    const int64_t now = demand_now(d);
    if (now < d->look_at)
        return;
    d->look_at = now + LOOK_US;
    sa_client_status(d->options.client, &status);
    const bool up = mad_port_is_up(&status.port);
    pthread_mutex_lock(&d->lock);
    d->no_smps = !up || status.smp_refusal[0] != '\0';
    d->no_sa = !up || !status.sm_answers;
    d->sa = status.sa;
    if (d->sa.lid == 0)
        d->sa = (struct mad_address){.lid = status.port.sm_lid, .qpn = 1, .sl = status.port.sm_sl};
    const bool attached = d->attached;
    pthread_mutex_unlock(&d->lock);
    d->away = !up || (!attached && !demand_attach(d, &err));
    if (!d->away)
        return;
    pthread_mutex_lock(&d->lock);
    demand_give_up(d);
    pthread_mutex_unlock(&d->lock);
}

static bool demand_is_away(const struct demand *d, const struct demand_key *key)
{
    return d->away || (key->class == DEMAND_SMP && d->no_smps) ||
           (key->class == DEMAND_SA && d->no_sa);
}

// The interface.

struct demand *demand_new(const struct demand_options *options, struct error *err)
{
    struct demand *d = memory_zeroed(1, sizeof *d);
    d->options = *options;
    d->look_at = INT64_MIN;
    pthread_mutex_init(&d->lock, NULL);
    for (enum lane lane = 0; lane < LANES; lane++)
        TAILQ_INIT(&d->waiting[lane]);
    for (size_t i = 0; i < SLOTS; i++)
        options->random->fill(options->random->ctx, &d->slots[i].serial, sizeof d->slots[i].serial);
    demand_cache_init(&d->cache, options->random);
    d->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->fd >= 0)
        return d;
    error_set(err, "cannot make an eventfd: %s", strerror(errno));
    demand_free(d);
    return NULL;
}

void demand_free(struct demand *demand)
{
    if (!demand)
        return;
    demand_detach(demand);
    demand_cache_clear(&demand->cache);
    if (demand->fd >= 0)
        close(demand->fd);
    pthread_mutex_destroy(&demand->lock);
    secret_release(demand); // it has an M_Key
}

static int64_t demand_ticket(const struct demand *d, const struct demand_entry *e)
{
    return (int64_t)e->generation << 32 | (e - d->cache.entries + 1);
}

// Forgets an entry in any state.
static void demand_remove(struct demand *d, struct demand_entry *e)
{
    if (e->state == ENTRY_WAITING)
        demand_dequeue(d, e);
    for (size_t i = 0; i < SLOTS && e->state == ENTRY_SENT; i++) {
        if (d->slots[i].entry == e)
            demand_release(&d->slots[i]);
    }
    if (e->state < ENTRY_HERE)
        demand_finish(d, e, NULL, 0);
    demand_cache_forget(&d->cache, e);
}

// A later Set of the same takes the place of one that is not answered yet, so that none comes after
// it.
static void demand_supersede(struct demand *d, const struct demand_key *set)
{
    struct demand_key other = *set;
    for (size_t i = 0; i < d->cache.used; i++) {
        struct demand_entry *e = &d->cache.entries[i];
        memcpy(other.record, e->key.record, sizeof other.record);
        if ((e->state == ENTRY_WAITING || e->state == ENTRY_SENT) &&
            memcmp(&e->key, &other, sizeof other) == 0)
            demand_remove(d, e);
    }
}

// Queues a read or a Set. There are too many: returns another one that waits.
static struct demand_entry *demand_queue(struct demand *d, const struct demand_key *key)
{
    if (d->waiting_count == DEMAND_WAITING_MAX)
        return TAILQ_FIRST(
            &d->waiting[TAILQ_EMPTY(&d->waiting[LANE_NODES]) ? LANE_SA : LANE_NODES]);
    if (key->sets)
        demand_supersede(d, key);
    struct demand_entry *e = demand_cache_claim(&d->cache, key);
    if (e->state != ENTRY_FREE)
        demand_cache_empty(&d->cache, e);
    e->state = ENTRY_WAITING;
    e->old = e->too_large = false;
    if (key->sets)
        TAILQ_INSERT_HEAD(&d->waiting[lane_of(e)], e, in_order);
    else
        TAILQ_INSERT_TAIL(&d->waiting[lane_of(e)], e, in_order);
    d->waiting_count++;
    return e;
}

enum demand_state demand_ask(struct demand *demand, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket)
{
    demand_look(demand);
    pthread_mutex_lock(&demand->lock);
    const int64_t now = demand_now(demand);
    struct demand_entry *e = demand_cache_find(&demand->cache, key);
    const bool done = e && e->state >= ENTRY_HERE && now < e->until;
    enum demand_state state = DEMAND_LATER;
    if (done && e->state == ENTRY_HERE) {
        *answer = demand_answer_ref(e->answer);
        state = DEMAND_HERE;
        if (key->sets)
            demand_cache_forget(&demand->cache, e);
    } else if (key->class == DEMAND_SA && (demand_is_away(demand, key) || (done && e->too_large))) {
        state = DEMAND_AWAY;
    } else if (done || demand_is_away(demand, key) || demand_is_silent(demand, key, now)) {
        state = DEMAND_NONE;
    } else {
        if (!e || e->state >= ENTRY_HERE)
            e = demand_queue(demand, key);
        *ticket = demand_ticket(demand, e);
        demand_send_waiting(demand, now);
    }
    pthread_mutex_unlock(&demand->lock);
    return state;
}

void demand_drop(struct demand *demand, const struct demand_key *key)
{
    pthread_mutex_lock(&demand->lock);
    struct demand_entry *e = demand_cache_find(&demand->cache, key);
    if (e)
        demand_remove(demand, e);
    pthread_mutex_unlock(&demand->lock);
}

bool demand_can_ask(struct demand *demand, const struct demand_key *key)
{
    demand_look(demand);
    pthread_mutex_lock(&demand->lock);
    const bool can =
        !demand_is_away(demand, key) && !demand_is_silent(demand, key, demand_now(demand));
    pthread_mutex_unlock(&demand->lock);
    return can;
}

bool demand_is_ready(struct demand *demand, int64_t ticket)
{
    pthread_mutex_lock(&demand->lock);
    const struct demand_entry *e = &demand->cache.entries[(ticket & UINT32_MAX) - 1];
    const bool waits = e->generation == (uint32_t)(ticket >> 32) &&
                       (e->state == ENTRY_WAITING || e->state == ENTRY_SENT);
    pthread_mutex_unlock(&demand->lock);
    return !waits;
}

int demand_fd(const struct demand *demand)
{
    return demand->fd;
}

// An attempt that is over waits for the rate, if it is to be repeated.
static int64_t demand_next(struct demand *d, int64_t now)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct slot *slot = &d->slots[i];
        if (slot->entry)
            next = demand_earlier(next, slot->answer_by > now ? slot->answer_by : d->free_at);
    }
    for (enum lane lane = 0; lane < LANES; lane++) {
        int64_t when;
        if (!demand_pick(d, lane, now))
            continue;
        if (demand_free_slot(d, lane, now, &when))
            when = d->attached ? d->free_at : d->look_at;
        next = demand_earlier(next, when);
    }
    const struct demand_entry *oldest = TAILQ_FIRST(&d->cache.done);
    return oldest ? demand_earlier(next, oldest->until) : next;
}

int64_t demand_run(struct demand *demand)
{
    demand_look(demand);
    pthread_mutex_lock(&demand->lock);
    const int64_t now = demand_now(demand);
    demand_expire(demand, now);
    demand_send_waiting(demand, now);
    demand_cache_forget_old(&demand->cache, now);
    const int64_t next = demand_next(demand, now);
    pthread_mutex_unlock(&demand->lock);
    return next;
}

void demand_get_counters(struct demand *demand, struct demand_counters *out)
{
    pthread_mutex_lock(&demand->lock);
    *out = demand->counters;
    pthread_mutex_unlock(&demand->lock);
}
