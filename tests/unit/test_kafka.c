// SPDX-License-Identifier: BSD-2-Clause
// The kind `kafka` against librdkafka's mock cluster: the arriving messages, their order, and the
// sentences when they do not arrive. The consumer is librdkafka's.
#include "driver.h"
#include "support.h"

#include "kafka/in_flight.h"
#include "kafka/producer.h"
#include "kafka/topic.h"
#include "model/catalogue.h"
#include "sink/module.h"

#include <arpa/inet.h>
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <netdb.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BROKERS = 3,
    PARTITIONS = 4,
    PRODUCE = 0,
    INIT_PRODUCER_ID = 22,
    KEYS = 7,
    EVENTS_MAX = 4000,
    FEW = 600,
    CHANGE_EVERY = 80,
    ATTEMPTS = 5,
    MANY = 40,
    TOGETHER = 20,
    UNDER_WAY = 5 // requests of an idempotent producer
};

// A call that waits for what does not come waits for ever, or for librdkafka's own limits: 30 s and
// more.
static const int64_t PATIENCE_US = 300 * CLOCK_US_PER_S, CALL_US = 25 * CLOCK_US_PER_S;
static const char TOPIC[] = "ibtrapd";

static rd_kafka_t *cluster_client;
static rd_kafka_mock_cluster_t *cluster;
static char bootstraps[1024];
static struct conf_receiver receiver;
static struct conf_kafka *const options = &receiver.kafka;
static char (*const settings)[CONF_SETTING_SIZE] = receiver.kafka.settings;
#define SET(member, text) snprintf(options->member, sizeof options->member, "%s", text)

static struct sink sink;
static struct driver driver, other_driver;
static struct error err;
static struct event *events[EVENTS_MAX];

static int64_t now(void)
{
    return clock_monotonic(&clock_system);
}

static rd_kafka_t *latest_producer; // the sink's, once it is open

rd_kafka_t *__real_rd_kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, char *reason,
                                size_t size);
rd_kafka_t *__wrap_rd_kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, char *reason,
                                size_t size);

rd_kafka_t *__wrap_rd_kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, char *reason,
                                size_t size)
{
    rd_kafka_t *made = __real_rd_kafka_new(type, conf, reason, size);
    if (type == RD_KAFKA_PRODUCER)
        latest_producer = made;
    return made;
}

// The function that librdkafka calls for news. A test can call the function, too.

static void (*tell)(rd_kafka_t *client, int code, const char *reason, void *opaque);

typedef void error_callback(rd_kafka_t *client, int code, const char *reason, void *opaque);

void __real_rd_kafka_conf_set_error_cb(rd_kafka_conf_t *conf, error_callback *callback);
void __wrap_rd_kafka_conf_set_error_cb(rd_kafka_conf_t *conf, error_callback *callback);

void __wrap_rd_kafka_conf_set_error_cb(rd_kafka_conf_t *conf, error_callback *callback)
{
    tell = callback;
    __real_rd_kafka_conf_set_error_cb(conf, callback);
}

// The ends of the sinks' clients, which a test can hold up; whether a thread can be made.

static atomic_bool ends_wait;
static bool threads_short;

void __real_rd_kafka_destroy(rd_kafka_t *client);
void __wrap_rd_kafka_destroy(rd_kafka_t *client);
int __real_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);
int __wrap_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

void __wrap_rd_kafka_destroy(rd_kafka_t *client)
{
    while (atomic_load(&ends_wait))
        usleep(1000);
    __real_rd_kafka_destroy(client);
}

int __wrap_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    return threads_short ? EAGAIN : __real_thread_start(thread, name, run, arg);
}

// The handles of topics: how many there are, and how many times more librdkafka has none.

static int topics_held;
static unsigned topics_failing;

rd_kafka_topic_t *__real_rd_kafka_topic_new(rd_kafka_t *client, const char *name,
                                            rd_kafka_topic_conf_t *conf);
rd_kafka_topic_t *__wrap_rd_kafka_topic_new(rd_kafka_t *client, const char *name,
                                            rd_kafka_topic_conf_t *conf);
void __real_rd_kafka_topic_destroy(rd_kafka_topic_t *topic);
void __wrap_rd_kafka_topic_destroy(rd_kafka_topic_t *topic);

rd_kafka_topic_t *__wrap_rd_kafka_topic_new(rd_kafka_t *client, const char *name,
                                            rd_kafka_topic_conf_t *conf)
{
    // librdkafka itself refuses a name of too many characters.
    char long_name[1000] = "";
    memset(long_name, 'x', sizeof long_name - 1);
    const bool fails = topics_failing > 0;
    topics_failing -= fails;
    rd_kafka_topic_t *made = __real_rd_kafka_topic_new(client, fails ? long_name : name, conf);
    topics_held += made != NULL;
    return made;
}

void __wrap_rd_kafka_topic_destroy(rd_kafka_topic_t *topic)
{
    topics_held--;
    __real_rd_kafka_topic_destroy(topic);
}

// The resolver: a name under ".late" is not there, and once `names_wait_from` has come (monotonic;
// 0: never), nobody learns this.

static _Atomic int64_t names_wait_from;
static atomic_uint names_that_wait;

int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found);

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found)
{
    int64_t from = atomic_load(&names_wait_from);
    if (!strstr(node, ".late") || hints->ai_flags & AI_NUMERICHOST)
        return __real_getaddrinfo(node, service, hints, found);
    names_that_wait += from != 0 && now() >= from;
    while ((from = atomic_load(&names_wait_from)) != 0 && now() >= from)
        usleep(10000);
    return EAI_NONAME;
}

// The events: link-down with one of some keys, numbered by their identifiers.

static struct event *make_event(unsigned number)
{
    struct event *e = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_non_null(e);
    snprintf(e->id, sizeof e->id, "%08u-0000-7000-8000-000000000000", number);
    e->time_us = SUPPORT_UTC_US;
    e->subnet_prefix = UINT64_C(0xfe80000000000000);
    snprintf(e->alarm_key, sizeof e->alarm_key, "link %u", number % KEYS);
    snprintf(e->text, sizeof e->text, "Link %u went down.", number % KEYS);
    return e;
}

// The engine in short: sends all events, again after a failure, and gives up what is refused.

struct run {
    atomic_uint failures; // another thread reads it
    unsigned given_up;
    char last[sizeof err.text];          // the sentence of the last failure
    void (*between)(unsigned confirmed); // called after each wait; NULL: nothing
};

static void fail_once(struct run *run, int refused, unsigned *first, unsigned *refusals)
{
    run->failures++;
    snprintf(run->last, sizeof run->last, "%s", err.text);
    if (refused < 0 || ++*refusals < ATTEMPTS)
        return;
    assert_int_equal(refused, 0); // the tests' events go alone then
    run->given_up++;
    *refusals = 0;
    ++*first;
    driver_give_up(&driver);
}

static bool open_in_time(struct run *run)
{
    const int64_t began = now();
    const bool ok = driver_open(&driver, &sink, &err);
    assert_true(now() - began < CALL_US);
    if (!ok) {
        run->failures++;
        snprintf(run->last, sizeof run->last, "%s", err.text);
    }
    return ok;
}

static void close_in_time(void)
{
    const int64_t began = now();
    driver_close(&driver);
    assert_true(now() - began < CALL_US);
}

static void deliver(unsigned count, struct run *run)
{
    const int64_t until = now() + PATIENCE_US;
    unsigned first = 0, next = 0, refusals = 0;
    bool is_open = false;
    while (first < count && now() < until) {
        enum sink_result result = SINK_BLOCKED;
        if (!is_open && !(is_open = open_in_time(run)))
            continue;
        while (next < count && next - first < sink.in_flight_max &&
               (result = driver_send(&driver, events[next], &err)) == SINK_PENDING)
            next++;
        const int n = result == SINK_FAILED ? -1 : driver_wait(&driver, 20, &err);
        first += n > 0 ? (unsigned)n : 0;
        if (n < 0) {
            fail_once(run, driver_refused(&driver), &first, &refusals);
            close_in_time();
            is_open = false;
            next = first;
        } else if (run->between) {
            run->between(first);
        }
    }
    if (is_open)
        close_in_time();
    if (first < count)
        fail_msg("%u of %u were delivered; %s", first, count, run->last);
}

// The consumer.

struct seen {
    unsigned count, doubles; // different events; further ones
    bool had[EVENTS_MAX];
    unsigned highest[KEYS]; // number of the last new event of each key, plus 1
    bool disordered;
};

static rd_kafka_t *consume(const char *topic)
{
    char reason[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", bootstraps, NULL, 0);
    rd_kafka_conf_set(conf, "group.id", "tests", NULL, 0);
    rd_kafka_conf_set(conf, "auto.offset.reset", "earliest", NULL, 0);
    rd_kafka_t *consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, sizeof reason);
    assert_non_null(consumer);
    rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(PARTITIONS);
    for (int i = 0; i < PARTITIONS; i++)
        rd_kafka_topic_partition_list_add(all, topic, i)->offset = RD_KAFKA_OFFSET_BEGINNING;
    assert_int_equal(rd_kafka_assign(consumer, all), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_topic_partition_list_destroy(all);
    return consumer;
}

static rd_kafka_message_t *next_message(rd_kafka_t *consumer, int64_t patience_us)
{
    const int64_t until = now() + patience_us;
    while (now() < until) {
        rd_kafka_message_t *m = rd_kafka_consumer_poll(consumer, 50);
        if (m && m->err == RD_KAFKA_RESP_ERR_NO_ERROR)
            return m;
        if (m)
            rd_kafka_message_destroy(m);
    }
    return NULL;
}

static void end_consumer(rd_kafka_t *consumer)
{
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
}

// The number of the event in a message, by its header.
static unsigned number_of(const rd_kafka_message_t *m)
{
    rd_kafka_headers_t *headers;
    const void *id;
    size_t size;
    assert_int_equal(rd_kafka_message_headers(m, &headers), RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(rd_kafka_header_get_last(headers, "id", &id, &size),
                     RD_KAFKA_RESP_ERR_NO_ERROR);
    return (unsigned)strtoul(id, NULL, 10);
}

static void look_at(struct seen *seen, const rd_kafka_message_t *m)
{
    const unsigned number = number_of(m);
    assert_true(number < EVENTS_MAX);
    if (seen->had[number]) {
        seen->doubles++;
        return;
    }
    seen->disordered |= seen->highest[number % KEYS] > number;
    seen->highest[number % KEYS] = number + 1;
    seen->had[number] = true;
    seen->count++;
}

// Reads until that many different events came, and for a moment more.
static struct seen read_back(const char *topic, unsigned count)
{
    static struct seen seen;
    rd_kafka_t *consumer = consume(topic);
    rd_kafka_message_t *m;
    memset(&seen, 0, sizeof seen);
    while ((m = next_message(consumer, seen.count < count ? PATIENCE_US : CLOCK_US_PER_S / 2))) {
        look_at(&seen, m);
        rd_kafka_message_destroy(m);
    }
    end_consumer(consumer);
    return seen;
}

// Each test has a cluster of its own.

static void make_cluster(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char reason[200];
    rd_kafka_conf_set(conf, "log_level", "0", NULL, 0);
    cluster_client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    assert_non_null(cluster_client);
    cluster = rd_kafka_mock_cluster_new(cluster_client, BROKERS);
    assert_non_null(cluster);
    snprintf(bootstraps, sizeof bootstraps, "%s", rd_kafka_mock_cluster_bootstraps(cluster));
    rd_kafka_mock_topic_create(cluster, TOPIC, PARTITIONS, BROKERS);
}

static void free_sink(void)
{
    sink.free(sink.self);
    driver = (struct driver){0};
}

static struct sink sink_of(const char *name)
{
    static const struct module_host HOST = {.log = NULL};
    struct sink made;
    assert_true(ibtrapd_module.make(&made, "kafka", name, &receiver, &HOST, &err));
    return made;
}

static int setup(void **state)
{
    (void)state;
    make_cluster();
    receiver = (struct conf_receiver){.transport = TRANSPORT_TCP, .kafka = {.format = FORMAT_JSON}};
    SET(brokers, bootstraps);
    SET(topic, TOPIC);
    sink = sink_of("bus");
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        events[i] = make_event(i);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    atomic_store(&names_wait_from, 0);
    atomic_store(&ends_wait, false);
    free_sink();
    assert_true(ibtrapd_module.settle(PATIENCE_US));
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        event_unref(events[i]);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(cluster_client);
    return 0;
}

// What arrives.

static void check_header(const rd_kafka_message_t *m, const char *name, const char *expected)
{
    rd_kafka_headers_t *headers;
    const void *value;
    size_t size;
    assert_int_equal(rd_kafka_message_headers(m, &headers), RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(rd_kafka_header_get_last(headers, name, &value, &size),
                     RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(value, expected, size);
}

static void check_arrives(enum format format, const char *topic, const char *begins,
                          const char *type)
{
    struct run run = {0};
    options->format = format;
    SET(topic, topic);
    deliver(1, &run);
    rd_kafka_t *consumer = consume("ibtrapd-warning-link-fe80000000000000");
    rd_kafka_message_t *m = next_message(consumer, PATIENCE_US);
    assert_non_null(m);
    assert_int_equal(m->key_len, strlen("link 0"));
    assert_memory_equal(m->key, "link 0", m->key_len);
    assert_memory_equal(m->payload, begins, strlen(begins));
    check_header(m, "id", "00000000-0000-7000-8000-000000000000");
    check_header(m, "type", "link-down");
    check_header(m, "severity", "warning");
    check_header(m, "content-type", type);
    assert_int_equal(rd_kafka_message_timestamp(m, NULL), SUPPORT_UTC_US / CLOCK_US_PER_MS);
    rd_kafka_message_destroy(m);
    end_consumer(consumer);
}

TEST(an_event_arrives_with_key_and_headers)
{
    check_arrives(FORMAT_JSON, "ibtrapd-{severity}-{category}-{subnet}",
                  "{\"time\":", "application/json");
}

TEST(a_cloud_event_says_that_it_is_one)
{
    check_arrives(FORMAT_CLOUDEVENTS, "ibtrapd-{severity}-{category}-{subnet}",
                  "{\"specversion\":\"1.0\",", "application/cloudevents+json; charset=UTF-8");
}

TEST(an_unknown_brace_stays)
{
    char out[TOPIC_SIZE];
    topic_write("a{severity}{b}{", events[0], out);
    assert_string_equal(out, "awarning{b}{");
}

static enum sink_result send_event(unsigned number)
{
    return driver_send(&driver, events[number], &err);
}

static void await_confirmations(unsigned count)
{
    const int64_t until = now() + PATIENCE_US;
    int n = 0;
    for (; count > 0 && n >= 0 && now() < until; count -= n > 0 ? (unsigned)n : 0)
        n = driver_wait(&driver, 100, &err);
    assert_int_equal(count, 0);
}

// More topics than the sink keeps handles of.
TEST(topics_beyond_the_handles_get_their_events)
{
    enum { TOPICS = TOPIC_HANDLES_MAX * 3 / 2, ROUNDS = 3 };
    struct run run = {0};
    SET(topic, "ib-{subnet}");
    rd_kafka_mock_topic_create(cluster, "ib-0000000000000007", PARTITIONS, 1);
    for (unsigned i = 0; i < TOPICS * ROUNDS; i++)
        events[i]->subnet_prefix = i % TOPICS;
    deliver(TOPICS * ROUNDS, &run);
    assert_int_equal(run.failures, 0);
    const struct seen seen = read_back("ib-0000000000000007", ROUNDS);
    assert_int_equal(seen.count, ROUNDS);
    assert_true(seen.had[7] && seen.had[7 + TOPICS] && seen.had[7 + 2 * TOPICS]);
}

// The events of each topic are still on their way when another topic takes its place.
TEST(topics_whose_handles_are_gone_keep_the_events_under_way)
{
    enum { TOPICS = TOPIC_HANDLES_MAX * 3 / 2, SAMPLE = TOPICS / 3 };
    SET(topic, "ib-{subnet}");
    strcpy(settings[0], "linger.ms=500");
    assert_true(driver_open(&driver, &sink, &err));
    for (unsigned i = 0; i < TOPICS; i++) {
        events[i]->subnet_prefix = i;
        assert_int_equal(send_event(i), SINK_PENDING);
        assert_in_range(topics_held, 1, TOPIC_HANDLES_MAX);
    }
    await_confirmations(TOPICS);
    close_in_time();
    assert_int_equal(topics_held, 0);
    for (unsigned i = 0; i < TOPICS; i += SAMPLE) {
        char topic[TOPIC_SIZE];
        topic_write(options->topic, events[i], topic);
        const struct seen seen = read_back(topic, 1);
        assert_true(seen.count == 1 && seen.had[i]);
    }
}

TEST(a_topic_without_a_handle_is_told_and_nothing_is_given_up)
{
    struct run run = {0};
    topics_failing = 2 * ATTEMPTS;
    deliver(3, &run);
    assert_int_equal(run.failures, 2 * ATTEMPTS);
    assert_int_equal(run.given_up, 0);
    assert_non_null(strstr(run.last, "topic 'ibtrapd': "));
    assert_int_equal(topics_held, 0);
    assert_int_equal(read_back(TOPIC, 3).count, 3);
}

TEST(an_event_of_nothing_has_no_key)
{
    struct run run = {0};
    event_unref(events[0]);
    events[0] = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    deliver(1, &run);
    rd_kafka_t *consumer = consume(TOPIC);
    rd_kafka_message_t *m = next_message(consumer, PATIENCE_US);
    assert_non_null(m);
    assert_null(m->key);
    rd_kafka_message_destroy(m);
    end_consumer(consumer);
}

// Order and loss.

static unsigned changes;

static void move_leaders(unsigned confirmed)
{
    if (confirmed / CHANGE_EVERY < changes)
        return;
    for (int i = 0; i < PARTITIONS; i++)
        rd_kafka_mock_partition_set_leader(cluster, TOPIC, i,
                                           1 + (int)(changes + (unsigned)i) % BROKERS);
    changes++;
}

static void fail_requests(unsigned confirmed)
{
    static const rd_kafka_resp_err_t ERRORS[] = {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                                 RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                                 RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT};
    if (confirmed / CHANGE_EVERY < changes)
        return;
    rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1, ERRORS[changes % COUNT(ERRORS)]);
    changes++;
}

static struct seen deliver_all(unsigned count, void (*between)(unsigned confirmed))
{
    struct run run = {.between = between};
    changes = 0;
    rd_kafka_mock_broker_set_rtt(cluster, -1, 5);
    deliver(count, &run);
    assert_int_equal(run.failures, 0);
    const struct seen seen = read_back(TOPIC, count);
    assert_int_equal(seen.count, count);
    assert_int_equal(seen.doubles, 0);
    return seen;
}

TEST(all_come_once_and_in_order)
{
    assert_false(deliver_all(EVENTS_MAX, NULL).disordered);
}

// The mock cluster, unlike a broker, takes a request after a refused predecessor. An idempotent
// librdkafka concludes from the confirmation that the predecessor is there, too. Therefore the
// brokers of these tests have no idempotence.
static void forget_idempotence(void)
{
    rd_kafka_mock_set_apiversion(cluster, INIT_PRODUCER_ID, -1, -1);
}

TEST(requests_that_fail_lose_and_disorder_nothing)
{
    forget_idempotence();
    assert_false(deliver_all(FEW, fail_requests).disordered);
    assert_true(changes > 4);
}

TEST(leaders_that_change_lose_and_disorder_nothing)
{
    forget_idempotence();
    assert_false(deliver_all(FEW, move_leaders).disordered);
    assert_true(changes > 4);
}

static bool went_down;

static void go_down(unsigned confirmed)
{
    if (confirmed < 500 || went_down)
        return;
    went_down = true;
    rd_kafka_mock_broker_set_down(cluster, -1);
}

// Ends the outage once it was told.
static void *come_back(void *arg)
{
    const struct run *run = arg;
    const int64_t until = now() + PATIENCE_US;
    while (run->failures < 2 && now() < until)
        usleep(20000);
    rd_kafka_mock_broker_set_up(cluster, -1);
    return NULL;
}

TEST(an_outage_of_all_brokers_is_told_and_loses_nothing)
{
    struct run run = {.between = go_down};
    pthread_t thread;
    went_down = false;
    // Small, slow requests: the outage comes between two of them.
    strcpy(settings[0], "batch.num.messages=20");
    rd_kafka_mock_broker_set_rtt(cluster, -1, 50);
    assert_int_equal(pthread_create(&thread, NULL, come_back, &run), 0);
    deliver(1500, &run);
    pthread_join(thread, NULL);
    assert_true(run.failures >= 2);
    assert_non_null(strstr(run.last, "answers"));
    const struct seen seen = read_back(TOPIC, 1500);
    assert_int_equal(seen.count, 1500);
    assert_false(seen.disordered);
}

// Sends a number of events with one key, each in a request of its own, in order.
static void send_one_by_one(unsigned count)
{
    strcpy(settings[0], "batch.num.messages=1");
    strcpy(settings[1], "max.in.flight=1");
    for (unsigned i = 0; i < count; i++)
        strcpy(events[i]->alarm_key, "link 0");
    assert_true(driver_open(&driver, &sink, &err));
    enum sink_result result = SINK_PENDING;
    for (unsigned i = 0; i < count && result == SINK_PENDING; i++)
        result = driver_send(&driver, events[i], &err);
    assert_true(result == SINK_PENDING || result == SINK_BLOCKED); // the refusal may come first
}

// Waits until the sink has failed, and returns how many events were confirmed before.
static int wait_failed(void)
{
    const int64_t until = now() + PATIENCE_US;
    int n = 0, confirmed = 0;
    while ((n = driver_wait(&driver, 20, &err)) >= 0 && now() < until)
        confirmed += n;
    assert_int_equal(n, -1);
    return confirmed;
}

// A consumer that drops known events would otherwise have a later event of the key before this
// event. The requests under way already do arrive at this broker, which does not compare their
// numbers.
static void check_nothing_follows(rd_kafka_resp_err_t code, const char *part)
{
    rd_kafka_mock_push_request_errors(cluster, PRODUCE, 2, RD_KAFKA_RESP_ERR_NO_ERROR, code);
    send_one_by_one(MANY);
    usleep(300000); // librdkafka goes on by itself meanwhile, or does not
    assert_int_equal(wait_failed(), 1);
    assert_non_null(strstr(err.text, part));
    close_in_time();
    const struct seen seen = read_back(TOPIC, 1);
    assert_true(seen.had[0] && !seen.had[1]);
    assert_in_range(seen.count, 1, 1 + UNDER_WAY);
}

TEST(nothing_follows_an_event_that_the_brokers_refuse)
{
    check_nothing_follows(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, "too large for topic 'ibtrapd'");
}

TEST(nothing_follows_an_event_that_they_do_not_let_in)
{
    check_nothing_follows(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
                          "do not let this user write to topic 'ibtrapd'");
}

// Waits until librdkafka has the number of reports that the sink has not read.
static void await_reports(size_t count)
{
    const int64_t until = now() + PATIENCE_US;
    rd_kafka_queue_t *reports = rd_kafka_queue_get_main(latest_producer);
    while (rd_kafka_queue_length(reports) < count && now() < until)
        usleep(10000);
    rd_kafka_queue_destroy(reports);
}

TEST(nothing_is_sent_after_a_failure_that_is_not_told_yet)
{
    forget_idempotence();
    rd_kafka_mock_push_request_errors(cluster, PRODUCE, 2, RD_KAFKA_RESP_ERR_NO_ERROR,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    strcpy(settings[0], "batch.num.messages=1");
    strcpy(settings[1], "max.in.flight=1");
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, events[0], &err), SINK_PENDING);
    await_reports(1);
    assert_int_equal(driver_send(&driver, events[1], &err), SINK_PENDING);
    await_reports(2);
    assert_int_equal(driver_wait(&driver, 20, &err), 1); // it reads both reports
    assert_int_equal(driver_send(&driver, events[2], &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "do not let this user write"));
    assert_int_equal(driver_refused(&driver), -1);
    close_in_time();
}

// What is said.

// Brokers far away: each answer takes longer than librdkafka's first request waits.
TEST(brokers_that_answer_slowly_are_found)
{
    struct run run = {0};
    rd_kafka_mock_broker_set_rtt(cluster, -1, 300);
    deliver(10, &run);
    assert_int_equal(run.failures, 0);
}

TEST(no_broker_has_a_sentence)
{
    struct run run = {0};
    rd_kafka_mock_broker_set_down(cluster, -1);
    assert_false(open_in_time(&run));
    assert_memory_equal(err.text, "no broker of 127.0.0.1:", 23);
}

// A socket whose peer accepts and says nothing.
static int listen_silently(uint16_t *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, size), 0);
    assert_int_equal(listen(listener, 4), 0);
    getsockname(listener, (struct sockaddr *)&a, &size);
    *port = ntohs(a.sin_port);
    return listener;
}

TEST(a_silent_peer_holds_nobody_up)
{
    struct run run = {0};
    char silent[64];
    uint16_t port;
    const int listener = listen_silently(&port);
    snprintf(silent, sizeof silent, "127.0.0.1:%u", port);
    SET(brokers, silent);
    assert_false(open_in_time(&run));
    close(listener);
}

// The silent peer is why it does not give up early; the others' names are looked up meanwhile.
TEST(a_name_server_that_falls_silent_holds_nobody_up)
{
    struct run run = {0};
    char brokers[128];
    uint16_t port;
    const int listener = listen_silently(&port);
    snprintf(brokers, sizeof brokers, "127.0.0.1:%u,a.late:9092,b.late:9092,c.late:9092", port);
    strcpy(settings[0], "reconnect.backoff.max.ms=200");
    SET(brokers, brokers);
    names_that_wait = 0;
    atomic_store(&names_wait_from, now() + 3 * CLOCK_US_PER_S);
    assert_false(open_in_time(&run));
    assert_true(names_that_wait > 0);
    close(listener);
}

// One look-up is under way when the sink closes.
TEST(a_name_server_that_falls_silent_delays_no_close)
{
    struct run run = {0};
    char brokers[sizeof bootstraps + 64];
    const int64_t until = now() + PATIENCE_US;
    snprintf(brokers, sizeof brokers, "%s,a.late:9092", bootstraps);
    strcpy(settings[0], "reconnect.backoff.max.ms=200");
    SET(brokers, brokers);
    assert_true(open_in_time(&run));
    names_that_wait = 0;
    atomic_store(&names_wait_from, now());
    rd_kafka_mock_broker_set_down(cluster, -1);
    while (names_that_wait == 0 && now() < until)
        assert_int_equal(driver_wait(&driver, 20, &err), 0);
    assert_true(names_that_wait > 0);
    close_in_time();
}

TEST(a_name_that_is_not_there_has_a_sentence)
{
    struct run run = {0};
    SET(brokers, "kafka.invalid:9092");
    assert_false(open_in_time(&run));
    assert_non_null(strstr(err.text, "no broker of kafka.invalid:9092 answers: "));
}

// The ends of clients.

static void open_and_close_in_vain(void)
{
    struct run run = {0};
    assert_true(open_in_time(&run));
    atomic_store(&ends_wait, true);
    close_in_time();
    assert_false(ibtrapd_module.settle(1));
}

TEST(a_client_that_does_not_end_holds_its_own_receiver_up_only)
{
    struct run run = {0};
    open_and_close_in_vain();
    assert_false(open_in_time(&run));
    assert_non_null(strstr(err.text, "the earlier client of 127.0.0.1:"));
    struct sink other = sink_of("other");
    assert_true(driver_open(&other_driver, &other, &err));
    atomic_store(&ends_wait, false);
    driver_close(&other_driver);
    driver_free(&other_driver);
    deliver(1, &run);
}

// Its successor after a reload: to other brokers at once, to the same brokers later.
TEST(a_client_that_does_not_end_outlives_its_receiver)
{
    struct run run = {0};
    open_and_close_in_vain();
    free_sink();
    sink = sink_of("bus");
    assert_false(open_in_time(&run));
    free_sink();
    char brokers[sizeof bootstraps];
    const char *second = strchr(bootstraps, ',');
    snprintf(brokers, sizeof brokers, "%s", second + 1);
    SET(brokers, brokers);
    sink = sink_of("bus");
    assert_true(open_in_time(&run));
    atomic_store(&ends_wait, false);
    close_in_time();
}

TEST(a_client_that_still_works_on_what_was_sent_is_told)
{
    struct run run = {0};
    char silent[64];
    uint16_t port;
    const int listener = listen_silently(&port);
    snprintf(silent, sizeof silent, "127.0.0.1:%u", port);
    SET(brokers, silent);
    free_sink();
    sink = sink_of("bus");
    atomic_store(&ends_wait, true);
    assert_false(open_in_time(&run));
    assert_non_null(strstr(err.text, "lets this gateway in: librdkafka still works on"));
    close(listener);
}

TEST(without_a_further_thread_a_client_ends_at_once)
{
    struct run run = {0};
    assert_true(open_in_time(&run));
    threads_short = true;
    close_in_time();
    assert_true(ibtrapd_module.settle(0));
    threads_short = false;
    deliver(1, &run);
}

// The clients of receivers that a reload has ended; no client ends.
TEST(clients_that_do_not_end_are_bounded)
{
    struct run run = {0};
    atomic_store(&ends_wait, true);
    for (unsigned i = 0; i < PRODUCER_ENDING_MAX; i++) {
        rd_kafka_conf_t *conf = rd_kafka_conf_new();
        rd_kafka_conf_set(conf, "log_level", "0", NULL, 0);
        struct producer *client = producer_begin(conf, RD_KAFKA_PRODUCER, NULL, i, 0, &err);
        assert_non_null(client);
        assert_false(producer_end(client, 0));
    }
    assert_false(open_in_time(&run));
    assert_non_null(strstr(err.text, "64 earlier clients of brokers have not ended yet"));
    atomic_store(&ends_wait, false);
    deliver(1, &run);
}

// Brokers that had a wrong certificate, and went, while there was nothing to send; they are back.
TEST(what_was_wrong_while_nothing_was_sent_fails_no_event)
{
    assert_true(driver_open(&driver, &sink, &err));
    tell(latest_producer, RD_KAFKA_RESP_ERR__SSL, "expired", rd_kafka_opaque(latest_producer));
    tell(latest_producer, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "all are down",
         rd_kafka_opaque(latest_producer));
    sink.idle(sink.self);
    rd_kafka_mock_broker_set_rtt(cluster, -1, 300);
    assert_int_equal(send_event(0), SINK_PENDING);
    await_confirmations(1);
    close_in_time();
}

TEST(a_missing_topic_is_told_and_nothing_is_given_up)
{
    const int64_t until = now() + PATIENCE_US;
    int n = 0;
    rd_kafka_mock_topic_set_error(cluster, TOPIC, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    assert_true(driver_open(&driver, &sink, &err));
    enum sink_result result = driver_send(&driver, events[0], &err);
    while (result == SINK_PENDING && n == 0 && now() < until)
        n = driver_wait(&driver, 100, &err);
    assert_true(result == SINK_FAILED || n == -1);
    assert_non_null(strstr(err.text, "there is no topic 'ibtrapd'"));
    assert_int_equal(driver_refused(&driver), -1);
    close_in_time();
}

TEST(an_event_that_is_too_large_is_given_up_alone)
{
    struct run run = {0};
    // Each of its requests fails; events of the same first request do not suffer.
    rd_kafka_mock_push_request_errors(
        cluster, PRODUCE, ATTEMPTS + 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    for (unsigned i = 0; i < 20; i++)
        strcpy(events[i]->alarm_key, "link 0"); // one partition, one request
    deliver(20, &run);
    assert_int_equal(run.given_up, 1);
    assert_non_null(strstr(run.last, "too large for topic 'ibtrapd': raise its max.message.bytes"));
    const struct seen seen = read_back(TOPIC, 19);
    assert_int_equal(seen.count, 19);
    assert_false(seen.had[0]);
}

// The events that were under way at the refusal go alone, no more and no fewer. Each event goes at
// once; other events would wait for a full batch.
TEST(events_go_alone_after_a_refusal_but_not_for_ever)
{
    strcpy(settings[0], "linger.ms=60000");
    strcpy(settings[1], "batch.num.messages=20");
    for (unsigned i = 0; i < TOGETHER + 2; i++)
        strcpy(events[i]->alarm_key, "link 0"); // one partition, one request
    rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    assert_true(driver_open(&driver, &sink, &err));
    for (unsigned i = 0; i < TOGETHER; i++)
        assert_int_equal(send_event(i), SINK_PENDING);
    assert_int_equal(wait_failed(), 0);
    close_in_time();
    assert_true(driver_open(&driver, &sink, &err));
    for (unsigned i = 0; i < TOGETHER; i++) {
        assert_int_equal(send_event(i), SINK_PENDING);
        assert_int_equal(send_event(i + 1), SINK_BLOCKED);
        await_confirmations(1);
    }
    assert_int_equal(send_event(TOGETHER), SINK_PENDING);
    assert_int_equal(send_event(TOGETHER + 1), SINK_PENDING);
    close_in_time();
}

// Without idempotence, an event waits for the one with its key, and for no other.
TEST(a_key_waits_for_its_own_events_only)
{
    forget_idempotence();
    rd_kafka_mock_broker_set_rtt(cluster, -1, 100);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(send_event(0), SINK_PENDING);
    assert_int_equal(send_event(KEYS), SINK_BLOCKED);
    assert_int_equal(send_event(1), SINK_PENDING);
    await_confirmations(2);
    assert_int_equal(send_event(KEYS), SINK_PENDING);
    await_confirmations(1);
    close_in_time();
}

TEST(an_event_beyond_the_own_limit_is_refused)
{
    strcpy(settings[0], "message.max.bytes=1000");
    memset(events[0]->text, 'x', sizeof events[0]->text - 1);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, events[1], &err), SINK_PENDING);
    assert_int_equal(driver_send(&driver, events[0], &err), SINK_FAILED);
    assert_int_equal(driver_refused(&driver), 1);
    assert_non_null(strstr(err.text, "too large for this receiver's own 'settings': raise "
                                     "message.max.bytes"));
    close_in_time();
}

TEST(an_event_beyond_the_own_buffer_is_given_up_alone)
{
    struct run run = {0};
    strcpy(settings[0], "queue.buffering.max.kbytes=1");
    memset(events[0]->text, 'x', sizeof events[0]->text - 1);
    deliver(3, &run);
    assert_int_equal(run.given_up, 1);
    assert_int_equal(run.failures, ATTEMPTS);
    assert_non_null(strstr(run.last, "raise queue.buffering.max.kbytes"));
    const struct seen seen = read_back(TOPIC, 2);
    assert_int_equal(seen.count, 2);
    assert_false(seen.had[0]);
}

// What a topic says to the time of a message.

static void refuse_times(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP);
    for (unsigned i = 0; i < FEW; i++)
        strcpy(events[i]->alarm_key, "link 0"); // one partition, one request at first
}

// Checks that the first `count` messages have the time of sending, and all others the time of their
// events.
static void check_times(unsigned count, unsigned all, int64_t begin_us)
{
    rd_kafka_t *consumer = consume(TOPIC);
    for (unsigned i = 0; i < all; i++) {
        rd_kafka_message_t *m = next_message(consumer, PATIENCE_US);
        assert_non_null(m);
        assert_int_equal(number_of(m), i);
        const int64_t time_ms = rd_kafka_message_timestamp(m, NULL);
        if (i < count)
            assert_true(time_ms >= begin_us / CLOCK_US_PER_MS);
        else
            assert_int_equal(time_ms, SUPPORT_UTC_US / CLOCK_US_PER_MS);
        rd_kafka_message_destroy(m);
    }
    end_consumer(consumer);
}

static void send_and_wait(unsigned number)
{
    assert_int_equal(send_event(number), SINK_PENDING);
    await_confirmations(1);
}

TEST(an_event_whose_time_is_refused_gets_that_of_sending)
{
    struct run run = {0};
    const int64_t begin_us = clock_utc(&clock_system);
    refuse_times(1);
    deliver(20, &run);
    assert_int_equal(run.failures, 1);
    assert_int_equal(run.given_up, 0);
    assert_non_null(strstr(run.last, "topic 'ibtrapd' does not take the time of an event"));
    assert_true(driver_open(&driver, &sink, &err));
    send_and_wait(20);
    sink.idle(sink.self);
    send_and_wait(21);
    close_in_time();
    check_times(21, 22, begin_us);
}

// Twenty events that waited for ten days, and an event that waited for an hour.
static int64_t make_times(unsigned refusals)
{
    const int64_t begin_us = clock_utc(&clock_system);
    refuse_times(refusals);
    for (unsigned i = 0; i <= 20; i++)
        events[i]->time_us = begin_us - (i < 20 ? 240 : 1) * 3600 * CLOCK_US_PER_S;
    return begin_us;
}

static int64_t time_ms_of_the_last(void)
{
    rd_kafka_t *consumer = consume(TOPIC);
    int64_t time_ms = 0;
    for (unsigned i = 0; i <= 20; i++) {
        rd_kafka_message_t *m = next_message(consumer, PATIENCE_US);
        assert_non_null(m);
        assert_int_equal(number_of(m), i);
        time_ms = rd_kafka_message_timestamp(m, NULL);
        rd_kafka_message_destroy(m);
    }
    end_consumer(consumer);
    return time_ms;
}

TEST(a_younger_event_keeps_its_time_while_older_ones_wait)
{
    struct run run = {0};
    make_times(1);
    deliver(21, &run);
    assert_int_equal(run.failures, 1);
    assert_int_equal(time_ms_of_the_last(), events[20]->time_us / CLOCK_US_PER_MS);
}

TEST(an_event_that_is_still_too_old_gets_the_time_of_sending)
{
    struct run run = {0};
    const int64_t begin_us = make_times(2);
    deliver(21, &run);
    assert_int_equal(run.failures, 2);
    assert_non_null(strstr(run.last, "topic 'ibtrapd' does not take the time of an event"));
    assert_true(time_ms_of_the_last() >= begin_us / CLOCK_US_PER_MS);
}

TEST(wrong_clocks_are_told_and_nothing_is_given_up)
{
    struct run run = {0};
    refuse_times(2 * ATTEMPTS);
    deliver(20, &run);
    assert_int_equal(run.failures, 2 * ATTEMPTS);
    assert_int_equal(run.given_up, 0);
    assert_non_null(strstr(run.last, "set the clocks of this machine and of the brokers right"));
    assert_int_equal(read_back(TOPIC, 20).count, 20);
}

// The settings.

static void check_refused(const char *setting, const char *part)
{
    snprintf(settings[0], sizeof settings[0], "%s", setting);
    assert_false(ibtrapd_module.check("kafka", &receiver, &err));
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    assert_false(driver_open(&driver, &sink, &err));
}

TEST(settings_are_checked)
{
    assert_true(ibtrapd_module.check("kafka", &receiver, &err));
    strcpy(settings[0], "compression.codec=gzip");
    strcpy(settings[1], "linger.ms=1");
    assert_true(ibtrapd_module.check("kafka", &receiver, &err));
    strcpy(settings[0], "topic.metadata.refresh.sparse=true");
    strcpy(settings[1], "topic.partitioner=murmur2");
    assert_true(ibtrapd_module.check("kafka", &receiver, &err));
    check_refused("compression.codec=zip", "compression.codec");
    check_refused("no.such.setting=1", "no.such.setting");
    check_refused("acks=1", "'acks' cannot be one of 'settings'");
    check_refused("sasl.password=x", "'sasl.password' cannot be");
    check_refused("ssl.key.password=x", "'ssl.key.password' cannot be");
    check_refused("plugin.library.paths=/tmp/x", "'plugin.library.paths' cannot be");
    check_refused("test.mock.num.brokers=3", "'test.mock.num.brokers' cannot be");
    check_refused("ut_handle_ProduceResponse=1", "'ut_handle_ProduceResponse' cannot be");
    check_refused("queuing.strategy=lifo", "idempotence");
    check_refused("max.in.flight=9", "idempotence");
    check_refused("retries=0", "'retries' cannot be");
    check_refused("message.timeout.ms=1000", "'message.timeout.ms' cannot be");
    check_refused("delivery.timeout.ms=1000", "'delivery.timeout.ms' cannot be");
    check_refused("delivery.report.only.error=true", "'delivery.report.only.error' cannot be");
    check_refused("enabled_events=1", "'enabled_events' cannot be");
    check_refused("ssl.engine.location=/tmp/x", "'ssl.engine.location' cannot be");
    check_refused("internal.termination.signal=15", "'internal.termination.signal' cannot be");
    check_refused("partitioner=random", "the same partition");
    check_refused("partitioner= random", "the same partition");
    check_refused("topic.partitioner=random", "the same partition");
    check_refused("topic.acks=1", "'topic.acks' cannot be one of 'settings'");
    check_refused("topic.request.timeout.ms=no", "topic.request.timeout.ms");
}

TEST(credentials_are_taken)
{
    options->sasl = CONF_SASL_SCRAM_SHA_512;
    SET(user, "ibtrapd");
    SET(password, "a secret");
    assert_true(ibtrapd_module.check("kafka", &receiver, &err));
    receiver.transport = TRANSPORT_TLS;
    strcpy(receiver.tls.ca_file, "/nowhere.pem");
    assert_false(ibtrapd_module.check("kafka", &receiver, &err));
    assert_null(strstr(err.text, "a secret"));
}

#define KAFKA_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KAFKA_TEST(an_event_arrives_with_key_and_headers),
        KAFKA_TEST(a_cloud_event_says_that_it_is_one),
        KAFKA_TEST(an_unknown_brace_stays),
        KAFKA_TEST(topics_beyond_the_handles_get_their_events),
        KAFKA_TEST(topics_whose_handles_are_gone_keep_the_events_under_way),
        KAFKA_TEST(a_topic_without_a_handle_is_told_and_nothing_is_given_up),
        KAFKA_TEST(an_event_of_nothing_has_no_key),
        KAFKA_TEST(all_come_once_and_in_order),
        KAFKA_TEST(requests_that_fail_lose_and_disorder_nothing),
        KAFKA_TEST(leaders_that_change_lose_and_disorder_nothing),
        KAFKA_TEST(an_outage_of_all_brokers_is_told_and_loses_nothing),
        KAFKA_TEST(nothing_follows_an_event_that_the_brokers_refuse),
        KAFKA_TEST(nothing_follows_an_event_that_they_do_not_let_in),
        KAFKA_TEST(nothing_is_sent_after_a_failure_that_is_not_told_yet),
        KAFKA_TEST(brokers_that_answer_slowly_are_found),
        KAFKA_TEST(no_broker_has_a_sentence),
        KAFKA_TEST(a_silent_peer_holds_nobody_up),
        KAFKA_TEST(a_name_server_that_falls_silent_holds_nobody_up),
        KAFKA_TEST(a_name_server_that_falls_silent_delays_no_close),
        KAFKA_TEST(a_name_that_is_not_there_has_a_sentence),
        KAFKA_TEST(a_client_that_does_not_end_holds_its_own_receiver_up_only),
        KAFKA_TEST(a_client_that_does_not_end_outlives_its_receiver),
        KAFKA_TEST(a_client_that_still_works_on_what_was_sent_is_told),
        KAFKA_TEST(without_a_further_thread_a_client_ends_at_once),
        KAFKA_TEST(clients_that_do_not_end_are_bounded),
        KAFKA_TEST(what_was_wrong_while_nothing_was_sent_fails_no_event),
        KAFKA_TEST(a_missing_topic_is_told_and_nothing_is_given_up),
        KAFKA_TEST(an_event_that_is_too_large_is_given_up_alone),
        KAFKA_TEST(events_go_alone_after_a_refusal_but_not_for_ever),
        KAFKA_TEST(a_key_waits_for_its_own_events_only),
        KAFKA_TEST(an_event_beyond_the_own_limit_is_refused),
        KAFKA_TEST(an_event_beyond_the_own_buffer_is_given_up_alone),
        KAFKA_TEST(an_event_whose_time_is_refused_gets_that_of_sending),
        KAFKA_TEST(a_younger_event_keeps_its_time_while_older_ones_wait),
        KAFKA_TEST(an_event_that_is_still_too_old_gets_the_time_of_sending),
        KAFKA_TEST(wrong_clocks_are_told_and_nothing_is_given_up),
        KAFKA_TEST(settings_are_checked),
        KAFKA_TEST(credentials_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
