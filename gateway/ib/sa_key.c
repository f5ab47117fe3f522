// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_key.h"

#include <inttypes.h>

bool sa_key_may_go(const struct sa_client *a)
{
    const uint64_t guid = a->redirect.to.lid != 0 ? a->redirect.to.guid : a->status.sm.port_guid;
    bool may = a->options.key_guid_count == 0;
    for (size_t i = 0; i < a->options.key_guid_count; i++)
        may |= a->options.key_guids[i] == guid;
    return may && a->options.has_sa_key;
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
    if (!a->options.has_sa_key || guid == 0 || guid == a->denied || sa_key_may_go(a))
        return;
    a->denied = guid;
    log_write(a->options.log, LOG_LEVEL_WARNING,
              "the subnet manager with port GUID 0x%016" PRIx64
              " does not get the SA key: item 'sa_key_guids' does not name it",
              guid);
}

void sa_key_accept(struct sa_client *a, int64_t now)
{
    if (a->key_used || !sa_key_may_go(a))
        return;
    sa_key_use(a, true);
    sm_watch_forgive(&a->watch, now);
}
