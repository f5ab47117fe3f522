// SPDX-License-Identifier: BSD-2-Clause
// Fields of PortInfo and SwitchInfo, compared with libibmad, which has a list of its own.
#include "generated.h"
#include "support.h"

#include "model/attribute.h"

#include <infiniband/mad.h>

enum { SIZE = 64, ROUNDS = 200 };

static const struct pair {
    unsigned field;
    enum MAD_FIELDS theirs;
} PORT[] =
    {
        {PORT_INFO_MASTER_SM_LID, IB_PORT_SMLID_F},
        {PORT_INFO_CAPABILITY_MASK, IB_PORT_CAPMASK_F},
        {PORT_INFO_DIAG_CODE, IB_PORT_DIAG_F},
        {PORT_INFO_MKEY_LEASE_PERIOD, IB_PORT_MKEY_LEASE_F},
        {PORT_INFO_LINK_WIDTH_ENABLED, IB_PORT_LINK_WIDTH_ENABLED_F},
        {PORT_INFO_LINK_WIDTH_SUPPORTED, IB_PORT_LINK_WIDTH_SUPPORTED_F},
        {PORT_INFO_LINK_WIDTH_ACTIVE, IB_PORT_LINK_WIDTH_ACTIVE_F},
        {PORT_INFO_LINK_SPEED_SUPPORTED, IB_PORT_LINK_SPEED_SUPPORTED_F},
        {PORT_INFO_PORT_STATE, IB_PORT_STATE_F},
        {PORT_INFO_PHYSICAL_STATE, IB_PORT_PHYS_STATE_F},
        {PORT_INFO_LINK_DOWN_DEFAULT, IB_PORT_LINK_DOWN_DEF_F},
        {PORT_INFO_MKEY_PROTECT_BITS, IB_PORT_MKEY_PROT_BITS_F},
        {PORT_INFO_LMC, IB_PORT_LMC_F},
        {PORT_INFO_LINK_SPEED_ACTIVE, IB_PORT_LINK_SPEED_ACTIVE_F},
        {PORT_INFO_LINK_SPEED_ENABLED, IB_PORT_LINK_SPEED_ENABLED_F},
        {PORT_INFO_NEIGHBOR_MTU, IB_PORT_NEIGHBOR_MTU_F},
        {PORT_INFO_MASTER_SM_SL, IB_PORT_SMSL_F},
        {PORT_INFO_VL_CAP, IB_PORT_VL_CAP_F},
        {PORT_INFO_INIT_TYPE, IB_PORT_INIT_TYPE_F},
        {PORT_INFO_VL_HIGH_LIMIT, IB_PORT_VL_HIGH_LIMIT_F},
        {PORT_INFO_VL_ARBITRATION_HIGH_CAP, IB_PORT_VL_ARBITRATION_HIGH_CAP_F},
        {PORT_INFO_VL_ARBITRATION_LOW_CAP, IB_PORT_VL_ARBITRATION_LOW_CAP_F},
        {PORT_INFO_INIT_TYPE_REPLY, IB_PORT_INIT_TYPE_REPLY_F},
        {PORT_INFO_MTU_CAP, IB_PORT_MTU_CAP_F},
        {PORT_INFO_VL_STALL_COUNT, IB_PORT_VL_STALL_COUNT_F},
        {PORT_INFO_HOQ_LIFE, IB_PORT_HOQ_LIFE_F},
        {PORT_INFO_OPERATIONAL_VLS, IB_PORT_OPER_VLS_F},
        {PORT_INFO_PARTITION_INBOUND, IB_PORT_PART_EN_INB_F},
        {PORT_INFO_PARTITION_OUTBOUND, IB_PORT_PART_EN_OUTB_F},
        {PORT_INFO_FILTER_RAW_INBOUND, IB_PORT_FILTER_RAW_INB_F},
        {PORT_INFO_FILTER_RAW_OUTBOUND, IB_PORT_FILTER_RAW_OUTB_F},
        {PORT_INFO_MKEY_VIOLATIONS, IB_PORT_MKEY_VIOL_F},
        {PORT_INFO_PKEY_VIOLATIONS, IB_PORT_PKEY_VIOL_F},
        {PORT_INFO_QKEY_VIOLATIONS, IB_PORT_QKEY_VIOL_F},
        {PORT_INFO_GUID_CAP, IB_PORT_GUID_CAP_F},
        {PORT_INFO_SUBNET_TIMEOUT, IB_PORT_SUBN_TIMEOUT_F},
        {PORT_INFO_RESPONSE_TIME, IB_PORT_RESP_TIME_VAL_F},
        {PORT_INFO_LOCAL_PHY_ERRORS, IB_PORT_LOCAL_PHYS_ERR_F},
        {PORT_INFO_OVERRUN_ERRORS, IB_PORT_OVERRUN_ERR_F},
},
  SWITCH[] = {
      {SWITCH_INFO_LINEAR_FDB_CAP, IB_SW_LINEAR_FDB_CAP_F},
      {SWITCH_INFO_RANDOM_FDB_CAP, IB_SW_RANDOM_FDB_CAP_F},
      {SWITCH_INFO_MULTICAST_FDB_CAP, IB_SW_MCAST_FDB_CAP_F},
      {SWITCH_INFO_LINEAR_FDB_TOP, IB_SW_LINEAR_FDB_TOP_F},
      {SWITCH_INFO_DEFAULT_PORT, IB_SW_DEF_PORT_F},
      {SWITCH_INFO_MULTICAST_PRIMARY_PORT, IB_SW_DEF_MCAST_PRIM_F},
      {SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT, IB_SW_DEF_MCAST_NOT_PRIM_F},
      {SWITCH_INFO_LIFE_TIME_VALUE, IB_SW_LIFE_TIME_F},
      {SWITCH_INFO_PORT_STATE_CHANGE, IB_SW_STATE_CHANGE_F},
      {SWITCH_INFO_LIDS_PER_PORT, IB_SW_LIDS_PER_PORT_F},
      {SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, IB_SW_PARTITION_ENFORCE_CAP_F},
      {SWITCH_INFO_INBOUND_ENFORCEMENT, IB_SW_PARTITION_ENF_INB_F},
      {SWITCH_INFO_OUTBOUND_ENFORCEMENT, IB_SW_PARTITION_ENF_OUTB_F},
      {SWITCH_INFO_FILTER_RAW_INBOUND, IB_SW_FILTER_RAW_INB_F},
      {SWITCH_INFO_FILTER_RAW_OUTBOUND, IB_SW_FILTER_RAW_OUTB_F},
      {SWITCH_INFO_ENHANCED_PORT_0, IB_SW_ENHANCED_PORT0_F},
};

static void fill(struct generated_chance *chance, uint8_t octets[SIZE])
{
    for (size_t i = 0; i < SIZE; i++)
        octets[i] = (uint8_t)generated_below(chance, 256);
}

static void check_pair(const struct pair *pair, struct generated_chance *chance)
{
    uint8_t octets[SIZE], ours[SIZE];
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(chance, octets);
        memcpy(ours, octets, SIZE);
        assert_int_equal(attribute_get(octets, 0, pair->field),
                         mad_get_field(octets, 0, pair->theirs));
        const uint32_t value = (uint32_t)generated_next(chance);
        attribute_set(ours, 0, pair->field, value);
        const unsigned bits = attribute_bits(pair->field);
        mad_set_field(octets, 0, pair->theirs, bits < 32 ? value & ((1u << bits) - 1) : value);
        assert_memory_equal(ours, octets, SIZE);
    }
}

TEST(fields_are_where_libibmad_has_them)
{
    struct generated_chance chance = {.state = 1};
    for (size_t i = 0; i < COUNT(PORT); i++)
        check_pair(&PORT[i], &chance);
    for (size_t i = 0; i < COUNT(SWITCH); i++)
        check_pair(&SWITCH[i], &chance);
}

TEST(octets_may_begin_within_the_attribute)
{
    enum { FIRST = 18 };
    struct generated_chance chance = {.state = 2};
    uint8_t octets[SIZE];
    fill(&chance, octets);
    for (size_t i = 0; i < COUNT(PORT); i++)
        assert_int_equal(attribute_get(octets + FIRST, FIRST, PORT[i].field),
                         mad_get_field(octets, 0, PORT[i].theirs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_where_libibmad_has_them),
        cmocka_unit_test(octets_may_begin_within_the_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
