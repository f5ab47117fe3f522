// SPDX-License-Identifier: BSD-2-Clause
#include "policy/summaries.h"

#include "base/clock.h"
#include "base/text.h"

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

// The kind of events that `other` stands for: an alarm that ended without the counterpart of its
// event stands for that event.
static const struct catalogue_entry *summaries_kind_of(const struct event *other)
{
    if (other->summarised)
        return other->summarised;
    return other->type->origin == CATALOGUE_FROM_ALARM && other->cleared ? other->cleared
                                                                         : other->type;
}

// Copies the nodes and ports that `other` is about, its category and its kind.
static void copy_context(struct event *event, const struct event *other)
{
    event->category = other->category;
    event->subnet_prefix = other->subnet_prefix;
    event->issuer = other->issuer;
    event->subject = other->subject;
    event->source = other->source;
    event->destination = other->destination;
    event->peer = other->peer;
    event->switch_guid = other->switch_guid;
    event->sm_guid = other->sm_guid;
    event->summarised = summaries_kind_of(other);
}

// Copies a sentence without its full stop, to be quoted in another one.
static void quote(char out[EVENT_REASON_SIZE], const char *sentence)
{
    struct text t = text_in(out, EVENT_REASON_SIZE);
    const size_t length = strlen(sentence);
    const bool stopped = length > 0 && sentence[length - 1] == '.';
    text_add_n(&t, sentence, stopped ? length - 1 : length);
}

struct event *summaries_repeated(const struct duplicates_account *account)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_EVENT_REPEATED));
    copy_context(event, account->last);
    event->severity = account->last->severity;
    event->repeat_count = account->suppressed;
    event->since_us = account->since_us;
    memcpy(event->related_id, account->first_id, sizeof event->related_id);
    quote(event->reason, account->last->text);
    return event;
}

static void add_span(struct text *t, int64_t us)
{
    const int64_t s = us / CLOCK_US_PER_S;
    if (s >= INT64_C(2) * 3600)
        text_addf(t, "%" PRId64 " h", s / 3600);
    else if (s >= INT64_C(2) * 60)
        text_addf(t, "%" PRId64 " min", s / 60);
    else
        text_addf(t, "%" PRId64 " s", s);
}

static struct event *about_flap(const struct alarm_state *state, const struct event *last,
                                enum catalogue_event type)
{
    struct event *event = event_make(catalogue_get(type));
    if (last)
        copy_context(event, last);
    event->repeat_count = alarm_states_flap(state)->suppressed;
    event->since_us = alarm_states_flap(state)->since_us;
    snprintf(event->alarm_key, sizeof event->alarm_key, SUMMARIES_FLAPPING "%s", state->key);
    return event;
}

struct event *summaries_flapping(const struct alarm_state *state, const struct event *last,
                                 const struct policy_options *options)
{
    struct event *event = about_flap(state, last, CATALOGUE_FLAPPING);
    struct text t = text_in(event->reason, sizeof event->reason);
    text_addf(&t, "%" PRIu64 " changes within ", alarm_states_flap(state)->changes);
    add_span(&t, options->flap_within_us);
    if (last)
        memcpy(event->related_id, last->id, sizeof event->related_id);
    return event;
}

struct event *summaries_settled(const struct alarm_state *state, const struct event *last,
                                const char *why)
{
    struct event *event = about_flap(state, last, CATALOGUE_SETTLED);
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
        copy_context(event, last);
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
    event->id[0] = event->suppressed[0] = event->rule[0] = event->clears_id[0] = '\0';
    event->cause_number = 0;
    event->apart = false;
    event->retold = true;
    event->severity = event->type->severity;
    event->category = event->type->category;
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
