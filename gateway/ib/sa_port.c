// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_port.h"

#include "ib/sa_requests.h"
#include "ib/sa_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t PORT_POLL_US = 1 * CLOCK_US_PER_S;
static const int64_t PORT_LOOK_US = 100 * CLOCK_US_PER_MS; // between two looks at least
static const int64_t REFRESH_PORT_US = 10 * CLOCK_US_PER_S;
static const int64_t REOPEN_US = 2 * CLOCK_US_PER_S;
static const int64_t REOPEN_MAX_US = 60 * CLOCK_US_PER_S; // a quarter more or less
static const int64_t BETTER_PORT_US = 5 * CLOCK_US_PER_S;

void sa_port_handle(struct sa_client *a, const struct mad_port *port, int64_t now)
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
    if (old.sm_lid != port->sm_lid && mad_port_is_up(port))
        a->status.unanswered[0] = '\0'; // the next SM is judged anew
    pthread_mutex_unlock(&a->lock);

    if (!mad_port_is_up(port) || old.sm_lid != port->sm_lid) {
        a->redirect = (struct sa_redirect){.steps = 0};
        a->gaps = (struct report_gaps){.highest = 0};
    }
    if (!mad_port_is_up(port)) {
        sa_key_use(a, false);
        sa_words_port_not_ready(&a->status.id, port, reason, sizeof reason);
        sa_state_set_problem(a, reason);
        if (was_up)
            sa_changes_subscribe_again(a, now, reason);
        return;
    }
    if (old.sm_lid != port->sm_lid || old.lid != port->lid)
        a->refresh_at = now; // who changed them may have changed the P_Keys
    if (old.sm_lid != port->sm_lid) {
        sm_watch_init(&a->watch, now);
        sa_key_use(a, false);
        a->activity = 0;
    }
    if (!was_up)
        a->watch.silences = 0;
    if (a->watch.silences < SA_SM_SILENCES_MAX)
        sa_state_set_problem(a, a->port_problem);
    if (sa_words_port_change(&old, port, reason, sizeof reason))
        sa_changes_subscribe_again(a, now, reason);
}

// Keeps why this host may send no SMPs, and logs it once. NULL: it may.
static void sa_port_note_refusal(struct sa_client *a, const char *why)
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
    sa_port_note_refusal(a,
                         sent ? NULL : shared_port_smp_refusal(&a->port, sa_requests_own_mkey(a)));
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
static int64_t sa_port_reopen_after(struct sa_client *a, bool refused)
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

bool sa_port_open(struct sa_client *a, int64_t now)
{
    struct error err;
    struct mad_io io;
    struct mad_port_id id = {0};
    const bool opened = a->options.opener.open(a->options.opener.ctx, &io, &id, &err);
    a->reopen_at = now + sa_port_reopen_after(a, !opened && id.refused);
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
    a->redirect = (struct sa_redirect){.steps = 0};
    sa_key_use(a, false);
    a->activity = 0;
    a->port_silences = 0;
    a->better_at = now + BETTER_PORT_US;
    subscriptions_restart(&a->subscriptions, now);
    log_write(a->options.log, LOG_LEVEL_INFO, "opened %s port %u (port GUID 0x%016" PRIx64 ")",
              id.device, id.port, id.guid);
    return true;
}

static void sa_port_close(struct sa_client *a)
{
    shared_port_close(&a->port);
    pthread_mutex_lock(&a->lock);
    a->status.open = false;
    a->status.port = (struct mad_port){0};
    pthread_mutex_unlock(&a->lock);
}

void sa_port_lose(struct sa_client *a, const char *reason, int64_t now)
{
    sa_state_set_problem(a, reason);
    sa_port_close(a);
    a->reopen_at = now;
    sa_changes_subscribe_again(a, now, reason);
}

bool sa_port_has_better(struct sa_client *a, int64_t now)
{
    if (mad_port_is_up(&a->status.port) || now < a->better_at)
        return false;
    a->better_at = now + BETTER_PORT_US;
    return a->options.opener.better(a->options.opener.ctx, &a->status.id);
}
