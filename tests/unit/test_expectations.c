// SPDX-License-Identifier: BSD-2-Clause
// Alarms about differences from the expected topology: random edits of a small plant, seen by
// sweeps from node 0, through pipeline, policy and journal in virtual time. After each sweep the
// active alarms are compared with what the list of cables says; the test shares no code with the
// comparison.
#include "generated.h"
#include "pipeline_fixture.h"

#include "pipeline/expectations.h"
#include "topology/expectation.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SWITCHES = 4, HOSTS = 9, STRANGERS = 2, NODES = SWITCHES + HOSTS + STRANGERS, PORTS = 12 };
enum { CABLES_MAX = 64, KEYS_MAX = 256, STEPS = 60, RUNS = 30 };

// A cable in its laid place, and in its present place.
struct cable {
    uint32_t a, b;
    uint8_t port_a, port_b, now_b; // now_b: the port of b that has the cable now
    bool cut, narrow, extra;       // extra: not in the expected topology
};

static struct generated plant;
static struct cable cables[CABLES_MAX];
static size_t cable_count;
static bool off[NODES];
static struct expectation *expectation;
static bool in_force;
static size_t alarms_max; // of policy; 0: as usual

// The plant.

static void lay(uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b, bool extra)
{
    cables[cable_count++] = (struct cable){
        .a = a, .b = b, .port_a = port_a, .port_b = port_b, .now_b = port_b, .extra = extra};
}

// A core with three leaves, two of which are connected; host 0 has a port at two leaves. Port 11
// and 12 of the leaves are free, for cables that are put elsewhere.
static void build_plant(void)
{
    char name[16];
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        generated_add(&plant, i < SWITCHES ? FABRIC_SWITCH : FABRIC_CA, 0x1000 * (i + 1), name,
                      i < SWITCHES ? PORTS : 2);
    }
    for (uint32_t leaf = 1; leaf < SWITCHES; leaf++) {
        lay(0, (uint8_t)(2 * leaf), leaf, 1, false);
        lay(0, (uint8_t)(2 * leaf + 1), leaf, 2, false);
    }
    lay(1, 3, 2, 3, false);
    for (uint32_t host = 0; host < HOSTS; host++)
        lay(SWITCHES + host, 1, 1 + host % 3, (uint8_t)(4 + host / 3), false);
    lay(SWITCHES, 2, 2, 8, false);
    lay(SWITCHES + HOSTS, 1, 1, 9, true);
    lay(SWITCHES + HOSTS + 1, 1, 3, 9, true);
    lay(2, 10, 3, 10, true);
}

static bool is_laid(const struct cable *c)
{
    return !c->cut && !off[c->a] && !off[c->b];
}

static void find_reached(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        plant.nodes[i].removed = i != 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < cable_count; i++) {
            bool *a = &plant.nodes[cables[i].a].removed, *b = &plant.nodes[cables[i].b].removed;
            if (!is_laid(&cables[i]) || *a == *b)
                continue;
            *a = *b = false;
            more = true;
        }
    }
}

// Whether another laid cable is in that port already.
static bool is_in_use(uint32_t node, uint8_t port)
{
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        if ((c->a == node && c->port_a == port) || (c->b == node && c->now_b == port))
            return true;
    }
    return false;
}

static void lay_cables(void)
{
    find_reached();
    for (uint32_t node = 0; node < NODES; node++) {
        for (uint8_t port = 1; port <= plant.nodes[node].node.port_count; port++)
            generated_unlink(&plant, node, port);
    }
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        if (!is_laid(c) || plant.nodes[c->a].removed)
            continue;
        generated_link(&plant, c->a, c->port_a, c->b, c->now_b);
        if (c->narrow)
            generated_port(&plant, c->a, c->port_a)->width_active =
                generated_port(&plant, c->b, c->now_b)->width_active = 1;
    }
}

// The gateway.

static void start(void)
{
    struct pipeline_options options = parts_options();
    options.correlator.expectation = expectation_ref(in_force ? expectation : NULL);
    options.policy =
        (struct policy_options){.suppress_consequences = true, .alarms_max = alarms_max};
    start_pipeline(&options);
}

static void restart(void)
{
    stop_pipeline();
    restore_topology();
    start();
}

static void look(bool complete)
{
    struct fabric *fabric = generated_look(&plant, 0);
    fabric->complete = complete;
    pipeline_put_fabric(pipeline, fabric);
    pass_time(60 * CLOCK_US_PER_S);
}

static void sweep(bool complete)
{
    lay_cables();
    look(complete);
}

static void exchange(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx;
    correlator_change_expectation(inside->correlator,
                                  expectation_ref(in_force ? expectation : NULL));
    journal_commit(journal);
}

static void change_expectation(void)
{
    assert_true(pipeline_call(pipeline, exchange, NULL));
    struct expectation *used = correlator_expectation(pipeline_correlator(pipeline));
    assert_ptr_equal(used, in_force ? expectation : NULL);
    expectation_unref(used);
}

static int begin(void **state)
{
    (void)state;
    parts_begin(NULL);
    build_plant();
    for (size_t i = 0; i < cable_count; i++)
        cables[i].cut = cables[i].extra;
    lay_cables();
    expectation = expectation_new(generated_look(&plant, 0), false, NULL);
    assert_non_null(expectation);
    in_force = true;
    start();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop_pipeline();
    parts_end();
    expectation_unref(expectation);
    generated_clear(&plant);
    plant = (struct generated){0};
    cable_count = 0;
    memset(off, 0, sizeof off);
    return 0;
}

// The truth.

struct keys {
    char all[KEYS_MAX][128];
    size_t count;
};

static void add_key(struct keys *keys, const char *event, const char *about)
{
    assert_in_range(keys->count, 0, KEYS_MAX - 1);
    snprintf(keys->all[keys->count++], sizeof keys->all[0], "%s %s", event, about);
}

static bool has_key(const struct keys *keys, const char *key)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->all[i], key) == 0)
            return true;
    }
    return false;
}

static bool is_there(uint32_t node)
{
    return !plant.nodes[node].removed;
}

static const char *about_node(uint32_t node)
{
    static char text[64];
    snprintf(text, sizeof text, "node 0x%016" PRIx64, plant.nodes[node].node.guid);
    return text;
}

static const char *about_link(uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b)
{
    static char text[128];
    const bool swap = plant.nodes[a].node.guid > plant.nodes[b].node.guid;
    snprintf(text, sizeof text, "link 0x%016" PRIx64 "/%u-0x%016" PRIx64 "/%u",
             plant.nodes[swap ? b : a].node.guid, swap ? port_b : port_a,
             plant.nodes[swap ? a : b].node.guid, swap ? port_a : port_b);
    return text;
}

// The cable that is in the port and up; NULL: none.
static const struct cable *cable_in(uint32_t node, uint8_t port)
{
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        if (is_laid(c) && is_there(c->a) &&
            ((c->a == node && c->port_a == port) || (c->b == node && c->now_b == port)))
            return c;
    }
    return NULL;
}

static bool is_expected_node(uint32_t node)
{
    return node < SWITCHES + HOSTS;
}

// What the place of an expected cable shows: its event, or NULL if all is well or a node is
// missing.
static const char *event_of_place(const struct cable *c)
{
    if (c->extra || !is_there(c->a) || !is_there(c->b))
        return NULL;
    const struct cable *at_a = cable_in(c->a, c->port_a), *at_b = cable_in(c->b, c->port_b);
    if (at_a == c && at_b == c)
        return c->narrow ? "link-below-expected" : NULL;
    return at_a || at_b ? "link-miscabled" : "link-missing";
}

// Whether the port is an end of a miscabled place.
static bool is_miscabled(uint32_t node, uint8_t port)
{
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        const char *event = event_of_place(c);
        if (event && strcmp(event, "link-miscabled") == 0 &&
            ((c->a == node && c->port_a == port) || (c->b == node && c->port_b == port)))
            return true;
    }
    return false;
}

// The alarms that must be active, and the alarms that may be.
static void find_truth(struct keys *must, struct keys *may)
{
    *must = *may = (struct keys){.count = 0};
    for (uint32_t i = 0; i < NODES; i++) {
        if (is_expected_node(i) && !is_there(i))
            add_key(may, i < SWITCHES ? "switch-missing" : "host-missing", about_node(i));
        if (!is_expected_node(i) && is_there(i))
            add_key(must, "node-unexpected", about_node(i));
    }
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        const char *event = event_of_place(c);
        if (event)
            add_key(must, event, about_link(c->a, c->port_a, c->b, c->port_b));
        if (!c->extra && is_there(c->a) != is_there(c->b)) {
            const uint32_t gone = is_there(c->a) ? c->b : c->a;
            add_key(must, gone < SWITCHES ? "switch-missing" : "host-missing", about_node(gone));
        }
        const bool known = is_expected_node(c->a) && is_expected_node(c->b);
        if (cable_in(c->a, c->port_a) == c && known && (c->extra || c->now_b != c->port_b) &&
            !is_miscabled(c->a, c->port_a) && !is_miscabled(c->b, c->now_b))
            add_key(must, "link-unexpected", about_link(c->a, c->port_a, c->b, c->now_b));
    }
}

static bool is_of_difference(const char *text)
{
    struct alarm_key key;
    return alarm_key_parse(text, &key) && key.about == ALARM_ABOUT_EXPECTED;
}

static void collect_active(void *ctx, const struct alarm *alarm)
{
    struct keys *keys = ctx;
    if (is_of_difference(alarm->key)) {
        assert_in_range(keys->count, 0, KEYS_MAX - 1);
        snprintf(keys->all[keys->count++], sizeof keys->all[0], "%s", alarm->key);
    }
}

static void check_active(unsigned run, unsigned step)
{
    static struct keys must, may, active;
    active.count = 0;
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, collect_active, &active);
    find_truth(&must, &may);
    if (!in_force)
        must.count = may.count = 0;
    for (size_t i = 0; i < must.count; i++) {
        if (!has_key(&active, must.all[i]))
            fail_msg("run %u, step %u: %s is not told", run, step, must.all[i]);
    }
    for (size_t i = 0; i < active.count; i++) {
        if (!has_key(&must, active.all[i]) && !has_key(&may, active.all[i]))
            fail_msg("run %u, step %u: %s is told", run, step, active.all[i]);
    }
}

// Random edits.

static void move_cable(struct cable *c, struct generated_chance *chance)
{
    const uint8_t elsewhere = c->now_b != c->port_b             ? c->port_b
                              : generated_below(chance, 2) == 0 ? PORTS - 1
                                                                : PORTS;
    if (c->b < SWITCHES && !is_in_use(c->b, elsewhere))
        c->now_b = elsewhere;
}

static void act(struct generated_chance *chance)
{
    struct cable *c = &cables[generated_below(chance, (uint32_t)cable_count)];
    const uint32_t node = 1 + generated_below(chance, NODES - 1);
    switch (generated_below(chance, 8)) {
    case 0:
    case 1:
        c->cut = !c->cut;
        break;
    case 2:
        off[node] = !off[node];
        break;
    case 3:
        c->narrow = !c->narrow;
        break;
    case 4:
        move_cable(c, chance);
        break;
    case 5:
        restart();
        break;
    case 6:
        in_force = !in_force || generated_below(chance, 4) != 0;
        change_expectation();
        break;
    default:
        for (size_t i = 0; i < cable_count; i++)
            cables[i].cut = cables[i].extra;
        break;
    }
}

TEST(alarms_are_what_differs)
{
    for (unsigned run = 0; run < RUNS; run++) {
        struct generated_chance chance = {.state = run};
        assert_int_equal(begin(NULL), 0);
        for (unsigned step = 0; step < STEPS; step++) {
            for (uint32_t n = generated_below(&chance, 4); n > 0; n--)
                act(&chance);
            sweep(true);
            check_active(run, step);
        }
        end(NULL);
    }
}

static void count_expected(void *ctx, const struct alarm *alarm)
{
    *(size_t *)ctx += is_of_difference(alarm->key);
}

static size_t count_active(void)
{
    size_t count = 0;
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_expected, &count);
    return count;
}

// Host 1 is behind a port that is up and silent, then behind a port that is down.
TEST(what_an_incomplete_sweep_did_not_see_stays_as_it_is)
{
    begin(NULL);
    const struct cable *place = &cables[8];
    sweep(true);
    assert_int_equal(count_active(), 0);
    off[place->a] = true;
    lay_cables();
    for (int i = 0; i < 3; i++) {
        generated_port(&plant, place->b, place->port_b)->state = FABRIC_ACTIVE;
        generated_port(&plant, place->b, place->port_b)->silent = true;
        look(false);
        assert_int_equal(count_active(), 0);
    }
    generated_port(&plant, place->b, place->port_b)->silent = false;
    sweep(true);
    assert_int_equal(count_active(), 1);
    for (int i = 0; i < 3; i++) {
        generated_port(&plant, place->b, place->port_b)->state = FABRIC_ACTIVE;
        generated_port(&plant, place->b, place->port_b)->silent = true;
        look(false);
        assert_int_equal(count_active(), 1);
    }
    end(NULL);
}

// A missing switch is one alarm; a host that is still missing when the switch is back gets its own.
TEST(a_missing_switch_is_one_alarm)
{
    begin(NULL);
    const uint32_t host = SWITCHES + 2; // at leaf 3 alone, as others are
    off[3] = true;
    sweep(true);
    assert_int_equal(count_active(), 1);
    off[3] = false;
    off[host] = true;
    sweep(true);
    static struct keys active;
    active.count = 0;
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, collect_active, &active);
    assert_int_equal(active.count, 1);
    assert_int_equal(strncmp(active.all[0], "host-missing ", 13), 0);
    off[3] = true; // the host's alarm stays, because it is still true
    sweep(true);
    assert_int_equal(count_active(), 2);
    end(NULL);
}

// Each of them is its own root cause.
TEST(of_masses_that_are_not_expected_some_are_told)
{
    begin(NULL);
    for (uint32_t i = 0; i < EXPECTATIONS_UNEXPECTED_MAX + 100; i++)
        generated_add(&plant, FABRIC_CA, 0x100000 + 16 * (uint64_t)i, "made up", 1);
    pipeline_put_fabric(pipeline, generated_look(&plant, 0));
    pass_time(60 * CLOCK_US_PER_S);
    assert_int_equal(count_active(), EXPECTATIONS_UNEXPECTED_MAX);
    end(NULL);
}

// Both adapters are of one host by the configured pattern, and of two by the default.
TEST(a_host_that_is_not_expected_is_one_by_the_configured_names)
{
    static const struct filter_list PATTERNS = {{"made-%h:%d"}, 1};
    begin(NULL);
    topology_set_host_names(topology, &PATTERNS);
    generated_add(&plant, FABRIC_CA, 0x100000, "made-up:a", 1);
    generated_add(&plant, FABRIC_CA, 0x100010, "made-up:b", 1);
    pipeline_put_fabric(pipeline, generated_look(&plant, 0));
    pass_time(60 * CLOCK_US_PER_S);
    assert_int_equal(count_active(), 1);
    end(NULL);
}

struct summary {
    char id[EVENT_ID_SIZE];
    int64_t sequence;
    size_t consequences, others;
};

static void look_for_summary(void *ctx, const struct alarm *alarm)
{
    struct summary *s = ctx;
    if (strcmp(alarm->key, "expected topology") != 0)
        return;
    memcpy(s->id, alarm->event_id, sizeof s->id);
    s->sequence = alarm->last_sequence;
}

static void count_consequences(void *ctx, const struct alarm *alarm)
{
    struct summary *s = ctx;
    if (strncmp(alarm->key, "host-missing", 12) != 0)
        return;
    s->consequences += s->id[0] != '\0' && strcmp(alarm->cause_id, s->id) == 0 && !alarm->notified;
    s->others += alarm->notified;
}

static struct summary find_summary(void)
{
    struct summary s = {.id = ""};
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, look_for_summary, &s);
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_consequences, &s);
    return s;
}

// A wide switch with hosts that are expected and missing.
enum { MASS = 120, WIDE = NODES, FIRST_OF_MASS = NODES + 1 };

// Of 126 octets, in which a character begins at each even place.
#define NAME_PART "\u00e4\u00f6\u00fc\u00e9\u00e8\u00ea\u00e5"
#define LONG_NAME                                                                                  \
    NAME_PART NAME_PART NAME_PART NAME_PART NAME_PART NAME_PART NAME_PART NAME_PART NAME_PART

static void begin_with_mass(void)
{
    begin(NULL);
    generated_add(&plant, FABRIC_SWITCH, 0x900000, "wide", MASS + 1);
    generated_link(&plant, 0, 12, WIDE, MASS + 1);
    for (uint32_t i = 0; i < MASS; i++) {
        generated_add(&plant, FABRIC_CA, 0x100000 + 16 * (uint64_t)i, LONG_NAME, 1);
        generated_link(&plant, WIDE, (uint8_t)(i + 1), FIRST_OF_MASS + i, 1);
    }
    expectation_unref(expectation);
    expectation = expectation_new(generated_look(&plant, 0), false, NULL);
    assert_non_null(expectation);
    in_force = true;
    change_expectation();
    for (uint32_t i = 0; i < MASS; i++) {
        generated_unlink(&plant, WIDE, (uint8_t)(i + 1));
        plant.nodes[FIRST_OF_MASS + i].removed = true;
    }
}

static void assert_one_alarm(void)
{
    const struct summary s = find_summary();
    assert_true(s.id[0] != '\0');
    assert_int_equal(s.others, 0);
    assert_int_equal(s.consequences, MASS);
}

// A single message tells of a thousand missing hosts; the hosts that are still missing in the end
// are told.
TEST(masses_that_are_missing_are_one_alarm)
{
    enum { LEFT = 3 };
    begin_with_mass();
    for (int again = 0; again < 2; again++) {
        look(true);
        assert_one_alarm();
        restart(); // it stays what they follow from
    }
    for (uint32_t i = LEFT; i < MASS; i++) {
        plant.nodes[FIRST_OF_MASS + i].removed = false;
        generated_link(&plant, WIDE, (uint8_t)(i + 1), FIRST_OF_MASS + i, 1);
    }
    for (int again = 0; again < 3; again++)
        look(true);
    const struct summary s = find_summary();
    assert_string_equal(s.id, "");
    assert_int_equal(s.others, LEFT);
    end(NULL);
}

// Receivers refuse text that is cut within a character.
TEST(the_one_alarm_names_the_first_whole)
{
    begin_with_mass();
    look(true);
    struct event *event = journal_find(journal, find_summary().sequence);
    assert_non_null(event);
    assert_true(text_is_utf8(event->reason));
    assert_non_null(strstr(event->reason, LONG_NAME));
    event_unref(event);
    end(NULL);
}

// A sweep that cannot tell does not end the single alarm: receivers would get all the others.
TEST(masses_that_a_sweep_does_not_see_stay_one_alarm)
{
    begin_with_mass();
    look(true);
    assert_one_alarm();
    for (uint32_t i = 0; i < MASS; i++) {
        struct fabric_port *port = generated_port(&plant, WIDE, (uint8_t)(i + 1));
        port->state = FABRIC_ACTIVE;
        port->silent = true;
    }
    for (int again = 0; again < 3; again++) {
        look(false);
        assert_one_alarm();
    }
    end(NULL);
}

// Nor does the loss of the hosts' switch. From then on the missing hosts are consequences of the
// switch.
TEST(masses_whose_switch_goes_too_stay_one_alarm)
{
    begin_with_mass();
    look(true);
    generated_unlink(&plant, WIDE, MASS + 1);
    plant.nodes[WIDE].removed = true;
    for (int again = 0; again < 3; again++) {
        look(true);
        assert_one_alarm();
    }
    generated_link(&plant, 0, 12, WIDE, MASS + 1);
    plant.nodes[WIDE].removed = false;
    look(true);
    assert_one_alarm();
    end(NULL);
}

static void age_alarms(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx;
    correlator_change_limits(inside->correlator, 1, &(struct inactive_links_limits){0});
}

// The alarms about losses end by their age, all in one sweep: the others follow from the one.
TEST(masses_whose_losses_are_over_follow_from_the_one_alarm)
{
    begin_with_mass();
    for (int lost = 0; lost < 2; lost++) {
        for (uint32_t i = 0; i < MASS; i++) {
            plant.nodes[FIRST_OF_MASS + i].removed = lost;
            if (lost)
                generated_unlink(&plant, WIDE, (uint8_t)(i + 1));
            else
                generated_link(&plant, WIDE, (uint8_t)(i + 1), FIRST_OF_MASS + i, 1);
        }
        look(true);
    }
    struct summary s = find_summary();
    assert_true(s.id[0] != '\0');
    assert_int_equal(s.consequences + s.others, 0); // they follow from the losses
    assert_true(pipeline_call(pipeline, age_alarms, NULL));
    for (int again = 0; again < 3; again++) {
        look(true);
        assert_one_alarm();
    }
    end(NULL);
}

static void do_nothing(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
}

static void keep_number(void *ctx, const struct alarm *alarm)
{
    *(int64_t *)ctx = alarm->last_sequence;
}

// Puts an alarm about another host into the journal alone, like an alarm that was read late.
static void add_unknown_alarm(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    int64_t number = 0;
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, keep_number, &number);
    struct event *known = journal_find(journal, number), *other = event_copy(known);
    assert_non_null(other);
    snprintf(other->alarm_key, sizeof other->alarm_key, "host-missing node 0x%016x", 0x1000);
    snprintf(other->id, sizeof other->id, "0123456789abcdef");
    journal_append(journal, other, &(struct journal_report){0});
    journal_commit(journal);
    event_unref(known);
    event_unref(other);
}

TEST(an_alarm_that_nobody_was_told_of_yet_does_not_end)
{
    begin(NULL);
    off[SWITCHES + 2] = true;
    sweep(true);
    assert_int_equal(count_active(), 1);
    assert_true(pipeline_call(pipeline, add_unknown_alarm, NULL));
    assert_int_equal(count_active(), 2);
    sweep(true);
    assert_int_equal(count_active(), 2);
    restart(); // policy knows it now
    sweep(true);
    assert_int_equal(count_active(), 1);
    end(NULL);
}

// Policy has room for two alarms at the restart, the journal has all.
TEST(alarms_that_find_no_room_at_a_restart_end)
{
    enum { MISSING = 6 };
    for (int reload = 0; reload < 2; reload++) {
        begin(NULL);
        for (int i = 0; i < MISSING; i++)
            off[SWITCHES + i] = true;
        sweep(true);
        assert_int_equal(count_active(), MISSING);
        alarms_max = 2;
        restart();
        sweep(true);
        assert_int_equal(count_active(), MISSING);
        if (reload) {
            in_force = false;
            change_expectation();
        } else {
            memset(off, 0, sizeof off);
            sweep(true);
        }
        assert_int_equal(count_active(), 0);
        end(NULL);
        alarms_max = 0;
    }
}

// The one alarm about masses finds no room.
TEST(the_one_alarm_that_finds_no_room_at_a_restart_ends)
{
    begin_with_mass();
    look(true);
    assert_one_alarm();
    alarms_max = 2;
    restart();
    look(true);
    for (uint32_t i = 0; i < MASS; i++) {
        plant.nodes[FIRST_OF_MASS + i].removed = false;
        generated_link(&plant, WIDE, (uint8_t)(i + 1), FIRST_OF_MASS + i, 1);
    }
    look(true);
    look(true);
    const struct summary s = find_summary();
    assert_string_equal(s.id, "");
    assert_int_equal(s.others, 0);
    end(NULL);
    alarms_max = 0;
}

// Once nothing is expected any more, no sweep has to come that ends the alarms: sweeps may be off.
TEST(without_sweeps_alarms_end_with_the_expected_topology)
{
    for (int reload = 0; reload < 2; reload++) {
        begin(NULL);
        off[3] = true;
        sweep(true);
        assert_int_equal(count_active(), 1);
        in_force = reload == 1;
        restart();
        assert_true(pipeline_call(pipeline, do_nothing, NULL));
        assert_int_equal(count_active(), reload);
        in_force = false;
        change_expectation();
        assert_int_equal(count_active(), 0);
        end(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alarms_are_what_differs),
        cmocka_unit_test(a_missing_switch_is_one_alarm),
        cmocka_unit_test(masses_that_are_missing_are_one_alarm),
        cmocka_unit_test(the_one_alarm_names_the_first_whole),
        cmocka_unit_test(masses_that_a_sweep_does_not_see_stay_one_alarm),
        cmocka_unit_test(masses_whose_switch_goes_too_stay_one_alarm),
        cmocka_unit_test(masses_whose_losses_are_over_follow_from_the_one_alarm),
        cmocka_unit_test(an_alarm_that_nobody_was_told_of_yet_does_not_end),
        cmocka_unit_test(alarms_that_find_no_room_at_a_restart_end),
        cmocka_unit_test(the_one_alarm_that_finds_no_room_at_a_restart_ends),
        cmocka_unit_test(without_sweeps_alarms_end_with_the_expected_topology),
        cmocka_unit_test(of_masses_that_are_not_expected_some_are_told),
        cmocka_unit_test(a_host_that_is_not_expected_is_one_by_the_configured_names),
        cmocka_unit_test(what_an_incomplete_sweep_did_not_see_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
