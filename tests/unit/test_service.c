// SPDX-License-Identifier: BSD-2-Clause
#include "fake_manager.h"
#include "support.h"

#include "daemon/service.h"

#include <event2/event.h>
#include <unistd.h>

static struct event_base *base;
static struct support_time now;
static struct clock clock_;
static struct log *log_;
static struct service *service;
static int manager;
static uint64_t pipeline; // the pipeline's progress counter
static const char *status;

static uint64_t beats(void *ctx)
{
    assert_ptr_equal(ctx, &pipeline);
    return pipeline;
}

static void describe(void *ctx, char out[SERVICE_STATUS_SIZE])
{
    assert_ptr_equal(ctx, &pipeline);
    snprintf(out, SERVICE_STATUS_SIZE, "%s", status);
}

static struct service_options options_of(const char *socket)
{
    return (struct service_options){.socket = socket,
                                    .watchdog_us = CLOCK_US_PER_S,
                                    .base = base,
                                    .beats = beats,
                                    .describe = describe,
                                    .ctx = &pipeline,
                                    .clock = &clock_,
                                    .log = log_};
}

static int begin(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "@ibtrapd/service/%d", (int)getpid());
    manager = fake_manager_listen(name);
    base = event_base_new();
    now = (struct support_time){.monotonic = 42};
    clock_ = support_clock(&now);
    log_ = support_log(NULL);
    pipeline = 0;
    status = "waiting";
    const struct service_options options = options_of(name);
    service = service_start(&options);
    return service ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    service_stop(service);
    event_base_free(base);
    log_close(log_);
    close(manager);
    return 0;
}

static void expect(const char *message)
{
    const char *next = fake_manager_next(manager);
    assert_non_null(next);
    assert_string_equal(next, message);
}

static void expect_nothing(void)
{
    assert_null(fake_manager_next(manager));
}

TEST(a_life)
{
    expect_nothing(); // the service is not ready yet
    service_ready(service);
    expect("READY=1\n");
    expect("STATUS=waiting\n");
    status = "mlx5_0 port 1 active";
    service_check(service);
    expect("STATUS=mlx5_0 port 1 active\n");
    service_check(service);
    expect_nothing();
    service_reloading(service);
    expect("RELOADING=1\nMONOTONIC_USEC=42\n");
    service_ready(service);
    expect("READY=1\n");
    service_stopping(service);
    expect("STOPPING=1\nSTATUS=Stopping\n");
    expect_nothing();
}

TEST(only_a_pipeline_that_goes_on_feeds_the_watchdog)
{
    service_ready(service);
    while (fake_manager_next(manager))
        ;
    pipeline = 1;
    service_check(service);
    expect("WATCHDOG=1\n");
    for (int i = 0; i < 100; i++)
        service_check(service); // the pipeline is stuck
    expect_nothing();
    pipeline = 2;
    service_check(service);
    expect("WATCHDOG=1\n");
    expect_nothing();
}

// The stuck pipeline again, with the real timer: the watchdog notification does not come.
TEST(the_loop_looks_by_itself)
{
    service_ready(service);
    while (fake_manager_next(manager))
        ;
    pipeline = 1;
    event_base_loop(base, EVLOOP_ONCE);
    expect("WATCHDOG=1\n");
    event_base_loop(base, EVLOOP_ONCE);
    expect_nothing();
}

TEST(without_a_manager_there_is_nothing_to_do)
{
    const struct service_options options = options_of(NULL);
    struct service *alone = service_start(&options);
    assert_non_null(alone);
    service_ready(alone);
    service_stopping(alone);
    service_stop(alone);
    expect_nothing();
}

TEST(a_manager_that_is_gone_is_no_reason_not_to_start)
{
    const struct service_options options = options_of("/nonexistent/socket");
    struct service *alone = service_start(&options);
    assert_non_null(alone);
    service_ready(alone);
    service_stop(alone);
}

TEST(the_watchdog_is_for_the_process_it_names)
{
    assert_int_equal(service_watchdog_us("60000000", "17", 17), 60000000);
    assert_int_equal(service_watchdog_us("60000000", NULL, 17), 60000000);
    assert_int_equal(service_watchdog_us("60000000", "18", 17), 0);
    assert_int_equal(service_watchdog_us(NULL, "17", 17), 0);
    assert_int_equal(service_watchdog_us("", NULL, 17), 0);
    assert_int_equal(service_watchdog_us("soon", NULL, 17), 0);
    assert_int_equal(service_watchdog_us("-5", NULL, 17), 0);
    assert_int_equal(service_watchdog_us("99999999999999999999", NULL, 17), 0);
}

#define SERVICE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVICE_TEST(a_life),
        SERVICE_TEST(only_a_pipeline_that_goes_on_feeds_the_watchdog),
        SERVICE_TEST(the_loop_looks_by_itself),
        SERVICE_TEST(without_a_manager_there_is_nothing_to_do),
        SERVICE_TEST(a_manager_that_is_gone_is_no_reason_not_to_start),
        cmocka_unit_test(the_watchdog_is_for_the_process_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
