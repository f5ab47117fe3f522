// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "conf/load.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "model/catalogue.h"
#include "pipeline/options.h"
#include "sink/audience.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 100 };
static const int64_t AFTERMATH_US =
    3600 * CLOCK_US_PER_S; // time after the last event, for summaries and late events

struct run {
    const struct conf *conf;
    struct policy *policy;
    struct journal *journal;
    struct policy_rule rules[POLICY_RULES_MAX];
    int64_t now, first_us;                       // UTC; policy's clock here
    uint64_t made;                               // events that this policy made
    char ids[DRY_RUN_EVENTS_MAX][EVENT_ID_SIZE]; // of the events judged so far
    size_t count;
    uint64_t reasons[POLICY_REASON_COUNT];
    uint64_t sent[CONF_RECEIVERS_MAX + 1][CATALOGUE_COUNT];
};

static void dry_run_stamp(void *ctx, struct event *event)
{
    struct run *r = ctx;
    snprintf(event->id, sizeof event->id, "dry-run-%llu", (unsigned long long)++r->made);
    if (event->time_us == 0)
        event->time_us = r->now;
}

// Counts what policy returns.
static void dry_run_drain(struct run *r)
{
    const struct event *event;
    while ((event = policy_next(r->policy, r->now)) != NULL) {
        if (event->suppressed[0] != '\0')
            r->reasons[policy_reason_find(event->suppressed)]++;
        for (size_t i = 0; i < r->conf->receiver_count; i++) {
            const struct audience audience = {
                .filter = &r->conf->receivers[i].filter, .journal = r->journal, .handle = -1};
            r->sent[i][catalogue_event_of(event->type)] +=
                audience_refusal(&audience, event) == NULL;
        }
    }
}

static void dry_run_move_to(struct run *r, int64_t time_us)
{
    for (int64_t due; (due = policy_due(r->policy)) <= time_us;) {
        r->now = due > r->now ? due : r->now;
        dry_run_drain(r);
    }
    r->now = time_us > r->now ? time_us : r->now;
}

// Whether the event is a copy of an earlier event. Policy makes copies to send an alarm late.
static bool dry_run_is_copy(const struct run *r, const struct event *event)
{
    if (event->type->alarm == ALARM_NONE || event->related_id[0] == '\0')
        return false;
    for (size_t i = r->count; i-- > 0;) {
        if (strcmp(r->ids[i], event->related_id) == 0)
            return true;
    }
    return false;
}

// Copies the event without the results of policy. The journal still knows the alarm's events, and
// a sweep explains the traps that it explained.
static struct event *dry_run_unjudged(const struct event *event)
{
    struct event *copy = event_copy(event);
    copy->awaits_sweep = strcmp(event->suppressed, policy_reason_word(POLICY_AWAITS_SWEEP)) == 0;
    event_unjudge(copy);
    copy->told_number = event->told_number;
    copy->repeat_count = 0;
    return copy;
}

static void dry_run_read(struct run *r, const struct event *event)
{
    if (event->test || catalogue_is_summary(event->type) || dry_run_is_copy(r, event) ||
        r->count == DRY_RUN_EVENTS_MAX)
        return;
    struct event *copy = dry_run_unjudged(event);
    if (r->count == 0)
        r->now = r->first_us = event->time_us;
    // Only alarms are sent late: only the identifiers of alarms are needed.
    snprintf(r->ids[r->count++], EVENT_ID_SIZE, "%s",
             event->type->alarm == ALARM_NONE ? "" : event->id);
    dry_run_move_to(r, copy->time_us);
    dry_run_drain(r);
    policy_process(r->policy, copy, r->now);
    dry_run_drain(r);
    event_unref(copy);
}

static void dry_run_read_all(struct run *r, struct journal *journal, int64_t events)
{
    struct journal_item items[CHUNK];
    const int64_t last = journal_last(journal);
    int64_t after = last > events ? last - events : 0;
    size_t n;
    while (after < last && (n = journal_read(journal, after, items, CHUNK)) > 0) {
        after = items[n - 1].sequence;
        for (size_t i = 0; i < n; i++) {
            if (items[i].event && items[i].sequence <= last)
                dry_run_read(r, items[i].event);
            event_unref(items[i].event);
        }
    }
}

// The answer.

static json_t *dry_run_kinds_json(const uint64_t counts[CATALOGUE_COUNT], uint64_t *sum)
{
    json_t *kinds = json_object();
    for (size_t i = 0; i < CATALOGUE_COUNT; i++) {
        if (counts[i] == 0)
            continue;
        *sum += counts[i];
        json_object_set_new(kinds, catalogue_get((enum catalogue_event)i)->name,
                            json_integer((json_int_t)counts[i]));
    }
    return kinds;
}

static json_t *dry_run_receivers_json(const struct run *r)
{
    json_t *receivers = json_array();
    for (size_t i = 0; i < r->conf->receiver_count; i++) {
        uint64_t sum = 0;
        json_t *kinds = dry_run_kinds_json(r->sent[i], &sum);
        json_array_append_new(receivers,
                              json_pack("{s:s, s:I, s:o}", "name", r->conf->receivers[i].name,
                                        "events", (json_int_t)sum, "by_event", kinds));
    }
    return receivers;
}

static json_t *dry_run_reasons_json(const struct run *r)
{
    json_t *reasons = json_object();
    for (size_t i = 0; i < POLICY_REASON_COUNT; i++) {
        if (r->reasons[i] > 0)
            json_object_set_new(reasons, policy_reason_word((enum policy_reason)i),
                                json_integer((json_int_t)r->reasons[i]));
    }
    return reasons;
}

json_t *dry_run(struct journal *journal, const struct conf *conf, int64_t events)
{
    struct policy_options options;
    struct run *r = memory_zeroed(1, sizeof *r);
    const struct policy_sink sink = {.stamp = dry_run_stamp, .ctx = r};
    r->conf = conf;
    r->journal = journal;
    options_of_policy(conf, &options, r->rules);
    r->policy = policy_new(&options, &sink, &random_system);
    policy_set_active(r->policy, true, 0); // what receivers would get, whoever was active
    dry_run_read_all(r, journal, events);
    const int64_t until = r->now;
    if (r->count > 0)
        dry_run_move_to(r, until + AFTERMATH_US);
    json_t *answer = json_pack("{s:i, s:I, s:o, s:o, s:o, s:o}", "version", PROTOCOL_VERSION,
                               "events", (json_int_t)r->count, "from", protocol_time(r->first_us),
                               "until", protocol_time(until), "suppressed", dry_run_reasons_json(r),
                               "receivers", dry_run_receivers_json(r));
    policy_free(r->policy);
    free(r);
    return answer;
}

json_t *dry_run_answer(struct control *control, const json_t *request)
{
    const char *text, *name;
    json_int_t events = DRY_RUN_EVENTS_DEFAULT;
    struct conf conf;
    struct error err;
    if (json_unpack((json_t *)request, "{s:s, s:s, s?I}", "config", &text, "name", &name, "events",
                    &events) != 0)
        return answer_refuse("'config' and 'name' must be texts, and 'events' a number");
    if (events < 1 || events > DRY_RUN_EVENTS_MAX)
        return answer_refuse("the number of events must be from 1 to %d", DRY_RUN_EVENTS_MAX);
    if (!conf_load_text(text, name, false, &conf, &err))
        return answer_refuse("%s", err.text);
    json_t *answer = dry_run(control->parts->journal, &conf, events);
    conf_free(&conf);
    return answer;
}
