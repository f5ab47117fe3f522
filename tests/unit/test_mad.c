// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "golden.h"

#include "base/wire.h"
#include "ib/mad.h"
#include "ib/node_mad.h"
#include "model/fabric.h"

enum { DATA = 56, RECORD_SIZE = 60 };

static uint8_t mad[4096];
static struct error err;

static int empty(void **state)
{
    (void)state;
    memset(mad, 0, sizeof mad);
    return 0;
}

// Compares with octets given as digits; octets after those must be zero.
static void check_mad(const uint8_t *got, const char *digits, size_t octets)
{
    uint8_t expected[MAD_SIZE] = {0};
    support_hex(expected, octets, digits);
    assert_memory_equal(got, expected, MAD_SIZE);
}

// Requests. The MADs begin as garbage: an unwritten octet shows.

static void check_inform_info(uint32_t trap, bool subscribe, uint64_t key, const char *digits)
{
    memset(mad, 0xA5, sizeof mad);
    mad_subscribe(mad, 0x01020304, key, trap, subscribe);
    check_mad(mad, digits, 92);
}

TEST(subscribe_to_a_generic_trap)
{
    check_inform_info(128, true, 0,
                      "01 03 02 02 0000 0000 0000000001020304 0003 0000 00000000"
                      "000000000000000000000000 0000000000000000 0000 0000 0000000000000000"
                      "00000000000000000000000000000000 FFFF 0000 0000 01 01 FFFF 0080 00000000"
                      "00FFFFFF");
}

TEST(unsubscribe_names_the_queue_pair)
{
    check_inform_info(128, false, 0,
                      "01 03 02 02 0000 0000 0000000001020304 0003 0000 00000000"
                      "000000000000000000000000 0000000000000000 0000 0000 0000000000000000"
                      "00000000000000000000000000000000 FFFF 0000 0000 01 00 FFFF 0080 00000100"
                      "00FFFFFF");
}

TEST(subscribe_to_vendor_traps)
{
    check_inform_info(MAD_TRAP_VENDOR, true, 0,
                      "01 03 02 02 0000 0000 0000000001020304 0003 0000 00000000"
                      "000000000000000000000000 0000000000000000 0000 0000 0000000000000000"
                      "00000000000000000000000000000000 FFFF 0000 0000 00 01 FFFF FFFF 00000000"
                      "00FFFFFF");
    check_inform_info(MAD_TRAP_VENDOR, false, 0,
                      "01 03 02 02 0000 0000 0000000001020304 0003 0000 00000000"
                      "000000000000000000000000 0000000000000000 0000 0000 0000000000000000"
                      "00000000000000000000000000000000 FFFF 0000 0000 00 00 FFFF FFFF 00000100"
                      "00FFFFFF");
}

TEST(the_sa_key_stands_in_its_place)
{
    check_inform_info(259, true, UINT64_C(0x1122334455667788),
                      "01 03 02 02 0000 0000 0000000001020304 0003 0000 00000000"
                      "000000000000000000000000 1122334455667788 0000 0000 0000000000000000"
                      "00000000000000000000000000000000 FFFF 0000 0000 01 01 FFFF 0103 00000000"
                      "00FFFFFF");
}

TEST(ask_what_the_sa_holds_for_a_gid)
{
    uint8_t gid[ADDRESS_GID_SIZE];
    support_hex(gid, sizeof gid, "FE80000000000000 0002C903000E8ACF");
    memset(mad, 0xA5, sizeof mad);
    mad_query_subscriptions(mad, 5, gid);
    check_mad(mad,
              "01 03 02 12 0000 0000 0000000000000005 00F3 0000 00000000"
              "000000000000000000000000 0000000000000000 0000 0000 0000000000000001"
              "FE80000000000000 0002C903000E8ACF",
              72);
}

TEST(ask_for_the_node_at_a_lid)
{
    memset(mad, 0xA5, sizeof mad);
    mad_query_node(mad, 0xFFFFFFFF, 0x1234);
    check_mad(mad,
              "01 03 02 01 0000 0000 00000000FFFFFFFF 0011 0000 00000000"
              "000000000000000000000000 0000000000000000 0000 0000 0000000000000001"
              "1234",
              58);
}

TEST(ask_the_own_port_by_directed_route)
{
    memset(mad, 0xA5, sizeof mad);
    smp_query_own_port(mad, 0x01020304, UINT64_C(0x1122334455667788));
    // Class, no hops, M_Key, permissive LIDs on both ends.
    check_mad(mad,
              "01 81 01 01 0000 00 00 0000000001020304 0015 0000 00000000"
              "1122334455667788 FFFF FFFF",
              36);
}

// Reports.

static size_t make_report(enum golden golden)
{
    support_hex(mad, 24, "01 03 02 06 0000 0000 0000ABCD00000042 0002 0000 00000000");
    golden_wire(golden, mad + DATA);
    return MAD_SIZE;
}

TEST(a_report_is_answered_with_the_same_octets)
{
    uint8_t answer[MAD_SIZE], expected[MAD_SIZE];
    make_report(GOLDEN_128);
    memset(answer, 0xA5, sizeof answer);
    mad_answer_report(answer, mad, MAD_SIZE, 0);
    memcpy(expected, mad, sizeof expected);
    expected[3] = 0x86;
    assert_memory_equal(answer, expected, MAD_SIZE);
    mad_answer_report(answer, mad, MAD_SIZE, MAD_STATUS_INVALID_FIELD);
    expected[5] = 0x1C;
    assert_memory_equal(answer, expected, MAD_SIZE);
}

TEST(a_short_report_is_answered_with_zeroes_behind_it)
{
    uint8_t answer[MAD_SIZE];
    make_report(GOLDEN_128);
    memset(answer, 0xA5, sizeof answer);
    mad_answer_report(answer, mad, 24, MAD_STATUS_INVALID_FIELD);
    check_mad(answer, "01 03 02 86 001C 0000 0000ABCD00000042 0002 0000 00000000", 24);
}

TEST(an_oversized_report_is_answered_in_one_mad)
{
    uint8_t answer[MAD_SIZE + 1] = {0};
    make_report(GOLDEN_128);
    memset(mad + MAD_SIZE, 0xEE, 100);
    mad_answer_report(answer, mad, MAD_SIZE + 100, 0);
    assert_int_equal(answer[3], 0x86);
    assert_int_equal(answer[MAD_SIZE], 0);
}

TEST(a_proper_report_holds_its_notice)
{
    uint8_t wire[NOTICE_SIZE];
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        golden_wire((enum golden)g, wire);
        assert_true(mad_check_report(mad, make_report((enum golden)g), &err));
        assert_memory_equal(mad_notice(mad), wire, NOTICE_SIZE);
    }
    assert_true(mad_check_report(mad, DATA + NOTICE_SIZE, &err));
}

static void check_malformed(size_t size, const char *sentence)
{
    err.text[0] = '\0';
    assert_false(mad_check_report(mad, size, &err));
    assert_string_equal(err.text, sentence);
}

TEST(malformed_reports_are_told_by_what_is_wrong)
{
    make_report(GOLDEN_128);
    check_malformed(0, "it has 0 octets, too few for a header");
    check_malformed(23, "it has 23 octets, too few for a header");
    check_malformed(24, "it has 24 octets, too few for a Notice");
    check_malformed(DATA + NOTICE_SIZE - 1, "it has 135 octets, too few for a Notice");
    static const struct {
        size_t octet;
        uint8_t value;
        const char *sentence;
    } WRONG[] = {
        {0, 2, "its base version is 2, not 1"},
        {1, 0x04, "its class is 0x04, not 0x03"},
        {2, 1, "its class version is 1, not 2"},
        {3, 0x05, "its method is 0x05, not Report"},
        {17, 0x03, "its attribute is 0x0003, not Notice"},
        {16, 0x01, "its attribute is 0x0102, not Notice"},
    };
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        make_report(GOLDEN_128);
        mad[WRONG[i].octet] = WRONG[i].value;
        check_malformed(MAD_SIZE, WRONG[i].sentence);
    }
}

TEST(headers_are_read_whole_or_not)
{
    struct mad_header h;
    support_hex(mad, 24, "01 81 02 86 8003 0000 1122334455667788 00F3 0000 99AABBCC");
    assert_false(mad_read_header(mad, 23, &h));
    assert_true(mad_read_header(mad, 24, &h));
    assert_int_equal(h.base_version, 1);
    assert_int_equal(h.mgmt_class, 0x81);
    assert_int_equal(h.class_version, 2);
    assert_int_equal(h.method, 0x86);
    assert_int_equal(h.status, 0x8003);
    assert_int_equal(h.tid, UINT64_C(0x1122334455667788));
    assert_int_equal(h.attribute, 0x00F3);
    assert_int_equal(h.modifier, 0x99AABBCC);
}

// Octets between the fields, which belong to the class, stay unchanged.
TEST(headers_are_written_as_they_are_read)
{
    struct mad_header h;
    uint8_t written[24];
    support_hex(mad, 24, "01 81 02 86 8003 1234 1122334455667788 00F3 5678 99AABBCC");
    assert_true(mad_read_header(mad, 24, &h));
    memset(written, 0, sizeof written);
    mad_write_header(written, &h);
    support_hex(mad, 24, "01 81 02 86 8003 0000 1122334455667788 00F3 0000 99AABBCC");
    assert_memory_equal(written, mad, 24);
    memset(written, 0xEE, sizeof written);
    mad_write_header(written, &h);
    support_hex(mad, 24, "01 81 02 86 8003 EEEE 1122334455667788 00F3 EEEE 99AABBCC");
    assert_memory_equal(written, mad, 24);
    mad_set_tid(written, 0xAABBCCDD);
    support_hex(mad, 24, "01 81 02 86 8003 EEEE 11223344AABBCCDD 00F3 EEEE 99AABBCC");
    assert_memory_equal(written, mad, 24);
}

// Only a directed-route SMP has a direction.
TEST(the_direction_is_no_status)
{
    struct mad_header h = {.mgmt_class = MAD_CLASS_SMP_DIRECT, .status = 0x8003};
    assert_int_equal(mad_status(&h), 0x0003);
    h.mgmt_class = MAD_CLASS_SMP_LID;
    assert_int_equal(mad_status(&h), 0x8003);
}

// Lists of InformInfoRecords.

struct listed {
    uint32_t traps[128];
    size_t count;
};

static void remember(void *ctx, uint32_t trap)
{
    struct listed *l = ctx;
    assert_in_range(l->count, 0, COUNT(l->traps) - 1);
    l->traps[l->count++] = trap;
}

static void put_record(size_t at, bool generic, uint16_t trap)
{
    uint8_t *r = mad + at;
    support_hex(
        r, RECORD_SIZE,
        "FE80000000000000 0002C903000E8ACF 0001 000000000000"
        "00000000000000000000000000000000 FFFF 0000 0000 00 01 FFFF 0000 00000100 00FFFFFF");
    r[24 + 22] = generic;
    wire_put(r + 24 + 26, 2, trap);
}

// The AttributeOffset: octets from one record to the next, in eights.
static void put_stride(unsigned octets)
{
    wire_put(mad + 44, 2, octets / 8);
}

static bool read_list(size_t size, struct listed *l, struct mad_subscriptions *out)
{
    *l = (struct listed){.count = 0};
    return mad_read_subscriptions(mad, size, out, remember, l);
}

TEST(a_list_without_records)
{
    struct listed l;
    struct mad_subscriptions s;
    assert_true(read_list(MAD_SIZE, &l, &s)); // no AttributeOffset
    assert_int_equal(s.records, 0);
    assert_false(s.cut);
    put_stride(64);
    assert_true(read_list(DATA, &l, &s)); // no data
    assert_int_equal(s.records, 0);
    assert_true(read_list(MAD_SIZE, &l, &s)); // only padding
    assert_int_equal(s.records, 0);
    assert_int_equal(l.count, 0);
    assert_false(s.cut);
}

TEST(a_list_with_padding_behind_it)
{
    struct listed l;
    struct mad_subscriptions s;
    put_stride(64);
    put_record(DATA, true, 128);
    put_record(DATA + 64, false, 0xFFFF);
    assert_true(read_list(MAD_SIZE, &l, &s));
    assert_int_equal(s.records, 2);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.traps[0], 128);
    assert_int_equal(l.traps[1], MAD_TRAP_VENDOR);
    assert_false(s.cut);
}

TEST(a_list_that_fills_one_mad_may_be_cut)
{
    struct listed l;
    struct mad_subscriptions s;
    put_stride(64);
    for (uint16_t i = 0; i < 3; i++)
        put_record(DATA + i * 64U, true, (uint16_t)(64 + i));
    assert_true(read_list(MAD_SIZE, &l, &s));
    assert_int_equal(s.records, 3);
    assert_int_equal(l.traps[2], 66);
    assert_true(s.cut);
}

TEST(a_long_list_arrives_whole)
{
    struct listed l;
    struct mad_subscriptions s;
    put_stride(64);
    for (uint16_t i = 0; i < 17; i++)
        put_record(DATA + i * 64U, true, (uint16_t)(100 + i));
    assert_true(read_list(DATA + 17 * 64, &l, &s));
    assert_int_equal(s.records, 17);
    assert_int_equal(l.traps[0], 100);
    assert_int_equal(l.traps[16], 116);
    assert_false(s.cut);
    // The last record need not be padded.
    assert_true(read_list(DATA + 16 * 64 + RECORD_SIZE, &l, &s));
    assert_int_equal(s.records, 17);
    // A truncated record is ignored.
    assert_true(read_list(DATA + 16 * 64 + RECORD_SIZE - 1, &l, &s));
    assert_int_equal(s.records, 16);
}

TEST(a_wide_stride_is_followed)
{
    struct listed l;
    struct mad_subscriptions s;
    put_stride(72);
    put_record(DATA, true, 1);
    put_record(DATA + 72, true, 2);
    assert_true(read_list(MAD_SIZE, &l, &s));
    assert_int_equal(s.records, 2);
    assert_int_equal(l.traps[1], 2);
    wire_put(mad + 44, 2, 0xFFFF);
    assert_true(read_list(MAD_SIZE, &l, &s));
    assert_int_equal(s.records, 1);
}

TEST(a_malformed_list_is_refused)
{
    struct listed l;
    struct mad_subscriptions s;
    put_record(DATA, true, 128);
    put_stride(56); // records would overlap
    assert_false(read_list(MAD_SIZE, &l, &s));
    put_stride(8);
    assert_false(read_list(MAD_SIZE, &l, &s));
    put_stride(64);
    assert_false(read_list(DATA - 1, &l, &s));
    assert_false(read_list(0, &l, &s));
    assert_int_equal(l.count, 0);
}

// Other answers.

TEST(a_node_record)
{
    struct mad_node node;
    support_hex(mad + DATA, 44,
                "0001 0000" // LID and reserved
                "01 01 02 02 1111111111111111 2222222222222222 0002C903000E8ACF 0080 1234"
                "000000A0 01 0002C9");
    memcpy(mad + DATA + 44, "node-a mlx5_0", 13);
    assert_true(mad_read_node(mad, MAD_SIZE, &node));
    assert_int_equal(node.port_guid, GOLDEN_CA_GUID);
    assert_string_equal(node.description, "node-a mlx5_0");
    memset(mad + DATA + 44, 'x', 64);
    assert_true(mad_read_node(mad, DATA + 108, &node));
    assert_int_equal(strlen(node.description), 64);
    assert_false(mad_read_node(mad, DATA + 107, &node));
    assert_false(mad_read_node(mad, 0, &node));
}

TEST(the_own_port)
{
    struct mad_port port;
    // PortInfo: M_Key, GidPrefix, LID, MasterSMLID, CapabilityMask, DiagCode, M_KeyLeasePeriod,
    // LocalPortNum, widths, LinkSpeedSupported and PortState.
    support_hex(mad + 64, 33,
                "0000000000000000 FE80000000000001 0007 0001 02514868 0000 000F 01 03 03 02 14");
    mad[64 + 36] = 0x42; // NeighborMTU 4, MasterSMSL 2
    mad[64 + 51] = 0x92; // ClientReregister, SubnetTimeOut 18
    assert_true(mad_read_own_port(mad, MAD_SIZE, &port));
    assert_int_equal(port.lid, 7);
    assert_int_equal(port.sm_lid, 1);
    assert_int_equal(port.sm_sl, 2);
    assert_int_equal(port.state, 4);
    assert_int_equal(port.subnet_prefix, UINT64_C(0xfe80000000000001));
    assert_true(port.client_reregister);
    assert_false(mad_read_own_port(mad, 127, &port));
    assert_true(mad_read_own_port(mad, 128, &port));
}

TEST(client_reregister_is_the_first_bit_before_the_subnet_timeout)
{
    struct mad_port port;
    for (size_t i = 0; i < 64; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memset(mad, 0, MAD_SIZE);
            mad[64 + i] = (uint8_t)(1U << bit);
            assert_true(mad_read_own_port(mad, MAD_SIZE, &port));
            assert_int_equal(port.client_reregister, i == 51 && bit == 7);
        }
    }
}

TEST(statuses_have_words)
{
    assert_string_equal(mad_status_words(0x0000), "success");
    assert_string_equal(mad_status_words(0x0001), "busy");
    assert_string_equal(mad_status_words(0x0004), "version not supported");
    assert_string_equal(mad_status_words(0x0008), "method not supported");
    assert_string_equal(mad_status_words(0x000C), "method and attribute not supported together");
    assert_string_equal(mad_status_words(0x001C), "invalid field");
    assert_string_equal(mad_status_words(0x0010), "unknown status");
    assert_string_equal(mad_status_words(0x0002), "redirected, and not followed");
    assert_string_equal(mad_status_words(0x0100), "no resources");
    assert_string_equal(mad_status_words(0x0200), "request invalid");
    assert_string_equal(mad_status_words(0x0300), "no records");
    assert_string_equal(mad_status_words(0x0400), "too many records");
    assert_string_equal(mad_status_words(0x0500), "invalid GID");
    assert_string_equal(mad_status_words(0x0600), "insufficient components");
    assert_string_equal(mad_status_words(0x0700), "request denied");
    assert_string_equal(mad_status_words(0xFF00), "unknown status");
}

TEST(port_states_have_words)
{
    assert_string_equal(fabric_state_word(1), "down");
    assert_string_equal(fabric_state_word(2), "initialize");
    assert_string_equal(fabric_state_word(3), "armed");
    assert_string_equal(fabric_state_word(4), "active");
    assert_string_equal(fabric_state_word(0), "unknown");
    assert_string_equal(fabric_state_word(5), "unknown");
    assert_string_equal(fabric_state_word(4000000000), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(subscribe_to_a_generic_trap, empty),
        cmocka_unit_test_setup(unsubscribe_names_the_queue_pair, empty),
        cmocka_unit_test_setup(subscribe_to_vendor_traps, empty),
        cmocka_unit_test_setup(the_sa_key_stands_in_its_place, empty),
        cmocka_unit_test_setup(ask_what_the_sa_holds_for_a_gid, empty),
        cmocka_unit_test_setup(ask_for_the_node_at_a_lid, empty),
        cmocka_unit_test_setup(ask_the_own_port_by_directed_route, empty),
        cmocka_unit_test_setup(a_report_is_answered_with_the_same_octets, empty),
        cmocka_unit_test_setup(a_short_report_is_answered_with_zeroes_behind_it, empty),
        cmocka_unit_test_setup(an_oversized_report_is_answered_in_one_mad, empty),
        cmocka_unit_test_setup(a_proper_report_holds_its_notice, empty),
        cmocka_unit_test_setup(malformed_reports_are_told_by_what_is_wrong, empty),
        cmocka_unit_test_setup(headers_are_read_whole_or_not, empty),
        cmocka_unit_test_setup(headers_are_written_as_they_are_read, empty),
        cmocka_unit_test(the_direction_is_no_status),
        cmocka_unit_test_setup(a_list_without_records, empty),
        cmocka_unit_test_setup(a_list_with_padding_behind_it, empty),
        cmocka_unit_test_setup(a_list_that_fills_one_mad_may_be_cut, empty),
        cmocka_unit_test_setup(a_long_list_arrives_whole, empty),
        cmocka_unit_test_setup(a_wide_stride_is_followed, empty),
        cmocka_unit_test_setup(a_malformed_list_is_refused, empty),
        cmocka_unit_test_setup(a_node_record, empty),
        cmocka_unit_test_setup(the_own_port, empty),
        cmocka_unit_test_setup(client_reregister_is_the_first_bit_before_the_subnet_timeout, empty),
        cmocka_unit_test_setup(statuses_have_words, empty),
        cmocka_unit_test_setup(port_states_have_words, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
