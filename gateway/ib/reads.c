// SPDX-License-Identifier: BSD-2-Clause
#include "ib/reads.h"

#include "base/memory.h"
#include "base/secret.h"
#include "ib/node_mad.h"
#include "ib/read_cache.h"
#include "ib/register_mad.h"
#include "ib/sa_client.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

static const int64_t KEEP_US = 60 * CLOCK_US_PER_S;
static const int64_t AGAIN_US = CLOCK_US_PER_S;           // after the port refused to send a read
static const int64_t BURST_US = 20 * CLOCK_US_PER_MS;     // of the rate that may be made up for
static const int64_t LOOK_US = 200 * CLOCK_US_PER_MS;     // between two looks at the port
static const int64_t SA_TIMEOUT_US = 20 * CLOCK_US_PER_S; // it needs seconds for a large table
static const int64_t IDENTITY_US =
    10 * CLOCK_US_PER_S; // for which a LID counts as the LID of a port
static const int64_t IDENTITY_SET_US = 2 * CLOCK_US_PER_S; // the same, for a Set
static const int64_t OVERDUE_US = 100 * CLOCK_US_PER_MS;   // a node that is there has answered
enum { PICK_MAX = 512 };      // reads that may wait for their ports and are passed
enum { READS_LANE_BIT = 29 }; // of a TransactionID, below MAD_TID_READS

// Each lane has its own window. The SA's comes first: its few queries, each of a whole table, would
// otherwise wait for all that nodes are asked.
enum lane { LANE_SA, LANE_NODES, LANES };

struct reads {
    struct reads_options options;
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
    struct request_window windows[LANES];
    struct read_entries waiting[LANES];
    size_t waiting_count;
    struct read_cache cache;
    struct reads_counters counters; // `sent` is in the windows
};

static int64_t reads_now(const struct reads *d)
{
    return clock_monotonic(d->options.clock);
}

static enum lane reads_lane_of(const struct read_entry *e)
{
    return e->key.class == DEMAND_SA ? LANE_SA : LANE_NODES;
}

// The read by which the port of a key is recognized.
static struct demand_key reads_key_of_identity(const struct demand_key *key)
{
    return (struct demand_key){
        .guid = key->guid, .lid = key->lid, .class = DEMAND_SMP, .attribute = DEMAND_NODE_INFO};
}

static bool reads_is_identity(const struct demand_key *key)
{
    return key->class == DEMAND_SMP && key->attribute == DEMAND_NODE_INFO;
}

// The attribute that a Set may have changed is read again for all later askers.
static void reads_forget_read(struct reads *d, const struct demand_key *set)
{
    struct demand_key key = *set;
    if (!key.sets)
        return;
    key.sets = 0;
    memset(key.record, 0, sizeof key.record);
    struct read_entry *e = read_cache_find(&d->cache, &key);
    if (e && e->state >= ENTRY_HERE)
        read_cache_forget(&d->cache, e);
    else if (e && e->state == ENTRY_SENT)
        e->old = true;
}

// `answer` is taken over; NULL: there is none.
static void reads_finish(struct reads *d, struct read_entry *e, struct demand_answer *answer,
                         int64_t until)
{
    e->state = answer ? ENTRY_HERE : ENTRY_NONE;
    e->answer = answer;
    e->until = until;
    read_cache_keep(&d->cache, e);
    if (!reads_is_identity(&e->key))
        eventfd_write(d->fd, 1);
    reads_forget_read(d, &e->key);
}

// Silence: an entry of its own says that a port does not answer to an attribute.
static struct demand_key reads_key_of_silence(const struct demand_key *key)
{
    struct demand_key silence = {.guid = key->guid, .lid = key->lid, .class = key->class};
    silence.attribute = key->attribute;
    silence.reserved[0] = 1;
    return silence;
}

static bool reads_is_silent_to(struct reads *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key silence = reads_key_of_silence(key);
    const struct read_entry *e = read_cache_find(&d->cache, &silence);
    return e && e->state == ENTRY_NONE && now < e->until;
}

static bool reads_is_silent(struct reads *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key identity = reads_key_of_identity(key);
    return key->class != DEMAND_SA &&
           (reads_is_silent_to(d, key, now) ||
            (key->class == DEMAND_SMP && reads_is_silent_to(d, &identity, now)));
}

static void reads_note_silence(struct reads *d, const struct demand_key *key, int64_t now)
{
    const struct demand_key silence = reads_key_of_silence(key);
    const int64_t keep_us = key->class == DEMAND_REGISTER ? REGISTER_MAD_REFUSAL_US : KEEP_US;
    if (key->class != DEMAND_SA && !key->sets) // a port may lack the M_Key for a Set
        reads_finish(d, read_cache_claim(&d->cache, &silence), NULL, now + keep_us);
}

// Whether the port of a key may be asked now.
enum reads_verdict {
    READS_MAY_ASK,
    READS_IDENTIFY, // ask for NodeInfo first
    READS_WAIT,     // NodeInfo is being read
    READS_SILENT,   // until `until`, as are the next
    READS_ANOTHER,  // another port has the LID, or nobody answers NodeInfo
};

static enum reads_verdict reads_judge(struct reads *d, const struct demand_key *key, int64_t now,
                                      int64_t *until)
{
    struct fabric_node ignored;
    uint64_t guid;
    uint8_t number;
    const struct demand_key identity = reads_key_of_identity(key);
    *until = now + KEEP_US;
    if (reads_is_silent(d, key, now))
        return READS_SILENT;
    if (key->class == DEMAND_SA || key->guid == 0 || (key->class != DEMAND_SMP && d->no_smps))
        return READS_MAY_ASK;
    const struct read_entry *e = read_cache_find(&d->cache, &identity);
    if (e && (e->state == ENTRY_WAITING || e->state == ENTRY_SENT))
        return READS_WAIT;
    if (!e || now >= e->until ||
        (key->sets && e->state == ENTRY_HERE && now >= e->until - IDENTITY_US + IDENTITY_SET_US))
        return READS_IDENTIFY;
    *until = e->until;
    if (e->state == ENTRY_NONE)
        return key->class == DEMAND_PERF ? READS_MAY_ASK : READS_ANOTHER;
    const bool is_known =
        smp_read_node_info(demand_answer_at(e->answer, 0), &ignored, &guid, &number);
    return is_known && guid == key->guid ? READS_MAY_ASK : READS_ANOTHER;
}

// Sending.

// Whether there is room for another MAD. If not, there may be at `*when`; INT64_MAX: not before
// another one is answered or given up.
static bool reads_has_room(const struct request_window *w, int64_t now, int64_t *when)
{
    const struct request_slot *slot;
    size_t under_way = 0;
    *when = INT64_MAX;
    TAILQ_FOREACH(slot, &w->under_way, in_order)
    {
        if (now >= slot->sent_at + OVERDUE_US)
            continue;
        under_way++;
        *when = clock_earlier(*when, slot->sent_at + OVERDUE_US);
    }
    if (TAILQ_EMPTY(&w->free))
        *when = INT64_MAX;
    return under_way < READS_IN_FLIGHT && !TAILQ_EMPTY(&w->free);
}

static size_t reads_count_slots(const struct reads *d, const struct demand_key *key)
{
    const struct request_slot *slot;
    size_t count = 0;
    TAILQ_FOREACH(slot, &d->windows[LANE_NODES].under_way, in_order)
    {
        const struct read_entry *e = slot->owner;
        count += e->key.guid == key->guid && e->key.lid == key->lid;
    }
    return count;
}

// Whether the rate allows a MAD now.
static bool reads_may_send(struct reads *d, int64_t now)
{
    if (d->free_at < now - BURST_US)
        d->free_at = now - BURST_US;
    return d->free_at <= now;
}

static void reads_attempt(struct reads *d, struct request_window *w, struct request_slot *slot,
                          int64_t now)
{
    struct read_entry *e = slot->owner;
    d->free_at += CLOCK_US_PER_S / d->options.rate;
    if (request_window_send(w, slot, now))
        return;
    request_window_release(w, slot);
    reads_finish(d, e, NULL, now + AGAIN_US);
}

static void reads_dequeue(struct reads *d, struct read_entry *e)
{
    TAILQ_REMOVE(&d->waiting[reads_lane_of(e)], e, in_order);
    d->waiting_count--;
}

static void reads_send(struct reads *d, struct read_entry *e, int64_t now)
{
    const struct demand_key *key = &e->key;
    struct request_window *w = &d->windows[reads_lane_of(e)];
    struct request_slot *slot = request_window_take(w, e);
    e->state = ENTRY_SENT;
    slot->to =
        (struct mad_address){.lid = key->lid, .guid = key->guid, .qpn = key->class != DEMAND_SMP};
    if (key->class == DEMAND_SA) {
        slot->to = d->sa;
        slot->to.keyless = key->keyless;
    }
    read_mad_make(key,
                  key->class == DEMAND_REGISTER
                      ? d->options.vskey
                      : mkeys_find(d->options.mkeys, key->guid, d->options.mkey),
                  slot->mad);
    reads_attempt(d, w, slot, now);
}

// The first read that need not wait for other reads of the same port. Returns NULL if there is
// none.
static struct read_entry *reads_pick(struct reads *d, enum lane lane, int64_t now)
{
    int64_t until;
    struct read_entry *e = TAILQ_FIRST(&d->waiting[lane]);
    for (size_t passed = 0; e && passed < PICK_MAX; passed++, e = TAILQ_NEXT(e, in_order)) {
        const enum reads_verdict verdict = reads_judge(d, &e->key, now, &until);
        if (lane == LANE_SA || verdict >= READS_SILENT ||
            (verdict != READS_WAIT && reads_count_slots(d, &e->key) < READS_PORT_SLOTS))
            return e;
    }
    return NULL;
}

// Sends a read, or first the read of NodeInfo, which says whether the port is the right one.
static void reads_send_picked(struct reads *d, struct read_entry *e, int64_t now)
{
    int64_t until;
    const enum reads_verdict verdict = reads_judge(d, &e->key, now, &until);
    const struct demand_key identity = reads_key_of_identity(&e->key);
    if (verdict == READS_IDENTIFY) {
        reads_send(d, read_cache_claim(&d->cache, &identity), now);
        return;
    }
    reads_dequeue(d, e);
    if (verdict == READS_MAY_ASK) {
        reads_send(d, e, now);
        return;
    }
    d->counters.silent += verdict == READS_SILENT;
    reads_finish(d, e, NULL, until);
}

static void reads_send_waiting(struct reads *d, int64_t now)
{
    int64_t when;
    for (enum lane lane = 0; lane < LANES && d->attached; lane++) {
        struct read_entry *e;
        while (reads_may_send(d, now) && reads_has_room(&d->windows[lane], now, &when) &&
               (e = reads_pick(d, lane, now)))
            reads_send_picked(d, e, now);
    }
}

static void reads_give_up(struct reads *d, struct request_window *w, struct request_slot *slot,
                          int64_t now)
{
    struct read_entry *e = slot->owner;
    log_debug(d->options.log, "LID %u does not answer to attribute 0x%04x", e->key.lid,
              e->key.attribute);
    request_window_release(w, slot);
    d->counters.silent += !reads_is_identity(&e->key);
    reads_note_silence(d, &e->key, now);
    // The SA is asked again for the next asker, because a table without an answer must not look
    // empty.
    reads_finish(d, e, NULL, e->key.class == DEMAND_SA ? now : now + KEEP_US);
}

// Repeats reads after their time-out, if the rate allows, or gives them up.
static void reads_expire(struct reads *d, enum lane lane, int64_t now)
{
    struct request_window *w = &d->windows[lane];
    const unsigned attempts = lane == LANE_SA ? 1 : d->options.attempts;
    struct request_slot *slot = TAILQ_FIRST(&w->under_way), *next;
    for (; slot && slot->answer_by <= now && d->attached; slot = next) {
        next = TAILQ_NEXT(slot, in_order);
        if (slot->attempts >= attempts)
            reads_give_up(d, w, slot, now);
        else if (reads_may_send(d, now))
            reads_attempt(d, w, slot, now);
    }
}

// Called by the SA client's thread.

// The slot of the read that this MAD answers. Returns NULL if there is none. A node has to answer
// from the LID of the question, because no other node may answer for the node; the SA may be
// redirected. A port that is busy has discarded the MAD (IBA 13.4.7), and is asked again in time.
static struct request_slot *reads_find_slot(struct reads *d, enum lane lane,
                                            const struct mad_received *in)
{
    struct mad_header h;
    struct request_slot *slot = request_window_find(&d->windows[lane], in);
    const struct read_entry *e = slot ? slot->owner : NULL;
    if (!e || !mad_read_header(in->octets, in->size, &h) || mad_is_busy(in->octets, in->size) ||
        (lane != LANE_SA && in->from.lid != e->key.lid))
        return NULL;
    return e->key.class != DEMAND_SMP || h.modifier == e->key.modifier ? slot : NULL;
}

// Copies the content of an answer. The thread that takes the Reports copies, and so the answer has
// a limit of size. Returns NULL if the answer has no content, or is too large.
static struct demand_answer *reads_copy(struct reads *d, struct read_entry *e,
                                        const struct mad_received *in)
{
    e->too_large = in->size > READS_ANSWER_MAX;
    if (!e->too_large)
        return read_mad_read(&e->key, in->octets, in->size);
    if (d->options.log)
        log_write(
            d->options.log, LOG_LEVEL_WARNING,
            "the subnet manager's table of attribute 0x%04x has %zu octets and is not shown by "
            "SNMP: ibtrapd reads %d at most; look at it with saquery",
            e->key.attribute, in->size, READS_ANSWER_MAX);
    return NULL;
}

static void reads_take(void *ctx, const struct mad_received *in)
{
    struct reads *d = ctx;
    pthread_mutex_lock(&d->lock);
    const int64_t now = reads_now(d);
    for (enum lane lane = 0; lane < LANES; lane++) {
        struct request_slot *slot = reads_find_slot(d, lane, in);
        struct read_entry *e = slot ? slot->owner : NULL;
        if (!e)
            continue;
        const bool identity = reads_is_identity(&e->key);
        request_window_release(&d->windows[lane], slot);
        d->counters.answered += !identity;
        if (e->key.class == DEMAND_REGISTER && register_mad_is_refusal(in->octets, in->size))
            reads_note_silence(d, &e->key, now);
        reads_finish(d, e, reads_copy(d, e, in),
                     e->old     ? now
                     : identity ? now + IDENTITY_US
                                : now + KEEP_US);
        reads_send_waiting(d, now);
        if (!TAILQ_EMPTY(&d->waiting[LANE_NODES]))
            eventfd_write(d->fd,
                          1); // the caller sends the reads that waited for this answer, by the rate
        break;
    }
    pthread_mutex_unlock(&d->lock);
}

// Gives up all that waits or is under way, for now.
static void reads_give_up_all(struct reads *d)
{
    const int64_t now = reads_now(d);
    for (enum lane lane = 0; lane < LANES; lane++) {
        struct read_entry *e;
        struct request_slot *slot;
        while ((e = TAILQ_FIRST(&d->waiting[lane]))) {
            reads_dequeue(d, e);
            reads_finish(d, e, NULL, now);
        }
        while ((slot = TAILQ_FIRST(&d->windows[lane].under_way))) {
            e = slot->owner;
            request_window_release(&d->windows[lane], slot);
            reads_finish(d, e, NULL, now);
        }
    }
}

static void reads_lost(void *ctx, const char *reason)
{
    struct reads *d = ctx;
    pthread_mutex_lock(&d->lock);
    log_debug(d->options.log, "reads on demand end: %s", reason);
    d->attached = false;
    reads_give_up_all(d);
    pthread_mutex_unlock(&d->lock);
}

// The port.

static void reads_detach(struct reads *d)
{
    struct error ignored;
    if (!d->io.self)
        return;
    d->io.listen(d->io.self, NULL, &ignored);
    d->io.close(d->io.self);
    d->io.self = NULL;
}

static bool reads_attach(struct reads *d, struct error *err)
{
    const struct mad_listener listener = {reads_take, reads_lost, d};
    reads_detach(d);
    if (!sa_client_attach(d->options.client, MAD_USER_READS, &d->io, err)) {
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
static void reads_look(struct reads *d)
{
    struct sa_status status;
    struct error err;
    const int64_t now = reads_now(d);
    if (now < d->look_at)
        return;
    d->look_at = now + LOOK_US;
    sa_client_status(d->options.client, &status);
    const bool up = mad_port_is_up(&status.port);
    pthread_mutex_lock(&d->lock);
    d->no_smps = !up || status.smp_refusal[0] != '\0';
    d->no_sa = !up || !status.sm_answers;
    d->sa = mad_sa_address(&status.sa, &status.port);
    const bool attached = d->attached;
    pthread_mutex_unlock(&d->lock);
    d->away = !up || (!attached && !reads_attach(d, &err));
    if (!d->away)
        return;
    pthread_mutex_lock(&d->lock);
    reads_give_up_all(d);
    pthread_mutex_unlock(&d->lock);
}

static bool reads_is_away(const struct reads *d, const struct demand_key *key)
{
    return d->away || (key->class == DEMAND_SMP && d->no_smps) ||
           (key->class == DEMAND_REGISTER && !d->options.registers) ||
           (key->class == DEMAND_SA && d->no_sa);
}

// The interface.

static void reads_open_window(struct reads *d, enum lane lane, unsigned slots, int64_t timeout_us)
{
    const struct random *random = d->options.random;
    struct request_window *w = &d->windows[lane];
    *w = (struct request_window){.io = &d->io,
                                 .tid_bits = MAD_TID_READS | (uint32_t)lane << READS_LANE_BIT,
                                 .serial_bits = READS_LANE_BIT - 8,
                                 .slot_count = slots,
                                 .timeout_us = timeout_us};
    request_window_open(w, 0);
    for (unsigned i = 0; i < slots; i++)
        random->fill(random->ctx, &w->slots[i].serial, sizeof w->slots[i].serial);
}

struct reads *reads_new(const struct reads_options *options, struct error *err)
{
    struct reads *d = memory_zeroed(1, sizeof *d);
    d->options = *options;
    d->look_at = INT64_MIN;
    pthread_mutex_init(&d->lock, NULL);
    for (enum lane lane = 0; lane < LANES; lane++)
        TAILQ_INIT(&d->waiting[lane]);
    reads_open_window(d, LANE_SA, READS_SA_IN_FLIGHT, SA_TIMEOUT_US);
    reads_open_window(d, LANE_NODES, READS_SLOTS, options->timeout_us);
    read_cache_init(&d->cache, options->random);
    d->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->fd >= 0)
        return d;
    error_set(err, "cannot make an eventfd: %s", strerror(errno));
    reads_free(d);
    return NULL;
}

void reads_free(struct reads *d)
{
    if (!d)
        return;
    reads_detach(d);
    read_cache_clear(&d->cache);
    for (enum lane lane = 0; lane < LANES; lane++)
        request_window_close(&d->windows[lane]);
    if (d->fd >= 0)
        close(d->fd);
    pthread_mutex_destroy(&d->lock);
    secret_release(d); // it has an M_Key
}

// Forgets an entry in any state.
static void reads_remove(struct reads *d, struct read_entry *e)
{
    if (e->state == ENTRY_WAITING)
        reads_dequeue(d, e);
    struct request_window *w = &d->windows[reads_lane_of(e)];
    struct request_slot *slot;
    TAILQ_FOREACH(slot, &w->under_way, in_order)
    {
        if (slot->owner == e)
            break;
    }
    if (slot)
        request_window_release(w, slot);
    if (e->state < ENTRY_HERE)
        reads_finish(d, e, NULL, 0);
    read_cache_forget(&d->cache, e);
}

// A later Set of the same attribute replaces a Set without an answer, because the older Set must
// not arrive last.
static void reads_supersede(struct reads *d, const struct demand_key *set)
{
    struct demand_key other = *set;
    for (size_t i = 0; i < d->cache.used; i++) {
        struct read_entry *e = &d->cache.entries[i];
        memcpy(other.record, e->key.record, sizeof other.record);
        if ((e->state == ENTRY_WAITING || e->state == ENTRY_SENT) &&
            memcmp(&e->key, &other, sizeof other) == 0)
            reads_remove(d, e);
    }
}

// Queues a read or a Set. There are too many: returns another one that waits.
static struct read_entry *reads_queue(struct reads *d, const struct demand_key *key)
{
    if (d->waiting_count == READS_WAITING_MAX)
        return TAILQ_FIRST(
            &d->waiting[TAILQ_EMPTY(&d->waiting[LANE_NODES]) ? LANE_SA : LANE_NODES]);
    if (key->sets)
        reads_supersede(d, key);
    struct read_entry *e = read_cache_claim(&d->cache, key);
    e->state = ENTRY_WAITING;
    if (key->sets)
        TAILQ_INSERT_HEAD(&d->waiting[reads_lane_of(e)], e, in_order);
    else
        TAILQ_INSERT_TAIL(&d->waiting[reads_lane_of(e)], e, in_order);
    d->waiting_count++;
    return e;
}

enum demand_state reads_ask(struct reads *d, const struct demand_key *key,
                            struct demand_answer **answer, int64_t *ticket)
{
    reads_look(d);
    pthread_mutex_lock(&d->lock);
    const int64_t now = reads_now(d);
    struct read_entry *e = read_cache_find(&d->cache, key);
    const bool done = e && e->state >= ENTRY_HERE && now < e->until;
    enum demand_state state = DEMAND_LATER;
    if (done && e->state == ENTRY_HERE) {
        *answer = demand_answer_ref(e->answer);
        state = DEMAND_HERE;
        if (key->sets)
            read_cache_forget(&d->cache, e);
    } else if (key->class == DEMAND_SA && (reads_is_away(d, key) || (done && e->too_large))) {
        state = DEMAND_AWAY;
    } else if (done || reads_is_away(d, key) || reads_is_silent(d, key, now)) {
        state = DEMAND_NONE;
    } else {
        if (!e || e->state >= ENTRY_HERE)
            e = reads_queue(d, key);
        *ticket = (int64_t)e->generation << 32 | (e - d->cache.entries + 1);
        reads_send_waiting(d, now);
    }
    pthread_mutex_unlock(&d->lock);
    return state;
}

void reads_drop(struct reads *d, const struct demand_key *key)
{
    pthread_mutex_lock(&d->lock);
    struct read_entry *e = read_cache_find(&d->cache, key);
    if (e)
        reads_remove(d, e);
    pthread_mutex_unlock(&d->lock);
}

bool reads_can_ask(struct reads *d, const struct demand_key *key)
{
    reads_look(d);
    pthread_mutex_lock(&d->lock);
    const bool can = !reads_is_away(d, key) && !reads_is_silent(d, key, reads_now(d));
    pthread_mutex_unlock(&d->lock);
    return can;
}

bool reads_is_ready(struct reads *d, int64_t ticket)
{
    pthread_mutex_lock(&d->lock);
    const struct read_entry *e = &d->cache.entries[(ticket & UINT32_MAX) - 1];
    const bool waits = e->generation == (uint32_t)(ticket >> 32) &&
                       (e->state == ENTRY_WAITING || e->state == ENTRY_SENT);
    pthread_mutex_unlock(&d->lock);
    return !waits;
}

int reads_fd(const struct reads *d)
{
    return d->fd;
}

// A repeat waits for the rate.
static int64_t reads_next(struct reads *d, int64_t now)
{
    int64_t next = INT64_MAX;
    for (enum lane lane = 0; lane < LANES; lane++) {
        const struct request_slot *slot;
        int64_t when;
        TAILQ_FOREACH(slot, &d->windows[lane].under_way, in_order)
        next = clock_earlier(next, slot->answer_by > now ? slot->answer_by : d->free_at);
        if (!reads_pick(d, lane, now))
            continue;
        if (reads_has_room(&d->windows[lane], now, &when))
            when = d->attached ? d->free_at : d->look_at;
        next = clock_earlier(next, when);
    }
    const struct read_entry *oldest = TAILQ_FIRST(&d->cache.done);
    return oldest ? clock_earlier(next, oldest->until) : next;
}

int64_t reads_run(struct reads *d)
{
    reads_look(d);
    pthread_mutex_lock(&d->lock);
    const int64_t now = reads_now(d);
    for (enum lane lane = 0; lane < LANES; lane++)
        reads_expire(d, lane, now);
    reads_send_waiting(d, now);
    read_cache_forget_old(&d->cache, now);
    const int64_t next = reads_next(d, now);
    pthread_mutex_unlock(&d->lock);
    return next;
}

void reads_get_counters(struct reads *d, struct reads_counters *out)
{
    pthread_mutex_lock(&d->lock);
    *out = d->counters;
    out->sent = d->windows[LANE_SA].sent + d->windows[LANE_NODES].sent;
    pthread_mutex_unlock(&d->lock);
}
