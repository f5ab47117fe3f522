// SPDX-License-Identifier: BSD-2-Clause
// Trap recipients set by SNMP become receivers.

#include "support.h"

#include "daemon/trap_recipients.h"
#include "model/catalogue.h"

#define LEAF  UINT64_C(0x0002c90300001234)
#define SPINE UINT64_C(0x0002c90300005678)

static struct settings *settings;
static struct trap_recipients recipients;
static struct error err;

static int begin(void **state)
{
    (void)state;
    settings = settings_with(NULL, NULL, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    trap_recipients_clear(&recipients);
    settings_unref(settings);
    return 0;
}

static void change(const struct setting *setting)
{
    struct settings *old = settings;
    settings = settings_with(old, setting, 1);
    assert_non_null(settings);
    settings_unref(old);
}

static void set_community(uint64_t guid, uint8_t number, const char *community)
{
    struct setting s = {.kind = SETTING_COMMUNITY,
                        .guid = guid,
                        .number = number,
                        .size = (uint16_t)strlen(community)};
    memcpy(s.value, community, s.size);
    change(&s);
}

static void set_address(uint64_t guid, uint8_t number, uint8_t last)
{
    const struct setting s = {.kind = SETTING_TRAP_RECIPIENT,
                              .guid = guid,
                              .number = number,
                              .size = last != 0 ? 4 : 0,
                              .value = {192, 0, 2, last}};
    change(&s);
}

static void set_row(uint64_t guid, uint8_t number, const char *community, uint8_t last)
{
    set_community(guid, number, community);
    set_address(guid, number, last);
}

static void find(size_t count)
{
    trap_recipients_clear(&recipients);
    assert_true(trap_recipients_of(settings, 1162, &recipients, &err));
    assert_int_equal(recipients.count, count);
}

static void check(size_t i, const char *name, const char *community, bool leaf, bool spine)
{
    const struct conf_receiver *r = &recipients.all[i];
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_string_equal(r->name, name);
    assert_string_equal(r->snmp.community, community);
    event->switch_guid = LEAF;
    assert_int_equal(filter_passes(&r->filter, event), leaf);
    event->switch_guid = SPINE;
    assert_int_equal(filter_passes(&r->filter, event), spine);
    event->switch_guid = 0;
    assert_string_equal(filter_refusal(&r->filter, event), "trap group");
    event_unref(event);
}

TEST(a_row_is_a_receiver_of_snmpv1_traps)
{
    set_row(LEAF, 1, "public", 1);
    find(1);
    check(0, "recipient-192.0.2.1-5f10", "public", true, false);
    const struct conf_receiver *r = &recipients.all[0];
    assert_int_equal(r->kind, CONF_SNMP);
    assert_int_equal(r->transport, TRANSPORT_UDP);
    assert_string_equal(r->host, "192.0.2.1");
    assert_int_equal(r->port, 1162);
    assert_int_equal(r->rate, 1000);
    assert_int_equal(r->burst, 100);
    assert_int_equal(r->snmp.version, 1);
    assert_false(r->snmp.inform);
    assert_int_equal(r->snmp.sets, SNMP_SET_SWITCH | SNMP_SET_EVENT);
    assert_true(trap_recipients_are_named(r->name));
    assert_false(trap_recipients_are_named("nms"));
}

TEST(a_row_that_is_not_complete_is_none)
{
    find(0);
    set_community(LEAF, 1, "public");
    set_address(LEAF, 2, 1);
    set_address(SPINE, 1, 1);
    find(0);
    set_row(LEAF, 3, "public", 1);
    find(1);
    set_address(LEAF, 3, 0);
    find(0);
}

TEST(switches_with_the_same_row_are_a_trap_group)
{
    set_row(LEAF, 1, "public", 1);
    set_row(SPINE, 6, "public", 1);
    set_row(SPINE, 2, "secret", 1);
    set_row(SPINE, 3, "public", 2);
    set_row(SPINE, 4, "public", 2); // the same recipient in a second row
    find(3);
    check(0, "recipient-192.0.2.1-5f10", "public", true, true);
    check(1, "recipient-192.0.2.1-0f6d", "secret", false, true);
    check(2, "recipient-192.0.2.2-5f10", "public", false, true);
}

TEST(a_name_is_the_same_whoever_else_is_there)
{
    set_row(LEAF, 1, "public", 1);
    set_row(LEAF, 2, "secret", 1);
    find(2);
    check(1, "recipient-192.0.2.1-0f6d", "secret", true, false);
    set_address(LEAF, 1, 0);
    find(1);
    check(0, "recipient-192.0.2.1-0f6d", "secret", true, false);
    set_row(LEAF, 2, "", 1);
    set_row(SPINE, 1, "secret", 1);
    find(1);
    check(0, "recipient-192.0.2.1-0f6d", "secret", false, true);
}

// Two communities with one digest.
TEST(names_differ)
{
    set_row(LEAF, 1, "adl", 1);
    set_row(LEAF, 2, "art", 1);
    set_row(LEAF, 3, "art", 2);
    find(3);
    check(0, "recipient-192.0.2.1-36e5", "adl", true, false);
    check(1, "recipient-192.0.2.1-36e6", "art", true, false);
    check(2, "recipient-192.0.2.2-36e5", "art", true, false);
}

TEST(receivers_are_equal_when_they_do_the_same)
{
    struct trap_recipients before;
    set_row(LEAF, 1, "public", 1);
    assert_true(trap_recipients_of(settings, 1162, &before, &err));
    find(1);
    assert_true(trap_recipients_equal(&before.all[0], &recipients.all[0]));
    set_row(SPINE, 1, "public", 1);
    find(1);
    assert_false(trap_recipients_equal(&before.all[0], &recipients.all[0]));
    set_address(SPINE, 1, 0);
    find(1);
    assert_true(trap_recipients_equal(&before.all[0], &recipients.all[0]));
    set_community(LEAF, 1, "publi");
    find(1);
    assert_false(trap_recipients_equal(&before.all[0], &recipients.all[0]));
    set_community(LEAF, 1, "public");
    trap_recipients_clear(&recipients);
    assert_true(trap_recipients_of(settings, 162, &recipients, &err));
    assert_false(trap_recipients_equal(&before.all[0], &recipients.all[0]));
    trap_recipients_clear(&before);
}

TEST(there_is_room_for_so_many)
{
    for (unsigned i = 1; i <= TRAP_RECIPIENTS_MAX; i++)
        set_row(i, 1, "public", (uint8_t)i);
    set_row(LEAF, 1, "public", TRAP_RECIPIENTS_MAX); // no further recipient
    find(TRAP_RECIPIENTS_MAX);
    check(TRAP_RECIPIENTS_MAX - 1, "recipient-192.0.2.64-5f10", "public", true, false);
    set_row(LEAF, 2, "another", 1);
    set_row(SPINE, 1, "public", 1);
    trap_recipients_clear(&recipients);
    assert_false(trap_recipients_of(settings, 162, &recipients, &err));
    assert_string_equal(err.text, "there are more than 64 trap recipients");
    assert_int_equal(recipients.count, TRAP_RECIPIENTS_MAX);
    check(0, "recipient-192.0.2.1-5f10", "public", false,
          true); // the first recipients, with all their switches
}

#define RECIPIENTS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECIPIENTS_TEST(a_row_is_a_receiver_of_snmpv1_traps),
        RECIPIENTS_TEST(a_row_that_is_not_complete_is_none),
        RECIPIENTS_TEST(switches_with_the_same_row_are_a_trap_group),
        RECIPIENTS_TEST(a_name_is_the_same_whoever_else_is_there),
        RECIPIENTS_TEST(names_differ),
        RECIPIENTS_TEST(receivers_are_equal_when_they_do_the_same),
        RECIPIENTS_TEST(there_is_room_for_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
