// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/producer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "sink/resolve.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Settings.

// Settings that are not the user's: settings of other items of the section, settings under the
// promises of this receiver, settings that load code, and settings that make up brokers. A name
// with a dot at its end stands for all names with this beginning.
static const char *const PRODUCER_OURS[] = {
    "acks",
    "bootstrap.servers",
    "delivery.report.only.error",
    "delivery.timeout.ms",
    PRODUCER_GAPLESS,
    "enable.idempotence",
    "enable.ssl.certificate.verification",
    "enabled_events",
    "internal.termination.signal",
    "log.queue",
    "message.send.max.retries",
    "message.timeout.ms",
    "metadata.broker.list",
    "plugin.library.paths",
    "request.required.acks",
    "retries",
    "sasl.",
    "security.protocol",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.",
    "ssl.crl.location",
    "ssl.endpoint.identification.algorithm",
    "ssl.engine.",
    "ssl.key.",
    "ssl.keystore.",
    "ssl.providers",
    "test.",
    "transactional.id",
    "ut_handle_ProduceResponse", // of librdkafka's own tests: an address to jump to
};

static bool producer_set(rd_kafka_conf_t *conf, const char *name, const char *value,
                         struct error *err)
{
    char reason[300];
    if (!value || value[0] == '\0' ||
        rd_kafka_conf_set(conf, name, value, reason, sizeof reason) == RD_KAFKA_CONF_OK)
        return true;
    return error_set(err, "librdkafka does not take '%s': %s", name,
                     strncmp(name, "sasl.", 5) == 0 ? "this build of it lacks it" : reason);
}

// librdkafka takes the settings of a topic with and without "topic." before them.
static bool producer_check(const char *full_name, struct error *err)
{
    const char *name = full_name + (strncmp(full_name, "topic.", 6) == 0 ? 6 : 0);
    for (size_t i = 0; i < sizeof PRODUCER_OURS / sizeof *PRODUCER_OURS; i++) {
        const char *ours = PRODUCER_OURS[i];
        const size_t length = strlen(ours);
        if (ours[length - 1] == '.' ? strncmp(name, ours, length) == 0 : strcmp(name, ours) == 0)
            return error_set(err,
                             "'%s' cannot be one of 'settings': the section's other items, or "
                             "ibtrapd's promises, decide it",
                             full_name);
    }
    return true;
}

// Asks librdkafka for the result, because a setting can be written in several ways.
static bool producer_check_partitioner(rd_kafka_conf_t *conf, const char *pair, struct error *err)
{
    char value[32] = "";
    size_t size = sizeof value;
    rd_kafka_conf_get(conf, "partitioner", value, &size);
    return strcmp(value, "random") != 0 ||
           error_set(err,
                     "'%s' cannot be one of 'settings': events with the same key have to come "
                     "to the same partition",
                     pair);
}

static bool producer_set_users(rd_kafka_conf_t *conf, const struct conf_kafka *o, struct error *err)
{
    for (size_t i = 0; i < CONF_SETTINGS_MAX; i++) {
        char name[CONF_SETTING_SIZE];
        const char *equals = strchr(o->settings[i], '=');
        if (!equals)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - o->settings[i]), o->settings[i]);
        if (!producer_check(name, err) || !producer_set(conf, name, equals + 1, err) ||
            !producer_check_partitioner(conf, o->settings[i], err))
            return false;
    }
    return true;
}

static bool producer_set_tls(rd_kafka_conf_t *conf, const struct conf_tls *tls, struct error *err)
{
    const char *key = tls->key_file[0] ? tls->key_file : tls->certificate_file;
    return producer_set(conf, "ssl.ca.location", tls->ca_file, err) &&
           producer_set(conf, "ssl.crl.location", tls->crl_file, err) &&
           producer_set(conf, "ssl.certificate.location", tls->certificate_file, err) &&
           producer_set(conf, "ssl.key.location", key, err) &&
           producer_set(conf, "ssl.endpoint.identification.algorithm", "https", err);
}

static bool producer_set_sasl(rd_kafka_conf_t *conf, const struct conf_kafka *o, struct error *err)
{
    return producer_set(conf, "sasl.mechanisms", word_name(WORDS_SASL, o->sasl), err) &&
           producer_set(conf, "sasl.username", o->user, err) &&
           producer_set(conf, "sasl.password", o->password, err);
}

// The defaults come first, the user's settings next, and fixed settings last.
static bool producer_set_all(rd_kafka_conf_t *conf, const struct conf_receiver *r, bool idempotent,
                             unsigned batch_size, struct error *err)
{
    const struct conf_kafka *o = &r->kafka;
    const bool uses_tls = r->transport == TRANSPORT_TLS, uses_sasl = o->sasl != CONF_SASL_NONE;
    char octets[12] = "", answer[12];
    snprintf(answer, sizeof answer, "%d", PRODUCER_ANSWER_MAX);
    if (batch_size > 0)
        snprintf(octets, sizeof octets, "%u", batch_size);
    static const char *const PROTOCOLS[2][2] = {{"plaintext", "sasl_plaintext"},
                                                {"ssl", "sasl_ssl"}};
    return producer_set(conf, "client.id", "ibtrapd", err) &&
           producer_set(conf, "partitioner", "murmur2_random", err) &&
           producer_set(conf, "topic.metadata.propagation.max.ms", "5000", err) &&
           producer_set(conf, "reconnect.backoff.max.ms", "2000", err) &&
           producer_set(conf, "receive.message.max.bytes", answer, err) &&
           producer_set(conf, "batch.size", octets, err) && producer_set_users(conf, o, err) &&
           producer_set(conf, "bootstrap.servers", o->brokers, err) &&
           producer_set(conf, "security.protocol", PROTOCOLS[uses_tls][uses_sasl], err) &&
           (!uses_tls || producer_set_tls(conf, &r->tls, err)) &&
           (!uses_sasl || producer_set_sasl(conf, o, err)) &&
           producer_set(conf, "acks", "all", err) &&
           producer_set(conf, "enable.idempotence", idempotent ? "true" : "false", err) &&
           // An event that fails stops later events, and no time-out of librdkafka fails an event.
           producer_set(conf, PRODUCER_GAPLESS, idempotent ? "true" : "false", err) &&
           producer_set(conf, "message.timeout.ms", "0", err) &&
           producer_set(conf, "log.queue", "true", err);
}

rd_kafka_conf_t *producer_settings(const struct conf_receiver *receiver, bool idempotent,
                                   unsigned batch_size, struct error *err)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (producer_set_all(conf, receiver, idempotent, batch_size, err))
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}

// Names.

// An address of getaddrinfo, in one piece.
struct producer_address {
    struct addrinfo info;
    struct sockaddr_storage storage;
};

static void producer_lookup_free(struct addrinfo *first)
{
    while (first) {
        struct addrinfo *next = first->ai_next;
        free(first); // the first member of a producer_address
        first = next;
    }
}

static void producer_lookup_add(struct addrinfo **end, const struct resolve_address *address,
                                const struct addrinfo *hints)
{
    struct producer_address *a = memory_zeroed(1, sizeof *a);
    a->storage = address->storage;
    a->info = (struct addrinfo){.ai_family = address->storage.ss_family,
                                .ai_socktype = hints->ai_socktype,
                                .ai_protocol = hints->ai_protocol,
                                .ai_addrlen = address->length,
                                .ai_addr = (struct sockaddr *)&a->storage};
    *end = &a->info;
}

// Looks up a broker's name for librdkafka, whose threads would otherwise wait for the system's
// resolver without end, and the end of the producer for these threads. The name is not found after
// `look_up_until`. In librdkafka's threads.
static int producer_on_resolve(const char *node, const char *service, const struct addrinfo *hints,
                               struct addrinfo **result, void *opaque)
{
    struct producer *c = opaque;
    const int64_t patience_us = atomic_load(&c->look_up_until) - clock_now();
    struct resolve_address all[RESOLVE_MAX];
    struct error err;
    if (!node) {
        producer_lookup_free(*result);
        return 0;
    }
    *result = NULL;
    if (patience_us <= 0)
        return EAI_AGAIN;
    const unsigned long port = service ? strtoul(service, NULL, 10) : 0;
    const size_t n =
        resolve_all_within(patience_us, node, (uint16_t)port, RESOLVE_AS_FOUND, all, &err);
    struct addrinfo **end = result;
    for (size_t i = 0; i < n; i++) {
        if (hints->ai_family != AF_UNSPEC && hints->ai_family != all[i].storage.ss_family)
            continue;
        producer_lookup_add(end, &all[i], hints);
        end = &(*end)->ai_next;
    }
    return *result ? 0 : EAI_NONAME;
}

// Clients.

// The clients that end. `changed`: one has ended.
static pthread_once_t producer_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t producer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t producer_changed;
static struct producer *producer_ending;
static unsigned producer_ending_count;

static void producer_init(void)
{
    clock_condition_init(&producer_changed);
}

// Under the lock.
static bool producer_is_ending(uint64_t owner)
{
    const struct producer *c = producer_ending;
    while (c && c->owner != owner)
        c = c->next;
    return c != NULL;
}

static bool producer_has_room(uint64_t owner)
{
    return !producer_is_ending(owner) && producer_ending_count < PRODUCER_ENDING_MAX;
}

static bool producer_has_ended(uint64_t owner)
{
    return !producer_is_ending(owner);
}

static bool producer_none_ends(uint64_t owner)
{
    (void)owner;
    return producer_ending_count == 0;
}

static bool producer_await(bool (*holds)(uint64_t owner), uint64_t owner, int64_t patience_us)
{
    pthread_once(&producer_once, producer_init);
    pthread_mutex_lock(&producer_lock);
    CLOCK_AWAIT(&producer_changed, &producer_lock, patience_us > 0 ? patience_us : 0, holds(owner));
    const bool held = holds(owner);
    pthread_mutex_unlock(&producer_lock);
    return held;
}

bool producer_await_former(uint64_t owner, int64_t until, const char *brokers, struct error *err)
{
    if (producer_await(producer_has_room, owner, until - clock_now()))
        return true;
    if (producer_await(producer_has_ended, owner, 0))
        return error_set(err,
                         "%d earlier clients of brokers have not ended yet: restart ibtrapd if "
                         "this lasts",
                         PRODUCER_ENDING_MAX);
    return error_set(err,
                     "the earlier client of %s has not ended yet: librdkafka still works on what a "
                     "broker sent, such as a number of SCRAM iterations that is far too high",
                     brokers);
}

// At the begin and end of librdkafka's threads, in these threads.

static rd_kafka_resp_err_t producer_count(struct producer *c, rd_kafka_thread_type_t type, int more)
{
    if (type != RD_KAFKA_THREAD_BROKER)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    atomic_fetch_add(&c->brokers, (unsigned)more);
    if (more > 0)
        answers_add(&c->told, PRODUCER_BROKER_TAKES);
    else
        answers_give_back(&c->told, PRODUCER_BROKER_TAKES);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t producer_on_thread(rd_kafka_t *handle, rd_kafka_thread_type_t type,
                                              const char *name, void *opaque)
{
    (void)handle, (void)name;
    return producer_count(opaque, type, 1);
}

static rd_kafka_resp_err_t producer_on_thread_end(rd_kafka_t *handle, rd_kafka_thread_type_t type,
                                                  const char *name, void *opaque)
{
    (void)handle, (void)name;
    return producer_count(opaque, type, -1);
}

// Holds librdkafka's thread until the receiver's thread has ended the client, and until librdkafka
// reads no answers any longer.
static void producer_hold(const struct producer *c)
{
    enum { STEP_US = 10000, END_US = 100000, HOLD_US = 5000000 };
    for (unsigned i = 0; i < HOLD_US / STEP_US && atomic_load(&c->sink); i++)
        clock_sleep(STEP_US);
    clock_sleep(END_US);
}

static _Atomic int64_t producer_next_large; // monotonic: the next large answer waits until then

// Lets the large answers of all clients be read one after the other, and none while the budget is
// half used: librdkafka makes the threads for all brokers of an answer before a client can be
// ended. False: the turn did not come, and the client counts as beyond the budget.
static bool producer_await_turn(struct producer *c, size_t size)
{
    enum { SMALL = 2048, BROKER = 64, STEP_US = 10000, WAIT_US = 5000000, US_AN_OCTET = 5 };
    const bool full = answers_are_full(ANSWERS_MAX / 2);
    bool waits = size > SMALL && (full || size > (size_t)atomic_load(&c->brokers) * BROKER);
    for (unsigned i = 0; waits && i < WAIT_US / STEP_US && atomic_load(&c->sink); i++) {
        const int64_t now = clock_now();
        int64_t next = atomic_load(&producer_next_large);
        waits = now < next || answers_are_full(ANSWERS_MAX / 2) ||
                !atomic_compare_exchange_strong(&producer_next_large, &next,
                                                now + (int64_t)size * US_AN_OCTET);
        if (waits)
            clock_sleep(STEP_US);
    }
    if (waits && atomic_load(&c->sink))
        answers_add(&c->told, ANSWERS_MAX);
    return !waits;
}

// Before librdkafka reads the answer. Only what answers to Metadata say stays in memory, up to the
// client's end.
static rd_kafka_resp_err_t producer_on_answer(rd_kafka_t *handle, int socket, const char *name,
                                              int32_t broker, int16_t request, int16_t version,
                                              int32_t number, size_t size, int64_t us,
                                              rd_kafka_resp_err_t err, void *opaque)
{
    enum { METADATA = 3 };
    struct producer *c = opaque;
    (void)handle, (void)socket, (void)name, (void)broker, (void)version, (void)number, (void)us;
    (void)err;
    if (request == METADATA) {
        const bool may_read = producer_await_turn(c, size);
        answers_add(&c->told, size * PRODUCER_ANSWER_TAKES);
        if (!may_read || answers_are_beyond(&c->told, ANSWERS_MAX))
            producer_hold(c);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t producer_on_new(rd_kafka_t *handle, const rd_kafka_conf_t *conf,
                                           void *opaque, char *reason, size_t size)
{
    (void)conf;
    (void)reason;
    (void)size;
    rd_kafka_interceptor_add_on_response_received(handle, "ibtrapd", producer_on_answer, opaque);
    rd_kafka_interceptor_add_on_thread_start(handle, "ibtrapd", producer_on_thread, opaque);
    return rd_kafka_interceptor_add_on_thread_exit(handle, "ibtrapd", producer_on_thread_end,
                                                   opaque);
}

static void producer_free(struct producer *producer)
{
    answers_end(&producer->told);
    values_free(&producer->values);
    free(producer);
}

struct producer *producer_begin(rd_kafka_conf_t *conf, rd_kafka_type_t type, void *sink,
                                uint64_t owner, int64_t look_up_until, struct error *err)
{
    char reason[300];
    struct producer *c = memory_zeroed(1, sizeof *c);
    answers_begin(&c->told);
    values_init(&c->values);
    atomic_init(&c->sink, sink);
    atomic_init(&c->look_up_until, look_up_until);
    c->owner = owner;
    rd_kafka_conf_set_opaque(conf, c);
    rd_kafka_conf_set_resolve_cb(conf, producer_on_resolve);
    rd_kafka_conf_interceptor_add_on_new(conf, "ibtrapd", producer_on_new, c);
    c->handle = rd_kafka_new(type, conf, reason, sizeof reason);
    if (c->handle)
        return c;
    rd_kafka_conf_destroy(conf);
    producer_free(c);
    error_set(err, "librdkafka: %s", reason);
    return NULL;
}

static void producer_remove(struct producer *producer)
{
    pthread_mutex_lock(&producer_lock);
    struct producer **link = &producer_ending;
    while (*link != producer)
        link = &(*link)->next;
    *link = producer->next;
    producer_free(producer);
    producer_ending_count--;
    pthread_cond_broadcast(&producer_changed);
    pthread_mutex_unlock(&producer_lock);
}

static void *producer_run_end(void *arg)
{
    struct producer *c = arg;
    rd_kafka_purge(c->handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                  RD_KAFKA_PURGE_F_NON_BLOCKING);
    rd_kafka_destroy(c->handle);
    producer_remove(c);
    return NULL;
}

bool producer_end(struct producer *producer, int64_t patience_us)
{
    pthread_t thread;
    const uint64_t owner = producer->owner;
    atomic_store(&producer->look_up_until, 0);
    atomic_store(&producer->sink, NULL);
    pthread_once(&producer_once, producer_init);
    pthread_mutex_lock(&producer_lock);
    producer->next = producer_ending;
    producer_ending = producer;
    producer_ending_count++;
    pthread_mutex_unlock(&producer_lock);
    if (thread_start(&thread, "kafka ends", producer_run_end, producer) == 0)
        pthread_detach(thread);
    else
        producer_run_end(producer);
    return producer_await(producer_has_ended, owner, patience_us);
}

bool producer_settle(int64_t patience_us)
{
    return producer_await(producer_none_ends, 0, patience_us);
}
