// SPDX-License-Identifier: BSD-2-Clause
// librdkafka's mock cluster in a program of its own: a gateway and kcat are its clients.
//
//   kafka_broker [BROKERS]     prints the brokers' addresses, then obeys lines on standard input:
//     down | up                all brokers
//     refuse N                 the next N requests to produce are too large
//     slow MS                  every answer comes so many milliseconds later
//     single TOPIC             makes a topic with one partition
//     lead TOPIC BROKER        that broker (1: the first) leads the topic's first partition
//
// It prints "done" when it has obeyed a line. It ends with its input.
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCE = 0, LINE_SIZE = 64 };

static void obey(rd_kafka_mock_cluster_t *cluster, const char *line)
{
    char topic[32];
    int broker;
    if (strcmp(line, "down\n") == 0)
        rd_kafka_mock_broker_set_down(cluster, -1);
    else if (strcmp(line, "up\n") == 0)
        rd_kafka_mock_broker_set_up(cluster, -1);
    else if (strncmp(line, "slow ", 5) == 0)
        rd_kafka_mock_broker_set_rtt(cluster, -1, (int)strtol(line + 5, NULL, 10));
    else if (sscanf(line, "single %31s", topic) == 1)
        rd_kafka_mock_topic_create(cluster, topic, 1, 1);
    else if (sscanf(line, "lead %31s %d", topic, &broker) == 2)
        rd_kafka_mock_partition_set_leader(cluster, topic, 0, broker);
    for (long n = strncmp(line, "refuse ", 7) == 0 ? strtol(line + 7, NULL, 10) : 0; n > 0; n--)
        rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1,
                                          RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
}

int main(int argc, char **argv)
{
    char reason[200], line[LINE_SIZE];
    const int brokers = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    rd_kafka_t *client =
        rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), reason, sizeof reason);
    rd_kafka_mock_cluster_t *cluster = client ? rd_kafka_mock_cluster_new(client, brokers) : NULL;
    if (!cluster)
        return EXIT_FAILURE;
    printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        obey(cluster, line);
        puts("done");
        fflush(stdout);
    }
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(client);
    return EXIT_SUCCESS;
}
