// SPDX-License-Identifier: BSD-2-Clause
// Looks up the brokers' names for librdkafka, whose threads would otherwise wait for the system's
// resolver without end, and the end of the producer for them.
#ifndef IBTRAPD_KAFKA_LOOKUP_H
#define IBTRAPD_KAFKA_LOOKUP_H

struct addrinfo;

// As rd_kafka_conf_set_resolve_cb wants it. Waits RESOLVE_PATIENCE_US at most. Any thread.
int lookup_resolve(const char *node, const char *service, const struct addrinfo *hints,
                   struct addrinfo **result, void *opaque);

#endif
