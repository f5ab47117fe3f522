#include "model/filter.h"

#include "model/catalogue.h"

#include <fnmatch.h>
#include <string.h>

void filter_init(struct filter *filter)
{
    memset(filter, 0, sizeof *filter);
    filter->severity = SEVERITY_DEBUG;
    filter->security = true;
}

static bool matches(const struct filter_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (fnmatch(list->patterns[i], word, 0) == 0)
            return true;
    }
    return false;
}

static bool matches_guid(const struct filter_list *list, uint64_t guid)
{
    char text[ADDRESS_GUID_TEXT_SIZE];
    if (guid == 0)
        return false;
    address_format_guid(guid, text);
    return matches(list, text);
}

static bool about_node(const struct filter_list *list, const struct event *event)
{
    return matches(list, event->subject.name) || matches(list, event->issuer.name) ||
           matches(list, event->peer.name);
}

static bool has_guid(const struct filter_list *list, const struct endpoint *who)
{
    return matches_guid(list, who->guid) || matches_guid(list, who->node_guid);
}

static bool about_guid(const struct filter_list *list, const struct event *event)
{
    return has_guid(list, &event->subject) || has_guid(list, &event->issuer) ||
           has_guid(list, &event->peer);
}

// The name of the switch that reported it, or that a change of the fabric is about.
static const char *switch_name(const struct event *event)
{
    const struct endpoint *const who[] = {&event->issuer, &event->subject, &event->peer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        if (who[i]->guid == event->switch_guid || who[i]->node_guid == event->switch_guid)
            return who[i]->name;
    }
    return "";
}

static bool from_switch(const struct filter_list *list, const struct event *event)
{
    return event->switch_guid != 0 &&
           (matches_guid(list, event->switch_guid) || matches(list, switch_name(event)));
}

bool filter_passes(const struct filter *filter, const struct event *event)
{
    const struct catalogue_entry *type = event->type;
    if (type->severity > filter->severity)
        return false;
    if (type->category == CATEGORY_SECURITY && !filter->security)
        return false;
    if (filter->events.count > 0 && !matches(&filter->events, type->name))
        return false;
    if (filter->categories.count > 0 && !matches(&filter->categories, category_word(type->category)))
        return false;
    if (filter->nodes.count > 0 && !about_node(&filter->nodes, event))
        return false;
    if (filter->guids.count > 0 && !about_guid(&filter->guids, event))
        return false;
    return filter->switches.count == 0 || from_switch(&filter->switches, event);
}
