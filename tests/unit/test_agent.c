// SPDX-License-Identifier: BSD-2-Clause
// The whole subagent below a master agent that the test plays: where the subagent registers, also
// after a day, and the answer to a master agent that asks outside of the registered regions.
#include "fake_master.h"
#include "generated.h"
#include "support.h"

#include "agent/agent.h"
#include "mib_root.h"
#include "tables/tables.h"

#include <unistd.h>

enum { WAIT_MS = 300000, KNOWN_MAX = 2 * CONTEXTS_MAX, ROOTS_OF_DEVICE = 2, ROOTS_OF_OWN = 3 };

// The master's side: in which contexts how many regions are registered.
struct known {
    char context[AGENTX_CONTEXT_SIZE];
    unsigned regions;
};

static struct fake_master master;
static struct known known[KNOWN_MAX];
static size_t known_count;
static struct fake_pdu heard;

static struct generated g;
static struct topology *topology;
static struct journal *journal;
static struct agent *agent;
static struct log *log_;
static struct support_time now;
static struct clock clock_;
static const char *directory;
static uint32_t asked;

static void tell_of_gateway(void *ctx, struct snapshot_gateway *out)
{
    (void)ctx, (void)out;
}

static struct settings *tell_of_settings(void *ctx)
{
    (void)ctx;
    return NULL;
}

static struct accumulated_counters *tell_of_sums(void *ctx)
{
    (void)ctx;
    return NULL;
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    struct error err;
    (void)state;
    g = (struct generated){0};
    known_count = asked = 0;
    fake_master_begin(&master, "master");
    fake_master_listen(&master);
    now = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    clock_ = support_clock(&now);
    log_ = support_log(NULL);
    directory = scratch_make();
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000,
                                            .bytes_max = 1 << 24,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = log_};
    journal = journal_open(&options, &err);
    topology = topology_new(NULL, &random_system, NULL);
    assert_non_null(journal);
    assert_non_null(topology);
    return 0;
}

static int end(void **state)
{
    (void)state;
    agent_stop(agent);
    agent = NULL;
    topology_free(topology);
    journal_close(journal);
    log_close(log_);
    fake_master_end(&master);
    scratch_remove(directory);
    generated_clear(&g);
    return 0;
}

static void sweep(void)
{
    struct changes changes = {0};
    bool late;
    struct fabric *fabric = generated_look(&g, 0);
    fabric->time_us = now.utc;
    topology_update(topology, fabric, &changes, &late);
    changes_clear(&changes);
}

static void pass(int64_t us)
{
    now.utc += us;
    now.monotonic += us;
}

static void start(enum contexts_of contexts, bool fabric_alone)
{
    struct error err;
    const struct agent_options options = {
        .master = master.path,
        .tables = &TABLES,
        .device_tables = &DEVICE_TABLES,
        .fabric_tables = &FABRIC_DEVICE_TABLES,
        .context = "",
        .contexts = contexts,
        .fabric_alone = fabric_alone,
        .source = {.topology = topology,
                   .journal = journal,
                   .gateway = tell_of_gateway,
                   .settings = tell_of_settings,
                   .sums = tell_of_sums,
                   .fabric_of = fabric_alone ? CONTEXTS_SWITCHES : CONTEXTS_OFF,
                   .gateway_name = "gateway",
                   .fabric_name = "halle-2",
                   .clock = &clock_},
        .random = &random_system,
        .log = log_};
    agent = agent_start(&options, &err);
    assert_non_null(agent);
}

// The master.

static struct known *find(const char *context)
{
    for (size_t i = 0; i < known_count; i++) {
        if (strcmp(known[i].context, context) == 0)
            return &known[i];
    }
    return NULL;
}

static unsigned regions_in(uint64_t guid)
{
    char context[CONTEXTS_NAME_SIZE];
    contexts_name(guid, context);
    const struct known *one = find(context);
    return one ? one->regions : 0;
}

// In the contexts of so many GUIDs.
static unsigned regions_of(uint64_t first, uint64_t count)
{
    unsigned sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += regions_in(first + i);
    return sum;
}

static void note(const char *context, bool is_added)
{
    struct known *one = find(context);
    if (!one) {
        assert_true(known_count < KNOWN_MAX);
        one = &known[known_count++];
        *one = (struct known){.regions = 0};
        snprintf(one->context, sizeof one->context, "%s", context);
    }
    assert_true(is_added || one->regions > 0);
    one->regions += is_added ? 1 : -1U;
}

static void answer(void)
{
    char context[AGENTX_CONTEXT_SIZE];
    assert_true(pdu_read_context(heard.octets, &heard.header, context));
    if (heard.header.type == PDU_REGISTER || heard.header.type == PDU_UNREGISTER)
        note(context, heard.header.type == PDU_REGISTER);
    fake_master_respond(&master, &heard, AGENTX_NO_ERROR);
}

static unsigned regions_of_all(void)
{
    unsigned sum = 0;
    for (size_t i = 0; i < known_count; i++)
        sum += known[i].regions;
    return sum;
}

static bool hear(void)
{
    return (master.fd >= 0 || fake_master_accept(&master)) && fake_master_hear(&master, &heard);
}

// Plays the master until that many regions are registered.
static void serve(unsigned regions)
{
    for (int ms = 0; ms < WAIT_MS && regions_of_all() != regions;) {
        if (hear()) {
            answer();
        } else {
            usleep(1000);
            ms++;
        }
    }
    assert_int_equal(regions_of_all(), regions);
}

// The next instance after the name, in the context. False: nothing does.
static bool get_next(const char *context, const uint32_t *ids, size_t length,
                     struct agentx_varbind *out)
{
    uint8_t octets[512];
    struct pdu_writer w = {.octets = octets, .size = sizeof octets};
    uint32_t uptime = 0;
    uint16_t error = 0, index = 0;
    pdu_begin(&w, PDU_GET_NEXT, FAKE_MASTER_SESSION, 1, ++asked, context);
    pdu_add_oid(&w, ids, length, true);
    pdu_add_oid(&w, NULL, 0, false);
    fake_master_say(&master, &w);
    for (int ms = 0; ms < WAIT_MS;) {
        if (!hear()) {
            usleep(1000);
            ms++;
        } else if (heard.header.type != PDU_RESPONSE) {
            answer();
        } else {
            assert_int_equal(heard.header.packet, asked);
            assert_true(pdu_read32(&heard.rest, &uptime) && pdu_read16(&heard.rest, &error) &&
                        pdu_read16(&heard.rest, &index));
            assert_int_equal(error, AGENTX_NO_ERROR);
            assert_true(pdu_read_varbind(&heard.rest, out));
            return out->value.type != AGENTX_END_OF_MIB_VIEW;
        }
    }
    fail_msg("no answer");
    return false;
}

static const uint32_t SYS_NAME[] = {TABLES_MIB_2_IDS, 1, 5};

// Whether the context shows a device of that name; empty: none.
static void expect_device(uint64_t guid, const char *name)
{
    char context[CONTEXTS_NAME_SIZE];
    struct agentx_varbind found;
    contexts_name(guid, context);
    const bool there = get_next(context, SYS_NAME, COUNT(SYS_NAME), &found);
    assert_int_equal(there && found.value.type == AGENTX_OCTETS, name[0] != '\0');
    if (name[0] != '\0') {
        assert_int_equal(found.value.size, strlen(name));
        assert_memory_equal(found.value.octets, name, strlen(name));
    }
}

// The contexts are full. Those that left make room after a day, more than the master is asked to
// register at once; and the master hears of each.
TEST(who_comes_after_a_day_is_registered_in_the_place_of_who_left)
{
    enum { LEAVE = 300 };
    const unsigned all = ROOTS_OF_OWN + ROOTS_OF_DEVICE * CONTEXTS_MAX;
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_SWITCH, 0x1000 + i, "old", 1);
    sweep();
    start(CONTEXTS_SWITCHES, false);
    serve(all);
    expect_device(0x1007, "old");
    for (uint32_t i = 0; i < LEAVE; i++) {
        generated_remove(&g, i);
        generated_add(&g, FABRIC_SWITCH, 0x10 + i, "new", 1);
    }
    pass(CLOCK_US_PER_S);
    sweep();
    expect_device(0x1007, ""); // the agent looks at the fabric after each request
    expect_device(0x1007, "");
    assert_false(agent_has_context(agent, 0x10));
    assert_int_equal(regions_in(0x1007), ROOTS_OF_DEVICE);
    pass(CONTEXTS_KEEP_US);
    sweep();
    for (int i = 0; i < WAIT_MS && regions_of(0x10, LEAVE) < ROOTS_OF_DEVICE * LEAVE; i++)
        expect_device(0x1000 + LEAVE, "old");
    assert_int_equal(regions_of(0x10, LEAVE), ROOTS_OF_DEVICE * LEAVE);
    assert_int_equal(regions_of(0x1000, LEAVE), 0);
    assert_int_equal(regions_of_all(), all);
    for (uint32_t i = 0; i < LEAVE; i++) {
        assert_true(agent_has_context(agent, 0x10 + i));
        assert_int_equal(regions_in(0x10 + i), ROOTS_OF_DEVICE);
        assert_false(agent_has_context(agent, 0x1000 + i));
    }
    expect_device(0x10, "new");
    expect_device(0x1000 + LEAVE, "old");
}

// The master dies while contexts move: the next session hears of the existing contexts, and of no
// other.
TEST(a_master_that_comes_while_contexts_move_gets_them_all)
{
    enum { LEAVE = 300 };
    const unsigned all = ROOTS_OF_OWN + ROOTS_OF_DEVICE * CONTEXTS_MAX;
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_SWITCH, 0x1000 + i, "old", 1);
    sweep();
    start(CONTEXTS_SWITCHES, false);
    serve(all);
    for (uint32_t i = 0; i < LEAVE; i++) {
        generated_remove(&g, i);
        generated_add(&g, FABRIC_SWITCH, 0x10 + i, "new", 1);
    }
    pass(CLOCK_US_PER_S);
    sweep();
    expect_device(0x1007, "");
    expect_device(0x1007, "");
    pass(CONTEXTS_KEEP_US);
    sweep();
    for (int i = 0; i < WAIT_MS && regions_of(0x10, LEAVE) == 0; i++)
        expect_device(0x1000 + LEAVE, "old");
    fake_master_die(&master);
    known_count = 0;
    fake_master_listen(&master);
    for (int i = 0; i < WAIT_MS / 10 && !fake_master_accept(&master); i++) {
        pass(CLOCK_US_PER_S);
        usleep(10000);
    }
    serve(all);
    expect_device(0x1000 + LEAVE, "old");
    assert_int_equal(regions_of_all(), all);
    assert_int_equal(regions_of(0x1000, LEAVE), 0);
    for (uint32_t i = 0; i < LEAVE; i++)
        assert_int_equal(regions_in(0x10 + i), ROOTS_OF_DEVICE);
}

// Who may reach this socket need not be trusted with more: communities, receivers, alarms.
TEST(a_master_for_the_fabric_alone_gets_nothing_else)
{
    static const uint32_t BEGIN[] = {1, 3, 6, 1, 3}, MIB_2[] = {TABLES_MIB_2_IDS};
    static const char *const CONTEXTS[] = {"", "other", "fabric", "0000000000001000"};
    struct agentx_varbind found;
    generated_add(&g, FABRIC_SWITCH, 0x1000, "switch", 4);
    sweep();
    start(CONTEXTS_OFF, true);
    serve(2); // mib-2 and the LLDP-MIB
    assert_int_equal(find("")->regions, 2);
    for (size_t i = 0; i < COUNT(CONTEXTS); i++) {
        if (get_next(CONTEXTS[i], BEGIN, COUNT(BEGIN), &found))
            fail_msg("something is there in the context '%s'", CONTEXTS[i]);
    }
    assert_true(get_next("", MIB_2, COUNT(MIB_2), &found));
}

#define AGENT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AGENT_TEST(who_comes_after_a_day_is_registered_in_the_place_of_who_left),
        AGENT_TEST(a_master_that_comes_while_contexts_move_gets_them_all),
        AGENT_TEST(a_master_for_the_fabric_alone_gets_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
