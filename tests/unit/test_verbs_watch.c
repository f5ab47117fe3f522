// SPDX-License-Identifier: BSD-2-Clause
// The adapter's events, from a fake libibverbs, because a real adapter cannot be made to fail.
#include "support.h"

#include "ib/verbs_watch.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <unistd.h>

enum { OPENED_MAX = 4, PATIENCE_MS = 300000 };

// The opened devices in order; events are octets in a pipe.
static struct opened {
    struct ibv_context context;
    int to_it;
} opened[OPENED_MAX];

static int opened_count, closed_count, poked, reregistered, opened_one;
static struct ibv_device device, *devices[] = {&device, NULL};

struct ibv_device **ibv_get_device_list(int *n)
{
    *n = 1;
    return devices;
}

void ibv_free_device_list(struct ibv_device **list)
{
    (void)list;
}

const char *ibv_get_device_name(struct ibv_device *d)
{
    (void)d;
    return "mlx5_0";
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
    (void)d;
    int ends[2];
    assert_true(opened_count < OPENED_MAX);
    assert_int_equal(pipe(ends), 0);
    struct opened *o = &opened[opened_count++];
    *o = (struct opened){{.async_fd = ends[0]}, ends[1]};
    opened_one++;
    return &o->context;
}

int ibv_close_device(struct ibv_context *context)
{
    closed_count++;
    return close(context->async_fd);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    uint8_t type;
    ssize_t n = read(context->async_fd, &type, 1);
    if (n == 0)
        errno = EIO; // the other end of the pipe is closed: the driver was unloaded
    if (n != 1)
        return -1;
    event->event_type = (enum ibv_event_type)type;
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

const char *ibv_event_type_str(enum ibv_event_type type)
{
    (void)type;
    return "an event";
}

// The SA client, which has the device open.

void sa_client_status(struct sa_client *client, struct sa_status *out)
{
    (void)client;
    *out = (struct sa_status){.open = true, .id.device = "mlx5_0", .id.port = 1};
}

void sa_client_wake(struct sa_client *client)
{
    (void)client;
    poked++;
}

void sa_client_reregister(struct sa_client *client)
{
    (void)client;
    reregistered++;
}

static struct verbs_watch *watch;
static struct log *log_;

// Takes one of what the watch did; until then lets the watch work, as the main loop does.
static void await(int *what)
{
    struct pollfd fds = {.fd = verbs_watch_fd(watch), .events = POLLIN};
    while (*what == 0) {
        assert_int_equal(poll(&fds, 1, PATIENCE_MS), 1);
        verbs_watch_process(watch);
    }
    --*what;
}

static int begin(void **state)
{
    (void)state;
    opened_count = closed_count = poked = reregistered = opened_one = 0;
    log_ = support_log(NULL);
    watch = verbs_watch_new(NULL, log_);
    assert_non_null(watch);
    await(&opened_one);
    return 0;
}

static int end(void **state)
{
    (void)state;
    verbs_watch_free(watch);
    log_close(log_);
    for (int i = 0; i < opened_count; i++)
        close(opened[i].to_it);
    assert_int_equal(closed_count, opened_count);
    return 0;
}

static void tell(int which, enum ibv_event_type type)
{
    const uint8_t octet = (uint8_t)type;
    assert_int_equal(write(opened[which].to_it, &octet, 1), 1);
}

TEST(each_event_makes_the_agent_look)
{
    for (int i = 0; i < 3; i++) {
        tell(0, IBV_EVENT_SM_CHANGE);
        await(&poked);
    }
    assert_int_equal(opened_count, 1);
}

TEST(a_wish_for_new_registrations_is_passed_on)
{
    tell(0, IBV_EVENT_CLIENT_REREGISTER);
    await(&reregistered);
}

TEST(a_device_that_failed_is_opened_again)
{
    tell(0, IBV_EVENT_DEVICE_FATAL);
    await(&poked);
    await(&opened_one);
    assert_int_equal(closed_count, 1);
    tell(1, IBV_EVENT_PORT_ACTIVE);
    await(&poked);
}

TEST(a_device_that_is_gone_is_opened_again)
{
    close(opened[0].to_it);
    opened[0].to_it = -1;
    await(&opened_one);
    tell(1, IBV_EVENT_PORT_ACTIVE);
    await(&poked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_event_makes_the_agent_look, begin, end),
        cmocka_unit_test_setup_teardown(a_wish_for_new_registrations_is_passed_on, begin, end),
        cmocka_unit_test_setup_teardown(a_device_that_failed_is_opened_again, begin, end),
        cmocka_unit_test_setup_teardown(a_device_that_is_gone_is_opened_again, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
