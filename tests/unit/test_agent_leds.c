// SPDX-License-Identifier: BSD-2-Clause
// LEDs: the nodes with a LED, and the LEDs in the phases of a Set.
#include "generated.h"
#include "support.h"

#include "looks.h"

#include "agent/set.h"
#include "tables/tables.h"

enum { HAS_LED = 1 << 9, LIDS = 32, ON = 1, OFF = 2 };
static const uint64_t ONE = UINT64_C(0x0002C90300000010), TWO = UINT64_C(0x0002C90300000020),
                      PLAIN = UINT64_C(0x0002C90300000030), ROUTER = UINT64_C(0x0002C90300000040);

// The LEDs of the fabric by the LID of their port, and how their nodes behave.
static struct node {
    bool on;
    bool silent; // there is no answer
    bool slow;   // the answer comes later
    bool stuck;  // the LED stays unchanged, and the answer tells this
    unsigned sets, dropped;
} nodes[LIDS];

static struct generated g;
static struct snapshot_source source;
static struct agent_snapshot snapshot;
static struct set set;
static struct settings *settings;
static bool refuses; // settings
static char told[256];
static size_t failed;

static enum demand_state ask(struct reads *reads, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket)
{
    (void)reads;
    assert_int_equal(key->class, DEMAND_SMP);
    assert_int_equal(key->attribute, DEMAND_LED_INFO);
    assert_int_equal(key->modifier, 0);
    assert_in_range(key->lid, 1, LIDS - 1);
    struct node *node = &nodes[key->lid];
    *ticket = key->lid;
    if (node->slow)
        return DEMAND_LATER;
    if (node->silent)
        return DEMAND_NONE;
    if (key->sets) {
        node->sets++;
        if (!node->stuck)
            node->on = key->record[0] == 0x80;
    }
    *answer = demand_answer_new(1, 64);
    assert_non_null(*answer);
    (*answer)->octets[0] = node->on ? 0x80 : 0;
    return DEMAND_HERE;
}

static void drop(struct reads *reads, const struct demand_key *key)
{
    (void)reads;
    assert_int_equal(key->sets, 1);
    nodes[key->lid].dropped++;
}

static bool change(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err)
{
    (void)ctx, (void)who;
    if (refuses)
        return error_set(err, "the disk is full");
    struct settings *next = settings_with(settings, changes, n);
    settings_unref(settings);
    settings = next;
    return true;
}

static void switched(void *ctx, uint64_t guid, bool on, const char *who)
{
    (void)ctx;
    const size_t length = strlen(told);
    assert_string_equal(who, "a manager");
    snprintf(told + length, sizeof told - length, "%x %s,", (unsigned)(guid & 0xFF),
             on ? "on" : "off");
}

static struct node *node_of(uint64_t guid)
{
    const uint32_t node = fabric_find_node(snapshot.fabric, guid);
    return &nodes[snapshot.fabric->ports[leds_port(snapshot.fabric, node)].lid];
}

static void begin_set(bool writable)
{
    set_init(&set, &(struct set_options){.tables = &TABLES,
                                         .writable = writable,
                                         .change = change,
                                         .switched = switched,
                                         .demand = &source.demand,
                                         .who = "a manager",
                                         .log = support_log(NULL)});
}

static int begin(void **state)
{
    (void)state;
    memset(nodes, 0, sizeof nodes);
    const uint32_t one = generated_add(&g, FABRIC_SWITCH, ONE, "one", 4);
    const uint32_t two = generated_add(&g, FABRIC_SWITCH, TWO, "two", 4);
    const uint32_t plain = generated_add(&g, FABRIC_SWITCH, PLAIN, "plain", 4);
    const uint32_t router = generated_add(&g, FABRIC_ROUTER, ROUTER, "router", 2);
    generated_link(&g, one, 1, two, 1);
    generated_link(&g, two, 2, plain, 1);
    generated_link(&g, plain, 2, router, 1);
    generated_link(&g, plain, 3, router, 2);
    generated_port(&g, one, 0)->capabilities |= HAS_LED;
    generated_port(&g, two, 0)->capabilities |= HAS_LED;
    generated_port(&g, plain, 1)->capabilities |= HAS_LED; // not of the end port
    generated_port(&g, router, 2)->capabilities |= HAS_LED;
    source = (struct snapshot_source){.demand = {.ask = ask, .drop = drop}};
    snapshot = (struct agent_snapshot){.source = &source, .fabric = generated_look(&g, 0)};
    snapshot.switches = calloc(snapshot.fabric->node_count, sizeof *snapshot.switches);
    for (uint32_t i = 0; i < snapshot.fabric->node_count; i++)
        snapshot.switches[snapshot.switch_count++] = i;
    refuses = false;
    told[0] = '\0';
    begin_set(true);
    return 0;
}

static int end(void **state)
{
    (void)state;
    set_cleanup(&set);
    log_close(set.options.log);
    settings_unref(settings);
    settings = NULL;
    fabric_unref(snapshot.fabric);
    free(snapshot.switches);
    generated_clear(&g);
    return 0;
}

enum { OPER = 30, ADM = 31, SERIAL = 26 };

static struct agentx_oid name_of(uint32_t column, uint64_t guid)
{
    struct agentx_oid name = {.length = 0};
    const struct fabric_node node = {.guid = guid,
                                     .type = guid == ROUTER ? FABRIC_ROUTER : FABRIC_SWITCH};
    for (size_t i = 0; i < GSW_SWITCHES.entry_length; i++)
        agentx_oid_add(&name, GSW_SWITCHES.entry[i]);
    agentx_oid_add(&name, column);
    for (int shift = 56; shift >= 0; shift -= 8)
        agentx_oid_add(&name, guid >> shift & UINT8_MAX);
    for (int i = 0; i < 7; i++)
        agentx_oid_add(&name, 0);
    agentx_oid_add(&name, node.type == FABRIC_ROUTER ? 3 : 2); // GswType
    return name;
}

static struct agentx_varbind beacon(uint64_t guid, int64_t value)
{
    return (struct agentx_varbind){.name = name_of(ADM, guid),
                                   .value = {.type = AGENTX_INTEGER, .number = value}};
}

static enum agentx_error test_all(const struct agentx_varbind *varbinds, size_t n)
{
    struct look look = look_at(&snapshot);
    return set_test(&set, &look, "", varbinds, n, &failed);
}

static enum agentx_error test_one(uint64_t guid, int64_t value)
{
    const struct agentx_varbind one = beacon(guid, value);
    return test_all(&one, 1);
}

static struct agentx_value value_of(uint32_t column, uint64_t guid)
{
    struct agentx_value value;
    const struct agentx_oid name = name_of(column, guid);
    looks_get(&TABLES, &snapshot, &name, &value);
    return value;
}

TEST(both_columns_are_what_the_led_does)
{
    assert_int_equal(value_of(OPER, ONE).number, OFF);
    node_of(ONE)->on = true;
    assert_int_equal(value_of(OPER, ONE).number, ON);
    assert_int_equal(value_of(ADM, ONE).number, ON);
    assert_int_equal(value_of(ADM, TWO).number, OFF);
    node_of(ROUTER)->on = true;
    assert_int_equal(value_of(OPER, ROUTER).number, ON);
}

TEST(who_has_none_or_is_silent_has_no_instance)
{
    assert_int_equal(value_of(OPER, PLAIN).type, AGENTX_NO_SUCH_INSTANCE);
    node_of(TWO)->silent = true;
    assert_int_equal(value_of(OPER, TWO).type, AGENTX_NO_SUCH_INSTANCE);
    node_of(ONE)->slow = true;
    assert_int_equal(value_of(OPER, ONE).type, AGENTX_LATER);
}

TEST(a_commit_switches_it_and_tells_once)
{
    assert_int_equal(test_one(ONE, ON), AGENTX_NO_ERROR);
    assert_int_equal(set.ticket, 0);
    assert_false(node_of(ONE)->on);
    assert_int_equal(node_of(ONE)->sets, 0);
    assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
    assert_true(node_of(ONE)->on);
    assert_string_equal(told, "10 on,");
    set_cleanup(&set);
    assert_int_equal(node_of(ONE)->sets, 1);
    assert_int_equal(test_one(ONE, ON), AGENTX_NO_ERROR); // as it is
    assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
    set_cleanup(&set);
    assert_string_equal(told, "10 on,");
    assert_int_equal(test_one(ROUTER, ON), AGENTX_NO_ERROR);
    assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
    assert_string_equal(told, "10 on,40 on,");
}

TEST(what_cannot_be_is_refused)
{
    assert_int_equal(test_one(PLAIN, ON), AGENTX_NO_CREATION);
    assert_int_equal(test_one(ONE, 0), AGENTX_WRONG_VALUE);
    assert_int_equal(test_one(ONE, 3), AGENTX_WRONG_VALUE);
    struct agentx_varbind v[2] = {beacon(ONE, ON), beacon(ONE, OFF)};
    assert_int_equal(test_all(v, 2), AGENTX_INCONSISTENT_VALUE);
    assert_int_equal(failed, 1);
    v[0].value.type = AGENTX_GAUGE32;
    assert_int_equal(test_all(v, 1), AGENTX_WRONG_TYPE);
    v[0] = beacon(ONE, ON);
    v[0].name = name_of(OPER, ONE);
    assert_int_equal(test_all(v, 1), AGENTX_NOT_WRITABLE);
    node_of(TWO)->silent = true;
    assert_int_equal(test_one(TWO, ON), AGENTX_RESOURCE_UNAVAILABLE);
    assert_int_equal(set.ticket, 0);
    log_close(set.options.log);
    begin_set(false);
    assert_int_equal(test_one(ONE, ON), AGENTX_NOT_WRITABLE);
    assert_int_equal(node_of(ONE)->sets, 0);
}

TEST(test_commit_and_undo_wait_for_the_node)
{
    struct node *one = node_of(ONE);
    const int64_t ticket = one - nodes;
    one->slow = true;
    test_one(ONE, ON);
    assert_int_equal(set.ticket, ticket);
    one->slow = false;
    assert_int_equal(test_one(ONE, ON), AGENTX_NO_ERROR);
    assert_int_equal(set.ticket, 0);
    one->slow = true;
    set_commit(&set);
    assert_int_equal(set.ticket, ticket);
    assert_string_equal(told, "");
    one->slow = false;
    assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
    assert_int_equal(set.ticket, 0);
    assert_true(one->on);
    one->slow = true;
    set_undo(&set);
    assert_int_equal(set.ticket, ticket);
    one->slow = false;
    assert_int_equal(set_undo(&set), AGENTX_NO_ERROR);
    assert_false(one->on);
    assert_string_equal(told, "10 on,10 off,");
    assert_int_equal(one->sets, 2);
    set_cleanup(&set);
    assert_int_equal(one->sets, 2);
}

TEST(who_does_not_do_so_fails_the_commit_and_the_others_go_back)
{
    const struct agentx_varbind both[] = {beacon(ONE, ON), beacon(TWO, ON)};
    for (int i = 0; i < 2; i++) {
        node_of(TWO)->stuck = i == 0;
        node_of(TWO)->silent = false;
        assert_int_equal(test_all(both, 2), AGENTX_NO_ERROR);
        node_of(TWO)->silent = i == 1;
        assert_int_equal(set_commit(&set), AGENTX_COMMIT_FAILED);
        assert_int_equal(set.ticket, 0);
        assert_false(node_of(ONE)->on);
        assert_string_equal(told, "");
        assert_int_equal(set_undo(&set), AGENTX_NO_ERROR);
        set_cleanup(&set);
    }
}

// As when the time of the commit is over.
TEST(a_commit_that_is_cleaned_up_goes_back)
{
    const struct agentx_varbind both[] = {beacon(ONE, ON), beacon(TWO, ON)};
    assert_int_equal(test_all(both, 2), AGENTX_NO_ERROR);
    node_of(TWO)->slow = true;
    set_commit(&set);
    assert_int_not_equal(set.ticket, 0);
    assert_true(node_of(ONE)->on);
    set_cleanup(&set);
    assert_false(node_of(ONE)->on);
    assert_int_equal(node_of(TWO)->dropped, 2); // before the question, and before the LED goes back
    assert_string_equal(told, "");
}

TEST(settings_of_the_same_set_are_changed_after_the_leds)
{
    struct agentx_varbind v[] = {beacon(ONE, ON), {.value.type = AGENTX_OCTETS}};
    v[1].name = name_of(SERIAL, TWO);
    agentx_value_set_octets(&v[1].value, "S1", 2);
    node_of(ONE)->slow = false;
    assert_int_equal(test_all(v, 2), AGENTX_NO_ERROR);
    node_of(ONE)->slow = true;
    set_commit(&set);
    assert_int_not_equal(set.ticket, 0);
    assert_null(settings);
    node_of(ONE)->slow = false;
    refuses = true;
    assert_int_equal(set_commit(&set), AGENTX_COMMIT_FAILED);
    assert_false(node_of(ONE)->on);
    set_cleanup(&set);
    refuses = false;
    assert_int_equal(test_all(v, 2), AGENTX_NO_ERROR);
    assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
    assert_int_equal(settings_count(settings), 1);
    assert_true(node_of(ONE)->on);
    assert_int_equal(set_undo(&set), AGENTX_NO_ERROR);
    assert_false(node_of(ONE)->on);
    assert_null(settings_find(settings, SETTING_SERIAL_NUMBER, TWO, 0));
}

// As when the session is lost: nobody calls it again once the node has answered.
TEST(an_undo_that_waits_for_a_node_has_undone_the_settings)
{
    struct agentx_varbind v[] = {beacon(ONE, ON), {.value.type = AGENTX_OCTETS}};
    v[1].name = name_of(SERIAL, TWO);
    agentx_value_set_octets(&v[1].value, "S1", 2);
    for (int i = 0; i < 2; i++) {
        node_of(ONE)->slow = false;
        assert_int_equal(test_all(v, 2), AGENTX_NO_ERROR);
        assert_int_equal(set_commit(&set), AGENTX_NO_ERROR);
        assert_non_null(settings_find(settings, SETTING_SERIAL_NUMBER, TWO, 0));
        node_of(ONE)->slow = true;
        refuses = i == 1;
        set_undo(&set);
        assert_int_not_equal(set.ticket, 0);
        refuses = false;
        if (i == 0)
            assert_null(settings_find(settings, SETTING_SERIAL_NUMBER, TWO, 0));
        node_of(ONE)->slow = false;
        assert_int_equal(set_undo(&set), i == 0 ? AGENTX_NO_ERROR : AGENTX_UNDO_FAILED);
        assert_false(node_of(ONE)->on);
        set_cleanup(&set);
    }
}

TEST(a_device_has_a_row_for_its_led)
{
    struct agentx_oid name = {.length = 0};
    struct agentx_value value;
    for (size_t i = 0; i < SMA_LEDS.entry_length; i++)
        agentx_oid_add(&name, SMA_LEDS.entry[i]);
    agentx_oid_add(&name, 2);
    agentx_oid_add(&name, 255); // port 0
    node_of(ONE)->on = true;
    const struct {
        uint64_t guid;
        int64_t state;
    } CASES[] = {{ONE, 2}, {TWO, 3}, {PLAIN, 0}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const uint32_t node = fabric_find_node(snapshot.fabric, CASES[i].guid);
        struct look look = look_at(&snapshot);
        look.device = fabric_find_port(snapshot.fabric, node, 0);
        table_get(&DEVICE_TABLES, &look, &name, &value);
        assert_int_equal(value.type, CASES[i].state ? AGENTX_INTEGER : AGENTX_NO_SUCH_INSTANCE);
        assert_int_equal(value.number, CASES[i].state);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(both_columns_are_what_the_led_does),
        T(who_has_none_or_is_silent_has_no_instance),
        T(a_commit_switches_it_and_tells_once),
        T(what_cannot_be_is_refused),
        T(test_commit_and_undo_wait_for_the_node),
        T(who_does_not_do_so_fails_the_commit_and_the_others_go_back),
        T(a_commit_that_is_cleaned_up_goes_back),
        T(settings_of_the_same_set_are_changed_after_the_leds),
        T(an_undo_that_waits_for_a_node_has_undone_the_settings),
        T(a_device_has_a_row_for_its_led),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
