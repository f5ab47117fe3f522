#include "agent/view.h"

#include "agent/view_alarms.h"
#include "agent/view_events.h"

#include <stdlib.h>

static bool is_element(const struct fabric_node *node)
{
    return node->type == FABRIC_SWITCH || node->type == FABRIC_ROUTER;
}

// The fabric's nodes ascend by GUID. False: out of memory.
static bool list_switches(struct view *view)
{
    const struct fabric *fabric = view->fabric;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++)
        view->switch_count += is_element(&fabric->nodes[i]);
    view->switches = malloc((view->switch_count + 1) * sizeof *view->switches);
    if (!view->switches)
        return false;
    size_t n = 0;
    for (uint32_t i = 0; fabric && i < fabric->node_count; i++) {
        if (is_element(&fabric->nodes[i]))
            view->switches[n++] = i;
    }
    return true;
}

// While the file is away, memory is what there is.
static int64_t first_event(struct journal *journal, int64_t last)
{
    struct journal_status status;
    journal_get_status(journal, &status);
    int64_t first = status.first > 0 ? status.first : journal_first_in_memory(journal);
    return first <= last ? first : 0;
}

struct view *view_take(const struct view_source *source, struct view_events *events)
{
    struct view *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->references = 1;
    view->time_us = clock_utc(source->clock);
    view->now = clock_monotonic(source->clock);
    view->master_started_at = source->master_started_at;
    view->source = source;
    view->fabric = topology_current(source->topology);
    view->names = topology_names(source->topology);
    view->sums = source->sums(source->ctx);
    view->settings = source->settings(source->ctx);
    view->last_event = journal_last(source->journal);
    view->first_event = first_event(source->journal, view->last_event);
    source->gateway(source->ctx, &view->gateway);
    bool ok = !events || view_events_update(events, source->journal);
    view->events = events;
    if (ok && list_switches(view))
        return view;
    view_release(view);
    return NULL;
}

struct view *view_keep(struct view *view)
{
    view->references++;
    return view;
}

bool view_was_short(const struct view *view)
{
    struct view *of = (struct view *)view; // what it shows does not change
    bool was_short = of->was_short;
    of->was_short = false;
    return was_short;
}

void view_release(struct view *view)
{
    if (!view || --view->references > 0)
        return;
    fabric_release(view->fabric);
    names_free(view->names);
    sums_release(view->sums);
    settings_release(view->settings);
    view_alarms_free(view->alarms);
    free(view->switches);
    free(view);
}
