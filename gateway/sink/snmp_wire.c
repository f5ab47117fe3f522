// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_wire.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The waits of one call do not add up to more than five seconds.
enum { WAIT_MS = 2000, CONNECT_MS = 2000, DATAGRAM_MAX = 65507 };

// What a packet costs beside its octets, in octets.
enum { PACKET_COST = 64 };

struct snmp_packet {
    struct snmp_packet *next;
    size_t size, sent;
    uint8_t octets[];
};

static bool snmp_wire_explain(const struct snmp_wire *w, struct error *err)
{
    const char *before = w->passed.text;
    if (w->tls && w->why.text[0])
        return error_set(err, "%s: %s%s", w->peer, w->why.text, before);
    if (w->talks)
        return error_set(err, "%s: it sends more than it was asked for", w->peer);
    if (w->broken == ENOTCONN)
        return error_set(err, "%s closed the connection", w->peer);
    return error_set(err, "cannot reach %s: %s%s", w->peer, strerror(w->broken), before);
}

// Opening.

static bool snmp_wire_connect_to(struct snmp_wire *w, const struct resolve_address *to,
                                 int64_t deadline)
{
    const int64_t last = clock_now() + CONNECT_MS * CLOCK_US_PER_MS;
    const int type = w->stream ? SOCK_STREAM : SOCK_DGRAM;
    w->fd = resolve_connect(to, type | SOCK_NONBLOCK, WAIT_MS, last < deadline ? last : deadline);
    w->broken = w->fd >= 0 ? 0 : errno;
    return w->fd >= 0;
}

// Goes on to the next address, and remembers for the next message why this address failed.
static void snmp_wire_pass(struct snmp_wire *w)
{
    size_t used = strlen(w->passed.text);
    snprintf(w->passed.text + used, sizeof w->passed.text - used, ", nor %s: %s",
             w->all[w->at++].text, strerror(w->broken));
    snmp_wire_close(w);
    w->broken = 0;
    w->why.text[0] = '\0';
    w->unasked = 0;
    w->talks = false;
}

static bool snmp_wire_secure(struct snmp_wire *wire, int64_t deadline, struct error *err)
{
    errno = 0;
    wire->tls = tls_open(wire->fd, &wire->target->tls, deadline, err);
    if (wire->tls)
        return true;
    wire->broken = errno;
    return error_prefix(err, "%s", wire->peer);
}

// Connects to the address `at`. False with a sentence, and `broken` says why.
static bool snmp_wire_connect(struct snmp_wire *w, int64_t deadline, struct error *err)
{
    const struct snmp_target *t = w->target;
    resolve_describe(t->host, &w->all[w->at], t->port, w->peer, sizeof w->peer);
    return (snmp_wire_connect_to(w, &w->all[w->at], deadline) || snmp_wire_explain(w, err)) &&
           (!snmp_target_has_tls(t) || snmp_wire_secure(w, deadline, err));
}

static bool snmp_wire_connect_any(struct snmp_wire *w, int64_t deadline, struct error *err)
{
    while (!snmp_wire_connect(w, deadline, err)) {
        bool next = w->fd < 0 || resolve_is_nobody(w->broken);
        if (!next || w->at + 1 == w->count || clock_now() >= deadline) {
            snmp_wire_close(w);
            return false;
        }
        snmp_wire_pass(w);
    }
    return true;
}

bool snmp_wire_open(struct snmp_wire *wire, const struct snmp_target *target, int64_t deadline,
                    struct error *err)
{
    const bool stream = snmp_target_is_stream(target);
    enum resolve_order datagrams = target->ipv6 ? RESOLVE_IPV6_FIRST : RESOLVE_IPV4_FIRST;
    *wire = (struct snmp_wire){.target = target, .fd = -1, .stream = stream, .end = &wire->first};
    wire->count = resolve_all(target->host, target->port, stream ? RESOLVE_AS_FOUND : datagrams,
                              wire->all, err);
    return wire->count > 0 && snmp_wire_connect_any(wire, deadline, err);
}

bool snmp_wire_open_next(struct snmp_wire *wire, int64_t deadline, struct error *err)
{
    if (!resolve_is_nobody(wire->broken) || wire->at + 1 >= wire->count)
        return false;
    snmp_wire_pass(wire);
    return snmp_wire_connect_any(wire, deadline, err);
}

void snmp_wire_add(struct snmp_wire *wire, const void *octets, size_t size)
{
    struct snmp_packet *p = memory_get(sizeof *p + size);
    *p = (struct snmp_packet){.size = size};
    memcpy(p->octets, octets, size);
    *wire->end = p;
    wire->end = &p->next;
}

// Functions that libsnmp calls.

static int snmp_wire_queue(netsnmp_transport *t, const void *octets, int size, void **opaque,
                           int *opaque_size)
{
    (void)opaque;
    (void)opaque_size;
    snmp_wire_add(t->data, octets, (size_t)size);
    return size;
}

static int snmp_wire_receive_tls(netsnmp_transport *t, void *octets, int size)
{
    struct snmp_wire *w = t->data;
    long n = tls_read(w->tls, octets, (size_t)size, &w->why);
    if (n == 0)
        t->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
    if (n < 0)
        w->broken = ENOTCONN;
    return (int)n;
}

static int snmp_wire_receive_plain(netsnmp_transport *t, void *octets, int size)
{
    struct snmp_wire *w = t->data;
    ssize_t n = recv(w->fd, octets, (size_t)size, 0);
    if (n > 0)
        return (int)n;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        t->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
        return 0;
    }
    if (n == 0 && !w->stream)
        t->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
    else
        w->broken = n < 0 ? errno : ENOTCONN;
    return n < 0 || w->stream ? -1 : 0;
}

static int snmp_wire_receive(netsnmp_transport *t, void *octets, int size, void **opaque,
                             int *opaque_size)
{
    (void)opaque;
    (void)opaque_size;
    struct snmp_wire *w = t->data;
    int n =
        w->tls ? snmp_wire_receive_tls(t, octets, size) : snmp_wire_receive_plain(t, octets, size);
    w->unasked += PACKET_COST + (n > 0 ? (size_t)n : 0);
    if (w->unasked > SNMP_WIRE_UNASKED_MAX && w->broken == 0) {
        w->talks = true;
        w->broken = EPROTO;
    }
    return n;
}

void snmp_wire_answered(struct snmp_wire *wire)
{
    wire->unasked = 0;
}

static int snmp_wire_detach(netsnmp_transport *t)
{
    struct snmp_wire *w = t->data;
    if (w && w->broken == 0)
        w->broken = EPROTO; // libsnmp has closed the connection, or the session ends
    t->sock = -1;
    t->data = NULL; // otherwise libsnmp would free the wire
    return 0;
}

netsnmp_transport *snmp_wire_transport(struct snmp_wire *wire)
{
    netsnmp_transport *t = memory_zeroed(1, sizeof *t); // libsnmp frees it
    t->domain = wire->stream ? netsnmp_snmpTCPDomain : netsnmpUDPDomain;
    t->domain_length = 7;
    t->sock = wire->fd;
    t->flags = wire->stream ? NETSNMP_TRANSPORT_FLAG_STREAM : 0;
    t->data = wire;
    t->data_length = 0;
    t->msgMaxSize = DATAGRAM_MAX;
    t->f_recv = snmp_wire_receive;
    t->f_send = snmp_wire_queue;
    t->f_close = snmp_wire_detach;
    return t;
}

// Sending.

// Waits until the peer takes more. The first wait sets the deadline: a datagram needs none.
static bool snmp_wire_wait(const struct snmp_wire *w, short events, int64_t *deadline)
{
    if (*deadline == 0)
        *deadline = clock_now() + WAIT_MS * CLOCK_US_PER_MS;
    return resolve_wait(w->fd, events, *deadline);
}

static bool snmp_wire_send_packet(struct snmp_wire *w, struct snmp_packet *p, int64_t *deadline)
{
    while (p->sent < p->size) {
        short events = 0;
        long n = tls_send(w->tls, w->fd, p->octets + p->sent, p->size - p->sent, &events, &w->why);
        if (n < 0 && w->tls)
            errno = ENOTCONN;
        if (n < 0 || (n == 0 && !snmp_wire_wait(w, events, deadline)))
            return false;
        p->sent += (size_t)n;
    }
    return true;
}

bool snmp_wire_flush(struct snmp_wire *wire, struct error *err)
{
    int64_t deadline = 0;
    while (wire->broken == 0 && wire->first) {
        struct snmp_packet *p = wire->first;
        if (!snmp_wire_send_packet(wire, p, &deadline)) {
            wire->broken = errno;
            break;
        }
        wire->first = p->next;
        free(p);
    }
    if (!wire->first)
        wire->end = &wire->first;
    return wire->broken == 0 || snmp_wire_explain(wire, err);
}

bool snmp_wire_poll(const struct snmp_wire *wire, int timeout_ms)
{
    struct pollfd p = {.fd = wire->fd, .events = POLLIN};
    return (wire->tls && tls_pending(wire->tls)) || poll(&p, 1, timeout_ms) == 1;
}

bool snmp_wire_check(struct snmp_wire *wire, struct error *err)
{
    uint8_t octet;
    bool connected = true;
    if (wire->broken == 0 && wire->tls)
        connected = tls_is_connected(wire->tls, &wire->why);
    else if (wire->broken == 0 && wire->stream)
        connected = recv(wire->fd, &octet, sizeof octet, MSG_PEEK | MSG_DONTWAIT) != 0;
    if (!connected)
        wire->broken = ENOTCONN;
    return wire->broken == 0 || snmp_wire_explain(wire, err);
}

static bool snmp_wire_settle_by_tls(struct snmp_wire *w, int timeout_ms, struct error *err)
{
    bool connected;
    do {
        snmp_wire_poll(w, timeout_ms);
        connected = snmp_wire_check(w, err);
    } while (connected && !tls_accepted(w->tls));
    return connected;
}

bool snmp_wire_settle(struct snmp_wire *wire, int timeout_ms, struct error *err)
{
    struct pollfd p = {.fd = wire->fd, .events = POLLIN};
    if (wire->tls)
        return snmp_wire_settle_by_tls(wire, timeout_ms, err);
    if (!wire->stream && poll(&p, 1, timeout_ms) == 1) {
        socklen_t size = sizeof wire->broken;
        getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &wire->broken, &size);
    }
    return wire->broken == 0 || snmp_wire_explain(wire, err);
}

void snmp_wire_close(struct snmp_wire *wire)
{
    while (wire->first) {
        struct snmp_packet *p = wire->first;
        wire->first = p->next;
        free(p);
    }
    wire->end = &wire->first;
    if (wire->tls)
        tls_close(wire->tls);
    wire->tls = NULL;
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
}
