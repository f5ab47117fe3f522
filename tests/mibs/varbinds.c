// SPDX-License-Identifier: BSD-2-Clause
// Prints one JSON object per line: every notification that the catalogue can cause, with the
// encoder's varbinds, for notices of zeroes, of ones, and of a pattern, and for changes with no
// attributes and with all attributes known. test_catalogue.py compares them with the MIB modules.

#include "event/event_builder.h"
#include "model/fabric.h"
#include "model/mib.h"
#include "support_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_oid(const uint32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s%u", i ? "." : "", ids[i]);
}

static void print_varbind(const struct mib_varbind *v)
{
    printf("{\"oid\": \"");
    print_oid(v->oid, v->oid_length);
    if (v->syntax == MIB_OCTETS) {
        printf("\", \"syntax\": \"OctetString\", \"value\": \"");
        for (size_t i = 0; i < v->size; i++)
            printf("%02x", v->octets[i]);
        printf("\"}");
    } else {
        printf("\", \"syntax\": \"%s\", \"value\": %lld}",
               v->syntax == MIB_INTEGER32 ? "Integer32" : "Unsigned32",
               v->syntax == MIB_INTEGER32 ? (long long)(int32_t)v->number : (long long)v->number);
    }
}

static void print_notification(const struct event *event, const struct mib_notification *n)
{
    if (!n)
        return;
    printf("{\"event\": \"%s\", \"name\": \"%s\", \"oid\": \"", event->type->name, n->name);
    print_oid(n->oid.ids, n->oid.length);
    printf("\", \"varbinds\": [");
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        struct mib_varbind v;
        mib_encode(n->objects[i], event, &v);
        printf("%s", i ? ", " : "");
        print_varbind(&v);
    }
    printf("]}\n");
}

static void print_event(struct event *event)
{
    if (!event)
        exit(EXIT_FAILURE);
    print_notification(event, event->type->sma);
    print_notification(event, event->type->gsw);
    print_notification(event, event->type->former);
    print_notification(event, event->type->topo);
    print_notification(event, event->type->own);
    event->number = INT64_MAX; // more than an index holds
    if (event->switch_guid != 0)
        print_notification(event, &mib_gswEventTrap);
    event->test = true;
    if (!event->type->own)
        print_notification(event, &mib_ibtrapdTestEvent);
    event_unref(event);
}

static void print_notice(const struct event_builder *builder, uint16_t trap, bool generic, int fill)
{
    uint8_t wire[NOTICE_SIZE];
    for (size_t i = 0; i < sizeof wire; i++)
        wire[i] = (uint8_t)(fill < 0 ? i * 7 + 1 : (size_t)fill);
    wire[0] = (uint8_t)((wire[0] & 0x7F) | (generic ? 0x80 : 0));
    wire[4] = (uint8_t)(trap >> 8);
    wire[5] = (uint8_t)trap;
    print_event(event_builder_from_notice(builder, wire));
}

static struct endpoint full_endpoint(uint8_t type)
{
    struct endpoint who = {.guid = UINT64_MAX,
                           .node_guid = UINT64_MAX,
                           .lid = UINT16_MAX,
                           .type = type,
                           .port = UINT8_MAX};
    memset(who.name, 'n', sizeof who.name - 1);
    return who;
}

static void print_changes(const struct event_builder *builder, enum catalogue_event type)
{
    const char id[] = "0199a2b3-0000-7000-8000-000000000001";
    struct change change = {.type = type};
    print_event(event_builder_from_change(builder, &change, false, NULL, NULL));
    for (uint8_t node = FABRIC_CA; node <= FABRIC_ROUTER; node++) {
        change.subject = full_endpoint(node);
        change.peer = full_endpoint(FABRIC_SWITCH);
        change.former = (struct event_former_link){UINT64_MAX, node, UINT8_MAX};
        change.switch_guid = change.sm_guid = change.affected = UINT64_MAX;
        memset(change.reason, 'r', sizeof change.reason - 1);
        memset(change.alarm_key, 'k', sizeof change.alarm_key - 1);
        print_event(event_builder_from_change(builder, &change, true, id, id));
    }
}

static struct counter_statement statement_of(enum alarm_key_about about, enum counter counter,
                                             bool raised)
{
    return (struct counter_statement){.key = {.kind = ALARM_KEY_PORT,
                                              .guid = UINT64_MAX,
                                              .port = 255,
                                              .about = about,
                                              .counter = counter},
                                      .raised = raised};
}

static void print_counter(const struct event_builder *builder,
                          const struct counter_statement *statement)
{
    const struct endpoint port = full_endpoint(FABRIC_SWITCH);
    print_event(event_builder_from_counter(builder, statement, &port, NULL, UINT64_MAX));
}

static void print_thresholds(const struct event_builder *builder)
{
    for (int i = 0; i < 2 * COUNTER_ERRORS; i++) {
        struct counter_statement statement =
            statement_of(ALARM_ABOUT_GROWTH, (enum counter)(i / 2), i % 2 == 0);
        statement.after = UINT64_MAX;
        print_counter(builder, &statement);
    }
}

static void print_congestion(const struct event_builder *builder)
{
    for (int raised = 0; raised < 2; raised++) {
        struct counter_statement statement =
            statement_of(ALARM_ABOUT_WAIT, COUNTER_XMIT_WAIT, raised);
        statement.key.port = 254;
        statement.covered_us = INT64_C(10920) * 60 * 1000000;
        statement.rate = 0.123456;
        statement.limit = 0.987654;
        print_counter(builder, &statement);
    }
}

static void print_error_rates(const struct event_builder *builder)
{
    for (int i = 0; i < 4 * COUNTER_ERRORS; i++) {
        struct counter_statement statement =
            statement_of(ALARM_ABOUT_ERRORS, (enum counter)(i / 4), i % 2 == 0);
        print_counter(builder, &statement);
        statement.key.kind = ALARM_KEY_LINK;
        statement.key.peer_guid = UINT64_MAX;
        statement.key.peer_port = 255;
        statement.covered_us = INT64_MAX / 2;
        statement.errors = UINT64_MAX;
        statement.rate = statement.limit = 1.7e308;
        statement.unit = i % 4 > 1 ? ERRORS_PER_PACKET : ERRORS_PER_HOUR;
        statement.width = 8;
        statement.speed = FABRIC_NDR;
        print_counter(builder, &statement);
    }
}

static void print_link_records(const struct event_builder *builder)
{
    struct link_record record = {.link = link_history_key(UINT64_MAX, 255, UINT64_MAX - 1, 255),
                                 .count = LINK_HISTORY_OCCASIONS_MAX};
    for (size_t i = 0; i < LINK_HISTORY_OCCASIONS_MAX; i++)
        record.occasions[i] = (struct link_occasion){
            .utc_us = INT64_MAX, .incidents = {UINT16_MAX, UINT16_MAX, UINT16_MAX}};
    for (int verdict = LINK_IS_UNRELIABLE; verdict <= LINK_HAS_NO_LIMIT; verdict++) {
        const struct event_builder_link_record what = {
            .record = &record,
            .verdict = (enum link_verdict)verdict,
            .limits = {.occasions = UINT32_MAX, .window_us = INT64_MAX},
            .ends = {full_endpoint(FABRIC_SWITCH), full_endpoint(FABRIC_CA)}};
        print_event(event_builder_from_link_record(builder, &what));
    }
}

static void print_occurrence(const struct event_builder *builder, enum catalogue_event type)
{
    const struct event_builder_occurrence what = {
        .type = type,
        .sm_lid = UINT16_MAX,
        .sm_guid = UINT64_MAX,
        .alarm_key = "subscriptions",
        .switch_guid = type == CATALOGUE_SETTING_CHANGED ? 1 : 0,
        .receiver = "nms",
        .lost = UINT64_C(1) << 40, // more than a gauge holds
        .reason = "why"};
    print_event(event_builder_from_occurrence(builder, &what));
}

int main(void)
{
    const struct event_builder builder = {.clock = &SUPPORT_STOPPED,
                                          .random = &SUPPORT_SAME,
                                          .subnet_prefix = UINT64_C(0xFE80000000000000)};
    static const int FILLS[] = {0x00, 0xFF, -1};
    enum { SOME_UNKNOWN_TRAP = 4711 };
    uint8_t mad[EVENT_RAW_MAX];
    memset(mad, 0xEE, sizeof mad);

    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *entry = catalogue_get((enum catalogue_event)i);
        for (size_t f = 0; f < 3 && entry->trap != 0; f++)
            print_notice(&builder, entry->trap, true, FILLS[f]);
        if (entry->origin == CATALOGUE_FROM_OCCURRENCE || entry->origin == CATALOGUE_FROM_SWEEP ||
            entry->origin == CATALOGUE_FROM_EVENTS || entry->origin == CATALOGUE_FROM_ALARM)
            print_occurrence(&builder, (enum catalogue_event)i);
        else if (entry->origin == CATALOGUE_FROM_CHANGE ||
                 entry->origin == CATALOGUE_FROM_REGISTER ||
                 entry->origin == CATALOGUE_FROM_EXPECTATION)
            print_changes(&builder, (enum catalogue_event)i);
    }
    print_thresholds(&builder);
    print_error_rates(&builder);
    print_congestion(&builder);
    print_link_records(&builder);
    for (size_t f = 0; f < 3; f++) {
        print_notice(&builder, SOME_UNKNOWN_TRAP, true, FILLS[f]);
        print_notice(&builder, SOME_UNKNOWN_TRAP, false, FILLS[f]);
    }
    print_event(
        event_builder_from_malformed(&builder, 0xFFFF, "nothing in it is right", mad, sizeof mad));
    return EXIT_SUCCESS;
}
