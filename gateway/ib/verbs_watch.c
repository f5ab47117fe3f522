// SPDX-License-Identifier: BSD-2-Clause
#include "ib/verbs_watch.h"

#include "base/thread.h"

#ifdef IBTRAPD_HAVE_VERBS

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The time until it checks again which device the SA client uses, or tries again to open one that
// cannot be opened; and until it looks for one while there is none.
enum { CHECK_MS = 5000, REOPEN_MS = 1000 };

struct verbs_watch {
    struct sa_client *client;
    struct log *log;
    pthread_t thread;
    int stop; // an eventfd, set at the end
};

static struct ibv_context *open_device(const char *name)
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

// False: the device has failed or is gone, so that no further events follow.
static bool handle_events(struct verbs_watch *w, struct ibv_context *context)
{
    struct ibv_async_event event;
    bool alive = true;
    while (ibv_get_async_event(context, &event) == 0) {
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

// False: the thread has to stop.
static bool pause_for(struct verbs_watch *w, int ms)
{
    struct pollfd stop = {.fd = w->stop, .events = POLLIN};
    poll(&stop, 1, ms);
    return stop.revents == 0;
}

static bool is_used(struct verbs_watch *w, const char *name)
{
    struct sa_status status;
    sa_client_status(w->client, &status);
    return status.open && strcmp(status.id.device, name) == 0;
}

// Handles the events of one device until it fails, the SA client uses another one, or the thread
// has to stop.
static void verbs_watch_wait(struct verbs_watch *w, struct ibv_context *context, const char *name)
{
    struct pollfd fds[] = {{.fd = w->stop, .events = POLLIN},
                           {.fd = context->async_fd, .events = POLLIN}};
    bool alive = true;
    do {
        if (poll(fds, 2, CHECK_MS) > 0 && fds[1].revents != 0)
            alive = handle_events(w, context);
    } while (alive && fds[0].revents == 0 && is_used(w, name));
}

static void *verbs_watch_run(void *arg)
{
    struct verbs_watch *w = arg;
    struct sa_status status;
    bool failed;
    do {
        sa_client_status(w->client, &status);
        struct ibv_context *context = status.open ? open_device(status.id.device) : NULL;
        if (context) {
            verbs_watch_wait(w, context, status.id.device);
            ibv_close_device(context);
        }
        failed = status.open && !context;
    } while (pause_for(w, failed ? CHECK_MS : REOPEN_MS));
    return NULL;
}

struct verbs_watch *verbs_watch_start(struct sa_client *client, struct log *log)
{
    struct verbs_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->client = client;
    w->log = log;
    w->stop = eventfd(0, EFD_CLOEXEC);
    if (w->stop >= 0 && thread_start(&w->thread, "adapter", verbs_watch_run, w) == 0)
        return w;
    if (w->stop >= 0)
        close(w->stop);
    free(w);
    return NULL;
}

void verbs_watch_stop(struct verbs_watch *watch)
{
    if (!watch)
        return;
    eventfd_write(watch->stop, 1);
    pthread_join(watch->thread, NULL);
    close(watch->stop);
    free(watch);
}

#else

struct verbs_watch *verbs_watch_start(struct sa_client *client, struct log *log)
{
    (void)client, (void)log;
    return NULL;
}

void verbs_watch_stop(struct verbs_watch *watch)
{
    (void)watch;
}

#endif
