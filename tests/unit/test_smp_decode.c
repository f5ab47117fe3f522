// SPDX-License-Identifier: BSD-2-Clause
// The place of the link's speeds in PortInfo, by rdma-core's table. The table shares no code with
// ibtrapd: libibmad/fields.c at commit 691953d8d502 (2026-08-20), lines 85 to 101, 528 to 531 and
// 1025 to 1027. The libibmad that ibtrapd is built with may be older, and lack the fields of
// LinkSpeedExt2.
#include "support.h"

#include "ib/node_mad.h"

// A field of PortInfo: its first bit, counted from the highest one of the first octet, and how
// many.
struct place {
    unsigned bit, bits;
};
static const struct place WIDTH_ENABLED = {232, 8}, WIDTH_SUPPORTED = {240, 8},
                          WIDTH_ACTIVE = {248, 8}, SPEED_SUPPORTED = {256, 4}, STATE = {260, 4},
                          PHYSICAL = {264, 4}, LMC = {277, 3}, SPEED_ACTIVE = {280, 4},
                          SPEED_ENABLED = {284, 4}, CAPABILITIES = {160, 32},
                          CAPABILITIES2 = {480, 16}, EXT_ACTIVE = {496, 4},
                          EXT_SUPPORTED = {500, 4}, EXT_ENABLED = {507, 5}, EXT2_ACTIVE = {449, 2},
                          EXT2_SUPPORTED = {451, 2}, EXT2_ENABLED = {453, 3};
// IsExtendedSpeedsSupported, IsCapabilityMask2Supported; of CapabilityMask2 IsExtendedSpeeds2 and
// IsLinkSpeedXDR (libibmad/iba_types.h, lines 728, 729, 753, 754).
enum { HAS_EXT = 1 << 14, HAS_MASK2 = 1 << 15, HAS_EXT2 = 0x0800, HAS_XDR = 0x1000 };

static uint8_t info[SMP_DATA_SIZE];
static struct fabric_port port;

static void set(struct place place, unsigned value)
{
    for (unsigned i = 0; i < place.bits; i++) {
        const unsigned bit = place.bit + i, mask = 0x80U >> bit % 8;
        const bool one = value >> (place.bits - 1 - i) & 1;
        info[bit / 8] = (uint8_t)(one ? info[bit / 8] | mask : info[bit / 8] & ~mask);
    }
}

static void set_link(unsigned active, unsigned ext_active, unsigned ext2_active)
{
    memset(info, 0, sizeof info);
    set(CAPABILITIES, HAS_EXT | HAS_MASK2);
    set(CAPABILITIES2, HAS_EXT2 | HAS_XDR);
    set(STATE, 4);
    set(PHYSICAL, 5);
    set(WIDTH_ENABLED, 3);
    set(WIDTH_SUPPORTED, 19);
    set(WIDTH_ACTIVE, 2);
    set(SPEED_SUPPORTED, 7);
    set(SPEED_ENABLED, 7);
    set(SPEED_ACTIVE, active);
    set(EXT_SUPPORTED, 15);
    set(EXT_ENABLED, 15);
    set(EXT_ACTIVE, ext_active);
    set(EXT2_SUPPORTED, 1);
    set(EXT2_ENABLED, 1);
    set(EXT2_ACTIVE, ext2_active);
}

static void read_port(enum fabric_type type, uint8_t number)
{
    smp_read_port_info(info, (uint8_t)type, number, &port);
}

TEST(each_speed_is_read_where_rdma_core_has_it)
{
    static const struct {
        unsigned active, ext, ext2;
        uint16_t speed;
    } LINKS[] = {
        {1, 0, 0, FABRIC_SDR}, {2, 0, 0, FABRIC_DDR}, {4, 0, 0, FABRIC_QDR},
        {4, 1, 0, FABRIC_FDR}, {4, 2, 0, FABRIC_EDR}, {4, 4, 0, FABRIC_HDR},
        {4, 8, 0, FABRIC_NDR}, {4, 0, 1, FABRIC_XDR}, {4, 8, 1, FABRIC_XDR},
    };
    for (size_t i = 0; i < COUNT(LINKS); i++) {
        set_link(LINKS[i].active, LINKS[i].ext, LINKS[i].ext2);
        set(LMC, 5);
        read_port(FABRIC_CA, 1);
        assert_int_equal(port.speed_active, LINKS[i].speed);
        assert_int_equal(port.speed_supported, 0xFF);
        assert_int_equal(port.speed_enabled, 0xFF);
        assert_int_equal(port.width_active, 2);
        assert_int_equal(port.width_enabled, 3);
        assert_int_equal(port.width_supported, 19);
        assert_int_equal(port.state, 4);
        assert_int_equal(port.physical, 5);
        assert_int_equal(port.lmc, 5);
    }
}

// Each of the bits beside a field changes nothing in it.
TEST(neighbouring_fields_are_told_apart)
{
    for (unsigned bits = 0; bits < 64; bits++) {
        const bool active = bits & 1, supported = bits & 2, enabled = bits & 4, ext = bits & 8;
        set_link(4, ext ? 8 : 0, active);
        set(EXT2_SUPPORTED, supported);
        set(EXT2_ENABLED, enabled);
        set((struct place){448, 1}, bits >> 4 & 1);             // reserved
        set((struct place){456, 24}, bits >> 5 ? 0xFFFFFF : 0); // LinkRoundTripLatency
        read_port(FABRIC_CA, 1);
        assert_int_equal(port.speed_active, active ? FABRIC_XDR : ext ? FABRIC_NDR : FABRIC_QDR);
        assert_int_equal(port.speed_supported, supported ? 0xFF : 0x7F);
        assert_int_equal(port.speed_enabled, supported && enabled ? 0xFF : 0x7F);
    }
}

// Without the capability the bits are reserved; a switch has it on port 0 alone.
TEST(the_capability_says_whether_ext2_counts)
{
    set_link(4, 8, 1);
    set(CAPABILITIES2, 0);
    read_port(FABRIC_CA, 1);
    assert_int_equal(port.speed_active, FABRIC_NDR);
    read_port(FABRIC_SWITCH, 1);
    assert_int_equal(port.speed_active, FABRIC_XDR);
    set(CAPABILITIES2, HAS_EXT2);
    read_port(FABRIC_CA, 1);
    assert_int_equal(port.speed_active, FABRIC_XDR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_speed_is_read_where_rdma_core_has_it),
        cmocka_unit_test(neighbouring_fields_are_told_apart),
        cmocka_unit_test(the_capability_says_whether_ext2_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
