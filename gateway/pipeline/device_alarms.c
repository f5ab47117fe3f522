// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/device_alarms.h"

#include "base/memory.h"
#include "model/board_pages.h"
#include "model/module_page.h"
#include "pipeline/statements.h"
#include "topology/comparison.h"
#include "topology/describe.h"
#include "topology/device_rules.h"
#include "topology/link_history.h"

#include <stdlib.h>
#include <string.h>

struct device_alarms {
    struct emitter *emitter;
    struct devices *devices;
    struct fabric *fabric;
    const struct device_case *judged; // NULL: no reading is
};

// Names the module in question: the former module of an empty port, or the module in the port.
static void device_alarms_add_module(const struct device_case *c, struct event *event)
{
    const uint8_t *now = c->now->reading.octets, *was = c->before ? c->before->reading.octets : now;
    const uint8_t *module = module_page_is_plugged(now) ? now : was;
    module_page_text(module, MODULE_VENDOR, event->module_vendor);
    module_page_text(module, MODULE_PART, event->module_part);
    module_page_text(module, MODULE_SERIAL, event->module_serial);
    if (catalogue_has_field(event->type, FIELD_FORMER_SERIAL))
        snprintf(event->former_serial, sizeof event->former_serial, "%s", c->serial);
}

// Of a switch as a whole, port 0 is the subject.
static void device_alarms_emit(const struct device_alarms *d, enum catalogue_event type,
                               const struct alarm_key *key, const char *why)
{
    struct change change = {.type = type, .cause = FABRIC_NONE};
    const struct names *names = d->emitter->builder.names;
    if (key->kind == ALARM_KEY_PORT)
        comparison_describe_link(d->fabric, fabric_find_end(d->fabric, key->guid, key->port), names,
                                 &change);
    else
        describe_node(d->fabric, fabric_find_node(d->fabric, key->guid), names, &change.subject);
    if (key->kind == ALARM_KEY_NODE)
        comparison_set_switch(&change);
    alarm_key_write(change.alarm_key, key);
    snprintf(change.reason, sizeof change.reason, "%s", why);
    struct event *event = event_builder_from_change(&d->emitter->builder, &change, false, "", "");
    if (d->judged && d->judged->now->reading.page == REGISTER_MODULE)
        device_alarms_add_module(d->judged, event);
    emitter_emit(d->emitter, event);
}

// The other end of a cable that is new has the same serial number, and told of the cable before.
static bool device_alarms_is_told(const struct device_alarms *d, const struct device_record *now)
{
    struct device_record there;
    char here[MODULE_TEXT_SIZE], other[MODULE_TEXT_SIZE];
    const uint32_t peer = fabric_peer(
        d->fabric, fabric_find_end(d->fabric, now->reading.node_guid, now->reading.port));
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
    const uint32_t peer = fabric_peer(d->fabric, fabric_find_end(d->fabric, key->guid, key->port));
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

// Whether the alarm lists parts, and lists others now: a second fan failed.
static bool device_alarms_grew(const struct device_alarms *d, const char *key, const char *why)
{
    struct policy_alarm alarm;
    struct event *last = policy_find_alarm(d->emitter->policy, key, &alarm)
                             ? journal_find(d->emitter->journal, alarm.last_number)
                             : NULL;
    const enum catalogue_event type = last ? catalogue_event_of(last->type) : CATALOGUE_COUNT;
    const bool grew = (type == CATALOGUE_FAN_FAILED || type == CATALOGUE_POWER_SUPPLY_FAILED) &&
                      strcmp(last->reason, why) != 0;
    event_unref(last);
    return grew;
}

static bool device_alarms_is_heat(const struct alarm_key *key)
{
    return key->about == ALARM_ABOUT_DEVICE &&
           (key->event == CATALOGUE_TEMPERATURE_HIGH || key->event == CATALOGUE_MODULE_HOT);
}

// Makes the heat the root cause of the errors of its links.
static void device_alarms_explain_errors(const struct device_alarms *d,
                                         const struct alarm_key *heat, const char *cause)
{
    size_t count;
    struct policy_alarm *alarms = policy_list_alarms(d->emitter->policy, &count);
    for (size_t i = 0; i < count; i++) {
        struct alarm_key key;
        if (alarm_key_parse(alarms[i].key, &key) && key.about == ALARM_ABOUT_ERRORS &&
            alarms[i].cause_id[0] == '\0' &&
            ((key.guid == heat->guid && (heat->port == 0 || key.port == heat->port)) ||
             (key.peer_guid == heat->guid && (heat->port == 0 || key.peer_port == heat->port))))
            policy_set_cause(d->emitter->policy, alarms[i].key, cause, emitter_now(d->emitter));
    }
    free(alarms);
}

bool device_alarms_find_heat(const struct emitter *emitter, const struct alarm_key *errors,
                             char out[EVENT_ID_SIZE])
{
    const uint64_t guids[] = {errors->guid, errors->peer_guid};
    const uint8_t ports[] = {errors->port, errors->peer_port};
    for (size_t i = 0; i < 4; i++) {
        const bool module = i >= 2;
        const struct alarm_key heat = {.kind = module ? ALARM_KEY_PORT : ALARM_KEY_NODE,
                                       .about = ALARM_ABOUT_DEVICE,
                                       .event = module ? CATALOGUE_MODULE_HOT
                                                       : CATALOGUE_TEMPERATURE_HIGH,
                                       .guid = guids[i % 2],
                                       .port = module ? ports[i % 2] : 0};
        struct policy_alarm alarm;
        char key[EVENT_KEY_SIZE];
        alarm_key_write(key, &heat);
        if (!policy_find_alarm(emitter->policy, key, &alarm))
            continue;
        snprintf(out, EVENT_ID_SIZE, "%s", alarm.event_id);
        return true;
    }
    return false;
}

// Raises or ends an alarm as the verdict says.
static void device_alarms_state(const struct device_alarms *d, const struct alarm_key *key,
                                enum device_verdict verdict, const char *why)
{
    char text[EVENT_KEY_SIZE];
    alarm_key_write(text, key);
    if (verdict == DEVICE_IS_BAD &&
        (statements_may_raise(d->emitter, text) || device_alarms_grew(d, text, why)))
        device_alarms_emit(d, key->event, key, why);
    else if (verdict == DEVICE_IS_GOOD && policy_is_raised(d->emitter->policy, text))
        device_alarms_emit(d, CATALOGUE_HARDWARE_GOOD, key, why);
    if (verdict == DEVICE_IS_BAD && device_alarms_is_heat(key))
        device_alarms_explain_errors(d, key, text);
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
    if (is_alarm)
        device_alarms_state(d, &key, verdict, buf);
    else if (verdict == DEVICE_IS_BAD)
        device_alarms_happened(d, rule, c, &key, buf);
}

// The record of the page before a restart: the serial number, and the bits that were good.
static struct device_record device_alarms_recall(const struct device_reading *reading,
                                                 const struct device_memory *memory)
{
    struct device_record record = {.reading = *reading, .link_up = true, .good = memory->good};
    memset(record.reading.octets, 0, sizeof record.reading.octets);
    if (reading->page == REGISTER_MODULE)
        module_page_set_serial(record.reading.octets, memory->serial);
    return record;
}

// A port without a module keeps the serial number of the last module.
static void device_alarms_remember(const struct device_alarms *d, const struct device_record *now,
                                   struct device_memory *memory)
{
    char serial[MODULE_TEXT_SIZE] = "";
    if (now->reading.page == REGISTER_MODULE &&
        module_page_text(now->reading.octets, MODULE_SERIAL, serial)[0] != '\0')
        memcpy(memory->serial, serial, sizeof memory->serial);
    memory->good = now->good;
    if (memory->good != 0 || memory->serial[0] != '\0')
        journal_remember_device(d->emitter->journal, memory);
}

static void device_alarms_take_reading(const struct device_alarms *d,
                                       const struct device_reading *reading, int64_t time_us)
{
    struct device_record before, now = {.reading = *reading, .time_us = time_us};
    struct device_memory memory = {
        .guid = reading->node_guid, .port = reading->port, .page = reading->page};
    struct device_case c = {.devices = d->devices, .now = &now, .serial = memory.serial};
    const uint32_t node = fabric_find_node(d->fabric, reading->node_guid);
    const uint32_t port = fabric_find_port(d->fabric, node, reading->port);
    if (node == FABRIC_NONE || port == FABRIC_NONE)
        return;
    now.link_up = d->fabric->ports[port].state > FABRIC_DOWN;
    const bool recalled = journal_recall_device(d->emitter->journal, &memory);
    const bool has_record =
        devices_find(d->devices, reading->node_guid, reading->port, reading->page, &before);
    if (!has_record && recalled)
        before = device_alarms_recall(reading, &memory);
    if (has_record || recalled) {
        c.before = &before;
        now.good = before.good;
    }
    const struct device_rule *rule;
    struct device_alarms judging = *d;
    judging.judged = &c;
    for (size_t i = 0; (rule = device_rules_at(i)); i++) {
        if (rule->page == reading->page)
            device_alarms_judge(&judging, rule, &c);
    }
    devices_put(d->devices, &now);
    device_alarms_remember(d, &now, &memory);
}

static bool device_alarms_is_over(void *ctx, const struct policy_alarm *alarm,
                                  const struct alarm_key *key, struct text *why)
{
    const struct device_alarms *d = ctx;
    (void)alarm;
    if (!key || key->about != ALARM_ABOUT_DEVICE)
        return false;
    text_add(why, "it is not in the fabric any more");
    const uint32_t node = fabric_find_node(d->fabric, key->guid);
    return fabric_find_port(d->fabric, node, key->port) == FABRIC_NONE &&
           (node == FABRIC_NONE || key->kind != ALARM_KEY_NODE);
}

// Firmware.

struct device_firmware {
    uint64_t guid;
    char psid[BOARD_TEXT_SIZE], version[BOARD_FIRMWARE_SIZE];
    size_t as_many; // switches with the same version
};

static int device_alarms_compare(const void *a, const void *b)
{
    const struct device_firmware *m = a, *n = b;
    const int psids = strcmp(m->psid, n->psid);
    return psids != 0 ? psids : strcmp(m->version, n->version);
}

// Lists what the switches told, by PSID and version.
static size_t device_alarms_list_firmware(const struct device_alarms *d,
                                          struct device_firmware *out)
{
    size_t count = 0;
    struct device_record record;
    for (uint32_t i = 0; i < d->fabric->node_count; i++) {
        const struct fabric_node *node = &d->fabric->nodes[i];
        struct device_firmware *one = &out[count];
        one->guid = node->guid;
        count += node->type == FABRIC_SWITCH &&
                 devices_find(d->devices, node->guid, 0, REGISTER_FIRMWARE, &record) &&
                 board_text(record.reading.octets, FIRMWARE_PSID, one->psid)[0] != '\0' &&
                 board_firmware(record.reading.octets, one->version);
    }
    if (count > 0)
        qsort(out, count, sizeof *out, device_alarms_compare);
    for (size_t i = 0, end = 0; i < count; i = end) {
        while (end < count && device_alarms_compare(&out[end], &out[i]) == 0)
            end++;
        for (size_t j = i; j < end; j++)
            out[j].as_many = end - i;
    }
    return count;
}

// Judges the switches of a PSID: the version of the most is the right one, unless another version
// is on as many.
static void device_alarms_judge_psid(const struct device_alarms *d,
                                     const struct device_firmware *all, size_t count)
{
    const struct device_firmware *most = all;
    bool tie = false;
    for (size_t i = 1; i < count; i++) {
        const bool more = all[i].as_many > most->as_many;
        tie = !more && (tie || (all[i].as_many == most->as_many &&
                                strcmp(all[i].version, most->version) != 0));
        most = more ? &all[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        char why[EVENT_REASON_SIZE];
        const struct alarm_key key = {.kind = ALARM_KEY_NODE,
                                      .about = ALARM_ABOUT_DEVICE,
                                      .event = CATALOGUE_FIRMWARE_DIFFERS,
                                      .guid = all[i].guid};
        snprintf(why, sizeof why, "%s, where %zu of %zu switches with PSID %s have %s",
                 all[i].version, most->as_many, count, all[i].psid, most->version);
        const bool differs = !tie && strcmp(all[i].version, most->version) != 0;
        device_alarms_state(d, &key, differs ? DEVICE_IS_BAD : DEVICE_IS_GOOD, why);
    }
}

static void device_alarms_judge_firmware(const struct device_alarms *d)
{
    struct device_firmware *all = memory_zeroed((size_t)d->fabric->node_count + 1, sizeof *all);
    const size_t count = device_alarms_list_firmware(d, all);
    for (size_t i = 0, end = 0; i < count; i = end) {
        while (end < count && strcmp(all[end].psid, all[i].psid) == 0)
            end++;
        device_alarms_judge_psid(d, all + i, end - i);
    }
    free(all);
}

void device_alarms_take(struct emitter *emitter, struct devices *devices,
                        const struct device_readings *readings)
{
    struct device_alarms d = {
        .emitter = emitter, .devices = devices, .fabric = topology_current(emitter->topology)};
    for (size_t i = 0; d.fabric && i < readings->count; i++) {
        const struct device_reading *one = &readings->all[i];
        // Without an answer, the reason of an earlier failure is forgotten.
        if (one->answered || one->page == REGISTER_LINK_DOWN ||
            one->page == REGISTER_TROUBLESHOOTING)
            device_alarms_take_reading(&d, one, readings->time_us);
    }
    if (d.fabric && readings->ends_round) {
        statements_compare_all(emitter,
                               &(struct detector){.is_over = device_alarms_is_over, .ctx = &d});
        device_alarms_judge_firmware(&d);
        devices_forget_old(devices, readings->time_us);
    }
    fabric_unref(d.fabric);
}
