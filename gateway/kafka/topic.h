// SPDX-License-Identifier: BSD-2-Clause
// The topic of an event, from a template, and librdkafka's handle of the topic.
//
// Decides: To which topic of Kafka does an event go?
#pragma once

#include "model/event.h"

#include <librdkafka/rdkafka.h>

enum {
    TOPIC_SIZE = 250,       // Kafka's topics have 249 characters at most
    TOPIC_HANDLES_MAX = 128 // a power of two
};

// Handles by their topics' names. If two handles need one place, the later handle replaces the
// earlier handle.
struct topic_handles {
    rd_kafka_topic_t *all[TOPIC_HANDLES_MAX]; // NULL: none is here
};

// Replaces {severity} and {category} by their words, {subnet} by the 16 digits of the subnet
// prefix, and {fabric} by the name of the fabric. Another brace stays.
void topic_write(const char *template, const struct event *event, char out[TOPIC_SIZE]);

// The handle of the event's topic, owned by `handles`. All calls have the same template and client.
// Returns NULL if there is no handle; rd_kafka_last_error says why.
rd_kafka_topic_t *topic_find(struct topic_handles *handles, rd_kafka_t *client,
                             const char *template, const struct event *event);

// Before the client's end.
void topic_release_all(struct topic_handles *handles);
