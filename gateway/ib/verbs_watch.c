#include "ib/verbs_watch.h"

#ifdef IBTRAPD_HAVE_VERBS

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_MS = 500 };

struct verbs_watch {
    struct sa_agent *agent;
    struct log *log;
    pthread_t thread;
    atomic_bool stop;
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

// Watches one device until the agent uses another one.
static void watch_device(struct verbs_watch *w, const char *name)
{
    struct ibv_context *context = open_device(name);
    struct sa_status status;
    do {
        struct pollfd fd = {.fd = context ? context->async_fd : -1, .events = POLLIN};
        if (poll(&fd, 1, LOOK_MS) > 0)
            take_events(w, context);
        sa_agent_status(w->agent, &status);
    } while (!atomic_load(&w->stop) && status.open && strcmp(status.id.device, name) == 0);
    if (context)
        ibv_close_device(context);
}

static void *run(void *arg)
{
    struct verbs_watch *w = arg;
    while (!atomic_load(&w->stop)) {
        struct sa_status status;
        sa_agent_status(w->agent, &status);
        if (status.open)
            watch_device(w, status.id.device);
        else
            nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    return NULL;
}

struct verbs_watch *verbs_watch_start(struct sa_agent *agent, struct log *log)
{
    struct verbs_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->agent = agent;
    w->log = log;
    if (pthread_create(&w->thread, NULL, run, w) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

void verbs_watch_stop(struct verbs_watch *watch)
{
    if (!watch)
        return;
    atomic_store(&watch->stop, true);
    pthread_join(watch->thread, NULL);
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
