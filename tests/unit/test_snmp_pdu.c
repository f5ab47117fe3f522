// SPDX-License-Identifier: BSD-2-Clause
#include "sink_defaults.h"
#include "support.h"

#include "golden.h"

#include "base/wire.h"
#include "event/event_builder.h"
#include "mib_root.h"
#include "model/fabric.h"
#include "sink/snmp.h"
#include "sink/snmp_pdu.h"

#include <netinet/in.h>
#include <poll.h>

// Sends events through the sink over the loopback, receives them with a session of libsnmp, and
// compares what a receiver gets.

enum { PATIENCE_MS = 300000, LISTING_SIZE = 16384 };

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static netsnmp_transport *transport;
static void *listener;
static netsnmp_pdu *received;
static struct sink sink;
static bool receiver_open;
static char listing[LISTING_SIZE];

static int take_pdu(int operation, netsnmp_session *session, int request, netsnmp_pdu *pdu,
                    void *ctx)
{
    (void)session, (void)request, (void)ctx;
    assert_int_equal(operation, NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE);
    received = snmp_clone_pdu(pdu);
    return 1;
}

static uint16_t listen_on_loopback(void)
{
    netsnmp_session session;
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    transport = netsnmp_tdomain_transport("udp:127.0.0.1:0", 1, "snmptrap");
    assert_non_null(transport);
    assert_int_equal(getsockname(transport->sock, (struct sockaddr *)&address, &length), 0);
    snmp_sess_init(&session);
    session.version = SNMP_DEFAULT_VERSION;
    session.callback = take_pdu;
    listener = snmp_sess_add(&session, transport, NULL, NULL);
    assert_non_null(listener);
    return ntohs(address.sin_port);
}

static int begin(void **state)
{
    (void)state;
    struct error err;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){
        .clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX, .fabric = "cluster-a"};
    struct snmp_target target = SNMP_TARGET_DEFAULTS;
    target.host = "127.0.0.1";
    target.port = listen_on_loopback();
    target.community = "test only";
    target.clock = &clock_;
    target.started_at = now.monotonic - 12340000;
    assert_true(snmp_sink(&sink, "nms", &target, &err));
    receiver_open = sink.open(sink.self, NULL, &err);
    assert_true(receiver_open);
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (receiver_open)
        sink.close(sink.self);
    sink.free(sink.self);
    snmp_sess_close(listener);
    return 0;
}

static void receive_one(void)
{
    struct pollfd wait = {.fd = transport->sock, .events = POLLIN};
    fd_set set;
    assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
    FD_ZERO(&set);
    FD_SET(transport->sock, &set);
    received = NULL;
    snmp_sess_read(listener, &set);
    assert_non_null(received);
}

static void add_oid(struct text *t, const oid *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_addf(t, "%s%lu", i ? "." : "", (unsigned long)ids[i]);
}

// "OID type value": t TimeTicks, o OBJECT IDENTIFIER, i INTEGER, u Unsigned32, x octets in
// hexadecimal.
static void add_varbind(struct text *t, const netsnmp_variable_list *v)
{
    add_oid(t, v->name, v->name_length);
    switch (v->type) {
    case ASN_TIMETICKS:
        text_addf(t, " t %lu\n", (unsigned long)*v->val.integer & 0xFFFFFFFF);
        break;
    case ASN_OBJECT_ID:
        text_add(t, " o ");
        add_oid(t, v->val.objid, v->val_len / sizeof(oid));
        text_add(t, "\n");
        break;
    case ASN_INTEGER:
        text_addf(t, " i %ld\n", *v->val.integer);
        break;
    case ASN_UNSIGNED:
        text_addf(t, " u %lu\n", (unsigned long)*v->val.integer & 0xFFFFFFFF);
        break;
    case ASN_OCTET_STR:
        text_add(t, " x ");
        text_add_hex(t, v->val.string, v->val_len);
        text_add(t, "\n");
        break;
    default:
        fail_msg("a varbind of type 0x%02x", v->type);
    }
}

// The notifications for one event, varbind by varbind; a blank line between two.
static const char *send_event(struct event *event, size_t notifications)
{
    struct error err;
    struct text t = text_in(listing, sizeof listing);
    struct pollfd more = {.fd = transport->sock, .events = POLLIN};
    assert_non_null(event);
    assert_int_equal(sink.send(sink.self, event, &err), SINK_DONE);
    for (size_t i = 0; i < notifications; i++) {
        receive_one();
        assert_int_equal(received->version, SNMP_VERSION_2c);
        assert_int_equal(received->command, SNMP_MSG_TRAP2);
        assert_int_equal(received->community_len, 9);
        assert_memory_equal(received->community, "test only", 9);
        text_add(&t, i ? "\n" : "");
        for (const netsnmp_variable_list *v = received->variables; v; v = v->next_variable)
            add_varbind(&t, v);
        snmp_free_pdu(received);
    }
    assert_int_equal(poll(&more, 1, 0), 0); // no further notification
    assert_false(t.cut);
    event_unref(event);
    return listing;
}

static const char *send_golden(enum golden golden, size_t notifications)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    return send_event(event_builder_from_notice(&builder, wire), notifications);
}

// clang-format off
#define HEAD(notification)             \
    "1.3.6.1.2.1.1.3.0 t 1234\n"       \
    "1.3.6.1.6.3.1.1.4.1.0 o " notification "\n"

#define SMA(id)          "1.3.6.1.3.117.3.1.1." id ".0 "
#define SMA_HEAD(id)     HEAD("1.3.6.1.3.117.3.2.0." id)
#define CA_GID           "fe800000000000000002c903000e8acf"
#define CA2_GID          "fe800000000000000002c903000e8ad1"
#define SWITCH_ID        "0002c903000012340000000000000002"
#define SWITCH_INDEX     "0.2.201.3.0.0.18.52.0.0.0.0.0.0.0.2"
#define PORT_COLUMN(id)  "1.3.6.1.3.2.2.1.10.5.1." id "." SWITCH_INDEX
#define SWITCH_COLUMN(id) "1.3.6.1.3.2.2.1.2.25.1." id "." SWITCH_INDEX

// gswIBPortTrap: the switch, its port, the reason.
#define PORT_TRAP(port, reason)                          \
    "\n" HEAD("1.3.6.1.3.2.2.1.0.5")                     \
    PORT_COLUMN("1") "." port " x " SWITCH_ID "\n"       \
    PORT_COLUMN("2") "." port " i " port "\n"            \
    PORT_COLUMN("38") "." port " i " reason "\n"

// ibSmaNodeKey, Lid, Gid1, QueuePair1, Lid2, Gid2, QueuePair2, ServiceLevel.
#define BAD_KEY(key)               \
    SMA("19") "x " key "\n"        \
    SMA("14") "u 7\n"              \
    SMA("24") "x " CA_GID "\n"     \
    SMA("22") "u 43981\n"          \
    SMA("20") "u 9\n"              \
    SMA("25") "x " CA2_GID "\n"    \
    SMA("23") "u 1193046\n"        \
    SMA("21") "u 3\n"

TEST(trap_128)
{
    assert_string_equal(send_golden(GOLDEN_128, 1), SMA_HEAD("1") SMA("14") "u 3\n");
}

TEST(trap_129_130_131_at_a_switch)
{
    assert_string_equal(send_golden(GOLDEN_129, 2),
                        SMA_HEAD("2") SMA("14") "u 3\n" SMA("15") "u 17\n" PORT_TRAP("17", "1"));
    assert_string_equal(send_golden(GOLDEN_130, 2),
                        SMA_HEAD("3") SMA("14") "u 3\n" SMA("15") "u 254\n" PORT_TRAP("254", "2"));
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_129, wire);
    wire[5] = 131;
    wire[14] = 0; // the switch's own port 0
    assert_string_equal(send_event(event_builder_from_notice(&builder, wire), 2),
                        SMA_HEAD("4") SMA("14") "u 3\n" SMA("15") "u 0\n" PORT_TRAP("0", "3"));
}

TEST(trap_131_at_an_adapter_is_nothing_for_the_ibswitch_mib)
{
    assert_string_equal(send_golden(GOLDEN_131, 1),
                        SMA_HEAD("4") SMA("14") "u 7\n" SMA("15") "u 1\n");
}

TEST(trap_144)
{
    assert_string_equal(send_golden(GOLDEN_144, 1),
                        SMA_HEAD("5") SMA("14") "u 7\n" SMA("26") "x 02514868\n");
}

TEST(trap_145)
{
    assert_string_equal(send_golden(GOLDEN_145, 1),
                        SMA_HEAD("6") SMA("14") "u 7\n" SMA("6") "x 0002c90300ffee01\n");
}

TEST(trap_256_from_a_switch)
{
    assert_string_equal(send_golden(GOLDEN_256, 2),
                        SMA_HEAD("7")
                        SMA("19") "x 1122334455667788\n"
                        SMA("14") "u 7\n"
                        SMA("16") "u 2\n"
                        SMA("17") "u 21\n"
                        SMA("18") "u 17\n"
                        "\n" HEAD("1.3.6.1.3.2.2.1.0.8")
                        SWITCH_COLUMN("1") " x " SWITCH_ID "\n"
                        SWITCH_COLUMN("8") " i 2\n");
}

TEST(trap_256_with_the_largest_numbers)
{
    assert_string_equal(send_golden(GOLDEN_256_LID_ROUTED, 2),
                        SMA_HEAD("7")
                        SMA("19") "x 0000000000000001\n"
                        SMA("14") "u 7\n"
                        SMA("16") "u 1\n"
                        SMA("17") "u 17\n"
                        SMA("18") "u 4294967294\n"
                        "\n" HEAD("1.3.6.1.3.2.2.1.0.8")
                        SWITCH_COLUMN("1") " x " SWITCH_ID "\n"
                        SWITCH_COLUMN("8") " i 2\n");
    assert_string_equal(send_golden(GOLDEN_256_FAR, 1),
                        SMA_HEAD("7")
                        SMA("19") "x ffffffffffffffff\n"
                        SMA("14") "u 11\n"
                        SMA("16") "u 153\n"
                        SMA("17") "u 43981\n"
                        SMA("18") "u 0\n");
}

TEST(trap_257_and_258_keys_stand_right)
{
    assert_string_equal(send_golden(GOLDEN_257, 1), SMA_HEAD("8") BAD_KEY("0000000000008001"));
    assert_string_equal(send_golden(GOLDEN_258, 1), SMA_HEAD("9") BAD_KEY("0000000080010000"));
}

TEST(trap_259)
{
    assert_string_equal(send_golden(GOLDEN_259, 2),
                        SMA_HEAD("10") BAD_KEY("0000000000008001")
                        SMA("27") "u 3\n"
                        SMA("28") "x ff\n"
                        SMA("15") "u 17\n"
                        PORT_TRAP("17", "4"));
}

// Bit 0 is 0x0001 on the wire and the first bit, 0x80, of the BITS.
TEST(trap_259_bits_are_turned_round)
{
    for (unsigned bit = 0; bit < 8; bit++) {
        uint8_t wire[NOTICE_SIZE];
        char expected[64];
        golden_wire(GOLDEN_259, wire);
        wire_put(wire + 10, 2, 1U << bit);
        const char *got = send_event(event_builder_from_notice(&builder, wire), 2);
        snprintf(expected, sizeof expected, SMA("28") "x %02x\n", 0x80U >> bit);
        assert_non_null(strstr(got, expected));
    }
}

TEST(trap_259_without_gids_has_zero_ones)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_259, wire);
    wire_put(wire + 10, 2, 0);
    assert_string_equal(send_event(event_builder_from_notice(&builder, wire), 2),
                        SMA_HEAD("10")
                        SMA("19") "x 0000000000000000\n"
                        SMA("14") "u 0\n"
                        SMA("24") "x 00000000000000000000000000000000\n"
                        SMA("22") "u 0\n"
                        SMA("20") "u 0\n"
                        SMA("25") "x 00000000000000000000000000000000\n"
                        SMA("23") "u 0\n"
                        SMA("21") "u 0\n"
                        SMA("27") "u 3\n"
                        SMA("28") "x 00\n"
                        SMA("15") "u 17\n"
                        PORT_TRAP("17", "4"));
}

// Changes of the fabric, for the IBSWITCH-MIB: gswTopoComTrap and gswIBTopoTrap.

#define SPINE_ID          "00000000000000990000000000000002"
#define NO_ID             "00000000000000000000000000000000"
#define LINK_COLUMN(id)   "1.3.6.1.3.2.2.1.5.1.1." id "." SWITCH_INDEX
#define TOPO_COLUMN(id)   "1.3.6.1.3.2.2.1.5.5.1." id "." SWITCH_INDEX
#define COM_TRAP(port, neighbour, status)                \
    HEAD("1.3.6.1.3.2.2.1.0.1")                          \
    LINK_COLUMN("1") "." port " x " SWITCH_ID "\n"       \
    LINK_COLUMN("3") "." port " x " neighbour "\n"       \
    LINK_COLUMN("5") "." port " i " status "\n"
#define TOPO_TRAP(reason)                                \
    HEAD("1.3.6.1.3.2.2.1.0.2")                          \
    TOPO_COLUMN("1") " x " SWITCH_ID "\n"                \
    TOPO_COLUMN("2") " i " reason "\n"

static const struct endpoint LEAF = {.guid = GOLDEN_SWITCH_GUID, .node_guid = GOLDEN_SWITCH_GUID,
                                     .lid = 3, .type = FABRIC_SWITCH, .name = "leaf12"};
static const struct endpoint LEAF_17 = {.guid = GOLDEN_SWITCH_GUID, .node_guid = GOLDEN_SWITCH_GUID,
                                        .lid = 3, .type = FABRIC_SWITCH, .port = 17, .name = "leaf12"};
static const struct endpoint SPINE_3 = {.guid = 0x99, .node_guid = 0x99, .lid = 2,
                                        .type = FABRIC_SWITCH, .port = 3, .name = "spine1"};
static const struct endpoint NODE = {.guid = GOLDEN_CA_GUID, .node_guid = GOLDEN_CA_GUID - 1, .lid = 7,
                                     .type = FABRIC_CA, .port = 1, .name = "node1"};

static struct event *make_change(enum catalogue_event type, const struct endpoint *subject,
                                 const struct endpoint *peer, uint64_t switch_guid)
{
    struct change change = {.type = type, .subject = *subject, .switch_guid = switch_guid,
                            .sm_guid = 0xABCDEF, .affected = 12, .reason = "because",
                            .alarm_key = "key"};
    if (peer)
        change.peer = *peer;
    return event_builder_from_change(&builder, &change, false, "cause", "related");
}

static void check_change(enum catalogue_event type, const struct endpoint *subject,
                         const struct endpoint *peer, size_t notifications, const char *expected)
{
    struct event *event = make_change(type, subject, peer, GOLDEN_SWITCH_GUID);
    assert_string_equal(send_event(event, notifications), expected);
}

TEST(switches_come_and_go)
{
    check_change(CATALOGUE_SWITCH_ADDED, &LEAF, NULL, 2, COM_TRAP("0", NO_ID, "2") "\n" TOPO_TRAP("3"));
    check_change(CATALOGUE_SWITCH_REMOVED, &LEAF, NULL, 2,
                 COM_TRAP("0", NO_ID, "3") "\n" TOPO_TRAP("3"));
    check_change(CATALOGUE_SWITCH_REMOVED, &LEAF, &SPINE_3, 2,
                 COM_TRAP("0", SPINE_ID, "3") "\n" TOPO_TRAP("3"));
    check_change(CATALOGUE_SWITCH_REMOVED, &LEAF, &NODE, 2,
                 COM_TRAP("0", NO_ID, "3") "\n" TOPO_TRAP("3"));
}

TEST(links_between_switches_come_and_go)
{
    check_change(CATALOGUE_LINK_UP, &LEAF_17, &SPINE_3, 2,
                 COM_TRAP("17", SPINE_ID, "4") "\n" TOPO_TRAP("2"));
    check_change(CATALOGUE_LINK_DOWN, &LEAF_17, &SPINE_3, 2,
                 COM_TRAP("17", SPINE_ID, "5") "\n" TOPO_TRAP("2"));
    // The other end gives the same notification.
    check_change(CATALOGUE_LINK_DOWN, &SPINE_3, &LEAF_17, 2,
                 COM_TRAP("17", SPINE_ID, "5") "\n" TOPO_TRAP("2"));
    // A cable from a switch to itself: its first port counts.
    check_change(CATALOGUE_LINK_DOWN, &LEAF_17, &LEAF, 2,
                 COM_TRAP("17", SWITCH_ID, "5") "\n" TOPO_TRAP("2"));
}

TEST(what_hangs_on_a_switch_comes_and_goes)
{
    static const struct {
        enum catalogue_event type;
        const char *trap;
    } ROWS[] = {
        {CATALOGUE_HOST_ADDED, TOPO_TRAP("4")},          {CATALOGUE_HOST_REMOVED, TOPO_TRAP("4")},
        {CATALOGUE_PORT_ADDED, TOPO_TRAP("2")},          {CATALOGUE_PORT_REMOVED, TOPO_TRAP("2")},
        {CATALOGUE_SM_APPEARED, TOPO_TRAP("5")},         {CATALOGUE_SM_VANISHED, TOPO_TRAP("5")},
        {CATALOGUE_SM_FAILED_OVER, TOPO_TRAP("6")},      {CATALOGUE_IO_CONTROLLER_ADDED, TOPO_TRAP("7")},
        {CATALOGUE_IO_CONTROLLER_REMOVED, TOPO_TRAP("7")}, {CATALOGUE_IO_UNIT_ADDED, TOPO_TRAP("8")},
        {CATALOGUE_IO_UNIT_REMOVED, TOPO_TRAP("8")},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        check_change(ROWS[i].type, &NODE, &LEAF_17, 1, ROWS[i].trap);
}

// The same as for trap 129; here the port failed to send the trap: see
// trap_129_130_131_at_a_switch.
TEST(a_derived_notice_goes_out_like_a_real_one)
{
    struct counter_statement change = {.key = {.kind = ALARM_KEY_PORT, .guid = GOLDEN_SWITCH_GUID, .port = 17, .about = ALARM_ABOUT_GROWTH, .counter = COUNTER_LOCAL_LINK_INTEGRITY_ERRORS}, .raised = true, .before = 0, .after = 3};
    assert_string_equal(send_event(event_builder_from_counter(&builder, &change, &LEAF, NULL, 0), 2),
                        SMA_HEAD("2") SMA("14") "u 3\n" SMA("15") "u 17\n" PORT_TRAP("17", "1"));
    change.key.counter = COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
    assert_string_equal(send_event(event_builder_from_counter(&builder, &change, &LEAF, NULL, 0), 2),
                        SMA_HEAD("3") SMA("14") "u 3\n" SMA("15") "u 17\n" PORT_TRAP("17", "2"));
    change.key.guid = GOLDEN_CA_GUID - 1;
    change.key.port = 1;
    assert_string_equal(send_event(event_builder_from_counter(&builder, &change, &NODE, NULL, 0), 1),
                        SMA_HEAD("3") SMA("14") "u 7\n" SMA("15") "u 1\n");
}

// clang-format on
// The project's own MIB.

static char own_root[100];

static void find_own_root(void)
{
    static const uint32_t IDS[] = {MIB_ROOT_IDS};
    struct text t = text_in(own_root, sizeof own_root);
    for (size_t i = 0; i < COUNT(IDS); i++)
        text_addf(&t, "%s%u", i ? "." : "", IDS[i]);
}

static void add_object(struct text *t, unsigned id, const char *type, const char *value)
{
    text_addf(t, "%s.1.1.%u.0 %s ", own_root, id, type);
    text_add(t, value);
    text_add(t, "\n");
}

static void add_octets(struct text *t, unsigned id, const void *octets, size_t size)
{
    char hex[2100];
    struct text value = text_in(hex, sizeof hex);
    text_add_hex(&value, octets, size);
    add_object(t, id, "x", hex);
}

static void add_number(struct text *t, unsigned id, const char *type, unsigned value)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", value);
    add_object(t, id, type, digits);
}

static void add_head(struct text *t, unsigned notification)
{
    text_addf(t, "1.3.6.1.2.1.1.3.0 t 1234\n1.3.6.1.6.3.1.1.4.1.0 o %s.0.%u\n", own_root,
              notification);
}

// EventId, Name, Time, Severity, Category, SubnetPrefix, Text.
static void add_common(struct text *t, const struct event *event, unsigned severity,
                       unsigned category)
{
    add_octets(t, 1, event->id, 36);
    add_octets(t, 2, event->type->name, strlen(event->type->name));
    add_object(t, 3, "x", "07ea0b15031303012b0000"); // 2026-11-21,3:19:3.1,+0:0
    add_number(t, 4, "i", severity);
    add_number(t, 5, "i", category);
    add_object(t, 8, "x", "fe80000000000000");
    add_octets(t, 17, event->text, strlen(event->text));
}

// Sends the event. `t` has the expected varbinds before the last, which is the name of the fabric.
static void check_sent_own(struct event *event, struct text *t)
{
    add_octets(t, 66, "cluster-a", 9);
    assert_string_equal(send_event(event, 1), t->buf);
}

static struct event *make_golden(enum golden golden)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    struct event *event = event_builder_from_notice(&builder, wire);
    assert_non_null(event);
    return event;
}

static void check_gid_trap(enum golden golden, unsigned notification, const char *gid,
                           unsigned severity, unsigned category)
{
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    struct event *event = make_golden(golden);
    add_head(&t, notification);
    text_addf(&t, SMA("24") "x %s\n", gid);
    add_common(&t, event, severity, category);
    if (notification >= 5)
        add_octets(&t, 18, event->raw, NOTICE_SIZE);
    check_sent_own(event, &t);
}

TEST(traps_64_to_69)
{
    static const char MCAST[] = "ff12401bffff000000000000ffffffff";
    static const char SM[] = "fe800000000000000002c90300a1b2c3";
    find_own_root();
    check_gid_trap(GOLDEN_64, 1, CA_GID, 6, 4);
    check_gid_trap(GOLDEN_65, 2, CA_GID, 5, 4);
    check_gid_trap(GOLDEN_66, 3, MCAST, 6, 6);
    check_gid_trap(GOLDEN_67, 4, MCAST, 6, 6);
    check_gid_trap(GOLDEN_68, 5, SM, 5, 1);
    check_gid_trap(GOLDEN_69, 6, SM, 5, 1);
}

TEST(vendor_traps)
{
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    find_own_root();
    struct event *event = make_golden(GOLDEN_VENDOR);
    add_head(&t, 7);
    add_common(&t, event, 5, 11);
    add_number(&t, 13, "u", 7);
    add_number(&t, 22, "u", 0x0002C9);
    add_number(&t, 21, "u", 0x1234);
    add_octets(&t, 18, event->raw, NOTICE_SIZE);
    check_sent_own(event, &t);
}

TEST(unknown_traps)
{
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    find_own_root();
    struct event *event = make_golden(GOLDEN_UNKNOWN);
    add_head(&t, 8);
    add_common(&t, event, 5, 1);
    add_number(&t, 13, "u", 7);
    add_number(&t, 21, "u", 999);
    add_octets(&t, 18, event->raw, NOTICE_SIZE);
    check_sent_own(event, &t);
}

TEST(malformed_mads)
{
    char expected[LISTING_SIZE];
    uint8_t mad[EVENT_RAW_MAX];
    struct text t = text_in(expected, sizeof expected);
    find_own_root();
    memset(mad, 0xA5, sizeof mad);
    struct event *event =
        event_builder_from_malformed(&builder, 9, "it is nonsense", mad, sizeof mad);
    add_head(&t, 9);
    add_common(&t, event, 4, 1);
    add_number(&t, 13, "u", 9);
    add_octets(&t, 18, mad, sizeof mad);
    check_sent_own(event, &t);
}

enum { HAS_RECEIVER = 1, HAS_LOST = 2 };

static void check_own(enum catalogue_event type, unsigned notification, unsigned severity,
                      const char *key, unsigned alarm, unsigned has)
{
    struct event_builder_occurrence what = {
        .type = type, .receiver = "nms", .lost = UINT64_C(1) << 32, .reason = "because"};
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    snprintf(what.alarm_key, sizeof what.alarm_key, "%s", key);
    struct event *event = event_builder_from_occurrence(&builder, &what);
    add_head(&t, notification);
    add_common(&t, event, severity, 10);
    if (alarm) {
        add_number(&t, 6, "i", alarm);
        add_octets(&t, 7, key, strlen(key));
    }
    if (has & HAS_RECEIVER)
        add_octets(&t, 29, "nms", 3);
    if (has & HAS_LOST)
        add_number(&t, 31, "u", UINT32_MAX); // the largest value
    add_octets(&t, 32, "because", 7);
    check_sent_own(event, &t);
}

TEST(the_gateways_own)
{
    find_own_root();
    check_own(CATALOGUE_GATEWAY_STARTED, 80, 5, "", 0, 0);
    check_own(CATALOGUE_GATEWAY_STOPPED, 81, 5, "", 0, 0);
    check_own(CATALOGUE_SUBSCRIPTION_LOST, 82, 3, "subscriptions", 2, 0);
    check_own(CATALOGUE_SUBSCRIPTION_RESTORED, 83, 5, "subscriptions", 3, 0);
    check_own(CATALOGUE_RECEIVER_FAILING, 86, 3, "receiver:nms", 2, HAS_RECEIVER | HAS_LOST);
    check_own(CATALOGUE_RECEIVER_BACK, 87, 5, "receiver:nms", 3, HAS_RECEIVER | HAS_LOST);
    check_own(CATALOGUE_JOURNAL_DROPPING, 88, 3, "journal-dropping", 2, HAS_LOST);
    check_own(CATALOGUE_JOURNAL_DROPPING_ENDED, 105, 5, "journal-dropping", 3, HAS_LOST);
    check_own(CATALOGUE_JOURNAL_DEGRADED, 91, 3, "journal", 2, 0);
    check_own(CATALOGUE_JOURNAL_HEALED, 92, 5, "journal", 3, 0);
}

// The varbinds of each topology notification of the IBTRAPD-MIB after the seven common ones, by the
// objects' numbers; the values are those of make_change.
static void check_own_change(enum catalogue_event type, const struct endpoint *subject,
                             const struct endpoint *peer, unsigned notification, unsigned severity,
                             unsigned category, const char *rest)
{
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    // Without a switch there is no notification of the IBSWITCH-MIB.
    struct event *event = make_change(type, subject, peer, 0);
    add_head(&t, notification);
    add_common(&t, event, severity, category);
    for (const char *p = rest; *p; p = strchr(p, '\n') + 1)
        text_addf(&t, "%s.1.1.%.*s\n", own_root, (int)strcspn(p, "\n"), p);
    check_sent_own(event, &t);
}

// clang-format off
#define RAISED  "6.0 i 2\n7.0 x 6b6579\n"
#define CLEARED "6.0 i 3\n7.0 x 6b6579\n"
#define NEITHER "6.0 i 1\n7.0 x \n"
#define LEAF_NODE  "9.0 x 0002c90300001234\n10.0 x 6c6561663132\n"
#define LEAF_PEER  "14.0 x 0002c90300001234\n15.0 x 6c6561663132\n16.0 u 17\n"
#define SPINE_PEER "14.0 x 0000000000000099\n15.0 x 7370696e6531\n16.0 u 3\n"
#define HOST_NODE  "9.0 x 0002c903000e8ace\n10.0 x 6e6f646531\n"
#define UNTOLD "70.0 x \n71.0 x \n72.0 x \n73.0 x \n74.0 x \n"
#define STORY      "19.0 u 0\n20.0 i 2\n33.0 x 72656c61746564\n34.0 x 6361757365\n"
#define BECAUSE    "32.0 x 62656361757365\n"

TEST(changes_in_the_own_mib)
{
    find_own_root();
    check_own_change(CATALOGUE_SWITCH_ADDED, &LEAF, NULL, 20, 6, 4,
                     CLEARED LEAF_NODE "11.0 i 2\n13.0 u 3\n" STORY "36.0 u 12\n");
    check_own_change(CATALOGUE_SWITCH_REMOVED, &LEAF, NULL, 21, 3, 4,
                     RAISED LEAF_NODE "11.0 i 2\n13.0 u 3\n" STORY "36.0 u 12\n" UNTOLD);
    check_own_change(CATALOGUE_SWITCH_MOVED, &LEAF, &SPINE_3, 22, 5, 4,
                     NEITHER LEAF_NODE "11.0 i 2\n13.0 u 3\n" SPINE_PEER STORY);
    check_own_change(CATALOGUE_HOST_REMOVED, &NODE, &LEAF_17, 24, 3, 4,
                     RAISED HOST_NODE "11.0 i 1\n13.0 u 7\n" LEAF_PEER STORY "36.0 u 12\n" UNTOLD);
    check_own_change(CATALOGUE_PORT_ADDED, &NODE, &LEAF_17, 29, 6, 3,
                     CLEARED HOST_NODE "12.0 u 1\n" STORY);
    check_own_change(CATALOGUE_LINK_UP, &LEAF_17, &SPINE_3, 32, 6, 2,
                     CLEARED LEAF_NODE "12.0 u 17\n" SPINE_PEER STORY);
    check_own_change(CATALOGUE_LINK_DOWN, &LEAF_17, &SPINE_3, 33, 4, 2,
                     RAISED LEAF_NODE "12.0 u 17\n" SPINE_PEER STORY UNTOLD);
    check_own_change(CATALOGUE_NODE_RENAMED, &LEAF, NULL, 37, 5, 4,
                     LEAF_NODE "11.0 i 2\n13.0 u 3\n" BECAUSE STORY);
    check_own_change(CATALOGUE_LID_CHANGED, &LEAF, NULL, 38, 5, 3,
                     LEAF_NODE "11.0 i 2\n12.0 u 0\n13.0 u 3\n" BECAUSE STORY);
    check_own_change(CATALOGUE_PKEYS_CHANGED, &LEAF, NULL, 129, 5, 5,
                     LEAF_NODE "11.0 i 2\n12.0 u 0\n13.0 u 3\n" BECAUSE STORY);
    check_own_change(CATALOGUE_SM_FAILED_OVER, &NODE, &LEAF_17, 41, 4, 7,
                     HOST_NODE "12.0 u 1\n13.0 u 7\n14.0 x 0002c90300001234\n15.0 x 6c6561663132\n"
                     "30.0 x 0000000000abcdef\n" STORY);
}

TEST(the_ends_of_a_link_say_why_it_went_down)
{
    const struct change change = {
        .type = CATALOGUE_LINK_DOWN, .subject = LEAF_17, .peer = SPINE_3};
    const struct link_reason own = {
        .known = true, .local = 23, .blame = LINK_END_OWN, .message = "Cable"};
    const struct link_reason other = {.known = true, .local = 2};
    struct event *event = event_builder_from_change(&builder, &change, false, NULL, NULL);
    char expected[1000], hex[600] = "";
    event_builder_add_reasons(event, &own, &other);
    find_own_root();
    const char *got = send_event(event, 1);
    static const char CAUSE[] = "the cable was unplugged at leaf12";
    for (size_t i = 0; CAUSE[i]; i++)
        snprintf(hex + 2 * i, sizeof hex - 2 * i, "%02x", CAUSE[i]);
    snprintf(expected, sizeof expected, "%s.1.1.70.0 x %s\n%s.1.1.71.0 x 6f776e\n", own_root, hex,
             own_root);
    assert_non_null(strstr(got, expected));
    snprintf(expected, sizeof expected, "%s.1.1.74.0 x 4361626c65\n", own_root);
    assert_non_null(strstr(got, expected));
}

// 255: not known. An I/O controller has its own GUID and slot.
TEST(what_is_not_known_of_a_peer)
{
    static const struct endpoint NOBODY = {0}, CONTROLLER = {.guid = 0x77, .port = 2};
    find_own_root();
    check_own_change(CATALOGUE_LINK_UP, &NOBODY, NULL, 32, 6, 2,
                     CLEARED "9.0 x 0000000000000000\n10.0 x \n12.0 u 255\n14.0 x 0000000000000000\n"
                     "15.0 x \n16.0 u 255\n" STORY);
    check_own_change(CATALOGUE_IO_CONTROLLER_ADDED, &NODE, &CONTROLLER, 44, 6, 8,
                     CLEARED HOST_NODE "13.0 u 7\n14.0 x 0000000000000077\n15.0 x \n16.0 u 2\n" STORY);
}

// clang-format on

TEST(a_change_that_was_found_late)
{
    const struct change change = {.type = CATALOGUE_NODE_RENAMED, .subject = LEAF};
    char expected[100];
    find_own_root();
    const char *got = send_event(event_builder_from_change(&builder, &change, true, NULL, NULL), 1);
    snprintf(expected, sizeof expected, "%s.1.1.20.0 i 1\n", own_root);
    assert_non_null(strstr(got, expected));
}

static void check_threshold(bool reached, unsigned notification, unsigned severity, unsigned alarm)
{
    const struct counter_statement change = {.key = {.kind = ALARM_KEY_PORT,
                                                     .guid = GOLDEN_SWITCH_GUID,
                                                     .port = 17,
                                                     .about = ALARM_ABOUT_GROWTH,
                                                     .counter = COUNTER_VL15_DROPPED},
                                             .raised = reached,
                                             .before = 9,
                                             .after = UINT64_MAX};
    static const char KEY[] = "counter VL15Dropped 0x0002c90300001234/17";
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    struct event *event = event_builder_from_counter(&builder, &change, &LEAF, NULL, 0);
    add_head(&t, notification);
    add_common(&t, event, severity, 9);
    add_number(&t, 6, "i", alarm);
    add_octets(&t, 7, KEY, strlen(KEY));
    add_object(&t, 9, "x", "0002c90300001234");
    add_octets(&t, 10, "leaf12", 6);
    add_number(&t, 12, "u", 17);
    add_octets(&t, 23, "VL15Dropped", 11);
    add_octets(&t, 24, "9", 1);
    add_octets(&t, 25, "18446744073709551615", 20);
    check_sent_own(event, &t);
}

TEST(thresholds_in_the_own_mib)
{
    find_own_root();
    check_threshold(true, 60, 4, 2);
    check_threshold(false, 61, 5, 3);
}

static void check_sm(enum catalogue_event type, unsigned notification, unsigned severity,
                     unsigned alarm)
{
    const struct event_builder_occurrence what = {
        .type = type, .sm_lid = 1, .sm_guid = 0xABCDEF, .alarm_key = "sm", .reason = "because"};
    char expected[LISTING_SIZE];
    struct text t = text_in(expected, sizeof expected);
    struct event *event = event_builder_from_occurrence(&builder, &what);
    add_head(&t, notification);
    add_common(&t, event, severity, 7);
    add_number(&t, 6, "i", alarm);
    add_octets(&t, 7, "sm", 2);
    add_number(&t, 13, "u", 1);
    add_object(&t, 30, "x", "0000000000abcdef");
    add_octets(&t, 32, "because", 7);
    check_sent_own(event, &t);
}

TEST(the_subnet_managers_silence_in_the_own_mib)
{
    find_own_root();
    check_sm(CATALOGUE_SM_UNREACHABLE, 84, 2, 2);
    check_sm(CATALOGUE_SM_BACK, 85, 5, 3);
}

// gswEventTrap.

static void open_with_sets(unsigned sets, enum snmp_version version)
{
    struct error err;
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    struct snmp_target target = SNMP_TARGET_DEFAULTS;
    sink.close(sink.self);
    sink.free(sink.self);
    assert_int_equal(getsockname(transport->sock, (struct sockaddr *)&address, &length), 0);
    target.host = "127.0.0.1";
    target.port = ntohs(address.sin_port);
    target.community = "test only";
    target.clock = &clock_;
    target.started_at = now.monotonic - 12340000;
    target.sets = sets;
    target.version = version;
    assert_true(snmp_sink(&sink, "nms", &target, &err));
    receiver_open = sink.open(sink.self, NULL, &err);
    assert_true(receiver_open);
}

static struct event *make_event_trap(void)
{
    struct event *event = make_change(CATALOGUE_SWITCH_ADDED, &LEAF, NULL, GOLDEN_SWITCH_GUID);
    event->number = 4711;
    event->event_trap = true;
    snprintf(event->text, sizeof event->text, "K\xC3\xB6ln is there.");
    return event;
}

// clang-format off
#define EVENT_ROW(column) "1.3.6.1.3.2.2.1.15.1.1." #column \
                          ".0.2.201.3.0.0.18.52.0.0.0.0.0.0.0.2.4711"
#define EVENT_VARBINDS \
    EVENT_ROW(1) " x 0002c903000012340000000000000002\n" \
    EVENT_ROW(2) " i 4711\n" \
    EVENT_ROW(3) " x 323032362d31312d32315430333a31393a30332e3132333435365a\n" \
    EVENT_ROW(4) " i 4\n" \
    EVENT_ROW(5) " i 1\n" \
    EVENT_ROW(6) " x 4b3f6c6e2069732074686572652e\n"
// clang-format on

TEST(an_event_that_is_severe_enough)
{
    open_with_sets(SNMP_SET_EVENT, SNMP_V2C);
    assert_string_equal(send_event(make_event_trap(), 1),
                        "1.3.6.1.2.1.1.3.0 t 1234\n"
                        "1.3.6.1.6.3.1.1.4.1.0 o 1.3.6.1.3.2.2.1.0.10\n" EVENT_VARBINDS);
}

TEST(gsw_event_trap_comes_beside_the_others)
{
    open_with_sets(SNMP_SET_SWITCH | SNMP_SET_EVENT, SNMP_V2C);
    const char *three = send_event(make_event_trap(), 3);
    assert_non_null(strstr(three, " o 1.3.6.1.3.2.2.1.0.1\n"));
    assert_non_null(strstr(three, " o 1.3.6.1.3.2.2.1.0.2\n"));
    assert_non_null(strstr(three, " o 1.3.6.1.3.2.2.1.0.10\n" EVENT_VARBINDS));
}

TEST(an_event_that_is_not_severe_enough_or_not_asked_for)
{
    struct error err;
    struct event *event = make_event_trap();
    event->event_trap = false;
    open_with_sets(SNMP_SET_EVENT, SNMP_V2C);
    assert_int_equal(sink.send(sink.self, event, &err), SINK_SKIPPED);
    event_unref(event);
    open_with_sets(0, SNMP_V2C);
    assert_null(strstr(send_event(make_event_trap(), 2), ".0.10\n"));
}

TEST(gsw_event_trap_in_snmpv1)
{
    struct error err;
    struct event *event = make_event_trap();
    char varbinds[LISTING_SIZE];
    struct text t = text_in(varbinds, sizeof varbinds);
    open_with_sets(SNMP_SET_EVENT, SNMP_V1);
    assert_int_equal(sink.send(sink.self, event, &err), SINK_DONE);
    event_unref(event);
    receive_one();
    assert_int_equal(received->version, SNMP_VERSION_1);
    assert_int_equal(received->trap_type, SNMP_TRAP_ENTERPRISESPECIFIC);
    assert_int_equal(received->specific_type, 10);
    for (const netsnmp_variable_list *v = received->variables; v; v = v->next_variable)
        add_varbind(&t, v);
    assert_string_equal(varbinds, EVENT_VARBINDS);
    snmp_free_pdu(received);
}

TEST(uptime_wraps_as_timeticks_do)
{
    now.monotonic = now.monotonic - 12340000 + (INT64_C(4294967296) + 5) * 10000;
    const char *got = send_golden(GOLDEN_128, 1);
    assert_memory_equal(got, "1.3.6.1.2.1.1.3.0 t 5\n", 22);
}

TEST(a_name_that_cannot_be_resolved_is_told)
{
    struct sink other;
    struct error err;
    struct snmp_target target = SNMP_TARGET_DEFAULTS;
    target.host = "no-such-host.invalid";
    target.clock = &clock_;
    assert_true(snmp_sink(&other, "other", &target, &err));
    assert_string_equal(other.name, "other");
    assert_string_equal(other.kind, "snmp");
    assert_string_equal(other.address, "no-such-host.invalid port 162");
    assert_false(other.open(other.self, NULL, &err));
    assert_memory_equal(err.text, "cannot resolve 'no-such-host.invalid': ", 39);
    other.free(other.self);
}

static struct log *library_log;

static int begin_library(void **state)
{
    (void)state;
    library_log = support_log(NULL);
    snmp_begin(support_path(""), &random_system, library_log);
    return 0;
}

static int end_library(void **state)
{
    (void)state;
    snmp_end();
    log_close(library_log);
    return 0;
}

#define PDU_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PDU_TEST(trap_128),
        PDU_TEST(trap_129_130_131_at_a_switch),
        PDU_TEST(trap_131_at_an_adapter_is_nothing_for_the_ibswitch_mib),
        PDU_TEST(trap_144),
        PDU_TEST(trap_145),
        PDU_TEST(trap_256_from_a_switch),
        PDU_TEST(trap_256_with_the_largest_numbers),
        PDU_TEST(trap_257_and_258_keys_stand_right),
        PDU_TEST(trap_259),
        PDU_TEST(trap_259_bits_are_turned_round),
        PDU_TEST(trap_259_without_gids_has_zero_ones),
        PDU_TEST(switches_come_and_go),
        PDU_TEST(links_between_switches_come_and_go),
        PDU_TEST(what_hangs_on_a_switch_comes_and_goes),
        PDU_TEST(a_derived_notice_goes_out_like_a_real_one),
        PDU_TEST(changes_in_the_own_mib),
        PDU_TEST(the_ends_of_a_link_say_why_it_went_down),
        PDU_TEST(what_is_not_known_of_a_peer),
        PDU_TEST(a_change_that_was_found_late),
        PDU_TEST(thresholds_in_the_own_mib),
        PDU_TEST(the_subnet_managers_silence_in_the_own_mib),
        PDU_TEST(traps_64_to_69),
        PDU_TEST(vendor_traps),
        PDU_TEST(unknown_traps),
        PDU_TEST(malformed_mads),
        PDU_TEST(the_gateways_own),
        PDU_TEST(an_event_that_is_severe_enough),
        PDU_TEST(gsw_event_trap_comes_beside_the_others),
        PDU_TEST(an_event_that_is_not_severe_enough_or_not_asked_for),
        PDU_TEST(gsw_event_trap_in_snmpv1),
        PDU_TEST(uptime_wraps_as_timeticks_do),
        PDU_TEST(a_name_that_cannot_be_resolved_is_told),
    };
    return cmocka_run_group_tests(tests, begin_library, end_library);
}
