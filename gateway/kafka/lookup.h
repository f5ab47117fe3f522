// SPDX-License-Identifier: BSD-2-Clause
// Looks up the brokers' names for librdkafka, whose threads would otherwise wait for the system's
// resolver without end, and the end of the producer for them.
#ifndef IBTRAPD_KAFKA_LOOKUP_H
#define IBTRAPD_KAFKA_LOOKUP_H

#include <stdint.h>

struct addrinfo;

// As rd_kafka_conf_set_resolve_cb wants it, but for the last parameter: how long it may wait for a
// name, in microseconds; 0 or less: not at all, and the name is not found. Any thread.
int lookup_resolve(const char *node, const char *service, const struct addrinfo *hints,
                   struct addrinfo **result, int64_t patience_us);

#endif
