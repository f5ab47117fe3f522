// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/event_counts.h"

#include <stdio.h>
#include <string.h>

static struct event_counts_reason *find_reason(struct event_counts *counts, const char *word)
{
    size_t count = atomic_load(&counts->reason_count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(counts->reasons[i].word, word) == 0)
            return &counts->reasons[i];
    }
    if (count == EVENT_COUNTS_REASONS_MAX)
        return &counts->reasons[count - 1];
    bool last = count == EVENT_COUNTS_REASONS_MAX - 1;
    struct event_counts_reason *reason = &counts->reasons[count];
    snprintf(reason->word, sizeof reason->word, "%s", last ? "other" : word);
    atomic_store(&counts->reason_count, count + 1); // last: readers then find the word set
    return reason;
}

void event_counts_add(struct event_counts *counts, const struct event *event)
{
    size_t kind = (size_t)(event->type - catalogue_get(0));
    atomic_fetch_add(event->test ? &counts->tests : &counts->events[kind][event->severity], 1);
    if (event->suppressed[0] != '\0')
        atomic_fetch_add(&find_reason(counts, event->suppressed)->count, 1);
}
