#include "ib/verbs_watch.h"

#ifdef IBTRAPD_HAVE_VERBS

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LOOK_MS = 5000 }; // which device the agent uses

struct verbs_watch {
    struct sa_agent *agent;
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

static void take_events(struct verbs_watch *w, struct ibv_context *context)
{
    struct ibv_async_event event;
    while (ibv_get_async_event(context, &event) == 0) {
        log_write(w->log, LOG_LEVEL_DEBUG, "adapter event: %s",
                  ibv_event_type_str(event.event_type));
        ibv_ack_async_event(&event);
        sa_agent_poke(w->agent);
    }
}

// Waits for events, or to look again; `context` may be NULL. False: it is to stop.
static bool await(struct verbs_watch *w, struct ibv_context *context)
{
    struct pollfd fds[] = {{.fd = w->stop, .events = POLLIN},
                           {.fd = context ? context->async_fd : -1, .events = POLLIN}};
    if (poll(fds, 2, LOOK_MS) > 0 && fds[1].revents != 0)
        take_events(w, context);
    return fds[0].revents == 0;
}

// Watches one device until the agent uses another one. False: it is to stop.
static bool watch_device(struct verbs_watch *w, const char *name)
{
    struct ibv_context *context = open_device(name);
    struct sa_status status;
    bool go_on;
    do {
        go_on = await(w, context);
        sa_agent_status(w->agent, &status);
    } while (go_on && status.open && strcmp(status.id.device, name) == 0);
    if (context)
        ibv_close_device(context);
    return go_on;
}

static void *run(void *arg)
{
    struct verbs_watch *w = arg;
    struct sa_status status;
    do {
        sa_agent_status(w->agent, &status);
    } while (status.open ? watch_device(w, status.id.device) : await(w, NULL));
    return NULL;
}

struct verbs_watch *verbs_watch_start(struct sa_agent *agent, struct log *log)
{
    struct verbs_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->agent = agent;
    w->log = log;
    w->stop = eventfd(0, EFD_CLOEXEC);
    if (w->stop >= 0 && pthread_create(&w->thread, NULL, run, w) == 0)
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

struct verbs_watch *verbs_watch_start(struct sa_agent *agent, struct log *log)
{
    (void)agent, (void)log;
    return NULL;
}

void verbs_watch_stop(struct verbs_watch *watch)
{
    (void)watch;
}

#endif
