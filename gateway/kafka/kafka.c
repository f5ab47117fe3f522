// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/in_flight.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/secret.h"
#include "install.h"
#include "kafka/producer.h"
#include "kafka/state_topic.h"
#include "kafka/topic.h"
#include "sink/format.h"
#include "sink/module.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

// Time limits: to find a broker; within this limit, to await the end of the earlier client; to find
// a broker once all brokers refused, so that each address of a name has its turn; to end a client,
// whose end then goes on without this receiver; to confirm the oldest event; the same where no
// broker answers.
static const int64_t OPEN_US = 4 * CLOCK_US_PER_S, FORMER_US = 5 * CLOCK_US_PER_S / 2;
static const int64_t OPEN_REFUSED_US = CLOCK_US_PER_S;
static const int64_t END_US = CLOCK_US_PER_S * 2 / 5;
static const int64_t CONFIRM_US = 30 * CLOCK_US_PER_S;
static const int64_t DOWN_US = 5 * CLOCK_US_PER_S;
static const int64_t YOUNG_US = 60 * CLOCK_US_PER_S; // events of this age have not waited

// Octets in one request: librdkafka's limit, and the room for an event or two. A larger event goes
// alone.
enum { BATCH_SIZE_MAX = 1000000, BATCH_SIZE_MIN = 2048 };
enum { STEP_MS = 100, STEP_MAX_MS = 800, SETTLE_MS = 100, SETTLE_STEPS = 5, HEADERS = 4 };

struct kafka_sink {
    const struct conf_receiver *receiver;
    const struct conf_kafka *options; // of the receiver
    struct log *log;
    struct log_limit limit;
    struct format_origin origin;
    struct format_process process;

    uint64_t owner;              // of this receiver's clients
    struct producer *current;    // NULL: it is not open
    struct topic_handles topics; // of the current client
    bool plain;                  // the brokers have no idempotence
    struct tickets *tickets; // the mark of a ticket is the time that its message got; 0: of sending
    int64_t down_since;      // monotonic: since when no broker answers; 0: one does
    struct error down;       // the latest reason why a broker does not answer; empty: none yet
    bool hopeless;           // the reason will not pass by itself, such as a wrong password

    bool failed;          // `problem` says why
    struct error problem; // the first failure

    // A topic refused the time of an event: events of this age or older get the time of sending,
    // until no event waits (microseconds). 0: no time was refused.
    int64_t too_old_us;
    unsigned batch_size; // octets in one request; 0: librdkafka decides
};

// How far an event's time is from now, on either side.
static int64_t kafka_age(int64_t time_us)
{
    return llabs(clock_utc(&clock_system) - time_us);
}

// The reports of librdkafka. rd_kafka_poll calls these functions.

static bool kafka_is_too_large(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
           code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE;
}

// Whether the broker refuses this event, and will refuse the event again.
static bool kafka_is_refusal(rd_kafka_resp_err_t code)
{
    return kafka_is_too_large(code) || code == RD_KAFKA_RESP_ERR_INVALID_MSG ||
           code == RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

static bool kafka_explain(struct error *err, rd_kafka_resp_err_t code, const char *topic)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
        return error_set(err,
                         "an event is too large for topic '%s': raise its max.message.bytes, and "
                         "message.max.bytes if 'settings' has it",
                         topic);
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        return error_set(err,
                         "there is no topic '%s': make it with kafka-topics, or let the brokers "
                         "make topics (auto.create.topics.enable)",
                         topic);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        return error_set(err,
                         "the brokers do not let this user write to topic '%s': give it the rights "
                         "Write and Describe on the topic",
                         topic);
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
        return error_set(err, "the brokers do not let this user write idempotently: give it the "
                              "right IdempotentWrite on the cluster");
    default:
        return error_set(err, "topic '%s': %s", topic, rd_kafka_err2str(code));
    }
}

// A topic takes messages of a certain time only, to protect its index and its retention. The event
// itself is not refused: the value has the event's own time.
static void kafka_explain_time(struct error *err, bool was_own, const char *topic)
{
    if (!was_own)
        error_set(err,
                  "topic '%s' does not take the time of sending: set the clocks of this machine "
                  "and of the brokers right",
                  topic);
    else
        error_set(err,
                  "topic '%s' does not take the time of an event: events as old get the time of "
                  "sending; message.timestamp.before.max.ms and after.max.ms decide",
                  topic);
}

// Finds out from which age on events are too old. The brokers do not say which event in flight was
// too old. So the limit is half the age of the oldest event with its own time: few failures find a
// topic's limit, however many events wait, and young events keep their time. If even an event
// younger than a minute was refused, all times are refused. Returns false if no event had its own
// time.
static bool kafka_note_time(struct kafka_sink *s)
{
    int64_t oldest = -1;
    uint64_t ticket = 0;
    while ((ticket = tickets_behind(s->tickets, ticket)) != 0) {
        const int64_t time_us = (int64_t)tickets_at(s->tickets, ticket)->mark;
        if (time_us != 0 && kafka_age(time_us) > oldest)
            oldest = kafka_age(time_us);
    }
    const int64_t half = oldest < YOUNG_US ? 1 : oldest / 2;
    if (oldest >= 0 && (s->too_old_us == 0 || half < s->too_old_us))
        s->too_old_us = half;
    return oldest >= 0;
}

static void kafka_on_fatal(struct kafka_sink *s, rd_kafka_t *client)
{
    char reason[300];
    const rd_kafka_resp_err_t code = rd_kafka_fatal_error(client, reason, sizeof reason);
    // The brokers refused an event, and no event may follow: the report of the refused event says
    // more.
    if (code == RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE)
        return;
    const bool lacks = code == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE;
    if (lacks && !s->plain && s->log)
        log_write(
            s->log, LOG_LEVEL_INFO,
            "the brokers %s have no idempotence, which needs Kafka 0.11: after a failure they "
            "may have an event twice, with the same identifier",
            s->options->brokers);
    s->plain |= lacks;
    if (!s->failed)
        error_set(&s->problem, "%s", reason);
    s->failed = true;
}

// A topic may take less in one request than librdkafka sends: the next client sends less.
static void kafka_shrink_batches(struct kafka_sink *s)
{
    const unsigned less = (s->batch_size > 0 ? s->batch_size : BATCH_SIZE_MAX) / 4;
    s->batch_size = less > BATCH_SIZE_MIN ? less : BATCH_SIZE_MIN;
}

static void kafka_on_report(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
    struct kafka_sink *s = ((struct producer *)opaque)->sink;
    const char *topic = message->rkt ? rd_kafka_topic_name(message->rkt) : "";
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        tickets_settle(s->tickets, (uintptr_t)message->_private, TICKET_DONE);
        return;
    }
    if (message->err == RD_KAFKA_RESP_ERR__FATAL)
        kafka_on_fatal(s, client);
    if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
        message->err == RD_KAFKA_RESP_ERR__FATAL ||
        message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT || s->failed)
        return;
    if (message->err == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP)
        kafka_explain_time(&s->problem, kafka_note_time(s), topic);
    else
        kafka_explain(&s->problem, message->err, topic);
    s->failed = true;
    if (!kafka_is_refusal(message->err))
        return;
    if (s->tickets->in_flight > 1 && kafka_is_too_large(message->err))
        kafka_shrink_batches(s);
    // Only librdkafka knows which event of a request is too large: each event is doubted.
    uint64_t ticket = 0;
    while ((ticket = tickets_behind(s->tickets, ticket)) != 0)
        tickets_settle(s->tickets, ticket, TICKET_DOUBTED);
}

static void kafka_on_error(rd_kafka_t *client, int code, const char *reason, void *opaque)
{
    struct kafka_sink *s = ((struct producer *)opaque)->sink;
    switch (code) {
    case RD_KAFKA_RESP_ERR__FATAL:
        kafka_on_fatal(s, client);
        break;
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        if (s->down_since == 0)
            s->down_since = clock_now();
        break;
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR__SSL:
        s->hopeless = true;
        error_set(&s->down, "%s", reason);
        break;
    default:
        if (!s->hopeless)
            error_set(&s->down, "%s", reason);
        break;
    }
}

static void kafka_on_log(const rd_kafka_t *client, int level, const char *facility,
                         const char *text)
{
    struct kafka_sink *s = ((struct producer *)rd_kafka_opaque(client))->sink;
    // Nobody needs to know that librdkafka calls the warranty against gaps an experiment.
    if (strcmp(facility, "CONFWARN") == 0 && strstr(text, PRODUCER_GAPLESS))
        return;
    if (level <= LOG_WARNING && s && s->log)
        log_write_limited(s->log, &s->limit, LOG_LEVEL_WARNING, "librdkafka %s: %s", facility,
                          text);
}

// Opening and closing.

// Returns false if librdkafka still ends the client.
static bool kafka_end(struct kafka_sink *s, int64_t patience_us)
{
    topic_release_all(&s->topics);
    const bool ended = producer_end(s->current, patience_us);
    s->current = NULL;
    return ended;
}

static bool kafka_begin(struct kafka_sink *s, int64_t until, struct error *err)
{
    rd_kafka_conf_t *conf = producer_settings(s->receiver, !s->plain, s->batch_size, err);
    if (!conf)
        return false;
    rd_kafka_conf_set_dr_msg_cb(conf, kafka_on_report);
    rd_kafka_conf_set_error_cb(conf, kafka_on_error);
    rd_kafka_conf_set_log_cb(conf, kafka_on_log);
    s->current = producer_begin(conf, RD_KAFKA_PRODUCER, s, s->owner, until, err);
    if (!s->current)
        return false;
    rd_kafka_set_log_queue(s->current->handle, NULL);
    return true;
}

static void kafka_check_brokers(struct kafka_sink *s)
{
    if (s->failed)
        return;
    s->failed = true;
    if (atomic_load(&s->current->brokers) > PRODUCER_BROKERS_MAX)
        error_set(&s->problem,
                  "the brokers %s say that there are more than %d of them, each of which would "
                  "take a thread here: look whether they are yours",
                  s->options->brokers, PRODUCER_BROKERS_MAX);
    else if (answers_are_beyond(&s->current->told, ANSWERS_MAX))
        error_set(&s->problem,
                  "the brokers %s say too much about themselves or their topics for the memory "
                  "that the brokers of all receivers may take: look whether they are yours, and "
                  "whether the topics need so many partitions",
                  s->options->brokers);
    else
        s->failed = false;
}

static bool kafka_is_worth_waiting(const struct kafka_sink *s, int64_t until)
{
    const int64_t now = clock_now();
    const bool down = s->down_since != 0 && (s->hopeless || now - s->down_since > OPEN_REFUSED_US);
    return now < until && !s->failed && !down;
}

// Waits until a broker answers. Then lets librdkafka find out for a moment whether it has
// idempotence.
static bool kafka_find_broker(struct kafka_sink *s, int64_t until, struct error *err)
{
    bool found = false;
    int patience_ms = STEP_MS;
    while (!found && kafka_is_worth_waiting(s, until)) {
        const struct rd_kafka_metadata *answer;
        const int left_ms = (int)((until - clock_now()) / CLOCK_US_PER_MS) + 1;
        const rd_kafka_resp_err_t code = rd_kafka_metadata(
            s->current->handle, 0, NULL, &answer, patience_ms < left_ms ? patience_ms : left_ms);
        found = code == RD_KAFKA_RESP_ERR_NO_ERROR;
        if (found)
            rd_kafka_metadata_destroy(answer);
        // The broker got the request: one far away needs longer.
        if (code == RD_KAFKA_RESP_ERR__TIMED_OUT && patience_ms < STEP_MAX_MS)
            patience_ms *= 2;
        rd_kafka_poll(s->current->handle, 0);
        kafka_check_brokers(s);
    }
    for (int i = 0; i < SETTLE_STEPS && found && !s->plain; i++)
        rd_kafka_poll(s->current->handle, SETTLE_MS / SETTLE_STEPS);
    if (found && !s->failed)
        return true;
    if (s->failed)
        return error_set(err, "%s", s->problem.text);
    return error_set(err, "no broker of %s answers%s%s", s->options->brokers,
                     s->down.text[0] ? ": " : "", s->down.text);
}

// Ends the client, which found no broker.
static void kafka_give_up(struct kafka_sink *s, struct error *err)
{
    const bool has_reason = s->failed || s->down.text[0] != '\0';
    if (!kafka_end(s, END_US) && !has_reason)
        error_set(err,
                  "no broker of %s lets this gateway in: librdkafka still works on what one sent, "
                  "such as a number of SCRAM iterations that is far too high",
                  s->options->brokers);
}

static bool kafka_connect(struct kafka_sink *s, int64_t until, struct error *err)
{
    const int64_t former_until = clock_now() + FORMER_US;
    s->failed = s->hopeless = false;
    s->down_since = 0;
    s->down.text[0] = '\0';
    if (!producer_await_former(s->owner, former_until < until ? former_until : until,
                               s->options->brokers, err) ||
        !kafka_begin(s, until, err))
        return false;
    if (kafka_find_broker(s, until, err)) {
        atomic_store(&s->current->look_up_until, INT64_MAX);
        return true;
    }
    kafka_give_up(s, err);
    return false;
}

// The order key without idempotence. Without idempotence, librdkafka sends a failed request again
// after later requests.
static uint64_t kafka_order_key(const struct event *event)
{
    char key[FORMAT_KEY_SIZE];
    const size_t size = format_key(event, key);
    return digest_add(DIGEST_OF_NOTHING, key, size);
}

static bool kafka_open(void *self, struct tickets *tickets, struct error *err)
{
    struct kafka_sink *s = self;
    const int64_t until = clock_now() + OPEN_US;
    const bool was_plain = s->plain;
    s->tickets = tickets;
    const bool ok =
        kafka_connect(s, until, err) || (s->plain != was_plain && kafka_connect(s, until, err));
    tickets->order_key = s->plain ? kafka_order_key : NULL;
    return ok;
}

static void kafka_close(void *self)
{
    struct kafka_sink *s = self;
    if (s->current) // `idle` may have ended it
        kafka_end(s, END_US);
}

// Sending.

static rd_kafka_headers_t *kafka_headers(const struct kafka_sink *s, const struct event *event)
{
    rd_kafka_headers_t *headers = memory_need(rd_kafka_headers_new(HEADERS));
    const char *type = s->options->format == FORMAT_CLOUDEVENTS
                           ? "application/cloudevents+json; charset=UTF-8"
                           : "application/json";
    rd_kafka_header_add(headers, "id", -1, event->id, -1);
    rd_kafka_header_add(headers, "type", -1, event->type->name, -1);
    rd_kafka_header_add(headers, "severity", -1, severity_word(event->severity), -1);
    rd_kafka_header_add(headers, "content-type", -1, type, -1);
    return headers;
}

// The time of the next message; 0: now.
static int64_t kafka_time_ms(struct kafka_sink *s, const struct event *event)
{
    const bool too_old = s->too_old_us != 0 && kafka_age(event->time_us) >= s->too_old_us;
    const int64_t time_us = too_old ? 0 : event->time_us;
    tickets_at(s->tickets, s->tickets->newest)->mark = (uint64_t)time_us;
    return time_us / CLOCK_US_PER_MS;
}

static rd_kafka_resp_err_t kafka_produce(struct kafka_sink *s, const struct event *event,
                                         const struct text *value)
{
    rd_kafka_topic_t *topic = topic_find(&s->topics, s->current->handle, s->options->topic, event);
    if (!topic)
        return rd_kafka_last_error();
    char key[FORMAT_KEY_SIZE];
    const size_t key_size = format_key(event, key);
    const int64_t time_ms = kafka_time_ms(s, event);
    const char *key_or_none = key_size != 0 ? key : NULL;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no address
    void *number = (void *)(uintptr_t)s->tickets->newest;
    rd_kafka_headers_t *headers = kafka_headers(s, event);
    const rd_kafka_resp_err_t code = rd_kafka_producev(
        s->current->handle, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_KEY(key_or_none, key_size),
        RD_KAFKA_V_VALUE(value->buf, value->len), RD_KAFKA_V_HEADERS(headers),
        RD_KAFKA_V_TIMESTAMP(time_ms), RD_KAFKA_V_MSGFLAGS(0), // it stays in `values`
        RD_KAFKA_V_OPAQUE(number), RD_KAFKA_V_END);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
        rd_kafka_headers_destroy(headers);
    return code;
}

// Whether librdkafka itself refuses the event, by the user's settings, while nothing else waits.
static bool kafka_explain_own(struct error *err, rd_kafka_resp_err_t code)
{
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL && code != RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        return false;
    error_set(
        err, "an event is too large for this receiver's own 'settings': raise %s, or leave it out",
        code == RD_KAFKA_RESP_ERR__QUEUE_FULL ? "queue.buffering.max.kbytes" : "message.max.bytes");
    return true;
}

static enum sink_result kafka_note_failure(struct kafka_sink *s, rd_kafka_resp_err_t code,
                                           const struct event *event, struct error *err)
{
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && s->tickets->in_flight > 1)
        return SINK_BLOCKED;
    if (kafka_is_refusal(code) || code == RD_KAFKA_RESP_ERR__QUEUE_FULL)
        tickets_settle(s->tickets, s->tickets->newest, TICKET_REFUSED);
    if (kafka_explain_own(err, code))
        return SINK_FAILED;
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        kafka_on_fatal(s, s->current->handle);
        if (!s->failed)
            return SINK_BLOCKED; // `wait` will say why
        *err = s->problem;
    } else {
        char topic[TOPIC_SIZE];
        topic_write(s->options->topic, event, topic);
        kafka_explain(err, code, topic);
    }
    return SINK_FAILED;
}

static enum sink_result kafka_send(void *self, const struct event *event, struct error *err)
{
    struct kafka_sink *s = self;
    if (s->failed) {
        *err = s->problem;
        return SINK_FAILED;
    }
    if (!s->current && !kafka_connect(s, clock_now() + OPEN_US, err)) // `idle` has ended it
        return SINK_FAILED;
    struct text value = values_room(&s->current->values);
    if (!value.buf)
        return SINK_BLOCKED;
    format_line(&value, s->options->format, &s->origin, event);
    const rd_kafka_resp_err_t code = kafka_produce(s, event, &value);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
        return kafka_note_failure(s, code, event, err);
    values_keep(&s->current->values, &value, s->tickets->newest);
    return SINK_PENDING;
}

// Confirmations.

// Fails if the oldest event waits too long.
static void kafka_check_time(struct kafka_sink *s, int64_t now)
{
    const int64_t moved_at = now - tickets_stalled_us(s->tickets, now);
    const int64_t since = s->down_since > moved_at ? s->down_since : moved_at;
    const bool down = s->down_since != 0 && (s->hopeless || now - since > DOWN_US);
    if (!down && now - moved_at <= CONFIRM_US)
        return;
    s->failed = true;
    error_set(&s->problem, "%s: %s",
              down ? "no broker answers" : "the brokers do not confirm an event",
              s->down.text[0] ? s->down.text : "librdkafka does not say why");
}

static bool kafka_wait(void *self, int timeout_ms, struct error *err)
{
    struct kafka_sink *s = self;
    if (!s->failed) {
        if (s->tickets->alone)
            rd_kafka_flush(s->current->handle, timeout_ms); // without `linger.ms`
        else
            rd_kafka_poll(s->current->handle, timeout_ms);
        kafka_check_brokers(s);
    }
    const bool waits = s->tickets->in_flight > 0;
    values_drop(&s->current->values, waits ? s->tickets->oldest : s->tickets->newest + 1);
    if (s->tickets->done > 0) {
        s->down_since = 0;
        s->hopeless = false;
    }
    if (!s->failed && waits)
        kafka_check_time(s, clock_now());
    return !s->failed || error_set(err, "%s", s->problem.text);
}

// Takes in librdkafka's reports, whose number would grow otherwise. Brokers that are away now may
// be back at the next event; librdkafka tells so then. A client that has failed ends now, and not
// only at the next event. So does a client that has kept much of the brokers' answers: the next
// event has a new client.
static void kafka_idle(void *self)
{
    struct kafka_sink *s = self;
    if (!s->current)
        return;
    rd_kafka_poll(s->current->handle, 0);
    kafka_check_brokers(s);
    if (s->failed || answers_are_beyond(&s->current->told, ANSWERS_MAX / 2))
        kafka_end(s, 0);
    s->hopeless = false;
    s->too_old_us = 0;
}

// The module.

static bool kafka_make(struct sink *out, const char *kind, const char *name, const void *options,
                       const struct module_host *host, struct error *err)
{
    (void)kind;
    (void)err;
    const struct conf_receiver *receiver = options;
    if (receiver->kafka.state_topic[0] != '\0') {
        state_topic_make(out, name, receiver, host);
        return true;
    }
    struct kafka_sink *s = memory_zeroed(1, sizeof *s);
    s->receiver = receiver;
    s->options = &receiver->kafka;
    s->log = host->log;
    s->owner = digest_add(digest_add(DIGEST_OF_NOTHING, name, strlen(name) + 1),
                          s->options->brokers, strlen(s->options->brokers));
    format_origin_own(&s->origin, &s->process);
    *out = (struct sink){.open = kafka_open,
                         .send = kafka_send,
                         .wait = kafka_wait,
                         .idle = kafka_idle,
                         .close = kafka_close,
                         .free = free,
                         .self = s,
                         .in_flight_max = KAFKA_IN_FLIGHT_MAX};
    return true;
}

static bool kafka_check(const char *kind, const void *options, struct error *err)
{
    char reason[300];
    struct conf_receiver *offline =
        memory_copy_octets(options, sizeof(struct conf_receiver)); // without brokers
    offline->kafka.brokers[0] = '\0';
    rd_kafka_conf_t *conf = producer_settings(offline, true, 0, err);
    secret_release(offline);
    (void)kind;
    if (!conf)
        return false;
    rd_kafka_conf_set_log_cb(conf, NULL);
    // Only here librdkafka finds settings that do not fit together, and files that cannot be read.
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    if (!client) {
        rd_kafka_conf_destroy(conf);
        return error_set(err, "librdkafka: %s", reason);
    }
    rd_kafka_destroy(client);
    return true;
}

const struct module ibtrapd_module = {MODULE_INTERFACE, INSTALL_VERSION, sizeof(struct event),
                                      kafka_make,       kafka_check,     producer_settle};
