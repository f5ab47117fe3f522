// SPDX-License-Identifier: BSD-2-Clause
// The SA client with a subnet manager that answers some requests and drops others in silence, as
// NVIDIA's "SA enhanced trust model" does.
#include "fake_sm.h"
#include "golden.h"
#include "support.h"

#include "ib/node_mad.h"

static const int64_t S = CLOCK_US_PER_S;
static const int64_t VERIFY = 5 * CLOCK_US_PER_S;

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

static struct sa_options make_options(void)
{
    return (struct sa_options){
        .verify_us = VERIFY,
        .refresh_us = 300 * S,
        .has_sa_key = true,
        .sa_key = 1,
        .opener = fake_sm_opener(&sm),
        .listener = fake_sm_listener(&sm),
        .clock = &sm.clock,
        .random = &chance,
        .log = log_,
    };
}

static void start(void)
{
    const struct sa_options options = make_options();
    client = sa_client_new(&options);
    assert_true(sa_client_start(client, &err));
}

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

static unsigned count_logged(const char *words)
{
    unsigned n = 0;
    fflush(stream);
    for (const char *at = logged; (at = strstr(at, words)); at++)
        n++;
    return n;
}

static unsigned count_sets(void)
{
    unsigned n = 0;
    for (size_t trap = 0; trap < COUNT(sm.subscribed); trap++)
        n += sm.subscribed[trap];
    return n;
}

// Starts against an SM that drops both queries by which the client verifies its subscriptions.
static void settle_hardened(void)
{
    sm.drops_nodes = sm.drops_lists = true;
    start();
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 0);
}

static void check_change(size_t i, enum sa_change change, const char *reason)
{
    assert_in_range(i + 1, 1, sm.change_count);
    assert_int_equal(sm.changes[i].change, change);
    assert_memory_equal(sm.changes[i].reason, reason, strlen(reason));
}

TEST(silence_to_one_kind_of_query_is_no_loss)
{
    settle_hardened();
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(sm.change_count, 0);
    sa_client_status(client, &status);
    assert_true(status.sm_answers);
    assert_string_equal(status.problem, "");
    assert_int_equal(status.sm.port_guid, GOLDEN_SM_GUID); // by SMInfo
    assert_string_equal(status.unanswered, "NodeRecord, InformInfoRecord");
}

TEST(it_is_told_once)
{
    settle_hardened();
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(count_logged("does not answer queries"), 1);
    assert_int_equal(count_logged("NodeRecord, InformInfoRecord"), 1);
}

// One renewal with each check at most, and the dropped queries seldom.
TEST(it_is_not_flooded)
{
    settle_hardened();
    unsigned sets = count_sets(), nodes = sm.asked_node, lists = sm.asked_list;
    fake_sm_run(&sm, 3600 * S);
    assert_in_range(count_sets() - sets, 1, 3600 * S / VERIFY + 17);
    assert_in_range(sm.asked_node - nodes, 1, 20);
    assert_in_range(sm.asked_list - lists, 1, 20);
}

TEST(a_kind_that_is_answered_later_is_used_again)
{
    settle_hardened();
    sm.drops_nodes = sm.drops_lists = false;
    fake_sm_run(&sm, 400 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "");
    assert_string_equal(status.sm.description, "opensm");
    assert_int_equal(count_logged("answers all queries again"), 1);
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "the subnet manager no longer holds 17 of them");
}

TEST(one_kind_alone_is_found_and_told)
{
    sm.drops_lists = true;
    start();
    fake_sm_run(&sm, 600 * S);
    assert_int_equal(sm.change_count, 0);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "InformInfoRecord");
    assert_string_equal(status.sm.description, "opensm");
}

TEST(a_hardened_sm_that_dies_is_told_and_found_again)
{
    settle_hardened();
    sm.deaf = true;
    fake_sm_run(&sm, 20 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SM_UNREACHABLE,
                 "the subnet manager at LID 1 has not answered 2 queries in a row");
    check_change(1, SA_SUBSCRIPTIONS_LOST, "the subnet manager at LID 1 does not answer");
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 300 * S);
    assert_int_equal(sm.change_count, 2);
    sm.deaf = false;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.change_count, 4);
    check_change(2, SA_SM_BACK, "the subnet manager at LID 1");
    check_change(3, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 1");
    assert_int_equal(fake_sm_held(&sm), 17);
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(sm.change_count, 4);
}

TEST(an_sm_that_answers_sminfo_alone_is_unreachable)
{
    settle_hardened();
    sm.drops_sets = true;
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SM_UNREACHABLE, "the subnet manager at LID 1");
    check_change(1, SA_SUBSCRIPTIONS_LOST, "the subnet manager at LID 1");
}

// The SM refuses every subscription, and drops the queries by which the client verifies
// subscriptions.
TEST(a_refusal_is_a_sign_of_life)
{
    sm.drops_nodes = sm.drops_lists = true;
    sm.error = 0x0100;
    start();
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(sm.change_count, 1);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "");
    sa_client_status(client, &status);
    assert_true(status.sm_answers);
}

TEST(a_restart_shows_in_its_activity_count)
{
    settle_hardened();
    memset(sm.held, 0, sizeof sm.held);
    sm.act_count = 0;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST,
                 "the subnet manager was restarted: its activity count fell");
    check_change(1, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 1");
}

TEST(another_master_shows_in_its_sminfo)
{
    settle_hardened();
    memset(sm.held, 0, sizeof sm.held);
    sm.node.port_guid = 0x77;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST,
                 "another subnet manager is master: port GUID 0x0000000000000077");
}

// Neither list nor SMInfo shows that the SM has forgotten; the renewals bring all back.
TEST(without_sminfo_the_renewals_remain)
{
    sm.drops_info = true;
    settle_hardened();
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 400 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    fake_sm_run(&sm, 3600 * S);
    assert_int_equal(sm.change_count, 0);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "NodeRecord, InformInfoRecord, SMInfo");
}

// While the SM answers the other queries, the client does not ask for SMInfo.
TEST(a_mute_sminfo_is_told_only_while_it_is_needed)
{
    sm.drops_info = true;
    settle_hardened();
    sm.drops_nodes = sm.drops_lists = false;
    fake_sm_run(&sm, 400 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "");
    assert_int_equal(count_logged("answers all queries again"), 1);
}

TEST(a_count_that_wraps_round_is_no_restart)
{
    sm.act_count = UINT32_MAX - 20;
    settle_hardened();
    fake_sm_run(&sm, 300 * S);
    assert_in_range(sm.act_count, 1, 1000);
    assert_int_equal(sm.change_count, 0);
}

TEST(an_sm_that_answers_all_is_not_asked_for_sminfo)
{
    start();
    fake_sm_run(&sm, 400 * S);
    assert_int_equal(sm.asked_info, 0);
    assert_int_equal(count_sets(), 34); // each once, and renewed once
}

TEST(the_next_sm_is_judged_anew)
{
    settle_hardened();
    sm.drops_nodes = sm.drops_lists = false;
    sm.lid = sm.port.sm_lid = 2;
    fake_sm_run(&sm, 10 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "");
    assert_string_equal(status.sm.description, "opensm");
}

// The message is about an SM that answers, not about the next SM.
TEST(the_next_sm_has_not_answered_again)
{
    settle_hardened();
    sm.lid = sm.port.sm_lid = 2;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(count_logged("answers all queries again"), 0);
}

// The SA key.

static void start_with(const struct sa_options *options)
{
    client = sa_client_new(options);
    assert_true(sa_client_start(client, &err));
}

TEST(an_accepted_key_goes_with_every_request)
{
    sm.trusts_keys_only = true;
    start();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.node_key, 1);
    assert_int_equal(sm.list_key, 1);
    sa_client_resubscribe(client);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(sm.key[64], 1);
    assert_int_equal(sm.key[MAD_TRAP_VENDOR], 1);
    sa_client_status(client, &status);
    assert_string_equal(status.unanswered, "");
    assert_string_equal(status.sm.description, "opensm");
    assert_int_equal(sm.change_count, 0);
    assert_int_equal(count_logged("does not answer"), 0);
}

TEST(a_share_has_the_key_too)
{
    struct mad_io io;
    uint8_t mad[MAD_SIZE];
    start();
    fake_sm_run(&sm, 10 * S);
    assert_true(sa_client_attach(client, MAD_USER_SWEEPER, &io, &err));
    sm.node_key = 0;
    mad_query_node(mad, MAD_TID_SWEEPER, 1);
    const struct mad_address to = {.lid = 1, .qpn = 1};
    assert_true(io.send(io.self, MAD_AGENT_SA, &to, mad, 1000, &err));
    assert_int_equal(sm.node_key, 1);
    node_mad_make_get(mad, MAD_CLASS_SMP_LID, SMP_SM_INFO, 0, 0);
    mad_set_tid(mad, MAD_TID_SWEEPER);
    assert_true(io.send(io.self, MAD_AGENT_SMP_LID, &(struct mad_address){.lid = 1}, mad, 0, &err));
    assert_int_equal(sm.asked_info, 1);
    assert_int_equal(sm.other_key, 0);
    io.close(io.self);
}

TEST(a_wrong_key_goes_with_what_needs_one_only)
{
    sm.sa_key = 2;
    start();
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.node_key, 0);
    assert_int_equal(sm.list_key, 0);
    assert_int_equal(sm.key[64], 0);
    assert_int_equal(sm.key[256], 1);
    assert_int_equal(fake_sm_held(&sm), 13);
    assert_int_equal(sm.change_count, 0);
}

// The SM was restarted with another key: no request with the old key gets an answer.
TEST(a_key_that_was_changed_is_given_up)
{
    start();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.node_key, 1);
    sm.sa_key = 2;
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 30 * S);
    assert_int_equal(sm.node_key, 0);
    assert_int_equal(fake_sm_held(&sm), 13);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "the subnet manager no longer holds 17 of them");
}

static void forget_keys(void)
{
    memset(sm.key, 0, sizeof sm.key);
    sm.node_key = sm.list_key = 0;
}

// The key that the SM before had accepted is tried at the next one with traps 256 to 259 only.
TEST(the_next_sm_has_to_accept_the_key_first)
{
    start();
    fake_sm_run(&sm, 10 * S);
    forget_keys();
    sm.lid = sm.port.sm_lid = 2;
    sm.sa_key = 2;
    fake_sm_run(&sm, 30 * S);
    assert_int_equal(sm.node_key, 0);
    assert_int_equal(sm.key[64], 0);
    assert_int_equal(sm.key[256], 1);
}

TEST(only_the_sms_that_were_named_get_the_key)
{
    struct sa_options options = make_options();
    options.key_guids[0] = GOLDEN_SM_GUID;
    options.key_guid_count = 1;
    start_with(&options);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.node_key, 1);

    sm.node.port_guid = 0x77;
    sm.lid = sm.port.sm_lid = 2;
    memset(sm.held, 0, sizeof sm.held);
    forget_keys();
    fake_sm_run(&sm, 300 * S);
    assert_int_equal(fake_sm_held(&sm), 13);
    for (size_t trap = 0; trap < COUNT(sm.key); trap++)
        assert_int_equal(sm.key[trap], 0);
    assert_int_equal(sm.node_key, 0);
    assert_int_equal(count_logged("does not get the SA key"), 1);
}

TEST(a_named_sm_that_drops_all_without_a_key_gets_it)
{
    struct sa_options options = make_options();
    options.key_guids[0] = 0x4711;
    options.key_guids[1] = GOLDEN_SM_GUID;
    options.key_guid_count = 2;
    sm.trusts_keys_only = true;
    start_with(&options);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.node_key, 1);
    assert_int_equal(sm.change_count, 0);
}

// A lost round is no sign that the key was changed.
TEST(an_sm_that_demands_the_key_may_miss_a_round)
{
    sm.trusts_keys_only = sm.demands_key = true;
    start();
    fake_sm_run(&sm, 62 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 0);
    sm.deaf = true;
    fake_sm_run(&sm, VERIFY);
    sm.deaf = false;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.change_count, 0);
    assert_int_equal(sm.node_key, 1);
}

// One subscription to all generic traps.

static void start_with_all_traps(void)
{
    struct sa_options options = make_options();
    options.all_traps = true;
    start_with(&options);
    fake_sm_run(&sm, 10 * S);
}

static void check_all_subscribed(void)
{
    sa_client_status(client, &status);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        assert_int_equal(status.subscriptions[i].state, SUBSCRIPTION_SUBSCRIBED);
}

TEST(two_subscriptions_bring_all_traps)
{
    start_with_all_traps();
    assert_int_equal(fake_sm_held(&sm), 2);
    assert_true(sm.held[MAD_TRAP_ALL]);
    assert_true(sm.held[MAD_TRAP_VENDOR]);
    assert_int_equal(sm.key[MAD_TRAP_ALL], 1);
    check_all_subscribed();
    fake_sm_run(&sm, 1000 * S); // and are renewed
    assert_int_equal(fake_sm_held(&sm), 2);
    assert_in_range(sm.subscribed[MAD_TRAP_ALL], 3, 6);
    assert_int_equal(sm.subscribed[64], 0);
    assert_int_equal(sm.change_count, 0);
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    assert_int_equal(fake_sm_held(&sm), 0);
    assert_int_equal(sm.unsubscribed[64], 0);
}

TEST(without_a_key_256_to_259_are_requested_apart)
{
    struct sa_options options = make_options();
    options.all_traps = true;
    options.has_sa_key = false;
    options.sa_key = 0;
    start_with(&options);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 2);
    sa_client_status(client, &status);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        assert_int_equal(status.subscriptions[i].state,
                         subscriptions_needs_key(status.subscriptions[i].trap)
                             ? SUBSCRIPTION_REJECTED
                             : SUBSCRIPTION_SUBSCRIBED);
}

TEST(a_wrong_key_costs_the_security_traps_only)
{
    sm.sa_key = 2;
    start_with_all_traps();
    fake_sm_run(&sm, 30 * S);
    assert_true(sm.held[MAD_TRAP_ALL]);
    assert_int_equal(sm.key[MAD_TRAP_ALL], 0);
    assert_int_equal(fake_sm_held(&sm), 2);
    sa_client_status(client, &status);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        assert_int_equal(status.subscriptions[i].state,
                         subscriptions_needs_key(status.subscriptions[i].trap)
                             ? SUBSCRIPTION_NO_ANSWER
                             : SUBSCRIPTION_SUBSCRIBED);
}

TEST(an_sm_that_refuses_it_gets_one_for_each_trap)
{
    sm.no_wildcard = true;
    start_with_all_traps();
    assert_int_equal(fake_sm_held(&sm), 17);
    check_all_subscribed();
    assert_int_equal(sm.change_count, 0);
}

TEST(a_lost_one_is_noticed)
{
    start_with_all_traps();
    memset(sm.held, 0, sizeof sm.held);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 2);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "the subnet manager no longer holds 17 of them");
}

// After a crash, the SM holds what the former run had subscribed to.
TEST(what_would_come_twice_is_given_up)
{
    sm.held[64] = sm.held[128] = sm.held[259] = true;
    start_with_all_traps();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 2);
    check_all_subscribed();
}

TEST(so_is_a_former_subscription_to_all)
{
    sm.held[MAD_TRAP_ALL] = true;
    start();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_false(sm.held[MAD_TRAP_ALL]);
}

TEST(a_limit_of_subscriptions_makes_it_subscribe_to_all)
{
    sm.held_max = 10;
    start();
    fake_sm_run(&sm, 120 * S);
    check_all_subscribed();
    assert_int_equal(fake_sm_held(&sm), 2);
    assert_int_equal(count_logged("subscribes to all traps at once"), 1);
}

// An SM that cannot be identified does not get the key, and brings all other traps.
TEST(all_traps_do_not_wait_for_an_sm_that_cannot_be_known)
{
    struct sa_options options = make_options();
    options.key_guids[0] = GOLDEN_SM_GUID;
    options.key_guid_count = 1;
    options.all_traps = true;
    sm.drops_nodes = sm.drops_info = true;
    start_with(&options);
    fake_sm_run(&sm, 120 * S);
    assert_true(sm.held[MAD_TRAP_ALL]);
    for (size_t trap = 0; trap < COUNT(sm.key); trap++)
        assert_int_equal(sm.key[trap], 0);
    assert_int_equal(count_logged("does not say who it is, and so does not get the SA key"), 1);
    sm.drops_nodes = false; // now it can be
    fake_sm_run(&sm, 600 * S);
    assert_int_equal(sm.key[256], 1);
    check_all_subscribed();
}

TEST(nor_do_they_where_no_smps_can_be_sent)
{
    struct sa_options options = make_options();
    options.key_guids[0] = GOLDEN_SM_GUID;
    options.key_guid_count = 1;
    options.all_traps = true;
    sm.drops_nodes = sm.no_smps = true;
    start_with(&options);
    fake_sm_run(&sm, 120 * S);
    assert_true(sm.held[MAD_TRAP_ALL]);
    assert_int_equal(sm.key[MAD_TRAP_ALL], 0);
}

TEST(nor_for_one_that_refuses_to_say_who_it_is)
{
    struct sa_options options = make_options();
    options.key_guids[0] = GOLDEN_SM_GUID;
    options.key_guid_count = 1;
    options.all_traps = true;
    sm.refuses_nodes = sm.drops_info = true;
    start_with(&options);
    fake_sm_run(&sm, 120 * S);
    assert_true(sm.held[MAD_TRAP_ALL]);
    assert_int_equal(sm.key[MAD_TRAP_ALL], 0);
}

// SMInfo identifies the SM, and shows another SM.
TEST(an_sm_that_refuses_to_say_who_it_is_is_known_by_sminfo)
{
    struct sa_options options = make_options();
    options.key_guids[0] = GOLDEN_SM_GUID;
    options.key_guid_count = 1;
    sm.refuses_nodes = true;
    start_with(&options);
    fake_sm_run(&sm, 20 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    sm.node.port_guid = 0x77;
    fake_sm_run(&sm, 20 * S);
    assert_int_equal(count_logged("does not get the SA key"), 1);
}

// A NodeRecord without a GUID says nothing about who is master.
TEST(an_sm_without_a_guid_is_no_other_sm)
{
    start();
    fake_sm_run(&sm, 10 * S);
    sm.node.port_guid = 0;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.change_count, 0);
    sa_client_status(client, &status);
    assert_int_equal(status.sm.port_guid, GOLDEN_SM_GUID);
}

#define HARDENED_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HARDENED_TEST(silence_to_one_kind_of_query_is_no_loss),
        HARDENED_TEST(it_is_told_once),
        HARDENED_TEST(it_is_not_flooded),
        HARDENED_TEST(a_kind_that_is_answered_later_is_used_again),
        HARDENED_TEST(one_kind_alone_is_found_and_told),
        HARDENED_TEST(a_hardened_sm_that_dies_is_told_and_found_again),
        HARDENED_TEST(an_sm_that_answers_sminfo_alone_is_unreachable),
        HARDENED_TEST(a_refusal_is_a_sign_of_life),
        HARDENED_TEST(a_restart_shows_in_its_activity_count),
        HARDENED_TEST(another_master_shows_in_its_sminfo),
        HARDENED_TEST(without_sminfo_the_renewals_remain),
        HARDENED_TEST(an_sm_that_answers_all_is_not_asked_for_sminfo),
        HARDENED_TEST(the_next_sm_is_judged_anew),
        HARDENED_TEST(two_subscriptions_bring_all_traps),
        HARDENED_TEST(without_a_key_256_to_259_are_requested_apart),
        HARDENED_TEST(a_wrong_key_costs_the_security_traps_only),
        HARDENED_TEST(an_sm_that_refuses_it_gets_one_for_each_trap),
        HARDENED_TEST(a_lost_one_is_noticed),
        HARDENED_TEST(what_would_come_twice_is_given_up),
        HARDENED_TEST(so_is_a_former_subscription_to_all),
        HARDENED_TEST(a_limit_of_subscriptions_makes_it_subscribe_to_all),
        HARDENED_TEST(an_accepted_key_goes_with_every_request),
        HARDENED_TEST(a_share_has_the_key_too),
        HARDENED_TEST(a_wrong_key_goes_with_what_needs_one_only),
        HARDENED_TEST(a_key_that_was_changed_is_given_up),
        HARDENED_TEST(the_next_sm_has_to_accept_the_key_first),
        HARDENED_TEST(only_the_sms_that_were_named_get_the_key),
        HARDENED_TEST(a_named_sm_that_drops_all_without_a_key_gets_it),
        HARDENED_TEST(a_mute_sminfo_is_told_only_while_it_is_needed),
        HARDENED_TEST(a_count_that_wraps_round_is_no_restart),
        HARDENED_TEST(the_next_sm_has_not_answered_again),
        HARDENED_TEST(an_sm_that_demands_the_key_may_miss_a_round),
        HARDENED_TEST(all_traps_do_not_wait_for_an_sm_that_cannot_be_known),
        HARDENED_TEST(nor_do_they_where_no_smps_can_be_sent),
        HARDENED_TEST(nor_for_one_that_refuses_to_say_who_it_is),
        HARDENED_TEST(an_sm_that_refuses_to_say_who_it_is_is_known_by_sminfo),
        HARDENED_TEST(an_sm_without_a_guid_is_no_other_sm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
