// SPDX-License-Identifier: BSD-2-Clause
// The comparison for Kafka: a bare librdkafka producer, with the same settings, of the same message
// again and again. Prints JSON.
//
//   bench-bare-kafka BROKERS COUNT
//
// It ends when all is confirmed.
#include "bare.h"

#include "base/clock.h"
#include "kafka/settings.h"
#include "sink/format_key.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned long confirmed;

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
    const struct kafka_options options = {.brokers = brokers};
    rd_kafka_conf_t *conf = settings_make(&options, true, &err);
    if (!conf)
        bare_give_up(err.text);
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    if (!client)
        bare_give_up(reason);
    return client;
}

static void produce(rd_kafka_t *client, const struct event *event, const struct text *value)
{
    char key[FORMAT_KEY_SIZE];
    const size_t key_size = format_key(event, key);
    const char *topic = "ibtrapd";
    while (rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_KEY(key, key_size),
                             RD_KAFKA_V_VALUE(value->buf, value->len),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR__QUEUE_FULL)
        rd_kafka_poll(client, 10);
    rd_kafka_poll(client, 0);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        bare_give_up("usage: bench-bare-kafka BROKERS COUNT");
    char buffer[FORMAT_SIZE];
    struct text value = text_in(buffer, sizeof buffer);
    struct event *event = bare_event();
    const unsigned long count = strtoul(argv[2], NULL, 10);
    format_line(&value, FORMAT_JSON, NULL, event);
    rd_kafka_t *client = make_client(argv[1]);
    const int64_t begin = clock_monotonic(&clock_system);
    for (unsigned long i = 0; i < count; i++)
        produce(client, event, &value);
    while (confirmed < count)
        rd_kafka_poll(client, 100);
    const double seconds = (double)(clock_monotonic(&clock_system) - begin) / 1e6;
    printf("{\"sent\": %lu, \"done\": %lu, \"octets\": %zu, \"s\": %.4f, \"perS\": %.0f, "
           "\"cpuUs\": %.3f}\n",
           count, confirmed, value.len, seconds, (double)count / seconds,
           bare_cpu_s() * 1e6 / (double)count);
    rd_kafka_destroy(client);
    event_unref(event);
    return EXIT_SUCCESS;
}
