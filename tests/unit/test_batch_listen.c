// SPDX-License-Identifier: BSD-2-Clause
// Batches over a port whose MADs another thread receives.
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "ib/requests.h"

#include <pthread.h>

enum { REQUESTS = 2000, IN_FLIGHT = 16, QUEUE = 64, NEVER = UINT32_MAX };
static const int64_t LONG_US = 600 * CLOCK_US_PER_S, SHORT_US = 20 * CLOCK_US_PER_MS;

// A port whose thread answers each request with the request's modifier.
static struct port {
    bool gone;           // listening fails
    bool deaf;           // the port answers nothing
    unsigned lost_after; // the port is lost after this many answers
    bool stops;          // the batch stops instead

    unsigned sent, answered, under_way, under_way_most;
    bool listened; // listening has ended

    pthread_t thread;
    pthread_mutex_t lock; // protects everything except the listener
    pthread_cond_t moved;
    bool ends;
    uint8_t queue[QUEUE][MAD_SIZE];
    size_t queued;

    pthread_mutex_t call; // held while the listener is called; taken before `lock`
    struct mad_listener listener;
} port;

static struct error err;
static struct requests *batch;
static atomic_bool stop;
static unsigned done_of[REQUESTS], answers_of[REQUESTS], added, wanted;
static unsigned ends_after;                     // requests after which the callback ends the batch
static unsigned done_elsewhere, sent_elsewhere; // by another thread than the test's
static pthread_t test;

static bool listen_to(void *self, const struct mad_listener *listener, struct error *e)
{
    struct port *p = self;
    if (p->gone)
        return error_set(e, "it was unplugged");
    pthread_mutex_lock(&p->call);
    p->listener = listener ? *listener : (struct mad_listener){0};
    p->listened = !listener;
    pthread_mutex_unlock(&p->call);
    return true;
}

static bool send_mad(void *self, enum mad_agent agent, const struct mad_address *to,
                     const uint8_t *octets, int response_timeout_ms, struct error *e)
{
    (void)agent, (void)to, (void)response_timeout_ms, (void)e;
    struct port *p = self;
    pthread_mutex_lock(&p->lock);
    p->sent++;
    sent_elsewhere += !pthread_equal(pthread_self(), test);
    if (!p->deaf) {
        assert_true(p->queued < QUEUE);
        memcpy(p->queue[p->queued++], octets, MAD_SIZE);
        p->under_way++;
        if (p->under_way_most < p->under_way)
            p->under_way_most = p->under_way;
        pthread_cond_signal(&p->moved);
    }
    pthread_mutex_unlock(&p->lock);
    return true;
}

// Takes out the first request; false: the port ends.
static bool await_request(struct port *p, uint8_t mad[MAD_SIZE])
{
    pthread_mutex_lock(&p->lock);
    while (p->queued == 0 && !p->ends)
        pthread_cond_wait(&p->moved, &p->lock);
    bool ok = !p->ends;
    if (ok) {
        memcpy(mad, p->queue[0], MAD_SIZE);
        memmove(p->queue[0], p->queue[1], --p->queued * MAD_SIZE);
        p->under_way--;
        p->answered++;
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

static void lose(struct port *p)
{
    if (p->stops)
        atomic_store(&stop, true);
    else
        p->listener.lost(p->listener.ctx, "it was unplugged");
}

static void *answer(void *arg)
{
    struct port *p = arg;
    uint8_t mad[MAD_SIZE];
    while (await_request(p, mad)) {
        mad[3] = 0x81;
        const struct mad_received in = {.octets = mad, .size = MAD_SIZE};
        pthread_mutex_lock(&p->call);
        if (p->listener.take && p->answered > p->lost_after)
            lose(p);
        else if (p->listener.take)
            p->listener.take(p->listener.ctx, &in);
        pthread_mutex_unlock(&p->call);
    }
    return NULL;
}

static int begin(void **state)
{
    (void)state;
    port = (struct port){.lost_after = NEVER};
    pthread_mutex_init(&port.lock, NULL);
    pthread_mutex_init(&port.call, NULL);
    pthread_cond_init(&port.moved, NULL);
    memset(done_of, 0, sizeof done_of);
    memset(answers_of, 0, sizeof answers_of);
    ends_after = NEVER;
    added = wanted = done_elsewhere = sent_elsewhere = 0;
    test = pthread_self();
    atomic_store(&stop, false);
    return pthread_create(&port.thread, NULL, answer, &port);
}

static int end(void **state)
{
    (void)state;
    pthread_mutex_lock(&port.lock);
    port.ends = true;
    pthread_cond_signal(&port.moved);
    pthread_mutex_unlock(&port.lock);
    pthread_join(port.thread, NULL);
    pthread_cond_destroy(&port.moved);
    pthread_mutex_destroy(&port.call);
    pthread_mutex_destroy(&port.lock);
    requests_free(batch);
    batch = NULL;
    return 0;
}

static void new_batch(unsigned attempts, int64_t timeout_us)
{
    const struct requests_options options = {
        .io = {.listen = listen_to, .send = send_mad, .self = &port},
        .in_flight = IN_FLIGHT,
        .attempts = attempts,
        .timeout_us = timeout_us,
        .clock = &clock_system,
        .stop = &stop,
    };
    batch = requests_new(&options, 0);
    assert_non_null(batch);
}

static void add(unsigned id);

static void make(void *ctx, const void *tag, uint8_t *mad)
{
    (void)ctx;
    unsigned id;
    memcpy(&id, tag, sizeof id);
    smp_make_get(mad, 0, SMP_NODE_INFO, id, NULL, 0);
}

static void done(void *ctx, const void *tag, const struct request_answer *answer)
{
    (void)ctx;
    unsigned id;
    memcpy(&id, tag, sizeof id);
    done_of[id]++;
    answers_of[id] += answer->mad && wire_get32(answer->mad + 20) == id;
    done_elsewhere += !pthread_equal(pthread_self(), test);
    if (added < wanted)
        add(added);
    if (done_elsewhere == ends_after)
        requests_end(batch);
}

static void add(unsigned id)
{
    added++;
    requests_add(batch, &(struct mad_request){
                            .make = make, .done = done, .tag = &id, .tag_size = sizeof id});
}

static void add_many(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add(i);
}

static void check_done(unsigned n, unsigned answered)
{
    unsigned got = 0;
    for (unsigned i = 0; i < REQUESTS; i++) {
        assert_int_equal(done_of[i], i < n);
        got += answers_of[i];
    }
    assert_int_equal(got, answered);
    assert_true(port.listened);
}

TEST(all_are_answered_and_few_are_under_way)
{
    new_batch(1, LONG_US);
    add_many(REQUESTS);
    assert_true(requests_run(batch, &err));
    check_done(REQUESTS, REQUESTS);
    assert_int_equal(port.sent, REQUESTS);
    assert_in_range(port.under_way_most, 1, IN_FLIGHT);
}

TEST(an_answer_is_taken_where_it_arrives_and_the_next_request_sent)
{
    wanted = REQUESTS;
    new_batch(1, LONG_US);
    add(0);
    assert_true(requests_run(batch, &err));
    check_done(REQUESTS, REQUESTS);
    assert_int_equal(done_elsewhere, REQUESTS);
    assert_int_equal(sent_elsewhere, REQUESTS - 1);
}

TEST(who_never_answers_is_given_up)
{
    port.deaf = true;
    new_batch(3, SHORT_US);
    add_many(2 * IN_FLIGHT);
    assert_true(requests_run(batch, &err));
    check_done(2 * IN_FLIGHT, 0);
    assert_int_equal(port.sent, 2 * IN_FLIGHT * 3);
    assert_int_equal(done_elsewhere, 0);
}

TEST(a_batch_can_run_again)
{
    new_batch(1, LONG_US);
    for (unsigned i = 0; i < 100; i++) {
        add(i);
        assert_true(requests_run(batch, &err));
    }
    check_done(100, 100);
}

TEST(nobody_can_listen_to_a_port_that_is_gone)
{
    port.gone = true;
    new_batch(1, LONG_US);
    add_many(1);
    assert_false(requests_run(batch, &err));
    assert_string_equal(err.text, "it was unplugged");
    assert_int_equal(port.sent, 0);
}

TEST(a_lost_port_ends_it)
{
    port.lost_after = 50;
    new_batch(1, LONG_US);
    add_many(REQUESTS);
    assert_false(requests_run(batch, &err));
    assert_string_equal(err.text, "it was unplugged");
    check_done(50, 50);
}

TEST(a_stop_ends_it_soon)
{
    port.lost_after = 50;
    port.stops = true;
    new_batch(1, LONG_US);
    add_many(REQUESTS);
    assert_false(requests_run(batch, &err));
    assert_string_equal(err.text, "stopped");
    check_done(50, 50);
}

TEST(it_ends_when_it_is_told_to)
{
    ends_after = 50;
    new_batch(1, LONG_US);
    add_many(REQUESTS);
    assert_true(requests_run(batch, &err));
    assert_true(requests_was_ended(batch));
    check_done(50, 50);
}

#define LISTEN_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LISTEN_TEST(all_are_answered_and_few_are_under_way),
        LISTEN_TEST(an_answer_is_taken_where_it_arrives_and_the_next_request_sent),
        LISTEN_TEST(who_never_answers_is_given_up),
        LISTEN_TEST(a_batch_can_run_again),
        LISTEN_TEST(nobody_can_listen_to_a_port_that_is_gone),
        LISTEN_TEST(a_lost_port_ends_it),
        LISTEN_TEST(a_stop_ends_it_soon),
        LISTEN_TEST(it_ends_when_it_is_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
