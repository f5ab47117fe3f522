// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_state.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/wire.h"
#include "ib/node_mad.h"
#include "model/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// REPEATS_MAX: more than requests can be under way.
enum { REDIRECT_STEPS_MAX = 4, REDIRECT_REPEATS_MAX = 64 };
static const int64_t REDIRECT_PAUSE_US = 60 * CLOCK_US_PER_S,
                     REDIRECT_STAY_US = 10 * CLOCK_US_PER_S;

// Reads the address from ClassPortInfo. False with a reason: nothing can be sent there.
static bool sa_state_read(const uint8_t *mad, size_t size, uint64_t prefix, struct mad_address *out,
                          struct error *reason)
{
    enum { DATA = 56, ATTRIBUTE = 16, CLASS_PORT_INFO = 1, END = DATA + 72 };
    enum { GID = 8, SL = 25, SL_SHIFT = 4, LID = 28, PKEY = 30, QPN = 32, QKEY = 36 };
    const uint8_t *info = mad + DATA;
    if (size < END || wire_get16(mad + ATTRIBUTE) != CLASS_PORT_INFO)
        return error_set(reason, "it has no address");
    const uint64_t of = wire_get64(info + GID);
    *out = (struct mad_address){.lid = wire_get16(info + LID),
                                .sl = info[SL] >> SL_SHIFT,
                                .qpn = wire_get32(info + QPN) & 0xFFFFFF,
                                .pkey = wire_get16(info + PKEY),
                                .qkey = wire_get32(info + QKEY),
                                .guid = wire_get64(info + GID + 8)};
    if (of != 0 && of != prefix)
        return error_set(reason, "the address is in another subnet");
    if (out->lid == 0 || out->lid > ADDRESS_LID_UNICAST_MAX)
        return error_set(reason, "its LID %u is none of a port", out->lid);
    return out->qpn != 0 || error_set(reason, "its QP is 0, which takes SMPs only");
}

static bool sa_state_is_same(const struct mad_address *a, const struct mad_address *b)
{
    return a->lid == b->lid && a->sl == b->sl && a->qpn == b->qpn && a->pkey == b->pkey &&
           a->qkey == b->qkey && a->guid == b->guid;
}

bool sa_redirect_take(struct sa_redirect *r, const struct mad_received *in, uint64_t prefix,
                      int64_t now, struct error *reason)
{
    struct mad_address to = {.lid = 0};
    if (now < r->ignore_until)
        return error_set(reason, "there were too many");
    if (!sa_state_read(in->octets, in->size, prefix, &to, reason))
        return false;
    // Requests that were under way get the same redirection; an address must not lead to itself.
    const bool same = sa_state_is_same(&to, &r->to) && in->from.lid != r->to.lid;
    if (same && ++r->repeats <= REDIRECT_REPEATS_MAX)
        return true;
    r->to = to;
    r->changed_at = now;
    if (!same && ++r->steps <= REDIRECT_STEPS_MAX)
        return true;
    sa_redirect_forget(r);
    r->steps = r->repeats = 0;
    r->ignore_until = now + REDIRECT_PAUSE_US;
    return error_set(reason, "one leads to the next, without end");
}

void sa_redirect_served(struct sa_redirect *r, int64_t now)
{
    if (now - r->changed_at >= REDIRECT_STAY_US)
        r->steps = r->repeats = 0;
}

void sa_redirect_forget(struct sa_redirect *r)
{
    r->to = (struct mad_address){.lid = 0};
}

// The state of the client.

int64_t sa_state_now(const struct sa_client *a)
{
    return clock_monotonic(a->options.clock);
}

bool sa_state_set_text(struct sa_client *a, char *to, size_t size, const char *text)
{
    const bool news = strcmp(to, text) != 0;
    pthread_mutex_lock(&a->lock);
    snprintf(to, size, "%s", text);
    pthread_mutex_unlock(&a->lock);
    return news;
}

void sa_state_set_problem(struct sa_client *a, const char *problem)
{
    if (sa_state_set_text(a, a->status.problem, sizeof a->status.problem, problem) &&
        problem[0] != '\0')
        log_write(a->options.log, LOG_LEVEL_WARNING, "%s", problem);
}

void sa_state_count(struct sa_client *a, uint64_t *counter)
{
    pthread_mutex_lock(&a->lock);
    (*counter)++;
    pthread_mutex_unlock(&a->lock);
}

// Where requests to the SA go: to the SM, or to the address to which the SM redirected requests.
static struct mad_address sa_state_sa(const struct sa_client *a)
{
    return mad_sa_address(&a->redirect.to, &a->status.port);
}

// Sentences.

struct sa_words sa_words_sm(const struct sa_client *a)
{
    const struct mad_node *sm = &a->status.sm;
    struct sa_words words = {""};
    struct text t = text_in(words.text, sizeof words.text);
    char name[130];
    text_clean(sm->description, strlen(sm->description), name, sizeof name);
    text_addf(&t, "the subnet manager at LID %u", a->status.port.sm_lid);
    if (name[0] != '\0')
        text_addf(&t, " (%s)", name);
    return words;
}

// Changes.

static const int64_t FIRST_SETTLE_US = 30 * CLOCK_US_PER_S; // then still unsettled means lost

void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *fmt, ...)
{
    struct sa_words reason;
    TEXT_FILL(reason.text, fmt);
    a->options.listener.change(a->options.listener.ctx, change, a->status.port.subnet_prefix,
                               reason.text);
}

static void sa_state_report_lost(struct sa_client *a, const char *reason)
{
    a->notified_lost = true;
    log_condition(a->options.log, LOG_LEVEL_WARNING, "the subscriptions were lost: %s", reason);
    sa_changes_emit(a, SA_SUBSCRIPTIONS_LOST, "%s", reason);
}

void sa_changes_subscribe_again(struct sa_client *a, int64_t now, const char *fmt, ...)
{
    struct sa_words reason;
    TEXT_FILL(reason.text, fmt);
    log_debug(a->options.log, "subscribing to everything anew: %s", reason.text);
    if (a->settled) {
        a->settled = false;
        a->unsettled_since = now;
        sa_state_report_lost(a, reason.text);
    }
    subscriptions_restart(&a->subscriptions, now);
    sm_watch_ask_now(&a->watch, now);
}

void sa_changes_check_settled(struct sa_client *a, int64_t now)
{
    if (!a->settled && subscriptions_settled(&a->subscriptions)) {
        char reason[400];
        a->settled = true;
        double seconds = (double)(now - a->unsettled_since) / (double)CLOCK_US_PER_S;
        snprintf(reason, sizeof reason, "%s confirmed %zu of %d after %.1f s", sa_words_sm(a).text,
                 subscriptions_subscribed(&a->subscriptions), (int)SUBSCRIPTIONS_COUNT, seconds);
        if (a->notified_lost) {
            log_condition(a->options.log, LOG_LEVEL_INFO, "subscribed: %s", reason);
            sa_changes_emit(a, SA_SUBSCRIPTIONS_RESTORED, "%s", reason);
        } else {
            log_write(a->options.log, LOG_LEVEL_INFO, "subscribed: %s", reason);
        }
        a->notified_lost = false;
    }
    if (!a->settled && !a->notified_lost && now - a->unsettled_since > FIRST_SETTLE_US)
        sa_state_report_lost(a, a->status.problem[0]
                                    ? a->status.problem
                                    : "the subnet manager has not answered since ibtrapd began "
                                      "to ask");
}

// The SA key.

static bool sa_state_is_for(const struct sa_client *a, uint64_t guid)
{
    bool is = a->options.key_guid_count == 0;
    for (size_t i = 0; i < a->options.key_guid_count; i++)
        is |= a->options.key_guids[i] == guid;
    return is;
}

// An SM that may not have the key does not say either who may.
bool sa_key_may_go(const struct sa_client *a)
{
    return a->options.has_sa_key && sa_state_is_for(a, a->status.sm.port_guid) &&
           (a->redirect.to.lid == 0 || sa_state_is_for(a, a->redirect.to.guid));
}

void sa_key_use(struct sa_client *a, bool use)
{
    if (use != a->key_used)
        log_debug(a->options.log, "the SA key goes with %s",
                  use ? "every request from now on" : "the subscriptions that need it only");
    a->key_used = use;
    shared_port_set_sa_key(&a->port, sa_state_sa(a).lid, use ? a->options.sa_key : 0);
}

// Holds back the requests that need the key while the master is not known, unless the SM does not
// answer the queries about its name. Logs once that a master does not get the key.
static void sa_state_check_key(struct sa_client *a)
{
    const uint64_t guid = a->status.sm.port_guid;
    const bool smps = a->status.smp_refusal[0] == '\0';
    a->watch.identify = a->options.has_sa_key && a->options.key_guid_count > 0 && guid == 0;
    a->subscriptions.holds_keyed = a->watch.identify && sm_watch_may_identify(&a->watch, smps);
    const bool unknown = a->watch.identify && !a->subscriptions.holds_keyed;
    if (unknown && !a->unknown)
        log_write(a->options.log, LOG_LEVEL_WARNING,
                  "the subnet manager at LID %u does not say who it is, and so does not get the SA "
                  "key: item 'sa_key_guids' names those that may; without the item, each may",
                  a->status.port.sm_lid);
    a->unknown = unknown;
    const bool is_sm = !sa_state_is_for(a, guid);
    const uint64_t denied = is_sm ? guid : a->redirect.to.guid;
    if (!a->options.has_sa_key || guid == 0 || denied == a->denied || sa_key_may_go(a))
        return;
    a->denied = denied;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet %s with port GUID 0x%016" PRIx64
              " does not get the SA key: item 'sa_key_guids' does not name it",
              is_sm ? "manager" : "administration, to which requests are redirected,", denied);
}

void sa_key_accept(struct sa_client *a, int64_t now)
{
    if (a->key_used || !sa_key_may_go(a))
        return;
    sa_key_use(a, true);
    sm_watch_forgive(&a->watch, now);
}

// Requests.

uint32_t sa_requests_new_tid(struct sa_client *a)
{
    return atomic_fetch_add(&a->next_tid, 1) & ~(MAD_TID_SWEEPER | MAD_TID_READS);
}

// The M_Key of the own port; 0: none. Any thread.
static uint64_t sa_state_own_mkey(const struct sa_client *a)
{
    return mkeys_find(a->options.mkeys, atomic_load(&a->port_guid), atomic_load(&a->mkey));
}

bool sa_requests_query_port(struct sa_client *a, uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address own = {.lid = 0xFFFF};
    const uint64_t mkey = sa_state_own_mkey(a);
    if (shared_port_smp_refusal(&a->port, mkey))
        return false;
    smp_query_own_port(mad, tid, mkey);
    return shared_port_send(&a->port, &own, mad, SA_REQUEST_TIMEOUT_MS) ||
           !shared_port_smp_refusal(&a->port, mkey);
}

static void sa_state_make_query(struct sa_client *a, enum sm_watch_kind kind, uint32_t tid,
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
        node_mad_make_get(mad, MAD_CLASS_SMP_LID, SMP_SM_INFO, 0, 0);
        mad_set_tid(mad, tid);
    }
}

void sa_requests_ask_sm(struct sa_client *a, int64_t now)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_port *port = &a->status.port;
    sm_watch_begin(&a->watch, now, SA_REQUEST_TIMEOUT_US, a->options.verify_us);
    for (enum sm_watch_kind kind = 0; kind < SM_WATCH_KINDS; kind++) {
        const bool smp = kind == SM_WATCH_INFO;
        if (!sm_watch_wants(&a->watch, kind) || (smp && a->status.smp_refusal[0] != '\0'))
            continue;
        const uint32_t tid = sa_requests_new_tid(a);
        struct mad_address to = {.lid = port->sm_lid};
        if (!smp)
            to = sa_state_sa(a);
        sa_state_make_query(a, kind, tid, mad);
        shared_port_send(&a->port, &to, mad, SA_REQUEST_TIMEOUT_MS);
        sm_watch_asked(&a->watch, kind, tid, a->options.refresh_us);
    }
    if (sm_watch_wants_probe(&a->watch))
        subscriptions_renew(&a->subscriptions, false, now);
    // The silence may have cost the key, and the SM may answer requests with the key only.
    if (a->watch.silences > 0 && sa_key_may_go(a) && !a->key_used)
        subscriptions_renew(&a->subscriptions, true, now);
}

// Whether to request it with the key, even if the SM has not accepted the key yet. That to all
// traps is requested without after a first silence: the key may be wrong.
static bool sa_state_is_keyed(const struct sa_client *a, const struct subscription *one)
{
    const bool all = one->trap == MAD_TRAP_ALL && one->state != SUBSCRIPTION_NO_ANSWER;
    return sa_key_may_go(a) && (a->key_used || all || subscriptions_needs_key(one->trap));
}

uint32_t sa_requests_send_subscription(struct sa_client *a, struct subscription *one,
                                       bool subscribe)
{
    uint8_t mad[MAD_SIZE];
    const uint32_t tid = sa_requests_new_tid(a);
    const struct mad_address to = sa_state_sa(a);
    one->keyed = sa_state_is_keyed(a, one);
    mad_subscribe(mad, tid, one->keyed ? a->options.sa_key : 0, one->trap, subscribe);
    shared_port_send(&a->port, &to, mad, SA_REQUEST_TIMEOUT_MS);
    return tid;
}

// Where the SA has no room for all subscriptions, one to all traps takes their place.
static void sa_state_reduce(struct sa_client *a, int64_t now)
{
    struct subscription *one = subscriptions_reduce(&a->subscriptions, now);
    if (!one)
        return;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet manager has no room for more subscriptions: ibtrapd subscribes to all "
              "traps at once, where it takes that");
    sa_requests_send_subscription(a, one, false);
}

void sa_requests_ask_subscriptions(struct sa_client *a, int64_t now)
{
    struct subscription *one;
    sa_state_check_key(a);
    sa_state_reduce(a, now);
    while ((one = subscriptions_due(&a->subscriptions, now)) != NULL)
        subscriptions_asked(one, sa_requests_send_subscription(a, one, true), now);
}

// The own port.

static const int64_t PORT_POLL_US = 1 * CLOCK_US_PER_S;
static const int64_t PORT_LOOK_US = 100 * CLOCK_US_PER_MS; // between two looks at least
static const int64_t REFRESH_PORT_US = 10 * CLOCK_US_PER_S;
static const int64_t REOPEN_US = 2 * CLOCK_US_PER_S;
static const int64_t REOPEN_MAX_US = 60 * CLOCK_US_PER_S; // a quarter more or less
static const int64_t BETTER_PORT_US = 5 * CLOCK_US_PER_S;

// Describes the change of a port, which is up, if the client has to subscribe again.
static struct sa_words sa_state_describe_change(const struct mad_port *old,
                                                const struct mad_port *port)
{
    struct sa_words words = {""};
    struct text t = text_in(words.text, sizeof words.text);
    if (!mad_port_is_up(old))
        text_addf(&t, "the port came up");
    else if (old->sm_lid != port->sm_lid)
        text_addf(&t, "the master subnet manager moved from LID %u to LID %u", old->sm_lid,
                  port->sm_lid);
    else if (old->lid != port->lid)
        text_addf(&t, "the port's own LID changed from %u to %u", old->lid, port->lid);
    else if (old->subnet_prefix != port->subnet_prefix)
        text_addf(&t, "the subnet prefix changed");
    else if (!old->client_reregister && port->client_reregister)
        text_addf(&t, "the subnet manager asked for new registrations");
    return words;
}

// All values of a port, old and new, for the debug log.
static void sa_state_log_port(const struct sa_client *a, const struct mad_port *old,
                              const struct mad_port *port)
{
    if (old->state == port->state && old->lid == port->lid && old->sm_lid == port->sm_lid &&
        old->subnet_prefix == port->subnet_prefix &&
        old->client_reregister == port->client_reregister)
        return;
    log_debug(a->options.log,
              "%s port %u: state %s (was %s), LID %u (%u), SM LID %u (%u), subnet prefix "
              "0x%016" PRIx64 "%s",
              a->status.id.device, a->status.id.port, fabric_state_word(port->state),
              fabric_state_word(old->state), port->lid, old->lid, port->sm_lid, old->sm_lid,
              port->subnet_prefix, port->client_reregister ? ", new registrations are wanted" : "");
}

// The next requests are to another SM, or nobody answers.
static void sa_state_forget_sm(struct sa_client *a)
{
    a->redirect = (struct sa_redirect){.steps = 0};
    a->gaps = (struct report_gaps){.highest = 0};
    a->activity = 0;
    sa_key_use(a, false);
}

void sa_port_handle(struct sa_client *a, const struct mad_port *port, int64_t now)
{
    const struct mad_port old = a->status.port;
    bool was_up = mad_port_is_up(&old);
    sa_state_log_port(a, &old, port);
    pthread_mutex_lock(&a->lock);
    a->status.port = *port;
    // Another SM than before may be master when the port comes up again.
    const bool anew = a->options.key_guid_count > 0 && !mad_port_is_up(port);
    if (old.sm_lid != port->sm_lid || anew)
        a->status.sm = (struct mad_node){0}; // of the former SM
    if (old.sm_lid != port->sm_lid && mad_port_is_up(port))
        a->status.unanswered[0] = '\0'; // the next SM is judged anew
    pthread_mutex_unlock(&a->lock);

    if (!mad_port_is_up(port) || old.sm_lid != port->sm_lid)
        sa_state_forget_sm(a);
    if (!mad_port_is_up(port)) {
        char reason[400];
        snprintf(reason, sizeof reason, "port %u of %s is not ready (state %s, LID %u, SM LID %u)",
                 a->status.id.port, a->status.id.device, fabric_state_word(port->state), port->lid,
                 port->sm_lid);
        sa_state_set_problem(a, reason);
        if (was_up)
            sa_changes_subscribe_again(a, now, "%s", reason);
        return;
    }
    if (old.sm_lid != port->sm_lid || old.lid != port->lid)
        a->refresh_at = now; // who changed them may have changed the P_Keys
    if (old.sm_lid != port->sm_lid)
        sm_watch_init(&a->watch, now);
    if (!was_up)
        a->watch.silences = 0;
    if (a->watch.silences < SA_SM_SILENCES_MAX)
        sa_state_set_problem(a, a->port_problem);
    const struct sa_words change = sa_state_describe_change(&old, port);
    if (change.text[0] != '\0')
        sa_changes_subscribe_again(a, now, "%s", change.text);
}

// Keeps why this host may send no SMPs, and logs it once. NULL: it may.
static void sa_state_note_refusal(struct sa_client *a, const char *why)
{
    if (sa_state_set_text(a, a->status.smp_refusal, sizeof a->status.smp_refusal, why ? why : "") &&
        why)
        log_write(
            a->options.log, LOG_LEVEL_WARNING,
            "%s port %u: this host may send no SMPs: %s. The kernel says how the port is, and "
            "sweeps ask the subnet administration",
            a->status.id.device, a->status.id.port, why);
}

void sa_port_ask(struct sa_client *a, int64_t now)
{
    struct error err;
    struct mad_port port;
    struct port_query *q = &a->port_query;
    q->tid = sa_requests_new_tid(a);
    q->asked_at = now;
    q->answer_by = now + SA_REQUEST_TIMEOUT_US;
    q->ask_at = now + PORT_POLL_US;
    const bool sent = sa_requests_query_port(a, q->tid);
    sa_state_note_refusal(a, sent ? NULL : shared_port_smp_refusal(&a->port, sa_state_own_mkey(a)));
    if (sent || !shared_port_read_port(&a->port, &port, &err))
        return;
    q->answer_by = 0;
    a->port_silences = 0;
    sa_port_handle(a, &port, now);
}

void sa_port_look(struct sa_client *a, int64_t now)
{
    struct port_query *q = &a->port_query;
    const int64_t may_at = q->asked_at + PORT_LOOK_US, at = may_at > now ? may_at : now;
    if (at < q->ask_at)
        q->ask_at = at;
}

void sa_port_refresh(struct sa_client *a, int64_t now)
{
    const char *problem = shared_port_refresh(&a->port);
    a->refresh_at = now + REFRESH_PORT_US;
    snprintf(a->port_problem, sizeof a->port_problem, "%s", problem ? problem : "");
}

bool sa_port_answers(struct sa_client *a, uint32_t tid)
{
    if (a->port_query.answer_by == 0 || a->port_query.tid != tid)
        return false;
    a->port_query.answer_by = 0;
    return true;
}

// When to try again to open a port: soon; or, if the kernel refused, later each time, by chance a
// little earlier or later than other refused programs.
static int64_t sa_state_reopen_after(struct sa_client *a, bool refused)
{
    a->refusals = refused ? a->refusals + 1 : 0;
    return refused ? jitter_us(backoff_steady_us(a->refusals + 1, REOPEN_US, REOPEN_MAX_US),
                               a->options.random)
                   : REOPEN_US;
}

bool sa_port_open(struct sa_client *a, int64_t now)
{
    struct error err;
    struct mad_io io;
    struct mad_port_id id = {0};
    const bool opened = a->options.opener.open(a->options.opener.ctx, &io, &id, &err);
    a->reopen_at = now + sa_state_reopen_after(a, !opened && id.refused);
    if (!opened) {
        sa_state_set_problem(a, err.text);
        return false;
    }
    atomic_store(&a->port_guid, id.guid);
    shared_port_open(&a->port, &io);
    pthread_mutex_lock(&a->lock);
    a->status.open = true;
    a->status.id = id;
    a->status.port = (struct mad_port){0};
    a->status.sm = (struct mad_node){0};
    a->status.smp_refusal[0] = '\0';
    a->status.unanswered[0] = '\0';
    pthread_mutex_unlock(&a->lock);
    a->refresh_at = now;
    a->port_query = (struct port_query){0};
    sm_watch_init(&a->watch, now);
    sa_state_forget_sm(a);
    a->port_silences = 0;
    a->better_at = now + BETTER_PORT_US;
    subscriptions_restart(&a->subscriptions, now);
    log_write(a->options.log, LOG_LEVEL_INFO, "opened %s port %u (port GUID 0x%016" PRIx64 ")",
              id.device, id.port, id.guid);
    return true;
}

void sa_port_lose(struct sa_client *a, const char *reason, int64_t now)
{
    sa_state_set_problem(a, reason);
    shared_port_close(&a->port);
    pthread_mutex_lock(&a->lock);
    a->status.open = false;
    a->status.port = (struct mad_port){0};
    pthread_mutex_unlock(&a->lock);
    a->reopen_at = now;
    sa_changes_subscribe_again(a, now, "%s", reason);
}

bool sa_port_has_better(struct sa_client *a, int64_t now)
{
    if (mad_port_is_up(&a->status.port) || now < a->better_at)
        return false;
    a->better_at = now + BETTER_PORT_US;
    return a->options.opener.better(a->options.opener.ctx, &a->status.id);
}
