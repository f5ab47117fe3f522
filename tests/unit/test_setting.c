// SPDX-License-Identifier: BSD-2-Clause
// The value of one setting that was made by SNMP.

#include "support.h"

#include "model/setting.h"

#define LEAF  UINT64_C(0x0002c90300001234)
#define SPINE UINT64_C(0x0002c90300005678)

static struct setting text(enum setting_kind kind, uint64_t guid, uint8_t number, const char *value)
{
    struct setting s = {
        .kind = kind, .guid = guid, .number = number, .size = (uint16_t)strlen(value)};
    memcpy(s.value, value, s.size);
    return s;
}

static void check(const struct settings *settings, enum setting_kind kind, uint64_t guid,
                  uint8_t number, const char *value)
{
    const struct setting *found = settings_find(settings, kind, guid, number);
    if (!value) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(found->size, strlen(value));
    assert_memory_equal(found->value, value, found->size);
}

TEST(nothing_is_set_at_first)
{
    struct settings *none = settings_with(NULL, NULL, 0);
    assert_non_null(none);
    assert_int_equal(settings_count(none), 0);
    assert_int_equal(settings_count(NULL), 0);
    check(none, SETTING_SWITCH_NAME, LEAF, 0, NULL);
    check(NULL, SETTING_SWITCH_NAME, LEAF, 0, NULL);
    settings_unref(none);
    settings_unref(NULL);
}

TEST(a_change_leaves_the_old_ones_as_they_were)
{
    const struct setting first = text(SETTING_SWITCH_NAME, LEAF, 0, "leaf12");
    const struct setting second[] = {text(SETTING_SWITCH_NAME, LEAF, 0, "leaf13"),
                                     text(SETTING_COMMUNITY, SPINE, 6, "public")};
    struct settings *old = settings_with(NULL, &first, 1);
    struct settings *now = settings_with(old, second, 2);
    check(old, SETTING_SWITCH_NAME, LEAF, 0, "leaf12");
    check(old, SETTING_COMMUNITY, SPINE, 6, NULL);
    settings_unref(old);
    check(now, SETTING_SWITCH_NAME, LEAF, 0, "leaf13");
    check(now, SETTING_COMMUNITY, SPINE, 6, "public");
    check(now, SETTING_COMMUNITY, SPINE, 5, NULL);
    check(now, SETTING_COMMUNITY, LEAF, 6, NULL);
    check(now, SETTING_SAN_NAME, LEAF, 0, NULL);
    assert_int_equal(settings_count(now), 2);
    settings_unref(now);
}

TEST(an_empty_value_is_as_if_it_had_never_been_set)
{
    const struct setting some[] = {
        text(SETTING_SWITCH_NAME, LEAF, 0, "leaf12"), text(SETTING_SAN_NAME, LEAF, 0, "san"),
        text(SETTING_SWITCH_NAME, LEAF, 0, ""), text(SETTING_FABRIC_NAME, LEAF, 0, "")};
    struct settings *settings = settings_with(NULL, some, COUNT(some));
    check(settings, SETTING_SWITCH_NAME, LEAF, 0, NULL);
    check(settings, SETTING_SAN_NAME, LEAF, 0, "san");
    assert_int_equal(settings_count(settings), 1);
    settings_unref(settings);
}

TEST(they_stand_in_order)
{
    const struct setting some[] = {
        text(SETTING_TRAP_RECIPIENT, LEAF, 1, "abcd"), text(SETTING_COMMUNITY, SPINE, 1, "s1"),
        text(SETTING_COMMUNITY, LEAF, 2, "l2"), text(SETTING_COMMUNITY, LEAF, 1, "l1"),
        text(SETTING_SWITCH_NAME, SPINE, 0, "spine")};
    static const size_t ORDER[] = {4, 3, 2, 1, 0};
    struct settings *settings = settings_with(NULL, some, COUNT(some));
    assert_int_equal(settings_count(settings), COUNT(some));
    for (size_t i = 0; i < COUNT(some); i++)
        assert_memory_equal(settings_at(settings, i), &some[ORDER[i]], sizeof *some);
    settings_unref(settings);
}

TEST(there_is_room_for_so_many)
{
    struct setting *all = calloc(SETTINGS_MAX, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < SETTINGS_MAX; i++)
        all[i] = text(SETTING_SWITCH_NAME, i + 1, 0, "x");
    const struct setting one_more = text(SETTING_SAN_NAME, 1, 0, "x"),
                         another = text(SETTING_SWITCH_NAME, 7, 0, "y"),
                         less[] = {text(SETTING_SWITCH_NAME, 8, 0, ""), one_more};
    struct settings *full = settings_with(NULL, all, SETTINGS_MAX);
    free(all);
    assert_non_null(full);
    assert_null(settings_with(full, &one_more, 1));
    struct settings *changed = settings_with(full, &another, 1);
    check(changed, SETTING_SWITCH_NAME, 7, 0, "y");
    settings_unref(changed);
    changed = settings_with(full, less, 2);
    check(changed, SETTING_SAN_NAME, 1, 0, "x");
    settings_unref(changed);
    settings_unref(full);
}

TEST(a_reference_holds_them)
{
    const struct setting name = text(SETTING_SWITCH_NAME, LEAF, 0, "leaf12");
    struct settings *settings = settings_with(NULL, &name, 1);
    assert_ptr_equal(settings_ref(settings), settings);
    settings_unref(settings);
    check(settings, SETTING_SWITCH_NAME, LEAF, 0, "leaf12");
    settings_unref(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_set_at_first),
        cmocka_unit_test(a_change_leaves_the_old_ones_as_they_were),
        cmocka_unit_test(an_empty_value_is_as_if_it_had_never_been_set),
        cmocka_unit_test(they_stand_in_order),
        cmocka_unit_test(there_is_room_for_so_many),
        cmocka_unit_test(a_reference_holds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
