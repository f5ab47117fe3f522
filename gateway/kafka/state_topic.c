// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/state_topic.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "kafka/producer.h"
#include "sink/kept_state.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

// Until brokers are asked again after a failure; how long brokers may be silent while an answer is
// due; the end of a client.
static const int64_t PAUSE_US = 5 * CLOCK_US_PER_S, SILENCE_US = 30 * CLOCK_US_PER_S;
static const int64_t END_US = CLOCK_US_PER_S * 2 / 5, CALL_US = CLOCK_US_PER_S / 20;

enum { STEP_MS = 10, METADATA_MS = 1000, RECORDS = 256, FETCH_SIZE = 1 << 20 };

// A reading of the topic, partition for partition, up to the first that has this fabric.
struct state_reading {
    struct producer *client; // NULL: no reading is under way
    rd_kafka_topic_t *topic;
    int32_t count, own, tried; // partitions: all; of the fabric's name; read or being read
    int64_t end;               // the offset behind the last record; -1: not known yet
    bool found;
};

struct state_topic {
    const struct conf_receiver *receiver;
    const struct conf_kafka *options; // of the receiver
    const char *name;                 // the receiver's
    struct log *log;
    struct log_limit limit;
    const char *fabric;
    struct kept_state *kept;

    struct producer *client; // NULL: it is not open
    rd_kafka_topic_t *topic;
    rd_kafka_queue_t *answers; // of the question for the topic's configuration
    struct state_reading reading;
    int32_t partition; // of the fabric
    int64_t last_offset;
    bool plain;   // the brokers have no idempotence
    bool is_lost; // records that were confirmed may be gone
    int64_t moved_at, retry_at;
    bool failed; // `problem` says why
    struct error problem, down;
};

// The callbacks of librdkafka, in rd_kafka_poll.

static void state_topic_fail(struct state_topic *s, rd_kafka_resp_err_t code, const char *reason)
{
    if (s->failed)
        return;
    s->failed = true;
    if (code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        error_set(&s->problem,
                  "the brokers do not let this user keep the alarms in topic '%s': give it the "
                  "rights Read, Write and Describe on the topic",
                  s->options->state_topic);
    else if (code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
             code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        error_set(&s->problem,
                  "there is no topic '%s' for the alarms: make it with kafka-topics, with "
                  "cleanup.policy=compact",
                  s->options->state_topic);
    else
        error_set(&s->problem, "topic '%s': %s", s->options->state_topic, reason);
}

// An offset that does not grow is that of a topic made anew.
static void state_topic_on_report(rd_kafka_t *client, const rd_kafka_message_t *message,
                                  void *opaque)
{
    struct state_topic *s = ((struct producer *)opaque)->sink;
    const bool done = message->err == RD_KAFKA_RESP_ERR_NO_ERROR;
    (void)client;
    s->moved_at = clock_now();
    if (done) {
        s->down.text[0] = '\0';
        s->is_lost |= message->offset >= 0 && message->offset <= s->last_offset;
        s->last_offset = message->offset;
    } else if (message->err != RD_KAFKA_RESP_ERR__PURGE_QUEUE &&
               message->err != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) {
        state_topic_fail(s, message->err, rd_kafka_err2str(message->err));
    }
    kept_state_settle(s->kept, message->_private, done);
}

static void state_topic_on_error(rd_kafka_t *client, int code, const char *reason, void *opaque)
{
    struct state_topic *s = ((struct producer *)opaque)->sink;
    char fatal[300];
    if (code != RD_KAFKA_RESP_ERR__FATAL) {
        error_set(&s->down, "%s", reason);
        return;
    }
    const rd_kafka_resp_err_t why = rd_kafka_fatal_error(client, fatal, sizeof fatal);
    s->plain |= why == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE;
    state_topic_fail(s, why, fatal);
}

// The settings are those of a producer: a consumer warns of them.
static void state_topic_on_log(const rd_kafka_t *client, int level, const char *facility,
                               const char *text)
{
    struct state_topic *s = ((struct producer *)rd_kafka_opaque(client))->sink;
    if (level <= LOG_WARNING && s && s->log && strcmp(facility, "CONFWARN") != 0)
        log_write_limited(s->log, &s->limit, LOG_LEVEL_WARNING, "librdkafka %s: %s", facility,
                          text);
}

// Clients.

static struct producer *state_topic_begin_client(struct state_topic *s, rd_kafka_type_t type,
                                                 struct error *err)
{
    static const char *const READS[][2] = {{"enable.partition.eof", "true"},
                                           {"fetch.max.bytes", "1048576"},
                                           {"fetch.message.max.bytes", "524288"},
                                           {"queued.max.messages.kbytes", "2048"},
                                           {"receive.message.max.bytes", "1114112"}};
    const bool reads = type == RD_KAFKA_CONSUMER, safe = !reads && !s->plain;
    const uint64_t owner =
        digest_add(digest_add(DIGEST_OF_NOTHING, s->name, strlen(s->name) + 1), &type, sizeof type);
    if (!producer_await_former(owner, clock_now(), s->options->brokers, err))
        return NULL;
    rd_kafka_conf_t *conf = producer_settings(s->receiver, safe, 0, err);
    if (!conf)
        return NULL;
    rd_kafka_conf_set(conf, PRODUCER_GAPLESS, "false", NULL, 0);
    for (size_t i = 0; i < sizeof READS / sizeof *READS && reads; i++)
        rd_kafka_conf_set(conf, READS[i][0], READS[i][1], NULL, 0);
    rd_kafka_conf_set_dr_msg_cb(conf, state_topic_on_report);
    rd_kafka_conf_set_error_cb(conf, state_topic_on_error);
    rd_kafka_conf_set_log_cb(conf, state_topic_on_log);
    struct producer *client = producer_begin(conf, type, s, owner, INT64_MAX, err);
    if (client)
        rd_kafka_set_log_queue(client->handle, NULL);
    return client;
}

static void state_topic_end_reading(struct state_topic *s)
{
    struct state_reading *r = &s->reading;
    if (!r->client)
        return;
    if (r->topic)
        rd_kafka_topic_destroy(r->topic);
    producer_end(r->client, END_US);
    *r = (struct state_reading){.client = NULL};
}

static void state_topic_close(void *self)
{
    struct state_topic *s = self;
    state_topic_end_reading(s);
    if (s->answers)
        rd_kafka_queue_destroy(s->answers);
    if (s->topic)
        rd_kafka_topic_destroy(s->topic);
    if (s->client)
        producer_end(s->client, END_US);
    s->answers = NULL;
    s->topic = NULL;
    s->client = NULL;
    kept_state_lose(s->kept);
}

static bool state_topic_begin(struct state_topic *s, struct error *err)
{
    if (s->client)
        return true;
    s->failed = s->is_lost = false;
    s->down.text[0] = '\0';
    s->moved_at = clock_now();
    s->last_offset = -1;
    s->client = state_topic_begin_client(s, RD_KAFKA_PRODUCER, err);
    if (s->client)
        s->topic = rd_kafka_topic_new(s->client->handle, s->options->state_topic, NULL);
    return s->topic ||
           (s->client && error_set(err, "librdkafka: %s", rd_kafka_err2str(rd_kafka_last_error())));
}

static void state_topic_check_client(struct state_topic *s, const struct producer *client)
{
    if (client && (atomic_load(&client->brokers) > PRODUCER_BROKERS_MAX ||
                   answers_are_beyond(&client->told, ANSWERS_MAX)))
        state_topic_fail(s, RD_KAFKA_RESP_ERR__FAIL,
                         "the brokers say too much about themselves and their topics for the "
                         "memory here: look whether they are yours");
}

// The topic's configuration. Brokers that do not tell it, or not to this user, are not asked again.

static void state_topic_ask_configuration(struct state_topic *s)
{
    rd_kafka_ConfigResource_t *topic =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, s->options->state_topic);
    if (s->answers)
        rd_kafka_queue_destroy(s->answers);
    s->answers = memory_need(rd_kafka_queue_new(s->client->handle));
    rd_kafka_DescribeConfigs(s->client->handle, &topic, 1, NULL, s->answers);
    rd_kafka_ConfigResource_destroy(topic);
}

static void state_topic_check_policy(struct state_topic *s, const rd_kafka_ConfigEntry_t *entry)
{
    const char *name = rd_kafka_ConfigEntry_name(entry), *value = rd_kafka_ConfigEntry_value(entry);
    if (s->log && value && strcmp(name, "cleanup.policy") == 0 && !strstr(value, "compact"))
        log_write(s->log, LOG_LEVEL_WARNING,
                  "receiver %s: topic '%s' is not compacted (cleanup.policy=%s): it grows, and "
                  "forgets alarms that stand for long: set cleanup.policy=compact",
                  s->name, s->options->state_topic, value);
}

static void state_topic_take_configuration(struct state_topic *s)
{
    size_t topics = 0, entries = 0;
    rd_kafka_event_t *event = s->answers ? rd_kafka_queue_poll(s->answers, 0) : NULL;
    const rd_kafka_DescribeConfigs_result_t *result =
        event ? rd_kafka_event_DescribeConfigs_result(event) : NULL;
    const rd_kafka_ConfigResource_t **all =
        result ? rd_kafka_DescribeConfigs_result_resources(result, &topics) : NULL;
    const rd_kafka_ConfigEntry_t **each =
        topics > 0 ? rd_kafka_ConfigResource_configs(all[0], &entries) : NULL;
    for (size_t i = 0; i < entries; i++)
        state_topic_check_policy(s, each[i]);
    if (event)
        rd_kafka_event_destroy(event);
}

// Readings.

static int32_t state_topic_partition_at(const struct state_reading *r)
{
    return (r->own + r->tried) % r->count;
}

static bool state_topic_begin_partition(struct state_topic *s)
{
    struct state_reading *r = &s->reading;
    r->end = -1;
    r->found = false;
    s->moved_at = clock_now();
    if (rd_kafka_consume_start(r->topic, state_topic_partition_at(r), RD_KAFKA_OFFSET_BEGINNING) ==
        0)
        return true;
    state_topic_fail(s, rd_kafka_last_error(), rd_kafka_err2str(rd_kafka_last_error()));
    return false;
}

// Returns how many partitions the topic has; 0 with a sentence: nobody knows.
static int32_t state_topic_count_partitions(struct state_topic *s, struct error *err)
{
    const struct rd_kafka_metadata *answer;
    rd_kafka_resp_err_t code =
        rd_kafka_metadata(s->client->handle, 0, s->topic, &answer, METADATA_MS);
    rd_kafka_poll(s->client->handle, 0);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        error_set(err, "no broker tells about topic '%s': %s", s->options->state_topic,
                  s->down.text[0] ? s->down.text : rd_kafka_err2str(code));
        return 0;
    }
    const bool one = answer->topic_cnt == 1;
    code = one ? answer->topics[0].err : RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    const int32_t count = code == RD_KAFKA_RESP_ERR_NO_ERROR ? answer->topics[0].partition_cnt : 0;
    rd_kafka_metadata_destroy(answer);
    if (count <= 0) {
        state_topic_fail(s, code, rd_kafka_err2str(code));
        *err = s->problem;
    }
    return count;
}

static bool state_topic_begin_reading(struct state_topic *s, struct error *err)
{
    struct state_reading *r = &s->reading;
    const int32_t count = state_topic_count_partitions(s, err);
    if (count <= 0)
        return false;
    r->client = state_topic_begin_client(s, RD_KAFKA_CONSUMER, err);
    if (!r->client)
        return false;
    r->topic = rd_kafka_topic_new(r->client->handle, s->options->state_topic, NULL);
    if (!r->topic)
        return error_set(err, "librdkafka: %s", rd_kafka_err2str(rd_kafka_last_error()));
    r->count = count;
    r->tried = 0;
    r->own =
        rd_kafka_msg_partitioner_murmur2(s->topic, s->fabric, strlen(s->fabric), count, NULL, NULL);
    return state_topic_begin_partition(s) || error_set(err, "%s", s->problem.text);
}

// Returns whether the record is the last of the partition.
static bool state_topic_take_record(struct state_topic *s, const rd_kafka_message_t *record)
{
    struct state_reading *r = &s->reading;
    int64_t first, end;
    if (record->err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
        return true;
    if (record->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        state_topic_fail(s, record->err, rd_kafka_message_errstr(record));
        return false;
    }
    if (r->end < 0 && rd_kafka_get_watermark_offsets(r->client->handle, s->options->state_topic,
                                                     record->partition, &first,
                                                     &end) == RD_KAFKA_RESP_ERR_NO_ERROR)
        r->end = end;
    if (record->key)
        r->found |=
            kept_state_found(s->kept, record->key, record->key_len, record->payload, record->len);
    return r->end >= 0 && record->offset + 1 >= r->end;
}

// The partition was read. Returns false if another one is to be read.
static bool state_topic_end_partition(struct state_topic *s)
{
    struct state_reading *r = &s->reading;
    rd_kafka_consume_stop(r->topic, state_topic_partition_at(r));
    s->partition = r->found ? state_topic_partition_at(r) : r->own;
    if (r->found || ++r->tried == r->count)
        return true;
    state_topic_begin_partition(s);
    return false;
}

// Goes on reading for a moment. Returns whether all is read.
static bool state_topic_read(struct state_topic *s)
{
    struct state_reading *r = &s->reading;
    const int64_t until = clock_now() + CALL_US;
    rd_kafka_message_t *records[RECORDS];
    bool ended = false;
    while (!ended && !s->failed && clock_now() < until) {
        const ssize_t n = rd_kafka_consume_batch(r->topic, state_topic_partition_at(r), STEP_MS,
                                                 records, RECORDS);
        bool last = false;
        for (ssize_t i = 0; i < n; i++) {
            last = (!last && state_topic_take_record(s, records[i])) || last;
            rd_kafka_message_destroy(records[i]);
        }
        s->moved_at = n > 0 ? clock_now() : s->moved_at;
        ended = last && state_topic_end_partition(s);
        rd_kafka_poll(r->client->handle, 0);
        state_topic_check_client(s, r->client);
    }
    return ended;
}

// Returns whether a reading goes on. False with a sentence in `problem` if it failed.
static bool state_topic_follow_reading(struct state_topic *s, bool *reads, struct error *err)
{
    *reads = kept_state_wants_reading(s->kept, clock_now());
    if (!*reads)
        return true;
    if (!s->reading.client && !state_topic_begin_reading(s, err))
        return false;
    if (!state_topic_read(s))
        return true;
    state_topic_end_reading(s);
    kept_state_end_reading(s->kept, clock_now());
    state_topic_ask_configuration(s);
    *reads = false;
    return true;
}

// Writing.

// Hands a document to librdkafka, and frees the document.
static rd_kafka_resp_err_t state_topic_produce(struct state_topic *s, struct kept_document *one)
{
    const size_t size = one->document ? strlen(one->document) : 0;
    const rd_kafka_resp_err_t code = rd_kafka_producev(
        s->client->handle, RD_KAFKA_V_RKT(s->topic), RD_KAFKA_V_PARTITION(s->partition),
        RD_KAFKA_V_KEY(one->key, strlen(one->key)), RD_KAFKA_V_VALUE(one->document, size),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(one->handle), RD_KAFKA_V_END);
    free(one->document);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
        kept_state_settle(s->kept, one->handle, false);
    return code;
}

static void state_topic_write(struct state_topic *s)
{
    struct kept_document one;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (kept_state_in_flight(s->kept) == 0)
        s->moved_at = clock_now();
    while (code == RD_KAFKA_RESP_ERR_NO_ERROR &&
           kept_state_in_flight(s->kept) < KEPT_STATE_DUE_MAX && kept_state_next(s->kept, &one))
        code = state_topic_produce(s, &one);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__QUEUE_FULL)
        state_topic_fail(s, code, rd_kafka_err2str(code));
}

static void state_topic_check_silence(struct state_topic *s, bool reads)
{
    if ((reads || kept_state_in_flight(s->kept) > 0) && clock_now() - s->moved_at > SILENCE_US)
        state_topic_fail(s, RD_KAFKA_RESP_ERR__TIMED_OUT,
                         s->down.text[0] ? s->down.text : "the brokers do not answer");
}

static bool state_topic_step(struct state_topic *s, bool *is_busy, struct error *err)
{
    bool reads = false;
    if (!state_topic_begin(s, err) || !state_topic_follow_reading(s, &reads, err))
        return false;
    kept_state_compare(s->kept, clock_now());
    state_topic_write(s);
    rd_kafka_poll(s->client->handle, kept_state_in_flight(s->kept) > 0 ? STEP_MS : 0);
    state_topic_take_configuration(s);
    state_topic_check_client(s, s->client);
    state_topic_check_silence(s, reads);
    if (s->is_lost)
        kept_state_read_again(s->kept);
    s->is_lost = false;
    *is_busy = reads || kept_state_is_busy(s->kept);
    return !s->failed || error_set(err, "%s", s->problem.text);
}

static bool state_topic_keep(void *self, struct sink_progress *progress, struct error *err)
{
    struct state_topic *s = self;
    const bool was_plain = s->plain;
    if (clock_now() < s->retry_at)
        return error_set(err, "%s", s->problem.text);
    if (state_topic_step(s, &progress->is_busy, err)) {
        const size_t beyond = kept_state_beyond(s->kept);
        return beyond == 0 ||
               error_set(err, "%zu alarms are not in topic '%s', as there is room for %d", beyond,
                         s->options->state_topic, KEPT_STATE_MAX);
    }
    progress->is_busy = false;
    s->problem = *err;
    state_topic_close(s);
    kept_state_read_again(s->kept);
    if (s->plain != was_plain) // the next client does without idempotence
        return true;
    s->retry_at = clock_now() + PAUSE_US;
    progress->failed = 1;
    return false;
}

// The sink.

static void state_topic_free(void *self)
{
    struct state_topic *s = self;
    kept_state_free(s->kept);
    free(s);
}

void state_topic_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                      const struct module_host *host)
{
    struct state_topic *s = memory_zeroed(1, sizeof *s);
    s->name = name;
    s->receiver = receiver;
    s->options = &receiver->kafka;
    s->log = host->log;
    s->fabric = host->alarms->fabric_name;
    s->kept =
        kept_state_new(host->alarms, s->options->state_refresh_s * CLOCK_US_PER_S, &random_system);
    *out = (struct sink){
        .keep = state_topic_keep, .close = state_topic_close, .free = state_topic_free, .self = s};
}
