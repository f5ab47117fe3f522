// SPDX-License-Identifier: BSD-2-Clause
// A client of librdkafka with what its threads use. Its end waits for these threads, and so for
// what a broker made them do, such as a million iterations of SCRAM. So a client ends in a thread
// of its own, which may outlive the sink, and a receiver has one client at a time: it begins the
// next one when the one before has ended, so that no request of that one comes late.
#ifndef IBTRAPD_KAFKA_CLIENT_H
#define IBTRAPD_KAFKA_CLIENT_H

#include "kafka/values.h"

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CLIENT_ENDING_MAX = 64,   // clients of all receivers that still end; none begins meanwhile
    CLIENT_BROKERS_MAX = 1000 // end a client that has more: each takes a thread, and librdkafka
                              // takes 10,000 from each answer of a broker
};

// The opaque pointer of librdkafka's callbacks.
struct client {
    rd_kafka_t *handle;
    void *_Atomic sink; // whose callbacks these are; NULL once the client ends
    // Monotonic: librdkafka's threads wait for names no longer, as the client's end waits for them.
    _Atomic int64_t look_up_until;
    struct values values; // of messages that it has yet to report
    atomic_uint brokers;  // threads that librdkafka has for brokers
    uint64_t owner;       // which receiver's it is: clients with equal numbers follow each other
    struct client *next;
};

// Waits until `until` (monotonic microseconds) for the end of the owner's client before. False: it
// has not ended, or CLIENT_ENDING_MAX others have not; the sentence names the brokers. Any thread.
bool client_await_former(uint64_t owner, int64_t until, const char *brokers, struct error *err);

// Makes a client, which looks up names until `look_up_until`; change that as you like. Takes over
// `conf`, and sets its opaque pointer and its resolver. NULL with a sentence. Any thread.
struct client *client_begin(rd_kafka_conf_t *conf, void *sink, uint64_t owner,
                            int64_t look_up_until, struct error *err);

// Ends the client, which no longer is the caller's, and gives up what it has not sent. Waits for
// its end for `patience_us` at most, unless no thread can be made for it: then until it has ended.
// False: it still ends. Release its topics before. Any thread, but one that is within a call with
// this client.
bool client_end(struct client *client, int64_t patience_us);

// Waits for the end of all clients that end, for `patience_us` at most. False: one still ends, so
// that the process must not free what it uses. Any thread.
bool client_settle(int64_t patience_us);

#endif
