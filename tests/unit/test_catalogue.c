// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/catalogue.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/field.h"
#include "model/mib.h"
#include "model/notice.h"

// Names that a template may use besides fields (see event/template.h).
static const char *const PLACEHOLDERS[] = {
    "meaning",          "subject",    "issuer",    "source",     "destination", "peer",
    "system",           "whole",      "restless",  "place",      "subjectEnd",  "peerEnd",
    "request",          "changes",    "late",      "derivation", "growth",      "times",
    "summarisedEvents", "lostEvents", "neighbour", "minutes",    "days"};

static const struct catalogue_entry *entry(int i)
{
    return catalogue_get((enum catalogue_event)i);
}

static bool is_identifier(const char *s)
{
    return s[0] >= 'a' && s[0] <= 'z' &&
           strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s);
}

// One or two sentences without placeholders. What raises an alarm needs more than a wait.
static void check_remedy(const struct catalogue_entry *e)
{
    size_t sentences = 0;
    assert_non_null(e->remedy);
    assert_in_range(strlen(e->remedy), 1, 240);
    assert_null(strpbrk(e->remedy, "{}[]"));
    for (const char *p = e->remedy; (p = strchr(p, '.')) != NULL; p++)
        sentences += p[1] == ' ' || p[1] == '\0';
    assert_in_range(sentences, 1, 2);
    assert_int_equal(e->remedy[strlen(e->remedy) - 1], '.');
    assert_ptr_equal(catalogue_remedy(e->name), e->remedy);
    assert_true(e->alarm != ALARM_RAISES || strncmp(e->remedy, "Nothing", 7) != 0);
}

TEST(every_entry_is_complete)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = entry(i);
        assert_non_null(e->name);
        assert_true(is_identifier(e->name));
        assert_in_range(strlen(e->name), 1, 32); // RFC 5424 6: MSGID
        assert_non_null(e->title);
        assert_in_range(strlen(e->title), 1, 64);
        assert_in_range(e->category, CATEGORY_FABRIC, CATEGORY_VENDOR);
        assert_in_range(e->severity, SEVERITY_CRITICAL, SEVERITY_INFORMATIONAL);
        assert_in_range(e->alarm, ALARM_NONE, ALARM_CLEARS);
        assert_in_range(e->subject, CATALOGUE_ABOUT_ISSUER, CATALOGUE_ABOUT_NO_NODE);
        assert_true(e->trap == 0 || e->subject != CATALOGUE_ABOUT_NODE);
        assert_in_range(e->origin, CATALOGUE_FROM_NOTICE, CATALOGUE_FROM_ALARM);
        assert_true(e->trap == 0 || e->origin == CATALOGUE_FROM_NOTICE);
        assert_non_null(e->text);
        assert_int_equal(e->text[strlen(e->text) - 1], '.');
        check_remedy(e);
    }
}

TEST(names_titles_and_traps_are_unique)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        for (int j = i + 1; j < CATALOGUE_COUNT; j++) {
            assert_string_not_equal(entry(i)->name, entry(j)->name);
            assert_string_not_equal(entry(i)->title, entry(j)->title);
            assert_false(entry(i)->trap != 0 && entry(i)->trap == entry(j)->trap);
        }
    }
}

static bool is_placeholder(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(PLACEHOLDERS); i++) {
        if (strlen(PLACEHOLDERS[i]) == length && memcmp(PLACEHOLDERS[i], name, length) == 0)
            return true;
    }
    return field_find(name, length) != FIELD_NONE;
}

TEST(every_placeholder_names_something)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        for (const char *p = entry(i)->text; (p = strchr(p, '{')); p++) {
            const char *end = strchr(p, '}');
            assert_non_null(end);
            assert_true(is_placeholder(p + 1, (size_t)(end - p - 1)));
        }
    }
}

// Each optional part contains a placeholder, and no bracket splits a placeholder.
TEST(options_are_well_formed)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const char *p = entry(i)->text;
        while ((p = strpbrk(p, "[]")) != NULL) {
            assert_int_equal(*p, '[');
            const char *close = p + 1 + strcspn(p + 1, "[]");
            const char *name = strchr(p, '{');
            assert_int_equal(*close, ']');
            assert_true(name && strchr(name, '}') < close);
            p = close + 1;
        }
    }
}

TEST(fields_are_listed_once)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const enum field *fields = entry(i)->fields;
        bool ended = false;
        for (size_t f = 0; f < CATALOGUE_FIELDS_MAX; f++) {
            assert_in_range(fields[f], FIELD_NONE, FIELD_COUNT - 1);
            assert_false(ended && fields[f] != FIELD_NONE);
            ended = fields[f] == FIELD_NONE;
            for (size_t g = 0; !ended && g < f; g++)
                assert_int_not_equal(fields[f], fields[g]);
        }
        assert_true(ended);
    }
}

TEST(a_field_is_found_in_its_rows)
{
    const struct catalogue_entry *mkey = catalogue_get(CATALOGUE_BAD_MKEY);
    assert_true(catalogue_has_field(mkey, FIELD_LID));
    assert_true(catalogue_has_field(mkey, FIELD_DR_TRUNCATED)); // the last
    assert_false(catalogue_has_field(mkey, FIELD_PKEY));
    assert_false(catalogue_has_field(catalogue_get(CATALOGUE_LINK_UP), FIELD_LID));
}

TEST(what_sums_up_events_is_not_the_gateways_own)
{
    static const enum catalogue_event SUMMARIES[] = {
        CATALOGUE_STORM_SUMMARY, CATALOGUE_EVENT_REPEATED, CATALOGUE_FLAPPING, CATALOGUE_SETTLED};
    size_t found = 0;
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        found += catalogue_is_summary(entry(i));
    assert_int_equal(found, COUNT(SUMMARIES));
    for (size_t i = 0; i < COUNT(SUMMARIES); i++) {
        assert_true(catalogue_is_summary(catalogue_get(SUMMARIES[i])));
        assert_false(catalogue_is_own(catalogue_get(SUMMARIES[i])));
    }
    assert_true(catalogue_is_own(catalogue_get(CATALOGUE_HEARTBEAT)));
    assert_true(catalogue_is_own(catalogue_get(CATALOGUE_SM_UNREACHABLE)));
    assert_false(catalogue_is_own(catalogue_get(CATALOGUE_LINK_DOWN)));
    assert_true(catalogue_is_own(catalogue_get(CATALOGUE_SWEEP_OVERFLOW)));
    assert_false(catalogue_is_own(catalogue_get(CATALOGUE_GUID_DUPLICATE)));
}

TEST(the_own_mib_serves_exactly_what_the_ib_sma_mib_does_not)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = entry(i);
        assert_int_equal(e->own == NULL, e->sma != NULL);
        assert_int_equal(e->gsw != NULL, e->switch_reason != 0);
        assert_int_equal(e->topo != NULL, e->topo_reason != 0);
        assert_true(e->topo == NULL || e->topo == &mib_gswIBTopoTrap);
        assert_true(!e->between_switches || e->topo);
    }
}

// The IBSWITCH-MIB's values for a change: gswTopoComSwitchStatus, gswIBTopoChangeReason.
TEST(changes_for_the_ibswitch_mib)
{
    static const struct {
        enum catalogue_event event;
        unsigned status, reason;
    } ROWS[] = {
        {CATALOGUE_SWITCH_ADDED, 2, 3},
        {CATALOGUE_SWITCH_REMOVED, 3, 3},
        {CATALOGUE_HOST_ADDED, 0, 4},
        {CATALOGUE_HOST_REMOVED, 0, 4},
        {CATALOGUE_ROUTER_ADDED, 2, 3},
        {CATALOGUE_ROUTER_REMOVED, 3, 3},
        {CATALOGUE_PORT_ADDED, 4, 2},
        {CATALOGUE_PORT_REMOVED, 5, 2},
        {CATALOGUE_LINK_UP, 4, 2},
        {CATALOGUE_LINK_DOWN, 5, 2},
        {CATALOGUE_SWITCH_MOVED, 4, 2},
        {CATALOGUE_ROUTER_MOVED, 4, 2},
        {CATALOGUE_HOST_MOVED, 0, 4},
        {CATALOGUE_PORT_MOVED, 4, 2},
        {CATALOGUE_LINK_MOVED, 4, 2},
        {CATALOGUE_SM_APPEARED, 0, 5},
        {CATALOGUE_SM_VANISHED, 0, 5},
        {CATALOGUE_SM_FAILED_OVER, 0, 6},
        {CATALOGUE_IO_UNIT_ADDED, 0, 8},
        {CATALOGUE_IO_UNIT_REMOVED, 0, 8},
        {CATALOGUE_IO_CONTROLLER_ADDED, 0, 7},
        {CATALOGUE_IO_CONTROLLER_REMOVED, 0, 7},
    };
    size_t found = 0;
    for (int i = CATALOGUE_SWITCH_ADDED; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = entry(i);
        const struct mib_notification *gsw = e->switch_reason ? &mib_gswTopoComTrap : NULL;
        assert_ptr_equal(e->gsw, gsw);
        assert_int_equal(e->between_switches, i == CATALOGUE_LINK_UP || i == CATALOGUE_LINK_DOWN ||
                                                  i == CATALOGUE_LINK_MOVED);
        found += e->topo != NULL;
    }
    assert_int_equal(found, COUNT(ROWS));
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        assert_int_equal(catalogue_get(ROWS[i].event)->switch_reason, ROWS[i].status);
        assert_int_equal(catalogue_get(ROWS[i].event)->topo_reason, ROWS[i].reason);
    }
}

TEST(switch_notifications_need_their_switches)
{
    const struct mib_notification *traps[MIB_GSW_TRAPS_MAX];
    struct event *e = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    e->subject.type = e->peer.type = FABRIC_SWITCH;
    assert_int_equal(mib_gsw_traps(e, traps), 0);
    e->switch_guid = 1;
    assert_int_equal(mib_gsw_traps(e, traps), 2);
    assert_ptr_equal(traps[0], &mib_gswTopoComTrap);
    assert_ptr_equal(traps[1], &mib_gswIBTopoTrap);
    e->peer.type = FABRIC_CA;
    assert_int_equal(mib_gsw_traps(e, traps), 0);
    e->type = catalogue_get(CATALOGUE_HOST_REMOVED);
    assert_int_equal(mib_gsw_traps(e, traps), 1);
    event_unref(e);
}

// Each row that raises an alarm has a row that clears the alarm.
TEST(alarms_come_in_pairs)
{
    static const char *const PAIRS[][2] = {
        {"subscription-lost", "subscription-restored"},
        {"receiver-failing", "receiver-back"},
        {"journal-dropping", "journal-dropping-ended"},
        {"journal-degraded", "journal-healed"},
        {"sweep-overflow", "sweep-recovered"},
        {"switch-removed", "switch-added"},
        {"host-removed", "host-added"},
        {"nodes-removed", "nodes-added"},
        {"router-removed", "router-added"},
        {"port-removed", "port-added"},
        {"link-down", "link-up"},
        {"link-degraded", "link-restored"},
        {"link-inactive", "link-active"},
        {"sm-vanished", "sm-appeared"},
        {"sm-unreachable", "sm-back"},
        {"io-unit-removed", "io-unit-added"},
        {"io-controller-removed", "io-controller-added"},
        {"threshold-reached", "threshold-cleared"},
        {"link-errors-raised", "link-errors-cleared"},
        {"congestion-raised", "congestion-cleared"},
        {"switch-missing", "as-expected"},
        {"host-missing", "as-expected"},
        {"router-missing", "as-expected"},
        {"link-missing", "as-expected"},
        {"link-miscabled", "as-expected"},
        {"link-below-expected", "as-expected"},
        {"node-unexpected", "as-expected"},
        {"link-unexpected", "as-expected"},
        {"topology-differs", "topology-agrees"},
        {"link-unreliable", "link-reliable"},
        {"flapping", "settled"},
        {"module-hot", "hardware-good"},
        {"module-power-low", "hardware-good"},
        {"module-fault", "hardware-good"},
        {"temperature-high", "hardware-good"},
        {"fan-failed", "hardware-good"},
        {"power-supply-failed", "hardware-good"},
        {"firmware-differs", "hardware-good"},
        {"sm-port-unhealthy", "alarm-cleared"}, // which ends an alarm of any kind
    };
    enum { SHARED = 7 + 6 }; // alarms beyond the first that as-expected or hardware-good clears
    size_t raising = 0, clearing = 0;
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        raising += entry(i)->alarm == ALARM_RAISES;
        clearing += entry(i)->alarm == ALARM_CLEARS;
    }
    assert_int_equal(raising, COUNT(PAIRS));
    assert_int_equal(clearing, COUNT(PAIRS) - SHARED);
    for (size_t i = 0; i < COUNT(PAIRS); i++) {
        const struct catalogue_entry *up = catalogue_find(PAIRS[i][0]);
        const struct catalogue_entry *down = catalogue_find(PAIRS[i][1]);
        assert_true(up && down);
        assert_int_equal(up->alarm, ALARM_RAISES);
        assert_int_equal(down->alarm, ALARM_CLEARS);
        assert_true(up->severity < down->severity || up->severity == SEVERITY_INFORMATIONAL);
    }
}

TEST(each_notification_belongs_to_one_event)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        for (int j = i + 1; j < CATALOGUE_COUNT; j++) {
            assert_false(entry(i)->sma && entry(i)->sma == entry(j)->sma);
            assert_false(entry(i)->own && entry(i)->own == entry(j)->own);
            // Several changes of the topology have the same status, for instance for switches and
            // routers.
            assert_false(entry(i)->gsw && entry(i)->gsw == entry(j)->gsw &&
                         entry(i)->gsw != &mib_gswTopoComTrap &&
                         entry(i)->switch_reason == entry(j)->switch_reason);
        }
    }
}

TEST(every_trap_has_its_row)
{
    static const struct {
        uint16_t trap;
        enum catalogue_event event;
        const char *name;
        enum severity severity;
        enum category category;
    } ROWS[] = {
        {64, CATALOGUE_GID_IN_SERVICE, "gid-in-service", SEVERITY_INFORMATIONAL, CATEGORY_NODE},
        {65, CATALOGUE_GID_OUT_OF_SERVICE, "gid-out-of-service", SEVERITY_NOTICE, CATEGORY_NODE},
        {66, CATALOGUE_MCAST_GROUP_CREATED, "mcast-group-created", SEVERITY_INFORMATIONAL,
         CATEGORY_MULTICAST},
        {67, CATALOGUE_MCAST_GROUP_DELETED, "mcast-group-deleted", SEVERITY_INFORMATIONAL,
         CATEGORY_MULTICAST},
        {68, CATALOGUE_PATH_REMOVED, "path-removed", SEVERITY_NOTICE, CATEGORY_FABRIC},
        {69, CATALOGUE_PATH_RESTORED, "path-restored", SEVERITY_NOTICE, CATEGORY_FABRIC},
        {128, CATALOGUE_LINK_STATE_CHANGE, "link-state-change", SEVERITY_NOTICE, CATEGORY_LINK},
        {129, CATALOGUE_LINK_INTEGRITY_THRESHOLD, "link-integrity-threshold", SEVERITY_WARNING,
         CATEGORY_LINK},
        {130, CATALOGUE_BUFFER_OVERRUN_THRESHOLD, "buffer-overrun-threshold", SEVERITY_WARNING,
         CATEGORY_LINK},
        {131, CATALOGUE_FLOW_CONTROL_TIMEOUT, "flow-control-timeout", SEVERITY_WARNING,
         CATEGORY_LINK},
        {144, CATALOGUE_CAPABILITY_CHANGE, "capability-change", SEVERITY_INFORMATIONAL,
         CATEGORY_PORT},
        {145, CATALOGUE_SYSTEM_IMAGE_GUID_CHANGE, "system-image-guid-change", SEVERITY_NOTICE,
         CATEGORY_NODE},
        {256, CATALOGUE_BAD_MKEY, "bad-mkey", SEVERITY_WARNING, CATEGORY_SECURITY},
        {257, CATALOGUE_BAD_PKEY, "bad-pkey", SEVERITY_WARNING, CATEGORY_SECURITY},
        {258, CATALOGUE_BAD_QKEY, "bad-qkey", SEVERITY_WARNING, CATEGORY_SECURITY},
        {259, CATALOGUE_BAD_PKEY_AT_SWITCH, "bad-pkey-at-switch", SEVERITY_WARNING,
         CATEGORY_SECURITY},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct notice notice = {.generic = true, .trap = ROWS[i].trap};
        const struct catalogue_entry *e = catalogue_of_notice(&notice);
        assert_ptr_equal(e, catalogue_get(ROWS[i].event));
        assert_int_equal(e->trap, ROWS[i].trap);
        assert_string_equal(e->name, ROWS[i].name);
        assert_int_equal(e->severity, ROWS[i].severity);
        assert_int_equal(e->category, ROWS[i].category);
        notice.generic = false;
        assert_ptr_equal(catalogue_of_notice(&notice), catalogue_get(CATALOGUE_VENDOR_TRAP));
    }
}

TEST(any_other_trap_is_unknown)
{
    unsigned known = 0;
    for (uint32_t trap = 0; trap <= 0xFFFF; trap++) {
        struct notice notice = {.generic = true, .trap = (uint16_t)trap};
        known += catalogue_of_notice(&notice) != catalogue_get(CATALOGUE_UNKNOWN_TRAP);
    }
    assert_int_equal(known, 16);
}

TEST(field_names_are_unique_and_found)
{
    for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
        const char *name = field_name((enum field)f);
        assert_non_null(name);
        assert_int_equal(
            strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
            strlen(name));
        assert_in_range(strlen(name), 1, 32); // RFC 5424 6: SD-NAME
        assert_int_equal(field_find(name, strlen(name)), f);
        assert_int_equal(field_find(name, strlen(name) - 1) == (enum field)f, false);
    }
    assert_int_equal(field_find("nothing", 7), FIELD_NONE);
    assert_int_equal(field_find("", 0), FIELD_NONE);
}

// Writes values of each width, and nothing beside them.
TEST(numbers_are_set_where_they_are_kept)
{
    static const struct {
        enum field field;
        uint64_t max;
    } ROWS[] = {{FIELD_METHOD, UINT8_MAX},
                {FIELD_ATTRIBUTE, UINT16_MAX},
                {FIELD_ATTRIBUTE_MODIFIER, UINT32_MAX},
                {FIELD_SYSTEM_IMAGE_GUID, UINT64_MAX}};
    struct event *event = event_make(catalogue_get(CATALOGUE_BAD_MKEY));
    struct notice ones;
    memset(&ones, 0xFF, sizeof ones);
    memset(&event->notice, 0xFF, sizeof event->notice);
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        field_set_number(event, ROWS[i].field, 0);
        assert_int_equal(field_get(event, ROWS[i].field).number, 0);
        field_set_number(event, ROWS[i].field, ROWS[i].max);
        assert_memory_equal(&event->notice, &ones, sizeof ones);
    }
    event_unref(event);
}

TEST(severities_have_words)
{
    static const char *const WORDS[][2] = {{"emergency", "critical"},
                                           {"alert", "critical"},
                                           {"critical", "major"},
                                           {"error", "minor"},
                                           {"warning", "warning"},
                                           {"notice", "indeterminate"},
                                           {"informational", "indeterminate"},
                                           {"debug", "indeterminate"}};
    for (int s = SEVERITY_EMERGENCY; s <= SEVERITY_DEBUG; s++) {
        assert_string_equal(severity_word((enum severity)s), WORDS[s][0]);
        assert_string_equal(severity_perceived((enum severity)s), WORDS[s][1]);
    }
    assert_string_equal(category_word(CATEGORY_FABRIC), "fabric");
    assert_string_equal(category_word(CATEGORY_SECURITY), "security");
    assert_string_equal(category_word(CATEGORY_VENDOR), "vendor");
    assert_string_equal(alarm_role_word(ALARM_NONE), "none");
    assert_string_equal(alarm_role_word(ALARM_RAISES), "raised");
    assert_string_equal(alarm_role_word(ALARM_CLEARS), "cleared");
}

// The numbers of the IBSWITCH-MIB.
TEST(severities_have_levels)
{
    static const unsigned LEVELS[] = {1, 1, 1, 2, 3, 4, 4, 5};
    for (size_t i = 0; i < COUNT(LEVELS); i++)
        assert_int_equal(severity_event_level((enum severity)i), LEVELS[i]);
    assert_string_equal(event_level_word(EVENT_LEVEL_NONE), "none");
    assert_string_equal(event_level_word(EVENT_LEVEL_DEBUG), "debug");
}

TEST(an_events_index_begins_anew)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    static const int64_t NUMBERS[][2] = {{1, 1},
                                         {INT32_MAX, INT32_MAX},
                                         {INT64_C(2147483648), 1},
                                         {INT64_C(2147483648) + 7, 7},
                                         {INT64_MAX, INT32_MAX}};
    for (size_t i = 0; i < COUNT(NUMBERS); i++) {
        event->number = NUMBERS[i][0];
        assert_int_equal(event_index(event), NUMBERS[i][1]);
    }
    event_unref(event);
}

TEST(an_event_has_happened_once_at_least)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_int_equal(event_times(event), 1);
    event->repeat_count = 12;
    assert_int_equal(event_times(event), 12);
    event->repeat_count = UINT64_MAX;
    assert_int_equal(event_times(event), INT32_MAX);
    event_unref(event);
}

TEST(a_misspelled_event_has_a_nearest_one)
{
    static const struct {
        const char *name, *hint;
    } CASES[] = {
        {"link-dwon", "; did you mean 'link-down'?"},
        {"host_removed", "; did you mean 'host-removed'?"},
        {"Link-down", "; did you mean 'link-down'?"},
        {"sm-bakc", "; did you mean 'sm-back'?"},
        {"coffee-ready", "; 'ibtrapctl catalogue' lists them"},
        {"", "; 'ibtrapctl catalogue' lists them"},
        {"a-name-that-is-longer-than-any-event-has", "; 'ibtrapctl catalogue' lists them"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char buf[100];
        struct text t = text_in(buf, sizeof buf);
        catalogue_add_hint(CASES[i].name, &t);
        assert_string_equal(buf, CASES[i].hint);
    }
}

TEST(protocol_numbers_have_words)
{
    char buf[200];
    struct text t = text_in(buf, sizeof buf);
    assert_string_equal(notice_method_word(0x01), "SubnGet");
    assert_string_equal(notice_method_word(0x81), "SubnGetResp");
    assert_null(notice_method_word(0x99));
    assert_string_equal(notice_attribute_word(0x0015), "PortInfo");
    assert_string_equal(notice_attribute_word(0x0020), "SMInfo");
    assert_null(notice_attribute_word(0xABCD));
    assert_string_equal(fabric_type_word(FABRIC_CA), "host");
    assert_string_equal(fabric_type_word(FABRIC_SWITCH), "switch");
    assert_string_equal(fabric_type_word(FABRIC_ROUTER), "router");
    assert_string_equal(fabric_type_word(0), "");
    assert_string_equal(fabric_type_word(4), "");
    notice_add_changes(&t, 0x3F);
    assert_string_equal(buf, "NodeDescription, LinkWidthEnabled, LinkSpeedEnabled, SM priority, "
                             "HierarchyInfo, CapabilityMask2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test(names_titles_and_traps_are_unique),
        cmocka_unit_test(every_placeholder_names_something),
        cmocka_unit_test(options_are_well_formed),
        cmocka_unit_test(fields_are_listed_once),
        cmocka_unit_test(a_field_is_found_in_its_rows),
        cmocka_unit_test(what_sums_up_events_is_not_the_gateways_own),
        cmocka_unit_test(numbers_are_set_where_they_are_kept),
        cmocka_unit_test(the_own_mib_serves_exactly_what_the_ib_sma_mib_does_not),
        cmocka_unit_test(changes_for_the_ibswitch_mib),
        cmocka_unit_test(switch_notifications_need_their_switches),
        cmocka_unit_test(alarms_come_in_pairs),
        cmocka_unit_test(each_notification_belongs_to_one_event),
        cmocka_unit_test(every_trap_has_its_row),
        cmocka_unit_test(any_other_trap_is_unknown),
        cmocka_unit_test(field_names_are_unique_and_found),
        cmocka_unit_test(severities_have_words),
        cmocka_unit_test(severities_have_levels),
        cmocka_unit_test(an_events_index_begins_anew),
        cmocka_unit_test(an_event_has_happened_once_at_least),
        cmocka_unit_test(a_misspelled_event_has_a_nearest_one),
        cmocka_unit_test(protocol_numbers_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
