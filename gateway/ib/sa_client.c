// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_client.h"

#include "base/thread.h"
#include "base/wire.h"
#include "ib/sa_words.h"
#include "ib/shared_port.h"
#include "ib/sm_watch.h"
#include "ib/smp_decode.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// While a request is under way, the thread waits for MADs for RECEIVE_WAIT_MS at most.
enum { RECEIVE_WAIT_MS = 200, REQUEST_TIMEOUT_MS = 1000 };
static const int64_t REQUEST_TIMEOUT_US = REQUEST_TIMEOUT_MS * CLOCK_US_PER_MS;
static const int64_t PORT_POLL_US = 1 * CLOCK_US_PER_S;
static const int64_t REFRESH_PORT_US = 10 * CLOCK_US_PER_S;
static const int64_t REOPEN_US = 2 * CLOCK_US_PER_S;
static const int64_t REOPEN_MAX_US = 60 * CLOCK_US_PER_S; // a quarter more or less
static const int64_t BETTER_PORT_US = 5 * CLOCK_US_PER_S;
static const int64_t FIRST_SETTLE_US = 30 * CLOCK_US_PER_S; // then still unsettled means lost
static const int64_t UNSUBSCRIBE_US = 1 * CLOCK_US_PER_S;
enum { SM_SILENCES_MAX = 2, PORT_SILENCES_MAX = 5, UNSUBSCRIBE_ATTEMPTS = 3 };

// The query to the own port; at most one is under way.
struct port_query {
    uint32_t tid;
    int64_t answer_by; // 0: none under way
    int64_t ask_at;    // when to send it next
};

struct sa_client {
    struct sa_options options;
    pthread_t thread;
    bool started;
    atomic_bool stop, woken, resubscribe, reregister;
    atomic_uint next_tid;
    _Atomic uint64_t mkey;

    // The thread's own.
    struct subscriptions subscriptions;
    struct port_query port_query;
    struct sm_watch watch;
    bool key_used;     // the SM accepted the SA key, which goes with every request
    uint64_t denied;   // the GUID of the SM that does not get the key, as was logged
    uint32_t activity; // of the SM's latest SMInfo; 0: none yet
    bool notified_unreachable;
    int64_t silent_since; // when the first query without answer was sent
    bool settled, notified_lost;
    int64_t unsettled_since, reopen_at, better_at, refresh_at;
    unsigned refusals;                 // of the kernel to open the port, in a row
    char port_problem[160];            // a P_Key that is missing; empty: none
    bool listed[SUBSCRIPTIONS_PLACES]; // in the SM's answer that is read now
    unsigned port_silences;            // queries to the own port in a row without answer
    struct log_limit foreign_limit, room_limit;

    struct shared_port port;

    pthread_mutex_t lock; // for `status`
    struct sa_status status;
};

static int64_t sa_client_now_of(const struct sa_client *a)
{
    return clock_monotonic(a->options.clock);
}

// Status.

static void sa_client_set_problem(struct sa_client *a, const char *problem)
{
    pthread_mutex_lock(&a->lock);
    bool news = strcmp(a->status.problem, problem) != 0;
    snprintf(a->status.problem, sizeof a->status.problem, "%s", problem);
    pthread_mutex_unlock(&a->lock);
    if (news && problem[0] != '\0')
        log_write(a->options.log, LOG_LEVEL_WARNING, "%s", problem);
}

static void sa_client_publish(struct sa_client *a)
{
    pthread_mutex_lock(&a->lock);
    memcpy(a->status.subscriptions, a->subscriptions.each, sizeof a->status.subscriptions);
    a->status.sm_answers = a->watch.silences == 0 && a->watch.answered_at != 0;
    pthread_mutex_unlock(&a->lock);
}

void sa_client_status(struct sa_client *client, struct sa_status *out)
{
    pthread_mutex_lock(&client->lock);
    *out = client->status;
    pthread_mutex_unlock(&client->lock);
    out->now = sa_client_now_of(client);
}

static void sa_client_count(struct sa_client *a, uint64_t *counter)
{
    pthread_mutex_lock(&a->lock);
    (*counter)++;
    pthread_mutex_unlock(&a->lock);
}

// The SA key.

// Whether the master SM may get it. If only some may, it has to be known first who is master.
static bool sa_client_may_send_key(const struct sa_client *a)
{
    bool may = a->options.key_guid_count == 0;
    for (size_t i = 0; i < a->options.key_guid_count; i++)
        may |= a->options.key_guids[i] == a->status.sm.port_guid;
    return may && a->options.has_sa_key;
}

static void sa_client_use_key(struct sa_client *a, bool use)
{
    if (use != a->key_used)
        log_debug(a->options.log, "the SA key goes with %s",
                  use ? "every request from now on" : "the subscriptions that need it only");
    a->key_used = use;
    shared_port_set_sa_key(&a->port, a->status.port.sm_lid, use ? a->options.sa_key : 0);
}

static void sa_client_check_key(struct sa_client *a)
{
    const uint64_t guid = a->status.sm.port_guid;
    const bool waits = a->options.has_sa_key && a->options.key_guid_count > 0 && guid == 0;
    a->watch.identify = a->subscriptions.holds_keyed = waits;
    if (!a->options.has_sa_key || guid == 0 || guid == a->denied || sa_client_may_send_key(a))
        return;
    a->denied = guid;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet manager with port GUID 0x%016" PRIx64
              " does not get the SA key: item 'sa_key_guids' does not name it",
              guid);
}

// The SM took a request with the key, so that it takes all. It may answer more from now on.
static void sa_client_accept_key(struct sa_client *a, int64_t now)
{
    if (a->key_used || !sa_client_may_send_key(a))
        return;
    sa_client_use_key(a, true);
    sm_watch_forgive(&a->watch, now);
}

// Sending.

static uint32_t new_tid(struct sa_client *a)
{
    return atomic_fetch_add(&a->next_tid, 1) & ~MAD_TID_BATCH;
}

// Sends Get(PortInfo) to the own port. False: this host may send no SMPs.
static bool sa_client_query_port(struct sa_client *a, uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address own = {.lid = 0xFFFF};
    const uint64_t mkey = atomic_load(&a->mkey);
    if (shared_port_smp_refusal(&a->port, mkey))
        return false;
    smp_query_own_port(mad, tid, mkey);
    return shared_port_send(&a->port, MAD_AGENT_SMP, &own, mad, REQUEST_TIMEOUT_MS) ||
           !shared_port_smp_refusal(&a->port, mkey);
}

static void sa_client_make_query(struct sa_client *a, enum sm_watch_kind kind, uint32_t tid,
                                 uint8_t mad[MAD_SIZE])
{
    uint8_t gid[ADDRESS_GID_SIZE];
    switch (kind) {
    case SM_WATCH_NODE:
        mad_query_node(mad, tid, a->status.port.sm_lid);
        break;
    case SM_WATCH_LIST:
        wire_put(gid, 8, a->status.port.subnet_prefix);
        wire_put(gid + 8, 8, a->status.id.guid);
        mad_query_subscriptions(mad, tid, gid);
        break;
    default:
        smp_make_lid_get(mad, 0, SMP_SM_INFO, 0);
        mad_set_tid(mad, tid);
    }
}

// Begins a round of queries to the SM, and renews a subscription if they alone do not show whether
// it lives.
static void ask_sm(struct sa_client *a, int64_t now)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_port *port = &a->status.port;
    sm_watch_begin(&a->watch, now, REQUEST_TIMEOUT_US, a->options.verify_us);
    for (enum sm_watch_kind kind = 0; kind < SM_WATCH_KINDS; kind++) {
        const bool smp = kind == SM_WATCH_INFO;
        if (!sm_watch_wants(&a->watch, kind) || (smp && a->status.smp_refusal[0] != '\0'))
            continue;
        const uint32_t tid = new_tid(a);
        const struct mad_address to = {
            .lid = port->sm_lid, .qpn = smp ? 0 : 1, .sl = smp ? 0 : port->sm_sl};
        sa_client_make_query(a, kind, tid, mad);
        shared_port_send(&a->port, smp ? MAD_AGENT_SMP_LID : MAD_AGENT_SA, &to, mad,
                         REQUEST_TIMEOUT_MS);
        sm_watch_asked(&a->watch, kind, tid, a->options.refresh_us);
    }
    if (sm_watch_wants_probe(&a->watch))
        subscriptions_renew_one(&a->subscriptions, now);
}

// Whether to request it with the key, even if the SM has not accepted the key yet. That to all
// traps is requested without after a first silence: the key may be wrong.
static bool sa_client_is_keyed(const struct sa_client *a, const struct subscription *one)
{
    const bool all = one->trap == MAD_TRAP_ALL && one->state != SUBSCRIPTION_NO_ANSWER;
    return sa_client_may_send_key(a) && (a->key_used || all || subscriptions_needs_key(one->trap));
}

static void send_subscription(struct sa_client *a, struct subscription *one, bool subscribe,
                              uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address to = {
        .lid = a->status.port.sm_lid, .qpn = 1, .sl = a->status.port.sm_sl};
    one->keyed = sa_client_is_keyed(a, one);
    mad_subscribe(mad, tid, one->keyed ? a->options.sa_key : 0, one->trap, subscribe);
    shared_port_send(&a->port, MAD_AGENT_SA, &to, mad, REQUEST_TIMEOUT_MS);
}

// Where the SA has no room for all subscriptions, one to all traps takes their place.
static void sa_client_reduce(struct sa_client *a, int64_t now)
{
    struct subscription *one = subscriptions_reduce(&a->subscriptions, now);
    if (!one)
        return;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet manager has no room for more subscriptions: ibtrapd subscribes to all "
              "traps at once, where it takes that");
    send_subscription(a, one, false, new_tid(a));
}

static void ask_subscriptions(struct sa_client *a, int64_t now)
{
    struct subscription *one;
    sa_client_check_key(a);
    sa_client_reduce(a, now);
    while ((one = subscriptions_due(&a->subscriptions, now)) != NULL) {
        uint32_t tid = new_tid(a);
        send_subscription(a, one, true, tid);
        subscriptions_asked(one, tid, now);
    }
}

// Changes.

static void sa_client_emit_change(struct sa_client *a, enum sa_change change, const char *reason)
{
    a->options.listener.change(a->options.listener.ctx, change, a->status.port.subnet_prefix,
                               reason);
}

static void report_lost(struct sa_client *a, const char *reason)
{
    a->notified_lost = true;
    log_condition(a->options.log, LOG_LEVEL_WARNING, "the subscriptions were lost: %s", reason);
    sa_client_emit_change(a, SA_SUBSCRIPTIONS_LOST, reason);
}

static void subscribe_again(struct sa_client *a, int64_t now, const char *reason)
{
    log_debug(a->options.log, "subscribing to everything anew: %s", reason);
    if (a->settled) {
        a->settled = false;
        a->unsettled_since = now;
        report_lost(a, reason);
    }
    subscriptions_restart(&a->subscriptions, now);
    sm_watch_ask_now(&a->watch, now);
}

static void check_settled(struct sa_client *a, int64_t now)
{
    if (!a->settled && subscriptions_settled(&a->subscriptions)) {
        char sm[256], reason[400];
        a->settled = true;
        sa_words_sm(&a->status.sm, a->status.port.sm_lid, sm, sizeof sm);
        double seconds = (double)(now - a->unsettled_since) / (double)CLOCK_US_PER_S;
        snprintf(reason, sizeof reason, "%s confirmed %zu of %d after %.1f s", sm,
                 subscriptions_subscribed(&a->subscriptions), (int)SUBSCRIPTIONS_COUNT, seconds);
        if (a->notified_lost) {
            log_condition(a->options.log, LOG_LEVEL_INFO, "subscribed: %s", reason);
            sa_client_emit_change(a, SA_SUBSCRIPTIONS_RESTORED, reason);
        } else {
            log_write(a->options.log, LOG_LEVEL_INFO, "subscribed: %s", reason);
        }
        a->notified_lost = false;
    }
    if (!a->settled && !a->notified_lost && now - a->unsettled_since > FIRST_SETTLE_US)
        report_lost(a, a->status.problem[0]
                           ? a->status.problem
                           : "the subnet manager has not answered since ibtrapd began "
                             "to ask");
}

static void sa_client_handle_port(struct sa_client *a, const struct mad_port *port, int64_t now)
{
    const struct mad_port old = a->status.port;
    bool was_up = mad_port_is_up(&old);
    char reason[400];
    if (log_is_debug(a->options.log) && sa_words_port_reading(&old, port, reason, sizeof reason))
        log_debug(a->options.log, "%s port %u: %s", a->status.id.device, a->status.id.port, reason);
    pthread_mutex_lock(&a->lock);
    a->status.port = *port;
    // Another SM than before may be master when the port comes up again.
    const bool anew = a->options.key_guid_count > 0 && !mad_port_is_up(port);
    if (old.sm_lid != port->sm_lid || anew)
        a->status.sm = (struct mad_node){0}; // of the former SM
    pthread_mutex_unlock(&a->lock);

    if (!mad_port_is_up(port)) {
        sa_client_use_key(a, false);
        sa_words_port_not_ready(&a->status.id, port, reason, sizeof reason);
        sa_client_set_problem(a, reason);
        if (was_up)
            subscribe_again(a, now, reason);
        return;
    }
    if (old.sm_lid != port->sm_lid) {
        sm_watch_init(&a->watch, now);
        sa_client_use_key(a, false);
        a->activity = 0;
    }
    if (!was_up)
        a->watch.silences = 0;
    if (a->watch.silences < SM_SILENCES_MAX)
        sa_client_set_problem(a, a->port_problem);
    if (sa_words_port_change(&old, port, reason, sizeof reason))
        subscribe_again(a, now, reason);
}

static void sa_client_handle_node(struct sa_client *a, const struct mad_node *sm, int64_t now)
{
    uint64_t old = a->status.sm.port_guid;
    pthread_mutex_lock(&a->lock);
    if (sm->description[0] != '\0' || old != sm->port_guid) // SMInfo has no description
        a->status.sm = *sm;
    pthread_mutex_unlock(&a->lock);
    if (old == 0 || old == sm->port_guid)
        return;
    a->activity = 0;
    sa_client_use_key(a, false);
    char reason[200];
    snprintf(reason, sizeof reason,
             "another subnet manager is master: port GUID 0x%016" PRIx64
             " instead of 0x%016" PRIx64,
             sm->port_guid, old);
    if (a->settled)
        subscribe_again(a, now, reason);
}

// The SM also lists the subscriptions of other programs on this port.
static void remember_listed(void *ctx, uint32_t trap)
{
    struct sa_client *a = ctx;
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++)
        a->listed[i] |= a->subscriptions.each[i].trap == trap;
}

// Gives up what the SM holds from a former run and would report a second time.
static void sa_client_give_up_doubles(struct sa_client *a)
{
    struct subscription *each = a->subscriptions.each;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        if (a->listed[i] && subscriptions_is_covered(&a->subscriptions, &each[i]))
            send_subscription(a, &each[i], false, new_tid(a));
    }
    if (a->listed[SUBSCRIPTIONS_ALL] && !a->subscriptions.wants_all)
        send_subscription(a, &each[SUBSCRIPTIONS_ALL], false, new_tid(a));
}

// Compares the subscriptions that the SM lists (`none`: it has no record) with those that it had
// confirmed before the query was sent. Later confirmations do not count, since the SM may answer
// requests in another order.
static void handle_list(struct sa_client *a, const struct mad_received *in, bool none, int64_t now)
{
    struct mad_subscriptions list = {0};
    memset(a->listed, 0, sizeof a->listed);
    if (!a->settled)
        return;
    if (!none && !mad_read_subscriptions(in->octets, in->size, &list, remember_listed, a))
        return;
    sa_client_give_up_doubles(a);
    size_t missing = subscriptions_missing(&a->subscriptions, a->listed,
                                           a->watch.queries[SM_WATCH_LIST].asked_at);
    if (missing == 0 || (list.cut && list.records > 0))
        return;
    char reason[200];
    snprintf(reason, sizeof reason,
             "the subnet manager no longer holds %zu of them; it was probably restarted", missing);
    subscribe_again(a, now, reason);
}

// Takes an SMInfo, which the SM answers even if it drops the other queries. Without its list of
// subscriptions, its activity count shows that it was restarted.
static void sa_client_handle_info(struct sa_client *a, const uint8_t *data, int64_t now)
{
    struct fabric_sm info;
    if (!data || !smp_read_sm_info(data, &info))
        return;
    const uint32_t before = a->activity, activity = smp_read_activity(data);
    const bool same = a->status.sm.port_guid == info.guid;
    sa_client_handle_node(a, &(struct mad_node){.port_guid = info.guid}, now);
    a->activity = activity;
    if (!same || activity >= before || !a->settled || !a->watch.queries[SM_WATCH_LIST].mute)
        return;
    char reason[200];
    snprintf(reason, sizeof reason,
             "the subnet manager was restarted: its activity count fell from %" PRIu32
             " to %" PRIu32,
             before, activity);
    subscribe_again(a, now, reason);
}

// Receiving.

// The SM answered. If it was silent before, subscribes to everything at once, whatever the back-off
// is.
static void note_sm_answer(struct sa_client *a, int64_t now)
{
    char sm[256], reason[300];
    if (a->watch.silences >= SM_SILENCES_MAX)
        subscriptions_restart(&a->subscriptions, now);
    sm_watch_heard(&a->watch, now);
    if (!a->notified_unreachable)
        return;
    sa_words_sm(&a->status.sm, a->status.port.sm_lid, sm, sizeof sm);
    snprintf(reason, sizeof reason, "%s answers again after %.1f s", sm,
             (double)(now - a->silent_since) / (double)CLOCK_US_PER_S);
    a->notified_unreachable = false;
    sa_client_emit_change(a, SA_SM_BACK, reason);
}

static void handle_sa_answer(struct sa_client *a, const struct mad_header *h,
                             const struct mad_received *in, int64_t now)
{
    uint32_t tid = (uint32_t)h->tid;
    struct mad_node node;
    const bool keyed = subscriptions_is_keyed(&a->subscriptions, tid);
    if (subscriptions_answered(&a->subscriptions, tid, h->status, now)) {
        note_sm_answer(a, now);
        if (keyed && h->status == 0)
            sa_client_accept_key(a, now);
    } else if (sm_watch_answers(&a->watch, SM_WATCH_NODE, tid)) {
        note_sm_answer(a, now);
        if (h->status == 0 && mad_read_node(in->octets, in->size, &node))
            sa_client_handle_node(a, &node, now);
    } else if (sm_watch_answers(&a->watch, SM_WATCH_LIST, tid)) {
        note_sm_answer(a, now);
        bool none = h->status >> 8 == 3; // no records
        if (h->status == 0 || none)
            handle_list(a, in, none, now);
    }
    check_settled(a, now);
}

// Whether a MAD from that LID is the master SM's: one of its port's LIDs. OpenSM gives every port
// of an adapter the LMC of the own one.
static bool sa_client_is_master(const struct sa_client *a, uint16_t lid)
{
    const struct mad_port *port = &a->status.port;
    return mad_port_is_up(port) && lid >> port->lmc == port->sm_lid >> port->lmc;
}

static void sa_client_handle_report(struct sa_client *a, const struct mad_received *in, int64_t now)
{
    struct error err;
    if (!sa_client_is_master(a, in->from.lid)) {
        sa_client_count(a, &a->status.counters.foreign);
        log_write_limited(a->options.log, &a->foreign_limit, LOG_LEVEL_WARNING,
                          "ignored a datagram from LID %u: only the master subnet manager, LID %u, "
                          "may send reports",
                          in->from.lid, a->status.port.sm_lid);
        a->port_query.ask_at = now; // perhaps that LID has just become the master SM
        return;
    }
    sa_client_count(a, &a->status.counters.reports);
    struct sa_report *report = calloc(1, sizeof *report);
    if (!report)
        return;
    report->from = in->from;
    report->from.grh = NULL;
    report->has_grh = in->from.grh != NULL;
    if (report->has_grh)
        report->grh = *in->from.grh;
    report->arrived_at = now;
    report->subnet_prefix = a->status.port.subnet_prefix;
    report->size = in->size < MAD_SIZE ? in->size : MAD_SIZE;
    memcpy(report->mad, in->octets, report->size);
    if (!mad_check_report(in->octets, in->size, &err)) {
        sa_client_count(a, &a->status.counters.malformed);
        report->malformed = true;
        snprintf(report->reason, sizeof report->reason, "%.*s", (int)sizeof report->reason - 1,
                 err.text);
    } else {
        subscriptions_reported(&a->subscriptions, mad_reported_trap(in->octets), now);
    }
    if (a->options.listener.report(a->options.listener.ctx, report))
        return;
    free(report);
    sa_client_count(a, &a->status.counters.no_room);
    log_write_limited(
        a->options.log, &a->room_limit, LOG_LEVEL_WARNING,
        "reports arrive faster than they can be handled; the subnet manager will send "
        "them again");
}

static bool sa_client_answers_port(struct sa_client *a, uint32_t tid)
{
    if (a->port_query.answer_by == 0 || a->port_query.tid != tid)
        return false;
    a->port_query.answer_by = 0;
    return true;
}

static void handle_mad(struct sa_client *a, const struct mad_received *in, int64_t now)
{
    struct mad_header h;
    bool has_header = mad_read_header(in->octets, in->size, &h);
    struct mad_port port;
    bool response = has_header && h.method & MAD_METHOD_RESPONSE;
    if (has_header && shared_port_route(&a->port, &h, in))
        return;
    const bool from_sm = sa_client_is_master(a, in->from.lid);
    if (has_header && h.mgmt_class == MAD_CLASS_SMP_DIRECT) {
        if (sa_client_answers_port(a, (uint32_t)h.tid) && mad_status(&h) == 0 &&
            mad_read_own_port(in->octets, in->size, &port)) {
            a->port_silences = 0;
            sa_client_handle_port(a, &port, now);
        }
    } else if (response && h.mgmt_class == MAD_CLASS_SMP_LID) {
        if (from_sm && sm_watch_answers(&a->watch, SM_WATCH_INFO, (uint32_t)h.tid))
            sa_client_handle_info(a, smp_answer(in->octets, in->size, SMP_SM_INFO), now);
    } else if (response) {
        if (from_sm && h.mgmt_class == MAD_CLASS_SA)
            handle_sa_answer(a, &h, in, now);
    } else {
        sa_client_handle_report(a, in, now);
    }
}

// The loop.

// Keeps why this host may send no SMPs, and logs it once. NULL: it may.
static void sa_client_note_refusal(struct sa_client *a, const char *why)
{
    if (strcmp(a->status.smp_refusal, why ? why : "") == 0)
        return;
    pthread_mutex_lock(&a->lock);
    snprintf(a->status.smp_refusal, sizeof a->status.smp_refusal, "%s", why ? why : "");
    pthread_mutex_unlock(&a->lock);
    if (why)
        log_write(
            a->options.log, LOG_LEVEL_WARNING,
            "%s port %u: this host may send no SMPs: %s. The kernel says how the port is, and "
            "sweeps ask the subnet administration",
            a->status.id.device, a->status.id.port, why);
}

// Queries the own port by SMP or, where this host may send none, reads what the kernel knows.
static void sa_client_ask_port(struct sa_client *a, int64_t now)
{
    struct error err;
    struct mad_port port;
    struct port_query *q = &a->port_query;
    q->tid = new_tid(a);
    q->answer_by = now + REQUEST_TIMEOUT_US;
    q->ask_at = now + PORT_POLL_US;
    const bool sent = sa_client_query_port(a, q->tid);
    sa_client_note_refusal(a,
                           sent ? NULL : shared_port_smp_refusal(&a->port, atomic_load(&a->mkey)));
    if (sent || !shared_port_read_port(&a->port, &port, &err))
        return;
    q->answer_by = 0;
    a->port_silences = 0;
    sa_client_handle_port(a, &port, now);
}

// Reads again what the kernel may have changed about the port.
static void sa_client_refresh_port(struct sa_client *a, int64_t now)
{
    const char *problem = shared_port_refresh(&a->port);
    a->refresh_at = now + REFRESH_PORT_US;
    snprintf(a->port_problem, sizeof a->port_problem, "%s", problem ? problem : "");
}

static void sa_client_report_unreachable(struct sa_client *a, const char *sm)
{
    char reason[300];
    a->notified_unreachable = true;
    snprintf(reason, sizeof reason, "%s has not answered %u queries in a row", sm,
             a->watch.silences);
    sa_client_emit_change(a, SA_SM_UNREACHABLE, reason);
}

static void sa_client_handle_silence(struct sa_client *a, int64_t now)
{
    char sm[256], reason[300];
    if (a->watch.silences == 1 && !a->notified_unreachable)
        a->silent_since = a->watch.began_at;
    sa_client_use_key(a, false); // it may have been changed
    if (a->watch.silences < SM_SILENCES_MAX)
        return;
    sa_words_sm(&a->status.sm, a->status.port.sm_lid, sm, sizeof sm);
    if (!a->notified_unreachable && mad_port_is_up(&a->status.port))
        sa_client_report_unreachable(a, sm);
    snprintf(reason, sizeof reason, "%s does not answer", sm);
    if (a->settled)
        subscribe_again(a, now, reason);
    sa_client_set_problem(a, reason);
}

// Logs once what the SM does not answer although it lives.
static void sa_client_note_mute(struct sa_client *a)
{
    char mute[sizeof a->status.unanswered], sm[256];
    struct text t = text_in(mute, sizeof mute);
    sm_watch_add_mute(&a->watch, &t);
    const size_t before = strlen(a->status.unanswered);
    if (strcmp(mute, a->status.unanswered) == 0)
        return;
    sa_words_sm(&a->status.sm, a->status.port.sm_lid, sm, sizeof sm);
    if (t.len > before)
        log_write(a->options.log, LOG_LEVEL_WARNING,
                  "%s does not answer queries for %s, and answers others%s; each check renews a "
                  "subscription instead",
                  sm, mute,
                  a->key_used ? ""
                              : ": it may trust only clients with its SA key (item 'sa_key_file')");
    else if (t.len == 0)
        log_write(a->options.log, LOG_LEVEL_INFO, "%s answers all queries again", sm);
    pthread_mutex_lock(&a->lock);
    memcpy(a->status.unanswered, mute, sizeof mute);
    pthread_mutex_unlock(&a->lock);
}

static void sa_client_expire(struct sa_client *a, int64_t now)
{
    if (a->port_query.answer_by != 0 && a->port_query.answer_by <= now) {
        a->port_query.answer_by = 0;
        a->port_silences++;
        log_debug(a->options.log, "the port did not answer about itself, %u times in a row",
                  a->port_silences);
    }
    subscriptions_expire(&a->subscriptions, now);
    if (sm_watch_expire(&a->watch, now))
        sa_client_handle_silence(a, now);
    sa_client_note_mute(a);
}

static void sa_client_tick(struct sa_client *a, int64_t now)
{
    sa_client_expire(a, now);
    if (atomic_exchange(&a->resubscribe, false)) {
        log_write(a->options.log, LOG_LEVEL_INFO, "subscribing again, as requested");
        subscriptions_restart(&a->subscriptions, now);
    }
    if (atomic_exchange(&a->woken, false))
        a->refresh_at = a->port_query.ask_at = a->watch.round_at = now;
    if (a->refresh_at <= now)
        sa_client_refresh_port(a, now);
    if (atomic_exchange(&a->reregister, false) && a->status.smp_refusal[0] != '\0')
        subscribe_again(a, now, "the subnet manager asked for new registrations");
    if (a->port_query.answer_by == 0 && a->port_query.ask_at <= now)
        sa_client_ask_port(a, now);
    if (mad_port_is_up(&a->status.port)) {
        if (sm_watch_is_due(&a->watch, now))
            ask_sm(a, now);
        ask_subscriptions(a, now);
    }
    check_settled(a, now);
    sa_client_publish(a);
}

// When to try again to open a port: soon; or, if the kernel refused, later each time, by chance a
// little earlier or later than other programs that it refuses.
static int64_t sa_client_reopen_after(struct sa_client *a, bool refused)
{
    int64_t us = REOPEN_US;
    uint32_t chance;
    a->refusals = refused ? a->refusals + 1 : 0;
    for (unsigned i = 0; i < a->refusals && us < REOPEN_MAX_US; i++)
        us *= 2;
    if (!refused)
        return us;
    us = us < REOPEN_MAX_US ? us : REOPEN_MAX_US;
    a->options.random->fill(a->options.random->ctx, &chance, sizeof chance);
    return us - us / 4 + (int64_t)(chance % (uint64_t)(us / 2 + 1));
}

static bool sa_client_open_port(struct sa_client *a, int64_t now)
{
    struct error err;
    struct mad_io io;
    struct mad_port_id id = {0};
    const bool opened = a->options.opener.open(a->options.opener.ctx, &io, &id, &err);
    a->reopen_at = now + sa_client_reopen_after(a, !opened && id.refused);
    if (!opened) {
        sa_client_set_problem(a, err.text);
        return false;
    }
    shared_port_open(&a->port, &io);
    pthread_mutex_lock(&a->lock);
    a->status.open = true;
    a->status.id = id;
    a->status.port = (struct mad_port){0};
    a->status.sm = (struct mad_node){0};
    a->status.smp_refusal[0] = '\0';
    pthread_mutex_unlock(&a->lock);
    a->refresh_at = now;
    a->port_query = (struct port_query){0};
    sm_watch_init(&a->watch, now);
    sa_client_use_key(a, false);
    a->activity = 0;
    a->port_silences = 0;
    a->better_at = now + BETTER_PORT_US;
    subscriptions_restart(&a->subscriptions, now);
    log_write(a->options.log, LOG_LEVEL_INFO, "opened %s port %u (port GUID 0x%016" PRIx64 ")",
              id.device, id.port, id.guid);
    return true;
}

static void close_port(struct sa_client *a)
{
    shared_port_close(&a->port);
    pthread_mutex_lock(&a->lock);
    a->status.open = false;
    a->status.port = (struct mad_port){0};
    pthread_mutex_unlock(&a->lock);
}

static void lose_port(struct sa_client *a, const char *reason, int64_t now)
{
    sa_client_set_problem(a, reason);
    close_port(a);
    a->reopen_at = now;
    subscribe_again(a, now, reason);
}

// While nothing is under way, waits until the next query to the port; everything else that is due
// can wait until then.
static int receive_wait_ms(const struct sa_client *a, int64_t now)
{
    bool rests = a->settled && a->port_query.answer_by == 0 && !sm_watch_is_busy(&a->watch) &&
                 subscriptions_under_way(&a->subscriptions) == 0;
    int64_t ms = (a->port_query.ask_at - now + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
    if (!rests)
        return RECEIVE_WAIT_MS;
    return ms > 1 ? (int)ms : 1;
}

static void serve_port(struct sa_client *a)
{
    struct mad_received in;
    struct error err;
    int64_t now = sa_client_now_of(a);
    sa_client_tick(a, now);
    int rc = shared_port_receive(&a->port, &in, receive_wait_ms(a, now), &err);
    now = sa_client_now_of(a);
    if (rc > 0) {
        handle_mad(a, &in, now);
    } else if (rc < 0) {
        error_prefix(&err, "%s port %u is gone", a->status.id.device, a->status.id.port);
        lose_port(a, err.text, now);
    } else if (a->port_silences >= PORT_SILENCES_MAX) {
        error_set(&err,
                  "%s port %u does not answer about itself and is opened again; does it want an "
                  "M_Key (item 'mkey_file')?",
                  a->status.id.device, a->status.id.port);
        lose_port(a, err.text, now);
    } else if (!mad_port_is_up(&a->status.port) && now >= a->better_at) {
        a->better_at = now + BETTER_PORT_US;
        if (a->options.opener.better(a->options.opener.ctx, &a->status.id))
            lose_port(a, "another port is active, this one is not", now);
    }
}

static void send_unsubscription(struct sa_client *a, struct subscription *one)
{
    uint32_t tid = new_tid(a);
    send_subscription(a, one, false, tid);
    subscriptions_asked(one, tid, sa_client_now_of(a));
}

// Handles MADs, Reports included, until all unsubscriptions are answered, or for UNSUBSCRIBE_US.
// False: the port is gone.
static bool await_unsubscribed(struct sa_client *a)
{
    int64_t end = sa_client_now_of(a) + UNSUBSCRIBE_US;
    while (subscriptions_under_way(&a->subscriptions) > 0 && sa_client_now_of(a) < end) {
        struct mad_received in;
        struct error err;
        int rc = shared_port_receive(&a->port, &in, RECEIVE_WAIT_MS, &err);
        if (rc < 0)
            return false;
        if (rc > 0)
            handle_mad(a, &in, sa_client_now_of(a));
    }
    return true;
}

static void unsubscribe(struct sa_client *a)
{
    // Settled, so that answers about subscriptions or port that arrive now cause no change.
    a->settled = true;
    a->port_query = (struct port_query){0};
    sm_watch_ask_now(&a->watch, sa_client_now_of(a));
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &a->subscriptions.each[i];
        const bool held = one->state == SUBSCRIPTION_SUBSCRIBED &&
                          !subscriptions_is_covered(&a->subscriptions, one);
        one->answer_by = 0;
        if (held && mad_port_is_up(&a->status.port))
            send_unsubscription(a, one);
    }
    for (int attempt = 1; await_unsubscribed(a) && attempt < UNSUBSCRIBE_ATTEMPTS; attempt++) {
        for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
            if (a->subscriptions.each[i].answer_by != 0)
                send_unsubscription(a, &a->subscriptions.each[i]);
        }
    }
}

static void *sa_client_run(void *arg)
{
    struct sa_client *a = arg;
    a->unsettled_since = sa_client_now_of(a);
    while (!atomic_load(&a->stop)) {
        int64_t now = sa_client_now_of(a);
        if (shared_port_is_open(&a->port)) {
            serve_port(a);
        } else if (now < a->reopen_at || !sa_client_open_port(a, now)) {
            check_settled(a, now);
            sa_client_publish(a);
            nanosleep(&(struct timespec){.tv_nsec = RECEIVE_WAIT_MS * 1000000L}, NULL);
        }
    }
    shared_port_dismiss(&a->port, "ibtrapd stops");
    if (shared_port_is_open(&a->port))
        unsubscribe(a);
    return NULL;
}

struct sa_client *sa_client_new(const struct sa_options *options, struct error *err)
{
    struct sa_client *a = calloc(1, sizeof *a);
    if (!a) {
        error_set(err, "out of memory");
        return NULL;
    }
    a->options = *options;
    a->notified_lost = options->was_lost;
    a->notified_unreachable = options->was_unreachable;
    a->silent_since = sa_client_now_of(a);
    a->status.has_sa_key = options->has_sa_key;
    uint32_t first_tid;
    options->random->fill(options->random->ctx, &first_tid, sizeof first_tid);
    atomic_init(&a->next_tid, first_tid);
    atomic_init(&a->mkey, options->mkey);
    subscriptions_init(&a->subscriptions, options->refresh_us, options->all_traps, options->random,
                       options->log);
    pthread_mutex_init(&a->lock, NULL);
    shared_port_init(&a->port, options->log, options->clock);
    sa_client_publish(a);
    return a;
}

bool sa_client_start(struct sa_client *client, struct error *err)
{
    int rc = thread_start(&client->thread, "sa-client", sa_client_run, client);
    client->started = rc == 0;
    return rc == 0 || error_set(err, "cannot start the thread of the SA agent: %s", strerror(rc));
}

// Wakes the thread that receives, by a query to the own port whose answer it ignores. Only a MAD
// can wake it, since the simulator's descriptors cannot be polled together with others. Without an
// answer, it wakes within a second.
static void sa_client_wake_by_query(struct sa_client *a)
{
    sa_client_query_port(a, new_tid(a));
}

void sa_client_stop(struct sa_client *client)
{
    if (!client || !client->started)
        return;
    atomic_store(&client->stop, true);
    sa_client_wake_by_query(client);
    pthread_join(client->thread, NULL);
    client->started = false;
}

void sa_client_free(struct sa_client *client)
{
    if (!client)
        return;
    shared_port_close(&client->port);
    shared_port_destroy(&client->port);
    pthread_mutex_destroy(&client->lock);
    free(client);
}

void sa_client_acknowledge(struct sa_client *client, const struct sa_report *report)
{
    uint8_t mad[MAD_SIZE];
    mad_answer_report(mad, report->mad, report->size,
                      report->malformed ? MAD_STATUS_INVALID_FIELD : 0);
    struct mad_address to = report->from;
    to.grh = report->has_grh ? &report->grh : NULL;
    if (shared_port_send(&client->port, MAD_AGENT_SA, &to, mad, 0))
        sa_client_count(client, &client->status.counters.acknowledged);
}

void sa_client_change_mkey(struct sa_client *client, uint64_t mkey)
{
    atomic_store(&client->mkey, mkey);
}

void sa_client_resubscribe(struct sa_client *client)
{
    atomic_store(&client->resubscribe, true);
    sa_client_wake_by_query(client);
}

void sa_client_reregister(struct sa_client *client)
{
    atomic_store(&client->reregister, true);
    sa_client_wake(client);
}

void sa_client_wake(struct sa_client *client)
{
    atomic_store(&client->woken, true);
    sa_client_wake_by_query(client);
}

bool sa_client_attach(struct sa_client *client, struct mad_io *out, struct error *err)
{
    bool attached = shared_port_attach(&client->port, out, err);
    pthread_mutex_lock(&client->lock);
    if (!attached && !client->status.open && client->status.problem[0] != '\0')
        error_set(err, "no port is open: %s", client->status.problem);
    pthread_mutex_unlock(&client->lock);
    return attached;
}
