// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/alarm_source.h"

#include "base/memory.h"
#include "control/handlers.h"
#include "daemon/presence.h"
#include "pipeline/pipeline.h"
#include "sink/audience.h"
#include "topology/alarm_key.h"

#include <stdio.h>
#include <string.h>

static struct module_alarms_state alarm_source_state(void *ctx)
{
    const struct gateway *g = ctx;
    struct module_alarms_state state = {.is_standby = !pipeline_is_active(g->parts.pipeline)};
    state.is_whole = journal_has_all_alarms(g->parts.journal, &state.changes);
    return state;
}

static void alarm_source_page(void *ctx, struct alarm_page *page)
{
    const struct gateway *g = ctx;
    journal_read_alarms(g->parts.journal, JOURNAL_ACTIVE_ALARMS, page);
}

static bool alarm_source_may_pass(void *ctx, const struct alarm *alarm, const struct filter *filter)
{
    const struct catalogue_entry *type = catalogue_find(alarm->type);
    const struct gateway *g = ctx;
    return type && (catalogue_is_own(type) || pipeline_is_active(g->parts.pipeline)) &&
           alarm->shelved_until_us <= clock_utc(&clock_system) &&
           filter_may_pass(filter, type, alarm->severity, alarm->category);
}

// Returns the last event that raised the alarm, a reference. NULL: the journal has the event no
// longer.
static struct event *alarm_source_read(const struct gateway *g, const struct alarm *alarm)
{
    struct event *event = journal_read_one(g->parts.journal, alarm->last_sequence);
    if (event && strcmp(event->alarm_key, alarm->key) == 0 && event_alarm(event) == ALARM_RAISES)
        return event;
    event_unref(event);
    return NULL;
}

// Fills in the nodes of the key. The subject is the node of the alarm.
static void alarm_source_fill_nodes(const struct alarm *alarm, struct event *event)
{
    struct alarm_key key;
    event->subject.node_guid = alarm->node_guid;
    if (!alarm_key_read(alarm->key, &key))
        return;
    struct endpoint one = {.node_guid = key.guid, .port = key.port};
    struct endpoint other = {.node_guid = key.peer_guid, .port = key.peer_port};
    const bool turned = key.peer_guid != 0 && alarm->node_guid == key.peer_guid;
    event->subject = turned ? other : one;
    event->peer = turned ? one : other;
}

static struct event *alarm_source_guess(const struct alarm *alarm)
{
    struct event *event = event_make(catalogue_find(alarm->type));
    event->severity = alarm->severity;
    event->category = alarm->category;
    event->time_us = alarm->last_us;
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", alarm->key);
    snprintf(event->text, sizeof event->text, "%s", alarm->text);
    alarm_source_fill_nodes(alarm, event);
    return event;
}

// Whether a receiver with the filter was notified of the alarm, or of its event although others
// were not.
static bool alarm_source_is_told(const struct gateway *g, const struct alarm *alarm,
                                 const struct event *event, const struct filter *filter)
{
    const struct audience audience = {.filter = filter, .journal = g->parts.journal, .handle = -1};
    if (alarm->told_sequence == 0 && alarm->notified == ALARM_NOT_NOTIFIED)
        return false;
    const enum audience_told told = alarm->told_sequence != 0
                                        ? audience_was_told(&audience, alarm->told_sequence)
                                        : AUDIENCE_UNKNOWN;
    return told == AUDIENCE_UNKNOWN ? filter_passes(filter, event) : told == AUDIENCE_TOLD;
}

static struct event *alarm_source_event(void *ctx, const struct alarm *alarm,
                                        const struct filter *filter, bool *refused)
{
    const struct gateway *g = ctx;
    struct event *event = alarm_source_read(g, alarm);
    if (!event)
        event = alarm_source_guess(alarm);
    *refused = !alarm_source_is_told(g, alarm, event, filter);
    return event;
}

static char *alarm_source_document(void *ctx, const struct alarm *alarm)
{
    const struct gateway *g = ctx;
    struct event *event = alarm_source_read(g, alarm);
    if (!event)
        event = alarm_source_guess(alarm);
    json_t *o = alarm_answers_document(alarm, event, g->parts.fabric_name, g->parts.gateway_name);
    char *text = memory_need(json_dumps(o, JSON_COMPACT));
    json_decref(o);
    event_unref(event);
    return text;
}

static char *alarm_source_heartbeat(void *ctx)
{
    return presence_document(((struct gateway *)ctx)->presence);
}

static bool alarm_source_heard(void *ctx, const char *gateway, const char *heartbeat, size_t size)
{
    return presence_heard(((struct gateway *)ctx)->presence, gateway, heartbeat, size);
}

struct module_alarms alarm_source(struct gateway *g)
{
    return (struct module_alarms){.state = alarm_source_state,
                                  .page = alarm_source_page,
                                  .may_pass = alarm_source_may_pass,
                                  .event = alarm_source_event,
                                  .document = alarm_source_document,
                                  .heartbeat = alarm_source_heartbeat,
                                  .heard = alarm_source_heard,
                                  .gateway = g->parts.gateway_name,
                                  .fabric =
                                      g->conf->fabric.name[0] != '\0' ? g->parts.fabric_name : "",
                                  .fabric_name = g->parts.fabric_name,
                                  .ctx = g};
}
