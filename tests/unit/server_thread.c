// SPDX-License-Identifier: BSD-2-Clause
#include "server_thread.h"

#include "support.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct event_base *base;
static struct server *server;
static pthread_t thread;
static atomic_bool stop;

static void *serve(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(200);
    }
    return NULL;
}

void server_thread_start(const struct server_options *options)
{
    struct error err;
    struct server_options own = *options;
    base = own.base = event_base_new();
    server = server_start(&own, &err);
    assert_non_null(server);
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
}

void server_thread_stop(void)
{
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    server_stop(server);
    event_base_free(base);
}
