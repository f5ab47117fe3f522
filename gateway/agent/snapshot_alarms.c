// SPDX-License-Identifier: BSD-2-Clause
#include "agent/snapshot_alarms.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct snapshot_alarms {
    struct snapshot_alarm *alarms;
    size_t count, room;
    int64_t now_us;
};

enum { TEXTS = 5 };

// Copies all texts of an alarm into one allocation: most are far shorter than their limits.
static void copy_texts(struct snapshot_alarm *out, const struct alarm *alarm)
{
    const char *texts[TEXTS] = {alarm->key, alarm->event_id, alarm->type, alarm->text, alarm->note};
    const char **places[TEXTS] = {&out->key, &out->event_id, &out->type, &out->text, &out->note};
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++)
        size += strlen(texts[i]) + 1;
    char *to = memory_get(size);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t length = strlen(texts[i]) + 1;
        *places[i] = memcpy(to, texts[i], length);
        to += length;
    }
}

static struct snapshot_alarm *snapshot_alarms_add(struct snapshot_alarms *alarms)
{
    if (alarms->count == alarms->room) {
        size_t room = alarms->room ? 2 * alarms->room : 16;
        alarms->alarms = memory_resize(alarms->alarms, room, sizeof *alarms->alarms);
        alarms->room = room;
    }
    return &alarms->alarms[alarms->count];
}

static void snapshot_alarms_copy(void *ctx, const struct alarm *alarm)
{
    struct snapshot_alarms *alarms = ctx;
    struct snapshot_alarm *out = snapshot_alarms_add(alarms);
    copy_texts(out, alarm);
    out->number = event_number(alarm->event_sequence);
    out->sequence = alarm->event_sequence;
    out->severity = alarm->severity;
    out->node_guid = alarm->node_guid;
    out->count = alarm->count;
    out->raised_us = alarm->raised_us;
    out->last_us = alarm->last_us;
    out->acknowledged = alarm->acknowledged_us != 0;
    out->shelved = alarm->shelved_until_us > alarms->now_us;
    alarms->count++;
}

static int by_number(const void *a, const void *b)
{
    const struct snapshot_alarm *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

struct snapshot_alarms *snapshot_alarms_take(struct journal *journal, int64_t now_us)
{
    struct snapshot_alarms *alarms = memory_zeroed(1, sizeof *alarms);
    alarms->now_us = now_us;
    journal_each_alarm_after(journal, 0, SNAPSHOT_ALARMS_MAX, snapshot_alarms_copy, alarms);
    if (alarms->count > 0)
        qsort(alarms->alarms, alarms->count, sizeof *alarms->alarms, by_number);
    return alarms;
}

void snapshot_alarms_free(struct snapshot_alarms *alarms)
{
    if (!alarms)
        return;
    for (size_t i = 0; i < alarms->count; i++)
        free((char *)alarms->alarms[i].key); // the allocation begins with the key
    free(alarms->alarms);
    free(alarms);
}

size_t snapshot_alarms_count(const struct snapshot_alarms *alarms)
{
    return alarms->count;
}

const struct snapshot_alarm *snapshot_alarms_at(const struct snapshot_alarms *alarms, size_t at)
{
    return &alarms->alarms[at];
}
