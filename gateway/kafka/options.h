// SPDX-License-Identifier: BSD-2-Clause
// The options of the kind `kafka`. Its module (kafka.c) produces events to topics of Apache Kafka
// (librdkafka).
//
// The brokers confirm each event once all replicas in sync have the event (acks=all). With brokers
// that have idempotence, the producer is idempotent. With other brokers, the events have an order
// key (sink/tickets.h): an event follows the event with the same key only after its confirmation.
// After a failure, unconfirmed events are produced again, so a consumer may see an event twice,
// with the same identifier.
//
// Decides: When do the brokers of Kafka have an event?
//
// The daemon fills in the options, and the module reads the options; nothing else of this folder is
// in the daemon.
#pragma once

#include "sink/format.h"
#include "sink/tls.h"

enum {
    KAFKA_IN_FLIGHT_MAX = 4096,
    KAFKA_SETTINGS_MAX = 16,
    KAFKA_SETTING_SIZE = 256,
};

struct kafka_options {
    const char *brokers;      // "HOST:PORT", with commas between them
    const char *topic;        // kafka/topic.h
    const char *state_topic;  // kafka/state_topic.h; empty: none
    unsigned state_refresh_s; // until all is read, and written anew
    enum format format;       // FORMAT_JSON, FORMAT_ECS or FORMAT_CLOUDEVENTS
    bool uses_tls;
    struct tls_options tls;      // `name` is not used: a broker's certificate has its host's name
    const char *mechanism;       // of SASL: "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"; NULL: none
    const char *user, *password; // of SASL
    const char (*settings)[KAFKA_SETTING_SIZE]; // librdkafka's own, as "name=value"; empty: none
    size_t setting_count;
};
