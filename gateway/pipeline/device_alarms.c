// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/device_alarms.h"

#include "model/module_page.h"
#include "pipeline/statements.h"
#include "topology/alarm_key.h"
#include "topology/comparison.h"
#include "topology/describe.h"
#include "topology/device_rules.h"
#include "topology/link_history.h"

#include <string.h>

struct device_alarms {
    struct emitter *emitter;
    struct devices *devices;
    struct fabric *fabric;
};

static uint32_t device_alarms_port(const struct device_alarms *d, uint64_t guid, uint8_t number)
{
    return fabric_find_port(d->fabric, fabric_find_node(d->fabric, guid), number);
}

// Of a switch as a whole, port 0 is the subject.
static void device_alarms_emit(const struct device_alarms *d, enum catalogue_event type,
                               const struct alarm_key *key, const char *why)
{
    struct change change = {.type = type, .cause = FABRIC_NONE};
    const struct names *names = d->emitter->builder.names;
    if (key->kind == ALARM_KEY_PORT)
        comparison_describe_link(d->fabric, device_alarms_port(d, key->guid, key->port), names,
                                 &change);
    else
        describe_node(d->fabric, fabric_find_node(d->fabric, key->guid), names, &change.subject);
    if (key->kind == ALARM_KEY_NODE)
        comparison_set_switch(&change);
    alarm_key_write(change.alarm_key, key);
    snprintf(change.reason, sizeof change.reason, "%s", why);
    emitter_emit(d->emitter,
                 event_builder_from_change(&d->emitter->builder, &change, false, "", ""));
}

// The other end of a cable that is new has the same serial number, and told of the cable before.
static bool device_alarms_is_told(const struct device_alarms *d, const struct device_record *now)
{
    struct device_record there;
    char here[MODULE_TEXT_SIZE], other[MODULE_TEXT_SIZE];
    const uint32_t peer =
        fabric_peer(d->fabric, device_alarms_port(d, now->reading.node_guid, now->reading.port));
    return peer != FABRIC_NONE &&
           devices_find(d->devices, d->fabric->nodes[fabric_node_of_port(d->fabric, peer)].guid,
                        d->fabric->ports[peer].number, REGISTER_MODULE, &there) &&
           strcmp(module_page_text(there.reading.octets, MODULE_SERIAL, other),
                  module_page_text(now->reading.octets, MODULE_SERIAL, here)) == 0;
}

// With a new cable, the link begins anew.
static void device_alarms_end_unreliable(const struct device_alarms *d, const struct alarm_key *key)
{
    char text[EVENT_KEY_SIZE];
    struct policy_alarm alarm;
    const uint32_t peer = fabric_peer(d->fabric, device_alarms_port(d, key->guid, key->port));
    if (peer == FABRIC_NONE)
        return;
    const struct alarm_key link = link_history_key(
        key->guid, key->port, d->fabric->nodes[fabric_node_of_port(d->fabric, peer)].guid,
        d->fabric->ports[peer].number);
    alarm_key_write(text, &link);
    if (policy_find_alarm(d->emitter->policy, text, &alarm))
        emitter_end_alarm(d->emitter, text, alarm.type, "its cable was replaced");
}

static void device_alarms_happened(const struct device_alarms *d, const struct device_rule *rule,
                                   const struct device_case *c, const struct alarm_key *key,
                                   const char *why)
{
    const bool replaced = rule->event == CATALOGUE_CABLE_REPLACED;
    if (replaced && device_alarms_is_told(d, c->now))
        return;
    device_alarms_emit(d, rule->event, key, why);
    if (replaced)
        device_alarms_end_unreliable(d, key);
}

static void device_alarms_judge(const struct device_alarms *d, const struct device_rule *rule,
                                struct device_case *c)
{
    char text[EVENT_KEY_SIZE], buf[EVENT_REASON_SIZE];
    struct text why = text_in(buf, sizeof buf);
    const struct device_reading *reading = &c->now->reading;
    const struct alarm_key key = {.kind = reading->port > 0 ? ALARM_KEY_PORT : ALARM_KEY_NODE,
                                  .about = ALARM_ABOUT_DEVICE,
                                  .event = rule->event,
                                  .guid = reading->node_guid,
                                  .port = reading->port};
    const bool is_alarm = catalogue_get(rule->event)->alarm == ALARM_RAISES;
    alarm_key_write(text, &key);
    c->raised = is_alarm && policy_is_raised(d->emitter->policy, text);
    const enum device_verdict verdict = rule->judge(c, &why);
    if (verdict == DEVICE_IS_BAD && !is_alarm)
        device_alarms_happened(d, rule, c, &key, buf);
    else if (verdict == DEVICE_IS_BAD && statements_may_raise(d->emitter, text))
        device_alarms_emit(d, rule->event, &key, buf);
    else if (verdict == DEVICE_IS_GOOD && c->raised)
        device_alarms_emit(d, CATALOGUE_HARDWARE_GOOD, &key, buf);
}

static void device_alarms_take_reading(const struct device_alarms *d,
                                       const struct device_reading *reading, int64_t time_us)
{
    struct device_record before, now = {.reading = *reading, .time_us = time_us};
    struct device_case c = {.now = &now};
    const uint32_t node = fabric_find_node(d->fabric, reading->node_guid);
    const uint32_t port = fabric_find_port(d->fabric, node, reading->port);
    if (node == FABRIC_NONE || port == FABRIC_NONE)
        return;
    now.link_up = d->fabric->ports[port].state > FABRIC_DOWN;
    if (devices_find(d->devices, reading->node_guid, reading->port, reading->page, &before)) {
        c.before = &before;
        now.good = before.good;
    }
    const struct device_rule *rule;
    for (size_t i = 0; (rule = device_rules_at(i)); i++) {
        if (rule->page == reading->page)
            device_alarms_judge(d, rule, &c);
    }
    devices_put(d->devices, &now);
}

static enum statement device_alarms_say(void *ctx, const struct policy_alarm *alarm,
                                        struct text *why)
{
    const struct device_alarms *d = ctx;
    struct alarm_key key;
    if (!alarm_key_parse(alarm->key, &key) || key.about != ALARM_ABOUT_DEVICE)
        return STATEMENT_OF_OTHERS;
    text_add(why, "it is not in the fabric any more");
    const uint32_t node = fabric_find_node(d->fabric, key.guid);
    return fabric_find_port(d->fabric, node, key.port) != FABRIC_NONE ||
                   (node != FABRIC_NONE && key.kind == ALARM_KEY_NODE)
               ? STATEMENT_HOLDS
               : STATEMENT_IS_OVER;
}

void device_alarms_take(struct emitter *emitter, struct devices *devices,
                        const struct device_readings *readings)
{
    struct device_alarms d = {
        .emitter = emitter, .devices = devices, .fabric = topology_current(emitter->topology)};
    for (size_t i = 0; d.fabric && i < readings->count; i++) {
        if (readings->all[i].answered)
            device_alarms_take_reading(&d, &readings->all[i], readings->time_us);
    }
    if (d.fabric && readings->ends_round) {
        statements_compare_all(emitter, &(struct detector){.say = device_alarms_say, .ctx = &d});
        devices_forget_old(devices, readings->time_us);
    }
    fabric_unref(d.fabric);
}
