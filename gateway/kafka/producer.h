// SPDX-License-Identifier: BSD-2-Clause
// A client of librdkafka, and everything that the client's threads use. The end of a client waits
// for these threads, and so for work from a broker, for instance a million iterations of SCRAM. So
// a client ends in a thread of its own, which may outlive the sink. A receiver has one client at a
// time: the next client begins when the earlier client has ended, and no request of the earlier
// client comes late.
//
// Decides: Which settings of librdkafka may a user set?
#pragma once

#include "base/error.h"
#include "kafka/in_flight.h"
#include "kafka/values.h"
#include "sink/answers.h"

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PRODUCER_GAPLESS "enable.gapless.guarantee" // a setting of librdkafka

// Returns librdkafka's settings for a receiver's options, the caller's. `batch_size`: octets in one
// request, unless the user's settings say so; 0: librdkafka decides. Returns NULL with a sentence,
// which has no secret, if librdkafka does not accept a setting, or if a setting is not the user's.
rd_kafka_conf_t *producer_settings(const struct conf_receiver *receiver, bool idempotent,
                                   unsigned batch_size, struct error *err);

enum {
    PRODUCER_ENDING_MAX = 64,    // clients of all receivers that still end; none begins meanwhile
    PRODUCER_BROKERS_MAX = 1000, // end a client that has more: each takes a thread, and librdkafka
                                 // takes 10,000 from each answer of a broker
    // Octets of one answer, unless the user's settings say so. librdkafka makes up to 82 octets of
    // each octet of an answer about brokers and topics, and keeps them.
    PRODUCER_ANSWER_MAX = 64 << 10,
    PRODUCER_ANSWER_TAKES = 82,
    PRODUCER_BROKER_TAKES = 32 << 10, // octets that librdkafka's thread for a broker takes
};

// The opaque pointer of librdkafka's callbacks.
struct producer {
    rd_kafka_t *handle;
    void *_Atomic sink; // the callbacks' sink; NULL once the client ends
    // Monotonic: later, librdkafka's threads wait for no name, because the client's end waits for
    // the threads.
    _Atomic int64_t look_up_until;
    struct values values; // of messages without a report
    atomic_uint brokers;  // threads that librdkafka has for brokers
    struct answers told;  // answers about brokers and topics, and the threads of brokers
    uint64_t owner;       // of a receiver: clients with equal numbers follow each other
    struct producer *next;
};

// Waits until `until` (monotonic microseconds) for the end of the owner's earlier client. Returns
// false if this client has not ended, or if PRODUCER_ENDING_MAX clients have not ended; the
// sentence names the brokers. Any thread.
bool producer_await_former(uint64_t owner, int64_t until, const char *brokers, struct error *err);

// Makes a client that looks up names until `look_up_until`, which the caller may change. Takes over
// `conf`, and sets its opaque pointer and its resolver. Returns NULL with a sentence. Any thread.
struct producer *producer_begin(rd_kafka_conf_t *conf, rd_kafka_type_t type, void *sink,
                                uint64_t owner, int64_t look_up_until, struct error *err);

// Ends the client, which no longer is the caller's, and gives up all messages that were not sent.
// Waits for the end for `patience_us` at most, or without limit if no thread can be made for the
// end. Returns false if the client still ends. Release the client's topics before. Any thread, but
// not within a call with this client.
bool producer_end(struct producer *producer, int64_t patience_us);

// Waits for the end of all clients that end, for `patience_us` at most. Returns false if a client
// still ends; then the process must not free what the client uses. Any thread.
bool producer_settle(int64_t patience_us);
