// SPDX-License-Identifier: BSD-2-Clause
#include "health/health.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Inserts a finding behind all findings with the same state. Drops the last finding when there is
// no room.
__attribute__((format(printf, 3, 4))) static void
health_find(struct health_verdict *v, enum health_state state, const char *fmt, ...)
{
    char sentence[2 * HEALTH_SENTENCE_SIZE];
    struct health_finding found = {.state = state};
    TEXT_FILL(sentence, fmt);
    text_clean(sentence, strlen(sentence), found.sentence, sizeof found.sentence);
    size_t place = v->count;
    while (place > 0 && v->findings[place - 1].state < state)
        place--;
    if (place == HEALTH_FINDINGS_MAX)
        return;
    v->count += v->count < HEALTH_FINDINGS_MAX;
    memmove(&v->findings[place + 1], &v->findings[place],
            (v->count - place - 1) * sizeof v->findings[0]);
    v->findings[place] = found;
    v->state = v->findings[0].state;
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
        health_find(&h->of[HEALTH_OF_GATEWAY], bad, "no InfiniBand port is open%s%s",
                    why[0] ? ": " : "", why);
    else if (why[0] != '\0')
        health_find(&h->of[HEALTH_OF_GATEWAY], bad, "%s", why);
    else if (!sa->sm_answers)
        health_find(&h->of[HEALTH_OF_GATEWAY], bad, "the subnet manager does not answer");
    else if (h->subscribed == 0)
        health_find(&h->of[HEALTH_OF_GATEWAY], bad,
                    "the subnet manager has confirmed no subscription");
    else if (h->subscribed < health_wanted(sa))
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING, "%u of %u subscriptions are missing",
                    health_wanted(sa) - h->subscribed, (unsigned)SUBSCRIPTIONS_COUNT);
}

static void health_judge_journal(const struct health_facts *f, struct health *h)
{
    const struct journal_status *j = f->journal;
    h->events = j->rows;
    memcpy(h->alarms_of, j->alarms_of, sizeof h->alarms_of);
    if (!j->durable)
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_CRITICAL, "the journal is in memory only%s%s",
                    j->problem[0] ? ": " : "", j->problem);
    if (j->alarms_missed > 0)
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING,
                    "there are more alarms than there is room for");
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
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING, "the last sweep of the fabric: %s",
                    s->problem);
    else if (age_us > patience_us && s->last_begin_us == 0)
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING,
                    "no sweep of the fabric has ended yet");
    else if (age_us > patience_us)
        health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING,
                    "the last sweep of the fabric was %" PRId64 " s ago", h->sweep_age_s);
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
            health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING, "receiver %s is paused",
                        r->name);
        else if (r->status->problem[0] != '\0')
            health_find(&h->of[HEALTH_OF_GATEWAY], nobody ? HEALTH_CRITICAL : HEALTH_WARNING,
                        "receiver %s fails: %s", r->name, r->status->problem);
    }
}

// The fabric.

static enum health_state health_of_severity(enum severity severity)
{
    return severity <= SEVERITY_ERROR     ? HEALTH_CRITICAL
           : severity == SEVERITY_WARNING ? HEALTH_WARNING
                                          : HEALTH_OK;
}

// Adds the sentence of an alarm without the full stop, and how many alarms follow from the alarm.
static void health_add_alarm(struct text *t, const struct alarm *alarm)
{
    size_t length = strlen(alarm->text);
    while (length > 0 && alarm->text[length - 1] == '.')
        length--;
    // A long sentence is cut: the number of consequences stays.
    const bool is_long = length > HEALTH_SENTENCE_SIZE - 40;
    text_addf(t, "%.*s%s", (int)(is_long ? HEALTH_SENTENCE_SIZE - 43 : length), alarm->text,
              is_long ? "..." : "");
    if (alarm->consequences > 0)
        text_addf(t, ", and %u alarm%s", alarm->consequences,
                  alarm->consequences == 1 ? " that follows" : "s that follow");
}

static void health_judge_alarms(const struct health_facts *f, struct health *h)
{
    char sentence[HEALTH_SENTENCE_SIZE] = "", counts[HEALTH_SENTENCE_SIZE] = "";
    struct text t = text_in(sentence, sizeof sentence), more = text_in(counts, sizeof counts);
    enum health_state state = HEALTH_OK;
    if (!f->worst)
        return;
    health_add_alarm(&t, f->worst);
    health_find(&h->of[HEALTH_OF_FABRIC], health_of_severity(f->worst->severity), "%s", sentence);
    h->worst_number = f->worst->event_sequence;
    for (int s = 0; s <= SEVERITY_DEBUG; s++) {
        const uint32_t n = h->open[s] - (h->open[s] > 0 && s == (int)f->worst->severity);
        if (n == 0)
            continue;
        if (more.len == 0)
            state = health_of_severity((enum severity)s);
        text_addf(&more, "%s%u of severity %s", more.len ? ", " : "", n,
                  severity_word((enum severity)s));
    }
    if (more.len > 0)
        health_find(&h->of[HEALTH_OF_FABRIC], state, "further alarms: %s", counts);
}

// Nobody is told of the fabric while a window covers all nodes.
static void health_judge_windows(const struct health_facts *f, struct health *h)
{
    const uint32_t held = h->by_standing[ALARM_IN_MAINTENANCE];
    for (size_t i = 0; i < f->windows->count; i++) {
        const struct maintenance_window *window = &f->windows->windows[i];
        char until[CLOCK_TEXT_SIZE];
        if (window->until_us <= f->now_us || !maintenance_covers_all(window))
            continue;
        clock_format_utc(window->until_us, until);
        health_find(&h->of[HEALTH_OF_FABRIC], HEALTH_WARNING,
                    "all nodes are in maintenance until %.19sZ (%s%s%s), and receivers are told "
                    "of nothing: %u active alarm%s held back",
                    until, window->name, window->who[0] ? ", by " : "", window->who, held,
                    held == 1 ? " is" : "s are");
    }
}

// The gateway's own alarms come from what the findings say. The sentence of an alarm is a finding
// only where no other finding is.
static void health_judge_own_alarms(const struct health_facts *f, struct health *h)
{
    char sentence[HEALTH_SENTENCE_SIZE] = "";
    struct text t = text_in(sentence, sizeof sentence);
    if (!f->own || h->of[HEALTH_OF_GATEWAY].count > 0)
        return;
    health_add_alarm(&t, f->own);
    health_find(&h->of[HEALTH_OF_GATEWAY], HEALTH_WARNING, "%s", sentence);
}

void health_judge(const struct health_facts *facts, struct health *out)
{
    const struct sa_status *sa = facts->sa;
    *out = (struct health){.standby = facts->standby, .nodes = facts->sweep->nodes};
    memcpy(out->open, facts->alarms->open, sizeof out->open);
    memcpy(out->by_standing, facts->alarms->by_standing, sizeof out->by_standing);
    health_judge_port(facts, out);
    health_judge_journal(facts, out);
    health_judge_receivers(facts, out);
    health_judge_sweep(facts, out);
    if (facts->reload_refused)
        health_find(&out->of[HEALTH_OF_GATEWAY], HEALTH_WARNING,
                    "the last reload was refused: ibtrapctl status says why, and the former "
                    "configuration is in force");
    health_judge_own_alarms(facts, out);
    health_judge_alarms(facts, out);
    health_judge_windows(facts, out);
    out->ready = sa->open && sa->sm_answers && out->subscribed > 0 && sa->problem[0] == '\0';
}

const char *health_word(enum health_state state)
{
    static const char *const WORDS[] = {"ok", "warning", "critical"};
    return WORDS[state];
}

const char *health_about_word(enum health_about about)
{
    return about == HEALTH_OF_GATEWAY ? "gateway" : "fabric";
}

enum health_about health_worse(const struct health *h)
{
    return h->of[HEALTH_OF_FABRIC].state > h->of[HEALTH_OF_GATEWAY].state ? HEALTH_OF_FABRIC
                                                                          : HEALTH_OF_GATEWAY;
}

static void health_add_findings(const struct health_verdict *v, struct text *t)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < v->count && i < SHOWN; i++)
        text_addf(t, "%s%s", i ? "; " : "", v->findings[i].sentence);
    if (v->count > SHOWN)
        text_addf(t, "; and %zu more", v->count - SHOWN);
}

static void health_add_gateway(const struct health *h, struct text *t)
{
    text_addf(t, "%u of %u subscriptions", h->subscribed, (unsigned)SUBSCRIPTIONS_COUNT);
    if (h->sweep_age_s >= 0) {
        text_add(t, ", swept ");
        text_add_duration(t, h->sweep_age_s);
        text_add(t, " ago");
    }
    text_addf(t, ", %zu receiver%s%s", h->receivers, h->receivers == 1 ? "" : "s",
              h->standby ? ", standby" : "");
}

// The numbers of the alarms that are not open.
static void health_add_fabric(const struct health *h, struct text *t)
{
    static const struct {
        enum alarm_standing standing;
        const char *what;
    } ASIDE[] = {{ALARM_HANDLED, "acknowledged, shelved or disabled"},
                 {ALARM_IN_MAINTENANCE, "in maintenance"},
                 {ALARM_FOLLOWS, "following from others"}};
    text_add(t, "no open alarm");
    for (size_t i = 0; i < sizeof ASIDE / sizeof *ASIDE; i++) {
        if (h->by_standing[ASIDE[i].standing] > 0)
            text_addf(t, ", %u %s", h->by_standing[ASIDE[i].standing], ASIDE[i].what);
    }
    if (h->nodes > 0)
        text_addf(t, ", %u node%s", h->nodes, h->nodes == 1 ? "" : "s");
}

void health_add_line(const struct health *h, enum health_about about, struct text *t)
{
    static const char *const WORDS[] = {"OK", "WARNING", "CRITICAL"};
    const struct health_verdict *v = &h->of[about];
    text_addf(t, "%s: ", WORDS[v->state]);
    if (v->count > 0)
        health_add_findings(v, t);
    else if (about == HEALTH_OF_GATEWAY)
        health_add_gateway(h, t);
    else
        health_add_fabric(h, t);
}
