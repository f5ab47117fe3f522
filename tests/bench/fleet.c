// SPDX-License-Identifier: BSD-2-Clause
// Many gateways that keep their alarms in one topic and send their events to another one, in one
// process, with the receivers and the encoders of the gateway. The brokers have topics "alarms" and
// "events" of six partitions, or make them so, or are librdkafka's mock cluster. The mock keeps
// 5 MiB of a partition, whether or not the records are the last ones.
//
//   bench-fleet GATEWAYS ALARMS CHANGES_A_SECOND SECONDS OUTAGE_SECONDS [BROKERS [SETTING...]]
//
// All gateways start at once; then each has so many events a second, and each event changes an
// alarm; then all brokers are away for some time, at a hundredth of the rate. The program writes
// "brokers down" and "brokers up", and waits for a line each time that tells that it is so. At the
// end a consumer reads both topics. Prints a line for each phase.
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "control/handlers.h"
#include "driver.h"
#include "kafka/in_flight.h"
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

enum { THREADS = 4, PARTITIONS = 6, NAME_SIZE = 32, GATEWAYS_MAX = 1000, TRIES = 20 };

struct bench_gateway {
    char name[NAME_SIZE], fabric[NAME_SIZE];
    struct module_alarms list;
    struct sink sink;
    struct driver events;
    struct event *event; // that is sent now
    bool is_open;
    int64_t retry_at;
    atomic_uint_fast64_t due, told; // events: that happened; that the brokers confirmed
    atomic_ushort *changes;         // of each alarm; odd: the alarm is over
    atomic_uint_fast64_t change_count;
    pthread_mutex_t lock;
};

static struct bench_gateway *gateways;
static int gateway_count, alarm_count;
static struct conf_receiver receiver, event_receiver;
static const int64_t PAUSE_US = 3 * CLOCK_US_PER_S;
static atomic_uint_fast64_t documents, octets;

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

static void page_of(void *ctx, struct alarm_page *page)
{
    struct bench_gateway *g = ctx;
    page->count = 0;
    page->more = false;
    for (int i = (int)page->after; i < alarm_count && !page->more; i++) {
        if (g->changes[i] % 2 != 0)
            continue;
        page->more = page->count == page->room;
        if (!page->more)
            page->all[page->count++] = alarm_at(g, i);
    }
    if (page->count > 0)
        page->after = page->all[page->count - 1].event_sequence;
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
    struct sink events;
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
    static struct module_host hosts[GATEWAYS_MAX];
    hosts[i].alarms = &g->list;
    if (!ibtrapd_module.make(&g->sink, "kafka", g->name, &receiver, &hosts[i], &err) ||
        !ibtrapd_module.make(&events, "kafka", g->fabric, &event_receiver, &hosts[i], &err))
        abort();
    events.in_flight_max = KAFKA_IN_FLIGHT_MAX;
    g->events.sink = events;
    g->event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    snprintf(g->event->fabric, sizeof g->event->fabric, "%s", g->fabric);
}

// The event number n of a gateway, in its identifier.
static const char ID[] = "01a2222a-d83c-70bf-%04x-%012" PRIx64;

static bool send_events(struct bench_gateway *g, struct error *err)
{
    struct tickets *t = &g->events.tickets;
    enum sink_result result = SINK_PENDING;
    while (result == SINK_PENDING && t->count < KAFKA_IN_FLIGHT_MAX &&
           t->first + t->handed <= atomic_load(&g->due)) {
        const uint64_t n = t->first + t->handed;
        const struct alarm alarm = alarm_at(g, (int)((n * 7919) % (uint64_t)alarm_count));
        snprintf(g->event->id, sizeof g->event->id, ID, (unsigned)(g - gateways), n);
        snprintf(g->event->alarm_key, sizeof g->event->alarm_key, "%s", alarm.key);
        snprintf(g->event->text, sizeof g->event->text, "%s", alarm.text);
        result = driver_send(&g->events, g->event, err);
    }
    return result != SINK_FAILED;
}

static bool drive_events(struct bench_gateway *g, struct error *err)
{
    if (clock_now() < g->retry_at)
        return true;
    if (!g->is_open && !driver_open(&g->events, &g->events.sink, err)) {
        g->retry_at = clock_now() + CLOCK_US_PER_S;
        return false;
    }
    g->is_open = true;
    const bool sent = send_events(g, err);
    const int ended = sent ? driver_wait(&g->events, 0, err) : driver_ended(&g->events);
    if (ended > 0)
        atomic_fetch_add(&g->told, (uint64_t)ended);
    if (sent && ended >= 0)
        return true;
    atomic_fetch_add(&g->told, (uint64_t)driver_ended(&g->events));
    driver_close(&g->events);
    g->is_open = false;
    g->retry_at = clock_now() + CLOCK_US_PER_S;
    return false;
}

static void *keep(void *arg)
{
    const int first = (int)(intptr_t)arg;
    char said[200] = "";
    while (true) {
        for (int i = first; i < gateway_count; i += THREADS) {
            struct bench_gateway *g = &gateways[i];
            struct error err;
            struct sink_progress progress = {.failed = 0};
            pthread_mutex_lock(&g->lock);
            const bool ok = drive_events(g, &err) && g->sink.keep(g->sink.self, &progress, &err);
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
    atomic_fetch_add(&g->due, 1);
}

// Changes alarms of all gateways for some seconds.
static void change(int rate, int seconds)
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
}

static bool owes_events(void)
{
    bool owes = false;
    for (int i = 0; i < gateway_count; i++)
        owes |= atomic_load(&gateways[i].told) != atomic_load(&gateways[i].due);
    return owes;
}

// Until nothing was written for some seconds. On a machine that is slower than the gateways' own,
// a comparison is always under way.
static void await_settled(void)
{
    uint64_t before = UINT64_MAX;
    while (before != atomic_load(&documents) || before == 0 || owes_events()) {
        before = atomic_load(&documents);
        clock_sleep(PAUSE_US);
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

static uint64_t told_events(void)
{
    uint64_t n = 0;
    for (int i = 0; i < gateway_count; i++)
        n += atomic_load(&gateways[i].told);
    return n;
}

static void tell(const char *what, int64_t began, double cpu)
{
    long rss;
    const double now = used(&rss);
    printf("%s: %.0f s, %.0f s of processors, %" PRIuFAST64 " documents, %.0f MB, %" PRIu64
           " events; peak %ld MiB\n",
           what, (double)(clock_now() - began) / 1e6, now - cpu, atomic_load(&documents),
           (double)atomic_load(&octets) / 1e6, told_events(), rss / 1024);
    fflush(stdout);
}

// The consumer.

static rd_kafka_t *consumer_begin(void)
{
    char reason[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", receiver.kafka.brokers, NULL, 0);
    rd_kafka_conf_set(conf, "enable.partition.eof", "true", NULL, 0);
    for (size_t i = 0; i < CONF_SETTINGS_MAX && receiver.kafka.settings[i][0] != '\0'; i++) {
        char name[CONF_SETTING_SIZE];
        memcpy(name, receiver.kafka.settings[i], sizeof name);
        char *value = strchr(name, '=');
        *value = '\0';
        rd_kafka_conf_set(conf, name, value + 1, NULL, 0);
    }
    return rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, sizeof reason);
}

static void read_topic(const char *name, void (*each)(const rd_kafka_message_t *m))
{
    rd_kafka_t *client = consumer_begin();
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, name, NULL);
    for (int32_t p = 0; p < PARTITIONS; p++) {
        bool ended = false;
        rd_kafka_consume_start(topic, p, RD_KAFKA_OFFSET_BEGINNING);
        while (!ended) {
            rd_kafka_message_t *m = rd_kafka_consume(topic, p, 1000);
            ended = m && m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
            if (m && m->err == RD_KAFKA_RESP_ERR_NO_ERROR)
                each(m);
            if (m)
                rd_kafka_message_destroy(m);
        }
        rd_kafka_consume_stop(topic, p);
    }
}

// What a consumer has that keeps the last value of each key: counts live keys.
struct key {
    struct hash_node node;
    bool live;
};
static struct hash keys;
static size_t live_keys;

static void take_alarm(const rd_kafka_message_t *m)
{
    const uint64_t digest = hash_digest(&keys, m->key, m->key_len);
    struct hash_node *node = hash_find(&keys, digest);
    if (!node) {
        struct key *k = memory_zeroed(1, sizeof *k);
        hash_add(&keys, &k->node, digest);
        node = &k->node;
    }
    struct key *k = HASH_THING(node, struct key, node);
    live_keys += (size_t)(m->payload != NULL) - (size_t)k->live;
    k->live = m->payload != NULL;
}

// Which events a consumer has, by the numbers in their identifiers.
static uint8_t *seen[GATEWAYS_MAX];
static uint64_t distinct_events, repeated_events;

static void take_event(const rd_kafka_message_t *m)
{
    static const char BEGIN[] = "01a2222a-d83c-70bf-";
    const char *id = memmem(m->payload, m->len, BEGIN, sizeof BEGIN - 1);
    char text[40] = "";
    unsigned gateway = GATEWAYS_MAX;
    uint64_t n = 0;
    if (id && id + 36 <= (const char *)m->payload + m->len)
        memcpy(text, id, 36);
    if (sscanf(text + (id ? sizeof BEGIN - 1 : 0), "%4x-%12" SCNx64, &gateway, &n) != 2 ||
        gateway >= (unsigned)gateway_count || n > atomic_load(&gateways[gateway].due))
        abort();
    uint8_t *octet = &seen[gateway][n / 8];
    const uint8_t bit = (uint8_t)(1 << n % 8);
    repeated_events += (*octet & bit) != 0;
    distinct_events += (*octet & bit) == 0;
    *octet |= bit;
}

// Whether a consumer has what the gateways have. A document may still be under way.
static bool compare(void)
{
    uint64_t alarms = (uint64_t)gateway_count, events = 0; // with the documents of the gateways
    live_keys = distinct_events = repeated_events = 0;
    hash_init(&keys, 4000000, &random_system);
    for (int i = 0; i < gateway_count; i++) {
        const uint64_t due = atomic_load(&gateways[i].due);
        free(seen[i]);
        seen[i] = memory_zeroed(due / 8 + 1, 1);
        events += due;
        for (int k = 0; k < alarm_count; k++)
            alarms += gateways[i].changes[k] % 2 == 0;
    }
    read_topic(receiver.kafka.state_topic, take_alarm);
    read_topic(event_receiver.kafka.topic, take_event);
    printf("a consumer has %zu keys, the gateways have %" PRIu64 "\n", live_keys, alarms);
    printf("a consumer has %" PRIu64 " events, the gateways had %" PRIu64 "; %" PRIu64
           " came twice\n",
           distinct_events, events, repeated_events);
    fflush(stdout);
    return live_keys == alarms && distinct_events == events;
}

static rd_kafka_mock_cluster_t *make_cluster(void)
{
    char reason[200];
    rd_kafka_t *owner = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), reason, sizeof reason);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(owner, 3);
    rd_kafka_mock_topic_create(cluster, "alarms", PARTITIONS, 3);
    rd_kafka_mock_topic_create(cluster, "events", PARTITIONS, 3);
    return cluster;
}

static void set_brokers(rd_kafka_mock_cluster_t *cluster, bool up)
{
    char line[80];
    if (cluster) {
        (up ? rd_kafka_mock_broker_set_up : rd_kafka_mock_broker_set_down)(cluster, -1);
        return;
    }
    printf("brokers %s\n", up ? "up" : "down");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        abort();
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long rss;
    if (argc < 6)
        return EXIT_FAILURE;
    gateway_count = atoi(argv[1]);
    alarm_count = atoi(argv[2]);
    for (int i = 7; i < argc && i - 7 < CONF_SETTINGS_MAX; i++)
        snprintf(receiver.kafka.settings[i - 7], CONF_SETTING_SIZE, "%s", argv[i]);
    rd_kafka_mock_cluster_t *cluster = argc > 6 ? NULL : make_cluster();
    snprintf(receiver.kafka.brokers, sizeof receiver.kafka.brokers, "%s",
             cluster ? rd_kafka_mock_cluster_bootstraps(cluster) : argv[6]);
    receiver.kafka.state_refresh_s = 86400;
    event_receiver = receiver;
    event_receiver.kafka.format = FORMAT_JSON;
    strcpy(event_receiver.kafka.topic, "events");
    strcpy(receiver.kafka.state_topic, "alarms");
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
    change(atoi(argv[3]), atoi(argv[4]));
    await_settled();
    tell("storm", began, cpu);
    began = clock_now(), cpu = used(&rss);
    set_brokers(cluster, false);
    change((atoi(argv[3]) + 99) / 100, atoi(argv[5]));
    set_brokers(cluster, true);
    await_settled();
    tell("outage", began, cpu);
    bool same = false;
    for (int i = 0; i < TRIES && !same; i++) {
        await_settled();
        same = compare();
    }
    _exit(same ? EXIT_SUCCESS : EXIT_FAILURE);
}
