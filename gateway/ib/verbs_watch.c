// SPDX-License-Identifier: BSD-2-Clause
#include "ib/verbs_watch.h"

#ifdef IBTRAPD_HAVE_VERBS

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

// The time until the watch looks again which device the SA client uses, or tries again to open a
// device that cannot be opened; and until the watch looks for a device while there is none.
enum { CHECK_S = 5, REOPEN_S = 1 };

struct verbs_watch {
    struct sa_client *client;
    struct log *log;
    struct ibv_context *context; // the open device; NULL: none
    char device[sizeof((struct sa_status *)0)->id.device];
    int both;  // an epoll descriptor: for the timer and for the device
    int timer; // when to look again
};

static struct ibv_context *verbs_watch_open_device(const char *name)
{
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);
    struct ibv_context *context = NULL;
    for (int i = 0; list && i < n; i++) {
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    }
    if (list)
        ibv_free_device_list(list);
    if (context)
        fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK);
    return context;
}

// Returns false if the device has failed or is gone: no further events follow then.
static bool verbs_watch_take_events(struct verbs_watch *w)
{
    struct ibv_async_event event;
    bool alive = true;
    while (ibv_get_async_event(w->context, &event) == 0) {
        log_debug(w->log, "adapter event: %s", ibv_event_type_str(event.event_type));
        alive &= event.event_type != IBV_EVENT_DEVICE_FATAL;
        ibv_ack_async_event(&event);
        if (event.event_type == IBV_EVENT_CLIENT_REREGISTER)
            sa_client_reregister(w->client);
        else
            sa_client_wake(w->client);
    }
    return alive && (errno == EAGAIN || errno == EINTR);
}

static bool verbs_watch_add(const struct verbs_watch *w, int fd)
{
    struct epoll_event readable = {.events = EPOLLIN};
    return epoll_ctl(w->both, EPOLL_CTL_ADD, fd, &readable) == 0;
}

static void verbs_watch_look_in(const struct verbs_watch *w, int seconds)
{
    const struct itimerspec when = {.it_value.tv_sec = seconds};
    timerfd_settime(w->timer, 0, &when, NULL);
}

static void verbs_watch_close_device(struct verbs_watch *w)
{
    ibv_close_device(w->context); // `both` forgets its descriptor
    w->context = NULL;
    verbs_watch_look_in(w, REOPEN_S);
}

// Follows the client to the device that the client has open now.
static void verbs_watch_look(struct verbs_watch *w)
{
    struct sa_status status;
    sa_client_status(w->client, &status);
    verbs_watch_look_in(w, status.open ? CHECK_S : REOPEN_S);
    if (w->context && (!status.open || strcmp(status.id.device, w->device) != 0)) {
        verbs_watch_close_device(w);
    } else if (!w->context && status.open) {
        w->context = verbs_watch_open_device(status.id.device);
        memcpy(w->device, status.id.device, sizeof w->device);
        if (w->context)
            verbs_watch_add(w, w->context->async_fd);
    }
}

void verbs_watch_process(struct verbs_watch *watch)
{
    uint64_t expired;
    if (watch->context && !verbs_watch_take_events(watch))
        verbs_watch_close_device(watch);
    if (read(watch->timer, &expired, sizeof expired) == sizeof expired)
        verbs_watch_look(watch);
}

struct verbs_watch *verbs_watch_new(struct sa_client *client, struct log *log)
{
    struct verbs_watch *w = memory_zeroed(1, sizeof *w);
    w->client = client;
    w->log = log;
    w->both = epoll_create1(EPOLL_CLOEXEC);
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (w->both >= 0 && w->timer >= 0 && verbs_watch_add(w, w->timer)) {
        verbs_watch_look(w);
        return w;
    }
    verbs_watch_free(w);
    return NULL;
}

void verbs_watch_free(struct verbs_watch *watch)
{
    if (!watch)
        return;
    if (watch->context)
        ibv_close_device(watch->context);
    if (watch->both >= 0)
        close(watch->both);
    if (watch->timer >= 0)
        close(watch->timer);
    free(watch);
}

int verbs_watch_fd(const struct verbs_watch *watch)
{
    return watch->both;
}

#else

struct verbs_watch *verbs_watch_new(struct sa_client *client, struct log *log)
{
    (void)client, (void)log;
    return NULL;
}

void verbs_watch_free(struct verbs_watch *watch)
{
    (void)watch;
}

int verbs_watch_fd(const struct verbs_watch *watch)
{
    (void)watch;
    return -1;
}

void verbs_watch_process(struct verbs_watch *watch)
{
    (void)watch;
}

#endif
