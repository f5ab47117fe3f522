// SPDX-License-Identifier: BSD-2-Clause
#include "sink/audience.h"

#include <string.h>

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

static bool audience_wants_each_part(const struct audience *a)
{
    audience_lock(a);
    const bool wants = a->filter->each_part > 0;
    audience_unlock(a);
    return wants;
}

static bool audience_wants_part(const struct audience *a, const struct event *event)
{
    return event->is_part && audience_wants_each_part(a);
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

// Searches the events that told receivers of the alarm, from the number back to the beginning of
// the alarm. `event` is what `fits` compares with.
static enum audience_told audience_find_raise(const struct audience *a, int64_t number,
                                              bool (*fits)(const struct audience *a,
                                                           const struct event *raise,
                                                           const struct event *event),
                                              const struct event *event)
{
    enum audience_told told = AUDIENCE_NOT_TOLD;
    for (int i = 0; i < JOURNAL_RAISES_MAX && told == AUDIENCE_NOT_TOLD && number > 0; i++) {
        struct event *raise = journal_read_one(a->journal, number);
        if (!raise || event_alarm(raise) != ALARM_RAISES)
            told = AUDIENCE_UNKNOWN;
        else if (fits(a, raise, event))
            told = AUDIENCE_TOLD;
        number = raise ? raise->told_number : 0;
        event_unref(raise);
    }
    return told == AUDIENCE_NOT_TOLD && number > 0 ? AUDIENCE_UNKNOWN : told;
}

static bool audience_is_passed(const struct audience *a, const struct event *raise,
                               const struct event *event)
{
    (void)event;
    return !audience_filter_refusal(a, raise);
}

// Whether the filter passes the event, or the event that told receivers of the alarm before: a
// flapping alarm is told once.
static bool audience_hears(const struct audience *a, const struct event *cause)
{
    const enum audience_told told =
        cause->suppressed[0] != '\0' && cause->told_number > 0
            ? audience_find_raise(a, cause->told_number, audience_is_passed, NULL)
            : AUDIENCE_UNKNOWN;
    return told == AUDIENCE_UNKNOWN ? !audience_filter_refusal(a, cause) : told == AUDIENCE_TOLD;
}

// Whether the receiver hears why the event is suppressed: of a root cause that the receiver's
// filter passes, or of the root cause of this root cause. To a receiver that wants each part of a
// system, the part that is told first explains no other part. `unknown`: the answer when the
// journal no longer has the root cause.
static bool audience_hears_of_cause(const struct audience *a, const struct event *event,
                                    bool unknown)
{
    if (audience_wants_part(a, event))
        return false;
    bool hears = audience_is_open_to_all(a) || (event->is_part && event->cause_number == 0);
    int64_t number = event->cause_number;
    for (int i = 0; i < CAUSES_MAX && !hears && number > 0; i++) {
        struct event *cause = journal_read_one(a->journal, number);
        hears = cause ? audience_hears(a, cause) : unknown;
        number = cause ? cause->cause_number : 0;
        event_unref(cause);
    }
    return hears;
}

static bool audience_passes(const struct audience *a, const struct event *raise, bool unknown)
{
    return !audience_filter_refusal(a, raise) &&
           !(raise->apart && audience_hears_of_cause(a, raise, unknown));
}

static bool audience_is_any(const struct audience *a, const struct event *raise,
                            const struct event *event)
{
    (void)event;
    return audience_passes(a, raise, false);
}

enum audience_told audience_was_told(const struct audience *audience, int64_t number)
{
    return audience_find_raise(audience, number, audience_is_any, NULL);
}

// Whether the receiver knows by `raise` what the later event says.
static bool audience_is_earlier(const struct audience *a, const struct event *raise,
                                const struct event *event)
{
    const bool sent = raise->suppressed[0] == '\0' || raise->apart;
    const bool got =
        a->handle < 0 || !journal_receiver_may_lack(a->journal, a->handle, raise->number);
    const bool says_more =
        event->parts_changed > raise->parts_changed && !audience_wants_each_part(a);
    return sent && got && !says_more && raise->severity <= event->severity &&
           audience_passes(a, raise, true);
}

static bool audience_repeats(const struct audience *a, const struct event *raise)
{
    return audience_find_raise(a, raise->told_number, audience_is_earlier, raise) == AUDIENCE_TOLD;
}

// Nobody told the receiver of the alarm. The end is news for a receiver whose filter refuses alarms
// of this kind.
static const char *audience_refusal_of_lone_end(const struct audience *a, const struct event *clear)
{
    audience_lock(a);
    const bool wants = filter_refuses_raises(a->filter, clear);
    audience_unlock(a);
    if (!wants || clear->suppressed[0] != '\0')
        return "never told";
    return audience_filter_refusal(a, clear);
}

// Whether the receiver got the trap when it came, and now the trap is told to those who did not.
static bool audience_had_trap(const struct audience *a, const struct event *event)
{
    return event->retold && event_alarm(event) == ALARM_NONE && audience_wants_part(a, event);
}

const char *audience_refusal(const struct audience *audience, const struct event *event)
{
    const bool suppressed = event->suppressed[0] != '\0',
               raises = event_alarm(event) == ALARM_RAISES;
    if (suppressed && !event->apart)
        return "suppressed";
    if (audience_had_trap(audience, event))
        return "told before";
    if (audience_clears_older_alarm(audience, event))
        return NULL;
    const bool has_past = event->told_number > 0 && !audience_is_open_to_all(audience);
    const enum audience_told told =
        has_past && !raises ? audience_was_told(audience, event->told_number) : AUDIENCE_UNKNOWN;
    if (told != AUDIENCE_UNKNOWN)
        return told == AUDIENCE_TOLD ? NULL : audience_refusal_of_lone_end(audience, event);
    const char *item = audience_filter_refusal(audience, event);
    if (item)
        return item;
    if (has_past && raises && !event->sent_again && audience_repeats(audience, event))
        return "told before";
    return suppressed && audience_hears_of_cause(audience, event, false) ? "suppressed" : NULL;
}

static bool audience_is_reference(const struct audience *a, const struct event *raise,
                                  const struct event *clear)
{
    return strcmp(raise->id, clear->clears_id) == 0 && audience_passes(a, raise, true) &&
           !audience_repeats(a, raise);
}

// Whether the receiver's filter passed the raise to which the clear refers. False also if this is
// not known.
static bool audience_has_raise(const struct audience *a, const struct event *clear)
{
    if (audience_clears_older_alarm(a, clear))
        return false;
    return audience_is_open_to_all(a) ||
           audience_find_raise(a, clear->told_number, audience_is_reference, clear) ==
               AUDIENCE_TOLD;
}

struct event *audience_without_reference(const struct event *event)
{
    struct event *copy = event_copy(event);
    copy->sent_again = event->sent_again;
    copy->clears_id[0] = '\0';
    return copy;
}

struct event *audience_view(const struct audience *audience, struct event *event)
{
    const bool apart = event->suppressed[0] != '\0';
    const bool refers =
        event->clears_id[0] != '\0' && (apart || !audience_has_raise(audience, event));
    struct event *view = apart || refers ? audience_without_reference(event) : event_ref(event);
    if (apart)
        view->suppressed[0] = view->cause_id[0] = '\0';
    return view;
}
