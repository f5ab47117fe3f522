// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/client.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kafka/lookup.h"

#include <pthread.h>
#include <stdlib.h>

// The clients that end. `changed`: one has ended.
static pthread_once_t client_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t client_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t client_changed;
static struct client *client_ending;
static unsigned client_ending_count;

static void client_init(void)
{
    clock_condition_init(&client_changed);
}

// Under the lock.
static bool client_is_ending(uint64_t owner)
{
    const struct client *c = client_ending;
    while (c && c->owner != owner)
        c = c->next;
    return c != NULL;
}

static bool client_has_room(uint64_t owner)
{
    return !client_is_ending(owner) && client_ending_count < CLIENT_ENDING_MAX;
}

static bool client_has_ended(uint64_t owner)
{
    return !client_is_ending(owner);
}

static bool client_none_ends(uint64_t owner)
{
    (void)owner;
    return client_ending_count == 0;
}

static bool client_await(bool (*holds)(uint64_t owner), uint64_t owner, int64_t patience_us)
{
    const struct timespec deadline = clock_deadline(patience_us > 0 ? patience_us : 0);
    int rc = 0;
    pthread_once(&client_once, client_init);
    pthread_mutex_lock(&client_lock);
    while (!holds(owner) && rc == 0)
        rc = pthread_cond_timedwait(&client_changed, &client_lock, &deadline);
    const bool held = holds(owner);
    pthread_mutex_unlock(&client_lock);
    return held;
}

bool client_await_former(uint64_t owner, int64_t until, const char *brokers, struct error *err)
{
    if (client_await(client_has_room, owner, until - clock_monotonic(&clock_system)))
        return true;
    if (client_await(client_has_ended, owner, 0))
        return error_set(err,
                         "%d earlier clients of brokers have not ended yet: restart ibtrapd if "
                         "this lasts",
                         CLIENT_ENDING_MAX);
    return error_set(err,
                     "the earlier client of %s has not ended yet: librdkafka still works on what a "
                     "broker sent, such as a number of SCRAM iterations that is far too high",
                     brokers);
}

// In librdkafka's threads.
static int client_on_resolve(const char *node, const char *service, const struct addrinfo *hints,
                             struct addrinfo **result, void *opaque)
{
    struct client *c = opaque;
    return lookup_resolve(node, service, hints, result,
                          atomic_load(&c->look_up_until) - clock_monotonic(&clock_system));
}

// In librdkafka's threads, as they begin and end.

static rd_kafka_resp_err_t client_on_thread(rd_kafka_t *handle, rd_kafka_thread_type_t type,
                                            const char *name, void *opaque)
{
    struct client *c = opaque;
    (void)handle;
    (void)name;
    if (type == RD_KAFKA_THREAD_BROKER)
        atomic_fetch_add(&c->brokers, 1);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t client_on_thread_end(rd_kafka_t *handle, rd_kafka_thread_type_t type,
                                                const char *name, void *opaque)
{
    struct client *c = opaque;
    (void)handle;
    (void)name;
    if (type == RD_KAFKA_THREAD_BROKER)
        atomic_fetch_sub(&c->brokers, 1);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t client_on_new(rd_kafka_t *handle, const rd_kafka_conf_t *conf,
                                         void *opaque, char *reason, size_t size)
{
    (void)conf;
    (void)reason;
    (void)size;
    rd_kafka_interceptor_add_on_thread_start(handle, "ibtrapd", client_on_thread, opaque);
    return rd_kafka_interceptor_add_on_thread_exit(handle, "ibtrapd", client_on_thread_end, opaque);
}

static void client_free(struct client *client)
{
    values_free(&client->values);
    free(client);
}

struct client *client_begin(rd_kafka_conf_t *conf, void *sink, uint64_t owner,
                            int64_t look_up_until, struct error *err)
{
    char reason[300];
    struct client *c = memory_zeroed(1, sizeof *c);
    values_init(&c->values);
    atomic_init(&c->sink, sink);
    atomic_init(&c->look_up_until, look_up_until);
    c->owner = owner;
    rd_kafka_conf_set_opaque(conf, c);
    rd_kafka_conf_set_resolve_cb(conf, client_on_resolve);
    rd_kafka_conf_interceptor_add_on_new(conf, "ibtrapd", client_on_new, c);
    c->handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    if (c->handle)
        return c;
    rd_kafka_conf_destroy(conf);
    client_free(c);
    error_set(err, "librdkafka: %s", reason);
    return NULL;
}

static void client_remove(struct client *client)
{
    pthread_mutex_lock(&client_lock);
    struct client **link = &client_ending;
    while (*link != client)
        link = &(*link)->next;
    *link = client->next;
    client_free(client);
    client_ending_count--;
    pthread_cond_broadcast(&client_changed);
    pthread_mutex_unlock(&client_lock);
}

static void *client_run_end(void *arg)
{
    struct client *c = arg;
    rd_kafka_purge(c->handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                  RD_KAFKA_PURGE_F_NON_BLOCKING);
    rd_kafka_destroy(c->handle);
    client_remove(c);
    return NULL;
}

bool client_end(struct client *client, int64_t patience_us)
{
    pthread_t thread;
    const uint64_t owner = client->owner;
    atomic_store(&client->look_up_until, 0);
    atomic_store(&client->sink, NULL);
    pthread_once(&client_once, client_init);
    pthread_mutex_lock(&client_lock);
    client->next = client_ending;
    client_ending = client;
    client_ending_count++;
    pthread_mutex_unlock(&client_lock);
    if (thread_start(&thread, "kafka ends", client_run_end, client) == 0)
        pthread_detach(thread);
    else
        client_run_end(client);
    return client_await(client_has_ended, owner, patience_us);
}

bool client_settle(int64_t patience_us)
{
    return client_await(client_none_ends, 0, patience_us);
}
