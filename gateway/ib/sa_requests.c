// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_requests.h"

#include "base/wire.h"
#include "ib/node_mad.h"

#include <inttypes.h>

// The SA key.

static bool sa_requests_is_for(const struct sa_client *a, uint64_t guid)
{
    bool is = a->options.key_guid_count == 0;
    for (size_t i = 0; i < a->options.key_guid_count; i++)
        is |= a->options.key_guids[i] == guid;
    return is;
}

// An SM that may not have the key does not say either who may.
bool sa_key_may_go(const struct sa_client *a)
{
    return a->options.has_sa_key && sa_requests_is_for(a, a->status.sm.port_guid) &&
           (a->redirect.to.lid == 0 || sa_requests_is_for(a, a->redirect.to.guid));
}

void sa_key_use(struct sa_client *a, bool use)
{
    if (use != a->key_used)
        log_debug(a->options.log, "the SA key goes with %s",
                  use ? "every request from now on" : "the subscriptions that need it only");
    a->key_used = use;
    shared_port_set_sa_key(&a->port, sa_state_sa(a).lid, use ? a->options.sa_key : 0);
}

static void sa_requests_note_unknown(struct sa_client *a, bool unknown)
{
    if (unknown && !a->unknown)
        log_write(a->options.log, LOG_LEVEL_WARNING,
                  "the subnet manager at LID %u does not say who it is, and so does not get the SA "
                  "key: item 'sa_key_guids' names those that may; without the item, each may",
                  a->status.port.sm_lid);
    a->unknown = unknown;
}

void sa_key_check(struct sa_client *a)
{
    const uint64_t guid = a->status.sm.port_guid;
    const bool smps = a->status.smp_refusal[0] == '\0';
    a->watch.identify = a->options.has_sa_key && a->options.key_guid_count > 0 && guid == 0;
    a->subscriptions.holds_keyed = a->watch.identify && sm_watch_may_identify(&a->watch, smps);
    sa_requests_note_unknown(a, a->watch.identify && !a->subscriptions.holds_keyed);
    const bool is_sm = !sa_requests_is_for(a, guid);
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

uint64_t sa_requests_own_mkey(const struct sa_client *a)
{
    return mkeys_find(a->options.mkeys, atomic_load(&a->port_guid), atomic_load(&a->mkey));
}

bool sa_requests_query_port(struct sa_client *a, uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address own = {.lid = 0xFFFF};
    const uint64_t mkey = sa_requests_own_mkey(a);
    if (shared_port_smp_refusal(&a->port, mkey))
        return false;
    smp_query_own_port(mad, tid, mkey);
    return shared_port_send(&a->port, &own, mad, SA_REQUEST_TIMEOUT_MS) ||
           !shared_port_smp_refusal(&a->port, mkey);
}

static void sa_requests_make_query(struct sa_client *a, enum sm_watch_kind kind, uint32_t tid,
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
        sa_requests_make_query(a, kind, tid, mad);
        shared_port_send(&a->port, &to, mad, SA_REQUEST_TIMEOUT_MS);
        sm_watch_asked(&a->watch, kind, tid, a->options.refresh_us);
    }
    if (sm_watch_wants_probe(&a->watch))
        subscriptions_renew_one(&a->subscriptions, now);
    // The silence may have cost the key, and the SM may answer requests with the key only.
    if (a->watch.silences > 0 && sa_key_may_go(a) && !a->key_used)
        subscriptions_renew_keyed(&a->subscriptions, now);
}

// Whether to request it with the key, even if the SM has not accepted the key yet. That to all
// traps is requested without after a first silence: the key may be wrong.
static bool sa_requests_is_keyed(const struct sa_client *a, const struct subscription *one)
{
    const bool all = one->trap == MAD_TRAP_ALL && one->state != SUBSCRIPTION_NO_ANSWER;
    return sa_key_may_go(a) && (a->key_used || all || subscriptions_needs_key(one->trap));
}

void sa_requests_send_subscription(struct sa_client *a, struct subscription *one, bool subscribe,
                                   uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address to = sa_state_sa(a);
    one->keyed = sa_requests_is_keyed(a, one);
    mad_subscribe(mad, tid, one->keyed ? a->options.sa_key : 0, one->trap, subscribe);
    shared_port_send(&a->port, &to, mad, SA_REQUEST_TIMEOUT_MS);
}

// Where the SA has no room for all subscriptions, one to all traps takes their place.
static void sa_requests_reduce(struct sa_client *a, int64_t now)
{
    struct subscription *one = subscriptions_reduce(&a->subscriptions, now);
    if (!one)
        return;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet manager has no room for more subscriptions: ibtrapd subscribes to all "
              "traps at once, where it takes that");
    sa_requests_send_subscription(a, one, false, sa_requests_new_tid(a));
}

void sa_requests_ask_subscriptions(struct sa_client *a, int64_t now)
{
    struct subscription *one;
    sa_key_check(a);
    sa_requests_reduce(a, now);
    while ((one = subscriptions_due(&a->subscriptions, now)) != NULL) {
        uint32_t tid = sa_requests_new_tid(a);
        sa_requests_send_subscription(a, one, true, tid);
        subscriptions_asked(one, tid, now);
    }
}
