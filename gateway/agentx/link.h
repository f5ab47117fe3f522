// The connection to a master agent: a stream socket that never waits, with a bounded buffer on
// either side. Its descriptor is closed once, by agentx_link_close, and forgotten there.
#ifndef IBTRAPD_AGENTX_LINK_H
#define IBTRAPD_AGENTX_LINK_H

#include "agentx/pdu.h"
#include "base/error.h"

#include <sys/socket.h>

enum { AGENTX_LINK_OUT_SIZE = 2 * PDU_SIZE_MAX };

struct agentx_link {
    int fd; // -1: none
    bool connecting;
    uint8_t in[PDU_SIZE_MAX];
    size_t in_size;
    uint8_t out[AGENTX_LINK_OUT_SIZE]; // waits from out_start to out_end
    size_t out_start, out_end;
    int64_t moved_at; // monotonic: the last time that `out` was empty or something of it went
};

struct agentx_address {
    int family;
    socklen_t size;
    struct sockaddr_storage sockaddr;
};

// From a path or "tcp:HOST:PORT", HOST being an IPv4 address or an IPv6 one in brackets.
bool agentx_link_address(const char *master, struct agentx_address *out, struct error *err);

// Connects, or begins to. False: not now.
bool agentx_link_open(struct agentx_link *link, const struct agentx_address *address, int64_t now,
                      struct error *err);
void agentx_link_close(struct agentx_link *link); // may be closed already

// The end of connecting, once poll said something about it.
bool agentx_link_finish_connecting(struct agentx_link *link, int64_t now, struct error *err);

// Reads once. True when nothing is there, too.
bool agentx_link_read(struct agentx_link *link, struct error *err);
void agentx_link_drop_read(struct agentx_link *link, size_t size); // the oldest of `in`

// A writer for the next PDU, at the end of `out`; agentx_link_add takes what was written.
struct pdu_writer agentx_link_writer(struct agentx_link *link);
void agentx_link_add(struct agentx_link *link, const struct pdu_writer *w, int64_t now);
size_t agentx_link_waiting(const struct agentx_link *link); // octets to be written

bool agentx_link_write(struct agentx_link *link, int64_t now, struct error *err);

#endif
