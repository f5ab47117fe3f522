// SPDX-License-Identifier: BSD-2-Clause
// The connection to a master agent: a stream socket that never waits, with a bounded buffer for
// each direction. Only agentx_link_close closes the descriptor.
#pragma once

#include "agentx/pdu.h"
#include "base/error.h"

#include <sys/socket.h>

enum { AGENTX_LINK_OUT_SIZE = 2 * PDU_SIZE_MAX };

struct agentx_link {
    int fd; // -1: none
    bool connecting;
    uint8_t in[PDU_SIZE_MAX];
    size_t in_size;
    uint8_t out[AGENTX_LINK_OUT_SIZE]; // octets from out_start to out_end wait to be written
    size_t out_start, out_end;
    int64_t moved_at; // monotonic: when `out` was last empty or an octet of it was written
};

struct agentx_address {
    int family;
    socklen_t size;
    struct sockaddr_storage sockaddr;
};

// Reads a path or "tcp:HOST:PORT", where HOST is an IPv4 address or an IPv6 address in brackets.
// False with a sentence: it is neither.
bool agentx_link_address(const char *master, struct agentx_address *out, struct error *err);

// Connects, or begins to: `connecting` is then true. False with a sentence: it cannot connect now.
bool agentx_link_open(struct agentx_link *link, const struct agentx_address *address, int64_t now,
                      struct error *err);
void agentx_link_close(struct agentx_link *link); // it may be closed already

// Ends connecting, once poll has returned events for the descriptor. False with a sentence: it
// failed.
bool agentx_link_finish_connecting(struct agentx_link *link, int64_t now, struct error *err);

// Reads once into `in`. True even if there is nothing to read. False with a sentence: the
// connection is broken.
bool agentx_link_read(struct agentx_link *link, struct error *err);
void agentx_link_drop_read(struct agentx_link *link, size_t size); // the first octets of `in`

// A writer for the next PDU at the end of `out`. agentx_link_add queues the octets written.
struct pdu_writer agentx_link_writer(struct agentx_link *link);
void agentx_link_add(struct agentx_link *link, const struct pdu_writer *w, int64_t now);
size_t agentx_link_waiting(const struct agentx_link *link); // octets that wait to be written

// Writes as many waiting octets as the socket accepts. False with a sentence: the connection is
// broken.
bool agentx_link_write(struct agentx_link *link, int64_t now, struct error *err);
