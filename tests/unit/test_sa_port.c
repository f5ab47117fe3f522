// SPDX-License-Identifier: BSD-2-Clause
// The SA client with ports that differ from a plain one: a port of a host that may send no SMPs, a
// port that requires a GRH, a port without a P_Key.
#include "fake_sm.h"
#include "golden.h"
#include "support.h"

static const int64_t S = CLOCK_US_PER_S, MS = CLOCK_US_PER_MS;

static struct fake_sm sm;
static struct sa_client *client;
static struct sa_status status;
static struct support_chance counting;
static struct random chance;
static char *logged;
static size_t logged_size;
static FILE *stream;
static struct log *log_;
static struct error err;

static int begin(void **state)
{
    (void)state;
    fake_sm_init(&sm);
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    stream = open_memstream(&logged, &logged_size);
    log_ = support_log(stream);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    sa_client_free(client);
    log_close(log_);
    fclose(stream);
    free(logged);
    client = NULL;
    return 0;
}

static void start(void)
{
    const struct sa_options options = {
        .verify_us = 5 * S,
        .refresh_us = 300 * S,
        .has_sa_key = true,
        .sa_key = 1,
        .opener = fake_sm_opener(&sm),
        .listener = fake_sm_listener(&sm),
        .clock = &sm.clock,
        .random = &chance,
        .log = log_,
    };
    client = sa_client_new(&options);
    assert_true(sa_client_start(client, &err));
    fake_sm_run(&sm, 3 * S);
}

static void start_without_smps(void)
{
    sm.no_smps = true;
    start();
    assert_int_equal(fake_sm_held(&sm), 17);
}

static unsigned count_logged(const char *words)
{
    unsigned n = 0;
    fflush(stream);
    for (const char *at = logged; (at = strstr(at, words)); at++)
        n++;
    return n;
}

static void check_subscribed_again(const char *reason)
{
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 2);
    assert_int_equal(sm.changes[0].change, SA_SUBSCRIPTIONS_LOST);
    assert_string_equal(sm.changes[0].reason, reason);
    assert_int_equal(sm.changes[1].change, SA_SUBSCRIPTIONS_RESTORED);
}

TEST(a_host_without_smps_reads_its_port_from_the_kernel)
{
    start_without_smps();
    fake_sm_run(&sm, 600 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.smp_refusal, "it is a virtual function");
    assert_string_equal(status.problem, "");
    assert_true(status.open);
    assert_int_equal(status.port.lid, 7);
    assert_int_equal(status.port.sm_lid, 1);
    assert_true(status.sm_answers);
    assert_int_equal(sm.opened, 1);
    assert_int_equal(sm.change_count, 0);
    assert_int_equal(count_logged("this host may send no SMPs: it is a virtual function"), 1);
    assert_int_equal(sm.smps, 1); // the first try
}

TEST(it_follows_the_port_by_the_kernel)
{
    start_without_smps();
    sm.lid = sm.port.sm_lid = 2;
    check_subscribed_again("the master subnet manager moved from LID 1 to LID 2");
}

TEST(it_sees_by_the_kernel_that_the_port_goes_down)
{
    start_without_smps();
    sm.port.state = 1;
    fake_sm_run(&sm, 2 * S);
    assert_int_equal(sm.change_count, 1);
    assert_string_equal(sm.changes[0].reason,
                        "port 1 of mlx5_0 is not ready (state down, LID 7, SM LID 1)");
}

TEST(the_adapters_event_makes_it_register_again)
{
    start_without_smps();
    sa_client_reregister(client);
    check_subscribed_again("the subnet manager asked for new registrations");
}

// PortInfo says it, too; once is enough.
TEST(with_smps_the_event_only_makes_it_look)
{
    start();
    sa_client_reregister(client);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, 0);
    assert_int_equal(sm.subscribed[64], 1);
}

// An SM that drops NodeRecords is not asked for SMInfo, because SMInfo is an SMP.
TEST(no_sminfo_is_sent)
{
    sm.drops_nodes = sm.drops_lists = true;
    start_without_smps();
    fake_sm_run(&sm, 600 * S);
    assert_int_equal(sm.asked_info, 0);
    assert_int_equal(sm.change_count, 0);
}

TEST(a_report_with_a_grh_is_answered_with_it)
{
    uint8_t mad[MAD_SIZE] = {0};
    start();
    sm.with_grh = true;
    support_hex(mad, 24, "01 03 02 06 0000 0000 0000ABCD00000042 0002 0000 00000000");
    golden_wire(GOLDEN_128, mad + 56);
    fake_sm_arrive(&sm, 1, mad, sizeof mad);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 1);
    sa_client_acknowledge(client, &sm.reports[0]);
    assert_int_equal(sm.answer_count, 1);
    assert_int_equal(sm.answers[0].grh.gid[15], 9);
    assert_int_equal(sm.answers[0].grh.hop_limit, 64);
}

// They are read every ten seconds, too.
TEST(the_pkeys_are_read_again_when_the_port_has_another_lid)
{
    start_without_smps();
    const unsigned before = sm.refreshes;
    sm.port.lid = 9;
    fake_sm_run(&sm, 2 * S);
    assert_int_equal(sm.refreshes, before + 1);
    sm.lid = sm.port.sm_lid = 2;
    fake_sm_run(&sm, 2 * S);
    assert_int_equal(sm.refreshes, before + 2);
}

// In the kernel, 200,001 MADs may wait for a program that was stopped, and an answer behind them.
// The simulated queue is shorter, and slower to read.
TEST(who_has_much_to_read_takes_nobody_for_silent)
{
    enum { WAITING = 100 };
    start();
    const unsigned asked = sm.asked_node;
    sm.read_us = 500 * MS;
    sm.returns_at = 20;
    for (unsigned i = 0; i < WAITING; i++) {
        uint8_t mad[MAD_SIZE] = {0};
        support_hex(mad, 24, "01 03 02 06 0000 0000 0000ABCD00000042 0002 0000 00000000");
        mad[15] = (uint8_t)i;
        golden_wire(GOLDEN_128, mad + 56);
        fake_sm_arrive(&sm, 1, mad, sizeof mad);
    }
    fake_sm_run(&sm, 90 * S);
    assert_int_equal(sm.opened, 1);
    for (size_t i = 0; i < sm.change_count; i++) // the test takes a few Reports only
        assert_int_equal(sm.changes[i].change, SA_REPORTS_MISSED);
    assert_int_equal(count_logged("does not answer"), 0);
    assert_true(sm.asked_node > asked); // it goes on
    sm.read_us = 0;
    sm.deaf = true;
    fake_sm_run(&sm, 60 * S);
    sa_client_status(client, &status);
    assert_false(status.sm_answers);
}

TEST(a_pkey_that_is_missing_is_told)
{
    start();
    sm.pkey_lacks = "the partition is not there";
    fake_sm_run(&sm, 20 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "the partition is not there");
    assert_int_equal(count_logged("the partition is not there"), 1);
    sm.pkey_lacks = NULL;
    fake_sm_run(&sm, 20 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "");
}

// The P_Key is why nothing answers: the silence must not hide it.
TEST(a_pkey_that_is_missing_is_told_of_an_sm_that_is_silent)
{
    start();
    sm.pkey_lacks = "the partition is not there";
    sm.deaf = true;
    fake_sm_run(&sm, 120 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "the partition is not there");
    assert_false(status.sm_answers);
    assert_int_equal(count_logged("the partition is not there"), 1);
    sm.pkey_lacks = NULL;
    fake_sm_run(&sm, 20 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "the subnet manager at LID 1 (opensm) does not answer");
}

static void report_from(uint16_t lid)
{
    uint8_t mad[MAD_SIZE] = {0};
    support_hex(mad, 24, "01 03 02 06 0000 0000 0000ABCD00000042 0002 0000 00000000");
    golden_wire(GOLDEN_128, mad + 56);
    fake_sm_arrive(&sm, lid, mad, sizeof mad);
    fake_sm_run(&sm, 100 * MS);
}

// Each datagram of another LID may come from a new SM. Reading the port costs more than sending a
// datagram.
TEST(datagrams_of_others_do_not_make_it_read_the_port_each_time)
{
    uint8_t mad[MAD_SIZE] = {0};
    start_without_smps();
    const unsigned before = sm.reads;
    for (int i = 0; i < 100; i++)
        fake_sm_arrive(&sm, 99, mad, sizeof mad);
    fake_sm_run(&sm, 1 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.foreign, 100);
    assert_in_range(sm.reads - before, 1, 4);
}

// With LMC 2, the SM at LID 4 may send from 4 to 7.
TEST(any_lid_of_the_sms_port_is_the_sms)
{
    sm.port.lmc = 2;
    sm.port.lid = 8;
    sm.lid = sm.port.sm_lid = 4;
    start();
    report_from(4);
    report_from(7);
    assert_int_equal(sm.report_count, 2);
    report_from(3);
    report_from(8);
    assert_int_equal(sm.report_count, 2);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.foreign, 2);
}

TEST(without_an_lmc_the_sm_has_one_lid)
{
    sm.lid = sm.port.sm_lid = 4;
    start();
    report_from(5);
    assert_int_equal(sm.report_count, 0);
}

// Each try is a line in the kernel's log.
TEST(a_registration_that_is_refused_is_tried_seldom)
{
    sm.no_registration = true;
    start();
    fake_sm_run(&sm, 10 * S); // not at 2 s, 4 s, 6 s... but at 3 to 5 s, and 9 to 15 s
    assert_in_range(sm.tries, 2, 3);
    sm.no_registration = false;
    fake_sm_run(&sm, 25 * S);
    assert_int_equal(sm.opened, 1);
    assert_int_equal(fake_sm_held(&sm), 17);
}

#define PORT_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_host_without_smps_reads_its_port_from_the_kernel),
        PORT_TEST(it_follows_the_port_by_the_kernel),
        PORT_TEST(it_sees_by_the_kernel_that_the_port_goes_down),
        PORT_TEST(the_adapters_event_makes_it_register_again),
        PORT_TEST(with_smps_the_event_only_makes_it_look),
        PORT_TEST(no_sminfo_is_sent),
        PORT_TEST(a_report_with_a_grh_is_answered_with_it),
        PORT_TEST(datagrams_of_others_do_not_make_it_read_the_port_each_time),
        PORT_TEST(any_lid_of_the_sms_port_is_the_sms),
        PORT_TEST(without_an_lmc_the_sm_has_one_lid),
        PORT_TEST(a_registration_that_is_refused_is_tried_seldom),
        PORT_TEST(the_pkeys_are_read_again_when_the_port_has_another_lid),
        PORT_TEST(who_has_much_to_read_takes_nobody_for_silent),
        PORT_TEST(a_pkey_that_is_missing_is_told),
        PORT_TEST(a_pkey_that_is_missing_is_told_of_an_sm_that_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
