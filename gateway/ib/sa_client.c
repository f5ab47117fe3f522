// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_client.h"

#include "base/memory.h"
#include "base/thread.h"
#include "ib/node_mad.h"
#include "ib/sa_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// While a request is under way, the thread waits for MADs for RECEIVE_WAIT_MS at most.
enum { RECEIVE_WAIT_MS = 200 };
static const int64_t BEHIND_MAX_US = 600 * CLOCK_US_PER_S;
static const int64_t NO_ROOM_US = 2 * CLOCK_US_PER_S; // the SM repeats a Report for less
static const int64_t UNSUBSCRIBE_US = 1 * CLOCK_US_PER_S;
enum { PORT_SILENCES_MAX = 5, UNSUBSCRIBE_ATTEMPTS = 3 };

// Status.

static void sa_client_publish(struct sa_client *a)
{
    pthread_mutex_lock(&a->lock);
    memcpy(a->status.subscriptions, a->subscriptions.each, sizeof a->status.subscriptions);
    a->status.sa = a->redirect.to;
    a->status.sm_answers = a->watch.silences == 0 && a->watch.answered_at != 0;
    pthread_mutex_unlock(&a->lock);
}

void sa_client_status(struct sa_client *client, struct sa_status *out)
{
    pthread_mutex_lock(&client->lock);
    *out = client->status;
    pthread_mutex_unlock(&client->lock);
    out->now = sa_state_now(client);
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
    a->gaps = (struct report_gaps){.highest = 0};
    sa_redirect_forget(&a->redirect);
    sa_key_use(a, false);
    if (a->settled)
        sa_changes_subscribe_again(a, now,
                                   "another subnet manager is master: port GUID 0x%016" PRIx64
                                   " instead of 0x%016" PRIx64,
                                   sm->port_guid, old);
}

// The SM also lists the subscriptions of other programs on this port.
static void sa_client_remember_listed(void *ctx, uint32_t trap)
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
            sa_requests_send_subscription(a, &each[i], false);
    }
    if (a->listed[SUBSCRIPTIONS_ALL] && !a->subscriptions.wants_all)
        sa_requests_send_subscription(a, &each[SUBSCRIPTIONS_ALL], false);
}

// Compares the subscriptions in the SM's list (`none`: the list is empty) with the subscriptions
// that were confirmed before the query was sent. Later confirmations do not count, since the SM may
// answer requests in another order.
static void sa_client_handle_list(struct sa_client *a, const struct mad_received *in, bool none,
                                  int64_t now)
{
    struct mad_subscriptions list = {0};
    memset(a->listed, 0, sizeof a->listed);
    if (!a->settled)
        return;
    if (!none && !mad_read_subscriptions(in->octets, in->size, &list, sa_client_remember_listed, a))
        return;
    sa_client_give_up_doubles(a);
    size_t missing = subscriptions_missing(&a->subscriptions, a->listed,
                                           a->watch.queries[SM_WATCH_LIST].asked_at);
    if (missing == 0 || (list.cut && list.records > 0))
        return;
    sa_changes_subscribe_again(
        a, now, "the subnet manager no longer holds %zu of them; it was probably restarted",
        missing);
}

// Whether the activity count began anew. It may have wrapped round instead; between two checks, the
// count rises by less than ACTIVITY_STEP_MAX, because OpenSM counts its SMPs.
static bool sa_client_is_restart(uint32_t before, uint32_t activity)
{
    enum { ACTIVITY_STEP_MAX = 1 << 24 };
    const uint32_t steps = activity - before; // modulo 2^32
    return activity < before && steps > ACTIVITY_STEP_MAX;
}

// Takes an SMInfo. The SM answers SMInfo even if it drops the other queries. If the SM gives no
// list of subscriptions, the activity count shows a restart.
static void sa_client_handle_info(struct sa_client *a, const uint8_t *data, int64_t now)
{
    struct fabric_sm info;
    if (!data || !smp_read_sm_info(data, &info)) {
        sm_watch_refused(&a->watch, SM_WATCH_INFO);
        return;
    }
    const uint32_t before = a->activity, activity = info.activity;
    const bool same = a->status.sm.port_guid == info.guid;
    sa_client_handle_node(a, &(struct mad_node){.port_guid = info.guid}, now);
    a->activity = activity;
    if (!same || !sa_client_is_restart(before, activity) || !a->settled ||
        !a->watch.queries[SM_WATCH_LIST].mute)
        return;
    sa_changes_subscribe_again(a, now,
                               "the subnet manager was restarted: its activity count fell from "
                               "%" PRIu32 " to %" PRIu32,
                               before, activity);
}

// Receiving.

// The SM answered. If it was silent before, subscribes to everything at once, whatever the back-off
// is.
static void sa_client_note_sm_answer(struct sa_client *a, int64_t now)
{
    if (a->watch.silences >= SA_SM_SILENCES_MAX)
        subscriptions_restart(&a->subscriptions, now);
    sm_watch_heard(&a->watch, now);
    if (!a->notified_unreachable)
        return;
    a->notified_unreachable = false;
    sa_changes_emit(a, SA_SM_BACK, "%s answers again after %.1f s", sa_words_sm(a).text,
                    (double)(now - a->silent_since) / (double)CLOCK_US_PER_S);
}

// Whether a request to the SA with this TransactionID is under way.
static bool sa_client_is_asked(struct sa_client *a, uint32_t tid)
{
    bool asked = subscriptions_asked_with(&a->subscriptions, tid) != NULL;
    for (enum sm_watch_kind kind = 0; kind < SM_WATCH_KINDS; kind++) {
        const struct sm_watch_query *query = &a->watch.queries[kind];
        asked |= kind != SM_WATCH_INFO && query->answer_by != 0 && query->tid == tid;
    }
    return asked;
}

// Sends a request again to where the SA redirected it. False: that is not followed.
static bool sa_client_follow(struct sa_client *a, uint32_t tid, const struct mad_received *in,
                             int64_t now)
{
    struct error reason;
    const uint16_t before = a->redirect.to.lid;
    if (!sa_redirect_take(&a->redirect, in, a->status.port.subnet_prefix, now, &reason)) {
        log_write_limited(a->options.log, &a->redirect_limit, LOG_LEVEL_WARNING,
                          "the subnet manager redirects requests, and ibtrapd does not follow: %s",
                          reason.text);
        sa_key_use(a, false);
        return false;
    }
    if (a->redirect.to.lid != before) {
        log_write_limited(a->options.log, &a->redirect_limit, LOG_LEVEL_INFO,
                          "requests to the subnet administration go to LID %u, QP %u, as the "
                          "subnet manager wants it",
                          a->redirect.to.lid, a->redirect.to.qpn);
        sa_key_use(a, a->key_used && sa_key_may_go(a));
    }
    if (!subscriptions_redirected(&a->subscriptions, tid, now))
        sm_watch_ask_now(&a->watch, now);
    return true;
}

static void sa_client_handle_sa_answer(struct sa_client *a, const struct mad_header *h,
                                       const struct mad_received *in, int64_t now)
{
    uint32_t tid = (uint32_t)h->tid;
    struct mad_node node;
    if (!sa_client_is_asked(a, tid))
        return;
    if (!(h->status & MAD_STATUS_REDIRECT))
        sa_redirect_served(&a->redirect, now);
    else if (sa_client_follow(a, tid, in, now))
        return;
    const struct subscription *one = subscriptions_asked_with(&a->subscriptions, tid);
    const bool keyed = one && one->keyed;
    if (subscriptions_answered(&a->subscriptions, tid, h->status, now)) {
        sa_client_note_sm_answer(a, now);
        if (keyed && h->status == 0)
            sa_key_accept(a, now);
    } else if (sm_watch_answers(&a->watch, SM_WATCH_NODE, tid)) {
        sa_client_note_sm_answer(a, now);
        if (h->status == 0 && mad_read_node(in->octets, in->size, &node))
            sa_client_handle_node(a, &node, now);
        else
            sm_watch_refused(&a->watch, SM_WATCH_NODE);
    } else if (sm_watch_answers(&a->watch, SM_WATCH_LIST, tid)) {
        sa_client_note_sm_answer(a, now);
        bool none = h->status >> 8 == 3; // no records
        if (h->status == 0 || none)
            sa_client_handle_list(a, in, none, now);
    }
    sa_changes_check_settled(a, now);
}

// Whether a MAD from that LID is the master SM's: one of the LIDs of the SM's port, or of the SA's.
// OpenSM gives every port of an adapter the LMC of the own one.
static bool sa_client_is_master(const struct sa_client *a, uint16_t lid)
{
    const struct mad_port *port = &a->status.port;
    const uint16_t sa = a->redirect.to.lid;
    return mad_port_is_up(port) && (lid >> port->lmc == port->sm_lid >> port->lmc ||
                                    (sa != 0 && lid >> port->lmc == sa >> port->lmc));
}

// `h` is NULL for a MAD without a header.
static void sa_client_handle_report(struct sa_client *a, const struct mad_header *h,
                                    const struct mad_received *in, int64_t now)
{
    struct error err;
    if (!sa_client_is_master(a, in->from.lid)) {
        sa_state_count(a, &a->status.counters.foreign);
        log_write_limited(a->options.log, &a->foreign_limit, LOG_LEVEL_WARNING,
                          "ignored a datagram from LID %u: only the master subnet manager, LID %u, "
                          "may send reports",
                          in->from.lid, a->status.port.sm_lid);
        sa_port_look(a, now); // perhaps that LID has just become the master SM
        return;
    }
    sa_state_count(a, &a->status.counters.reports);
    if (h)
        report_gaps_note(&a->gaps, (uint32_t)h->tid, now);
    struct sa_report *report = memory_zeroed(1, sizeof *report);
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
        sa_state_count(a, &a->status.counters.malformed);
        report->malformed = true;
        snprintf(report->reason, sizeof report->reason, "%.*s", (int)sizeof report->reason - 1,
                 err.text);
    } else {
        subscriptions_reported(&a->subscriptions, mad_reported_trap(in->octets), now);
    }
    if (a->options.listener.report(a->options.listener.ctx, report))
        return;
    free(report);
    sa_state_count(a, &a->status.counters.no_room);
    if (a->no_room_since == 0)
        a->no_room_since = now;
    log_write_limited(
        a->options.log, &a->room_limit, LOG_LEVEL_WARNING,
        "reports arrive faster than they can be handled; the subnet manager will send "
        "them again");
}

static void sa_client_handle_mad(struct sa_client *a, const struct mad_received *in, int64_t now)
{
    struct mad_header h;
    bool has_header = mad_read_header(in->octets, in->size, &h);
    struct mad_port port;
    bool response = has_header && h.method & MAD_METHOD_RESPONSE;
    if (has_header && shared_port_route(&a->port, &h, in))
        return;
    const bool from_sm = sa_client_is_master(a, in->from.lid);
    if (has_header && h.mgmt_class == MAD_CLASS_SMP_DIRECT) {
        if (sa_port_answers(a, (uint32_t)h.tid) && mad_status(&h) == 0 &&
            mad_read_own_port(in->octets, in->size, &port)) {
            a->port_silences = 0;
            sa_port_handle(a, &port, now);
        }
    } else if (response && h.mgmt_class == MAD_CLASS_SMP_LID) {
        if (from_sm && sm_watch_answers(&a->watch, SM_WATCH_INFO, (uint32_t)h.tid))
            sa_client_handle_info(
                a, node_mad_answer(in->octets, in->size, h.mgmt_class, SMP_SM_INFO), now);
    } else if (response) {
        if (from_sm && h.mgmt_class == MAD_CLASS_SA)
            sa_client_handle_sa_answer(a, &h, in, now);
    } else {
        sa_client_handle_report(a, has_header ? &h : NULL, in, now);
    }
}

// The loop.

static void sa_client_handle_silence(struct sa_client *a, int64_t now)
{
    const struct sa_words sm = sa_words_sm(a);
    struct sa_words reason;
    if (a->watch.silences == 1 && !a->notified_unreachable)
        a->silent_since = a->watch.began_at;
    sa_key_use(a, false); // it may have been changed
    if (a->watch.silences < SA_SM_SILENCES_MAX)
        return;
    sa_redirect_forget(&a->redirect); // the SM may know another address
    if (!a->notified_unreachable && mad_port_is_up(&a->status.port)) {
        a->notified_unreachable = true;
        sa_changes_emit(a, SA_SM_UNREACHABLE, "%s has not answered %u queries in a row", sm.text,
                        a->watch.silences);
    }
    snprintf(reason.text, sizeof reason.text, "%s does not answer", sm.text);
    if (a->settled)
        sa_changes_subscribe_again(a, now, "%s", reason.text);
    // Without its P_Key in the port's table no SM answers: the administrator has to mend the P_Key
    // first.
    sa_state_set_problem(a, a->port_problem[0] != '\0' ? a->port_problem : reason.text);
}

// Logs once which queries the SM leaves unanswered although the SM lives.
static void sa_client_note_mute(struct sa_client *a)
{
    char mute[sizeof a->status.unanswered];
    struct text t = text_in(mute, sizeof mute);
    sm_watch_add_mute(&a->watch, &t);
    const size_t before = strlen(a->status.unanswered);
    if (!sa_state_set_text(a, a->status.unanswered, sizeof a->status.unanswered, mute))
        return;
    const struct sa_words sm = sa_words_sm(a);
    if (t.len > before)
        log_write(a->options.log, LOG_LEVEL_WARNING,
                  "%s does not answer queries for %s, and answers others%s; each check renews a "
                  "subscription instead",
                  sm.text, mute,
                  a->key_used || a->port_problem[0] != '\0'
                      ? ""
                      : ": it may trust only clients with its SA key (item 'sa_key_file')");
    else if (t.len == 0)
        log_write(a->options.log, LOG_LEVEL_INFO, "%s answers all queries again", sm.text);
}

// An answer may wait in the kernel behind up to 200,000 other MADs. So nobody is silent before all
// waiting MADs were read, or before ten minutes, because MADs may come without end.
static void sa_client_expire(struct sa_client *a, int64_t now)
{
    if (a->behind_since != 0 && now - a->behind_since < BEHIND_MAX_US)
        return;
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

// The SM repeats a Report that found no room, unless the SM gave up earlier.
static void sa_client_check_room(struct sa_client *a, int64_t now)
{
    if (a->no_room_since == 0 || now - a->no_room_since < NO_ROOM_US)
        return;
    a->no_room_since = 0;
    sa_changes_emit(a, SA_REPORTS_MISSED, "there was no room for reports");
}

// What the lost Reports were about, a sweep finds.
static void sa_client_check_gaps(struct sa_client *a, int64_t now)
{
    const uint32_t missed = report_gaps_judge(&a->gaps, now);
    if (missed == 0)
        return;
    pthread_mutex_lock(&a->lock);
    a->status.counters.missed += missed;
    pthread_mutex_unlock(&a->lock);
    log_write_limited(
        a->options.log, &a->missed_limit, LOG_LEVEL_WARNING,
        "%u reports of the subnet manager did not arrive: more came at once than the "
        "kernel holds, or the fabric lost them; a sweep looks for what they were about",
        (unsigned)missed);
    sa_changes_emit(a, SA_REPORTS_MISSED, "reports did not arrive");
}

static void sa_client_tick(struct sa_client *a, int64_t now)
{
    sa_client_expire(a, now);
    sa_client_check_gaps(a, now);
    sa_client_check_room(a, now);
    if (atomic_exchange(&a->resubscribe, false)) {
        log_write(a->options.log, LOG_LEVEL_INFO, "subscribing again, as requested");
        subscriptions_restart(&a->subscriptions, now);
    }
    if (atomic_exchange(&a->woken, false))
        a->refresh_at = a->port_query.ask_at = a->watch.round_at = now;
    if (a->refresh_at <= now)
        sa_port_refresh(a, now);
    if (atomic_exchange(&a->reregister, false) && a->status.smp_refusal[0] != '\0')
        sa_changes_subscribe_again(a, now, "the subnet manager asked for new registrations");
    if (a->port_query.answer_by == 0 && a->port_query.ask_at <= now)
        sa_port_ask(a, now);
    if (mad_port_is_up(&a->status.port)) {
        if (sm_watch_is_due(&a->watch, now))
            sa_requests_ask_sm(a, now);
        sa_requests_ask_subscriptions(a, now);
    }
    sa_changes_check_settled(a, now);
    sa_client_publish(a);
}

// While nothing is under way, waits until the next query to the port; everything else that is due
// can wait until then.
static int sa_client_receive_wait_ms(const struct sa_client *a, int64_t now)
{
    bool rests = a->settled && a->port_query.answer_by == 0 && !sm_watch_is_busy(&a->watch) &&
                 subscriptions_under_way(&a->subscriptions) == 0;
    int64_t ms = (a->port_query.ask_at - now + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
    if (!rests)
        return a->behind_since != 0 ? 1 : RECEIVE_WAIT_MS; // 1: to see whether more MADs wait
    return ms > 1 ? (int)ms : 1;
}

static void sa_client_serve_port(struct sa_client *a)
{
    struct mad_received in;
    struct error err;
    int64_t now = sa_state_now(a);
    sa_client_tick(a, now);
    int rc = shared_port_receive(&a->port, &in, sa_client_receive_wait_ms(a, now), &err);
    now = sa_state_now(a);
    a->behind_since = rc <= 0 ? 0 : a->behind_since != 0 ? a->behind_since : now;
    if (rc > 0) {
        sa_client_handle_mad(a, &in, now);
    } else if (rc < 0) {
        error_prefix(&err, "%s port %u is gone", a->status.id.device, a->status.id.port);
        sa_port_lose(a, err.text, now);
    } else if (a->port_silences >= PORT_SILENCES_MAX) {
        error_set(&err,
                  "%s port %u does not answer about itself and is opened again; does it want an "
                  "M_Key (item 'mkey_file')?",
                  a->status.id.device, a->status.id.port);
        sa_port_lose(a, err.text, now);
    } else if (sa_port_has_better(a, now)) {
        sa_port_lose(a, "another port is active, this one is not", now);
    }
}

static void sa_client_send_unsubscription(struct sa_client *a, struct subscription *one)
{
    subscriptions_asked(one, sa_requests_send_subscription(a, one, false), sa_state_now(a));
}

// Handles MADs, Reports included, until all unsubscriptions are answered, or for UNSUBSCRIBE_US.
// False: the port is gone.
static bool sa_client_await_unsubscribed(struct sa_client *a)
{
    int64_t end = sa_state_now(a) + UNSUBSCRIBE_US;
    while (subscriptions_under_way(&a->subscriptions) > 0 && sa_state_now(a) < end) {
        struct mad_received in;
        struct error err;
        int rc = shared_port_receive(&a->port, &in, RECEIVE_WAIT_MS, &err);
        if (rc < 0)
            return false;
        if (rc > 0)
            sa_client_handle_mad(a, &in, sa_state_now(a));
    }
    return true;
}

static void sa_client_unsubscribe(struct sa_client *a)
{
    // While settled, late answers about subscriptions or the port cause no change.
    a->settled = true;
    a->port_query = (struct port_query){0};
    sm_watch_ask_now(&a->watch, sa_state_now(a));
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &a->subscriptions.each[i];
        const bool held = one->state == SUBSCRIPTION_SUBSCRIBED &&
                          !subscriptions_is_covered(&a->subscriptions, one);
        one->answer_by = 0;
        if (held && mad_port_is_up(&a->status.port))
            sa_client_send_unsubscription(a, one);
    }
    for (int attempt = 1; sa_client_await_unsubscribed(a) && attempt < UNSUBSCRIBE_ATTEMPTS;
         attempt++) {
        for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
            if (a->subscriptions.each[i].answer_by != 0)
                sa_client_send_unsubscription(a, &a->subscriptions.each[i]);
        }
    }
}

static void *sa_client_run(void *arg)
{
    struct sa_client *a = arg;
    a->unsettled_since = sa_state_now(a);
    while (!atomic_load(&a->stop)) {
        int64_t now = sa_state_now(a);
        if (shared_port_is_open(&a->port)) {
            sa_client_serve_port(a);
        } else if (now < a->reopen_at || !sa_port_open(a, now)) {
            sa_changes_check_settled(a, now);
            sa_client_publish(a);
            nanosleep(&(struct timespec){.tv_nsec = RECEIVE_WAIT_MS * 1000000L}, NULL);
        }
    }
    shared_port_dismiss(&a->port, "ibtrapd stops");
    if (shared_port_is_open(&a->port))
        sa_client_unsubscribe(a);
    return NULL;
}

struct sa_client *sa_client_new(const struct sa_options *options)
{
    struct sa_client *a = memory_zeroed(1, sizeof *a);
    a->options = *options;
    a->notified_lost = options->was_lost;
    a->notified_unreachable = options->was_unreachable;
    a->silent_since = sa_state_now(a);
    a->status.has_sa_key = options->has_sa_key;
    uint32_t first_tid;
    options->random->fill(options->random->ctx, &first_tid, sizeof first_tid);
    atomic_init(&a->next_tid, first_tid);
    atomic_init(&a->mkey, options->mkey);
    atomic_init(&a->port_guid, 0);
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

// Wakes the thread that receives by a query to the own port, and ignores the answer. Only a MAD can
// wake the thread, because the simulator's descriptors cannot be polled together with other
// descriptors. Without an answer, the thread wakes within a second.
static void sa_client_wake_by_query(struct sa_client *a)
{
    sa_requests_query_port(a, sa_requests_new_tid(a));
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
    if (shared_port_send(&client->port, &to, mad, 0))
        sa_state_count(client, &client->status.counters.acknowledged);
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

bool sa_client_attach(struct sa_client *client, enum mad_user user, struct mad_io *out,
                      struct error *err)
{
    bool attached = shared_port_attach(&client->port, user, out, err);
    pthread_mutex_lock(&client->lock);
    if (!attached && !client->status.open && client->status.problem[0] != '\0')
        error_set(err, "no port is open: %s", client->status.problem);
    pthread_mutex_unlock(&client->lock);
    return attached;
}
