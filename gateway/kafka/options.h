// SPDX-License-Identifier: BSD-2-Clause
// The options of the kind `kafka`. Its module (kafka.c) produces events to topics of Apache Kafka
// (librdkafka).
//
// The brokers confirm each event once all replicas in sync have it (acks=all); confirmations count
// in the order of the events. Where the brokers have it, the producer is idempotent; where they do
// not, an event follows the one with its key only when that is confirmed, so that the order holds.
// After a failure pending events are produced again, so that a consumer may see an event twice: it
// knows it by its identifier.
//
// The daemon fills them in and the module reads them; nothing else of this folder is in the daemon.
#ifndef IBTRAPD_KAFKA_OPTIONS_H
#define IBTRAPD_KAFKA_OPTIONS_H

#include "sink/format.h"
#include "sink/tls.h"

enum {
    KAFKA_IN_FLIGHT_MAX = 4096,
    KAFKA_SETTINGS_MAX = 16,
    KAFKA_SETTING_SIZE = 256,
};

struct kafka_options {
    const char *brokers; // "HOST:PORT", with commas between them
    const char *topic;   // kafka/topic.h
    enum format format;  // FORMAT_JSON, FORMAT_ECS or FORMAT_CLOUDEVENTS
    bool uses_tls;
    struct tls_options tls;      // `name` is not used: a broker's certificate has its host's name
    const char *mechanism;       // of SASL: "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"; NULL: none
    const char *user, *password; // of SASL
    const char (*settings)[KAFKA_SETTING_SIZE]; // librdkafka's own, as "name=value"; empty: none
    size_t setting_count;
};

#endif
