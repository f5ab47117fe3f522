// SPDX-License-Identifier: BSD-2-Clause
// The comparison for Kafka: a bare librdkafka producer of one value again and again, with what the
// gateway's messages have, keys of as many ports, headers and time, and with the same settings.
// Prints JSON.
//
//   bench-bare-kafka BROKERS COUNT [json]
//
// json: it makes each value anew, with the gateway's code.
//
// It ends when all is confirmed.
#include "bare.h"

#include "base/clock.h"
#include "kafka/producer.h"
#include "model/catalogue.h"
#include "sink/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS = 4, POLL_EVERY = 64, PORTS = 49151 };

static unsigned long confirmed;

// Adds the fields of the flood's events: the values have the same length.
static void complete(struct event *event)
{
    static const uint8_t ISSUER[ADDRESS_GID_SIZE] = {0xFE, 0x80, [9] = 2, 0xC9, 3,
                                                     0,    0xA1, 0xB2,    0xC3};
    strcpy(event->subject.name, "host00001");
    strcpy(event->text, "host00001 came into service with GID fe80::2:c9f0:0:1.");
    event->subnet_prefix = UINT64_C(0xfe80000000000000);
    event->issuer.guid = UINT64_C(0x0002c90300a1b2c3);
    memcpy(event->issuer.gid, ISSUER, sizeof ISSUER);
}

static void on_report(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
    (void)client;
    (void)opaque;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        bare_give_up(rd_kafka_err2str(message->err));
    confirmed++;
}

static rd_kafka_t *make_client(const char *brokers)
{
    char reason[200];
    struct error err;
    static struct conf_receiver receiver;
    snprintf(receiver.kafka.brokers, sizeof receiver.kafka.brokers, "%s", brokers);
    rd_kafka_conf_t *conf = producer_settings(&receiver, true, 0, &err);
    if (!conf)
        bare_give_up(err.text);
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    if (!client)
        bare_give_up(reason);
    return client;
}

static rd_kafka_headers_t *make_headers(const struct event *event)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(HEADERS);
    if (!headers)
        bare_give_up("out of memory");
    rd_kafka_header_add(headers, "id", -1, event->id, -1);
    rd_kafka_header_add(headers, "type", -1, event->type->name, -1);
    rd_kafka_header_add(headers, "severity", -1, severity_word(event->severity), -1);
    rd_kafka_header_add(headers, "content-type", -1, "application/json", -1);
    return headers;
}

static void produce(rd_kafka_t *client, rd_kafka_topic_t *topic, const struct event *event,
                    const struct text *value)
{
    char key[FORMAT_KEY_SIZE];
    const size_t key_size = format_key(event, key);
    rd_kafka_headers_t *headers = make_headers(event);
    while (rd_kafka_producev(client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_KEY(key, key_size),
                             RD_KAFKA_V_VALUE(value->buf, value->len), RD_KAFKA_V_HEADERS(headers),
                             RD_KAFKA_V_TIMESTAMP(event->time_us / CLOCK_US_PER_MS),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR__QUEUE_FULL)
        rd_kafka_poll(client, 10);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        bare_give_up("usage: bench-bare-kafka BROKERS COUNT [json]");
    char buffer[FORMAT_SIZE];
    struct text value = text_in(buffer, sizeof buffer);
    struct event *event = bare_event();
    complete(event);
    const unsigned long count = strtoul(argv[2], NULL, 10);
    format_line(&value, FORMAT_JSON, NULL, event);
    rd_kafka_t *client = make_client(argv[1]);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, "ibtrapd", NULL);
    const int64_t begin = clock_monotonic(&clock_system);
    const uint64_t first = event->subject.guid;
    for (unsigned long i = 0; i < count; i++) {
        event->subject.guid = first + i % PORTS;
        if (argc > 3) {
            value = text_in(buffer, sizeof buffer);
            format_line(&value, FORMAT_JSON, NULL, event);
        }
        produce(client, topic, event, &value);
        if (i % POLL_EVERY == 0)
            rd_kafka_poll(client, 0);
    }
    while (confirmed < count)
        rd_kafka_poll(client, 100);
    const double seconds = (double)(clock_monotonic(&clock_system) - begin) / 1e6;
    printf("{\"sent\": %lu, \"done\": %lu, \"octets\": %zu, \"s\": %.4f, \"perS\": %.0f, "
           "\"cpuUs\": %.3f}\n",
           count, confirmed, value.len, seconds, (double)count / seconds,
           bare_cpu_s() * 1e6 / (double)count);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(client);
    event_unref(event);
    return EXIT_SUCCESS;
}
