// SPDX-License-Identifier: BSD-2-Clause
#include "http/alert.h"

#include "base/clock.h"
#include "base/memory.h"
#include "model/catalogue.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void alert_set(json_t *o, const char *name, const char *value)
{
    char clean[EVENT_TEXT_SIZE];
    const char *text = value;
    if (!text_is_utf8(value)) {
        text_clean(value, strlen(value), clean, sizeof clean);
        text = clean;
    }
    if (text[0] != '\0') // Alertmanager removes empty labels
        json_object_set_new(o, name, memory_need(json_string(text)));
}

// The node's name, or its GUID where it has none.
static void alert_set_node(json_t *labels, const char *name, const struct endpoint *node)
{
    char guid[24];
    const uint64_t number = node->node_guid ? node->node_guid : node->guid;
    snprintf(guid, sizeof guid, "0x%016" PRIx64, number);
    if (node->name[0] != '\0')
        alert_set(labels, name, node->name);
    else if (number != 0)
        alert_set(labels, name, guid);
}

static void alert_set_number(json_t *labels, const char *name, unsigned number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    if (number != 0)
        alert_set(labels, name, text);
}

static char *alert_finish(json_t *o)
{
    char *text = memory_need(json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(o);
    return text;
}

char *alert_labels(const struct alarm *alarm, const struct event *event,
                   const struct alert_origin *origin)
{
    char subnet[24];
    json_t *labels = memory_need(json_object());
    snprintf(subnet, sizeof subnet, "%016" PRIx64, event->subnet_prefix);
    alert_set(labels, "alertname", alarm->type);
    alert_set(labels, "severity", severity_word(alarm->severity));
    alert_set(labels, "category", category_word(alarm->category));
    alert_set(labels, "source", origin->source);
    if (catalogue_is_own(event->type))
        alert_set(labels, "gateway", origin->gateway);
    alert_set(labels, "alarmkey", alarm->key);
    alert_set_node(labels, "node", &event->subject);
    alert_set_number(labels, "port", event->subject.port);
    alert_set_node(labels, "peer", &event->peer);
    alert_set_number(labels, "peerport", event->peer.port);
    if (event->subnet_prefix != 0)
        alert_set(labels, "subnet", subnet);
    if (event->test)
        alert_set(labels, "test", "true");
    return alert_finish(labels);
}

char *alert_annotations(const struct alarm *alarm)
{
    char explain[sizeof alarm->event_id + 24];
    json_t *annotations = memory_need(json_object());
    snprintf(explain, sizeof explain, "ibtrapctl explain %s", alarm->event_id);
    alert_set(annotations, "summary", alarm->text);
    alert_set(annotations, "explain", explain);
    if (alarm->acknowledged_us != 0)
        alert_set(annotations, "acknowledged", alarm->note[0] != '\0' ? alarm->note : "yes");
    return alert_finish(annotations);
}

void alert_of_test(const struct event *event, struct alarm *out)
{
    *out = (struct alarm){.event_sequence = event->number,
                          .raised_us = event->time_us,
                          .severity = event->severity,
                          .category = event->category};
    snprintf(out->key, sizeof out->key, "test %.36s", event->id);
    snprintf(out->event_id, sizeof out->event_id, "%s", event->id);
    snprintf(out->type, sizeof out->type, "%s", event->type->name);
    snprintf(out->text, sizeof out->text, "%s", event->text);
}

void alert_write(struct text *t, const char *labels, const char *annotations, int64_t starts_us,
                 int64_t ends_us)
{
    char time[CLOCK_TEXT_SIZE];
    text_add(t, "{\"labels\":");
    text_add(t, labels);
    text_add(t, ",\"annotations\":");
    text_add(t, annotations);
    clock_format_utc(starts_us, time);
    text_add(t, ",\"startsAt\":\"");
    text_add(t, time);
    clock_format_utc(ends_us, time);
    text_add(t, "\",\"endsAt\":\"");
    text_add(t, time);
    text_add(t, "\"}");
}
