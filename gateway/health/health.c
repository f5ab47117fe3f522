// SPDX-License-Identifier: BSD-2-Clause
#include "health/health.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Inserts a finding behind all findings with the same state. Drops the last finding when there is
// no room.
__attribute__((format(printf, 3, 4))) static void
health_find(struct health *h, enum health_state state, const char *fmt, ...)
{
    char sentence[2 * HEALTH_SENTENCE_SIZE];
    struct health_finding found = {.state = state};
    TEXT_FILL(sentence, fmt);
    text_clean(sentence, strlen(sentence), found.sentence, sizeof found.sentence);
    size_t place = h->count;
    while (place > 0 && h->findings[place - 1].state < state)
        place--;
    if (place == HEALTH_FINDINGS_MAX)
        return;
    h->count += h->count < HEALTH_FINDINGS_MAX;
    memmove(&h->findings[place + 1], &h->findings[place],
            (h->count - place - 1) * sizeof h->findings[0]);
    h->findings[place] = found;
    h->state = h->findings[0].state;
}

// Subscriptions that the SA could confirm. Without an SA key, the SA refuses subscriptions to
// security traps.
static unsigned health_wanted(const struct sa_status *sa)
{
    unsigned wanted = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        wanted += sa->subscriptions[i].state == SUBSCRIPTION_SUBSCRIBED || sa->has_sa_key ||
                  !subscriptions_needs_key(sa->subscriptions[i].trap);
    return wanted;
}

// A part that is missing shortly after the start may still come.
static enum health_state health_unless_starting(const struct health_facts *f)
{
    return f->uptime_us < HEALTH_START_S * CLOCK_US_PER_S ? HEALTH_WARNING : HEALTH_CRITICAL;
}

static void health_judge_port(const struct health_facts *f, struct health *h)
{
    const struct sa_status *sa = f->sa;
    const enum health_state bad = health_unless_starting(f);
    const char *why = sa->problem;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        h->subscribed += sa->subscriptions[i].state == SUBSCRIPTION_SUBSCRIBED;
    if (!sa->open)
        health_find(h, bad, "no InfiniBand port is open%s%s", why[0] ? ": " : "", why);
    else if (why[0] != '\0')
        health_find(h, bad, "%s", why);
    else if (!sa->sm_answers)
        health_find(h, bad, "the subnet manager does not answer");
    else if (h->subscribed == 0)
        health_find(h, bad, "the subnet manager has confirmed no subscription");
    else if (h->subscribed < health_wanted(sa))
        health_find(h, HEALTH_WARNING, "%u of %u subscriptions are missing",
                    health_wanted(sa) - h->subscribed, (unsigned)SUBSCRIPTIONS_COUNT);
}

static void health_judge_journal(const struct health_facts *f, struct health *h)
{
    const struct journal_status *j = f->journal;
    h->events = j->rows;
    h->alarms = (int64_t)j->alarms;
    memcpy(h->alarms_of, j->alarms_of, sizeof h->alarms_of);
    if (!j->durable)
        health_find(h, HEALTH_CRITICAL, "the journal is in memory only%s%s",
                    j->problem[0] ? ": " : "", j->problem);
    if (j->alarms_missed > 0)
        health_find(h, HEALTH_WARNING, "there are more alarms than there is room for");
}

// A sweep may take its whole interval. Then the next sweep begins, and may take its whole interval,
// too.
static void health_judge_sweep(const struct health_facts *f, struct health *h)
{
    const struct sweeper_status *s = f->sweep;
    h->sweep_age_s = -1;
    if (s->method == SWEEP_OFF)
        return;
    const int64_t patience_us =
        3 * f->sweep_interval_us + s->last_duration_us + HEALTH_START_S * CLOCK_US_PER_S;
    const int64_t age_us = s->last_begin_us == 0 ? f->uptime_us : f->now_us - s->last_begin_us;
    if (s->last_begin_us != 0)
        h->sweep_age_s = age_us > 0 ? age_us / CLOCK_US_PER_S : 0;
    if (s->problem[0] != '\0')
        health_find(h, HEALTH_WARNING, "the last sweep of the fabric: %s", s->problem);
    else if (age_us > patience_us && s->last_begin_us == 0)
        health_find(h, HEALTH_WARNING, "no sweep of the fabric has ended yet");
    else if (age_us > patience_us)
        health_find(h, HEALTH_WARNING, "the last sweep of the fabric was %" PRId64 " s ago",
                    h->sweep_age_s);
}

static void health_judge_receivers(const struct health_facts *f, struct health *h)
{
    h->receivers = f->receiver_count;
    for (size_t i = 0; i < f->receiver_count; i++) {
        const struct receiver_status *s = f->receivers[i].status;
        h->paused += s->paused;
        h->failing += !s->paused && s->problem[0] != '\0';
        h->waiting = s->lag > h->waiting ? s->lag : h->waiting;
    }
    const bool nobody = h->failing == h->receivers;
    for (size_t i = 0; i < f->receiver_count; i++) {
        const struct health_receiver *r = &f->receivers[i];
        if (r->status->paused)
            health_find(h, HEALTH_WARNING, "receiver %s is paused", r->name);
        else if (r->status->problem[0] != '\0')
            health_find(h, nobody ? HEALTH_CRITICAL : HEALTH_WARNING, "receiver %s fails: %s",
                        r->name, r->status->problem);
    }
}

void health_judge(const struct health_facts *facts, struct health *out)
{
    const struct sa_status *sa = facts->sa;
    *out = (struct health){.standby = facts->standby};
    health_judge_port(facts, out);
    health_judge_journal(facts, out);
    health_judge_receivers(facts, out);
    health_judge_sweep(facts, out);
    if (facts->reload_refused)
        health_find(out, HEALTH_WARNING,
                    "the last reload was refused: ibtrapctl status says why, and the former "
                    "configuration is in force");
    out->ready = sa->open && sa->sm_answers && out->subscribed > 0 && sa->problem[0] == '\0';
}

const char *health_word(enum health_state state)
{
    static const char *const WORDS[] = {"ok", "warning", "critical"};
    return WORDS[state];
}

static void health_add_findings(const struct health *h, struct text *t)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < h->count && i < SHOWN; i++)
        text_addf(t, "%s%s", i ? "; " : "", h->findings[i].sentence);
    if (h->count > SHOWN)
        text_addf(t, "; and %zu more", h->count - SHOWN);
}

void health_add_line(const struct health *h, struct text *t)
{
    static const char *const WORDS[] = {"OK", "WARNING", "CRITICAL"};
    text_addf(t, "%s: ", WORDS[h->state]);
    if (h->count > 0) {
        health_add_findings(h, t);
        return;
    }
    text_addf(t, "%u of %u subscriptions", h->subscribed, (unsigned)SUBSCRIPTIONS_COUNT);
    if (h->sweep_age_s >= 0)
        text_addf(t, ", swept %" PRId64 " s ago", h->sweep_age_s);
    text_addf(t, ", %zu receiver%s, %" PRId64 " active alarm%s%s", h->receivers,
              h->receivers == 1 ? "" : "s", h->alarms, h->alarms == 1 ? "" : "s",
              h->standby ? ", standby" : "");
}
