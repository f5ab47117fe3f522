// SPDX-License-Identifier: BSD-2-Clause
// Copies of the events that open alarms need, and of the ends that a receiver has yet to get:
// retention deletes the events, and a new file in place of a damaged one does not have the events.
#include "journal/journal_private.h"

#include "model/catalogue.h"
#include "model/event_record.h"

enum { ALARMS_AT_ONCE = 64, PAGE = 1024 };

// An event of an alarm that is kept if its number is `end` at most.
struct kept_event {
    struct store *to;
    const char *key;
    int64_t number, end;
    int64_t earlier; // the event before by which the alarm was told; 0: none
};

static bool kept_events_take(void *ctx, const struct store_row *row)
{
    struct kept_event *kept = ctx;
    struct error err;
    if (row->sequence != kept->number)
        return false;
    struct event *event = event_record_read(row->record, row->record_size, &err);
    kept->earlier = event ? event->told_number : 0;
    event_unref(event);
    if (row->sequence <= kept->end)
        store_keep_event(kept->to, row, kept->key);
    return false;
}

// Keeps the events from `first` to `end` by which the alarm was told, its first event, and its last
// event, which is `first` at least.
static void kept_events_keep_alarm(struct store *from, struct store *to,
                                   const struct alarm_events *alarm, int64_t first, int64_t end)
{
    struct error err;
    struct kept_event kept = {.to = to, .key = alarm->key, .number = alarm->last, .end = end};
    if (alarm->last <= end && alarm->last != alarm->told)
        store_read(from, STORE_AFTER, kept.number - 1, 1, kept_events_take, &kept, &err);
    kept.number = alarm->first; // the root cause of others
    if (alarm->first >= first && alarm->first <= end && alarm->first != alarm->told)
        store_read(from, STORE_AFTER, kept.number - 1, 1, kept_events_take, &kept, &err);
    kept.number = alarm->told;
    for (int i = 0; i < JOURNAL_RAISES_MAX && kept.number >= first; i++) {
        kept.earlier = 0;
        store_read(from, STORE_AFTER, kept.number - 1, 1, kept_events_take, &kept, &err);
        kept.number = kept.earlier;
    }
}

void journal_keep_told(struct journal *journal, struct store *from, struct store *to, int64_t first,
                       int64_t end)
{
    struct alarm_events alarms[ALARMS_AT_ONCE];
    size_t n = ALARMS_AT_ONCE;
    int64_t after = 0;
    while (n == ALARMS_AT_ONCE) {
        n = alarms_list_events(journal, after, end, first, alarms, ALARMS_AT_ONCE);
        for (size_t i = 0; i < n; i++)
            kept_events_keep_alarm(from, to, &alarms[i], first, end);
        after = alarms[n > 0 ? n - 1 : 0].first;
    }
}

struct kept_pass {
    struct store *store;
    int64_t had, end, read; // `read`: the last number that was read
};

static void kept_events_pass(const struct kept_pass *pass, const struct store_row *row,
                             const struct event *event)
{
    const bool clears = event_alarm(event) == ALARM_CLEARS;
    const bool had = row->sequence <= pass->had;
    if (clears)
        store_drop_kept_of(pass->store, event->alarm_key,
                           had ? row->sequence : event->cleared_number);
    if (clears ? !had && event->told_number > 0 : event->suppressed[0] == '\0' || event->apart)
        store_keep_event(pass->store, row, event->alarm_key);
}

static bool kept_events_pass_row(void *ctx, const struct store_row *row)
{
    struct kept_pass *pass = ctx;
    struct error err;
    const struct catalogue_entry *type = catalogue_find(row->type);
    if (row->sequence > pass->end)
        return false;
    pass->read = row->sequence;
    if (!type || type->alarm == ALARM_NONE)
        return true;
    struct event *event = event_record_read(row->record, row->record_size, &err);
    if (event && event_alarm(event) != ALARM_NONE)
        kept_events_pass(pass, row, event);
    event_unref(event);
    return true;
}

void journal_keep_as_of(struct store *store, int64_t had, int64_t first, int64_t end)
{
    struct error err;
    struct kept_pass pass = {store, had, end, first - 1};
    int64_t after;
    do {
        after = pass.read;
        store_read(store, STORE_AFTER, after, PAGE, kept_events_pass_row, &pass, &err);
    } while (pass.read > after && pass.read < end);
}
