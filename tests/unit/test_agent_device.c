// SPDX-License-Identifier: BSD-2-Clause
// The tables about a device: objects whose values the simulated fabric does not change.
#include "generated.h"
#include "support.h"

#include "looks.h"

#include "base/text.h"
#include "tables/tables.h"

#include <string.h>

enum { SWITCH, HOST }; // nodes
static const uint64_t SWITCH_GUID = 0x100, HOST_GUID = 0x200;

static struct generated g;
static struct agent_snapshot snapshot;
static uint32_t device;               // the end port whose context it is
static struct snapshot_source source; // nothing is read on demand

static int begin(void **state)
{
    (void)state;
    g = (struct generated){0};
    generated_add(&g, FABRIC_SWITCH, SWITCH_GUID, "switch", 4);
    generated_add(&g, FABRIC_CA, HOST_GUID, "host", 2);
    generated_link(&g, SWITCH, 1, HOST, 1);
    return 0;
}

static void forget(void)
{
    fabric_unref(snapshot.fabric);
    accumulated_unref(snapshot.accumulated);
    snapshot = (struct agent_snapshot){.source = &source};
}

static int end(void **state)
{
    (void)state;
    forget();
    generated_clear(&g);
    return 0;
}

static struct look look_here(void)
{
    struct look look = look_at(&snapshot);
    look.device = device;
    return look;
}

// Makes a snapshot of the made fabric, in the context of the end port.
static void enter(uint64_t port_guid)
{
    forget();
    snapshot.source = &source;
    snapshot.fabric = generated_look(&g, 0);
    device = fabric_find_port_guid(snapshot.fabric, port_guid);
    assert_int_not_equal(device, FABRIC_NONE);
}

static const struct table_column *find(const char *name, const struct table **table)
{
    for (size_t i = 0; i < DEVICE_TABLES.count; i++) {
        *table = DEVICE_TABLES.tables[i];
        for (size_t c = 0; c < (*table)->column_count; c++) {
            if (strcmp((*table)->columns[c].name, name) == 0)
                return &(*table)->columns[c];
        }
    }
    fail_msg("there is no column %s", name);
    return NULL;
}

// The value of an instance; AGENTX_NO_SUCH_INSTANCE if there is none.
static struct agentx_value get(const char *name, uint32_t index)
{
    const struct table *table = NULL;
    const struct table_column *column = find(name, &table);
    struct agentx_oid oid = {.length = 0};
    struct agentx_value value;
    for (size_t i = 0; i < table->entry_length; i++)
        agentx_oid_add(&oid, table->entry[i]);
    agentx_oid_add(&oid, column->number);
    agentx_oid_add(&oid, index);
    struct look look = look_here();
    table_get(&DEVICE_TABLES, &look, &oid, &value);
    return value;
}

static int64_t number(const char *name, uint32_t index)
{
    const struct agentx_value value = get(name, index);
    assert_int_not_equal(value.type, AGENTX_NO_SUCH_INSTANCE);
    return value.number;
}

static bool is_missing(const char *name, uint32_t index)
{
    return get(name, index).type == AGENTX_NO_SUCH_INSTANCE;
}

struct bit_name {
    unsigned bit;
    const char *name;
};

// Sets the bits of a field in turn: only the object of that bit is true(1).
static void check_bits(enum port_info_field field, const struct bit_name *names, size_t count)
{
    for (size_t set = 0; set < count; set++) {
        fabric_set_port_info(generated_port(&g, SWITCH, 0), field, UINT32_C(1) << names[set].bit);
        enter(SWITCH_GUID);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(number(names[i].name, 0), i == set ? 1 : 2);
    }
}

// IBA 14.2.5.6: bits of CapabilityMask, InitType and InitTypeReply.
TEST(each_bit_has_its_object)
{
    static const struct bit_name CAPABILITIES[] = {
        {1, "ibSmaPortIsSubnetManager"},
        {2, "ibSmaPortIsNoticeSupported"},
        {3, "ibSmaPortIsTrapSupported"},
        {5, "ibSmaPortIsAutoMigrateSupported"},
        {6, "ibSmaPortIsSlMappingSupported"},
        {7, "ibSmaPortIsMKeyNvram"},
        {8, "ibSmaPortIsPKeyNvram"},
        {9, "ibSmaPortIsLedInfoSupported"},
        {10, "ibSmaPortIsSmDisabled"},
        {11, "ibSmaPortIsSysImgGuidSupported"},
        {12, "ibSmaPortIsPKeyExtPortTrapSup"},
        {16, "ibSmaPortIsCommManageSupported"},
        {17, "ibSmaPortIsSnmpTunnelSupported"},
        {18, "ibSmaPortIsReinitSupported"},
        {19, "ibSmaPortIsDevManageSupported"},
        {20, "ibSmaPortIsVendorClassSupported"},
        {21, "ibSmaPortIsDrNoticeSupported"},
        {22, "ibSmaPortIsCapMaskNoticSupported"},
        {23, "ibSmaPortIsBootMgmtSupported"},
    };
    static const struct bit_name WANTED[] = {{0, "ibSmaPortInitTypeLoad"},
                                             {1, "ibSmaPortInitTypeContent"},
                                             {2, "ibSmaPortInitTypePresence"},
                                             {3, "ibSmaPortInitTypeResuscitate"}};
    static const struct bit_name GRANTED[] = {{0, "ibSmaPortInitNoLoadReply"},
                                              {1, "ibSmaPortInitPreserveContReply"},
                                              {2, "ibSmaPortInitPreservePresReply"}};
    check_bits(PORT_INFO_CAPABILITY_MASK, CAPABILITIES, COUNT(CAPABILITIES));
    check_bits(PORT_INFO_INIT_TYPE, WANTED, COUNT(WANTED));
    check_bits(PORT_INFO_INIT_TYPE_REPLY, GRANTED, COUNT(GRANTED));
}

TEST(labels_are_those_of_the_module_and_all_else_is_other)
{
    static const struct {
        enum port_info_field field;
        const char *name;
        uint32_t number;
        int64_t label;
    } CASES[] = {
        {PORT_INFO_LINK_WIDTH_ENABLED, "ibSmaPortLinkWidthEnabled", 1, 1},
        {PORT_INFO_LINK_WIDTH_ENABLED, "ibSmaPortLinkWidthEnabled", 8, 4},
        {PORT_INFO_LINK_WIDTH_ENABLED, "ibSmaPortLinkWidthEnabled", 11, 7},
        {PORT_INFO_LINK_WIDTH_ENABLED, "ibSmaPortLinkWidthEnabled", 255, 8},
        {PORT_INFO_LINK_WIDTH_ENABLED, "ibSmaPortLinkWidthEnabled", 16, 9},
        {PORT_INFO_LINK_WIDTH_SUPPORTED, "ibSmaPortLinkWidthSupported", 3, 2},
        {PORT_INFO_LINK_WIDTH_SUPPORTED, "ibSmaPortLinkWidthSupported", 31, 4},
        {PORT_INFO_LINK_WIDTH_ACTIVE, "ibSmaPortLinkWidthActive", 8, 3},
        {PORT_INFO_LINK_WIDTH_ACTIVE, "ibSmaPortLinkWidthActive", 0, 4},
        {PORT_INFO_LINK_SPEED_ENABLED, "ibSmaPortLinkSpeedEnabled", 15, 2},
        {PORT_INFO_LINK_SPEED_ENABLED, "ibSmaPortLinkSpeedEnabled", 7, 3},
        {PORT_INFO_LINK_SPEED_ACTIVE, "ibSmaPortLinkSpeedActive", 4, 2},
        {PORT_INFO_PORT_STATE, "ibSmaPortLinkState", 4, 4},
        {PORT_INFO_PORT_STATE, "ibSmaPortLinkState", 0, 5},
        {PORT_INFO_PHYSICAL_STATE, "ibSmaPortPhysState", 7, 7},
        {PORT_INFO_LINK_DOWN_DEFAULT, "ibSmaPortLinkDownDefaultState", 0, 3},
        {PORT_INFO_NEIGHBOR_MTU, "ibSmaPortNeighborMtu", 5, 5},
        {PORT_INFO_NEIGHBOR_MTU, "ibSmaPortNeighborMtu", 6, 6},
        {PORT_INFO_HOQ_LIFE, "ibSmaPortHeadOfQueueLife", 31, 31},
        {PORT_INFO_DIAG_CODE, "ibSmaPortGenericDiagCode", 0, 1},
        {PORT_INFO_DIAG_CODE, "ibSmaPortGenericDiagCode", 0x7FF4, 5},
        {PORT_INFO_DIAG_CODE, "ibSmaPortGenericDiagCode", 5, 6},
        {PORT_INFO_DIAG_CODE, "ibSmaPortVendorDiagCode", 0x8010, 1},
        {PORT_INFO_DIAG_CODE, "ibSmaPortVendorDiagCode", 0x7FFF, 2047},
        {PORT_INFO_DIAG_CODE, "ibSmaPortVendorDiagIndexFwd", 0x8000, 1},
        {PORT_INFO_DIAG_CODE, "ibSmaPortVendorDiagIndexFwd", 0x7FFF, 2},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        fabric_set_port_info(generated_port(&g, SWITCH, 3), CASES[i].field, CASES[i].number);
        enter(SWITCH_GUID);
        assert_int_equal(number(CASES[i].name, 3), CASES[i].label);
    }
    fabric_set_port_info(generated_port(&g, SWITCH, 0), PORT_INFO_MKEY_PROTECT_BITS, 3);
    enter(SWITCH_GUID);
    assert_int_equal(number("ibSmaPortMKeyProtectBits", 0), 4);
}

TEST(a_subnet_manager_in_a_switch_is_at_port_255)
{
    generated_sm(&g, SWITCH, 0, 7, FABRIC_MASTER);
    enter(SWITCH_GUID);
    assert_int_equal(number("ibSmaSmPriority", 255), 7);
    assert_int_equal(number("ibSmaSmState", 255), 4);
    assert_true(is_missing("ibSmaSmState", 1));
    assert_true(is_missing("ibSmaSmState", 0));
    enter(HOST_GUID + 1);
    assert_true(is_missing("ibSmaSmState", 1));
}

TEST(a_host_has_its_own_port_alone)
{
    enter(HOST_GUID + 2);
    assert_false(is_missing("ifIndex", 2));
    assert_true(is_missing("ifIndex", 1));
    assert_int_equal(number("ibSmaNodeNumPorts", 0), 2);
    assert_true(is_missing("ibSmaSwLidsPerPort", 0));
}

TEST(a_port_of_a_host_that_is_down_has_its_row)
{
    struct fabric_port *port = generated_port(&g, HOST, 2);
    port->known = true;
    port->state = FABRIC_DOWN;
    port->peer_node = FABRIC_NONE;
    enter(HOST_GUID + 2);
    assert_false(is_missing("ifIndex", 2));
    assert_int_equal(number("ifOperStatus", 2), 2);
}

// By the SA's records, two states of such a port are known.
TEST(of_a_port_that_is_down_nothing_is_made_up)
{
    static const char *const UNKNOWN[] = {
        "ifMtu",
        "ifSpeed",
        "ifHighSpeed",
        "ibSmaPortLinkWidthEnabled",
        "ibSmaPortLinkSpeedSupported",
        "ibSmaPortNeighborMtu",
        "ibSmaPortOverrunErrorThreshold",
    };
    struct fabric_port *port = generated_port(&g, SWITCH, 3);
    *port = (struct fabric_port){
        .number = 3, .known = true, .state = FABRIC_DOWN, .physical = 2, .peer_node = FABRIC_NONE};
    enter(SWITCH_GUID);
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++)
        assert_true(is_missing(UNKNOWN[i], 3));
    assert_int_equal(number("ifOperStatus", 3), 2);
    assert_int_equal(number("ibSmaPortLinkState", 3), 1);
    assert_int_equal(number("ibSmaPortPhysState", 3), 2);
}

// Reads the counters of the switch's port 3.
static void read_counters(void)
{
    struct counter_reading *reading = calloc(1, sizeof *reading + sizeof reading->samples[0]);
    assert_non_null(reading);
    reading->count = 1;
    reading->samples[0] = (struct counter_sample){.node_guid = SWITCH_GUID,
                                                  .port = 3,
                                                  .extended = true,
                                                  .wide = true,
                                                  .values = {[COUNTER_SYMBOL_ERROR] = 70000,
                                                             [COUNTER_VL15_DROPPED] = 65534,
                                                             [COUNTER_RCV_DATA] = UINT64_MAX}};
    snapshot.accumulated = accumulated_with(NULL, reading);
    free(reading);
}

// A register of 32 bits or less is full where that of 64 goes on; a sum goes on.
TEST(a_wide_counter_is_full_at_the_end_of_the_narrow_one)
{
    enter(SWITCH_GUID);
    read_counters();
    assert_int_equal(number("ibPmaSymbolErrCounter", 3), 65535);
    assert_int_equal(number("ibPmaVl15Dropped", 3), 65534);
    assert_true(number("ibPmaPortRcvData", 3) == UINT32_MAX);
    assert_int_equal(number("ibPmaPortXmitData", 3), 0);
    assert_int_equal(number("ibIfPortSymbolErrs", 3), 70000);
    assert_true(is_missing("ibPmaSymbolErrCounter", 2));
    assert_true(is_missing("ibPmaSymbolErrCounter", 255));
    assert_true(is_missing("ibIfPortSymbolErrs", 255));
}

// RFC 2863: a manager takes no rate over a counter that begins anew.
TEST(counters_that_begin_later_say_when)
{
    enum { TICKS_PER_S = 100 };
    const int64_t second = CLOCK_US_PER_S;
    enter(SWITCH_GUID);
    struct counter_reading *reading = calloc(1, sizeof *reading + 2 * sizeof reading->samples[0]);
    assert_non_null(reading);
    reading->samples[0] = (struct counter_sample){.node_guid = SWITCH_GUID, .port = 1};
    reading->samples[1] = (struct counter_sample){.node_guid = SWITCH_GUID, .port = 2};
    reading->count = 1;
    reading->time_us = SUPPORT_UTC_US;
    struct accumulated_counters *first = accumulated_with(NULL, reading);
    reading->count = 2;
    reading->time_us += 60 * second;
    snapshot.accumulated = accumulated_with(first, reading);
    snapshot.master_started_at = 100 * second;
    snapshot.gateway.flow.since = 110 * second;
    snapshot.now = 300 * second;
    snapshot.time_us = SUPPORT_UTC_US + 100 * second; // 40 s after the second reading
    assert_int_equal(number("ifCounterDiscontinuityTime", 1), 10 * TICKS_PER_S);
    assert_in_range(number("ifCounterDiscontinuityTime", 2), 159 * TICKS_PER_S, 160 * TICKS_PER_S);
    assert_int_equal(number("ifCounterDiscontinuityTime", 3), 10 * TICKS_PER_S);
    snapshot.time_us = SUPPORT_UTC_US - 1000 * second; // the clock was ahead until now
    assert_int_equal(number("ifCounterDiscontinuityTime", 2), 10 * TICKS_PER_S);
    accumulated_unref(first);
    free(reading);
}

// Lists the instances below an OID.
static void walk(const uint32_t *ids, size_t length, char *out, size_t size)
{
    struct agentx_oid name = {.length = 0}, found;
    struct agentx_value value;
    struct text t = text_in(out, size);
    for (size_t i = 0; i < length; i++)
        agentx_oid_add(&name, ids[i]);
    struct look look = look_here();
    while (table_get_next(&DEVICE_TABLES, &look, &name, false, &(struct agentx_oid){.length = 0},
                          &found, &value) &&
           found.length > length && memcmp(found.ids, ids, length * sizeof *ids) == 0) {
        for (size_t i = length; i < found.length; i++)
            text_addf(&t, "%s%u", i > length ? "." : " ", (unsigned)found.ids[i]);
        name = found;
    }
}

TEST(a_switch_has_its_ports_in_it)
{
    static const uint32_t CONTAINED[] = {1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 4},
                          ALIASES[] = {1, 3, 6, 1, 2, 1, 47, 1, 3, 2, 1, 2};
    char text[200];
    enter(SWITCH_GUID);
    walk(CONTAINED, COUNT(CONTAINED), text, sizeof text);
    assert_string_equal(text, " 1 2 3 4 5");
    walk(ALIASES, COUNT(ALIASES), text, sizeof text);
    assert_string_equal(text, " 2.0 3.0 4.0 5.0");
    enter(HOST_GUID + 2);
    walk(CONTAINED, COUNT(CONTAINED), text, sizeof text);
    assert_string_equal(text, " 1 3");
    walk(ALIASES, COUNT(ALIASES), text, sizeof text);
    assert_string_equal(text, " 3.0");
}

TEST(entities_are_found_from_any_name)
{
    static const struct {
        uint32_t after[3];
        size_t length;
        uint32_t next, alias;
    } CASES[] = {{{0}, 0, 1, 2},
                 {{0}, 1, 1, 2},
                 {{0, 7}, 2, 1, 2},
                 {{1}, 1, 2, 2},
                 {{1, 0}, 2, 2, 2},
                 {{2}, 1, 3, 2},
                 {{2, 0}, 2, 3, 3},
                 {{3, 9}, 2, 4, 4},
                 {{5}, 1, 0, 5},
                 {{5, 0}, 2, 0, 0},
                 {{6}, 1, 0, 0},
                 {{UINT32_MAX}, 1, 0, 0},
                 {{UINT32_MAX, 1}, 2, 0, 0}};
    const struct table *tables[] = {NULL, NULL};
    find("entPhysicalName", &tables[0]);
    find("entAliasMappingIdentifier", &tables[1]);
    enter(SWITCH_GUID);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        for (size_t t = 0; t < COUNT(tables); t++) {
            struct look look;
            const uint32_t next = t == 0 ? CASES[i].next : CASES[i].alias;
            assert_int_equal(looks_seek(tables[t], &snapshot, device, CASES[i].after,
                                        CASES[i].length, true, &look),
                             next != 0);
            assert_true(next == 0 || (look.found.length == t + 1 && look.found.ids[0] == next));
        }
    }
    assert_true(is_missing("entPhysicalName", 0));
    assert_true(is_missing("entPhysicalName", 6));
    assert_true(is_missing("entAliasMappingIdentifier", 2));
}

// Every name, near an instance or not, is followed by the next instance of a walk.
static struct agentx_oid walked[4000];

static size_t walk_all(void)
{
    struct agentx_oid name = {.length = 0}, none = {.length = 0};
    struct agentx_value value, again;
    size_t count = 0;
    struct look look = look_here();
    while (table_get_next(&DEVICE_TABLES, &look, &name, false, &none, &walked[count], &value)) {
        assert_true(
            agentx_oid_compare(walked[count].ids, walked[count].length, name.ids, name.length) > 0);
        table_get(&DEVICE_TABLES, &look, &walked[count], &again);
        assert_int_equal(again.type, value.type);
        name = walked[count++];
        assert_true(count < COUNT(walked));
    }
    return count;
}

static void check_next(const struct agentx_oid *name, size_t count)
{
    struct agentx_oid found, none = {.length = 0};
    struct agentx_value value;
    size_t at = 0;
    while (at < count &&
           agentx_oid_compare(walked[at].ids, walked[at].length, name->ids, name->length) <= 0)
        at++;
    struct look look = look_here();
    assert_int_equal(table_get_next(&DEVICE_TABLES, &look, name, false, &none, &found, &value),
                     at < count);
    assert_true(at == count || agentx_oid_compare(found.ids, found.length, walked[at].ids,
                                                  walked[at].length) == 0);
}

static void check_names(void)
{
    enum { ROUNDS = 4000, WAYS = 5 };
    struct generated_chance chance = {.state = 1};
    const size_t count = walk_all();
    assert_true(count > 50);
    for (size_t i = 0; i < ROUNDS; i++) {
        struct agentx_oid name = walked[generated_below(&chance, (uint32_t)count)];
        const uint32_t at = generated_below(&chance, (uint32_t)name.length);
        const uint32_t way = generated_below(&chance, WAYS);
        if (way == 0)
            name.ids[at]++;
        else if (way == 1)
            name.ids[at] -= name.ids[at] > 0;
        else if (way == 2)
            name.ids[name.length - 1] = UINT32_MAX;
        else if (way == 3)
            name.length = (uint8_t)(at + 1);
        else
            agentx_oid_add(&name, generated_below(&chance, 3));
        check_next(&name, count);
    }
}

TEST(a_walk_may_begin_at_any_name)
{
    generated_sm(&g, SWITCH, 0, 7, FABRIC_MASTER);
    for (uint8_t port = 0; port <= 4; port++)
        fabric_set_port_info(generated_port(&g, SWITCH, port), PORT_INFO_LMC, 1);
    enter(SWITCH_GUID);
    read_counters();
    check_names();
    enter(HOST_GUID + 2);
    check_names();
}

#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(each_bit_has_its_object),
        DEVICE_TEST(labels_are_those_of_the_module_and_all_else_is_other),
        DEVICE_TEST(a_subnet_manager_in_a_switch_is_at_port_255),
        DEVICE_TEST(a_host_has_its_own_port_alone),
        DEVICE_TEST(a_port_of_a_host_that_is_down_has_its_row),
        DEVICE_TEST(of_a_port_that_is_down_nothing_is_made_up),
        DEVICE_TEST(a_switch_has_its_ports_in_it),
        DEVICE_TEST(entities_are_found_from_any_name),
        DEVICE_TEST(a_walk_may_begin_at_any_name),
        DEVICE_TEST(a_wide_counter_is_full_at_the_end_of_the_narrow_one),
        DEVICE_TEST(counters_that_begin_later_say_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
