// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "golden.h"

#include "base/wire.h"

static const uint8_t NO_GID[ADDRESS_GID_SIZE];

enum { DETAILS = 10 }; // offset of DataDetails in the Notice

static void make_gid(uint8_t out[ADDRESS_GID_SIZE], uint64_t prefix, uint64_t guid)
{
    wire_put(out, 8, prefix);
    wire_put(out + 8, 8, guid);
}

static void check_gid(const uint8_t gid[ADDRESS_GID_SIZE], uint64_t guid)
{
    uint8_t expected[ADDRESS_GID_SIZE];
    make_gid(expected, GOLDEN_PREFIX, guid);
    assert_memory_equal(gid, expected, sizeof expected);
}

// Compares every field: garbage in a field that the trap does not have shows.
static void check(const struct notice *n, const struct notice *expected)
{
    assert_int_equal(n->generic, expected->generic);
    assert_int_equal(n->type, expected->type);
    assert_int_equal(n->producer, expected->producer);
    assert_int_equal(n->trap, expected->trap);
    assert_int_equal(n->issuer_lid, expected->issuer_lid);
    assert_memory_equal(n->issuer_gid, expected->issuer_gid, ADDRESS_GID_SIZE);
    assert_int_equal(n->lid, expected->lid);
    assert_int_equal(n->lid2, expected->lid2);
    assert_memory_equal(n->gid1, expected->gid1, ADDRESS_GID_SIZE);
    assert_memory_equal(n->gid2, expected->gid2, ADDRESS_GID_SIZE);
    assert_int_equal(n->port, expected->port);
    assert_int_equal(n->local_changes, expected->local_changes);
    assert_int_equal(n->change_flags, expected->change_flags);
    assert_int_equal(n->capability_mask, expected->capability_mask);
    assert_int_equal(n->capability_mask2, expected->capability_mask2);
    assert_int_equal(n->system_image_guid, expected->system_image_guid);
    assert_int_equal(n->key, expected->key);
    assert_int_equal(n->method, expected->method);
    assert_int_equal(n->attribute, expected->attribute);
    assert_int_equal(n->attribute_modifier, expected->attribute_modifier);
    assert_int_equal(n->dr, expected->dr);
    assert_int_equal(n->dr_slid, expected->dr_slid);
    assert_int_equal(n->dr_truncated, expected->dr_truncated);
    assert_int_equal(n->dr_hops, expected->dr_hops);
    assert_memory_equal(n->dr_path, expected->dr_path, sizeof n->dr_path);
    assert_int_equal(n->sl, expected->sl);
    assert_int_equal(n->qp1, expected->qp1);
    assert_int_equal(n->qp2, expected->qp2);
    assert_int_equal(n->data_valid, expected->data_valid);
    assert_int_equal(n->switch_lid, expected->switch_lid);
}

static struct notice decode(enum golden golden)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    return notice_decode(wire);
}

static void check_golden(enum golden golden, struct notice expected, uint64_t issuer_guid)
{
    make_gid(expected.issuer_gid, GOLDEN_PREFIX, issuer_guid);
    struct notice n = decode(golden);
    check(&n, &expected);
}

static struct notice from_sm(uint16_t trap)
{
    return (struct notice){.generic = true,
                           .type = 4,
                           .producer = NOTICE_PRODUCER_CLASS_MANAGER,
                           .trap = trap,
                           .issuer_lid = 1};
}

static struct notice from_switch(uint8_t type, uint16_t trap)
{
    return (struct notice){.generic = true,
                           .type = type,
                           .producer = NOTICE_PRODUCER_SWITCH,
                           .trap = trap,
                           .issuer_lid = 3};
}

static struct notice from_ca(uint8_t type, uint16_t trap)
{
    return (struct notice){.generic = true,
                           .type = type,
                           .producer = NOTICE_PRODUCER_CA,
                           .trap = trap,
                           .issuer_lid = 7};
}

TEST(trap_64_65_gid_in_and_out_of_service)
{
    struct notice expected = from_sm(64);
    make_gid(expected.gid1, GOLDEN_PREFIX, GOLDEN_CA_GUID);
    check_golden(GOLDEN_64, expected, GOLDEN_SM_GUID);
    expected.trap = 65;
    check_golden(GOLDEN_65, expected, GOLDEN_SM_GUID);
}

TEST(trap_66_67_multicast_group)
{
    struct notice expected = from_sm(66);
    make_gid(expected.gid1, UINT64_C(0xff12401bffff0000), 0xffffffff);
    check_golden(GOLDEN_66, expected, GOLDEN_SM_GUID);
    expected.trap = 67;
    check_golden(GOLDEN_67, expected, GOLDEN_SM_GUID);
}

TEST(trap_68_69_have_no_decoded_details)
{
    check_golden(GOLDEN_68, from_sm(68), GOLDEN_SM_GUID);
    check_golden(GOLDEN_69, from_sm(69), GOLDEN_SM_GUID);
}

TEST(trap_128_link_state)
{
    struct notice expected = from_switch(1, 128);
    expected.lid = 3;
    check_golden(GOLDEN_128, expected, GOLDEN_SWITCH_GUID);
}

TEST(trap_129_130_131_port_thresholds)
{
    struct notice expected = from_switch(1, 129);
    expected.lid = 3;
    expected.port = 17;
    check_golden(GOLDEN_129, expected, GOLDEN_SWITCH_GUID);
    expected.trap = 130;
    expected.port = 254;
    check_golden(GOLDEN_130, expected, GOLDEN_SWITCH_GUID);
    expected = from_ca(1, 131);
    expected.lid = 7;
    expected.port = 1;
    check_golden(GOLDEN_131, expected, GOLDEN_CA_GUID);
}

TEST(trap_144_capability_and_changes)
{
    struct notice expected = from_ca(4, 144);
    expected.lid = 7;
    expected.capability_mask = 0x02514868;
    expected.local_changes = true;
    expected.change_flags = 0x23; // NodeDescription, LinkWidthEnabled, CapabilityMask2
    expected.capability_mask2 = 0x0FED;
    check_golden(GOLDEN_144, expected, GOLDEN_CA_GUID);
}

TEST(trap_144_flags_count_only_with_other_local_changes)
{
    struct notice expected = from_ca(4, 144);
    expected.lid = 7;
    expected.capability_mask = 0x02514868;
    check_golden(GOLDEN_144_MASK_ONLY, expected, GOLDEN_CA_GUID);
}

TEST(trap_144_each_change_flag)
{
    for (unsigned bit = 0; bit < 16; bit++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire(GOLDEN_144, wire);
        wire_put(wire + DETAILS + 10, 2, 1U << bit);
        assert_int_equal(notice_decode(wire).change_flags, bit < 6 ? 1U << bit : 0);
    }
}

TEST(trap_145_system_image_guid)
{
    struct notice expected = from_ca(4, 145);
    expected.lid = 7;
    expected.system_image_guid = UINT64_C(0x0002c90300ffee01);
    check_golden(GOLDEN_145, expected, GOLDEN_CA_GUID);
}

TEST(trap_256_directed_route)
{
    struct notice expected = from_switch(2, 256);
    expected.lid = 7;
    expected.method = 0x02;
    expected.attribute = 0x0015;
    expected.attribute_modifier = 0x11;
    expected.key = UINT64_C(0x1122334455667788);
    expected.dr = true;
    expected.dr_slid = 9;
    expected.dr_truncated = true;
    expected.dr_hops = 3;
    memcpy(expected.dr_path, (const uint8_t[]){1, 2, 5}, 3);
    check_golden(GOLDEN_256, expected, GOLDEN_SWITCH_GUID);
}

TEST(trap_256_lid_routed_has_no_path)
{
    struct notice expected = from_switch(2, 256);
    expected.lid = 7;
    expected.method = 0x01;
    expected.attribute = 0x0011;
    expected.attribute_modifier = 0xFFFFFFFE;
    expected.key = 1;
    check_golden(GOLDEN_256_LID_ROUTED, expected, GOLDEN_SWITCH_GUID);
}

TEST(trap_256_hop_count_is_bounded)
{
    struct notice expected = from_ca(2, 256);
    expected.lid = 11;
    expected.method = 0x99;
    expected.attribute = 0xABCD;
    expected.key = UINT64_MAX;
    expected.dr = true;
    expected.dr_slid = 0xFFFF;
    expected.dr_hops = NOTICE_DR_PATH_SIZE;
    for (uint8_t i = 0; i < NOTICE_DR_PATH_SIZE; i++)
        expected.dr_path[i] = i;
    check_golden(GOLDEN_256_FAR, expected, GOLDEN_CA_GUID);
}

TEST(trap_256_every_hop_count)
{
    for (unsigned hops = 0; hops < 64; hops++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire(GOLDEN_256_FAR, wire);
        wire[DETAILS + 23] = (uint8_t)(0x80 | hops);
        struct notice n = notice_decode(wire);
        assert_true(n.dr);
        assert_false(n.dr_truncated);
        assert_int_equal(n.dr_hops, hops < 30 ? hops : 30);
        for (unsigned i = 0; i < 30; i++)
            assert_int_equal(n.dr_path[i], i < hops ? i : 0);
    }
}

static struct notice bad_key(uint16_t trap, uint64_t key)
{
    struct notice n = from_ca(2, trap);
    n.lid = 7;
    n.lid2 = 9;
    n.key = key;
    n.sl = 3;
    n.qp1 = 0x00ABCD;
    n.qp2 = 0x123456;
    make_gid(n.gid1, GOLDEN_PREFIX, GOLDEN_CA_GUID);
    make_gid(n.gid2, GOLDEN_PREFIX, GOLDEN_CA2_GUID);
    return n;
}

TEST(trap_257_pkey_is_the_low_half_of_its_field)
{
    check_golden(GOLDEN_257, bad_key(257, 0x8001), GOLDEN_CA_GUID);
}

TEST(trap_258_qkey_has_32_bits)
{
    check_golden(GOLDEN_258, bad_key(258, 0x80010000), GOLDEN_CA_GUID);
}

TEST(trap_259_all_valid)
{
    struct notice expected = bad_key(259, 0x8001);
    expected.producer = NOTICE_PRODUCER_SWITCH;
    expected.issuer_lid = 3;
    expected.data_valid = 0xFF;
    expected.switch_lid = 3;
    expected.port = 17;
    check_golden(GOLDEN_259, expected, GOLDEN_SWITCH_GUID);
}

TEST(trap_259_each_data_valid_bit_alone)
{
    for (unsigned bit = 0; bit < 16; bit++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire(GOLDEN_259, wire);
        wire_put(wire + DETAILS, 2, 1U << bit);
        struct notice n = notice_decode(wire);
        assert_int_equal(n.data_valid, bit < 8 ? 1U << bit : 0);
        assert_int_equal(n.lid, bit == 0 ? 7 : 0);
        assert_int_equal(n.lid2, bit == 1 ? 9 : 0);
        assert_int_equal(n.key, bit == 2 ? 0x8001 : 0);
        assert_int_equal(n.sl, bit == 3 ? 3 : 0);
        assert_int_equal(n.qp1, bit == 4 ? 0x00ABCD : 0);
        assert_int_equal(n.qp2, bit == 5 ? 0x123456 : 0);
        if (bit == 6)
            check_gid(n.gid1, GOLDEN_CA_GUID);
        else
            assert_memory_equal(n.gid1, NO_GID, sizeof NO_GID);
        if (bit == 7)
            check_gid(n.gid2, GOLDEN_CA2_GUID);
        else
            assert_memory_equal(n.gid2, NO_GID, sizeof NO_GID);
        assert_int_equal(n.switch_lid, 3); // these two have no validity bit
        assert_int_equal(n.port, 17);
    }
}

TEST(vendor_and_unknown_traps_have_no_details)
{
    struct notice vendor = {.type = 4, .producer = 0x0002C9, .trap = 0x1234, .issuer_lid = 7};
    check_golden(GOLDEN_VENDOR, vendor, GOLDEN_CA_GUID);
    check_golden(GOLDEN_UNKNOWN, from_ca(4, 999), GOLDEN_CA_GUID);
}

TEST(a_vendor_trap_with_a_generic_number_is_not_decoded)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(GOLDEN_129, wire);
    wire[0] = 0x01;
    struct notice expected = from_switch(1, 129);
    expected.generic = false;
    make_gid(expected.issuer_gid, GOLDEN_PREFIX, GOLDEN_SWITCH_GUID);
    struct notice n = notice_decode(wire);
    check(&n, &expected);
}

// Other garbage gives the same notice: no reserved bit was read.
TEST(reserved_octets_do_not_matter)
{
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        uint8_t wire[NOTICE_SIZE], other[NOTICE_SIZE];
        golden_wire((enum golden)g, wire);
        memcpy(other, wire, sizeof other);
        for (size_t i = 0; i < NOTICE_SIZE; i++) {
            bool named_bits = i == DETAILS + 5 || (i == DETAILS + 10 && wire[5] == 144);
            if (wire[i] == 0xA5 && !named_bits)
                other[i] = 0x5A;
        }
        struct notice a = notice_decode(wire), b = notice_decode(other);
        check(&b, &a);
    }
}

TEST(gids_and_guids_as_text)
{
    char guid[ADDRESS_GUID_TEXT_SIZE], text[ADDRESS_GID_TEXT_SIZE];
    uint8_t gid[ADDRESS_GID_SIZE];
    address_format_guid(0x1234, guid);
    assert_string_equal(guid, "0x0000000000001234");
    address_format_guid(UINT64_MAX, guid);
    assert_string_equal(guid, "0xffffffffffffffff");
    make_gid(gid, GOLDEN_PREFIX, GOLDEN_CA_GUID);
    address_format_gid(gid, text);
    assert_string_equal(text, "fe80::2:c903:e:8acf");
    assert_int_equal(wire_get64(gid), GOLDEN_PREFIX);
    assert_int_equal(address_gid_interface(gid), GOLDEN_CA_GUID);
    assert_false(address_gid_is_multicast(gid));
    assert_false(address_gid_is_zero(gid));
    assert_true(address_gid_is_zero(NO_GID));
    gid[0] = 0xFF;
    assert_true(address_gid_is_multicast(gid));
}

TEST(zeros_of_a_gid_are_left_out_once)
{
    static const struct {
        uint16_t groups[8];
        const char *text;
    } ROWS[] = {
        {{0}, "::"},
        {{0, 0, 0, 0, 0, 0, 0, 1}, "::1"},
        {{0, 0, 0, 0, 0, 0, 0xC0A8, 1}, "::c0a8:1"},
        {{1}, "1::"},
        {{0xFE80, 0, 0, 0, 2, 0xC9F0, 0, 0}, "fe80::2:c9f0:0:0"},
        {{1, 0, 0, 2, 0, 0, 0, 3}, "1:0:0:2::3"},
        {{1, 0, 0, 2, 0, 0, 3, 4}, "1::2:0:0:3:4"},
        {{1, 0, 2, 0, 3, 0, 4, 0}, "1:0:2:0:3:0:4:0"},
        {{0, 1, 2, 3, 4, 5, 6, 7}, "0:1:2:3:4:5:6:7"},
        {{0xFFFF, 0xABC, 0xDE, 0xF, 0x1234, 0x10, 0x100, 0x1000}, "ffff:abc:de:f:1234:10:100:1000"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        uint8_t gid[ADDRESS_GID_SIZE];
        char text[ADDRESS_GID_TEXT_SIZE];
        for (size_t g = 0; g < 8; g++)
            wire_put(gid + 2 * g, 2, ROWS[i].groups[g]);
        address_format_gid(gid, text);
        assert_string_equal(text, ROWS[i].text);
    }
}

TEST(a_notice_encoded_decodes_into_itself)
{
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        uint8_t wire[NOTICE_SIZE], again[NOTICE_SIZE];
        golden_wire((enum golden)g, wire);
        const struct notice notice = notice_decode(wire);
        notice_encode(&notice, again);
        const struct notice decoded = notice_decode(again);
        check(&decoded, &notice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trap_64_65_gid_in_and_out_of_service),
        cmocka_unit_test(trap_66_67_multicast_group),
        cmocka_unit_test(trap_68_69_have_no_decoded_details),
        cmocka_unit_test(trap_128_link_state),
        cmocka_unit_test(trap_129_130_131_port_thresholds),
        cmocka_unit_test(trap_144_capability_and_changes),
        cmocka_unit_test(trap_144_flags_count_only_with_other_local_changes),
        cmocka_unit_test(trap_144_each_change_flag),
        cmocka_unit_test(trap_145_system_image_guid),
        cmocka_unit_test(trap_256_directed_route),
        cmocka_unit_test(trap_256_lid_routed_has_no_path),
        cmocka_unit_test(trap_256_hop_count_is_bounded),
        cmocka_unit_test(trap_256_every_hop_count),
        cmocka_unit_test(trap_257_pkey_is_the_low_half_of_its_field),
        cmocka_unit_test(trap_258_qkey_has_32_bits),
        cmocka_unit_test(trap_259_all_valid),
        cmocka_unit_test(trap_259_each_data_valid_bit_alone),
        cmocka_unit_test(vendor_and_unknown_traps_have_no_details),
        cmocka_unit_test(a_vendor_trap_with_a_generic_number_is_not_decoded),
        cmocka_unit_test(reserved_octets_do_not_matter),
        cmocka_unit_test(gids_and_guids_as_text),
        cmocka_unit_test(zeros_of_a_gid_are_left_out_once),
        cmocka_unit_test(a_notice_encoded_decodes_into_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
