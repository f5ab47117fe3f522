// SPDX-License-Identifier: BSD-2-Clause
// The values that a Set accepts or refuses.

#include "support.h"

#include "agent/set.h"

#define LEAF UINT64_C(0x0002c90300001234)

static struct fabric_node nodes[2] = {{.guid = 1}, {.guid = LEAF}};
static struct fabric fabric = {.nodes = nodes, .node_count = 2};
static struct setting setting;

// Only communities and recipients have rows by number.
static uint8_t number_of(enum setting_kind kind)
{
    return kind == SETTING_COMMUNITY || kind == SETTING_TRAP_RECIPIENT ? 3 : 0;
}

static enum agentx_error check(enum setting_kind kind, const struct agentx_value *value)
{
    const struct look look = {.fabric = &fabric, .node = 1, .number = number_of(kind)};
    return set_check(&look, kind, value, &setting);
}

static enum agentx_error check_octets(enum setting_kind kind, enum agentx_type type,
                                      const void *octets, size_t size)
{
    struct agentx_value value = {.type = type, .size = (uint16_t)size};
    memcpy(value.octets, octets, size);
    return check(kind, &value);
}

static enum agentx_error check_text(enum setting_kind kind, const char *text)
{
    return check_octets(kind, AGENTX_OCTETS, text, strlen(text));
}

static enum agentx_error check_level(int64_t level)
{
    const struct agentx_value value = {.type = AGENTX_INTEGER, .number = level};
    return check(SETTING_EVENT_TRAP_LEVEL, &value);
}

static enum agentx_error check_address(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    const uint8_t octets[] = {a, b, c, d};
    return check_octets(SETTING_TRAP_RECIPIENT, AGENTX_IP_ADDRESS, octets, sizeof octets);
}

static void assert_set(enum setting_kind kind, const void *value, size_t size)
{
    assert_int_equal(setting.kind, kind);
    assert_true(setting.guid == LEAF);
    assert_int_equal(setting.number, number_of(kind));
    assert_int_equal(setting.size, size);
    assert_memory_equal(setting.value, value, size);
}

TEST(a_name_is_set_without_its_padding)
{
    char padded[SETTING_VALUE_MAX] = "spine 7 (K\xC3\xB6ln)";
    assert_int_equal(check_text(SETTING_SWITCH_NAME, "leaf12"), AGENTX_NO_ERROR);
    assert_set(SETTING_SWITCH_NAME, "leaf12", 6);
    assert_int_equal(check_octets(SETTING_SAN_NAME, AGENTX_OCTETS, padded, sizeof padded),
                     AGENTX_NO_ERROR);
    assert_set(SETTING_SAN_NAME, padded, strlen(padded));
    memset(padded, 0, sizeof padded);
    assert_int_equal(check_octets(SETTING_FABRIC_NAME, AGENTX_OCTETS, padded, sizeof padded),
                     AGENTX_NO_ERROR);
    assert_set(SETTING_FABRIC_NAME, "", 0); // the same as never set
}

TEST(names_have_a_length)
{
    char name[SETTING_VALUE_MAX + 1];
    memset(name, 'n', sizeof name);
    assert_int_equal(check_octets(SETTING_SAN_NAME, AGENTX_OCTETS, name, sizeof name - 1),
                     AGENTX_NO_ERROR);
    assert_set(SETTING_SAN_NAME, name, sizeof name - 1);
    assert_int_equal(check_octets(SETTING_SAN_NAME, AGENTX_OCTETS, name, sizeof name),
                     AGENTX_WRONG_LENGTH);
    assert_int_equal(check_octets(SETTING_SWITCH_NAME, AGENTX_OCTETS, name, NAMES_NAME_SIZE - 1),
                     AGENTX_NO_ERROR);
    assert_int_equal(check_octets(SETTING_SWITCH_NAME, AGENTX_OCTETS, name, NAMES_NAME_SIZE),
                     AGENTX_WRONG_VALUE);
}

TEST(names_can_be_shown)
{
    static const char *const BAD[] = {
        "a\nb", "\x7F", "\x1B[2J", "\xFF", "\xC3", "\xC0\xAF", "\xE2\x80\xAEturned", "\xC2\x85"};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        assert_int_equal(check_text(SETTING_SWITCH_NAME, BAD[i]), AGENTX_WRONG_VALUE);
        assert_int_equal(check_text(SETTING_FABRIC_NAME, BAD[i]), AGENTX_WRONG_VALUE);
    }
    assert_int_equal(check_octets(SETTING_SWITCH_NAME, AGENTX_OCTETS, "a\0b", 3),
                     AGENTX_WRONG_VALUE);
}

TEST(a_level_is_a_severity)
{
    for (uint8_t level = 0; level <= 5; level++) {
        assert_int_equal(check_level(level), AGENTX_NO_ERROR);
        assert_set(SETTING_EVENT_TRAP_LEVEL, &level, 1);
    }
    assert_int_equal(check_level(6), AGENTX_WRONG_VALUE);
    assert_int_equal(check_level(-1), AGENTX_WRONG_VALUE);
    assert_int_equal(check_level(256), AGENTX_WRONG_VALUE);
}

TEST(a_community_is_short_and_printable)
{
    assert_int_equal(check_text(SETTING_COMMUNITY, "0123456789 ~!\"xy"), AGENTX_NO_ERROR);
    assert_set(SETTING_COMMUNITY, "0123456789 ~!\"xy", 16);
    assert_int_equal(check_text(SETTING_COMMUNITY, ""), AGENTX_NO_ERROR);
    assert_set(SETTING_COMMUNITY, "", 0);
    assert_int_equal(check_text(SETTING_COMMUNITY, "0123456789abcdefg"), AGENTX_WRONG_LENGTH);
    assert_int_equal(check_text(SETTING_COMMUNITY, "a\tb"), AGENTX_WRONG_VALUE);
    assert_int_equal(check_text(SETTING_COMMUNITY, "K\xC3\xB6ln"), AGENTX_WRONG_VALUE);
    assert_int_equal(check_octets(SETTING_COMMUNITY, AGENTX_OCTETS, "a\0", 2), AGENTX_WRONG_VALUE);
}

// draft-forbes-ibswitchmib-00, 3.2, gswSsn: a DisplayString of 128 octets at most.
TEST(a_serial_number_is_short_and_printable)
{
    char longest[SETTING_SERIAL_MAX + 1];
    memset(longest, 'S', sizeof longest);
    assert_int_equal(
        check_octets(SETTING_SERIAL_NUMBER, AGENTX_OCTETS, longest, sizeof longest - 1),
        AGENTX_NO_ERROR);
    assert_set(SETTING_SERIAL_NUMBER, longest, sizeof longest - 1);
    assert_int_equal(check_octets(SETTING_SERIAL_NUMBER, AGENTX_OCTETS, longest, sizeof longest),
                     AGENTX_WRONG_LENGTH);
    assert_int_equal(check_text(SETTING_SERIAL_NUMBER, ""), AGENTX_NO_ERROR);
    assert_int_equal(check_text(SETTING_SERIAL_NUMBER, "K\xC3\xB6ln"), AGENTX_WRONG_VALUE);
    const struct agentx_value number = {.type = AGENTX_INTEGER, .number = 1};
    assert_int_equal(check(SETTING_SERIAL_NUMBER, &number), AGENTX_WRONG_TYPE);
}

TEST(a_recipient_is_one_host)
{
    static const uint8_t ADDRESS[] = {192, 0, 2, 1};
    assert_int_equal(check_address(192, 0, 2, 1), AGENTX_NO_ERROR);
    assert_set(SETTING_TRAP_RECIPIENT, ADDRESS, 4);
    assert_int_equal(check_address(0, 0, 0, 0), AGENTX_NO_ERROR);
    assert_set(SETTING_TRAP_RECIPIENT, "", 0);
    assert_int_equal(check_address(127, 0, 0, 1), AGENTX_NO_ERROR);
    assert_int_equal(check_address(223, 255, 255, 255), AGENTX_NO_ERROR);
    assert_int_equal(check_address(0, 0, 0, 1), AGENTX_WRONG_VALUE);
    assert_int_equal(check_address(224, 0, 0, 1), AGENTX_WRONG_VALUE);
    assert_int_equal(check_address(255, 255, 255, 255), AGENTX_WRONG_VALUE);
    assert_int_equal(check_octets(SETTING_TRAP_RECIPIENT, AGENTX_IP_ADDRESS, ADDRESS, 3),
                     AGENTX_WRONG_LENGTH);
}

TEST(types_are_those_of_the_objects)
{
    static const uint8_t FOUR[] = {192, 0, 2, 1};
    assert_int_equal(check_octets(SETTING_TRAP_RECIPIENT, AGENTX_OCTETS, FOUR, 4),
                     AGENTX_WRONG_TYPE);
    assert_int_equal(check_octets(SETTING_COMMUNITY, AGENTX_IP_ADDRESS, FOUR, 4),
                     AGENTX_WRONG_TYPE);
    assert_int_equal(check_octets(SETTING_SWITCH_NAME, AGENTX_OPAQUE, "a", 1), AGENTX_WRONG_TYPE);
    assert_int_equal(check_octets(SETTING_EVENT_TRAP_LEVEL, AGENTX_OCTETS, "\1", 1),
                     AGENTX_WRONG_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_set_without_its_padding),
        cmocka_unit_test(names_have_a_length),
        cmocka_unit_test(names_can_be_shown),
        cmocka_unit_test(a_level_is_a_severity),
        cmocka_unit_test(a_community_is_short_and_printable),
        cmocka_unit_test(a_serial_number_is_short_and_printable),
        cmocka_unit_test(a_recipient_is_one_host),
        cmocka_unit_test(types_are_those_of_the_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
