// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/expectations.h"

#include "pipeline/statements.h"

#include <string.h>

// What differs, but for what is not expected, and for unseen differences and consequences of others
// that have no alarm.
struct difference_counts {
    size_t switches, hosts, routers, links; // that are missing
    size_t all;
    char first[NAMES_NAME_SIZE]; // the name of the first node
};

struct expectations {
    struct emitter *emitter;
    struct expectation *expectation; // NULL: none
    size_t differences;
    struct difference_counts counts;
    char summary_id[EVENT_ID_SIZE]; // of the event topology-differs; empty: it is not active
    size_t unexpected;              // differences of that kind so far
};

static const char SUMMARY_KEY[] = "expected topology";
static const char NOT_EXPECTED[] = "no topology is expected any more";

static bool expectations_is_unexpected(const struct change *difference)
{
    return difference->type == CATALOGUE_NODE_UNEXPECTED ||
           difference->type == CATALOGUE_LINK_UNEXPECTED;
}

// A difference counts if it has an alarm of its own, or will have an alarm. An alarm stays when its
// subject is unseen or becomes a consequence: the end of topology-differs would send the alarm to
// the receivers.
static void expectations_count_difference(struct difference_counts *counts,
                                          const struct change *difference)
{
    counts->switches += difference->type == CATALOGUE_SWITCH_MISSING;
    counts->hosts += difference->type == CATALOGUE_HOST_MISSING;
    counts->routers += difference->type == CATALOGUE_ROUTER_MISSING;
    counts->links += difference->type == CATALOGUE_LINK_MISSING;
    counts->all++;
    if (counts->first[0] == '\0')
        snprintf(counts->first, sizeof counts->first, "%s", difference->subject.name);
}

// An alarm that nobody can judge stays.
static void expectations_note_difference(void *ctx, const struct change *difference, bool unseen)
{
    struct expectations *e = ctx;
    const bool raised = policy_state(e->emitter->policy, difference->alarm_key);
    e->differences++;
    if (!expectations_is_unexpected(difference) &&
        (raised || (!unseen && difference->cause == FABRIC_NONE)))
        expectations_count_difference(&e->counts, difference);
}

// Ends.

// The event as-expected, made from the alarm's event. Returns NULL if that event cannot be read,
// or if no topology is expected.
static struct event *expectations_make_end(void *ctx, const struct policy_alarm *alarm)
{
    const struct expectations *e = ctx;
    struct event *last =
        e->expectation ? journal_find(e->emitter->journal, alarm->last_number) : NULL;
    struct event *event =
        last && strcmp(last->alarm_key, alarm->key) == 0 ? event_copy(last) : NULL;
    event_unref(last);
    if (!event)
        return NULL;
    event->type = catalogue_get(CATALOGUE_AS_EXPECTED);
    event->affected = 0;
    event->related_id[0] = '\0';
    struct text t = text_in(event->reason, sizeof event->reason);
    text_addf(&t, "the alarm %s is over", alarm->type ? alarm->type->name : "about it");
    event_builder_again(&e->emitter->builder, event);
    if (alarm->type)
        event->category = alarm->type->category;
    return event;
}

static bool expectations_is_over(void *ctx, const struct policy_alarm *alarm,
                                 const struct alarm_key *key, struct text *why)
{
    const struct expectations *e = ctx;
    text_add(why, e->expectation ? "it is as expected again" : NOT_EXPECTED);
    return key && key->about == ALARM_ABOUT_EXPECTED && !alarm->stated;
}

static void expectations_end_gone(struct expectations *e)
{
    struct policy_alarm summary;
    statements_compare_all(e->emitter, &(struct detector){.is_over = expectations_is_over,
                                                          .make_end = expectations_make_end,
                                                          .ctx = e});
    if (!policy_find_alarm(e->emitter->policy, SUMMARY_KEY, &summary))
        return;
    if (!e->expectation)
        emitter_end_alarm(e->emitter, SUMMARY_KEY, summary.type, NOT_EXPECTED);
    else
        snprintf(e->summary_id, sizeof e->summary_id, "%s", summary.event_id);
}

// Raises.

// The identifier of the event that raised the alarm about the same loss; empty: there is none.
static const char *expectations_find_loss(const struct expectations *e,
                                          const struct change *difference)
{
    struct alarm_key what;
    struct policy_alarm loss;
    char key[EVENT_KEY_SIZE];
    if (expectations_is_unexpected(difference) || !alarm_key_parse(difference->alarm_key, &what))
        return "";
    what.about = ALARM_ABOUT_PLACE;
    if (what.kind == ALARM_KEY_NODE)
        what.guid = difference->subject.node_guid;
    if (difference->type == CATALOGUE_LINK_BELOW_EXPECTED)
        what.kind = ALARM_KEY_RATE;
    alarm_key_write(key, &what);
    return policy_find_alarm(e->emitter->policy, key, &loss) ? loss.event_id : "";
}

// While topology-differs is active, an alarm whose root cause is over follows from it: the alarms
// about the losses may all end at once, by their age.
static void expectations_find_cause(const struct expectations *e, const char *key)
{
    struct policy *policy = e->emitter->policy;
    struct policy_alarm alarm;
    if (e->summary_id[0] == '\0' || !policy_find_alarm(policy, key, &alarm) ||
        alarm.cause_id[0] == '\0' || alarm.cause_key)
        return;
    policy_set_cause(policy, key, SUMMARY_KEY, emitter_now(e->emitter));
}

static void expectations_raise_difference(void *ctx, const struct change *difference, bool unseen)
{
    struct expectations *e = ctx;
    if (!expectations_is_unexpected(difference))
        expectations_find_cause(e, difference->alarm_key);
    if (unseen || difference->cause != FABRIC_NONE ||
        (expectations_is_unexpected(difference) &&
         e->unexpected++ >= EXPECTATIONS_UNEXPECTED_MAX) ||
        !statements_may_raise(e->emitter, difference->alarm_key))
        return;
    const char *cause = expectations_find_loss(e, difference);
    if (cause[0] == '\0' && !expectations_is_unexpected(difference))
        cause = e->summary_id;
    emitter_emit(e->emitter,
                 event_builder_from_change(&e->emitter->builder, difference, false, cause, ""));
}

// The alarm about all of them.

static void expectations_add_count(struct text *t, size_t count, const char *one, const char *many)
{
    if (count > 0)
        text_addf(t, "%s%zu %s", t->len > 0 ? ", " : "", count, count == 1 ? one : many);
}

// Adds "1200 hosts, 3 links missing, the first node1; 2 other differences".
static void expectations_describe_counts(struct text *t, const struct difference_counts *counts)
{
    const size_t missing = counts->switches + counts->hosts + counts->routers + counts->links;
    expectations_add_count(t, counts->switches, "switch", "switches");
    expectations_add_count(t, counts->hosts, "host", "hosts");
    expectations_add_count(t, counts->routers, "router", "routers");
    expectations_add_count(t, counts->links, "link", "links");
    if (missing > 0)
        text_add(t, " missing");
    expectations_add_count(t, counts->all - missing, "other difference", "other differences");
    if (counts->all == 0)
        text_add(t, "nothing does");
    else if (counts->first[0] != '\0')
        text_addf(t, "; the first is about %s", counts->first);
}

static struct event *expectations_make_summary(const struct expectations *e,
                                               enum catalogue_event type)
{
    struct change change = {.type = type, .cause = FABRIC_NONE};
    struct text reason = text_in(change.reason, sizeof change.reason);
    expectations_describe_counts(&reason, &e->counts);
    snprintf(change.alarm_key, sizeof change.alarm_key, "%s", SUMMARY_KEY);
    return event_builder_from_change(&e->emitter->builder, &change, false, "", "");
}

// Raises or ends it.
static void expectations_update_summary(struct expectations *e)
{
    const bool active = e->summary_id[0] != '\0';
    struct event *event = NULL;
    if (!active && e->counts.all > EXPECTATIONS_SINGLE_MAX && policy_has_room(e->emitter->policy)) {
        event = expectations_make_summary(e, CATALOGUE_TOPOLOGY_DIFFERS);
        memcpy(e->summary_id, event->id, sizeof e->summary_id);
    } else if (active && e->counts.all <= EXPECTATIONS_SINGLE_FEW) {
        event = expectations_make_summary(e, CATALOGUE_TOPOLOGY_AGREES);
        e->summary_id[0] = '\0';
    }
    if (event)
        emitter_emit(e->emitter, event);
}

// Both passes over the differences see the same, as neither changes the fabric.
static void expectations_follow_expectation(struct expectations *e, const struct systems *joined)
{
    const struct names *names = e->emitter->builder.names;
    expectation_compare(e->expectation, joined, names, expectations_note_difference, e);
    expectations_end_gone(e);
    expectations_update_summary(e);
    if (e->differences > 0)
        expectation_compare(e->expectation, joined, names, expectations_raise_difference, e);
}

void expectations_update(struct emitter *emitter, struct expectation *expectation)
{
    struct expectations e = {.emitter = emitter, .expectation = expectation};
    const struct systems *joined = expectation ? topology_joined(emitter->topology) : NULL;
    if (!expectation)
        expectations_end_gone(&e);
    else if (joined)
        expectations_follow_expectation(&e, joined);
}
