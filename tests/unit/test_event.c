#include "support.h"

#include "golden.h"

#include "base/text.h"
#include "event/maker.h"

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
static struct maker plain, named;

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
    plain = (struct maker){&clock_, &chance, NULL, GOLDEN_PREFIX};
    named = plain;
    named.names = names;
    return 0;
}

static int end(void **state)
{
    (void)state;
    names_free(names);
    return 0;
}

static struct event *make(const struct maker *maker, enum golden golden)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    struct event *event = maker_from_notice(maker, wire);
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
         "Port GUID 0x0002c903000e8acf (LID 7) reports a change of its NodeDescription, LinkWidthEnabled, "
         "CapabilityMask2; its capability mask is 0x02514868.",
         "node-a (LID 7) reports a change of its NodeDescription, LinkWidthEnabled, CapabilityMask2; its "
         "capability mask is 0x02514868."},
        {GOLDEN_144_MASK_ONLY,
         "Port GUID 0x0002c903000e8acf (LID 7) reports a change of its capability mask; its capability mask is "
         "0x02514868.",
         "node-a (LID 7) reports a change of its capability mask; its capability mask is 0x02514868."},
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
         "Port GUID 0x0002c903000e8acf (LID 7) refused method 0x99(attribute 0xabcd) from LID 11, "
         "which had the wrong M_Key 0xffffffffffffffff.",
         "node-a (LID 7) refused method 0x99(attribute 0xabcd) from LID 11, which had the wrong "
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
         "from port GUID 0x0002c903000e8acf (LID 7) to port GUID 0x0002c903000e8ad1 (LID 9) (known "
         "of it: LIDADDR1, LIDADDR2, P_Key, SL, QP1, QP2, GIDADDR1, GIDADDR2).",
         "Port 17 of leaf12 (LID 3) saw a packet with the wrong P_Key 0x8001 from node-a (LID 7) "
         "to n\xC3\xB6"
         "de-b (LID 9) (known of it: LIDADDR1, LIDADDR2, P_Key, SL, QP1, QP2, GIDADDR1, "
         "GIDADDR2)."},
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
        event_release(event);
        event = make(&named, SENTENCES[i].golden);
        assert_string_equal(event->text, SENTENCES[i].named);
        event_release(event);
    }
}

TEST(a_259_that_knows_nothing_says_so)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_259, wire);
    wire[10] = wire[11] = 0;
    struct event *event = maker_from_notice(&plain, wire);
    assert_string_equal(event->text,
                        "Port 17 of port GUID 0x0002c90300001234 (LID 3) saw a packet with the "
                        "wrong P_Key 0x0000 from an unknown node to an unknown node (known of it: "
                        "nothing).");
    event_release(event);
}

TEST(a_sentence_begins_with_a_capital_or_a_name)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_256, wire);
    memset(wire + 6, 0, 2);   // IssuerLID
    memset(wire + 64, 0, 16); // IssuerGID
    struct event *event = maker_from_notice(&plain, wire);
    assert_memory_equal(event->text, "An unknown node refused SubnSet(PortInfo) from LID 7", 52);
    event_release(event);

    // The source is named, the subject is not: only the issuer counts here.
    struct error err;
    struct names *few = names_parse("map", "0x0002c903000e8ad1 x", 20, &err);
    struct maker maker = plain;
    maker.names = few;
    event = make(&maker, GOLDEN_257);
    assert_memory_equal(event->text, "Port GUID 0x0002c903000e8acf (LID 7) QP", 39);
    assert_non_null(strstr(event->text, " to x (LID 9) QP"));
    event_release(event);
    names_free(few);
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
    event_release(event);
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
    event_release(event);
}

TEST(a_multicast_gid_is_nobodys_guid)
{
    struct event *event = make(&named, GOLDEN_66);
    check_endpoint(&event->source, 0, 0, "");
    event_release(event);
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_64, wire);
    wire[16] = 0xFF; // as if a group came into service
    event = maker_from_notice(&named, wire);
    check_endpoint(&event->subject, 0, 0, "");
    event_release(event);
}

// A vendor's number in the place of the ProducerType makes nobody a switch.
TEST(a_vendor_trap_has_no_switch)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_VENDOR, wire);
    memcpy(wire + 1, (const uint8_t[]){0, 0, 2}, 3);
    struct event *event = maker_from_notice(&plain, wire);
    assert_int_equal(event->switch_guid, 0);
    event_release(event);
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
    event_release(event);
}

TEST(the_version_stands_whatever_chance_says)
{
    static const uint8_t OCTETS[] = {0x00, 0xFF};
    static const char *const REST[] = {"-7000-8000-000000000000", "-7fff-bfff-ffffffffffff"};
    for (size_t i = 0; i < COUNT(OCTETS); i++) {
        uint8_t octet = OCTETS[i];
        struct random constant = support_constant(&octet);
        struct maker maker = plain;
        maker.random = &constant;
        struct event *event = make(&maker, GOLDEN_128);
        assert_string_equal(event->id + 13, REST[i]);
        event_release(event);
    }
}

TEST(a_malformed_mad_becomes_an_event)
{
    uint8_t mad[400];
    memset(mad, 0xA5, sizeof mad);
    struct event *event = maker_from_malformed(&plain, 9, "it is nonsense", mad, 300);
    assert_string_equal(event->type->name, "malformed-mad");
    assert_string_equal(event->text, "LID 9 sent a malformed management datagram: it is nonsense.");
    assert_string_equal(event->reason, "it is nonsense");
    assert_int_equal(event->raw_size, EVENT_RAW_MAX);
    assert_memory_equal(event->raw, mad, EVENT_RAW_MAX);
    check_endpoint(&event->issuer, 9, 0, "");
    check_endpoint(&event->subject, 9, 0, "");
    event_release(event);
    event = maker_from_malformed(&plain, 0, "it has 0 octets", mad, 0);
    assert_string_equal(event->text,
                        "An unknown node sent a malformed management datagram: it has 0 octets.");
    assert_int_equal(event->raw_size, 0);
    event_release(event);
}

static struct event *make_occurrence(const struct maker_occurrence *what)
{
    struct event *event = maker_from_occurrence(&plain, what);
    assert_non_null(event);
    assert_ptr_equal(event->type, catalogue_get(what->type));
    assert_int_equal(event->raw_size, 0);
    assert_int_equal(event->switch_guid, 0);
    return event;
}

static void check_occurrence(const struct maker_occurrence *what, const char *name, const char *text)
{
    struct event *event = make_occurrence(what);
    assert_string_equal(event->type->name, name);
    assert_string_equal(event->text, text);
    assert_string_equal(event->alarm_key, what->alarm_key);
    assert_string_equal(event->receiver, what->receiver);
    assert_string_equal(event->reason, what->reason);
    assert_int_equal(event->lost, what->lost);
    event_release(event);
}

TEST(the_gateways_own_events)
{
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_GATEWAY_STARTED,
                                                .reason = "version 1"},
                     "gateway-started", "ibtrapd started: version 1.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_GATEWAY_STOPPED,
                                                .reason = "SIGTERM"},
                     "gateway-stopped", "ibtrapd stopped: SIGTERM.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_SUBSCRIPTION_LOST,
                                                .alarm_key = "subscriptions",
                                                .reason = "the port is down"},
                     "subscription-lost",
                     "The subscriptions to the fabric's traps were lost, and traps may be missed "
                     "until they are back: the port is down.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_RECEIVER_FAILING,
                                                .alarm_key = "receiver/nms",
                                                .receiver = "nms",
                                                .reason = "nobody is there"},
                     "receiver-failing",
                     "The receiver nms does not take events, which wait for it in the journal: "
                     "nobody is there.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_RECEIVER_BACK,
                                                .alarm_key = "receiver/nms",
                                                .receiver = "nms",
                                                .lost = 17,
                                                .reason = "it takes events again"},
                     "receiver-back", "The receiver nms is back: it takes events again.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_JOURNAL_DROPPING,
                                                .lost = UINT64_C(1) << 40,
                                                .reason = "the journal is full"},
                     "journal-dropping", "1099511627776 events were lost: the journal is full.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_JOURNAL_DEGRADED,
                                                .alarm_key = "journal",
                                                .reason = "the disk is full"},
                     "journal-degraded",
                     "The journal does not work, and events are kept in memory only: the disk is "
                     "full.");
    check_occurrence(&(struct maker_occurrence){.type = CATALOGUE_JOURNAL_HEALED,
                                                .alarm_key = "journal",
                                                .reason = "the disk has room"},
                     "journal-healed",
                     "The journal works again, and what was in memory is on disk: the disk has "
                     "room.");
}

TEST(a_reason_is_always_proper_text)
{
    struct maker_occurrence what = {.type = CATALOGUE_GATEWAY_STOPPED};
    memset(what.reason, 'x', sizeof what.reason - 1);
    memcpy(what.reason + EVENT_REASON_SIZE - 3, "\xE2\x82", 3); // cut within a character
    struct event *event = make_occurrence(&what);
    assert_in_range(strlen(event->reason), EVENT_REASON_SIZE - 3, EVENT_REASON_SIZE - 1);
    char clean[EVENT_REASON_SIZE];
    text_clean(event->reason, strlen(event->reason), clean, sizeof clean);
    assert_string_equal(event->reason, clean);
    event_release(event);
    strcpy(what.reason, "held by \xFF\x1B[2J");
    event = make_occurrence(&what);
    assert_string_equal(event->text, "ibtrapd stopped: held by \xEF\xBF\xBD?[2J.");
    event_release(event);
}

TEST(references_are_counted)
{
    struct event *event = make(&plain, GOLDEN_128);
    assert_ptr_equal(event_keep(event), event);
    event_release(event);
    assert_int_equal(event->notice.trap, 128); // still there
    event_release(event);
    event_release(NULL);
}

#define EVENT_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVENT_TEST(each_event_has_its_sentence),
        EVENT_TEST(a_259_that_knows_nothing_says_so),
        EVENT_TEST(a_sentence_begins_with_a_capital_or_a_name),
        EVENT_TEST(issuer_and_subject),
        EVENT_TEST(source_and_destination_of_a_packet),
        EVENT_TEST(a_multicast_gid_is_nobodys_guid),
        EVENT_TEST(a_vendor_trap_has_no_switch),
        EVENT_TEST(identifiers_are_uuids_of_version_7),
        EVENT_TEST(the_version_stands_whatever_chance_says),
        EVENT_TEST(a_malformed_mad_becomes_an_event),
        EVENT_TEST(the_gateways_own_events),
        EVENT_TEST(a_reason_is_always_proper_text),
        EVENT_TEST(references_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
