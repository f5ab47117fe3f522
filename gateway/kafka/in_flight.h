// SPDX-License-Identifier: BSD-2-Clause
// The kind `kafka`. Its module (kafka.c) produces events to topics of Apache Kafka
// (librdkafka).
//
// The brokers confirm each event once all replicas in sync have the event (acks=all). With brokers
// that have idempotence, the producer is idempotent. With other brokers, the events have an order
// key (sink/tickets.h): an event follows the event with the same key only after its confirmation.
// After a failure, unconfirmed events are produced again, so a consumer may see an event twice,
// with the same identifier.
//
// Decides: When do the brokers of Kafka have an event?
#pragma once

#include "model/receiver_conf.h"

enum { KAFKA_IN_FLIGHT_MAX = 4096 };
