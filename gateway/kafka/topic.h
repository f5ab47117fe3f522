// SPDX-License-Identifier: BSD-2-Clause
// The topic of an event, from a template.
#ifndef IBTRAPD_KAFKA_TOPIC_H
#define IBTRAPD_KAFKA_TOPIC_H

#include "model/event.h"

enum { TOPIC_SIZE = 250 }; // Kafka's topics have 249 characters at most

// Replaces {severity} and {category} by their words, and {subnet} by the 16 digits of the subnet
// prefix. Another brace stays as it is.
void topic_write(const char *template, const struct event *event, char out[TOPIC_SIZE]);

#endif
