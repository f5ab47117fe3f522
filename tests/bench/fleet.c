// SPDX-License-Identifier: BSD-2-Clause
// Many gateways that keep their alarms in one topic, in one process, with the receiver and the
// encoder of the gateway, and the given brokers, which have a topic "alarms", or librdkafka's mock
// cluster. The mock keeps 5 MiB of a partition, whether or not the records are the last ones.
//
//   bench-fleet GATEWAYS ALARMS CHANGES_A_SECOND SECONDS OUTAGE_SECONDS [BROKERS [SETTING...]]
//
// All gateways start at once; then each changes alarms at that rate; then all brokers are away for
// some time while alarms change (without BROKERS only); at the end a consumer that keeps the last
// value of each key counts the keys. Prints a line for each phase.
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "control/handlers.h"
#include "kafka/options.h"
#include "sink/module.h"

#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 4, PARTITIONS = 6, NAME_SIZE = 32 };

struct bench_gateway {
    char name[NAME_SIZE], fabric[NAME_SIZE];
    struct module_alarms list;
    struct sink sink;
    uint16_t *changes; // of each alarm; odd: the alarm is over
    atomic_uint_fast64_t change_count;
    pthread_mutex_t lock;
};

static struct bench_gateway *gateways;
static int gateway_count, alarm_count;
static struct kafka_options options;
static atomic_bool stop;
static atomic_uint_fast64_t documents, octets;
static char settings[KAFKA_SETTINGS_MAX][KAFKA_SETTING_SIZE];

static struct module_alarms_state state_of(void *ctx)
{
    struct bench_gateway *g = ctx;
    return (struct module_alarms_state){.is_whole = true, .changes = atomic_load(&g->change_count)};
}

static struct alarm alarm_at(const struct bench_gateway *g, int i)
{
    struct alarm a = {.event_sequence = i + 1,
                      .count = g->changes[i] + 1,
                      .severity = SEVERITY_WARNING,
                      .category = CATEGORY_LINK,
                      .raised_us = INT64_C(1790000000000000),
                      .last_us = INT64_C(1790000000000000)};
    snprintf(a.key, sizeof a.key, "link 0x%016x/%d-0x%016x/%d", 0x1000 + i, i % 40, 0x2000 + i,
             i % 36);
    snprintf(a.event_id, sizeof a.event_id, "01a2222a-d83c-70bf-9b9f-%012x", (unsigned)i);
    snprintf(a.type, sizeof a.type, "link-down");
    snprintf(a.text, sizeof a.text,
             "Port %d of leaf%d (LID %d) to port 1 of node%d (LID %d) went down.", i % 40, i / 40,
             i / 40, i, i + 1000);
    return a;
}

static bool page_of(void *ctx, int64_t after, size_t n,
                    void (*each)(void *ctx, const struct alarm *alarm), void *each_ctx)
{
    struct bench_gateway *g = ctx;
    for (int i = (int)after; i < alarm_count; i++) {
        if (g->changes[i] % 2 != 0)
            continue;
        if (n-- == 0)
            return true;
        const struct alarm a = alarm_at(g, i);
        each(each_ctx, &a);
    }
    return false;
}

static char *document_of(void *ctx, const struct alarm *alarm)
{
    const struct bench_gateway *g = ctx;
    struct event *event = event_make(catalogue_find(alarm->type));
    event->subject.node_guid = 0x1000 + (uint64_t)alarm->event_sequence;
    event->peer.node_guid = 0x2000 + (uint64_t)alarm->event_sequence;
    snprintf(event->subject.name, sizeof event->subject.name, "leaf%" PRId64,
             alarm->event_sequence / 40);
    snprintf(event->peer.name, sizeof event->peer.name, "node%" PRId64, alarm->event_sequence);
    json_t *o = alarm_answers_document(alarm, event, g->fabric, g->name);
    char *text = memory_need(json_dumps(o, JSON_COMPACT));
    json_decref(o);
    event_unref(event);
    atomic_fetch_add(&documents, 1);
    atomic_fetch_add(&octets, strlen(text));
    return text;
}

static char *heartbeat_of(void *ctx)
{
    char text[100];
    snprintf(text, sizeof text, "{\"gateway\":\"%s\"}", ((struct bench_gateway *)ctx)->name);
    return memory_copy(text);
}

static bool hear(void *ctx, const char *gateway, const char *heartbeat, size_t size)
{
    (void)ctx, (void)gateway, (void)heartbeat, (void)size;
    return false;
}

static void begin(struct bench_gateway *g, int i)
{
    struct error err;
    snprintf(g->name, sizeof g->name, "gw%d", i);
    snprintf(g->fabric, sizeof g->fabric, "fabric-%d", i);
    g->changes = memory_zeroed((size_t)alarm_count, sizeof *g->changes);
    pthread_mutex_init(&g->lock, NULL);
    g->list = (struct module_alarms){.state = state_of,
                                     .page = page_of,
                                     .document = document_of,
                                     .heartbeat = heartbeat_of,
                                     .heard = hear,
                                     .gateway = g->name,
                                     .fabric_name = g->fabric,
                                     .ctx = g};
    static struct module_host hosts[1000];
    hosts[i].alarms = &g->list;
    if (!ibtrapd_module.make(&g->sink, "kafka", g->name, &options, &hosts[i], &err))
        abort();
}

static void *keep(void *arg)
{
    const int first = (int)(intptr_t)arg;
    char said[200] = "";
    while (!atomic_load(&stop)) {
        for (int i = first; i < gateway_count; i += THREADS) {
            struct bench_gateway *g = &gateways[i];
            struct error err;
            bool is_busy = true;
            pthread_mutex_lock(&g->lock);
            const bool ok = g->sink.keep(g->sink.self, &is_busy, &err);
            pthread_mutex_unlock(&g->lock);
            if (!ok && strcmp(said, err.text) != 0 &&
                snprintf(said, sizeof said, "%s", err.text) > 0)
                fprintf(stderr, "%s: %s\n", g->name, err.text);
        }
        clock_sleep(1000);
    }
    return NULL;
}

static void change_alarm(struct bench_gateway *g, size_t i)
{
    g->changes[i]++;
    atomic_fetch_add(&g->change_count, 1);
}

// Changes alarms of all gateways for some seconds. Returns how many.
static uint64_t change(int rate, int seconds)
{
    uint64_t n = 0;
    const int64_t began = clock_now(), until = began + seconds * CLOCK_US_PER_S;
    while (clock_now() < until) {
        const uint64_t due = (uint64_t)((clock_now() - began) / 1000) * (uint64_t)rate / 1000;
        for (; n < due; n++) {
            for (int i = 0; i < gateway_count; i++)
                change_alarm(&gateways[i], (n * 7919) % (uint64_t)alarm_count);
        }
        clock_sleep(10000);
    }
    return n * (uint64_t)gateway_count;
}

// Until nothing was written for some seconds. On a machine that is slower than the gateways' own,
// a comparison is always under way.
static void await_settled(void)
{
    uint64_t before = UINT64_MAX;
    while (before != atomic_load(&documents)) {
        before = atomic_load(&documents);
        clock_sleep(8 * CLOCK_US_PER_S);
    }
}

static double used(long *rss_kib)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *rss_kib = usage.ru_maxrss;
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void tell(const char *what, int64_t began, double cpu)
{
    long rss;
    const double now = used(&rss);
    printf("%s: %.0f s, %.0f s of processors, %" PRIuFAST64 " documents, %.0f MB; peak %ld MiB\n",
           what, (double)(clock_now() - began) / 1e6, now - cpu, atomic_load(&documents),
           (double)atomic_load(&octets) / 1e6, rss / 1024);
    fflush(stdout);
}

// What a consumer has that keeps the last value of each key: counts live keys, and those that the
// gateways should have.
struct key {
    struct hash_node node;
    bool live;
};

static size_t count_live(const char *brokers)
{
    char reason[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers, NULL, 0);
    rd_kafka_conf_set(conf, "enable.partition.eof", "true", NULL, 0);
    for (size_t i = 0; i < KAFKA_SETTINGS_MAX && settings[i][0] != '\0'; i++) {
        char *value = strchr(settings[i], '=');
        *value = '\0';
        rd_kafka_conf_set(conf, settings[i], value + 1, NULL, 0);
        *value = '=';
    }
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, sizeof reason);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, options.state_topic, NULL);
    struct hash keys;
    size_t live = 0;
    hash_init(&keys, 4000000, &random_system);
    for (int32_t p = 0; p < PARTITIONS; p++) {
        bool ended = false;
        rd_kafka_consume_start(topic, p, RD_KAFKA_OFFSET_BEGINNING);
        while (!ended) {
            rd_kafka_message_t *m = rd_kafka_consume(topic, p, 1000);
            ended = m && m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
            if (m && m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
                const uint64_t digest = hash_digest(&keys, m->key, m->key_len);
                struct hash_node *node = hash_find(&keys, digest);
                if (!node) {
                    struct key *k = memory_zeroed(1, sizeof *k);
                    hash_add(&keys, &k->node, digest);
                    node = &k->node;
                }
                struct key *k = HASH_THING(node, struct key, node);
                live += (size_t)(m->payload != NULL) - (size_t)k->live;
                k->live = m->payload != NULL;
            }
            if (m)
                rd_kafka_message_destroy(m);
        }
        rd_kafka_consume_stop(topic, p);
    }
    return live;
}

static size_t count_expected(void)
{
    size_t n = (size_t)gateway_count; // their own documents
    for (int i = 0; i < gateway_count; i++) {
        for (int k = 0; k < alarm_count; k++)
            n += gateways[i].changes[k] % 2 == 0;
    }
    return n;
}

int main(int argc, char **argv)
{
    char reason[200];
    pthread_t threads[THREADS];
    long rss;
    if (argc < 6)
        return EXIT_FAILURE;
    gateway_count = atoi(argv[1]);
    alarm_count = atoi(argv[2]);
    rd_kafka_t *owner = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), reason, sizeof reason);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(owner, 3);
    rd_kafka_mock_topic_create(cluster, "alarms", PARTITIONS, 3);
    for (int i = 7; i < argc && i - 7 < KAFKA_SETTINGS_MAX; i++)
        snprintf(settings[i - 7], sizeof settings[0], "%s", argv[i]);
    options = (struct kafka_options){
        .brokers = argc > 6 ? argv[6] : rd_kafka_mock_cluster_bootstraps(cluster),
        .topic = "",
        .state_topic = "alarms",
        .state_refresh_s = 86400,
        .settings = settings,
        .setting_count = KAFKA_SETTINGS_MAX};
    gateways = memory_zeroed((size_t)gateway_count, sizeof *gateways);
    for (int i = 0; i < gateway_count; i++)
        begin(&gateways[i], i);
    int64_t began = clock_now();
    double cpu = used(&rss);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, keep, (void *)(intptr_t)i);
    await_settled();
    tell("all start at once", began, cpu);
    began = clock_now(), cpu = used(&rss);
    uint64_t n = change(atoi(argv[3]), atoi(argv[4]));
    await_settled();
    printf("%" PRIu64 " changes\n", n);
    tell("storm", began, cpu);
    began = clock_now(), cpu = used(&rss);
    rd_kafka_mock_broker_set_down(cluster, -1);
    n = argc > 6 ? 0 : change(atoi(argv[3]), atoi(argv[5]));
    rd_kafka_mock_broker_set_up(cluster, -1);
    await_settled();
    printf("%" PRIu64 " changes\n", n);
    tell("outage", began, cpu);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const size_t live = count_live(options.brokers), expected = count_expected();
    printf("a consumer has %zu keys, the gateways have %zu\n", live, expected);
    fflush(stdout);
    _exit(live == expected ? EXIT_SUCCESS : EXIT_FAILURE);
}
