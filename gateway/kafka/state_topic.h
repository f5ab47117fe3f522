// SPDX-License-Identifier: BSD-2-Clause
// The sink of a receiver with a state topic: the last record of each key is the alarm as it is now,
// a record without a value ends the alarm (sink/kept_state.h). The receiver gets no events.
//
// Decides: To which partition of a state topic do the alarms of a fabric go?
//
// All records of a fabric are in one partition, in order. The name of the fabric decides which one,
// as in Kafka's own clients (murmur2), unless another partition has records of the fabric already:
// partitions that are added later do not move a fabric.
#pragma once

#include "kafka/in_flight.h"
#include "sink/module.h"

// All outlive the sink.
void state_topic_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                      const struct module_host *host);
