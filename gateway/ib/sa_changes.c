// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_changes.h"

#include "ib/sa_words.h"

#include <stdio.h>

static const int64_t FIRST_SETTLE_US = 30 * CLOCK_US_PER_S; // then still unsettled means lost

void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *reason)
{
    a->options.listener.change(a->options.listener.ctx, change, a->status.port.subnet_prefix,
                               reason);
}

static void sa_changes_report_lost(struct sa_client *a, const char *reason)
{
    a->notified_lost = true;
    log_condition(a->options.log, LOG_LEVEL_WARNING, "the subscriptions were lost: %s", reason);
    sa_changes_emit(a, SA_SUBSCRIPTIONS_LOST, reason);
}

void sa_changes_subscribe_again(struct sa_client *a, int64_t now, const char *reason)
{
    log_debug(a->options.log, "subscribing to everything anew: %s", reason);
    if (a->settled) {
        a->settled = false;
        a->unsettled_since = now;
        sa_changes_report_lost(a, reason);
    }
    subscriptions_restart(&a->subscriptions, now);
    sm_watch_ask_now(&a->watch, now);
}

void sa_changes_check_settled(struct sa_client *a, int64_t now)
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
            sa_changes_emit(a, SA_SUBSCRIPTIONS_RESTORED, reason);
        } else {
            log_write(a->options.log, LOG_LEVEL_INFO, "subscribed: %s", reason);
        }
        a->notified_lost = false;
    }
    if (!a->settled && !a->notified_lost && now - a->unsettled_since > FIRST_SETTLE_US)
        sa_changes_report_lost(a, a->status.problem[0]
                                      ? a->status.problem
                                      : "the subnet manager has not answered since ibtrapd began "
                                        "to ask");
}
