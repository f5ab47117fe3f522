// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_state.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/wire.h"
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

enum sa_redirection sa_redirect_take(struct sa_redirect *r, const struct mad_received *in,
                                     uint64_t prefix, int64_t now, struct error *reason)
{
    struct mad_address to = {.lid = 0};
    if (now < r->ignore_until) {
        error_set(reason, "there were too many");
        return SA_REDIRECT_REFUSE;
    }
    if (!sa_state_read(in->octets, in->size, prefix, &to, reason))
        return SA_REDIRECT_REFUSE;
    // Requests that were under way get the same redirection; an address must not lead to itself.
    const bool same = sa_state_is_same(&to, &r->to) && in->from.lid != r->to.lid;
    if (same && ++r->repeats <= REDIRECT_REPEATS_MAX)
        return SA_REDIRECT_FOLLOW;
    r->to = to;
    r->changed_at = now;
    if (!same && ++r->steps <= REDIRECT_STEPS_MAX)
        return SA_REDIRECT_FOLLOW;
    sa_redirect_forget(r);
    r->steps = r->repeats = 0;
    r->ignore_until = now + REDIRECT_PAUSE_US;
    error_set(reason, "one leads to the next, without end");
    return SA_REDIRECT_REFUSE;
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

struct mad_address sa_state_sa(const struct sa_client *a)
{
    return mad_sa_address(&a->redirect.to, &a->status.port);
}

// Sentences.

void sa_words_sm(const struct mad_node *sm, uint16_t lid, char *out, size_t size)
{
    struct text t = text_in(out, size);
    char name[130];
    text_clean(sm->description, strlen(sm->description), name, sizeof name);
    text_addf(&t, "the subnet manager at LID %u", lid);
    if (name[0] != '\0')
        text_addf(&t, " (%s)", name);
}

void sa_words_port_not_ready(const struct mad_port_id *id, const struct mad_port *port, char *out,
                             size_t size)
{
    struct text t = text_in(out, size);
    text_addf(&t, "port %u of %s is not ready (state %s, LID %u, SM LID %u)", id->port, id->device,
              fabric_state_word(port->state), port->lid, port->sm_lid);
}

bool sa_words_port_change(const struct mad_port *old, const struct mad_port *port, char *out,
                          size_t size)
{
    struct text t = text_in(out, size);
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
    return t.len > 0;
}

bool sa_words_port_reading(const struct mad_port *old, const struct mad_port *port, char *out,
                           size_t size)
{
    struct text t = text_in(out, size);
    if (old->state == port->state && old->lid == port->lid && old->sm_lid == port->sm_lid &&
        old->subnet_prefix == port->subnet_prefix &&
        old->client_reregister == port->client_reregister)
        return false;
    text_addf(&t,
              "state %s (was %s), LID %u (%u), SM LID %u (%u), subnet prefix 0x%016" PRIx64 "%s",
              fabric_state_word(port->state), fabric_state_word(old->state), port->lid, old->lid,
              port->sm_lid, old->sm_lid, port->subnet_prefix,
              port->client_reregister ? ", new registrations are wanted" : "");
    return true;
}

// Changes.

static const int64_t FIRST_SETTLE_US = 30 * CLOCK_US_PER_S; // then still unsettled means lost

void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *reason)
{
    a->options.listener.change(a->options.listener.ctx, change, a->status.port.subnet_prefix,
                               reason);
}

static void sa_state_report_lost(struct sa_client *a, const char *reason)
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
        sa_state_report_lost(a, reason);
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
        sa_state_report_lost(a, a->status.problem[0]
                                    ? a->status.problem
                                    : "the subnet manager has not answered since ibtrapd began "
                                      "to ask");
}
