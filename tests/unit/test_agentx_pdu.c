// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "agentx/pdu.h"

static uint8_t octets[4096];
static struct pdu_header header;
static struct pdu_reader reader;

static struct pdu_writer writer(void)
{
    return (struct pdu_writer){.octets = octets, .size = sizeof octets};
}

static struct agentx_oid oid(size_t length, const uint32_t *ids)
{
    struct agentx_oid out = {.length = (uint8_t)length};
    memcpy(out.ids, ids, length * sizeof *ids);
    return out;
}
#define OID(...)                                                                                   \
    oid(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void assert_oid(const struct agentx_oid *a, struct agentx_oid b)
{
    assert_int_equal(agentx_oid_compare(a->ids, a->length, b.ids, b.length), 0);
}

// Reads a whole PDU from hexadecimal digits.
static void read_hex(const char *digits, size_t size)
{
    support_hex(octets, size, digits);
    assert_int_equal(pdu_parse(octets, size, &header), 1);
    assert_true(pdu_read(octets, &header, &reader));
}

// Names.

TEST(names_are_compared_id_by_id)
{
    static const uint32_t A[] = {1, 3, 6}, B[] = {1, 3, 6, 0}, C[] = {1, 4}, D[] = {1, 4000000000};
    assert_true(agentx_oid_compare(A, 3, A, 3) == 0);
    assert_true(agentx_oid_compare(A, 3, B, 4) < 0);
    assert_true(agentx_oid_compare(B, 4, C, 2) < 0);
    assert_true(agentx_oid_compare(D, 2, C, 2) > 0);
    assert_true(agentx_oid_compare(NULL, 0, A, 3) < 0);
}

TEST(a_name_has_at_most_128_ids)
{
    struct agentx_oid o = {0};
    static const uint8_t OCTETS[100] = {7, 255};
    assert_true(agentx_oid_add_octets(&o, OCTETS, 100));
    assert_int_equal(o.ids[1], 255);
    assert_false(agentx_oid_add_octets(&o, OCTETS, 29));
    assert_int_equal(o.length, 100);
    assert_true(agentx_oid_add_octets(&o, OCTETS, 28));
    assert_false(agentx_oid_add(&o, 1));
    assert_int_equal(o.length, 128);
}

// Writing.

TEST(a_request_is_written_as_the_rfc_has_it)
{
    static const uint32_t SUBTREE[] = {1, 3, 6, 1, 4, 1, 9};
    uint8_t expected[48];
    struct pdu_writer w = writer();
    pdu_begin(&w, PDU_REGISTER, 1, 2, 3, "ib0");
    pdu_add_four(&w, 5, 127, 0, 0);
    pdu_add_oid(&w, SUBTREE, COUNT(SUBTREE), false);
    assert_true(pdu_end(&w));
    support_hex(expected, 44,
                "01 03 18 00  00000001 00000002 00000003 00000018"
                "00000003 69623000  05 7F 00 00  02 04 00 00  00000001 00000009");
    assert_int_equal(w.used, 44);
    assert_memory_equal(octets, expected, 44);
}

TEST(only_names_of_the_internet_are_shortened)
{
    static const struct {
        uint32_t ids[6];
        size_t length;
        uint8_t subids, prefix;
    } NAMES[] = {{{1, 3, 6, 1, 4, 1}, 6, 1, 4},
                 {{1, 3, 6, 1, 255}, 5, 0, 255},
                 {{1, 3, 6, 1, 256}, 5, 5, 0},
                 {{1, 3, 6, 1, 0}, 5, 5, 0},
                 {{1, 3, 6, 1}, 4, 4, 0},
                 {{1, 3, 7, 1, 4}, 5, 5, 0},
                 {{0}, 0, 0, 0}};
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        struct pdu_writer w = writer();
        pdu_begin(&w, PDU_PING, 0, 0, 0, "");
        pdu_add_oid(&w, NAMES[i].ids, NAMES[i].length, true);
        assert_true(pdu_end(&w));
        assert_int_equal(octets[20], NAMES[i].subids);
        assert_int_equal(octets[21], NAMES[i].prefix);
        struct agentx_oid back;
        bool include = false;
        assert_int_equal(pdu_parse(octets, w.used, &header), 1);
        assert_true(pdu_read(octets, &header, &reader));
        assert_true(pdu_read_oid(&reader, &back, &include));
        assert_true(include);
        assert_oid(&back, oid(NAMES[i].length, NAMES[i].ids));
    }
}

TEST(what_does_not_fit_is_noticed)
{
    struct agentx_value text = {.type = AGENTX_OCTETS, .size = 6, .octets = "abcdef"};
    struct agentx_oid name = OID(1, 3);
    for (size_t size = 0; size < 60; size++) {
        struct pdu_writer w = {.octets = octets, .size = size};
        memset(octets, 0xEE, sizeof octets);
        pdu_begin(&w, PDU_RESPONSE, 0, 0, 0, "");
        pdu_add_varbind(&w, &name, &text);
        assert_int_equal(pdu_end(&w), size >= 20 + 28); // 4, 12 of the name, 12 of the text
        assert_int_equal(octets[size], 0xEE);
    }
}

// Both ways.

static const struct agentx_value VALUES[] = {
    {.type = AGENTX_INTEGER, .number = INT32_MIN},
    {.type = AGENTX_INTEGER, .number = INT32_MAX},
    {.type = AGENTX_COUNTER32, .number = UINT32_MAX},
    {.type = AGENTX_GAUGE32, .number = 0x80000000},
    {.type = AGENTX_TIME_TICKS, .number = 1},
    {.type = AGENTX_COUNTER64, .number = INT64_C(0x0102030405060708)},
    {.type = AGENTX_COUNTER64, .number = -1},
    {.type = AGENTX_OCTETS, .size = 0},
    {.type = AGENTX_OCTETS, .size = 5, .octets = "hello"},
    {.type = AGENTX_OCTETS, .size = AGENTX_OCTETS_MAX},
    {.type = AGENTX_OPAQUE, .size = 4, .octets = "abcd"},
    {.type = AGENTX_IP_ADDRESS, .size = 4, .octets = {192, 0, 2, 1}},
    {.type = AGENTX_OID, .oid = {.length = 7, .ids = {1, 3, 6, 1, 4, 1, UINT32_MAX}}},
    {.type = AGENTX_OID, .oid = {.length = AGENTX_OID_MAX}},
    {.type = AGENTX_NULL},
    {.type = AGENTX_NO_SUCH_OBJECT},
    {.type = AGENTX_NO_SUCH_INSTANCE},
    {.type = AGENTX_END_OF_MIB_VIEW},
};

static void assert_value(const struct agentx_value *a, const struct agentx_value *b)
{
    assert_int_equal(a->type, b->type);
    if (b->type == AGENTX_OID)
        assert_oid(&a->oid, b->oid);
    else if (b->size > 0)
        assert_memory_equal(a->octets, b->octets, b->size);
    else if (b->type < AGENTX_NO_SUCH_OBJECT && b->type != AGENTX_NULL && b->type != AGENTX_OCTETS)
        assert_true(a->number == b->number);
}

TEST(values_of_every_type_are_read_as_they_were_written)
{
    struct agentx_oid name = OID(1, 3, 6, 1, 4, 1, 9, 0);
    for (size_t i = 0; i < COUNT(VALUES); i++) {
        struct pdu_writer w = writer();
        struct agentx_varbind back;
        pdu_begin(&w, PDU_NOTIFY, 9, 8, 7, "");
        pdu_add_varbind(&w, &name, &VALUES[i]);
        assert_true(pdu_end(&w));
        assert_int_equal(w.used % 4, 0);
        assert_int_equal(pdu_parse(octets, w.used, &header), 1);
        assert_true(pdu_read(octets, &header, &reader));
        assert_true(pdu_read_varbind(&reader, &back));
        assert_oid(&back.name, name);
        assert_value(&back.value, &VALUES[i]);
        assert_ptr_equal(reader.at, reader.end);
    }
}

TEST(a_verdict_stands_behind_the_uptime)
{
    struct pdu_writer w = writer();
    uint32_t uptime;
    uint16_t error = 0, index = 0;
    pdu_begin(&w, PDU_RESPONSE, 0, 0, 0, "");
    pdu_add_result(&w, AGENTX_NOT_WRITABLE, 3);
    assert_true(pdu_end(&w));
    assert_int_equal(pdu_parse(octets, w.used, &header), 1);
    assert_true(pdu_read(octets, &header, &reader));
    assert_true(pdu_read32(&reader, &uptime) && pdu_read16(&reader, &error) &&
                pdu_read16(&reader, &index));
    assert_int_equal(uptime, 0);
    assert_int_equal(error, 17);
    assert_int_equal(index, 3);
}

// Reading.

TEST(both_byte_orders_are_read)
{
    struct agentx_oid name, end;
    bool include;
    read_hex("01 06 18 00  0000000A 0000000B 0000000C 00000020"
             "00000001 78000000  01 04 01 00 00000007  02 00 00 00 00000001 00000003  00000000",
             52);
    assert_int_equal(header.session, 10);
    assert_true(pdu_read_range(&reader, &name, &include, &end));
    read_hex("01 06 08 00  0A000000 0B000000 0C000000 20000000"
             "01000000 78000000  01 04 01 00 07000000  02 00 00 00 01000000 03000000  00000000",
             52);
    assert_int_equal(header.type, PDU_GET_NEXT);
    assert_int_equal(header.session, 10);
    assert_int_equal(header.transaction, 11);
    assert_int_equal(header.packet, 12);
    assert_true(pdu_read_range(&reader, &name, &include, &end));
    assert_true(include);
    assert_oid(&name, OID(1, 3, 6, 1, 4, 7));
    assert_oid(&end, OID(1, 3));
}

TEST(values_are_read_in_either_byte_order)
{
    struct agentx_varbind v;
    read_hex("01 12 00 00  00000000 00000000 00000000 20000000"
             "46000000 00000000 08070605 04030201  02000000 00000000 FEFFFFFF 00000000",
             52);
    assert_true(pdu_read_varbind(&reader, &v));
    assert_true(v.value.number == INT64_C(0x0102030405060708));
    assert_true(pdu_read_varbind(&reader, &v));
    assert_true(v.value.number == -2);
}

TEST(a_pdu_may_come_in_pieces)
{
    static const char PING[] = "01 0D 10 00  00000001 00000002 00000003 00000004 00000000";
    support_hex(octets, 24, PING);
    for (size_t n = 0; n < 24; n++)
        assert_int_equal(pdu_parse(octets, n, &header), 0);
    assert_int_equal(pdu_parse(octets, 24, &header), 1);
    assert_int_equal(pdu_parse(octets, 30, &header), 1);
}

TEST(what_is_no_agentx_is_noticed)
{
    static const char *const BAD[] = {
        "02 0D 10 00  00000001 00000002 00000003 00000000", // version 2
        "01 0D 10 00  00000001 00000002 00000003 00000002", // no multiple of 4
        "01 0D 10 00  00000001 00000002 00000003 00100004", // more than a MiB
        "01 0D 10 00  00000001 00000002 00000003 FFFFFFFC",
        "01 0D 00 00  00000001 00000002 00000003 04001000", // likewise, little-endian
    };
    for (size_t i = 0; i < COUNT(BAD); i++) {
        support_hex(octets, 20, BAD[i]);
        assert_int_equal(pdu_parse(octets, 20, &header), -1);
    }
    assert_int_equal(pdu_parse((const uint8_t *)"\x30", 1, &header), -1);
}

TEST(a_context_beyond_the_end_is_noticed)
{
    support_hex(octets, 28, "01 0D 18 00  00000001 00000002 00000003 00000008  00000005 61626364");
    assert_int_equal(pdu_parse(octets, 28, &header), 1);
    assert_false(pdu_read(octets, &header, &reader));
}

// Payloads of one malformed or truncated varbind.
TEST(malformed_varbinds_are_refused)
{
    static const char *const BAD[] = {
        "00020000 00000000",                   // no value
        "00030000 00000000 00000001",          // no such type
        "00040000 00000000 00000005 61626364", // octets beyond the end
        "00040000 00000000 FFFFFFFF 61626364",
        "00400000 00000000 00000003 61626300", // an address of three octets
        "00060000 00000000 02000000 00000001", // an id is missing
        "00020000 81000000 00000001",          // 129 ids
        "00020000 7C010000 00000001",          // 124 and 5 of the prefix
        "00460000 00000000 00000001",          // half a Counter64
    };
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct agentx_varbind v;
        size_t size = 0;
        for (const char *p = BAD[i]; *p; p++)
            size += *p != ' ';
        support_hex(octets, size / 2, BAD[i]);
        reader = (struct pdu_reader){.at = octets, .end = octets + size / 2};
        if (pdu_read_varbind(&reader, &v))
            fail_msg("'%s' passes for a varbind", BAD[i]);
    }
}

// A varbind and then two names: an item is refused if octets at its end are missing.
TEST(what_is_cut_anywhere_is_refused)
{
    static const uint8_t WIRE[] = {0, 4, 0, 0, 1, 0, 0,   0,   0,   0,
                                   0, 9, 0, 0, 0, 3, 'a', 'b', 'c', 0};
    static const uint8_t NAMES[] = {1, 0, 0, 0, 0, 0, 0, 9, 1, 0, 0, 0, 0, 0, 0, 9};
    struct agentx_varbind varbind;
    struct agentx_oid first, second;
    bool include;
    for (size_t size = 0; size <= sizeof WIRE; size++) {
        reader = (struct pdu_reader){WIRE, WIRE + size, false};
        assert_int_equal(pdu_read_varbind(&reader, &varbind), size == sizeof WIRE);
    }
    for (size_t size = 0; size <= sizeof NAMES; size++) {
        reader = (struct pdu_reader){NAMES, NAMES + size, false};
        assert_int_equal(pdu_read_range(&reader, &first, &include, &second), size == sizeof NAMES);
    }
}

TEST(the_longest_name_is_read)
{
    struct agentx_oid out;
    bool include;
    memset(octets, 0, 4 + 4 * 128);
    octets[0] = 123;
    octets[1] = 4;
    reader = (struct pdu_reader){.at = octets, .end = octets + 4 + 4 * 123};
    assert_true(pdu_read_oid(&reader, &out, &include));
    assert_int_equal(out.length, 128);
    octets[0] = 128;
    octets[1] = 0;
    reader = (struct pdu_reader){.at = octets, .end = octets + 4 + 4 * 128};
    assert_true(pdu_read_oid(&reader, &out, &include));
    assert_int_equal(out.length, 128);
}

TEST(a_text_that_is_too_long_is_cut_and_told)
{
    struct agentx_varbind v;
    size_t size = 12 + AGENTX_OCTETS_MAX + 4;
    memset(octets, 0, size);
    octets[1] = AGENTX_OCTETS;
    octets[10] = (AGENTX_OCTETS_MAX + 2) >> 8;
    octets[11] = (AGENTX_OCTETS_MAX + 2) & 0xFF;
    reader = (struct pdu_reader){.at = octets, .end = octets + size};
    assert_true(pdu_read_varbind(&reader, &v));
    assert_int_equal(v.value.size, AGENTX_OCTETS_MAX + 1);
    assert_ptr_equal(reader.at, reader.end);
}

TEST(errors_have_the_words_of_the_rfcs)
{
    assert_string_equal(agentx_error_word(0), "noError");
    assert_string_equal(agentx_error_word(18), "inconsistentName");
    assert_string_equal(agentx_error_word(263), "duplicateRegistration");
    assert_string_equal(agentx_error_word(268), "processingError");
    assert_string_equal(agentx_error_word(269), "an unknown error");
    assert_string_equal(agentx_error_word(19), "an unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_compared_id_by_id),
        cmocka_unit_test(a_name_has_at_most_128_ids),
        cmocka_unit_test(a_request_is_written_as_the_rfc_has_it),
        cmocka_unit_test(only_names_of_the_internet_are_shortened),
        cmocka_unit_test(what_does_not_fit_is_noticed),
        cmocka_unit_test(values_of_every_type_are_read_as_they_were_written),
        cmocka_unit_test(a_verdict_stands_behind_the_uptime),
        cmocka_unit_test(both_byte_orders_are_read),
        cmocka_unit_test(values_are_read_in_either_byte_order),
        cmocka_unit_test(a_pdu_may_come_in_pieces),
        cmocka_unit_test(what_is_no_agentx_is_noticed),
        cmocka_unit_test(a_context_beyond_the_end_is_noticed),
        cmocka_unit_test(malformed_varbinds_are_refused),
        cmocka_unit_test(what_is_cut_anywhere_is_refused),
        cmocka_unit_test(the_longest_name_is_read),
        cmocka_unit_test(a_text_that_is_too_long_is_cut_and_told),
        cmocka_unit_test(errors_have_the_words_of_the_rfcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
