// SPDX-License-Identifier: BSD-2-Clause
#include "policy/summaries.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct event *summaries_storm(const struct storm_account *account)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_STORM_SUMMARY));
    event->severity = account->worst;
    event->category = account->category;
    event->summarised = account->kind;
    event->repeat_count = account->suppressed;
    event->since_us = account->since_us;
    struct text t = text_in(event->reason, sizeof event->reason);
    text_add(&t, account->over ? "it is over; " : "they come in masses; ");
    if (!top_nodes_describe(account->nodes, &t))
        text_add(&t, "no node is known");
    return event;
}

// The kind of events that `other` stands for. The end of an alarm without the counterpart of the
// alarm's event stands for that event.
static const struct catalogue_entry *summaries_kind_of(const struct event *other)
{
    if (other->summarised)
        return other->summarised;
    return other->type->origin == CATALOGUE_FROM_ALARM && other->cleared ? other->cleared
                                                                         : other->type;
}

// Copies the nodes and ports that `other` is about, its category and its kind.
static void summaries_copy_context(struct event *event, const struct event *other)
{
    event->category = other->category;
    event->subnet_prefix = other->subnet_prefix;
    event->issuer = other->issuer;
    event->subject = other->subject;
    event->source = other->source;
    event->destination = other->destination;
    event->peer = other->peer;
    event->switch_guid = other->switch_guid;
    event->other_name_count = other->other_name_count;
    memcpy(event->other_names, other->other_names, sizeof event->other_names);
    event->sm_guid = other->sm_guid;
    event->is_part = other->is_part;
    event->parts = other->parts;
    event->parts_changed = other->parts_changed;
    event->summarised = summaries_kind_of(other);
}

// Copies a sentence without its full stop, to be quoted in another one.
static void summaries_quote(char out[EVENT_REASON_SIZE], const char *sentence)
{
    struct text t = text_in(out, EVENT_REASON_SIZE);
    const size_t length = strlen(sentence);
    const bool stopped = length > 0 && sentence[length - 1] == '.';
    text_add_n(&t, sentence, stopped ? length - 1 : length);
}

struct event *summaries_repeated(const struct duplicates_account *account)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_EVENT_REPEATED));
    summaries_copy_context(event, account->last);
    event->severity = account->last->severity;
    event->repeat_count = account->suppressed;
    event->since_us = account->since_us;
    memcpy(event->related_id, account->first_id, sizeof event->related_id);
    summaries_quote(event->reason, account->last->text);
    return event;
}

static struct event *summaries_about_flap(const struct alarm_state *state, const struct event *last,
                                          enum catalogue_event type)
{
    struct event *event = event_make(catalogue_get(type));
    if (last)
        summaries_copy_context(event, last);
    event->repeat_count = alarm_states_flap(state)->suppressed;
    event->since_us = alarm_states_flap(state)->since_us;
    snprintf(event->alarm_key, sizeof event->alarm_key, SUMMARIES_FLAPPING "%s", state->key);
    return event;
}

struct event *summaries_flapping(const struct alarm_state *state, const struct event *last,
                                 const struct policy_options *options)
{
    struct event *event = summaries_about_flap(state, last, CATALOGUE_FLAPPING);
    struct text t = text_in(event->reason, sizeof event->reason);
    text_addf(&t, "%" PRIu64 " changes within ", alarm_states_flap(state)->changes);
    text_add_duration(&t, options->flap_within_us / CLOCK_US_PER_S);
    if (last)
        memcpy(event->related_id, last->id, sizeof event->related_id);
    return event;
}

struct event *summaries_settled(const struct alarm_state *state, const struct event *last,
                                const char *why)
{
    struct event *event = summaries_about_flap(state, last, CATALOGUE_SETTLED);
    const struct flap *flap = alarm_states_flap(state);
    struct text t = text_in(event->reason, sizeof event->reason);
    if (flap->changes > 0) // a state restored at the start has no count
        text_addf(&t, "after %" PRIu64 " changes ", flap->changes);
    text_addf(&t, "its alarm %s", state->raised ? "stands" : "is clear");
    if (why)
        text_addf(&t, "; %s", why);
    memcpy(event->clears_id, flap->id, sizeof event->clears_id);
    event->cleared = catalogue_get(CATALOGUE_FLAPPING);
    event->cleared_severity = flap->severity;
    event->cleared_category = flap->category;
    event_complete_cleared(event);
    return event;
}

struct event *summaries_cleared(const struct alarm_state *state, const struct event *last,
                                const char *reason)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_ALARM_CLEARED));
    if (last)
        summaries_copy_context(event, last);
    event->summarised = NULL;
    event->category = state->category;
    event->cleared = state->type;
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", state->key);
    snprintf(event->reason, sizeof event->reason, "%s", reason);
    return event;
}

struct event *summaries_late(const struct event *last)
{
    struct event *event = event_copy(last);
    memcpy(event->related_id, last->id, sizeof event->related_id);
    event_unjudge(event);
    event->id[0] = '\0';
    event->retold = true;
    return event;
}

struct event *summaries_lost(const struct alarm_state *state)
{
    static const char REASON[] = "the journal no longer has the event that says more";
    if (!state->raised || !state->type)
        return summaries_cleared(state, NULL, REASON);
    struct event *event = event_make(state->type);
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", state->key);
    snprintf(event->reason, sizeof event->reason, "%s", REASON);
    return event;
}

enum { LINE_SIZE = 1024 };

static void summaries_log_add_time(struct text *t, int64_t until_us, int64_t now_us)
{
    if (until_us == INT64_MAX)
        text_add(t, "until another event");
    else
        text_addf(t, "for %.3f s", (double)(until_us - now_us) / (double)CLOCK_US_PER_S);
}

// "; its alarm is raised, receivers do not know, it waits for 5.000 s".
static void summaries_log_add_state(struct text *t, const struct alarm_state *state, int64_t now_us)
{
    text_addf(t, "; its alarm is %s, receivers %s", state->raised ? "raised" : "cleared",
              state->raised == told_is_raised(state->told) ? "know" : "do not know");
    if (alarm_states_flap(state)->on)
        text_add(t, ", it flaps");
    if (!state->pending)
        return;
    text_add(t, ", it waits ");
    summaries_log_add_time(t, state->check_at, now_us);
}

// "event ID node-removed (node 0x...): suppressed, hold-down".
static void summaries_log_add_event(struct text *t, const struct event *event)
{
    text_addf(t, "event %s %s", event->id, event->type->name);
    if (event->alarm_key[0] != '\0')
        text_addf(t, " (%s)", event->alarm_key);
    text_addf(t, ": %s%s", event->suppressed[0] ? "suppressed, " : "notified", event->suppressed);
    if (event->rule[0] != '\0')
        text_addf(t, ", rule %s", event->rule);
}

void policy_log_decision(struct log *log, const struct event *event,
                         const struct alarm_state *state, int64_t now_us)
{
    char line[LINE_SIZE];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(line, sizeof line);
    summaries_log_add_event(&t, event);
    if (state)
        summaries_log_add_state(&t, state, now_us);
    log_debug(log, "%s", line);
}

void policy_log_made(struct log *log, const struct event *event)
{
    char line[LINE_SIZE];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(line, sizeof line);
    summaries_log_add_event(&t, event);
    text_add(&t, "; made by policy");
    if (event->related_id[0] != '\0')
        text_addf(&t, " for event %s", event->related_id);
    log_debug(log, "%s", line);
}

void policy_log_wait(struct log *log, const struct alarm_state *state, const char *reason,
                     int64_t until_us, int64_t now_us)
{
    char wait[64];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(wait, sizeof wait);
    summaries_log_add_time(&t, until_us, now_us);
    log_debug(log, "timer of %s: still suppressed, %s, %s", state->key, reason, wait);
}
