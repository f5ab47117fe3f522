// SPDX-License-Identifier: BSD-2-Clause
#include "model/alarm.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

struct alarm alarm_of_event(const struct event *event, int64_t sequence)
{
    struct alarm alarm = {.event_sequence = sequence, .raised_us = event->time_us};
    snprintf(alarm.key, sizeof alarm.key, "%s", event->alarm_key);
    snprintf(alarm.event_id, sizeof alarm.event_id, "%s", event->id);
    return alarm;
}

// Notes whether receivers were notified of the event that raised the alarm, and by whom.
static void alarm_note_notification(struct alarm *alarm, const struct event *event)
{
    if (event->suppressed[0] == '\0') {
        alarm->notified = ALARM_NOTIFIED;
        memcpy(alarm->notified_id, event->id, sizeof alarm->notified_id);
    } else if (strcmp(event->suppressed, EVENT_STANDBY) == 0) {
        alarm->notified = ALARM_NOTIFIED_ELSEWHERE;
        alarm->notified_id[0] = '\0';
    }
}

void alarm_note_end(struct alarm *alarm, const struct event *event)
{
    if (strcmp(event->suppressed, EVENT_STANDBY) == 0)
        alarm->notified = ALARM_END_ELSEWHERE;
    else if (event->suppressed[0] == '\0' || strcmp(event->suppressed, EVENT_NEVER_NOTIFIED) == 0)
        alarm->notified = ALARM_NOT_NOTIFIED;
    if (alarm->shelved_until_us <= event->time_us) {
        alarm->shelved_until_us = 0;
        alarm->shelved_by[0] = '\0';
    }
    alarm->acknowledged_us = 0;
    alarm->acknowledged_by[0] = alarm->note[0] = '\0';
    if (alarm->notified == ALARM_NOT_NOTIFIED)
        alarm->told_sequence = 0;
    alarm->over = alarm->notified != ALARM_NOT_NOTIFIED || alarm->shelved_until_us != 0;
    alarm->last_us = event->time_us;
}

bool alarm_is_notified_late(const struct alarm *alarm, const struct event *event)
{
    return event->related_id[0] != '\0' && (strcmp(event->related_id, alarm->last_id) == 0 ||
                                            strcmp(event->related_id, alarm->event_id) == 0);
}

struct alarm alarm_begin_again(const struct alarm *before, const struct event *event,
                               int64_t sequence)
{
    struct alarm alarm = alarm_of_event(event, sequence);
    if (before->over) {
        alarm.shelved_until_us = before->shelved_until_us;
        alarm.shelved_for_us = before->shelved_for_us;
        memcpy(alarm.shelved_by, before->shelved_by, sizeof alarm.shelved_by);
    }
    if (before->over &&
        (before->notified == ALARM_NOTIFIED || before->notified == ALARM_NOTIFIED_ELSEWHERE)) {
        alarm.event_sequence = before->event_sequence;
        alarm.told_sequence = before->told_sequence;
        alarm.notified = before->notified;
        memcpy(alarm.notified_id, before->notified_id, sizeof alarm.notified_id);
    }
    return alarm;
}

// Whether this gateway or the active gateway tells receivers, some or all, of the alarm.
static bool alarm_is_told(const struct event *raise)
{
    return raise->suppressed[0] == '\0' || raise->apart ||
           strcmp(raise->suppressed, EVENT_STANDBY) == 0;
}

void alarm_note_raise(struct alarm *alarm, const struct event *event, int64_t sequence)
{
    const bool first = strcmp(event->id, alarm->event_id) == 0;
    snprintf(alarm->last_id, sizeof alarm->last_id, "%s", first ? "" : event->id);
    snprintf(alarm->type, sizeof alarm->type, "%s", event->type->name);
    snprintf(alarm->text, sizeof alarm->text, "%s", event->text);
    alarm->severity = event->severity;
    alarm->category = event->category;
    alarm->node_guid = event->subject.node_guid ? event->subject.node_guid : event->subject.guid;
    alarm->last_us = event->time_us;
    memcpy(alarm->cause_id, event->cause_id, sizeof alarm->cause_id);
    alarm->last_sequence = sequence;
    if (alarm_is_told(event))
        alarm->told_sequence = sequence;
    // A duplicate suppresses the event, and not the alarm.
    if (strcmp(event->suppressed, EVENT_DUPLICATE) != 0)
        memcpy(alarm->suppressed, event->suppressed, sizeof alarm->suppressed);
    alarm_note_notification(alarm, event);
}

bool alarm_is_aside(const struct alarm *alarm)
{
    static const char *const WORDS[] = {EVENT_SHELVED, EVENT_DISABLED, EVENT_MAINTENANCE};
    bool is_aside = alarm->acknowledged_us != 0;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        is_aside |= strcmp(alarm->suppressed, WORDS[i]) == 0;
    return is_aside;
}

enum alarm_standing alarm_standing(const struct alarm *alarm, const struct catalogue_entry *type)
{
    if (strcmp(alarm->suppressed, EVENT_MAINTENANCE) == 0)
        return ALARM_IN_MAINTENANCE;
    if (alarm->cause_id[0] != '\0')
        return ALARM_FOLLOWS;
    if (type && catalogue_is_own(type) && type->category != CATEGORY_SM)
        return ALARM_OF_GATEWAY;
    return alarm_is_aside(alarm) ? ALARM_HANDLED : ALARM_OPEN;
}

const char *alarm_standing_word(enum alarm_standing standing)
{
    static const char *const WORDS[] = {"maintenance", "follows", "gateway", "handled", "open"};
    return WORDS[standing];
}

uint64_t alarm_digest(const struct alarm *alarm)
{
    const int64_t numbers[] = {alarm->event_sequence, alarm->raised_us,        alarm->last_us,
                               alarm->last_sequence,  (int64_t)alarm->count,   alarm->severity,
                               alarm->category,       alarm->acknowledged_us,  alarm->notified,
                               alarm->consequences,   alarm->shelved_until_us, alarm->over};
    const char *const texts[] = {alarm->key,      alarm->event_id,   alarm->type,
                                 alarm->cause_id, alarm->suppressed, alarm->acknowledged_by,
                                 alarm->note,     alarm->shelved_by, alarm->text};
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        digest = digest_add(digest, texts[i], strlen(texts[i]) + 1);
    return digest;
}
