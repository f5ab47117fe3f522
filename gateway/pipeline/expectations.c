// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/expectations.h"

#include "base/memory.h"
#include "pipeline/open_alarms.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 64 }; // alarms that are looked at in one go

// The keys of all differences, one behind the other.
struct difference_keys {
    char *octets;
    size_t used, room;
    const char **sorted; // once all are known
    size_t count;
};

// What differs, but for what is not expected, and for unseen differences and consequences of others
// that have no alarm.
struct difference_counts {
    size_t switches, hosts, routers, links; // that are missing
    size_t all;
    char first[NAMES_NAME_SIZE]; // the name of the first node
};

struct expectations {
    struct emitter *emitter;
    const struct expectation *expectation; // NULL: none
    struct difference_keys keys;
    struct difference_counts counts;
    char summary_id[EVENT_ID_SIZE]; // of the event topology-differs; empty: it is not active
    struct open_alarms alarms;      // that may be root causes
    const struct open_alarm **by_key;
    bool has_alarms;
    size_t unexpected; // differences of that kind so far
};

static const char SUMMARY_KEY[] = "expected topology";

static bool is_unexpected(const struct change *difference)
{
    return difference->type == CATALOGUE_NODE_UNEXPECTED ||
           difference->type == CATALOGUE_LINK_UNEXPECTED;
}

// Whether an alarm that is active in the journal may end. Policy does not know those for which it
// had no room at the start: they may. Nor does it know those that were read late, of which nobody
// was told yet: they may not.
static bool expectations_may_end(const struct expectations *e, const char *key)
{
    return policy_is_raised(e->emitter->policy, key) || policy_left_out_alarms(e->emitter->policy);
}

// `id`: of its event in the journal; empty: there is none.
static bool expectations_has_summary(const struct expectations *e, const char *id)
{
    return policy_is_raised(e->emitter->policy, SUMMARY_KEY) ||
           (id[0] != '\0' && expectations_may_end(e, SUMMARY_KEY));
}

// Keys.

// Whether it has an alarm of its own, or is to have one. An alarm stays when its subject is unseen
// or becomes a consequence: the end of topology-differs would send it to the receivers.
static bool expectations_counts(const struct expectations *e, const struct change *difference,
                                bool unseen)
{
    return !is_unexpected(difference) &&
           ((!unseen && difference->cause == FABRIC_NONE) ||
            policy_is_raised(e->emitter->policy, difference->alarm_key));
}

static void count_difference(struct difference_counts *counts, const struct change *difference)
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
static void keep_key(void *ctx, const struct change *difference, bool unseen)
{
    struct expectations *e = ctx;
    struct difference_keys *keys = &e->keys;
    const size_t size = strlen(difference->alarm_key) + 1;
    if (expectations_counts(e, difference, unseen))
        count_difference(&e->counts, difference);
    if (keys->room - keys->used < size) {
        keys->room = keys->room > 0 ? 2 * keys->room : 1 << 14;
        keys->octets = memory_resize(keys->octets, keys->room, 1);
    }
    memcpy(keys->octets + keys->used, difference->alarm_key, size);
    keys->used += size;
    keys->count++;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_keys(struct difference_keys *keys)
{
    keys->sorted = memory_zeroed(keys->count, sizeof *keys->sorted);
    const char *key = keys->octets;
    for (size_t i = 0; i < keys->count; i++, key += strlen(key) + 1)
        keys->sorted[i] = key;
    if (keys->count > 0)
        qsort(keys->sorted, keys->count, sizeof *keys->sorted, compare_keys);
}

static bool has_key(const struct difference_keys *keys, const char *key)
{
    return keys->count > 0 &&
           bsearch(&key, keys->sorted, keys->count, sizeof key, compare_keys) != NULL;
}

// Ends.

struct ending {
    char key[EVENT_KEY_SIZE];
    const struct catalogue_entry *type;
    int64_t last_sequence;
};

// Alarms that are to end.
struct expectations_page {
    const struct expectations *of;
    int64_t last; // number of the last alarm that was looked at
    size_t count;
    struct ending found[PAGE];
    char summary_id[EVENT_ID_SIZE]; // of the event topology-differs, if it is active
};

static void look_at_expected(void *ctx, const struct alarm *alarm)
{
    struct expectations_page *page = ctx;
    page->last = alarm->event_sequence;
    if (strcmp(alarm->key, SUMMARY_KEY) == 0)
        memcpy(page->summary_id, alarm->event_id, sizeof page->summary_id);
    if (!expectation_read_key(alarm->key, NULL) || has_key(&page->of->keys, alarm->key))
        return;
    if (!expectations_may_end(page->of, alarm->key))
        return;
    struct ending *ending = &page->found[page->count++];
    memcpy(ending->key, alarm->key, sizeof ending->key);
    ending->type = catalogue_find(alarm->type);
    ending->last_sequence = alarm->last_sequence;
}

// The event as-expected, from the one that raised the alarm. NULL: that one cannot be read.
static struct event *make_end(const struct expectations *e, const struct ending *ending)
{
    struct event *last = journal_find(e->emitter->journal, ending->last_sequence);
    struct event *event =
        last && strcmp(last->alarm_key, ending->key) == 0 ? event_copy(last) : NULL;
    event_unref(last);
    if (!event)
        return NULL;
    event->type = catalogue_get(CATALOGUE_AS_EXPECTED);
    event->affected = 0;
    event->related_id[0] = '\0';
    struct text t = text_in(event->reason, sizeof event->reason);
    text_add(&t, "the alarm ");
    text_add(&t, ending->type ? ending->type->name : "about it");
    text_add(&t, " is over");
    event_builder_again(&e->emitter->builder, event);
    if (ending->type)
        event->category = ending->type->category;
    return event;
}

static void end_expected(const struct expectations *e, const struct ending *ending)
{
    struct event *event = e->expectation ? make_end(e, ending) : NULL;
    if (event)
        emitter_emit(e->emitter, event);
    else
        emitter_end_alarm(e->emitter, ending->key, ending->type,
                          e->expectation ? "it is as expected again"
                                         : "no topology is expected any more");
}

static void end_gone(struct expectations *e)
{
    struct expectations_page *page = memory_zeroed(1, sizeof *page);
    page->of = e;
    for (bool more = true; more;) {
        page->count = 0;
        more =
            journal_each_alarm_after(e->emitter->journal, page->last, PAGE, look_at_expected, page);
        for (size_t i = 0; i < page->count; i++)
            end_expected(e, &page->found[i]);
    }
    memcpy(e->summary_id, page->summary_id, sizeof e->summary_id);
    if (!e->expectation && expectations_has_summary(e, page->summary_id))
        emitter_end_alarm(e->emitter, SUMMARY_KEY, catalogue_get(CATALOGUE_TOPOLOGY_DIFFERS),
                          "no topology is expected any more");
    free(page);
}

// Raises.

static int compare_open_keys(const void *a, const void *b)
{
    const struct open_alarm *const *m = a, *const *n = b;
    return strcmp((*m)->key, (*n)->key);
}

// The alarms that sweeps raise, sorted by key; they are collected when they are first needed.
static void collect_causes(struct expectations *e)
{
    if (e->has_alarms)
        return;
    e->has_alarms = true;
    open_alarms_collect(&e->alarms, e->emitter->journal);
    e->by_key = memory_zeroed(e->alarms.count, sizeof(const struct open_alarm *));
    for (size_t i = 0; i < e->alarms.count; i++)
        e->by_key[i] = &e->alarms.all[i];
    if (e->alarms.count > 0)
        qsort(e->by_key, e->alarms.count, sizeof *e->by_key, compare_open_keys);
}

// The identifier of the event that raised the alarm about the same loss; empty: there is none.
static const char *find_loss(struct expectations *e, const struct change *difference)
{
    struct alarm_key what;
    char key[EVENT_KEY_SIZE];
    const struct open_alarm wanted = {.key = key}, *at = &wanted;
    if (is_unexpected(difference) || !expectation_read_key(difference->alarm_key, &what))
        return "";
    if (difference->type == CATALOGUE_LINK_BELOW_EXPECTED)
        what.kind = ALARM_KEY_RATE;
    alarm_key_write(key, &what);
    collect_causes(e);
    const struct open_alarm **found =
        e->alarms.count > 0 ? bsearch(&at, e->by_key, e->alarms.count, sizeof at, compare_open_keys)
                            : NULL;
    return found ? (*found)->event_id : "";
}

// While topology-differs is active, an alarm whose root cause is over follows from it: the alarms
// about the losses may all end at once, by their age.
static void expectations_find_cause(const struct expectations *e, const char *key)
{
    struct policy *policy = e->emitter->policy;
    if (e->summary_id[0] == '\0' || policy_cause_of(policy, key) != POLICY_CAUSE_CLEARED)
        return;
    policy_set_cause(policy, key, SUMMARY_KEY, clock_monotonic(e->emitter->builder.clock));
    journal_set_alarm_cause(e->emitter->journal, key, e->summary_id);
}

static void raise_difference(void *ctx, const struct change *difference, bool unseen)
{
    struct expectations *e = ctx;
    struct policy *policy = e->emitter->policy;
    if (!is_unexpected(difference))
        expectations_find_cause(e, difference->alarm_key);
    if (unseen || difference->cause != FABRIC_NONE ||
        (is_unexpected(difference) && e->unexpected++ >= EXPECTATIONS_UNEXPECTED_MAX) ||
        policy_is_raised(policy, difference->alarm_key) || !policy_has_room(policy))
        return;
    const char *cause = find_loss(e, difference);
    if (cause[0] == '\0' && !is_unexpected(difference))
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
static void describe_counts(struct text *t, const struct difference_counts *counts)
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

static struct event *make_summary(const struct expectations *e, enum catalogue_event type)
{
    struct change change = {.type = type, .cause = FABRIC_NONE};
    struct text reason = text_in(change.reason, sizeof change.reason);
    describe_counts(&reason, &e->counts);
    snprintf(change.alarm_key, sizeof change.alarm_key, "%s", SUMMARY_KEY);
    return event_builder_from_change(&e->emitter->builder, &change, false, "", "");
}

// Raises or ends it. `summary_id` is that of one which is active already.
static void update_summary(struct expectations *e)
{
    const bool active = expectations_has_summary(e, e->summary_id);
    struct event *event = NULL;
    if (!active && e->counts.all > EXPECTATIONS_SINGLE_MAX && policy_has_room(e->emitter->policy)) {
        event = make_summary(e, CATALOGUE_TOPOLOGY_DIFFERS);
        memcpy(e->summary_id, event->id, sizeof e->summary_id);
    } else if (active && e->counts.all <= EXPECTATIONS_SINGLE_FEW) {
        event = make_summary(e, CATALOGUE_TOPOLOGY_AGREES);
        e->summary_id[0] = '\0';
    }
    if (event)
        emitter_emit(e->emitter, event);
}

// Both passes over the differences see the same, as neither changes the fabric.
static void follow_expectation(struct expectations *e, const struct fabric *fabric)
{
    const struct names *names = e->emitter->builder.names;
    expectation_compare(e->expectation, fabric, names, keep_key, e);
    sort_keys(&e->keys);
    end_gone(e);
    update_summary(e);
    if (e->keys.count > 0)
        expectation_compare(e->expectation, fabric, names, raise_difference, e);
}

void expectations_update(struct emitter *emitter, const struct expectation *expectation)
{
    struct expectations e = {.emitter = emitter, .expectation = expectation};
    struct fabric *fabric = expectation ? topology_current(emitter->topology) : NULL;
    if (!expectation)
        end_gone(&e);
    else if (fabric)
        follow_expectation(&e, fabric);
    if (e.has_alarms)
        open_alarms_clear(&e.alarms);
    free(e.by_key);
    free(e.keys.octets);
    free(e.keys.sorted);
    fabric_unref(fabric);
}
