// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include <string.h>

void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group)
{
    guid_set_ref(group);
    pthread_mutex_lock(&receiver->filter_lock);
    struct guid_set *old = receiver->options.filter.trap_group;
    receiver->options.filter.trap_group = group;
    pthread_mutex_unlock(&receiver->filter_lock);
    guid_set_unref(old);
}

static const char *refusal_of_filter(struct receiver *receiver, const struct event *event)
{
    pthread_mutex_lock(&receiver->filter_lock);
    const char *item = filter_refusal(&receiver->options.filter, event);
    pthread_mutex_unlock(&receiver->filter_lock);
    return item;
}

// Whether the event clears an alarm from before the receiver's filter was in force. The receiver
// may have that alarm, so it gets the clear.
static bool clears_older_alarm(const struct receiver *receiver, const struct event *event)
{
    return event_alarm(event) == ALARM_CLEARS && event->cleared_number > 0 &&
           event->cleared_number <=
               journal_filter_since(receiver->options.journal, receiver->handle);
}

const char *receiver_refusal(struct receiver *receiver, const struct event *event)
{
    if (event->suppressed[0] != '\0')
        return "suppressed";
    if (event->only_receiver[0] != '\0' && strcmp(event->only_receiver, receiver->sink.name) != 0)
        return "a test of another receiver";
    const char *item = refusal_of_filter(receiver, event);
    return item && !clears_older_alarm(receiver, event) ? item : NULL;
}
