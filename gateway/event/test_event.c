// SPDX-License-Identifier: BSD-2-Clause
#include "event/test_event.h"

#include "base/text.h"
#include "base/wire.h"
#include "model/fabric.h"
#include "model/field.h"

#include <stdio.h>
#include <string.h>

// Locally administered GUIDs, which no manufacturer assigns, and the highest unicast LIDs.
static const uint64_t MADE_UP_GUID = UINT64_C(0x0200000000000001);
enum { MADE_UP_LID = ADDRESS_LID_UNICAST_MAX - 1 };
static const char WHY[] = "this is a test";

// Made-up nodes.

static struct endpoint test_event_endpoint(unsigned n, uint8_t type, const char *name)
{
    struct endpoint who = {.guid = MADE_UP_GUID + n,
                           .node_guid = MADE_UP_GUID + n,
                           .lid = (uint16_t)(MADE_UP_LID + n),
                           .type = type,
                           .port = 1};
    snprintf(who.name, sizeof who.name, "%s", name);
    return who;
}

void test_event_make_up(struct test_event *test)
{
    static const char *const NAMES[] = {[FABRIC_CA] = "test-host",
                                        [FABRIC_SWITCH] = "test-switch",
                                        [FABRIC_ROUTER] = "test-router"};
    uint8_t wanted = catalogue_get(test->type)->test.subject;
    uint8_t type = wanted != 0 ? wanted : FABRIC_SWITCH;
    test->subject = test_event_endpoint(0, type, NAMES[type]);
    test->peer = test_event_endpoint(1, FABRIC_SWITCH, "test-neighbour");
}

// Notices.

static void test_event_set_gid(uint8_t gid[ADDRESS_GID_SIZE], const struct event_builder *builder,
                               const struct endpoint *who)
{
    memcpy(gid, who->gid, ADDRESS_GID_SIZE);
    if (!address_gid_is_zero(gid))
        return;
    wire_put(gid, 8, builder->subnet_prefix);
    wire_put(gid + 8, 8, who->guid);
}

static uint32_t test_event_producer_of(uint16_t trap, const struct endpoint *who)
{
    if (trap <= NOTICE_REPATH)
        return NOTICE_PRODUCER_CLASS_MANAGER;
    if (who->type == FABRIC_SWITCH)
        return NOTICE_PRODUCER_SWITCH;
    return who->type == FABRIC_ROUTER ? NOTICE_PRODUCER_ROUTER : NOTICE_PRODUCER_CA;
}

// Plausible numbers for fields; other fields stay zero.
static const uint64_t NUMBERS[FIELD_COUNT] = {
    [FIELD_LOCAL_CHANGES] = true,
    [FIELD_CHANGE_FLAGS] = 1, // NodeDescription
    [FIELD_CAPABILITY_MASK] = 0x02510868,
    [FIELD_MKEY] = 1,
    [FIELD_PKEY] = 0x8001,
    [FIELD_QKEY] = 0x80010000,
    [FIELD_METHOD] = 0x02,      // SubnSet
    [FIELD_ATTRIBUTE] = 0x0015, // PortInfo
    [FIELD_ATTRIBUTE_MODIFIER] = 1,
    [FIELD_SL] = 1,
    [FIELD_QP1] = 0x48,
    [FIELD_QP2] = 0x49,
    [FIELD_DATA_VALID] = 0xFF,
};

// A multicast group that every subnet has: all nodes, of IP over InfiniBand.
static const uint8_t GROUP[ADDRESS_GID_SIZE] = {0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0,
                                                0,    0,    0,    0,    0,    0,    0, 1};

// Fills a field as if a packet went from the subject to its peer.
static void test_event_fill_field(struct event *draft, enum field field,
                                  const struct event_builder *builder, const struct test_event *s)
{
    struct notice *n = &draft->notice;
    switch (field) {
    case FIELD_LID:
        n->lid = s->subject.lid;
        break;
    case FIELD_LID2:
        n->lid2 = s->peer.lid;
        break;
    case FIELD_SWITCH_LID:
        n->switch_lid = s->subject.lid;
        break;
    case FIELD_PORT:
        n->port = s->subject.port;
        break;
    case FIELD_GID1:
        test_event_set_gid(n->gid1, builder, &s->subject);
        break;
    case FIELD_GID2:
        test_event_set_gid(n->gid2, builder, &s->peer);
        break;
    case FIELD_SYSTEM_IMAGE_GUID:
        n->system_image_guid = s->subject.node_guid + 3;
        break;
    default:
        if (NUMBERS[field] != 0)
            field_set_number(draft, field, NUMBERS[field]);
        break;
    }
}

static void test_event_fill_details(struct notice *notice, const struct event_builder *builder,
                                    const struct test_event *s)
{
    const struct catalogue_entry *entry = catalogue_get(s->type);
    struct event draft = {.notice = *notice};
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && entry->fields[i] != FIELD_NONE; i++)
        test_event_fill_field(&draft, entry->fields[i], builder, s);
    *notice = draft.notice;
    if (entry->subject == CATALOGUE_ABOUT_NO_NODE)
        memcpy(notice->gid1, GROUP, sizeof notice->gid1);
}

static struct event *test_event_from_notice(const struct event_builder *builder,
                                            const struct test_event *s)
{
    enum { UNKNOWN_TRAP = 0xFFF0, INFORMATIONAL = 4, A_VENDOR = 0x0002C9 };
    uint8_t wire[NOTICE_SIZE];
    uint16_t trap = catalogue_get(s->type)->trap;
    struct notice n = {.generic = s->type != CATALOGUE_VENDOR_TRAP,
                       .type = INFORMATIONAL,
                       .trap = trap ? trap : UNKNOWN_TRAP,
                       .issuer_lid = s->subject.lid};
    n.producer = n.generic ? test_event_producer_of(n.trap, &s->subject) : A_VENDOR;
    test_event_set_gid(n.issuer_gid, builder, &s->subject);
    test_event_fill_details(&n, builder, s);
    notice_encode(&n, wire);
    return event_builder_from_notice(builder, wire);
}

// Test events of other origins.

static struct event *test_event_from_malformed(const struct event_builder *builder,
                                               const struct test_event *s)
{
    static const uint8_t MAD[24] = {1, 3, 2, 6};
    return event_builder_from_malformed(builder, s->subject.lid, WHY, MAD, sizeof MAD);
}

// A statement about a counter of the subject.
static struct counter_statement
test_event_statement(const struct test_event *s, enum alarm_key_about about, enum counter counter)
{
    return (struct counter_statement){.key = {.kind = ALARM_KEY_PORT,
                                              .guid = s->subject.node_guid,
                                              .port = s->subject.port,
                                              .about = about,
                                              .counter = counter},
                                      .raised = catalogue_get(s->type)->alarm == ALARM_RAISES};
}

static struct event *test_event_from_threshold(const struct event_builder *builder,
                                               const struct test_event *s)
{
    struct counter_statement statement =
        test_event_statement(s, ALARM_ABOUT_GROWTH, COUNTER_SYMBOL_ERROR);
    statement.before = 10;
    statement.after = 110;
    return event_builder_from_counter(builder, &statement, &s->subject, NULL, 0);
}

static struct event *test_event_from_error_rate(const struct event_builder *builder,
                                                const struct test_event *s)
{
    const struct error_details details = {
        .counter = COUNTER_RCV_ERRORS, .known = true, .counts = {1, 35}};
    struct counter_statement statement =
        test_event_statement(s, ALARM_ABOUT_ERRORS, COUNTER_RCV_ERRORS);
    if (s->peer.node_guid != 0)
        statement.key.kind = ALARM_KEY_LINK;
    statement.key.peer_guid = s->peer.node_guid;
    statement.key.peer_port = s->peer.port;
    statement.covered_us = INT64_C(720) * CLOCK_US_PER_S;
    statement.errors = 36;
    statement.rate = 180;
    statement.limit = 120;
    statement.width = 2;
    statement.speed = FABRIC_EDR;
    return event_builder_from_counter(builder, &statement, &s->subject, &details, 0);
}

static struct event *test_event_from_congestion(const struct event_builder *builder,
                                                const struct test_event *s)
{
    struct counter_statement statement =
        test_event_statement(s, ALARM_ABOUT_WAIT, COUNTER_XMIT_WAIT);
    statement.covered_us = INT64_C(720) * CLOCK_US_PER_S;
    statement.rate = statement.raised ? 0.37 : 0.02;
    statement.limit = 0.2;
    statement.tick_known = true;
    return event_builder_from_counter(builder, &statement, &s->subject, NULL, 12);
}

static struct event *test_event_from_link_record(const struct event_builder *builder,
                                                 const struct test_event *s)
{
    const struct alarm_key link =
        link_history_key(s->subject.node_guid, s->subject.port, s->peer.node_guid, s->peer.port);
    const bool ordered = link.guid == s->subject.node_guid && link.port == s->subject.port;
    const int64_t now = clock_utc(builder->clock), day = 86400 * CLOCK_US_PER_S;
    const bool raises = catalogue_get(s->type)->alarm == ALARM_RAISES;
    const struct link_record record = {
        .link = link,
        .count = raises ? 3 : 2,
        .occasions = {
            {.utc_us = now - 8 * day, .incidents = {[LINK_FAILED] = 3, [LINK_FLAPPED] = 1}},
            {.utc_us = now - 3 * day, .incidents = {[LINK_HAD_ERRORS] = 1}},
            {.utc_us = now, .incidents = {[LINK_HAD_ERRORS] = 1}}}};
    const struct event_builder_link_record what = {
        .record = &record,
        .verdict = raises ? LINK_IS_UNRELIABLE : LINK_HAS_FEWER_OCCASIONS,
        .limits = {.occasions = 3, .window_us = 30 * day},
        .ends = {ordered ? s->subject : s->peer, ordered ? s->peer : s->subject}};
    return event_builder_from_link_record(builder, &what);
}

static const char *test_event_reason(enum catalogue_event type)
{
    const char *reason = catalogue_get(type)->test.reason;
    return reason ? reason : WHY;
}

// The subject, if it is a switch or router; otherwise its peer.
static uint64_t test_event_switch_of(const struct test_event *s)
{
    return fabric_is_element(s->subject.type) ? s->subject.node_guid : s->peer.node_guid;
}

static struct event *test_event_from_change(const struct event_builder *builder,
                                            const struct test_event *s)
{
    const struct catalogue_entry *entry = catalogue_get(s->type);
    struct change change = {.type = s->type, .subject = s->subject, .peer = s->peer};
    change.switch_guid = test_event_switch_of(s);
    if (catalogue_has_field(entry, FIELD_SM_GUID))
        change.sm_guid = s->subject.guid;
    if (entry->test.peer_is_controller) {
        change.peer = (struct endpoint){.guid = s->subject.node_guid + 1, .port = 1};
        snprintf(change.peer.name, sizeof change.peer.name, "test-controller");
    }
    snprintf(change.reason, sizeof change.reason, "%s", test_event_reason(s->type));
    return event_builder_from_change(builder, &change, false, NULL, NULL);
}

static struct event *test_event_from_occurrence(const struct event_builder *builder,
                                                const struct test_event *s)
{
    const struct catalogue_entry *entry = catalogue_get(s->type);
    struct event_builder_occurrence o = {.type = s->type, .lost = entry->test.lost};
    if (catalogue_has_field(entry, FIELD_SM_GUID)) {
        o.sm_lid = s->subject.lid;
        o.sm_guid = s->subject.guid;
    } else if (entry->subject == CATALOGUE_ABOUT_NODE) {
        o.switch_guid = s->subject.node_guid;
    }
    if (catalogue_has_field(entry, FIELD_RECEIVER))
        snprintf(o.receiver, sizeof o.receiver, "%s", s->receiver[0] ? s->receiver : "test");
    snprintf(o.reason, sizeof o.reason, "%s", test_event_reason(s->type));
    return event_builder_from_occurrence(builder, &o);
}

// An event of policy: a summary of many events, or the end of an alarm without its counterpart. A
// summary has the severity of the events, unless the summary is an alarm. A summary has the node,
// if its row is about a node.
static struct event *test_event_from_policy(const struct event_builder *builder,
                                            const struct test_event *s)
{
    const struct catalogue_entry *entry = catalogue_get(s->type);
    const struct catalogue_entry *kind = catalogue_get(entry->test.summarised);
    struct event *event = event_make(entry);
    event->category = kind->category;
    if (catalogue_is_summary(entry)) {
        event->summarised = kind;
        event->severity = entry->alarm == ALARM_NONE ? kind->severity : entry->severity;
        event->repeat_count = 12;
        event->since_us = clock_utc(builder->clock) - 60 * CLOCK_US_PER_S;
    } else {
        event->cleared = kind;
        event_complete_cleared(event);
    }
    if (event->cleared || entry->subject == CATALOGUE_ABOUT_NODE) {
        event->subject = s->subject;
        event->peer = s->peer;
        event->switch_guid = test_event_switch_of(s);
    }
    snprintf(event->reason, sizeof event->reason, "%s", test_event_reason(s->type));
    event_builder_stamp(builder, event);
    return event;
}

static struct event *test_event_from_origin(const struct event_builder *builder,
                                            const struct test_event *s)
{
    static struct event *(*const FROM[])(const struct event_builder *,
                                         const struct test_event *) = {
        [CATALOGUE_FROM_NOTICE] = test_event_from_notice,
        [CATALOGUE_FROM_MALFORMED] = test_event_from_malformed,
        [CATALOGUE_FROM_CHANGE] = test_event_from_change,
        [CATALOGUE_FROM_EXPECTATION] = test_event_from_change,
        [CATALOGUE_FROM_COUNTER] = test_event_from_threshold,
        [CATALOGUE_FROM_CONGESTION] = test_event_from_congestion,
        [CATALOGUE_FROM_ERROR_RATE] = test_event_from_error_rate,
        [CATALOGUE_FROM_REGISTER] = test_event_from_change,
        [CATALOGUE_FROM_LINK_RECORD] = test_event_from_link_record,
        [CATALOGUE_FROM_OCCURRENCE] = test_event_from_occurrence,
        [CATALOGUE_FROM_SWEEP] = test_event_from_occurrence,
        [CATALOGUE_FROM_EVENTS] = test_event_from_policy,
        [CATALOGUE_FROM_ALARM] = test_event_from_policy,
    };
    return FROM[catalogue_get(s->type)->origin](builder, s);
}

// Lookups: the fabric of a test event has two nodes.

static bool test_event_report(const struct endpoint *who, struct endpoint *out)
{
    if (who)
        *out = *who;
    return who != NULL;
}

static bool test_event_find_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    const struct test_event *s = ctx;
    return test_event_report(lid == s->subject.lid ? &s->subject
                             : lid == s->peer.lid  ? &s->peer
                                                   : NULL,
                             out);
}

static bool test_event_find_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    const struct test_event *s = ctx;
    return test_event_report(guid == s->subject.guid || guid == s->subject.node_guid ? &s->subject
                             : guid == s->peer.guid || guid == s->peer.node_guid     ? &s->peer
                                                                                     : NULL,
                             out);
}

static bool test_event_find_peer(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    const struct test_event *s = ctx;
    return node_guid == s->subject.node_guid && port == s->subject.port && s->peer.node_guid != 0 &&
           test_event_report(&s->peer, out);
}

static void test_event_mark(struct event *event, const struct test_event *s)
{
    char text[EVENT_TEXT_SIZE];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "[test] %s", event->text);
    memcpy(event->text, text, sizeof text);
    event->test = true;
    snprintf(event->only_receiver, sizeof event->only_receiver, "%s", s->receiver);
    if (event->type->alarm != ALARM_NONE)
        snprintf(event->alarm_key, sizeof event->alarm_key, "test");
}

struct event *test_event_make(const struct event_builder *builder, const struct test_event *test)
{
    struct test_event known = *test;
    const struct event_builder_lookup lookup = {test_event_find_lid, test_event_find_guid,
                                                test_event_find_peer, &known};
    struct event_builder own = *builder;
    own.lookup = &lookup;
    struct event *event = test_event_from_origin(&own, &known);
    test_event_mark(event, test);
    return event;
}
