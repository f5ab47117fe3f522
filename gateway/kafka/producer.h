// SPDX-License-Identifier: BSD-2-Clause
// A client of librdkafka with what its threads use. Its end waits for these threads, and so for
// what a broker made them do, such as a million iterations of SCRAM. So a client ends in a thread
// of its own, which may outlive the sink, and a receiver has one client at a time: it begins the
// next one when the one before has ended, so that no request of that one comes late.
#ifndef IBTRAPD_KAFKA_PRODUCER_H
#define IBTRAPD_KAFKA_PRODUCER_H

#include "base/error.h"
#include "kafka/options.h"
#include "kafka/values.h"

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PRODUCER_GAPLESS "enable.gapless.guarantee" // a setting of librdkafka

// Returns librdkafka's settings for a receiver's options; they are the caller's. `batch_size`:
// octets in one request, unless the user's settings say so; 0: librdkafka decides. Returns NULL
// with a sentence, which has no secret, if librdkafka does not accept a setting, or if a setting is
// not the user's.
rd_kafka_conf_t *producer_settings(const struct kafka_options *options, bool idempotent,
                                   unsigned batch_size, struct error *err);

enum {
    PRODUCER_ENDING_MAX = 64,   // clients of all receivers that still end; none begins meanwhile
    PRODUCER_BROKERS_MAX = 1000 // end a client that has more: each takes a thread, and librdkafka
                                // takes 10,000 from each answer of a broker
};

// The opaque pointer of librdkafka's callbacks.
struct producer {
    rd_kafka_t *handle;
    void *_Atomic sink; // whose callbacks these are; NULL once the client ends
    // Monotonic: librdkafka's threads wait for names no longer, as the client's end waits for them.
    _Atomic int64_t look_up_until;
    struct values values; // of messages that it has yet to report
    atomic_uint brokers;  // threads that librdkafka has for brokers
    uint64_t owner;       // which receiver's it is: clients with equal numbers follow each other
    struct producer *next;
};

// Waits until `until` (monotonic microseconds) for the end of the owner's client before. False: it
// has not ended, or PRODUCER_ENDING_MAX others have not; the sentence names the brokers. Any
// thread.
bool producer_await_former(uint64_t owner, int64_t until, const char *brokers, struct error *err);

// Makes a client, which looks up names until `look_up_until`; change that as you like. Takes over
// `conf`, and sets its opaque pointer and its resolver. NULL with a sentence. Any thread.
struct producer *producer_begin(rd_kafka_conf_t *conf, void *sink, uint64_t owner,
                                int64_t look_up_until, struct error *err);

// Ends the client, which no longer is the caller's, and gives up what it has not sent. Waits for
// its end for `patience_us` at most, unless no thread can be made for it: then until it has ended.
// False: it still ends. Release its topics before. Any thread, but one that is within a call with
// this client.
bool producer_end(struct producer *producer, int64_t patience_us);

// Waits for the end of all clients that end, for `patience_us` at most. False: one still ends, so
// that the process must not free what it uses. Any thread.
bool producer_settle(int64_t patience_us);

#endif
