// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "golden.h"

#include "base/text.h"
#include "base/wire.h"
#include "event/event_builder.h"
#include "model/fabric.h"
#include "model/field.h"

#include <pthread.h>

#define MAP                                                                                        \
    "0x0002c90300a1b2c3 \"sm-1\"\n"                                                                \
    "0x0002c90300001234 \"leaf12\"\n"                                                              \
    "0x0002c903000e8acf \"node-a\"\n"                                                              \
    "0x0002c903000e8ad1 \"n\xC3\xB6"                                                               \
    "de-b\"\n"

#define RAW_HINT "the raw notice has the details."

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct names *names;
static struct event_builder plain, named;

static int begin(void **state)
{
    (void)state;
    struct error err;
    now = (struct support_time){.utc = SUPPORT_UTC_US};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    names = names_parse("map", MAP, sizeof MAP - 1, &err);
    assert_non_null(names);
    plain =
        (struct event_builder){.clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX};
    named = plain;
    named.names = names;
    return 0;
}

static int end(void **state)
{
    (void)state;
    names_unref(names);
    return 0;
}

static struct event *make(const struct event_builder *builder, enum golden golden)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    struct event *event = event_builder_from_notice(builder, wire);
    assert_non_null(event);
    assert_int_equal(event->raw_size, NOTICE_SIZE);
    assert_memory_equal(event->raw, wire, NOTICE_SIZE);
    return event;
}

TEST(each_event_has_its_sentence)
{
    static const struct {
        enum golden golden;
        const char *plain, *named;
    } SENTENCES[] = {
        {GOLDEN_64, "Port GUID 0x0002c903000e8acf came into service with GID fe80::2:c903:e:8acf.",
         "node-a came into service with GID fe80::2:c903:e:8acf."},
        {GOLDEN_65,
         "Port GUID 0x0002c903000e8acf with GID fe80::2:c903:e:8acf went out of service: the "
         "subnet manager can no longer reach it.",
         "node-a with GID fe80::2:c903:e:8acf went out of service: the subnet manager can no "
         "longer reach it."},
        {GOLDEN_66, "The multicast group ff12:401b:ffff::ffff:ffff was created.",
         "The multicast group ff12:401b:ffff::ffff:ffff was created."},
        {GOLDEN_67, "The multicast group ff12:401b:ffff::ffff:ffff was deleted.",
         "The multicast group ff12:401b:ffff::ffff:ffff was deleted."},
        {GOLDEN_68, "The subnet manager withdrew path records (UnPath); " RAW_HINT,
         "The subnet manager withdrew path records (UnPath); " RAW_HINT},
        {GOLDEN_69, "The subnet manager offers path records again (RePath); " RAW_HINT,
         "The subnet manager offers path records again (RePath); " RAW_HINT},
        {GOLDEN_128,
         "The link state of at least one port of port GUID 0x0002c90300001234 (LID 3) changed.",
         "The link state of at least one port of leaf12 (LID 3) changed."},
        {GOLDEN_129,
         "Port 17 of port GUID 0x0002c90300001234 (LID 3) reached its threshold of local link "
         "integrity errors; check the cable and its connectors.",
         "Port 17 of leaf12 (LID 3) reached its threshold of local link integrity errors; check "
         "the cable and its connectors."},
        {GOLDEN_130,
         "Port 254 of port GUID 0x0002c90300001234 (LID 3) reached its threshold of excessive "
         "buffer overruns.",
         "Port 254 of leaf12 (LID 3) reached its threshold of excessive buffer overruns."},
        {GOLDEN_131,
         "The flow control update watchdog of port 1 of port GUID 0x0002c903000e8acf (LID 7) "
         "expired.",
         "The flow control update watchdog of port 1 of node-a (LID 7) expired."},
        {GOLDEN_144,
         "Port GUID 0x0002c903000e8acf (LID 7) reports a change of its NodeDescription, "
         "LinkWidthEnabled, "
         "CapabilityMask2; its capability mask is 0x02514868.",
         "node-a (LID 7) reports a change of its NodeDescription, LinkWidthEnabled, "
         "CapabilityMask2; its "
         "capability mask is 0x02514868."},
        {GOLDEN_144_MASK_ONLY,
         "Port GUID 0x0002c903000e8acf (LID 7) reports a change of its capability mask; its "
         "capability mask is "
         "0x02514868.",
         "node-a (LID 7) reports a change of its capability mask; its capability mask is "
         "0x02514868."},
        {GOLDEN_145,
         "Port GUID 0x0002c903000e8acf (LID 7) changed its system image GUID to "
         "0x0002c90300ffee01.",
         "node-a (LID 7) changed its system image GUID to 0x0002c90300ffee01."},
        {GOLDEN_256,
         "Port GUID 0x0002c90300001234 (LID 3) refused SubnSet(PortInfo) from LID 7, which had the "
         "wrong M_Key 0x1122334455667788.",
         "leaf12 (LID 3) refused SubnSet(PortInfo) from LID 7, which had the wrong M_Key "
         "0x1122334455667788."},
        {GOLDEN_256_LID_ROUTED,
         "Port GUID 0x0002c90300001234 (LID 3) refused SubnGet(NodeInfo) from LID 7, which had the "
         "wrong M_Key 0x0000000000000001.",
         "leaf12 (LID 3) refused SubnGet(NodeInfo) from LID 7, which had the wrong M_Key "
         "0x0000000000000001."},
        {GOLDEN_256_FAR,
         "Port GUID 0x0002c903000e8acf (LID 7) refused method 0x99 (attribute 0xabcd) from LID 11, "
         "which had the wrong M_Key 0xffffffffffffffff.",
         "node-a (LID 7) refused method 0x99 (attribute 0xabcd) from LID 11, which had the wrong "
         "M_Key 0xffffffffffffffff."},
        {GOLDEN_257,
         "Port GUID 0x0002c903000e8acf (LID 7) QP 0x00abcd sent a packet with the wrong P_Key "
         "0x8001 to port GUID 0x0002c903000e8ad1 (LID 9) QP 0x123456 on SL 3.",
         "node-a (LID 7) QP 0x00abcd sent a packet with the wrong P_Key 0x8001 to n\xC3\xB6"
         "de-b (LID 9) QP 0x123456 on SL 3."},
        {GOLDEN_258,
         "Port GUID 0x0002c903000e8acf (LID 7) QP 0x00abcd sent a packet with the wrong Q_Key "
         "0x80010000 to port GUID 0x0002c903000e8ad1 (LID 9) QP 0x123456 on SL 3.",
         "node-a (LID 7) QP 0x00abcd sent a packet with the wrong Q_Key 0x80010000 to n\xC3\xB6"
         "de-b (LID 9) QP 0x123456 on SL 3."},
        {GOLDEN_259,
         "Port 17 of port GUID 0x0002c90300001234 (LID 3) saw a packet with the wrong P_Key 0x8001 "
         "from port GUID 0x0002c903000e8acf (LID 7) to port GUID 0x0002c903000e8ad1 (LID 9).",
         "Port 17 of leaf12 (LID 3) saw a packet with the wrong P_Key 0x8001 from node-a (LID 7) "
         "to n\xC3\xB6"
         "de-b (LID 9)."},
        {GOLDEN_VENDOR,
         "Port GUID 0x0002c903000e8acf (LID 7) raised a trap of vendor 0x0002c9, device "
         "0x1234; " RAW_HINT,
         "node-a (LID 7) raised a trap of vendor 0x0002c9, device 0x1234; " RAW_HINT},
        {GOLDEN_UNKNOWN,
         "Port GUID 0x0002c903000e8acf (LID 7) raised trap 999, which ibtrapd does not "
         "know; " RAW_HINT,
         "node-a (LID 7) raised trap 999, which ibtrapd does not know; " RAW_HINT},
    };
    assert_int_equal(COUNT(SENTENCES), GOLDEN_COUNT);
    for (size_t i = 0; i < COUNT(SENTENCES); i++) {
        struct event *event = make(&plain, SENTENCES[i].golden);
        assert_string_equal(event->text, SENTENCES[i].plain);
        event_unref(event);
        event = make(&named, SENTENCES[i].golden);
        assert_string_equal(event->text, SENTENCES[i].named);
        event_unref(event);
    }
}

TEST(a_259_says_only_what_it_knows)
{
#define SAW "Port 17 of port GUID 0x0002c90300001234 (LID 3) saw a packet with the wrong P_Key"
    static const struct {
        uint8_t valid;
        const char *text;
    } ROWS[] = {
        {0, SAW "."},
        {NOTICE_VALID_PKEY, SAW " 0x8001."},
        {NOTICE_VALID_LID1, SAW " from LID 7."},
        {NOTICE_VALID_PKEY | NOTICE_VALID_LID2, SAW " 0x8001 to LID 9."},
        {NOTICE_VALID_SL | NOTICE_VALID_QP1 | NOTICE_VALID_QP2, SAW "."},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire(GOLDEN_259, wire);
        wire[10] = 0;
        wire[11] = ROWS[i].valid;
        struct event *event = event_builder_from_notice(&plain, wire);
        assert_string_equal(event->text, ROWS[i].text);
        event_unref(event);
    }
}

TEST(a_259_states_a_pkey_of_zero_that_it_vouches_for)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_259, wire);
    wire[10] = wire[16] = wire[17] = 0;
    wire[11] = NOTICE_VALID_PKEY;
    struct event *event = event_builder_from_notice(&plain, wire);
    assert_string_equal(event->text, SAW " 0x0000.");
    event_unref(event);
}

TEST(a_request_has_numbers_where_there_are_no_words)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_256, wire);
    wire[16] = 0x58; // the method
    struct event *event = event_builder_from_notice(&plain, wire);
    assert_non_null(strstr(event->text, " refused method 0x58 (PortInfo) from "));
    event_unref(event);
}

TEST(a_sentence_begins_with_a_capital_or_a_name)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_256, wire);
    memset(wire + 6, 0, 2);   // IssuerLID
    memset(wire + 64, 0, 16); // IssuerGID
    struct event *event = event_builder_from_notice(&plain, wire);
    assert_memory_equal(event->text, "An unknown node refused SubnSet(PortInfo) from LID 7", 52);
    event_unref(event);

    // The map names the source and not the subject, but only the issuer counts here.
    struct error err;
    struct names *few = names_parse("map", "0x0002c903000e8ad1 x", 20, &err);
    struct event_builder builder = plain;
    builder.names = few;
    event = make(&builder, GOLDEN_257);
    assert_memory_equal(event->text, "Port GUID 0x0002c903000e8acf (LID 7) QP", 39);
    assert_non_null(strstr(event->text, " to x (LID 9) QP"));
    event_unref(event);
    names_unref(few);
}

static bool find_node(void *ctx, uint64_t guid, struct endpoint *out)
{
    (void)ctx, (void)guid;
    out->node_guid = 0x0002c903000e8ace;
    return true;
}

static bool find_no_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    (void)ctx, (void)lid, (void)out;
    return false;
}

// A Report names a node as a sweep does, if the map has a name for both GUIDs.
TEST(the_name_of_a_node_goes_before_the_name_of_its_port)
{
    static const char BOTH[] = "0x0002c903000e8acf \"port\"\n0x0002c903000e8ace \"node\"\n";
    const struct event_builder_lookup lookup = {.find_lid = find_no_lid, .find_guid = find_node};
    struct error err;
    struct event_builder builder = plain;
    builder.names = names_parse("map", BOTH, sizeof BOTH - 1, &err);
    builder.lookup = &lookup;
    struct event *event = make(&builder, GOLDEN_257);
    assert_string_equal(event->subject.name, "node");
    event_unref(event);
    names_unref((struct names *)builder.names);
}

static void check_endpoint(const struct endpoint *who, uint16_t lid, uint64_t guid,
                           const char *name)
{
    assert_int_equal(who->lid, lid);
    assert_int_equal(who->guid, guid);
    assert_string_equal(who->name, name);
    assert_int_equal(address_gid_is_zero(who->gid), guid == 0);
    if (guid != 0)
        assert_int_equal(address_gid_interface(who->gid), guid);
}

static void check_parties(enum golden golden, const struct endpoint *issuer,
                          const struct endpoint *subject, uint64_t switch_guid)
{
    struct event *event = make(&named, golden);
    check_endpoint(&event->issuer, issuer->lid, issuer->guid, issuer->name);
    check_endpoint(&event->subject, subject->lid, subject->guid, subject->name);
    assert_int_equal(event->switch_guid, switch_guid);
    event_unref(event);
}

TEST(issuer_and_subject)
{
    static const struct endpoint NONE = {0};
    static const struct endpoint SM = {.guid = GOLDEN_SM_GUID, .lid = 1, .name = "sm-1"};
    static const struct endpoint SWITCH = {.guid = GOLDEN_SWITCH_GUID, .lid = 3, .name = "leaf12"};
    static const struct endpoint CA = {.guid = GOLDEN_CA_GUID, .lid = 7, .name = "node-a"};
    static const struct endpoint CA_GID = {.guid = GOLDEN_CA_GUID, .name = "node-a"};
    static const struct endpoint LID7 = {.lid = 7}, LID11 = {.lid = 11};
    check_parties(GOLDEN_64, &SM, &CA_GID, 0);
    check_parties(GOLDEN_65, &SM, &CA_GID, 0);
    check_parties(GOLDEN_66, &SM, &NONE, 0);
    check_parties(GOLDEN_67, &SM, &NONE, 0);
    check_parties(GOLDEN_68, &SM, &NONE, 0);
    check_parties(GOLDEN_69, &SM, &NONE, 0);
    check_parties(GOLDEN_128, &SWITCH, &SWITCH, GOLDEN_SWITCH_GUID);
    check_parties(GOLDEN_129, &SWITCH, &SWITCH, GOLDEN_SWITCH_GUID);
    check_parties(GOLDEN_131, &CA, &CA, 0);
    check_parties(GOLDEN_144, &CA, &CA, 0);
    check_parties(GOLDEN_145, &CA, &CA, 0);
    check_parties(GOLDEN_256, &SWITCH, &LID7, GOLDEN_SWITCH_GUID);
    check_parties(GOLDEN_256_FAR, &CA, &LID11, 0);
    check_parties(GOLDEN_257, &CA, &CA, 0);
    check_parties(GOLDEN_258, &CA, &CA, 0);
    check_parties(GOLDEN_259, &SWITCH, &SWITCH, GOLDEN_SWITCH_GUID);
    check_parties(GOLDEN_VENDOR, &CA, &CA, 0);
    check_parties(GOLDEN_UNKNOWN, &CA, &CA, 0);
}

TEST(source_and_destination_of_a_packet)
{
    struct event *event = make(&named, GOLDEN_257);
    check_endpoint(&event->source, 7, GOLDEN_CA_GUID, "node-a");
    check_endpoint(&event->destination, 9, GOLDEN_CA2_GUID,
                   "n\xC3\xB6"
                   "de-b");
    event_unref(event);
}

TEST(a_multicast_gid_is_nobodys_guid)
{
    struct event *event = make(&named, GOLDEN_66);
    check_endpoint(&event->source, 0, 0, "");
    event_unref(event);
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_64, wire);
    wire[16] = 0xFF; // as in a notice about a multicast group
    event = event_builder_from_notice(&named, wire);
    check_endpoint(&event->subject, 0, 0, "");
    event_unref(event);
}

// A vendor-specific notice whose VendorID equals a ProducerType does not make its issuer a switch.
TEST(a_vendor_trap_has_no_switch)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_VENDOR, wire);
    memcpy(wire + 1, (const uint8_t[]){0, 0, 2}, 3);
    struct event *event = event_builder_from_notice(&plain, wire);
    assert_int_equal(event->switch_guid, 0);
    event_unref(event);
}

TEST(identifiers_are_uuids_of_version_7)
{
    struct event *event = make(&plain, GOLDEN_128);
    char expected[EVENT_ID_SIZE];
    uint64_t ms = SUPPORT_UTC_US / 1000;
    snprintf(expected, sizeof expected, "%08x-%04x-7102-8304-05060708090a", (unsigned)(ms >> 16),
             (unsigned)(ms & 0xFFFF));
    assert_string_equal(event->id, expected);
    assert_int_equal(event->time_us, SUPPORT_UTC_US);
    assert_int_equal(event->subnet_prefix, GOLDEN_PREFIX);
    event_unref(event);
}

TEST(the_version_stands_whatever_chance_says)
{
    static const uint8_t OCTETS[] = {0x00, 0xFF};
    static const char *const REST[] = {"-7000-8000-000000000000", "-7fff-bfff-ffffffffffff"};
    for (size_t i = 0; i < COUNT(OCTETS); i++) {
        uint8_t octet = OCTETS[i];
        struct random constant = support_constant(&octet);
        struct event_builder builder = plain;
        builder.random = &constant;
        struct event *event = make(&builder, GOLDEN_128);
        assert_string_equal(event->id + 13, REST[i]);
        event_unref(event);
    }
}

TEST(a_malformed_mad_becomes_an_event)
{
    uint8_t mad[400];
    memset(mad, 0xA5, sizeof mad);
    struct event *event = event_builder_from_malformed(&plain, 9, "it is nonsense", mad, 300);
    assert_string_equal(event->type->name, "malformed-mad");
    assert_string_equal(event->text, "LID 9 sent a malformed management datagram: it is nonsense.");
    assert_string_equal(event->reason, "it is nonsense");
    assert_int_equal(event->raw_size, EVENT_RAW_MAX);
    assert_memory_equal(event->raw, mad, EVENT_RAW_MAX);
    check_endpoint(&event->issuer, 9, 0, "");
    check_endpoint(&event->subject, 9, 0, "");
    event_unref(event);
    event = event_builder_from_malformed(&plain, 0, "it has 0 octets", mad, 0);
    assert_string_equal(event->text,
                        "An unknown node sent a malformed management datagram: it has 0 octets.");
    assert_int_equal(event->raw_size, 0);
    event_unref(event);
}

static struct event *make_occurrence(const struct event_builder_occurrence *what)
{
    struct event *event = event_builder_from_occurrence(&plain, what);
    assert_non_null(event);
    assert_ptr_equal(event->type, catalogue_get(what->type));
    assert_int_equal(event->raw_size, 0);
    assert_int_equal(event->switch_guid, 0);
    return event;
}

static void check_occurrence(const struct event_builder_occurrence *what, const char *name,
                             const char *text)
{
    struct event *event = make_occurrence(what);
    assert_string_equal(event->type->name, name);
    assert_string_equal(event->text, text);
    assert_string_equal(event->alarm_key, what->alarm_key);
    assert_string_equal(event->receiver, what->receiver);
    assert_string_equal(event->reason, what->reason);
    assert_int_equal(event->lost, what->lost);
    event_unref(event);
}

TEST(the_gateways_own_events)
{
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_GATEWAY_STARTED,
                                                        .reason = "version 1"},
                     "gateway-started", "ibtrapd started: version 1.");
    check_occurrence(
        &(struct event_builder_occurrence){.type = CATALOGUE_GATEWAY_STOPPED, .reason = "SIGTERM"},
        "gateway-stopped", "ibtrapd stopped: SIGTERM.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_SUBSCRIPTION_LOST,
                                                        .alarm_key = "subscriptions",
                                                        .reason = "the port is down"},
                     "subscription-lost",
                     "The subscriptions to the fabric's traps were lost, and traps may be missed "
                     "until they are back: the port is down.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_RECEIVER_FAILING,
                                                        .alarm_key = "receiver/nms",
                                                        .receiver = "nms",
                                                        .reason = "nobody is there"},
                     "receiver-failing",
                     "The receiver nms does not take events, which wait for it in the journal: "
                     "nobody is there.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_RECEIVER_BACK,
                                                        .alarm_key = "receiver/nms",
                                                        .receiver = "nms",
                                                        .lost = 17,
                                                        .reason = "it takes events again"},
                     "receiver-back", "The receiver nms is back: it takes events again.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_JOURNAL_DROPPING,
                                                        .alarm_key = "journal-dropping",
                                                        .lost = UINT64_C(1) << 40,
                                                        .reason = "the journal is full"},
                     "journal-dropping",
                     "Events are being lost, 1099511627776 at most so far: the journal is full.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_JOURNAL_DROPPING_ENDED,
                                                        .alarm_key = "journal-dropping",
                                                        .lost = 7,
                                                        .reason = "every receiver has read on"},
                     "journal-dropping-ended",
                     "The gateway lost 7 events, and loses no more: every receiver has read on.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_JOURNAL_DROPPING_ENDED,
                                                        .alarm_key = "journal-dropping",
                                                        .lost = 1,
                                                        .reason = "every receiver has read on"},
                     "journal-dropping-ended",
                     "The gateway lost 1 event, and loses no more: every receiver has read on.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_JOURNAL_DEGRADED,
                                                        .alarm_key = "journal",
                                                        .reason = "the disk is full"},
                     "journal-degraded",
                     "The journal does not work, and events are kept in memory only: the disk is "
                     "full.");
    check_occurrence(&(struct event_builder_occurrence){.type = CATALOGUE_JOURNAL_HEALED,
                                                        .alarm_key = "journal",
                                                        .reason = "the disk has room"},
                     "journal-healed",
                     "The journal works again, and what was in memory is on disk: the disk has "
                     "room.");
}

// Changes of the fabric.

#define LEAF                                                                                       \
    {                                                                                              \
        .guid = GOLDEN_SWITCH_GUID, .node_guid = GOLDEN_SWITCH_GUID, .lid = 3,                     \
        .type = FABRIC_SWITCH, .name = "leaf12"                                                    \
    }
#define SPINE                                                                                      \
    {                                                                                              \
        .guid = 0x99, .node_guid = 0x99, .lid = 2, .type = FABRIC_SWITCH, .name = "spine1"         \
    }
#define HOST                                                                                       \
    {                                                                                              \
        .guid = GOLDEN_CA2_GUID, .node_guid = GOLDEN_CA2_GUID - 1, .lid = 9, .type = FABRIC_CA,    \
        .port = 1, .name = "node0345 HCA-1"                                                        \
    }

static const struct endpoint LEAF12 = LEAF, SPINE1 = SPINE, NODE345 = HOST;

static struct endpoint at_port(const struct endpoint *who, uint8_t port)
{
    struct endpoint end = *who;
    end.port = port;
    return end;
}

enum whom { NOBODY, A_LEAF, LEAF_17, SPINE_3, A_HOST, A_NODE, A_CONTROLLER };

static struct endpoint whom(enum whom who)
{
    static const struct endpoint CONTROLLER = {.guid = 0x77, .port = 2, .name = "SRP target"};
    switch (who) {
    case A_LEAF:
        return LEAF12;
    case LEAF_17:
        return at_port(&LEAF12, 17);
    case SPINE_3:
        return at_port(&SPINE1, 3);
    case A_HOST:
        return NODE345;
    case A_NODE:
        return at_port(&NODE345, 0);
    case A_CONTROLLER:
        return CONTROLLER;
    default:
        return (struct endpoint){0};
    }
}

static struct event *make_change(const struct change *change, bool late)
{
    struct event *event = event_builder_from_change(&plain, change, late, NULL, NULL);
    assert_non_null(event);
    assert_ptr_equal(event->type, catalogue_get(change->type));
    return event;
}

// Missing fields leave no extra blank or punctuation.
static void check_well_written(const char *text)
{
    static const char *const UGLY[] = {"  ", " .", " ,", " ;", " :", "..", ";.", ":.",
                                       ",.", "()", ";;", ":;", "{",  "}",  "[",  "]"};
    for (size_t i = 0; i < COUNT(UGLY); i++)
        assert_null(strstr(text, UGLY[i]));
    assert_int_not_equal(text[0], ' ');
    assert_int_equal(text[strlen(text) - 1], '.');
}

TEST(each_change_has_its_sentence)
{
    static const struct {
        enum catalogue_event type;
        enum whom subject, peer;
        bool late;
        const char *reason, *text;
    } SENTENCES[] = {
        {CATALOGUE_SWITCH_ADDED, A_LEAF, NOBODY, false, "",
         "Switch leaf12 (LID 3) joined the fabric."},
        {CATALOGUE_SWITCH_REMOVED, A_LEAF, NOBODY, false, "with it went 2 nodes: node1, node2",
         "Switch leaf12 (LID 3) left the fabric; with it went 2 nodes: node1, node2."},
        {CATALOGUE_SWITCH_REMOVED, A_LEAF, NOBODY, true, "",
         "Switch leaf12 (LID 3) left the fabric while ibtrapd was away."},
        {CATALOGUE_SWITCH_MOVED, A_LEAF, SPINE_3, false, "port 4 of spine2",
         "Switch leaf12 (LID 3) was moved: it is cabled to port 3 of spine1 (LID 2) now, before to "
         "port 4 of spine2."},
        {CATALOGUE_HOST_ADDED, A_NODE, LEAF_17, false, "",
         "Host node0345 HCA-1 (LID 9) joined the fabric; it hangs on port 17 of leaf12 (LID 3)."},
        {CATALOGUE_HOST_REMOVED, A_NODE, LEAF_17, false, "",
         "Host node0345 HCA-1 (LID 9) left the fabric; it hung on port 17 of leaf12 (LID 3)."},
        {CATALOGUE_HOST_REMOVED, A_NODE, LEAF_17, true, "",
         "Host node0345 HCA-1 (LID 9) left the fabric while ibtrapd was away; it hung on port 17 "
         "of "
         "leaf12 (LID 3)."},
        {CATALOGUE_HOST_REMOVED, A_NODE, NOBODY, false, "",
         "Host node0345 HCA-1 (LID 9) left the fabric."},
        {CATALOGUE_HOST_MOVED, A_NODE, LEAF_17, false, "port 3 of leaf11",
         "Host node0345 HCA-1 (LID 9) was moved: it hangs on port 17 of leaf12 (LID 3) now, before "
         "on port 3 of leaf11."},
        {CATALOGUE_ROUTER_ADDED, A_NODE, LEAF_17, false, "",
         "Router node0345 HCA-1 (LID 9) joined the fabric; it hangs on port 17 of leaf12 (LID 3)."},
        {CATALOGUE_ROUTER_REMOVED, A_NODE, LEAF_17, false, "with it went 1 node: node1",
         "Router node0345 HCA-1 (LID 9) left the fabric; it hung on port 17 of leaf12 (LID 3); "
         "with "
         "it went 1 node: node1."},
        {CATALOGUE_ROUTER_MOVED, A_NODE, LEAF_17, true, "",
         "Router node0345 HCA-1 (LID 9) was moved while ibtrapd was away: it hangs on port 17 of "
         "leaf12 (LID 3) now."},
        {CATALOGUE_PORT_ADDED, A_HOST, LEAF_17, false, "",
         "Port 1 of node0345 HCA-1 (LID 9) joined the fabric; it hangs on port 17 of leaf12 (LID "
         "3)."},
        {CATALOGUE_PORT_REMOVED, A_HOST, LEAF_17, false, "",
         "Port 1 of node0345 HCA-1 (LID 9) left the fabric; it hung on port 17 of leaf12 (LID 3)."},
        {CATALOGUE_PORT_MOVED, A_HOST, LEAF_17, false, "port 3 of leaf11",
         "Port 1 of node0345 HCA-1 (LID 9) was moved: it hangs on port 17 of leaf12 (LID 3) now, "
         "before on port 3 of leaf11."},
        {CATALOGUE_LINK_UP, LEAF_17, SPINE_3, false, "",
         "Port 17 of leaf12 (LID 3) to port 3 of spine1 (LID 2) came up."},
        {CATALOGUE_LINK_DOWN, LEAF_17, A_HOST, false, "",
         "Port 17 of leaf12 (LID 3) to port 1 of node0345 HCA-1 (LID 9) went down."},
        {CATALOGUE_LINK_DOWN, LEAF_17, A_HOST, true, "",
         "Port 17 of leaf12 (LID 3) to port 1 of node0345 HCA-1 (LID 9) went down while ibtrapd "
         "was "
         "away."},
        {CATALOGUE_LINK_INTERRUPTED, LEAF_17, SPINE_3, false, "LinkDownedCounter grew by 1",
         "Port 17 of leaf12 (LID 3) to port 3 of spine1 (LID 2) was interrupted: the link went "
         "down "
         "and came up again before a sweep saw it; LinkDownedCounter grew by 1."},
        {CATALOGUE_LINK_MOVED, LEAF_17, SPINE_3, false, "port 4 of spine2",
         "Port 17 of leaf12 (LID 3) was recabled: it is connected to port 3 of spine1 (LID 2) now, "
         "before to port 4 of spine2."},
        {CATALOGUE_LINK_DEGRADED, LEAF_17, SPINE_3, false, "1X SDR (2.5 Gb/s) in place of 4X EDR",
         "Port 17 of leaf12 (LID 3) to port 3 of spine1 (LID 2) degraded; it runs below what both "
         "ends can: 1X SDR (2.5 Gb/s) in place of 4X EDR."},
        {CATALOGUE_LINK_RESTORED, LEAF_17, SPINE_3, true, "4X EDR (100 Gb/s)",
         "Port 17 of leaf12 (LID 3) to port 3 of spine1 (LID 2) recovered while ibtrapd was away; "
         "it "
         "runs at full width and speed again: 4X EDR (100 Gb/s)."},
        {CATALOGUE_NODE_RENAMED, A_LEAF, NOBODY, false, "leaf11",
         "leaf12 (LID 3) got a new name; the old one was leaf11."},
        {CATALOGUE_LID_CHANGED, A_HOST, NOBODY, false, "7",
         "Port 1 of node0345 HCA-1 (LID 9) got a new LID; the old one was 7."},
        {CATALOGUE_LID_CHANGED, A_LEAF, NOBODY, true, "7",
         "leaf12 (LID 3) got a new LID while ibtrapd was away; the old one was 7."},
        {CATALOGUE_PKEYS_CHANGED, A_HOST, NOBODY, false, "0x8005 (full) came",
         "The P_Key table of port 1 of node0345 HCA-1 (LID 9) changed: 0x8005 (full) came."},
        {CATALOGUE_PKEYS_CHANGED, A_LEAF, NOBODY, true, "0x8005 (full) went",
         "The P_Key table of leaf12 (LID 3) changed while ibtrapd was away: 0x8005 (full) went."},
        {CATALOGUE_SM_APPEARED, A_HOST, NOBODY, false, "priority 3, standby",
         "A subnet manager appeared on node0345 HCA-1 (LID 9): priority 3, standby."},
        {CATALOGUE_SM_VANISHED, A_HOST, NOBODY, false, "",
         "The subnet manager on node0345 HCA-1 (LID 9) vanished."},
        {CATALOGUE_SM_FAILED_OVER, A_LEAF, A_HOST, false, "",
         "The subnet manager on leaf12 (LID 3) became master; before it was the one on node0345 "
         "HCA-1 (LID 9)."},
        {CATALOGUE_SM_FAILED_OVER, A_LEAF, NOBODY, true, "",
         "The subnet manager on leaf12 (LID 3) became master while ibtrapd was away."},
        {CATALOGUE_IO_UNIT_ADDED, A_NODE, NOBODY, false, "",
         "node0345 HCA-1 (LID 9) offers an I/O unit now."},
        {CATALOGUE_IO_UNIT_REMOVED, A_NODE, NOBODY, true, "",
         "The I/O unit of node0345 HCA-1 (LID 9) is gone; it went while ibtrapd was away."},
        {CATALOGUE_IO_CONTROLLER_ADDED, A_NODE, A_CONTROLLER, false, "",
         "An I/O controller appeared in slot 2 of node0345 HCA-1 (LID 9): SRP target."},
        {CATALOGUE_IO_CONTROLLER_REMOVED, A_NODE, A_CONTROLLER, false, "",
         "The I/O controller in slot 2 of node0345 HCA-1 (LID 9) went away: SRP target."},
    };
    for (size_t i = 0; i < COUNT(SENTENCES); i++) {
        struct change change = {.type = SENTENCES[i].type,
                                .subject = whom(SENTENCES[i].subject),
                                .peer = whom(SENTENCES[i].peer)};
        snprintf(change.reason, sizeof change.reason, "%s", SENTENCES[i].reason);
        struct event *event = make_change(&change, SENTENCES[i].late);
        assert_string_equal(event->text, SENTENCES[i].text);
        event_unref(event);
    }
}

static bool is_found_by_sweeps(int type)
{
    return catalogue_get((enum catalogue_event)type)->origin == CATALOGUE_FROM_CHANGE;
}

// Every row, without all optional fields.
TEST(sentences_are_well_written_whatever_is_known)
{
    for (int type = CATALOGUE_SWITCH_ADDED; type < CATALOGUE_COUNT; type++) {
        for (unsigned known = 0; known < 32; known++) {
            struct change change = {.type = (enum catalogue_event)type};
            if (known & 1)
                change.subject = whom(LEAF_17);
            if (known & 2)
                change.peer = whom(SPINE_3);
            if (known & 4)
                strcpy(change.reason, "so it is");
            if (known & 8)
                change.subject.name[0] = change.peer.name[0] = '\0';
            struct event *event = make_change(&change, known & 16);
            check_well_written(event->text);
            if ((known & 16) && is_found_by_sweeps(type))
                assert_non_null(strstr(event->text, "while ibtrapd was away"));
            event_unref(event);
        }
    }
}

TEST(who_has_no_name_has_a_guid)
{
    struct change change = {
        .type = CATALOGUE_LINK_DOWN, .subject = whom(LEAF_17), .peer = whom(A_HOST)};
    change.subject.name[0] = change.peer.name[0] = '\0';
    struct event *event = make_change(&change, false);
    assert_string_equal(event->text,
                        "Port 17 of node GUID 0x0002c90300001234 (LID 3) to port 1 of port GUID "
                        "0x0002c903000e8ad1 (LID 9) went down.");
    event_unref(event);
    change.type = CATALOGUE_NODE_RENAMED;
    change.subject.port = 0;
    event = make_change(&change, false);
    assert_string_equal(event->text, "Node GUID 0x0002c90300001234 (LID 3) got a new name.");
    event_unref(event);
}

TEST(a_change_keeps_what_is_known_of_it)
{
    struct change change = {.type = CATALOGUE_SWITCH_REMOVED,
                            .subject = LEAF12,
                            .peer = SPINE1,
                            .switch_guid = GOLDEN_SWITCH_GUID,
                            .sm_guid = 5,
                            .affected = 12,
                            .reason = "with it went 12 nodes: a\x1B",
                            .alarm_key = "node 0x0002c90300001234"};
    struct event *event = event_builder_from_change(&plain, &change, true, "the cause", "the trap");
    assert_memory_equal(&event->subject, &LEAF12, sizeof LEAF12);
    assert_memory_equal(&event->peer, &SPINE1, sizeof SPINE1);
    assert_true(event->switch_guid == GOLDEN_SWITCH_GUID);
    assert_int_equal(event->sm_guid, 5);
    assert_int_equal(event->affected, 12);
    assert_true(event->found_late);
    assert_false(event->derived);
    assert_string_equal(event->cause_id, "the cause");
    assert_string_equal(event->related_id, "the trap");
    assert_string_equal(event->reason, "with it went 12 nodes: a?");
    assert_string_equal(event->alarm_key, "node 0x0002c90300001234");
    assert_int_equal(event->time_us, SUPPORT_UTC_US);
    assert_int_equal(event->subnet_prefix, GOLDEN_PREFIX);
    assert_int_equal(event->notice.trap, 0);
    event_unref(event);
    // An event that raises and clears no alarm has no key.
    change.type = CATALOGUE_SWITCH_MOVED;
    event = make_change(&change, false);
    assert_string_equal(event->alarm_key, "");
    assert_string_equal(event->cause_id, "");
    assert_string_equal(event->related_id, "");
    event_unref(event);
}

TEST(no_key_no_alarm)
{
    struct change change = {.type = CATALOGUE_LINK_DOWN, .alarm_key = "link"};
    struct event *event = make_change(&change, false);
    assert_int_equal(event_alarm(event), ALARM_RAISES);
    event_unref(event);
    change.alarm_key[0] = '\0'; // the cable is elsewhere now, so this link will not come back
    event = make_change(&change, false);
    assert_int_equal(event_alarm(event), ALARM_NONE);
    assert_int_equal(field_get(event, FIELD_ALARM_STATE).number, ALARM_NONE);
    event_unref(event);
}

// Counters.

static struct event *make_threshold(enum counter counter, bool reached, uint64_t before,
                                    uint64_t after)
{
    const struct counter_statement statement = {.key = {.kind = ALARM_KEY_PORT,
                                                        .guid = GOLDEN_SWITCH_GUID,
                                                        .port = 17,
                                                        .about = ALARM_ABOUT_GROWTH,
                                                        .counter = counter},
                                                .raised = reached,
                                                .before = before,
                                                .after = after};
    struct event *event = event_builder_from_counter(&plain, &statement, &LEAF12, NULL, 0);
    assert_non_null(event);
    assert_int_equal(event->subject.port, 17);
    assert_int_equal(event->counter, counter);
    assert_true(event->counter_old == before && event->counter_new == after);
    assert_true(event->switch_guid == GOLDEN_SWITCH_GUID);
    check_well_written(event->text);
    return event;
}

TEST(a_threshold_is_reached_and_cleared)
{
    struct event *event = make_threshold(COUNTER_SYMBOL_ERROR, true, 5, 105);
    assert_string_equal(event->type->name, "threshold-reached");
    assert_string_equal(event->text, "SymbolErrorCounter of port 17 of leaf12 (LID 3) grew by 100 "
                                     "from one reading to the next, to 105.");
    assert_string_equal(event->alarm_key, "counter SymbolErrorCounter 0x0002c90300001234/17");
    assert_false(event->derived);
    assert_int_equal(event->notice.lid, 0);
    event_unref(event);
    event = make_threshold(COUNTER_SYMBOL_ERROR, false, 105, 106);
    assert_string_equal(event->type->name, "threshold-cleared");
    assert_string_equal(event->text, "SymbolErrorCounter of port 17 of leaf12 (LID 3) no longer "
                                     "grows too fast; it is at 106.");
    assert_string_equal(event->alarm_key, "counter SymbolErrorCounter 0x0002c90300001234/17");
    event_unref(event);
    // After a reset the counter counts from zero.
    event = make_threshold(COUNTER_LINK_DOWNED, true, 200, 30);
    assert_string_equal(event->text,
                        "LinkDownedCounter of port 17 of leaf12 (LID 3) grew by 30 from "
                        "one reading to the next, to 30.");
    event_unref(event);
}

TEST(two_counters_stand_for_traps)
{
    struct event *event = make_threshold(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS, true, 3, 7);
    assert_string_equal(event->type->name, "link-integrity-threshold");
    assert_string_equal(
        event->text, "Port 17 of leaf12 (LID 3) reached its threshold of local link integrity "
                     "errors; check the cable and its connectors (no trap told of it: its counter "
                     "LocalLinkIntegrityErrors grew by 4 to 7).");
    assert_true(event->derived);
    assert_true(event->notice.generic);
    assert_int_equal(event->notice.trap, 129);
    assert_int_equal(event->notice.lid, 3);
    assert_int_equal(event->notice.port, 17);
    assert_string_equal(event->alarm_key, "");
    event_unref(event);
    event = make_threshold(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS, true, 0, 1);
    assert_string_equal(event->type->name, "buffer-overrun-threshold");
    assert_string_equal(
        event->text, "Port 17 of leaf12 (LID 3) reached its threshold of excessive buffer "
                     "overruns (no trap told of it: its counter ExcessiveBufferOverrunErrors grew "
                     "by 1 to 1).");
    assert_int_equal(event->notice.trap, 130);
    event_unref(event);
}

TEST(the_counter_of_a_host_is_no_switchs)
{
    const struct counter_statement statement = {.key = {.kind = ALARM_KEY_PORT,
                                                        .guid = GOLDEN_CA2_GUID - 1,
                                                        .port = 1,
                                                        .about = ALARM_ABOUT_GROWTH},
                                                .raised = true};
    struct event *event = event_builder_from_counter(&plain, &statement, &NODE345, NULL, 0);
    assert_int_equal(event->switch_guid, 0);
    event_unref(event);
    // A port that the fabric does not know still has its GUID.
    event = event_builder_from_counter(&plain, &statement, &(struct endpoint){0}, NULL, 0);
    assert_string_equal(event->text,
                        "SymbolErrorCounter of port 1 of node GUID 0x0002c903000e8ad0 grew "
                        "by 0 from one reading to the next, to 0.");
    event_unref(event);
}

static struct event *make_counter_event(struct counter_statement statement, uint64_t discards)
{
    statement.key.guid = GOLDEN_SWITCH_GUID;
    statement.key.port = 17;
    struct event *event = event_builder_from_counter(&plain, &statement, &LEAF12, NULL, discards);
    check_well_written(event->text);
    return event;
}

static struct event *make_error_rate(struct counter_statement statement)
{
    statement.key.kind = statement.key.peer_guid != 0 ? ALARM_KEY_LINK : ALARM_KEY_PORT;
    statement.key.about = ALARM_ABOUT_ERRORS;
    statement.key.counter = COUNTER_SYMBOL_ERROR;
    return make_counter_event(statement, 0);
}

TEST(too_many_errors_on_a_link)
{
    const struct counter_statement statement = {.key = {.peer_guid = 1, .peer_port = 3},
                                                .raised = true,
                                                .covered_us = INT64_C(754) * 1000000,
                                                .errors = 37,
                                                .rate = 4.9072e-13,
                                                .limit = 1e-13,
                                                .unit = ERRORS_PER_BIT,
                                                .width = 2,
                                                .speed = FABRIC_EDR};
    struct event *event = make_error_rate(statement);
    assert_string_equal(event->type->name, "link-errors-raised");
    assert_string_equal(event->text,
                        "SymbolErrorCounter of port 17 of leaf12 (LID 3) to port 3 of node GUID "
                        "0x0000000000000001 grows too often: by 37 in 13 minutes, 4.9e-13 per bit; "
                        "the limit is 1e-13 per bit. The link runs at 4X EDR (100 Gb/s).");
    assert_string_equal(
        event->alarm_key,
        "errors SymbolErrorCounter link 0x0000000000000001/3-0x0002c90300001234/17");
    assert_true(event->switch_guid == GOLDEN_SWITCH_GUID);
    event_unref(event);
}

// Beyond the second limit the alarm is an error, also in a copy for a late receiver.
TEST(far_too_many_errors_on_a_link)
{
    struct counter_statement statement = {.raised = true,
                                          .severe = true,
                                          .covered_us = 5000000,
                                          .errors = 3,
                                          .rate = 2.5e-11,
                                          .limit = 1e-12,
                                          .unit = ERRORS_PER_PACKET};
    struct event *event = make_error_rate(statement);
    assert_int_equal(event->severity, SEVERITY_ERROR);
    assert_non_null(strstr(event->text, "by 3 in 1 minute, 2.5e-11 per packet; the limit is 1e-12 "
                                        "per packet"));
    event->severity = SEVERITY_NOTICE; // by a rule
    event_builder_again(&plain, event);
    assert_int_equal(event->severity, SEVERITY_ERROR);
    event_unref(event);
    statement.raised = false;
    event = make_error_rate(statement);
    assert_int_equal(event->severity, SEVERITY_NOTICE);
    event_unref(event);
}

static struct event *make_congestion(struct counter_statement statement, uint64_t discards)
{
    statement.key.kind = ALARM_KEY_PORT;
    statement.key.about = ALARM_ABOUT_WAIT;
    statement.key.counter = COUNTER_XMIT_WAIT;
    return make_counter_event(statement, discards);
}

TEST(a_port_waits_too_long)
{
    const struct counter_statement change = {
        .raised = true, .covered_us = INT64_C(754) * 1000000, .rate = 0.3704, .limit = 0.2};
    struct event *event = make_congestion(change, 12);
    assert_string_equal(event->type->name, "congestion-raised");
    assert_string_equal(event->text,
                        "Port 17 of leaf12 (LID 3) waits too long before it can send: 37% of the "
                        "time within 13 minutes; the limit is 20%; it discarded 12 packets "
                        "meanwhile; it does not say how long a tick of its PortXmitWait is: the "
                        "share is that of the shortest.");
    assert_string_equal(event->alarm_key, "congestion 0x0002c90300001234/17");
    event_unref(event);
}

TEST(a_port_no_longer_waits_too_long)
{
    struct counter_statement change = {
        .covered_us = INT64_C(7500) * 1000000, .rate = 0.0123, .limit = 0.2};
    struct event *event = make_congestion(change, 0);
    assert_string_equal(event->type->name, "congestion-cleared");
    assert_string_equal(event->text, "Port 17 of leaf12 (LID 3) no longer waits too long before it "
                                     "can send: 1.23% of the time within 125 minutes.");
    event_unref(event);
    change.covered_us = 0;
    event = make_congestion(change, 0);
    assert_string_equal(event->text, "Port 17 of leaf12 (LID 3) no longer waits too long before it "
                                     "can send; the configuration has no limit for it any more.");
    event_unref(event);
}

TEST(no_longer_too_many_errors)
{
    struct counter_statement change = {
        .covered_us = INT64_C(7500) * 1000000, .errors = 30, .rate = 14.4, .limit = 30};
    struct event *event = make_error_rate(change);
    assert_string_equal(event->type->name, "link-errors-cleared");
    assert_string_equal(event->text,
                        "SymbolErrorCounter of port 17 of leaf12 (LID 3) no longer grows too "
                        "often: by 30 in 125 minutes, 14 per hour; the limit is 30 per hour.");
    const char *key = "errors SymbolErrorCounter port 0x0002c90300001234/17";
    assert_string_equal(event->alarm_key, key);
    event_unref(event);
    event = make_error_rate((struct counter_statement){.key.peer_guid = 1, .moved = true});
    assert_string_equal(event->text, "SymbolErrorCounter of port 17 of leaf12 (LID 3) to node GUID "
                                     "0x0000000000000001 no longer grows too often: the port has "
                                     "another neighbour now.");
    event_unref(event);
    event = make_error_rate((struct counter_statement){.raised = false});
    assert_string_equal(event->reason, "the configuration has no limit for it any more");
    event_unref(event);
}

static struct event *make_link_record(enum link_verdict verdict, unsigned count)
{
    static const int64_t DAY_US = INT64_C(86400) * 1000000;
    struct link_record record = {.link = link_history_key(GOLDEN_SWITCH_GUID, 17, 1, 3),
                                 .count = count};
    for (unsigned i = 0; i < count; i++)
        record.occasions[i] = (struct link_occasion){
            .utc_us = SUPPORT_UTC_US + i * DAY_US,
            .incidents = {[LINK_FAILED] = 2, [LINK_FLAPPED] = i == 0, [LINK_HAD_ERRORS] = 1}};
    const struct event_builder_link_record what = {
        .record = &record,
        .verdict = verdict,
        .limits = {.occasions = 3, .window_us = 30 * DAY_US},
        .ends = {{.guid = 1, .node_guid = 1, .type = FABRIC_CA, .port = 3}, LEAF12}};
    struct event *event = event_builder_from_link_record(&plain, &what);
    assert_non_null(event);
    check_well_written(event->text);
    return event;
}

TEST(a_link_that_fails_again_and_again)
{
    struct event *event = make_link_record(LINK_IS_UNRELIABLE, 3);
    assert_string_equal(event->type->name, "link-unreliable");
    assert_string_equal(event->text,
                        "Port 17 of leaf12 (LID 3) to port 3 of node GUID 0x0000000000000001 is "
                        "unreliable: on 3 occasions in 30 days the link went down, flapped or had "
                        "too many errors: 2026-11-21T03:19Z, 2026-11-22T03:19Z, 2026-11-23T03:19Z. "
                        "Check or replace its cable; then end this alarm with ibtrapctl alarms "
                        "clear.");
    const char *key = "unreliable link 0x0000000000000001/3-0x0002c90300001234/17";
    assert_string_equal(event->alarm_key, key);
    assert_true(event->switch_guid == GOLDEN_SWITCH_GUID);
    assert_int_equal(event->failures, 6);
    assert_int_equal(event->flaps, 1);
    assert_int_equal(event->error_alarms, 3);
    event_unref(event);
    event = make_link_record(LINK_IS_UNRELIABLE, 16);
    assert_true(strncmp(event->dates, "8 earlier, 2026-11-29T03:19Z, ", 30) == 0);
    assert_string_equal(event->dates + strlen(event->dates) - 17, "2026-12-06T03:19Z");
    event_unref(event);
}

TEST(a_link_that_fails_no_longer)
{
    struct event *event = make_link_record(LINK_HAS_FEWER_OCCASIONS, 1);
    assert_string_equal(event->type->name, "link-reliable");
    assert_string_equal(event->text,
                        "Port 17 of leaf12 (LID 3) to port 3 of node GUID 0x0000000000000001 is no "
                        "longer unreliable: 1 occasion in 30 days; the limit is 3.");
    event_unref(event);
    event = make_link_record(LINK_IS_ELSEWHERE, 3);
    assert_string_equal(event->reason, "one of its ends is connected to another port now");
    event_unref(event);
    event = make_link_record(LINK_HAS_NO_LIMIT, 3);
    assert_string_equal(event->reason, "the configuration has no limit any more");
    event_unref(event);
}

TEST(too_many_errors_of_a_router_are_the_routers)
{
    const struct endpoint router = {.guid = 5, .node_guid = 5, .type = FABRIC_ROUTER, .port = 2};
    const struct counter_statement statement = {
        .key = {.kind = ALARM_KEY_PORT, .guid = 5, .port = 2, .about = ALARM_ABOUT_ERRORS},
        .raised = true};
    struct event *event = event_builder_from_counter(&plain, &statement, &router, NULL, 0);
    assert_non_null(event);
    assert_true(event->switch_guid == 5); // an element of the IBSWITCH-MIB, as a switch is
    event_unref(event);
}

TEST(the_subnet_managers_silence)
{
    struct event_builder_occurrence what = {.type = CATALOGUE_SM_UNREACHABLE,
                                            .sm_lid = 1,
                                            .sm_guid = GOLDEN_SM_GUID,
                                            .alarm_key = "sm-reachable",
                                            .reason = "no answer for 15 s"};
    struct event *event = event_builder_from_occurrence(&named, &what);
    assert_string_equal(event->text,
                        "The master subnet manager on sm-1 (LID 1) does not answer: no "
                        "answer for 15 s.");
    assert_true(event->sm_guid == GOLDEN_SM_GUID);
    assert_int_equal(event->subject.lid, 1);
    assert_string_equal(event->alarm_key, "sm-reachable");
    event_unref(event);
    what = (struct event_builder_occurrence){.type = CATALOGUE_SM_BACK};
    event = event_builder_from_occurrence(&named, &what);
    assert_string_equal(event->text, "The master subnet manager answers again.");
    event_unref(event);
}

// The fabric knows the switch with its LID, the host's port by LID and GUID, and the link between
// them.

static bool lookup_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    (void)ctx;
    if (lid == 3)
        *out = LEAF12;
    else if (lid == 9)
        *out = NODE345;
    return lid == 3 || lid == 9;
}

static bool lookup_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    (void)ctx;
    if (guid == GOLDEN_CA2_GUID || guid == GOLDEN_CA2_GUID - 1)
        *out = NODE345;
    else if (guid == GOLDEN_SWITCH_GUID)
        *out = LEAF12;
    else
        return false;
    return true;
}

static bool lookup_peer(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    ++*(unsigned *)ctx;
    if (node_guid == GOLDEN_SWITCH_GUID && port == 17)
        *out = NODE345;
    else if (node_guid == GOLDEN_CA2_GUID - 1 && port == 1)
        *out = at_port(&LEAF12, 17);
    else
        return false;
    return true;
}

static struct event_builder knowing(const struct event_builder_lookup *lookup)
{
    struct event_builder builder = plain;
    builder.lookup = lookup;
    return builder;
}

TEST(traps_are_told_with_names_from_the_fabric)
{
    unsigned asked = 0;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    const struct event_builder builder = knowing(&lookup);
    static const struct {
        enum golden golden;
        const char *text;
    } SENTENCES[] = {
        {GOLDEN_128, "The link state of at least one port of leaf12 (LID 3) changed."},
        {GOLDEN_129,
         "Port 17 of leaf12 (LID 3) to port 1 of node0345 HCA-1 (LID 9) reached its threshold of "
         "local link integrity errors; check the cable and its connectors."},
        {GOLDEN_130,
         "Port 254 of leaf12 (LID 3) reached its threshold of excessive buffer overruns."},
        {GOLDEN_257, "Port GUID 0x0002c903000e8acf (LID 7) QP 0x00abcd sent a packet with the "
                     "wrong P_Key 0x8001 "
                     "to node0345 HCA-1 (LID 9) QP 0x123456 on SL 3."},
        {GOLDEN_259, "Port 17 of leaf12 (LID 3), connected to port 1 of node0345 HCA-1 (LID 9), "
                     "saw a packet with "
                     "the wrong P_Key 0x8001 from port GUID 0x0002c903000e8acf (LID 7) to node0345 "
                     "HCA-1 (LID 9)."},
    };
    for (size_t i = 0; i < COUNT(SENTENCES); i++) {
        struct event *event = make(&builder, SENTENCES[i].golden);
        assert_string_equal(event->text, SENTENCES[i].text);
        event_unref(event);
    }
    assert_int_equal(asked, 3); // for 129, 130 and 259; the others name no port
}

static uint64_t switch_of(const struct event_builder *builder, enum golden golden,
                          uint32_t producer, uint16_t lid)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    wire_put(wire + 1, 3, producer);
    wire_put(wire + (golden == GOLDEN_259 ? 58 : golden == GOLDEN_128 ? 10 : 12), 2, lid);
    struct event *event = event_builder_from_notice(builder, wire);
    uint64_t guid = event->switch_guid;
    event_unref(event);
    return guid;
}

// The switch that the notice names, for any issuer and any ProducerType.
TEST(the_switch_of_a_notice_is_the_one_that_it_names)
{
    enum { LEAF_LID = 3, HOST_LID = 9, UNKNOWN_LID = 11 };
    static const enum golden NAMING[] = {GOLDEN_128, GOLDEN_129, GOLDEN_130, GOLDEN_259};
    unsigned asked = 0;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    const struct event_builder builder = knowing(&lookup);
    for (size_t i = 0; i < COUNT(NAMING); i++) {
        const enum golden g = NAMING[i];
        assert_true(switch_of(&builder, g, NOTICE_PRODUCER_SWITCH, LEAF_LID) == GOLDEN_SWITCH_GUID);
        assert_true(switch_of(&builder, g, NOTICE_PRODUCER_CA, LEAF_LID) == GOLDEN_SWITCH_GUID);
        assert_int_equal(switch_of(&builder, g, NOTICE_PRODUCER_SWITCH, HOST_LID), 0);
        assert_int_equal(switch_of(&builder, g, NOTICE_PRODUCER_SWITCH, UNKNOWN_LID), 0);
        // In an unknown fabric, ProducerType tells the issuer's kind, and nothing of other nodes.
        assert_true(switch_of(&plain, g, NOTICE_PRODUCER_SWITCH, LEAF_LID) == GOLDEN_SWITCH_GUID);
        assert_int_equal(switch_of(&plain, g, NOTICE_PRODUCER_CA, LEAF_LID), 0);
        assert_int_equal(switch_of(&plain, g, NOTICE_PRODUCER_SWITCH, HOST_LID), 0);
    }
    // Trap 131 comes from a host about the leaf.
    assert_true(switch_of(&builder, GOLDEN_131, NOTICE_PRODUCER_CA, LEAF_LID) ==
                GOLDEN_SWITCH_GUID);
    // The LID of a trap 256 is the sender's; the switch refused its packet.
    assert_true(switch_of(&builder, GOLDEN_256, NOTICE_PRODUCER_SWITCH, HOST_LID) ==
                GOLDEN_SWITCH_GUID);
    assert_int_equal(switch_of(&builder, GOLDEN_256, NOTICE_PRODUCER_CA, HOST_LID), 0);
}

TEST(the_port_that_a_notice_names_is_that_of_the_subject)
{
    static const struct {
        enum golden golden;
        uint8_t port;
    } PORTS[] = {
        {GOLDEN_128, 0}, {GOLDEN_129, 17}, {GOLDEN_130, 254}, {GOLDEN_259, 17}, {GOLDEN_257, 0}};
    unsigned asked = 0;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    const struct event_builder knows = knowing(&lookup);
    for (size_t i = 0; i < COUNT(PORTS); i++) {
        struct event *known = make(&knows, PORTS[i].golden),
                     *strange = make(&plain, PORTS[i].golden);
        assert_int_equal(known->subject.port, PORTS[i].port);
        assert_int_equal(strange->subject.port, PORTS[i].port);
        assert_int_equal(known->issuer.port, 0);
        event_unref(known);
        event_unref(strange);
    }
}

TEST(a_port_that_left_is_told_with_its_place)
{
    unsigned asked = 0;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    const struct event_builder builder = knowing(&lookup);
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_65, wire);
    wire[31] = 0xD1; // the GID's last octet: the host that the fabric knows
    struct event *event = event_builder_from_notice(&builder, wire);
    assert_string_equal(
        event->text, "node0345 HCA-1 (LID 9) with GID fe80::2:c903:e:8ad1 went out of service: the "
                     "subnet manager can no longer reach it; it hung on port 17 of leaf12 (LID "
                     "3).");
    assert_true(event->subject.guid == GOLDEN_CA2_GUID);
    assert_true(event->subject.node_guid == GOLDEN_CA2_GUID - 1);
    assert_int_equal(event->subject.lid, 9);
    assert_int_equal(event->peer.port, 17);
    event_unref(event);
}

// A new host that the fabric does not know yet, at the old host's LID.

static const uint64_t NEW_GUID = UINT64_C(0x0002c9030000beef);

static struct notice of_new_host(uint16_t trap)
{
    struct notice n = {.generic = true, .producer = 1, .trap = trap, .issuer_lid = 9, .lid = 9};
    wire_put(n.issuer_gid, 8, GOLDEN_PREFIX);
    wire_put(n.issuer_gid + 8, 8, NEW_GUID);
    return n;
}

static struct event *make_from(const struct event_builder *builder, const struct notice *notice)
{
    uint8_t wire[NOTICE_SIZE];
    notice_encode(notice, wire);
    struct event *event = event_builder_from_notice(builder, wire);
    assert_non_null(event);
    return event;
}

static void check_new(const struct endpoint *who, const char *name)
{
    assert_true(who->guid == NEW_GUID);
    assert_true(who->node_guid == 0);
    assert_int_equal(who->lid, 9);
    assert_int_equal(who->type, 0);
    assert_string_equal(who->name, name);
}

TEST(whoever_got_the_lid_of_another_has_not_its_name)
{
    unsigned asked = 0;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    const struct event_builder builder = knowing(&lookup);
    struct notice n = of_new_host(NOTICE_CAPABILITY);
    struct event *event = make_from(&builder, &n);
    check_new(&event->subject, "");
    check_new(&event->issuer, "");
    check_new(&event->source, "");
    assert_true(event->peer.guid == 0);
    event_unref(event);

    n = of_new_host(NOTICE_BAD_PKEY); // from another node, known only by its LID
    n.lid = 3;
    n.lid2 = 9;
    event = make_from(&builder, &n);
    assert_string_equal(event->source.name, "leaf12");
    check_new(&event->destination, "");
    event_unref(event);

    memcpy(n.gid1, n.issuer_gid, sizeof n.gid1);
    n.lid = 9;
    n.issuer_lid = n.lid2 = 3;
    memset(n.issuer_gid, 0, sizeof n.issuer_gid);
    event = make_from(&builder, &n); // to another node
    check_new(&event->subject, "");
    check_new(&event->source, "");
    assert_string_equal(event->destination.name, "leaf12");
    assert_int_equal(asked, 0);
    event_unref(event);

    const struct event_builder_occurrence what = {
        .type = CATALOGUE_SM_UNREACHABLE, .sm_lid = 9, .sm_guid = NEW_GUID};
    event = event_builder_from_occurrence(&builder, &what);
    check_new(&event->subject, "");
    event_unref(event);
}

// For instance the GUID of a virtual function, which no sweep finds.
TEST(the_map_names_guids_that_the_fabric_does_not_know)
{
    unsigned asked = 0;
    struct error err;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    struct event_builder builder = knowing(&lookup);
    static const char MACHINE[] = "0x0002c9030000beef \"machine 7\"";
    struct names *map = names_parse("map", MACHINE, sizeof MACHINE - 1, &err);
    builder.names = map;
    const struct notice n = of_new_host(NOTICE_CAPABILITY);
    struct event *event = make_from(&builder, &n);
    check_new(&event->subject, "machine 7");
    event_unref(event);
    names_unref(map);
}

// The GID in the notice stays, and names from the node-name-map have precedence.
TEST(the_map_goes_before_the_fabric)
{
    unsigned asked = 0;
    struct error err;
    const struct event_builder_lookup lookup = {lookup_lid, lookup_guid, lookup_peer, &asked};
    struct event_builder builder = knowing(&lookup);
    static const char NODE[] = "0x0002c903000e8ad0 \"by node GUID\"";
    struct names *few = names_parse("map", NODE, sizeof NODE - 1, &err);
    builder.names = few;
    struct event *event = make(&builder, GOLDEN_257);
    assert_string_equal(event->destination.name, "by node GUID");
    assert_int_equal(address_gid_interface(event->destination.gid), GOLDEN_CA2_GUID);
    event_unref(event);
    names_unref(few);
    builder.names = names;
    event = make(&builder, GOLDEN_128);
    assert_string_equal(event->subject.name, "leaf12");
    assert_int_equal(address_gid_interface(event->subject.gid), GOLDEN_SWITCH_GUID);
    assert_int_equal(event->subject.type, FABRIC_SWITCH);
    assert_true(event->switch_guid == GOLDEN_SWITCH_GUID);
    event_unref(event);
}

// Of an alarm that policy does not know. Filters read how receivers were notified of it.
TEST(an_alarm_ends_by_its_key_alone)
{
    const struct event_builder builder = knowing(NULL);
    struct event *event = event_builder_end_of_alarm(
        &builder, "node 0x1", catalogue_get(CATALOGUE_HOST_REMOVED), "it is there again");
    assert_non_null(event);
    assert_string_equal(event->alarm_key, "node 0x1");
    assert_string_equal(event->text, "The alarm host-removed is over: it is there again.");
    assert_ptr_equal(event->cleared, catalogue_get(CATALOGUE_HOST_REMOVED));
    assert_int_equal(event->cleared_severity, event->cleared->severity);
    assert_int_equal(event->cleared_category, CATEGORY_NODE);
    assert_int_equal(event->category, CATEGORY_NODE);
    event_unref(event);
    event = event_builder_end_of_alarm(&builder, "node 0x1", NULL, "it is there again");
    assert_non_null(event);
    assert_null(event->cleared);
    event_unref(event);
}

TEST(a_reason_is_always_proper_text)
{
    struct event_builder_occurrence what = {.type = CATALOGUE_GATEWAY_STOPPED};
    memset(what.reason, 'x', sizeof what.reason - 1);
    memcpy(what.reason + EVENT_REASON_SIZE - 3, "\xE2\x82", 3); // truncated within a character
    struct event *event = make_occurrence(&what);
    assert_in_range(strlen(event->reason), EVENT_REASON_SIZE - 3, EVENT_REASON_SIZE - 1);
    char clean[EVENT_REASON_SIZE];
    text_clean(event->reason, strlen(event->reason), clean, sizeof clean);
    assert_string_equal(event->reason, clean);
    event_unref(event);
    strcpy(what.reason, "held by \xFF\x1B[2J");
    event = make_occurrence(&what);
    assert_string_equal(event->text, "ibtrapd stopped: held by \xEF\xBF\xBD?[2J.");
    event_unref(event);
}

TEST(references_are_counted)
{
    struct event *event = make(&plain, GOLDEN_128);
    assert_ptr_equal(event_ref(event), event);
    event_unref(event);
    assert_int_equal(event->notice.trap, 128); // the octets are intact
    event_unref(event);
    event_unref(NULL);
}

#define EVENT_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

// Events whose memory is used again.

TEST(a_new_event_has_nothing_of_those_before)
{
    static const struct event nothing;
    struct event *all[300];
    const size_t first = offsetof(struct event, type);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            all[i] = event_make(NULL);
            assert_int_equal(all[i]->references, 1);
            assert_memory_equal((char *)all[i] + first, (const char *)&nothing + first,
                                offsetof(struct event, text) - first);
            assert_string_equal(all[i]->text, "");
            assert_string_equal(all[i]->reason, "");
            assert_string_equal(all[i]->dates, "");
        }
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            memset((char *)all[i] + first, 'x', sizeof *all[i] - first);
            event_unref(all[i]);
        }
    }
}

static void *make_and_drop(void *mark)
{
    enum { ROUNDS = 20000, AT_ONCE = 5 };
    struct event *mine[AT_ONCE] = {NULL};
    for (int i = 0; i < ROUNDS; i++) {
        struct event **place = &mine[i % AT_ONCE];
        if (*place && strcmp((*place)->text, mark) != 0)
            abort(); // another thread has it, too; cmocka's assertions are for the main thread
        event_unref(*place);
        *place = event_make(NULL);
        strcpy((*place)->text, mark);
    }
    for (int i = 0; i < AT_ONCE; i++)
        event_unref(mine[i]);
    return NULL;
}

TEST(no_two_threads_have_the_same_event)
{
    char marks[][2] = {"a", "b", "c", "d"};
    pthread_t threads[sizeof marks / sizeof *marks];
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_drop, marks[i]), 0);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVENT_TEST(each_event_has_its_sentence),
        EVENT_TEST(a_259_says_only_what_it_knows),
        EVENT_TEST(a_259_states_a_pkey_of_zero_that_it_vouches_for),
        EVENT_TEST(a_request_has_numbers_where_there_are_no_words),
        EVENT_TEST(a_sentence_begins_with_a_capital_or_a_name),
        EVENT_TEST(the_name_of_a_node_goes_before_the_name_of_its_port),
        EVENT_TEST(issuer_and_subject),
        EVENT_TEST(source_and_destination_of_a_packet),
        EVENT_TEST(a_multicast_gid_is_nobodys_guid),
        EVENT_TEST(a_vendor_trap_has_no_switch),
        EVENT_TEST(identifiers_are_uuids_of_version_7),
        EVENT_TEST(the_version_stands_whatever_chance_says),
        EVENT_TEST(a_malformed_mad_becomes_an_event),
        EVENT_TEST(the_gateways_own_events),
        EVENT_TEST(each_change_has_its_sentence),
        EVENT_TEST(sentences_are_well_written_whatever_is_known),
        EVENT_TEST(who_has_no_name_has_a_guid),
        EVENT_TEST(a_change_keeps_what_is_known_of_it),
        EVENT_TEST(no_key_no_alarm),
        EVENT_TEST(a_threshold_is_reached_and_cleared),
        EVENT_TEST(two_counters_stand_for_traps),
        EVENT_TEST(the_counter_of_a_host_is_no_switchs),
        EVENT_TEST(too_many_errors_on_a_link),
        EVENT_TEST(far_too_many_errors_on_a_link),
        EVENT_TEST(a_port_waits_too_long),
        EVENT_TEST(a_port_no_longer_waits_too_long),
        EVENT_TEST(no_longer_too_many_errors),
        EVENT_TEST(a_link_that_fails_again_and_again),
        EVENT_TEST(a_link_that_fails_no_longer),
        EVENT_TEST(too_many_errors_of_a_router_are_the_routers),
        EVENT_TEST(the_subnet_managers_silence),
        EVENT_TEST(traps_are_told_with_names_from_the_fabric),
        EVENT_TEST(the_switch_of_a_notice_is_the_one_that_it_names),
        EVENT_TEST(the_port_that_a_notice_names_is_that_of_the_subject),
        EVENT_TEST(a_port_that_left_is_told_with_its_place),
        EVENT_TEST(whoever_got_the_lid_of_another_has_not_its_name),
        EVENT_TEST(the_map_names_guids_that_the_fabric_does_not_know),
        EVENT_TEST(the_map_goes_before_the_fabric),
        EVENT_TEST(an_alarm_ends_by_its_key_alone),
        EVENT_TEST(a_reason_is_always_proper_text),
        EVENT_TEST(references_are_counted),
        cmocka_unit_test(a_new_event_has_nothing_of_those_before),
        cmocka_unit_test(no_two_threads_have_the_same_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
