#include "event/test_event.h"

#include "base/text.h"
#include "base/wire.h"
#include "model/fabric.h"

#include <stdio.h>
#include <string.h>

// GUIDs that say of themselves that nobody assigned them, and the highest LIDs.
static const uint64_t MADE_UP_GUID = UINT64_C(0x0200000000000001);
enum { MADE_UP_LID = ADDRESS_LID_UNICAST_MAX - 1 };
static const char WHY[] = "this is a test";

// Made-up nodes.

static uint8_t type_of_subject(enum catalogue_event type)
{
    switch (type) {
    case CATALOGUE_ROUTER_ADDED:
    case CATALOGUE_ROUTER_REMOVED:
    case CATALOGUE_ROUTER_MOVED:
        return FABRIC_ROUTER;
    case CATALOGUE_GID_IN_SERVICE:
    case CATALOGUE_GID_OUT_OF_SERVICE:
    case CATALOGUE_HOST_ADDED:
    case CATALOGUE_HOST_REMOVED:
    case CATALOGUE_HOST_MOVED:
    case CATALOGUE_IO_UNIT_ADDED:
    case CATALOGUE_IO_UNIT_REMOVED:
    case CATALOGUE_IO_CONTROLLER_ADDED:
    case CATALOGUE_IO_CONTROLLER_REMOVED:
        return FABRIC_CA;
    default:
        return FABRIC_SWITCH;
    }
}

static struct endpoint make_up(unsigned n, uint8_t type, const char *name)
{
    struct endpoint who = {.guid = MADE_UP_GUID + n,
                           .node_guid = MADE_UP_GUID + n,
                           .lid = (uint16_t)(MADE_UP_LID + n),
                           .type = type,
                           .port = 1};
    snprintf(who.name, sizeof who.name, "%s", name);
    return who;
}

void test_event_build(struct test_event *test)
{
    static const char *const NAMES[] = {[FABRIC_CA] = "test-host",
                                        [FABRIC_SWITCH] = "test-switch",
                                        [FABRIC_ROUTER] = "test-router"};
    uint8_t type = type_of_subject(test->type);
    test->subject = make_up(0, type, NAMES[type]);
    test->peer = make_up(1, FABRIC_SWITCH, "test-neighbour");
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

static uint32_t producer_of(uint16_t trap, const struct endpoint *who)
{
    if (trap <= NOTICE_REPATH)
        return NOTICE_PRODUCER_CLASS_MANAGER;
    if (who->type == FABRIC_SWITCH)
        return NOTICE_PRODUCER_SWITCH;
    return who->type == FABRIC_ROUTER ? NOTICE_PRODUCER_ROUTER : NOTICE_PRODUCER_CA;
}

// What traps 257 to 259 tell of a packet from the subject to its peer; 259 is of the switch
// between.
static void fill_bad_key(struct notice *n, const struct event_builder *builder,
                         const struct test_event *s)
{
    n->lid2 = s->peer.lid;
    test_event_set_gid(n->gid1, builder, &s->subject);
    test_event_set_gid(n->gid2, builder, &s->peer);
    n->key = n->trap == NOTICE_BAD_QKEY ? 0x80010000 : 0x8001;
    n->sl = 1;
    n->qp1 = 0x48;
    n->qp2 = 0x49;
    n->data_valid = n->trap == NOTICE_BAD_PKEY_AT_SWITCH ? 0xFF : 0;
    n->switch_lid = s->subject.lid;
}

static void fill_bad_mkey(struct notice *n)
{
    n->method = 0x02;
    n->attribute = 0x0015; // PortInfo
    n->attribute_modifier = 1;
    n->key = 1;
}

static void fill_capability(struct notice *n)
{
    n->local_changes = true;
    n->change_flags = 1; // NodeDescription
    n->capability_mask = 0x02510868;
}

// A multicast group that every subnet has: all nodes', of IP over InfiniBand.
static void fill_group(struct notice *n)
{
    static const uint8_t GROUP[ADDRESS_GID_SIZE] = {0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0,
                                                    0,    0,    0,    0,    0,    0,    0, 1};
    memcpy(n->gid1, GROUP, sizeof n->gid1);
}

static void fill_details(struct notice *n, const struct event_builder *builder,
                         const struct test_event *s)
{
    n->lid = s->subject.lid;
    n->port = s->subject.port;
    switch (n->trap) {
    case NOTICE_GID_IN_SERVICE:
    case NOTICE_GID_OUT_OF_SERVICE:
        test_event_set_gid(n->gid1, builder, &s->subject);
        break;
    case NOTICE_MCAST_GROUP_CREATED:
    case NOTICE_MCAST_GROUP_DELETED:
        fill_group(n);
        break;
    case NOTICE_CAPABILITY:
        fill_capability(n);
        break;
    case NOTICE_SYSTEM_IMAGE_GUID:
        n->system_image_guid = s->subject.node_guid + 3;
        break;
    case NOTICE_BAD_MKEY:
        fill_bad_mkey(n);
        break;
    case NOTICE_BAD_PKEY:
    case NOTICE_BAD_QKEY:
    case NOTICE_BAD_PKEY_AT_SWITCH:
        fill_bad_key(n, builder, s);
        break;
    default:
        break;
    }
}

static struct event *from_notice(const struct event_builder *builder, const struct test_event *s)
{
    enum { UNKNOWN_TRAP = 0xFFF0, INFORMATIONAL = 4, A_VENDOR = 0x0002C9 };
    uint8_t wire[NOTICE_SIZE];
    uint16_t trap = catalogue_get(s->type)->trap;
    struct notice n = {.generic = s->type != CATALOGUE_VENDOR_TRAP,
                       .type = INFORMATIONAL,
                       .trap = trap ? trap : UNKNOWN_TRAP,
                       .issuer_lid = s->subject.lid};
    n.producer = n.generic ? producer_of(n.trap, &s->subject) : A_VENDOR;
    test_event_set_gid(n.issuer_gid, builder, &s->subject);
    fill_details(&n, builder, s);
    notice_encode(&n, wire);
    return event_builder_from_notice(builder, wire);
}

// What is no notice.

static struct event *from_malformed(const struct event_builder *builder, const struct test_event *s)
{
    static const uint8_t MAD[24] = {1, 3, 2, 6};
    return event_builder_from_malformed(builder, s->subject.lid, WHY, MAD, sizeof MAD);
}

static struct event *from_threshold(const struct event_builder *builder, const struct test_event *s)
{
    const struct threshold_change change = {.node_guid = s->subject.node_guid,
                                            .port = s->subject.port,
                                            .counter = COUNTER_SYMBOL_ERROR,
                                            .reached = s->type == CATALOGUE_THRESHOLD_REACHED,
                                            .before = 10,
                                            .after = 110};
    return event_builder_from_threshold(builder, &change, &s->subject);
}

// The piece of the sentence, where a piece of another kind would make none.
static const char *test_event_reason_of(enum catalogue_event type)
{
    switch (type) {
    case CATALOGUE_SWITCH_MOVED:
    case CATALOGUE_HOST_MOVED:
    case CATALOGUE_ROUTER_MOVED:
    case CATALOGUE_PORT_MOVED:
    case CATALOGUE_LINK_MOVED:
        return "port 2 of test-neighbour";
    case CATALOGUE_LINK_DEGRADED:
        return "1X SDR (2.5 Gb/s) instead of 4X QDR (40 Gb/s)";
    case CATALOGUE_LINK_RESTORED:
        return "4X QDR (40 Gb/s)";
    case CATALOGUE_NODE_RENAMED:
        return "test-old-name";
    case CATALOGUE_LID_CHANGED:
        return "4711";
    default:
        return WHY;
    }
}

// The switch itself, or what the subject hangs on.
static uint64_t switch_of(const struct test_event *s)
{
    return s->subject.type == FABRIC_SWITCH ? s->subject.node_guid : s->peer.node_guid;
}

static bool is_about_controller(enum catalogue_event type)
{
    return type == CATALOGUE_IO_CONTROLLER_ADDED || type == CATALOGUE_IO_CONTROLLER_REMOVED;
}

static struct event *from_change(const struct event_builder *builder, const struct test_event *s)
{
    struct change change = {.type = s->type, .subject = s->subject, .peer = s->peer};
    change.switch_guid = switch_of(s);
    if (catalogue_get(s->type)->category == CATEGORY_SM)
        change.sm_guid = s->subject.guid;
    if (is_about_controller(s->type)) {
        change.peer = (struct endpoint){.guid = s->subject.node_guid + 1, .port = 1};
        snprintf(change.peer.name, sizeof change.peer.name, "test-controller");
    }
    snprintf(change.reason, sizeof change.reason, "%s", test_event_reason_of(s->type));
    return event_builder_from_change(builder, &change, false, NULL, NULL);
}

static struct event *from_occurrence(const struct event_builder *builder,
                                     const struct test_event *s)
{
    struct event_builder_occurrence o = {.type = s->type,
                                         .lost = s->type == CATALOGUE_JOURNAL_DROPPING};
    if (s->type == CATALOGUE_SM_UNREACHABLE || s->type == CATALOGUE_SM_BACK) {
        o.sm_lid = s->subject.lid;
        o.sm_guid = s->subject.guid;
    }
    if (s->type == CATALOGUE_SETTING_CHANGED)
        o.switch_guid = s->subject.node_guid;
    if (s->type == CATALOGUE_RECEIVER_FAILING || s->type == CATALOGUE_RECEIVER_BACK)
        snprintf(o.receiver, sizeof o.receiver, "%s", s->receiver[0] ? s->receiver : "test");
    snprintf(o.reason, sizeof o.reason, "%s", WHY);
    return event_builder_from_occurrence(builder, &o);
}

// What policy makes of many events: as important as these, and about their node. A storm is about
// none.
static struct event *from_many(const struct event_builder *builder, const struct test_event *s,
                               enum catalogue_event summarised)
{
    struct event *event = event_make(catalogue_get(s->type));
    if (!event)
        return NULL;
    event->summarised = catalogue_get(summarised);
    event->category = event->summarised->category;
    if (event->type->alarm == ALARM_NONE)
        event->severity = event->summarised->severity;
    event->repeat_count = 12;
    event->since_us = clock_utc(builder->clock) - 60 * CLOCK_US_PER_S;
    if (s->type != CATALOGUE_STORM_SUMMARY) {
        event->subject = s->subject;
        event->peer = s->peer;
        event->switch_guid = switch_of(s);
    }
    snprintf(event->reason, sizeof event->reason, "%s", WHY);
    event_builder_stamp(builder, event);
    return event;
}

static struct event *from_any(const struct event_builder *builder, const struct test_event *s)
{
    const struct catalogue_entry *type = catalogue_get(s->type);
    if (type->trap != 0)
        return from_notice(builder, s);
    switch (s->type) {
    case CATALOGUE_VENDOR_TRAP:
    case CATALOGUE_UNKNOWN_TRAP:
        return from_notice(builder, s);
    case CATALOGUE_MALFORMED_MAD:
        return from_malformed(builder, s);
    case CATALOGUE_THRESHOLD_REACHED:
    case CATALOGUE_THRESHOLD_CLEARED:
        return from_threshold(builder, s);
    case CATALOGUE_STORM_SUMMARY:
    case CATALOGUE_EVENT_REPEATED:
        return from_many(builder, s, CATALOGUE_LINK_STATE_CHANGE);
    case CATALOGUE_FLAPPING:
        return from_many(builder, s, CATALOGUE_LINK_DOWN);
    case CATALOGUE_SETTLED:
        return from_many(builder, s, CATALOGUE_LINK_UP);
    case CATALOGUE_SM_UNREACHABLE:
    case CATALOGUE_SM_BACK:
        return from_occurrence(builder, s);
    default:
        return type->subject == CATALOGUE_ABOUT_NO_NODE ? from_occurrence(builder, s)
                                                        : from_change(builder, s);
    }
}

// The fabric of a sample is its two nodes.

static bool test_event_report(const struct endpoint *who, struct endpoint *out)
{
    *out = *who;
    return true;
}

static bool test_event_find_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    const struct test_event *s = ctx;
    if (lid == s->subject.lid)
        return test_event_report(&s->subject, out);
    return lid == s->peer.lid && test_event_report(&s->peer, out);
}

static bool test_event_has_guid(const struct endpoint *who, uint64_t guid)
{
    return guid == who->guid || guid == who->node_guid;
}

static bool test_event_find_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    const struct test_event *s = ctx;
    if (test_event_has_guid(&s->subject, guid))
        return test_event_report(&s->subject, out);
    return test_event_has_guid(&s->peer, guid) && test_event_report(&s->peer, out);
}

static bool test_event_find_peer(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    const struct test_event *s = ctx;
    return node_guid == s->subject.node_guid && port == s->subject.port && s->peer.node_guid != 0 &&
           test_event_report(&s->peer, out);
}

static void mark(struct event *event, const struct test_event *s)
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

struct event *test_event_type(const struct event_builder *builder, const struct test_event *test)
{
    struct test_event known = *test;
    const struct event_builder_lookup lookup = {test_event_find_lid, test_event_find_guid,
                                                test_event_find_peer, &known};
    struct event_builder own = *builder;
    own.lookup = &lookup;
    struct event *event = from_any(&own, &known);
    if (event)
        mark(event, test);
    return event;
}
