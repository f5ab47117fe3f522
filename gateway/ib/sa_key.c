// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_key.h"

#include <inttypes.h>

static bool sa_key_is_for(const struct sa_client *a, uint64_t guid)
{
    bool is = a->options.key_guid_count == 0;
    for (size_t i = 0; i < a->options.key_guid_count; i++)
        is |= a->options.key_guids[i] == guid;
    return is;
}

// An SM that may not have the key does not say either who may.
bool sa_key_may_go(const struct sa_client *a)
{
    return a->options.has_sa_key && sa_key_is_for(a, a->status.sm.port_guid) &&
           (a->redirect.to.lid == 0 || sa_key_is_for(a, a->redirect.to.guid));
}

void sa_key_use(struct sa_client *a, bool use)
{
    if (use != a->key_used)
        log_debug(a->options.log, "the SA key goes with %s",
                  use ? "every request from now on" : "the subscriptions that need it only");
    a->key_used = use;
    shared_port_set_sa_key(&a->port, sa_state_sa(a).lid, use ? a->options.sa_key : 0);
}

static void sa_key_note_unknown(struct sa_client *a, bool unknown)
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
    sa_key_note_unknown(a, a->watch.identify && !a->subscriptions.holds_keyed);
    const bool is_sm = !sa_key_is_for(a, guid);
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
