// SPDX-License-Identifier: BSD-2-Clause
// The sweeper's choice of its method, with an SA client that says what its port can do.
#include "support.h"

#include "base/wire.h"
#include "ib/sweeper.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum { PATIENCE_S = 300 };

// The SA client, and its port: which sends nothing.
static const char *refusal;
static atomic_uint smps, queries;
static struct mad_listener listener;
static sem_t asked;

void sa_client_status(struct sa_client *client, struct sa_status *out)
{
    (void)client;
    *out = (struct sa_status){.open = true, .port = {.lid = 7, .sm_lid = 1, .state = 4}};
    snprintf(out->smp_refusal, sizeof out->smp_refusal, "%s", refusal);
}

static bool listen(void *self, const struct mad_listener *l, struct error *err)
{
    (void)self, (void)err;
    listener = l ? *l : (struct mad_listener){0};
    return true;
}

static bool send_mad(void *self, enum mad_agent agent, const struct mad_address *to,
                     const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)self, (void)to, (void)octets, (void)response_timeout_ms, (void)err;
    atomic_fetch_add(agent == MAD_AGENT_SA ? &queries : &smps, 1);
    sem_post(&asked);
    return error_set(err, "cannot send");
}

static void close_port(void *self)
{
    (void)self;
}

bool sa_client_attach(struct sa_client *client, enum mad_user user, struct mad_io *out,
                      struct error *err)
{
    (void)client, (void)user, (void)err;
    *out = (struct mad_io){.listen = listen, .send = send_mad, .close = close_port, .self = &asked};
    return true;
}

static void ignore_fabric(void *ctx, struct fabric *fabric)
{
    (void)ctx;
    fabric_unref(fabric);
}

static struct log *log_;
static struct sweeper *sweeper;
static struct sweeper_status status;
static struct error err;

static int begin(void **state)
{
    (void)state;
    sem_init(&asked, 0, 0);
    atomic_store(&smps, 0);
    atomic_store(&queries, 0);
    refusal = "";
    log_ = support_log(NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sweeper_stop(sweeper);
    sweeper_free(sweeper);
    log_close(log_);
    sem_destroy(&asked);
    return 0;
}

// Starts a sweeper and waits until it has sent its first request.
static void sweep_by(enum sweep_method method)
{
    struct timespec until;
    const struct sweeper_options options = {.method = method,
                                            .interval_us = 3600 * CLOCK_US_PER_S,
                                            .in_flight = 1,
                                            .attempts = 1,
                                            .timeout_us = CLOCK_US_PER_S,
                                            .listener = {.fabric = ignore_fabric},
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = log_};
    sweeper = sweeper_start(&options, &err);
    assert_non_null(sweeper);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    assert_int_equal(sem_timedwait(&asked, &until), 0);
    sweeper_get_status(sweeper, &status);
}

TEST(a_host_that_may_send_smps_does)
{
    sweep_by(SWEEP_SMP);
    assert_int_equal(atomic_load(&queries), 0);
    assert_int_equal(status.method, SWEEP_SMP);
    assert_string_equal(status.no_smps, "");
}

TEST(without_smps_the_sa_is_asked)
{
    refusal = "it is a virtual function";
    sweep_by(SWEEP_SMP);
    assert_int_equal(atomic_load(&smps), 0);
    assert_int_equal(status.method, SWEEP_SA);
    assert_string_equal(status.no_smps, "it is a virtual function");
}

TEST(where_the_sa_was_chosen_nothing_is_said)
{
    refusal = "it is a virtual function";
    sweep_by(SWEEP_SA);
    assert_int_equal(atomic_load(&smps), 0);
    assert_int_equal(status.method, SWEEP_SA);
    assert_string_equal(status.no_smps, "");
}

#define SWEEPER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEPER_TEST(a_host_that_may_send_smps_does),
        SWEEPER_TEST(without_smps_the_sa_is_asked),
        SWEEPER_TEST(where_the_sa_was_chosen_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
