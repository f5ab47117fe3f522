// SPDX-License-Identifier: BSD-2-Clause
// The limits of a sweep, and the sweeper's message about a sweep that reached a limit.
#include "support.h"

#include "base/clock.h"
#include "ib/sweep_rules.h"

static const struct sweep_bounds BOUNDS = {
    .nodes = 65536, .part_us = 600 * CLOCK_US_PER_S, .silent_us = 250 * CLOCK_US_PER_MS};

static struct sweep_findings findings;
static struct sweep sweep;
static struct sweep_limits next;
static struct fabric *fabric;
static char told[SWEEP_FINDINGS_REASON_SIZE];
static unsigned overs, ends, twins;

static void on_overflow(void *ctx, bool over, const char *reason)
{
    (void)ctx;
    overs += over;
    ends += !over;
    snprintf(told, sizeof told, "%s", reason);
}

static void on_twin(void *ctx, const char *reason)
{
    (void)ctx;
    twins++;
    snprintf(told, sizeof told, "%s", reason);
}

static const struct sweep_listener LISTENER = {on_overflow, on_twin, NULL};

static int begin(void **state)
{
    (void)state;
    findings = (struct sweep_findings){0};
    next = (struct sweep_limits){1104, 20000, 65 * CLOCK_US_PER_S};
    sweep = (struct sweep){.limits = next};
    overs = ends = twins = 0;
    told[0] = '\0';
    struct fabric_builder *builder = fabric_builder_new();
    struct fabric_node leaf = {.guid = 0x100, .type = FABRIC_SWITCH, .port_count = 36};
    struct fabric_node host = {.guid = 0x200, .type = FABRIC_CA, .port_count = 2};
    snprintf(leaf.description, sizeof leaf.description, "leaf1");
    uint32_t a = fabric_builder_node(builder, &leaf), b = fabric_builder_node(builder, &host);
    fabric_builder_link(builder, a, 7, b, 1);
    fabric = fabric_builder_finish(builder, SUPPORT_UTC_US, 0, true);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    return 0;
}

static void tell(void)
{
    sweep_findings_tell(&findings, &sweep, &next, fabric, &LISTENER);
}

// Limits.

TEST(a_fabric_is_measured_by_its_ports)
{
    struct sweep_size size = sweep_limits_measure(fabric);
    assert_int_equal(size.nodes, 2);
    assert_int_equal(size.ports, 37 + 1);
}

TEST(an_unknown_size_is_bounded)
{
    struct sweep_limits limits = sweep_limits_for(&(struct sweep_size){0}, &BOUNDS);
    assert_int_equal(limits.nodes, 65536);
    assert_int_equal(limits.ports, 8 * 65536 + 16384);
    assert_int_equal(limits.part_us, 600 * CLOCK_US_PER_S);
}

TEST(a_small_fabric_has_small_limits)
{
    struct sweep_limits limits = sweep_limits_for(&(struct sweep_size){20, 100}, &BOUNDS);
    assert_int_equal(limits.nodes, 1024 + 80);
    assert_int_equal(limits.ports, 16384 + 400);
    assert_int_equal(limits.part_us, 65 * CLOCK_US_PER_S);
}

TEST(a_large_fabric_meets_the_bounds)
{
    const struct sweep_size sizes[] = {{51672, 300000}, {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct sweep_limits limits = sweep_limits_for(&sizes[i], &BOUNDS);
        assert_int_equal(limits.nodes, 65536);
        assert_int_equal(limits.ports, 8 * 65536 + 16384);
        assert_int_equal(limits.part_us, 600 * CLOCK_US_PER_S);
    }
}

TEST(without_bounds_there_are_no_limits)
{
    struct sweep_limits limits =
        sweep_limits_for(&(struct sweep_size){20, 100}, &(struct sweep_bounds){0});
    assert_int_equal(limits.nodes, 0);
    assert_int_equal(limits.ports, 0);
    assert_int_equal(limits.part_us, 0);
}

// Overflow.

static void overflow(void)
{
    sweep.overflow = (struct sweep_overflow){.happened = true,
                                             .limit = "its limit of nodes",
                                             .nodes = 1104,
                                             .node_guid = 0x0002c90200c10000,
                                             .node = "leaf1",
                                             .port = 12};
}

TEST(an_overflow_is_told_once_and_its_end_once)
{
    tell();
    assert_int_equal(overs + ends, 0);
    overflow();
    tell();
    tell();
    assert_int_equal(overs, 1);
    assert_string_equal(told,
                        "it reached its limit of nodes with 1104 nodes found, most queries went to "
                        "what is behind port 12 of 0x0002c90200c10000 (leaf1)");
    sweep.overflow.happened = false;
    tell();
    tell();
    assert_int_equal(ends, 1);
    assert_string_equal(told, "the last one found 2 nodes");
}

TEST(an_overflow_before_a_restart_ends_too)
{
    findings.over = true;
    overflow();
    tell();
    assert_int_equal(overs + ends, 0);
    sweep.overflow.happened = false;
    tell();
    assert_int_equal(ends, 1);
}

// The SA knows enough nodes for higher limits of the next sweep.
TEST(a_fabric_that_has_grown_is_no_overflow)
{
    overflow();
    next.nodes = 5000;
    tell();
    assert_int_equal(overs, 0);
    sweep.limits = next;
    tell();
    assert_int_equal(overs, 1);
    next.part_us++;
    tell();
    assert_int_equal(overs + ends, 1);
}

TEST(who_does_not_sweep_any_more_is_within_the_limits)
{
    sweep_findings_end(&findings, &LISTENER);
    assert_int_equal(ends, 0);
    findings.over = true;
    sweep_findings_end(&findings, &LISTENER);
    sweep_findings_end(&findings, &LISTENER);
    assert_int_equal(ends, 1);
}

TEST(nobody_has_to_listen)
{
    overflow();
    sweep_findings_tell(&findings, &sweep, &next, fabric, &(struct sweep_listener){0});
    assert_true(findings.over);
    sweep_findings_end(&findings, &(struct sweep_listener){0});
}

// A node chooses its description, and must not push the GUID out of the sentence.
TEST(a_long_description_is_cut)
{
    overflow();
    memset(sweep.overflow.node, 0, sizeof sweep.overflow.node);
    for (size_t i = 0; i + 3 < sizeof sweep.overflow.node; i += 3)
        memcpy(sweep.overflow.node + i, "\xEF\xBF\xBD", 3);
    tell();
    assert_non_null(strstr(told, "0x0002c90200c10000 (\xEF\xBF\xBD"));
    assert_int_equal(told[strlen(told) - 1], ')');
}

// Twins.

static void add_twin(uint64_t guid, uint64_t other, uint8_t port)
{
    sweep.twins[sweep.twin_count++] = (struct sweep_twin){
        .guid = guid, .kept_guid = 0x100, .kept_port = 7, .other_guid = other, .other_port = port};
}

TEST(a_twin_is_told_when_it_is_found_again)
{
    add_twin(0x200, 0x999, 3);
    tell();
    assert_int_equal(twins, 0);
    tell();
    assert_int_equal(twins, 1);
    assert_string_equal(told, "0x0000000000000200 answers at port 3 of 0x0000000000000999, and "
                              "where it is taken to be, at port 7 of 0x0000000000000100 (leaf1)");
    tell();
    assert_int_equal(twins, 1);
}

// A node that moved during a sweep answers at two places once.
TEST(a_twin_that_was_found_once_is_none)
{
    add_twin(0x200, 0x999, 3);
    tell();
    sweep.twin_count = 0;
    tell();
    add_twin(0x200, 0x999, 3);
    tell();
    assert_int_equal(twins, 0);
    sweep.twins[0].other_port = 4;
    tell();
    assert_int_equal(twins, 0);
}

TEST(each_twin_is_told)
{
    for (uint8_t i = 1; i <= SWEEP_TWINS_MAX; i++)
        add_twin(0x200, 0x999, i);
    tell();
    tell();
    tell();
    assert_int_equal(twins, SWEEP_TWINS_MAX);
}

TEST(a_twin_of_the_own_node_has_no_place)
{
    add_twin(0x200, 0x100, 3);
    sweep.twins[0].kept_guid = 0;
    tell();
    tell();
    assert_string_equal(told, "0x0000000000000200 answers at port 3 of 0x0000000000000100 (leaf1)");
}

#define FINDINGS_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FINDINGS_TEST(a_fabric_is_measured_by_its_ports),
        FINDINGS_TEST(an_unknown_size_is_bounded),
        FINDINGS_TEST(a_small_fabric_has_small_limits),
        FINDINGS_TEST(a_large_fabric_meets_the_bounds),
        FINDINGS_TEST(without_bounds_there_are_no_limits),
        FINDINGS_TEST(an_overflow_is_told_once_and_its_end_once),
        FINDINGS_TEST(an_overflow_before_a_restart_ends_too),
        FINDINGS_TEST(a_fabric_that_has_grown_is_no_overflow),
        FINDINGS_TEST(who_does_not_sweep_any_more_is_within_the_limits),
        FINDINGS_TEST(nobody_has_to_listen),
        FINDINGS_TEST(a_long_description_is_cut),
        FINDINGS_TEST(a_twin_is_told_when_it_is_found_again),
        FINDINGS_TEST(a_twin_that_was_found_once_is_none),
        FINDINGS_TEST(each_twin_is_told),
        FINDINGS_TEST(a_twin_of_the_own_node_has_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
