// SPDX-License-Identifier: BSD-2-Clause
// The SA client with a subnet manager that redirects requests to its SA (IBA 13.4.8.1, 13.5.2).
#include "fake_sm.h"
#include "golden.h"
#include "support.h"

static const int64_t S = CLOCK_US_PER_S;
static const uint64_t GUID = UINT64_C(0x0002c90300a1b2c9);
enum { SA_LID = 9, SA_QPN = 0x123456, SA_SL = 5, SA_PKEY = 0x8001, SA_QKEY = 0x80010001 };

static struct fake_sm sm;
static struct sa_client *client;
static struct sa_options options;
static struct sa_status status;
static struct support_chance counting;
static struct random chance;
static struct error err;
static struct log *log_;

static int begin(void **state)
{
    (void)state;
    fake_sm_init(&sm);
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    log_ = support_log(NULL);
    sm.redirect = (struct mad_address){
        .lid = SA_LID, .qpn = SA_QPN, .sl = SA_SL, .pkey = SA_PKEY, .qkey = SA_QKEY, .guid = GUID};
    options = (struct sa_options){
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
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    sa_client_free(client);
    log_close(log_);
    client = NULL;
    return 0;
}

static void start(void)
{
    client = sa_client_new(&options);
    assert_true(sa_client_start(client, &err));
}

static void settle(void)
{
    start();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    sa_client_status(client, &status);
    assert_true(status.sm_answers);
}

TEST(requests_follow_with_sl_pkey_and_qkey_of_the_address)
{
    settle();
    assert_int_equal(status.sa.lid, SA_LID);
    assert_int_equal(sm.asked.lid, SA_LID);
    assert_int_equal(sm.asked.qpn, SA_QPN);
    assert_int_equal(sm.asked.sl, SA_SL);
    assert_int_equal(sm.asked.pkey, SA_PKEY);
    assert_int_equal(sm.asked.qkey, (uint32_t)SA_QKEY);
    assert_int_equal(sm.asked.guid, GUID);
    const unsigned redirected = sm.redirected;
    fake_sm_run(&sm, 600 * S);
    assert_int_equal(sm.redirected, redirected); // later requests go there at once
    assert_int_equal(sm.change_count, 0);
}

TEST(reports_from_the_address_are_not_foreign)
{
    uint8_t report[MAD_SIZE] = {1, 3, 2, 6, [17] = 2};
    settle();
    golden_wire(GOLDEN_128, report + 56);
    fake_sm_arrive(&sm, SA_LID, report, sizeof report);
    fake_sm_arrive(&sm, 1, report, sizeof report);
    fake_sm_arrive(&sm, SA_LID + 1, report, sizeof report);
    fake_sm_run(&sm, S);
    sa_client_status(client, &status);
    assert_int_equal(sm.report_count, 2);
    assert_int_equal(sm.reports[0].from.lid, SA_LID);
    assert_int_equal(status.counters.foreign, 1);
}

TEST(each_lid_of_the_address_is_the_sas)
{
    uint8_t report[MAD_SIZE] = {1, 3, 2, 6, [17] = 2};
    sm.port.lmc = 1;
    settle();
    golden_wire(GOLDEN_128, report + 56);
    fake_sm_arrive(&sm, SA_LID ^ 1, report, sizeof report);
    fake_sm_arrive(&sm, SA_LID + 1, report, sizeof report);
    fake_sm_run(&sm, S);
    sa_client_status(client, &status);
    assert_int_equal(sm.report_count, 1);
    assert_int_equal(status.counters.foreign, 1);
}

TEST(a_redirection_that_leads_round_in_a_circle_is_bounded)
{
    sm.redirects_on = true;
    start();
    fake_sm_run(&sm, 50 * S);
    sa_client_status(client, &status);
    assert_int_equal(fake_sm_held(&sm), 0);
    assert_int_equal(status.sa.lid, 0);
    assert_in_range(sm.redirected, 1, 200);
    sm.redirects_on = false;
    fake_sm_run(&sm, 300 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
}

// The SM answers one kind of query itself, and the other address redirects this kind back to the
// SM.
TEST(an_sa_in_two_places_is_not_asked_without_end)
{
    sm.splits = true;
    start();
    fake_sm_run(&sm, 50 * S);
    assert_in_range(sm.redirected, 1, 200);
    sm.splits = false;
    fake_sm_run(&sm, 300 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
}

// It answers from another LID of its port, and leads to itself.
TEST(an_address_that_leads_to_itself_is_bounded)
{
    sm.port.lmc = 1;
    sm.redirects_on = true;
    sm.redirects_from = SA_LID ^ 1;
    start();
    fake_sm_run(&sm, 50 * S);
    assert_in_range(sm.redirected, 1, 400);
}

// Nobody's address, QP0, or an address in another subnet.
TEST(a_hostile_redirection_is_not_followed)
{
    const struct mad_address good = sm.redirect;
    for (int i = 0; i < 4; i++) {
        sm.redirect = good;
        sm.redirect_prefix = i == 3 ? 0xfec0000000000000 : 0;
        sm.redirect.lid = i == 0 ? 0xC001 : i == 1 ? 0xFFFF : SA_LID;
        sm.redirect.qpn = i == 2 ? 0 : SA_QPN;
        start();
        fake_sm_run(&sm, 20 * S);
        sa_client_status(client, &status);
        assert_int_equal(status.sa.lid, 0);
        assert_int_equal(sm.asked.lid, 1);
        assert_int_equal(fake_sm_held(&sm), 0);
        assert_in_range(sm.redirected, 1, 400);
        end(NULL);
        begin(NULL);
    }
    sm.redirect.lid = 0; // not redirected any more
    settle();
}

// A redirection without a request, as another node may send.
TEST(a_redirection_without_a_request_is_ignored)
{
    uint8_t mad[MAD_SIZE] = {1, 3, 2, 0x81, 0, 2, [15] = 77, [17] = 1};
    sm.redirect.lid = 0;
    settle();
    mad[56 + 29] = SA_LID;
    mad[56 + 35] = 1;
    fake_sm_arrive(&sm, 1, mad, sizeof mad);
    fake_sm_run(&sm, S);
    sa_client_status(client, &status);
    assert_int_equal(status.sa.lid, 0);
}

TEST(an_address_that_does_not_answer_is_given_up)
{
    settle();
    sm.redirect.lid = SA_LID + 1; // the SM knows another one
    fake_sm_run(&sm, 40 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.sa.lid, SA_LID + 1);
    assert_true(status.sm_answers);
    assert_int_equal(fake_sm_held(&sm), 17);
}

TEST(another_sm_is_asked_itself)
{
    settle();
    sm.redirect.lid = 0;
    sm.lid = sm.port.sm_lid = 3;
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 30 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.sa.lid, 0);
    assert_int_equal(fake_sm_held(&sm), 17);
}

// Where only some subnet managers may have the SA key, the address is one that may, or gets none.
TEST(the_key_goes_only_where_it_may)
{
    options.key_guid_count = 1;
    options.key_guids[0] = sm.node.port_guid;
    start();
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.asked.lid, SA_LID);
    assert_int_equal(fake_sm_held(&sm), 13);
    assert_int_equal(sm.node_key, 0);
    assert_int_equal(sm.list_key, 0);
    end(NULL);
    begin(NULL);
    options.key_guid_count = 1;
    options.key_guids[0] = GUID; // a subnet manager without a right to the key can claim any GUID
    start();
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(fake_sm_held(&sm), 13);
    end(NULL);
    begin(NULL);
    options.key_guid_count = 2;
    options.key_guids[0] = sm.node.port_guid;
    options.key_guids[1] = GUID;
    settle();
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.node_key, 1);
}

#define REDIRECT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REDIRECT_TEST(requests_follow_with_sl_pkey_and_qkey_of_the_address),
        REDIRECT_TEST(reports_from_the_address_are_not_foreign),
        REDIRECT_TEST(each_lid_of_the_address_is_the_sas),
        REDIRECT_TEST(a_redirection_that_leads_round_in_a_circle_is_bounded),
        REDIRECT_TEST(an_sa_in_two_places_is_not_asked_without_end),
        REDIRECT_TEST(an_address_that_leads_to_itself_is_bounded),
        REDIRECT_TEST(a_hostile_redirection_is_not_followed),
        REDIRECT_TEST(a_redirection_without_a_request_is_ignored),
        REDIRECT_TEST(an_address_that_does_not_answer_is_given_up),
        REDIRECT_TEST(another_sm_is_asked_itself),
        REDIRECT_TEST(the_key_goes_only_where_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
