// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_filter.h"

#include "sink/audience.h"

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

static struct audience receiver_audience(struct receiver *receiver)
{
    return (struct audience){.filter = &receiver->options.filter,
                             .lock = &receiver->filter_lock,
                             .journal = receiver->options.journal,
                             .handle = receiver->handle};
}

const char *receiver_refusal(struct receiver *receiver, const struct event *event)
{
    const bool elsewhere =
        event->only_receiver[0] != '\0' && strcmp(event->only_receiver, receiver->sink.name) != 0;
    const struct audience audience = receiver_audience(receiver);
    return elsewhere ? "a test of another receiver" : audience_refusal(&audience, event);
}

struct event *receiver_filter_view(struct receiver *receiver, struct event *event)
{
    const struct audience audience = receiver_audience(receiver);
    return audience_view(&audience, event);
}
