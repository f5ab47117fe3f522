// SPDX-License-Identifier: BSD-2-Clause
#include "fake_sm.h"
#include "golden.h"
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "ib/requests.h"

static const int64_t S = CLOCK_US_PER_S, MS = CLOCK_US_PER_MS;
static const uint64_t MKEY = UINT64_C(0x1122334455667788);

static struct fake_sm sm;
static struct sa_client *client;
static struct sa_status status;
static struct support_chance counting;
static struct random chance;
static struct log *log_;
static struct error err;

static struct sa_options make_options(bool has_key, uint64_t key)
{
    return (struct sa_options){
        .verify_us = 5 * S,
        .refresh_us = 300 * S,
        .has_sa_key = has_key,
        .sa_key = key,
        .opener = fake_sm_opener(&sm),
        .listener = fake_sm_listener(&sm),
        .clock = &sm.clock,
        .random = &chance,
        .log = log_,
    };
}

static void start(const struct sa_options *options)
{
    client = sa_client_new(options);
    assert_true(sa_client_start(client, &err));
}

static void start_with(bool has_key, uint64_t key)
{
    const struct sa_options options = make_options(has_key, key);
    start(&options);
}

static void start_with_key(bool has_key, uint64_t key)
{
    chance = support_random(&counting);
    start_with(has_key, key);
}

// Starts the SA client and waits until it has all subscriptions.
static void settle(void)
{
    start_with_key(true, 1);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 0);
}

static int begin(void **state)
{
    (void)state;
    fake_sm_init(&sm);
    counting = (struct support_chance){0};
    log_ = support_log(NULL);
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

static void forget_subscriptions(void)
{
    memset(sm.held, 0, sizeof sm.held);
    memset(sm.subscribed, 0, sizeof sm.subscribed);
}

static void check_change(size_t i, enum sa_change change, const char *reason)
{
    assert_in_range(i + 1, 1, sm.change_count);
    assert_int_equal(sm.changes[i].change, change);
    assert_memory_equal(sm.changes[i].reason, reason, strlen(reason));
}

// Checks that the subscriptions were lost for the given reason and restored within ten seconds.
static void check_subscribed_again(const char *reason)
{
    int64_t since = sm.now;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST, reason);
    assert_string_equal(sm.changes[0].reason, reason);
    check_change(1, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID ");
    assert_in_range(sm.changes[1].at - since, 0, 10 * S);
}

static void check_states(enum subscription_state others, enum subscription_state with_key)
{
    sa_client_status(client, &status);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &status.subscriptions[i];
        assert_int_equal(one->state, subscriptions_needs_key(one->trap) ? with_key : others);
    }
}

TEST(it_subscribes_to_everything)
{
    settle();
    static const uint32_t TRAPS[] = {
        64, 65, 66, 67, 68, 69, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259, MAD_TRAP_VENDOR};
    for (size_t i = 0; i < COUNT(TRAPS); i++) {
        assert_true(sm.held[TRAPS[i]]);
        assert_int_equal(sm.subscribed[TRAPS[i]], 1);
        assert_int_equal(sm.key[TRAPS[i]], TRAPS[i] >= 256 && TRAPS[i] <= 259 ? 1 : 0);
    }
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_SUBSCRIBED);
    assert_true(status.open);
    assert_string_equal(status.problem, "");
    assert_string_equal(status.id.device, "mlx5_0");
    assert_int_equal(status.id.port, 1);
    assert_int_equal(status.id.guid, GOLDEN_CA_GUID);
    assert_int_equal(status.port.lid, 7);
    assert_int_equal(status.port.sm_lid, 1);
    assert_int_equal(status.port.sm_sl, 2);
    assert_int_equal(status.port.subnet_prefix, GOLDEN_PREFIX);
    assert_true(status.sm_answers);
    assert_int_equal(status.sm.port_guid, GOLDEN_SM_GUID);
    assert_string_equal(status.sm.description, "opensm");
    assert_int_equal(status.now, sm.now);
}

TEST(without_a_key_256_to_259_are_rejected)
{
    start_with_key(false, 0);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(fake_sm_held(&sm), 13);
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_REJECTED);
    assert_false(status.has_sa_key);
    // The rejected subscriptions do not count as a loss, now or later.
    fake_sm_run(&sm, 120 * S);
    assert_int_equal(sm.change_count, 0);
}

TEST(a_wrong_key_is_not_answered)
{
    start_with_key(true, 2);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(fake_sm_held(&sm), 13);
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_NO_ANSWER);
    assert_true(status.has_sa_key);
    assert_true(status.sm_answers);
    fake_sm_run(&sm, 120 * S);
    assert_int_equal(sm.change_count, 0);
    assert_string_equal(status.problem, "");
}

TEST(it_follows_the_master_to_another_lid)
{
    settle();
    sm.lid = sm.port.sm_lid = 2;
    forget_subscriptions();
    check_subscribed_again("the master subnet manager moved from LID 1 to LID 2");
}

TEST(it_sees_another_master_at_the_same_lid)
{
    settle();
    sm.node.port_guid = 0x77;
    strcpy(sm.node.description, "standby \x1B[2J");
    forget_subscriptions();
    check_subscribed_again("another subnet manager is master: port GUID 0x0000000000000077 instead "
                           "of 0x0002c90300a1b2c3");
    // The reason has the node's name, cleaned, because it comes from the fabric.
    check_change(1, SA_SUBSCRIPTIONS_RESTORED,
                 "the subnet manager at LID 1 (standby ?[2J) confirmed 17 of 17 after ");
}

TEST(it_subscribes_again_with_a_new_lid)
{
    settle();
    sm.port.lid = 8;
    forget_subscriptions();
    check_subscribed_again("the port's own LID changed from 7 to 8");
}

TEST(it_subscribes_again_with_a_new_subnet_prefix)
{
    settle();
    sm.port.subnet_prefix++;
    forget_subscriptions();
    check_subscribed_again("the subnet prefix changed");
    assert_int_equal(sm.changes[1].prefix, GOLDEN_PREFIX + 1);
}

TEST(it_subscribes_again_when_the_sm_asks_for_it)
{
    settle();
    sm.port.client_reregister = true;
    forget_subscriptions();
    check_subscribed_again("the subnet manager asked for new registrations");
}

TEST(it_subscribes_again_when_the_port_was_down)
{
    settle();
    sm.port.state = 1;
    sm.port.lid = 0;
    forget_subscriptions();
    fake_sm_run(&sm, 2 * S);
    assert_int_equal(sm.change_count, 1);
    check_change(0, SA_SUBSCRIPTIONS_LOST,
                 "port 1 of mlx5_0 is not ready (state down, LID 0, SM LID 1)");
    sa_client_status(client, &status);
    assert_string_equal(status.problem,
                        "port 1 of mlx5_0 is not ready (state down, LID 0, SM LID 1)");
    assert_true(status.open);
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(fake_sm_held(&sm), 0);
    assert_int_equal(sm.change_count, 1); // reported once

    sm.port.state = 4;
    sm.port.lid = 7;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 2);
    check_change(1, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 1");
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "");
}

TEST(it_notices_an_sm_that_forgot)
{
    settle();
    forget_subscriptions();
    check_subscribed_again(
        "the subnet manager no longer holds 17 of them; it was probably restarted");
}

TEST(it_notices_an_sm_that_says_no_records)
{
    settle();
    forget_subscriptions();
    sm.says_no_records = true;
    check_subscribed_again(
        "the subnet manager no longer holds 17 of them; it was probably restarted");
}

TEST(it_notices_one_that_is_missing)
{
    settle();
    sm.held[128] = false;
    check_subscribed_again(
        "the subnet manager no longer holds 1 of them; it was probably restarted");
}

// The SA answers requests concurrently: a list may be older than its confirmations.
TEST(it_believes_no_list_that_is_older_than_a_confirmation)
{
    sm.list_late_us = 500 * MS;
    settle();
    sa_client_resubscribe(client);
    fake_sm_run(&sm, 20 * S);
    assert_int_equal(sm.change_count, 0);
    forget_subscriptions();
    check_subscribed_again(
        "the subnet manager no longer holds 17 of them; it was probably restarted");
}

TEST(it_refreshes_without_ado)
{
    settle();
    fake_sm_run(&sm, 400 * S);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        assert_int_equal(sm.subscribed[status.subscriptions[i].trap], 2);
    assert_int_equal(sm.change_count, 0);
}

TEST(it_subscribes_again_when_somebody_asks_for_it)
{
    settle();
    sa_client_resubscribe(client);
    fake_sm_run(&sm, 3 * S);
    for (size_t trap = 0; trap < COUNT(sm.subscribed); trap++)
        assert_int_equal(sm.subscribed[trap], sm.held[trap] ? 2 : 0);
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_SUBSCRIBED);
    // Nothing was lost.
    assert_int_equal(sm.change_count, 0);
}

TEST(a_poke_makes_it_look_at_once)
{
    settle();
    sm.lid = sm.port.sm_lid = 2;
    sa_client_wake(client);
    fake_sm_run(&sm, 1 * MS);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "the master subnet manager moved from LID 1 to LID 2");
}

// Each second, one wake-up to query the port and one for its answer; two for the SM every five
// seconds.
TEST(at_rest_it_wakes_up_seldom)
{
    settle();
    fake_sm_run(&sm, 10 * S);
    unsigned before = sm.received;
    fake_sm_run(&sm, 100 * S);
    assert_in_range(sm.received - before, 200, 300);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 0);
}

TEST(a_silent_sm_is_told_and_found_again)
{
    settle();
    sm.deaf = true;
    forget_subscriptions();
    fake_sm_run(&sm, 15 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SM_UNREACHABLE,
                 "the subnet manager at LID 1 (opensm) has not answered 2 queries in a row");
    check_change(1, SA_SUBSCRIPTIONS_LOST, "the subnet manager at LID 1 (opensm) does not answer");
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "the subnet manager at LID 1 (opensm) does not answer");
    assert_false(status.sm_answers);

    // However long the SM was silent, all subscriptions are back ten seconds after it answers.
    fake_sm_run(&sm, 300 * S);
    assert_int_equal(sm.change_count, 2);
    sm.deaf = false;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 4);
    check_change(2, SA_SM_BACK, "the subnet manager at LID 1 (opensm) answers again after 3");
    check_change(3, SA_SUBSCRIPTIONS_RESTORED,
                 "the subnet manager at LID 1 (opensm) confirmed 17 ");
    fake_sm_run(&sm, 2 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "");
    assert_true(status.sm_answers);
}

// For half an hour, answers come after the SA client's timeout. It repeats its requests at a
// limited rate, and recovers when the answers come in time.
TEST(an_sm_that_answers_late_is_not_flooded)
{
    settle();
    sm.late_us = 3 * S;
    forget_subscriptions();
    sa_client_resubscribe(client);
    fake_sm_run(&sm, 1800 * S);
    for (size_t trap = 0; trap < COUNT(sm.subscribed); trap++)
        assert_in_range(sm.subscribed[trap], 0, 1800);
    sm.late_us = 0;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_SUBSCRIBED);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "");
}

// The status "busy" and any other error have the same effect.
TEST(an_sm_that_answers_with_errors_is_asked_again)
{
    static const uint16_t ERRORS[] = {0x0001, 0x000C, 0x0100, 0x0300, 0x0700};
    settle();
    for (size_t i = 0; i < COUNT(ERRORS); i++) {
        sm.error = ERRORS[i];
        forget_subscriptions();
        sa_client_resubscribe(client);
        fake_sm_run(&sm, 600 * S);
        for (size_t trap = 0; trap < COUNT(sm.subscribed); trap++)
            assert_in_range(sm.subscribed[trap], 0, 600);
        sm.error = 0;
        fake_sm_run(&sm, 120 * S);
        assert_int_equal(fake_sm_held(&sm), 17);
        check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_SUBSCRIBED);
    }
}

TEST(an_sm_that_never_answered_is_told_after_half_a_minute)
{
    sm.deaf = true;
    start_with_key(true, 1);
    fake_sm_run(&sm, 29 * S);
    assert_int_equal(sm.change_count, 1);
    check_change(0, SA_SM_UNREACHABLE,
                 "the subnet manager at LID 1 has not answered 2 queries in a row");
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(1, SA_SUBSCRIPTIONS_LOST, "the subnet manager at LID 1 does not answer");
    sm.deaf = false;
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, 4);
    check_change(2, SA_SM_BACK, "the subnet manager at LID 1");
    check_change(3, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 1");
}

// Another SM becomes master while the old one is silent. The event about the end of the silence
// names the new SM.
TEST(a_new_master_ends_the_silence)
{
    settle();
    sm.deaf = true;
    fake_sm_run(&sm, 15 * S);
    sm.deaf = false;
    sm.lid = sm.port.sm_lid = 2;
    sm.node.port_guid++;
    forget_subscriptions();
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, 4);
    check_change(2, SA_SM_BACK, "the subnet manager at LID 2 answers again after 1");
    check_change(3, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 2 (opensm) confirmed ");
}

TEST(nobody_takes_a_new_master_for_the_old_one)
{
    settle();
    sm.deaf = true;
    sm.port.sm_lid = 2;
    fake_sm_run(&sm, 2 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.port.sm_lid, 2);
    assert_int_equal(status.sm.port_guid, 0);
}

TEST(what_was_told_before_a_restart_is_told_to_be_over)
{
    chance = support_random(&counting);
    struct sa_options options = make_options(true, 1);
    options.was_lost = options.was_unreachable = true;
    start(&options);
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, 2);
    check_change(0, SA_SM_BACK, "the subnet manager at LID 1");
    check_change(1, SA_SUBSCRIPTIONS_RESTORED, "the subnet manager at LID 1");
}

TEST(what_was_told_before_a_restart_and_goes_on_is_not_told_again)
{
    chance = support_random(&counting);
    struct sa_options options = make_options(true, 1);
    options.was_lost = options.was_unreachable = true;
    sm.deaf = true;
    start(&options);
    fake_sm_run(&sm, 100 * S);
    assert_int_equal(sm.change_count, 0);
}

// A port that is down says nothing about the SM.
TEST(a_port_that_is_down_makes_no_sm_unreachable)
{
    settle();
    sm.deaf = true;
    sm.port.state = 1;
    fake_sm_run(&sm, 60 * S);
    assert_int_equal(sm.change_count, 1);
    assert_int_equal(sm.changes[0].change, SA_SUBSCRIPTIONS_LOST);
}

// MAD clients.

enum { A_TID = 0x1234 };

// What a MAD client received, in the SA client's thread.
static struct heard {
    pthread_mutex_t lock;
    unsigned count;
    uint8_t octets[FAKE_SM_MAD_MAX]; // of the latest MAD
    size_t size;
    struct mad_address from;
    char reason[64];            // empty: the port is not lost
    const struct mad_io *sends; // sends a request through it after each answer; NULL: none
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ask_through(const struct mad_io *io, uint32_t tid)
{
    uint8_t mad[MAD_SIZE];
    const struct mad_address own = {.lid = 0xFFFF};
    smp_query_own_port(mad, tid, 0);
    assert_true(io->send(io->self, MAD_AGENT_SMP, &own, mad, 1000, &err));
}

static void hear(void *ctx, const struct mad_received *in)
{
    struct heard *h = ctx;
    pthread_mutex_lock(&h->lock);
    h->count++;
    h->size = in->size;
    h->from = in->from;
    memcpy(h->octets, in->octets, in->size);
    if (h->sends && h->count < 100)
        ask_through(h->sends, MAD_TID_SWEEPER | h->count);
    pthread_mutex_unlock(&h->lock);
}

static void hear_loss(void *ctx, const char *reason)
{
    struct heard *h = ctx;
    pthread_mutex_lock(&h->lock);
    snprintf(h->reason, sizeof h->reason, "%s", reason);
    pthread_mutex_unlock(&h->lock);
}

static struct mad_io open_share(void)
{
    struct mad_io io;
    assert_true(sa_client_attach(client, MAD_USER_SWEEPER, &io, &err));
    return io;
}

static void listen_to(const struct mad_io *io)
{
    const struct mad_listener listener = {hear, hear_loss, &heard};
    heard.count = 0;
    heard.reason[0] = '\0';
    heard.sends = NULL;
    assert_true(io->listen(io->self, &listener, &err));
}

static struct mad_io listen_to_share(void)
{
    struct mad_io io = open_share();
    listen_to(&io);
    return io;
}

static uint32_t heard_tid(void)
{
    struct mad_header h;
    assert_true(mad_read_header(heard.octets, heard.size, &h));
    return (uint32_t)h.tid;
}

TEST(a_share_gets_its_answers_and_no_others)
{
    settle();
    struct mad_io io = listen_to_share();
    ask_through(&io, MAD_TID_SWEEPER | A_TID);
    ask_through(&io, A_TID); // a TransactionID of the SA client, which ignores the answer
    fake_sm_run(&sm, 5 * S);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.size, MAD_SIZE);
    assert_int_equal(heard_tid(), MAD_TID_SWEEPER | A_TID);
    assert_int_equal(heard.from.lid, 0xFFFF);
    io.close(io.self);
    assert_int_equal(sm.change_count, 0);
}

TEST(who_listens_may_send)
{
    settle();
    struct mad_io io = listen_to_share();
    heard.sends = &io;
    ask_through(&io, MAD_TID_SWEEPER);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 100);
    assert_int_equal(heard_tid(), MAD_TID_SWEEPER | 99);
    io.close(io.self);
}

TEST(what_comes_while_nobody_listens_is_dropped)
{
    settle();
    struct mad_io io = open_share();
    ask_through(&io, MAD_TID_SWEEPER | A_TID);
    fake_sm_run(&sm, 100 * MS);
    listen_to(&io);
    fake_sm_run(&sm, 5 * S);
    assert_int_equal(heard.count, 0);
    ask_through(&io, MAD_TID_SWEEPER | A_TID);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 1);
    assert_true(io.listen(io.self, NULL, &err));
    ask_through(&io, MAD_TID_SWEEPER | A_TID);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 1);
    io.close(io.self);
}

// For every number that it starts from.
TEST(the_agents_own_transactions_never_look_like_the_shares)
{
    uint8_t octet = 0x80;
    chance = support_constant(&octet);
    start_with(true, 1);
    fake_sm_run(&sm, 2 * S);
    struct mad_io io = listen_to_share();
    fake_sm_run(&sm, 600 * S);
    assert_int_equal(heard.count, 0);
    assert_int_equal(fake_sm_held(&sm), 17);
    io.close(io.self);
}

TEST(a_share_gets_large_answers_whole)
{
    uint8_t mad[FAKE_SM_MAD_MAX] = {1, 3, 2, 0x92, [12] = 0x80, [FAKE_SM_MAD_MAX - 1] = 0x77};
    settle();
    struct mad_io io = listen_to_share();
    fake_sm_arrive(&sm, 1, mad, sizeof mad);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.size, sizeof mad);
    assert_memory_equal(heard.octets, mad, sizeof mad);
    io.close(io.self);
}

TEST(reports_are_never_the_shares)
{
    uint8_t mad[MAD_SIZE] = {1, 3, 2, 6, [12] = 0x80, [17] = 2};
    settle();
    struct mad_io io = listen_to_share();
    fake_sm_arrive(&sm, 1, mad, sizeof mad);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 0);
    assert_int_equal(sm.report_count, 1);
    io.close(io.self);
}

TEST(questions_in_the_shares_classes_are_no_reports)
{
    static const uint8_t CLASSES[] = {0x01, 0x04, 0x06, 0x81};
    settle();
    for (size_t i = 0; i < COUNT(CLASSES); i++) {
        uint8_t mad[MAD_SIZE] = {1, CLASSES[i], 1, 1};
        fake_sm_arrive(&sm, 1, mad, sizeof mad);
    }
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 0);
}

// A batch through a MAD client's port, in a thread of its own.

enum { REQUESTS = 300 };

static struct run {
    struct requests *batch;
    struct error err;
    bool ok;
    atomic_bool over;
    atomic_uint answered;
} run;

static void make_query(void *ctx, const void *tag, uint8_t *mad)
{
    (void)ctx, (void)tag;
    smp_query_own_port(mad, 0, 0);
}

static void count_answer(void *ctx, const void *tag, const struct request_answer *answer)
{
    (void)ctx, (void)tag;
    atomic_fetch_add(&run.answered, answer->mad != NULL);
}

static void *run_batch(void *arg)
{
    struct run *r = arg;
    r->ok = requests_run(r->batch, &r->err);
    atomic_store(&r->over, true);
    return NULL;
}

// Waits until the batch is over; with `unplug`, the port is removed before the first answer.
static void run_through(const struct mad_io *io, bool unplug)
{
    pthread_t thread;
    const struct requests_options options = {
        .io = *io, .in_flight = 4, .attempts = 1, .timeout_us = 600 * S, .clock = &clock_system};
    run.batch = requests_new(&options, 0);
    atomic_store(&run.over, false);
    atomic_store(&run.answered, 0);
    for (int i = 0; i < REQUESTS; i++)
        requests_add(
            run.batch,
            &(struct mad_request){.to = {.lid = 0xFFFF}, .make = make_query, .done = count_answer});
    sm.gone = unplug; // which the SA client notices with the first answer
    assert_int_equal(pthread_create(&thread, NULL, run_batch, &run), 0);
    while (!atomic_load(&run.over))
        fake_sm_run(&sm, MS);
    pthread_join(thread, NULL);
    requests_free(run.batch);
}

TEST(a_batch_runs_through_a_share)
{
    settle();
    struct mad_io io = open_share();
    run_through(&io, false);
    assert_true(run.ok);
    assert_int_equal(run.answered, REQUESTS);
    io.close(io.self);
    assert_int_equal(sm.change_count, 0);
}

TEST(a_batch_ends_with_the_port)
{
    settle();
    struct mad_io io = open_share();
    run_through(&io, true);
    assert_false(run.ok);
    assert_string_equal(run.err.text, "the port was closed");
    assert_int_equal(run.answered, 0);
    io.close(io.self);
}

TEST(there_is_one_share_at_a_time)
{
    struct mad_io io, second;
    settle();
    io = open_share();
    assert_false(sa_client_attach(client, MAD_USER_SWEEPER, &second, &err));
    assert_string_equal(err.text, "the port has such a user already");
    io.close(io.self);
    second = open_share();
    second.close(second.self);
}

TEST(a_share_ends_with_the_port)
{
    settle();
    struct mad_io io = listen_to_share();
    const struct mad_listener listener = {hear, hear_loss, &heard};
    sm.gone = true;
    fake_sm_run(&sm, 5 * S); // and the port is open again
    assert_int_equal(sm.opened, 2);
    uint8_t mad[MAD_SIZE] = {0};
    assert_string_equal(heard.reason, "the port was closed");
    assert_false(io.listen(io.self, &listener, &err));
    assert_string_equal(err.text, "the port was closed");
    err.text[0] = '\0';
    assert_false(io.send(io.self, MAD_AGENT_SMP, &(struct mad_address){0}, mad, 0, &err));
    assert_string_equal(err.text, "the port was closed");

    // Another MAD client can attach meanwhile, and stays attached when the old client detaches.
    struct mad_io second = listen_to_share();
    assert_false(io.listen(io.self, NULL, &err));
    io.close(io.self);
    ask_through(&second, MAD_TID_SWEEPER | A_TID);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(heard.count, 1);
    second.close(second.self);
    assert_string_equal(heard.reason, "");
}

TEST(without_a_port_there_is_no_share)
{
    struct mad_io io;
    sm.no_port = true;
    start_with_key(true, 1);
    fake_sm_run(&sm, 5 * S);
    assert_false(sa_client_attach(client, MAD_USER_SWEEPER, &io, &err));
    assert_string_equal(err.text, "no port is open: no port: plug one in");
}

TEST(a_share_ends_when_the_agent_stops)
{
    settle();
    struct mad_io io = listen_to_share(), late;
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    assert_string_equal(heard.reason, "ibtrapd stops");
    assert_false(sa_client_attach(client, MAD_USER_SWEEPER, &late, &err));
    io.close(io.self);
}

// Reports.

static size_t make_report(uint8_t mad[MAD_SIZE], enum golden golden)
{
    memset(mad, 0, MAD_SIZE);
    support_hex(mad, 24, "01 03 02 06 0000 0000 0000ABCD00000042 0002 0000 00000000");
    golden_wire(golden, mad + 56);
    return MAD_SIZE;
}

TEST(a_report_is_handed_on_and_answered)
{
    uint8_t mad[MAD_SIZE];
    settle();
    fake_sm_arrive(&sm, 1, mad, make_report(mad, GOLDEN_128));
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 1);
    const struct sa_report *report = &sm.reports[0];
    assert_false(report->malformed);
    assert_int_equal(report->from.lid, 1);
    assert_int_equal(report->subnet_prefix, GOLDEN_PREFIX);
    assert_int_equal(report->size, MAD_SIZE);
    assert_memory_equal(report->mad, mad, MAD_SIZE);
    assert_int_equal(sm.answer_count, 0); // the Report is acknowledged later, by its receiver

    sa_client_acknowledge(client, report);
    assert_int_equal(sm.answer_count, 1);
    assert_int_equal(sm.answers[0].to.lid, 1);
    assert_int_equal(sm.answers[0].to.qpn, 1);
    assert_int_equal(sm.answers[0].to.sl, 2);
    assert_int_equal(sm.answers[0].to.pkey_index, 3);
    mad[3] = 0x86;
    assert_memory_equal(sm.answers[0].mad, mad, MAD_SIZE);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.reports, 1);
    assert_int_equal(status.counters.acknowledged, 1);
    assert_int_equal(status.counters.foreign, 0);
    assert_int_equal(status.counters.malformed, 0);
    assert_int_equal(status.counters.no_room, 0);
}

TEST(a_foreign_report_is_not_accepted)
{
    uint8_t mad[MAD_SIZE];
    settle();
    fake_sm_arrive(&sm, 99, mad, make_report(mad, GOLDEN_128));
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 0);
    assert_int_equal(sm.answer_count, 0);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.foreign, 1);
    assert_int_equal(status.counters.reports, 0);
}

TEST(a_report_from_whoever_just_became_master_makes_it_look)
{
    uint8_t mad[MAD_SIZE];
    settle();
    sm.lid = sm.port.sm_lid = 2;
    fake_sm_arrive(&sm, 2, mad, make_report(mad, GOLDEN_64));
    fake_sm_run(&sm, 200 * MS);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "the master subnet manager moved from LID 1 to LID 2");
    fake_sm_arrive(&sm, 2, mad, MAD_SIZE); // sent again
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 1);
}

TEST(a_malformed_report_is_handed_on_as_such)
{
    uint8_t mad[MAD_SIZE];
    settle();
    make_report(mad, GOLDEN_128);
    fake_sm_arrive(&sm, 1, mad, 100);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 1);
    assert_true(sm.reports[0].malformed);
    assert_string_equal(sm.reports[0].reason, "it has 100 octets, too few for a Notice");
    assert_int_equal(sm.reports[0].size, 100);
    assert_memory_equal(sm.reports[0].mad, mad, 100);
    sa_client_acknowledge(client, &sm.reports[0]);
    assert_int_equal(sm.answer_count, 1);
    assert_int_equal(wire_get16(sm.answers[0].mad + 4), MAD_STATUS_INVALID_FIELD);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.malformed, 1);
    assert_int_equal(status.counters.reports, 1);
}

TEST(a_report_of_another_version_is_malformed)
{
    static const struct {
        size_t octet;
        uint8_t value;
    } VERSIONS[] = {{0, 0}, {0, 2}, {0, 255}, {2, 0}, {2, 1}, {2, 3}, {2, 255}};
    uint8_t mad[MAD_SIZE];
    settle();
    for (size_t i = 0; i < COUNT(VERSIONS); i++) {
        make_report(mad, GOLDEN_128);
        mad[VERSIONS[i].octet] = VERSIONS[i].value;
        fake_sm_arrive(&sm, 1, mad, MAD_SIZE);
        fake_sm_run(&sm, 100 * MS);
        assert_int_equal(sm.report_count, i + 1);
        assert_true(sm.reports[i].malformed);
    }
    sa_client_status(client, &status);
    assert_int_equal(status.counters.malformed, COUNT(VERSIONS));
}

TEST(nonsense_of_any_length_is_malformed)
{
    uint8_t mad[FAKE_SM_MAD_MAX] = {0};
    static const size_t SIZES[] = {0, 1, 23, 24, 255, 256, 257, 4096};
    settle();
    for (size_t i = 0; i < COUNT(SIZES); i++)
        fake_sm_arrive(&sm, 1, mad, SIZES[i]);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, COUNT(SIZES));
    for (size_t i = 0; i < COUNT(SIZES); i++) {
        assert_true(sm.reports[i].malformed);
        assert_int_equal(sm.reports[i].size, SIZES[i] < MAD_SIZE ? SIZES[i] : MAD_SIZE);
    }
}

TEST(without_room_nothing_is_answered)
{
    uint8_t mad[MAD_SIZE];
    settle();
    sm.full = true;
    fake_sm_arrive(&sm, 1, mad, make_report(mad, GOLDEN_128));
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.answer_count, 0);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.no_room, 1);
    sm.full = false;
    fake_sm_arrive(&sm, 1, mad, MAD_SIZE); // sent again
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 1);
}

// The SM gives up after less than a second; who was stopped for longer hears of it once.
TEST(a_report_without_room_makes_it_sweep)
{
    uint8_t mad[MAD_SIZE];
    settle();
    const size_t before = sm.change_count;
    sm.full = true;
    for (int i = 0; i < 3; i++) {
        fake_sm_arrive(&sm, 1, mad, make_report(mad, GOLDEN_128));
        fake_sm_run(&sm, 100 * MS);
    }
    assert_int_equal(sm.change_count, before);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(sm.change_count, before + 1);
    assert_int_equal(sm.changes[before].change, SA_REPORTS_MISSED);
    assert_string_equal(sm.changes[before].reason, "there was no room for reports");
    fake_sm_run(&sm, 10 * S);
    assert_int_equal(sm.change_count, before + 1);
}

TEST(answers_to_nothing_are_ignored)
{
    uint8_t mad[MAD_SIZE];
    settle();
    mad_subscribe(mad, 0xDEADBEEF, 0, 128, true);
    mad[3] = 0x81;
    fake_sm_arrive(&sm, 1, mad, sizeof mad);
    mad_query_node(mad, 0xDEADBEEF, 1);
    mad[3] = 0x81;
    fake_sm_arrive(&sm, 1, mad, 30);
    smp_query_own_port(mad, 0xDEADBEEF, 0);
    mad[3] = 0x81;
    fake_sm_arrive(&sm, 0xFFFF, mad, sizeof mad);
    fake_sm_run(&sm, 100 * MS);
    assert_int_equal(sm.report_count, 0);
    assert_int_equal(sm.change_count, 0);
    check_states(SUBSCRIPTION_SUBSCRIBED, SUBSCRIPTION_SUBSCRIBED);
}

// Ports.

TEST(it_waits_for_a_port)
{
    sm.no_port = true;
    start_with_key(true, 1);
    fake_sm_run(&sm, 5 * S);
    sa_client_status(client, &status);
    assert_false(status.open);
    assert_string_equal(status.problem, "no port: plug one in");
    assert_int_equal(sm.opened, 0);
    sm.no_port = false;
    fake_sm_run(&sm, 8 * S);
    sa_client_status(client, &status);
    assert_true(status.open);
    assert_string_equal(status.problem, "");
    assert_int_equal(sm.opened, 1);
    assert_int_equal(fake_sm_held(&sm), 17);
    assert_int_equal(sm.change_count, 0); // soon enough not to be reported
}

TEST(a_port_that_stays_away_is_told)
{
    sm.no_port = true;
    start_with_key(true, 1);
    fake_sm_run(&sm, 35 * S);
    assert_int_equal(sm.change_count, 1);
    check_change(0, SA_SUBSCRIPTIONS_LOST, "no port: plug one in");
}

TEST(an_unplugged_port_is_opened_again)
{
    settle();
    sm.gone = true;
    forget_subscriptions();
    check_subscribed_again("mlx5_0 port 1 is gone: it was unplugged");
    assert_int_equal(sm.opened, 2);
    assert_int_equal(sm.closed, 1);
}

TEST(without_a_port_nothing_is_answered)
{
    settle();
    sm.gone = sm.no_port = true;
    fake_sm_run(&sm, 5 * S);
    const struct sa_report report = {.from = {.lid = 1, .qpn = 1}, .size = MAD_SIZE};
    sa_client_acknowledge(client, &report);
    assert_int_equal(sm.answer_count, 0);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.acknowledged, 0);
    assert_false(status.open);
}

TEST(a_port_that_is_down_gives_way_to_a_better_one)
{
    sm.port.state = 1;
    sm.id.active = false;
    start_with_key(true, 1);
    fake_sm_run(&sm, 20 * S);
    assert_int_equal(sm.opened, 1);
    sm.better = true;
    sm.id = (struct mad_port_id){.device = "mlx5_1", .port = 2, .guid = 9, .active = true};
    sm.port.state = 4;
    sm.port.lid = 0; // until it opens the other port
    fake_sm_run(&sm, 6 * S);
    assert_int_equal(sm.opened, 2);
    assert_int_equal(sm.closed, 1);
    sm.port.lid = 7;
    fake_sm_run(&sm, 3 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.id.device, "mlx5_1");
    assert_int_equal(status.id.port, 2);
    assert_int_equal(fake_sm_held(&sm), 17);
}

static void start_with_mkey(uint64_t mkey)
{
    chance = support_random(&counting);
    struct sa_options options = make_options(true, 1);
    options.mkey = mkey;
    start(&options);
}

TEST(a_port_with_an_mkey_is_never_asked_without)
{
    sm.mkey = MKEY;
    start_with_mkey(MKEY);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    sa_client_wake(client);
    sa_client_resubscribe(client);
    fake_sm_run(&sm, 3 * S);
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    assert_int_equal(sm.refused, 0);
}

TEST(an_mkey_that_is_wrong_is_told_and_can_be_changed)
{
    sm.mkey = MKEY;
    start_with_mkey(0);
    fake_sm_run(&sm, 8 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem,
                        "mlx5_0 port 1 does not answer about itself and is opened again; "
                        "does it want an M_Key (item 'mkey_file')?");
    assert_int_equal(fake_sm_held(&sm), 0);
    assert_int_not_equal(sm.refused, 0);
    sa_client_change_mkey(client, MKEY);
    fake_sm_run(&sm, 4 * S);
    sa_client_status(client, &status);
    assert_string_equal(status.problem, "");
    assert_int_equal(fake_sm_held(&sm), 17);
}

// OpenSM numbers its Reports; the kernel dropped three of them.
TEST(reports_that_do_not_arrive_are_missed)
{
    uint8_t report[MAD_SIZE];
    settle();
    const size_t size = make_report(report, GOLDEN_128);
    for (uint32_t tid = 1; tid <= 43; tid++) {
        wire_put(report + 12, 4, 0x02DAB000 + tid);
        if (tid < 40 || tid > 42)
            fake_sm_arrive(&sm, 1, report, size);
    }
    fake_sm_run(&sm, 1 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.missed, 0); // the SM repeats them
    fake_sm_run(&sm, 3 * S);
    sa_client_status(client, &status);
    assert_int_equal(status.counters.missed, 3);
    assert_int_equal(sm.changes[sm.change_count - 1].change, SA_REPORTS_MISSED);
}

// The SA client uses the port's own M_Key from OpenSM's file, and the next M_Key as soon as the
// file has the next M_Key.
TEST(the_mkey_of_the_own_port_is_found_among_all)
{
    struct log *own = support_log(NULL);
    struct mkeys *mkeys = mkeys_new(own);
    sm.mkey = MKEY;
    mkeys_use(mkeys, support_file("guid2mkey", "0x0002c903000e8acf 0x0000000000000001\n\n", 0600));
    struct sa_options options = make_options(true, 1);
    options.mkey = MKEY; // of others
    options.mkeys = mkeys;
    start(&options);
    fake_sm_run(&sm, 3 * S);
    assert_int_equal(fake_sm_held(&sm), 0);
    char line[80];
    snprintf(line, sizeof line, "0x0002c903000e8acf 0x%016llx\n\n", (unsigned long long)MKEY);
    support_file("guid2mkey", line, 0600);
    assert_true(mkeys_refresh(mkeys));
    fake_sm_run(&sm, 8 * S);
    assert_int_equal(fake_sm_held(&sm), 17);
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    mkeys_free(mkeys);
    log_close(own);
}

// Stopping.

TEST(it_unsubscribes_at_the_end)
{
    settle();
    sm.report_at_unsubscribe = true;
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    assert_int_equal(fake_sm_held(&sm), 0);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        assert_int_equal(sm.unsubscribed[status.subscriptions[i].trap], 1);
    assert_int_equal(sm.key[259], 1);
    assert_int_equal(sm.change_count, 0);
    // Reports that arrive meanwhile are still passed on and can be answered, because the port is
    // still open.
    assert_int_equal(sm.report_count, 1);
    assert_int_equal(sm.closed, 0);
    sa_client_acknowledge(client, &sm.reports[0]);
    assert_int_equal(sm.answer_count, 1);
    sa_client_stop(client); // a second call has no effect
}

TEST(it_does_not_wait_for_a_dead_sm_at_the_end)
{
    settle();
    sm.deaf = true;
    fake_sm_run_free(&sm);
    sa_client_stop(client);
    assert_int_equal(fake_sm_held(&sm), 17);
}

TEST(one_that_never_started_can_be_freed)
{
    const struct sa_options options = {.opener = fake_sm_opener(&sm),
                                       .listener = fake_sm_listener(&sm),
                                       .clock = &sm.clock,
                                       .random = &chance,
                                       .log = log_};
    chance = support_random(&counting);
    client = sa_client_new(&options);
    assert_int_equal(sm.opened, 0);
}

#define AGENT_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AGENT_TEST(it_subscribes_to_everything),
        AGENT_TEST(without_a_key_256_to_259_are_rejected),
        AGENT_TEST(a_wrong_key_is_not_answered),
        AGENT_TEST(it_follows_the_master_to_another_lid),
        AGENT_TEST(it_sees_another_master_at_the_same_lid),
        AGENT_TEST(it_subscribes_again_with_a_new_lid),
        AGENT_TEST(it_subscribes_again_with_a_new_subnet_prefix),
        AGENT_TEST(it_subscribes_again_when_the_sm_asks_for_it),
        AGENT_TEST(it_subscribes_again_when_the_port_was_down),
        AGENT_TEST(it_notices_an_sm_that_forgot),
        AGENT_TEST(it_notices_an_sm_that_says_no_records),
        AGENT_TEST(it_notices_one_that_is_missing),
        AGENT_TEST(it_believes_no_list_that_is_older_than_a_confirmation),
        AGENT_TEST(it_refreshes_without_ado),
        AGENT_TEST(it_subscribes_again_when_somebody_asks_for_it),
        AGENT_TEST(a_poke_makes_it_look_at_once),
        AGENT_TEST(at_rest_it_wakes_up_seldom),
        AGENT_TEST(a_silent_sm_is_told_and_found_again),
        AGENT_TEST(an_sm_that_answers_late_is_not_flooded),
        AGENT_TEST(an_sm_that_answers_with_errors_is_asked_again),
        AGENT_TEST(an_sm_that_never_answered_is_told_after_half_a_minute),
        AGENT_TEST(a_new_master_ends_the_silence),
        AGENT_TEST(nobody_takes_a_new_master_for_the_old_one),
        AGENT_TEST(what_was_told_before_a_restart_is_told_to_be_over),
        AGENT_TEST(what_was_told_before_a_restart_and_goes_on_is_not_told_again),
        AGENT_TEST(a_port_that_is_down_makes_no_sm_unreachable),
        AGENT_TEST(a_share_gets_its_answers_and_no_others),
        AGENT_TEST(who_listens_may_send),
        AGENT_TEST(what_comes_while_nobody_listens_is_dropped),
        AGENT_TEST(the_agents_own_transactions_never_look_like_the_shares),
        AGENT_TEST(a_share_gets_large_answers_whole),
        AGENT_TEST(reports_are_never_the_shares),
        AGENT_TEST(questions_in_the_shares_classes_are_no_reports),
        AGENT_TEST(a_batch_runs_through_a_share),
        AGENT_TEST(a_batch_ends_with_the_port),
        AGENT_TEST(there_is_one_share_at_a_time),
        AGENT_TEST(a_share_ends_with_the_port),
        AGENT_TEST(without_a_port_there_is_no_share),
        AGENT_TEST(a_share_ends_when_the_agent_stops),
        AGENT_TEST(a_report_is_handed_on_and_answered),
        AGENT_TEST(a_foreign_report_is_not_accepted),
        AGENT_TEST(a_report_from_whoever_just_became_master_makes_it_look),
        AGENT_TEST(a_malformed_report_is_handed_on_as_such),
        AGENT_TEST(a_report_of_another_version_is_malformed),
        AGENT_TEST(nonsense_of_any_length_is_malformed),
        AGENT_TEST(without_room_nothing_is_answered),
        AGENT_TEST(a_report_without_room_makes_it_sweep),
        AGENT_TEST(answers_to_nothing_are_ignored),
        AGENT_TEST(it_waits_for_a_port),
        AGENT_TEST(a_port_that_stays_away_is_told),
        AGENT_TEST(an_unplugged_port_is_opened_again),
        AGENT_TEST(without_a_port_nothing_is_answered),
        AGENT_TEST(a_port_that_is_down_gives_way_to_a_better_one),
        AGENT_TEST(a_port_with_an_mkey_is_never_asked_without),
        AGENT_TEST(an_mkey_that_is_wrong_is_told_and_can_be_changed),
        AGENT_TEST(reports_that_do_not_arrive_are_missed),
        AGENT_TEST(the_mkey_of_the_own_port_is_found_among_all),
        AGENT_TEST(it_unsubscribes_at_the_end),
        AGENT_TEST(it_does_not_wait_for_a_dead_sm_at_the_end),
        AGENT_TEST(one_that_never_started_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
