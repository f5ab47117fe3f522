// SPDX-License-Identifier: BSD-2-Clause
#include "sink/audience.h"

#include "model/catalogue.h"

enum { CAUSES_MAX = 8 }; // a chain, followed by policy, too

static void audience_lock(const struct audience *a)
{
    if (a->lock)
        pthread_mutex_lock(a->lock);
}

static void audience_unlock(const struct audience *a)
{
    if (a->lock)
        pthread_mutex_unlock(a->lock);
}

static const char *audience_filter_refusal(const struct audience *a, const struct event *event)
{
    audience_lock(a);
    const char *item = filter_refusal(a->filter, event);
    audience_unlock(a);
    return item;
}

static bool audience_is_open_to_all(const struct audience *a)
{
    audience_lock(a);
    const bool open = filter_is_open(a->filter);
    audience_unlock(a);
    return open;
}

// Whether the event clears an alarm from before the filter was in force.
static bool audience_clears_older_alarm(const struct audience *a, const struct event *event)
{
    return a->handle >= 0 && event_alarm(event) == ALARM_CLEARS && event->cleared_number > 0 &&
           event->cleared_number <= journal_filter_since(a->journal, a->handle);
}

// A reference to the event with that number; NULL: it expired, or the disk fails.
static struct event *audience_read(const struct audience *a, int64_t number)
{
    struct journal_item item;
    if (journal_read(a->journal, number - 1, &item, 1) == 0)
        return NULL;
    if (item.sequence == number)
        return item.event;
    event_unref(item.event);
    return NULL;
}

// Whether the receiver hears why the event is suppressed: of a root cause that the receiver's
// filter passes, or of the root cause of this root cause.
static bool audience_hears_of_cause(const struct audience *a, const struct event *event)
{
    bool hears = audience_is_open_to_all(a);
    int64_t number = event->cause_number;
    for (int i = 0; i < CAUSES_MAX && !hears && number > 0; i++) {
        struct event *cause = audience_read(a, number);
        hears = cause && !audience_filter_refusal(a, cause);
        number = cause ? cause->cause_number : 0;
        event_unref(cause);
    }
    return hears;
}

const char *audience_refusal(const struct audience *audience, const struct event *event)
{
    if (event->suppressed[0] != '\0' && !event->apart)
        return "suppressed";
    if (audience_clears_older_alarm(audience, event))
        return NULL;
    const char *item = audience_filter_refusal(audience, event);
    if (item || event->suppressed[0] == '\0')
        return item;
    return audience_hears_of_cause(audience, event) ? "suppressed" : NULL;
}

// Whether the receiver got the event that raised the alarm, for all that is known.
static bool audience_has_raise(const struct audience *a, const struct event *clear)
{
    if (audience_clears_older_alarm(a, clear))
        return false;
    audience_lock(a);
    const bool passed = filter_is_open(a->filter) || filter_passed_raise(a->filter, clear);
    audience_unlock(a);
    return passed;
}

struct event *audience_view(const struct audience *audience, struct event *event)
{
    const bool apart = event->suppressed[0] != '\0';
    const bool refers =
        event->clears_id[0] != '\0' && (apart || !audience_has_raise(audience, event));
    struct event *view = apart || refers ? event_copy(event) : NULL;
    if (!view)
        return event_ref(event);
    view->clears_id[0] = '\0';
    if (apart)
        view->suppressed[0] = view->cause_id[0] = '\0';
    return view;
}
