// SPDX-License-Identifier: BSD-2-Clause
#include "model/filter.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/text.h"
#include "model/catalogue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Sets of GUIDs.

struct guid_set {
    _Atomic unsigned references;
    size_t count;
    uint64_t guids[]; // ascending, without duplicates
};

static int filter_compare_guids(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

struct guid_set *guid_set_make(const uint64_t *guids, size_t n)
{
    struct guid_set *set = memory_get(sizeof *set + n * sizeof *guids);
    atomic_init(&set->references, 1);
    set->count = 0;
    if (n > 0)
        memcpy(set->guids, guids, n * sizeof *guids);
    qsort(set->guids, n, sizeof *guids, filter_compare_guids);
    for (size_t i = 0; i < n; i++) {
        if (set->count == 0 || set->guids[i] != set->guids[set->count - 1])
            set->guids[set->count++] = set->guids[i];
    }
    return set;
}

struct guid_set *guid_set_ref(struct guid_set *set)
{
    if (set)
        atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void guid_set_unref(struct guid_set *set)
{
    if (set && atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel) == 1)
        free(set);
}

bool guid_set_has(const struct guid_set *set, uint64_t guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, set->count, set->guids[at] < guid);
    return at < set->count && set->guids[at] == guid;
}

bool guid_set_equal(const struct guid_set *a, const struct guid_set *b)
{
    return a->count == b->count && memcmp(a->guids, b->guids, a->count * sizeof *a->guids) == 0;
}

// Filters.

void filter_init(struct filter *filter)
{
    memset(filter, 0, sizeof *filter);
    filter->severity = SEVERITY_DEBUG;
    filter->security = true;
}

bool filter_is_open(const struct filter *filter)
{
    return filter->severity == SEVERITY_DEBUG && filter->security && filter->each_part <= 0 &&
           !filter->trap_group &&
           filter->events.count + filter->categories.count + filter->nodes.count +
                   filter->guids.count + filter->switches.count ==
               0;
}

static uint64_t filter_digest_list(uint64_t digest, const struct filter_list *list)
{
    digest = digest_add(digest, &list->count, sizeof list->count);
    for (size_t i = 0; i < list->count; i++)
        digest = digest_add(digest, list->patterns[i], strlen(list->patterns[i]) + 1);
    return digest;
}

uint64_t filter_digest(const struct filter *filter)
{
    const struct filter_list *const LISTS[] = {&filter->events, &filter->categories, &filter->nodes,
                                               &filter->guids, &filter->switches};
    const uint8_t head[] = {(uint8_t)filter->severity, filter->security, filter->each_part > 0};
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, head, sizeof head);
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        digest = filter_digest_list(digest, LISTS[i]);
    return digest != 0 ? digest : 1;
}

bool filter_list_has(const struct filter_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (text_fits(word, list->patterns[i]))
            return true;
    }
    return false;
}

bool filter_list_has_guid(const struct filter_list *list, uint64_t guid)
{
    char text[ADDRESS_GUID_TEXT_SIZE];
    if (guid == 0)
        return false;
    address_format_guid(guid, text);
    return filter_list_has(list, text);
}

bool filter_list_has_system(const struct filter_list *list, const struct endpoint *who)
{
    return who->system[0] != '\0' && filter_list_has(list, who->system);
}

bool filter_list_has_other_name(const struct filter_list *list, const struct event *event,
                                const struct endpoint *who)
{
    for (size_t i = 0; i < event->other_name_count; i++) {
        const struct event_other_name *other = &event->other_names[i];
        if ((other->guid == who->guid || other->guid == who->node_guid) &&
            filter_list_has(list, other->name))
            return true;
    }
    return false;
}

static bool filter_names(const struct filter_list *list, const struct event *event,
                         const struct endpoint *who)
{
    return filter_list_has(list, who->name) || filter_list_has_system(list, who) ||
           filter_list_has_other_name(list, event, who);
}

static bool filter_is_about_node(const struct filter_list *list, const struct event *event)
{
    return filter_names(list, event, &event->subject) ||
           filter_names(list, event, &event->issuer) || filter_names(list, event, &event->peer);
}

static bool filter_has_guid(const struct filter_list *list, const struct endpoint *who)
{
    return filter_list_has_guid(list, who->guid) || filter_list_has_guid(list, who->node_guid);
}

static bool filter_is_about_guid(const struct filter_list *list, const struct event *event)
{
    return filter_has_guid(list, &event->subject) || filter_has_guid(list, &event->issuer) ||
           filter_has_guid(list, &event->peer);
}

// Whether the list has a name of the event's switch.
static bool filter_names_switch(const struct filter_list *list, const struct event *event)
{
    const struct endpoint *const who[] = {&event->issuer, &event->subject, &event->peer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        if (who[i]->guid == event->switch_guid || who[i]->node_guid == event->switch_guid)
            return filter_names(list, event, who[i]);
    }
    return false;
}

static bool filter_is_from_switch(const struct filter_list *list, const struct event *event)
{
    return event->switch_guid != 0 &&
           (filter_list_has_guid(list, event->switch_guid) || filter_names_switch(list, event));
}

static bool filter_wants_kind(const struct filter *filter, const struct event *event,
                              const struct catalogue_entry *type)
{
    const struct filter_list *events = &filter->events;
    return events->count == 0 || filter_list_has(events, type->name) ||
           (event->summarised && filter_list_has(events, event->summarised->name));
}

static bool filter_sums_up_many_nodes(const struct event *event)
{
    const struct endpoint *subject = &event->subject;
    return event->summarised && subject->guid == 0 && subject->lid == 0 && subject->name[0] == '\0';
}

// The first list about nodes that the event does not pass, or NULL.
static const char *filter_node_refusal(const struct filter *filter, const struct event *event)
{
    if (filter_sums_up_many_nodes(event))
        return NULL;
    if (filter->nodes.count > 0 && !filter_is_about_node(&filter->nodes, event))
        return "nodes";
    if (filter->guids.count > 0 && !filter_is_about_guid(&filter->guids, event))
        return "guids";
    if (filter->switches.count > 0 && !filter_is_from_switch(&filter->switches, event))
        return "switches";
    return NULL;
}

// Whether the event is about many nodes that left at once: to a receiver of each part, each of the
// nodes is told.
static bool filter_is_of_many(const struct event *event, const struct catalogue_entry *type)
{
    const struct catalogue_entry *many = catalogue_get(CATALOGUE_NODES_REMOVED);
    return type == many || type == catalogue_get(CATALOGUE_NODES_ADDED) || event->cleared == many ||
           event->summarised == many;
}

// The item that refuses an event of this kind, severity and category, without a look at its nodes,
// or NULL.
static const char *filter_refusal_of_kind(const struct filter *filter, const struct event *event,
                                          const struct catalogue_entry *type,
                                          enum severity severity, enum category category)
{
    const struct filter_list *categories = &filter->categories;
    if (severity > filter->severity)
        return "severity";
    if (category == CATEGORY_SECURITY && !filter->security)
        return "security";
    if (filter->each_part > 0 && filter_is_of_many(event, type))
        return "each_part";
    if (!filter_wants_kind(filter, event, type))
        return "events";
    if (categories->count > 0 && !filter_list_has(categories, category_word(category)))
        return "categories";
    if (filter->trap_group && !guid_set_has(filter->trap_group, event->switch_guid))
        return "trap group";
    return NULL;
}

// The same, with its nodes, of the event as it is.
static const char *filter_refusal_of_itself(const struct filter *filter, const struct event *event)
{
    const char *refusal =
        filter_refusal_of_kind(filter, event, event->type, event->severity, event->category);
    return refusal ? refusal : filter_node_refusal(filter, event);
}

bool filter_refuses_raises(const struct filter *filter, const struct event *clear)
{
    return clear->cleared &&
           filter_refusal_of_kind(filter, clear, clear->cleared, clear->cleared_severity,
                                  clear->cleared_category) != NULL;
}

// Whether the event names no node: policy could not read the raising event any more.
static bool filter_has_lost_nodes(const struct event *event)
{
    const struct endpoint *const who[] = {&event->issuer, &event->subject, &event->peer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        if (who[i]->guid != 0 || who[i]->lid != 0 || who[i]->name[0] != '\0')
            return false;
    }
    return event->switch_guid == 0 && !event_is_own(event);
}

// A clear without nodes passes: any receiver may have been notified of the raising event.
static bool filter_lets_raise_pass(const struct filter *filter, const struct event *clear)
{
    return event_alarm(clear) == ALARM_CLEARS && clear->cleared &&
           !filter_refuses_raises(filter, clear) &&
           (filter_has_lost_nodes(clear) || !filter_node_refusal(filter, clear));
}

bool filter_matches(const struct filter *filter, const struct event *event)
{
    return filter_refusal_of_itself(filter, event) == NULL;
}

const char *filter_refusal(const struct filter *filter, const struct event *event)
{
    const char *item = filter_refusal_of_itself(filter, event);
    return item && !filter_lets_raise_pass(filter, event) ? item : NULL;
}

bool filter_passes(const struct filter *filter, const struct event *event)
{
    return filter_refusal(filter, event) == NULL;
}

bool filter_may_pass(const struct filter *filter, const struct catalogue_entry *type,
                     enum severity severity, enum category category)
{
    const struct event any = {.type = type};
    const char *item = filter_refusal_of_kind(filter, &any, type, severity, category);
    return !item || strcmp(item, "trap group") == 0 ||
           (catalogue_is_summary(type) && strcmp(item, "events") == 0);
}
