// SPDX-License-Identifier: BSD-2-Clause
#include "sink/syslog.h"

#include "base/clock.h"
#include "base/memory.h"
#include "sink/file.h"
#include "sink/format.h"
#include "sink/relp.h"
#include "sink/resolve.h"
#include "sink/snmp.h"
#include "sink/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { STREAM_IN_FLIGHT_MAX = 1024, STEP_MS = 10, PROOF_MS = 50 };

struct syslog_sink {
    const struct conf_receiver *receiver;
    struct tls_options tls; // of the transports with TLS; without a name: the host
    struct format_origin origin;
    struct format_process process;
    char own_address[64], engine_id[SNMP_ENGINE_TEXT_SIZE];
    int fd;        // of TRANSPORT_LOCAL and TRANSPORT_UDP; -1: none
    bool journald; // TRANSPORT_LOCAL: the socket has the journal's own protocol

    // TRANSPORT_UDP.
    struct resolve_address all[RESOLVE_MAX]; // of the host
    size_t count, at;                        // `at`: the address of the socket
    bool proven;                             // a datagram went there, and nothing came back
    char peer[400];                          // for messages: host, address and port

    struct stream *stream;   // of TRANSPORT_TCP and TRANSPORT_TLS; NULL: none
    struct tickets *tickets; // with a stream, a mark is the octets written up to the event's end
    uint64_t marked;         // the newest ticket with a mark; later events may be in a buffer
    struct relp *relp;       // of TRANSPORT_RELP and TRANSPORT_RELP_TLS; NULL: none
};

// The messages.

static struct text syslog_sink_message(struct syslog_sink *s, const struct event *event,
                                       char *buffer, size_t size)
{
    struct text t = text_in(buffer, size);
    s->origin.sequence = s->origin.sequence == INT32_MAX ? 1 : s->origin.sequence + 1;
    format_message(&t, s->receiver->syslog.format, &s->origin, event);
    return t;
}

// Datagrams.

static void syslog_sink_close_socket(struct syslog_sink *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

// If systemd's journal reads the socket, and the format is the journal's format for this socket,
// the journal gets the events by its own protocol.
static bool syslog_sink_open_local(void *self, struct tickets *tickets, struct error *err)
{
    (void)tickets;
    struct syslog_sink *s = self;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    s->journald =
        s->receiver->syslog.format == FORMAT_RFC3164 &&
        format_journald_socket(s->receiver->syslog.path, address.sun_path, sizeof address.sun_path);
    if (!s->journald)
        snprintf(address.sun_path, sizeof address.sun_path, "%s", s->receiver->syslog.path);
    s->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        return error_set(err, "cannot make a socket: %s", strerror(errno));
    // A logger that does not read must not block the thread for ever.
    setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = 1},
               sizeof(struct timeval));
    if (connect(s->fd, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    error_set(err, "cannot reach the syslog socket %s: %s; is a syslog daemon running?",
              s->receiver->syslog.path, strerror(errno));
    syslog_sink_close_socket(s);
    return false;
}

// Makes the message of a datagram.
static struct text syslog_sink_make_datagram(struct syslog_sink *s, const struct event *event,
                                             char buffer[FORMAT_SIZE_MIN])
{
    bool is_short =
        s->receiver->syslog.format == FORMAT_RFC3164 && s->receiver->transport == TRANSPORT_UDP;
    return syslog_sink_message(s, event, buffer, is_short ? FORMAT_SIZE_RFC3164 : FORMAT_SIZE_MIN);
}

static enum sink_result syslog_sink_send_local(void *self, const struct event *event,
                                               struct error *err)
{
    struct syslog_sink *s = self;
    char buffer[FORMAT_SIZE_JOURNALD];
    struct text t = text_in(buffer, sizeof buffer);
    if (s->journald)
        format_journald(&t, &s->origin, event);
    else
        t = syslog_sink_make_datagram(s, event, buffer);
    if (send(s->fd, t.buf, t.len, MSG_NOSIGNAL) == (ssize_t)t.len)
        return SINK_DONE;
    if (errno == EAGAIN)
        error_set(err, "%s has taken nothing for a second; does the program behind it hang?",
                  s->receiver->syslog.path);
    else
        error_set(err, "cannot send to %s: %s", s->receiver->syslog.path, strerror(errno));
    return SINK_FAILED;
}

// Connects to the first address from `first` on that the kernel has a way to. Returns false with
// the reasons; the socket then stays as it is.
static bool syslog_sink_connect_udp(struct syslog_sink *s, size_t first, struct error *err)
{
    const uint16_t port = s->receiver->port;
    struct text t = text_in(err->text, sizeof err->text);
    for (size_t i = first; i < s->count; i++) {
        const struct resolve_address *to = &s->all[i];
        const int fd = resolve_connect(to, SOCK_DGRAM, 0, 0);
        if (fd >= 0) {
            syslog_sink_close_socket(s);
            s->fd = fd;
            s->at = i;
            s->proven = false;
            resolve_describe(s->receiver->host, to, port, s->peer, sizeof s->peer);
            return true;
        }
        text_addf(&t, "%s %s port %u: %s", i == first ? "cannot reach" : ", nor", to->text, port,
                  strerror(errno));
    }
    return false;
}

static bool syslog_sink_open_udp(void *self, struct tickets *tickets, struct error *err)
{
    (void)tickets;
    struct syslog_sink *s = self;
    s->count =
        resolve_all(s->receiver->host, s->receiver->port,
                    s->receiver->ipv6 ? RESOLVE_IPV6_FIRST : RESOLVE_IPV4_FIRST, s->all, err);
    return s->count > 0 && syslog_sink_connect_udp(s, 0, err);
}

// Whether the kernel says that nobody is at the address.
static bool syslog_sink_is_refused(const struct syslog_sink *s, int timeout_ms)
{
    struct pollfd p = {.fd = s->fd};
    int problem = 0;
    socklen_t size = sizeof problem;
    return poll(&p, 1, timeout_ms) == 1 &&
           getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 &&
           resolve_is_nobody(problem);
}

static bool syslog_sink_put_udp(const struct syslog_sink *s, const struct text *t,
                                struct error *err)
{
    ssize_t n = send(s->fd, t->buf, t->len, MSG_NOSIGNAL);
    // The kernel reports that an earlier datagram was refused, and did not send this one.
    if (n < 0 && errno == ECONNREFUSED)
        n = send(s->fd, t->buf, t->len, MSG_NOSIGNAL);
    return n == (ssize_t)t->len ||
           error_set(err, "cannot send to %s: %s", s->peer, strerror(errno));
}

// With several addresses, waits for each address until the kernel refuses the first datagram, and
// sends the datagram to the next address. The last address keeps the datagram without a check.
static enum sink_result syslog_sink_send_udp(void *self, const struct event *event,
                                             struct error *err)
{
    struct syslog_sink *s = self;
    struct error none_left;
    char buffer[FORMAT_SIZE_MIN];
    const struct text t = syslog_sink_make_datagram(s, event, buffer);
    if (s->count > 1 && s->proven && syslog_sink_is_refused(s, 0))
        syslog_sink_connect_udp(s, 0, &none_left); // its program has ended: look for it again
    do {
        if (!syslog_sink_put_udp(s, &t, err))
            return SINK_FAILED;
    } while (s->count > 1 && !s->proven && syslog_sink_is_refused(s, PROOF_MS) &&
             syslog_sink_connect_udp(s, s->at + 1, &none_left));
    s->proven = true;
    return SINK_DONE;
}

// TCP and TLS.

static bool syslog_sink_open_stream(void *self, struct tickets *tickets, struct error *err)
{
    struct syslog_sink *s = self;
    bool tls = s->receiver->transport == TRANSPORT_TLS;
    s->tickets = tickets;
    s->marked = 0;
    s->stream = stream_open(s->receiver->host, s->receiver->port, tls ? &s->tls : NULL, err);
    if (!s->stream)
        return false;
    snprintf(s->own_address, sizeof s->own_address, "%s", stream_own_address(s->stream));
    s->origin.ip = s->own_address[0] ? s->own_address : NULL;
    return true;
}

// Writes the events up to the ticket `last`, and marks how many octets were written by then.
static bool syslog_sink_flush(struct syslog_sink *s, uint64_t last, struct error *err)
{
    uint64_t ticket = tickets_behind(s->tickets, s->marked);
    if (ticket == 0 || ticket > last)
        return true;
    if (!stream_is_connected(s->stream, err) || !stream_flush(s->stream, err))
        return false;
    for (; ticket != 0 && ticket <= last; ticket = tickets_behind(s->tickets, ticket)) {
        tickets_at(s->tickets, ticket)->mark = stream_written(s->stream);
        s->marked = ticket;
    }
    return true;
}

// A framed message: its length is in front of it (RFC 6587 3.4.1), or a line feed after it (3.4.2),
// since no message contains one.
enum { FRAME_HEAD = 8, FRAME_SIZE = FRAME_HEAD + FORMAT_SIZE + 1 };

// Frames a message of `*size` octets behind room for a head. Returns where the frame begins; sets
// the frame's size.
static const char *syslog_sink_add_frame(char frame[FRAME_SIZE], size_t *size, bool lines)
{
    char head[FRAME_HEAD];
    struct text t = text_in(head, sizeof head);
    if (lines) {
        frame[FRAME_HEAD + (*size)++] = '\n';
        return frame + FRAME_HEAD;
    }
    text_add_number(&t, *size);
    text_add(&t, " ");
    *size += t.len;
    return memcpy(frame + FRAME_HEAD - t.len, head, t.len);
}

static enum sink_result syslog_sink_send_stream(void *self, const struct event *event,
                                                struct error *err)
{
    struct syslog_sink *s = self;
    char frame[FRAME_SIZE];
    size_t size = syslog_sink_message(s, event, frame + FRAME_HEAD, FORMAT_SIZE).len;
    const char *octets = syslog_sink_add_frame(frame, &size, s->receiver->syslog.lines);
    const bool fits =
        size <= stream_room(s->stream) || syslog_sink_flush(s, s->tickets->newest - 1, err);
    if (!fits || !stream_write(s->stream, octets, size, err)) {
        error_prefix(err, "%s", stream_peer(s->stream));
        return SINK_FAILED;
    }
    return SINK_PENDING;
}

static void syslog_sink_settle(struct syslog_sink *s, uint64_t received)
{
    uint64_t ticket = 0;
    while ((ticket = tickets_behind(s->tickets, ticket)) != 0 &&
           tickets_at(s->tickets, ticket)->mark <= received)
        tickets_settle(s->tickets, ticket, TICKET_DONE);
}

static bool syslog_sink_wait_stream(void *self, int timeout_ms, struct error *err)
{
    struct syslog_sink *s = self;
    int64_t deadline = clock_now() + timeout_ms * CLOCK_US_PER_MS;
    for (;;) {
        uint64_t received;
        if (!syslog_sink_flush(s, s->tickets->newest, err) ||
            !stream_received(s->stream, &received, err))
            return error_prefix(err, "%s", stream_peer(s->stream));
        syslog_sink_settle(s, received);
        int64_t left = deadline - clock_now();
        if (s->tickets->done > 0 || s->tickets->in_flight == 0 || left <= 0)
            return true;
        int64_t left_ms = left / CLOCK_US_PER_MS + 1;
        stream_pause(s->stream, left_ms < STEP_MS ? (int)left_ms : STEP_MS);
    }
}

// RELP.

static bool syslog_sink_open_relp(void *self, struct tickets *tickets, struct error *err)
{
    struct syslog_sink *s = self;
    bool tls = s->receiver->transport == TRANSPORT_RELP_TLS;
    s->relp = relp_open(s->receiver->host, s->receiver->port, tls ? &s->tls : NULL, &clock_system,
                        tickets, err);
    return s->relp != NULL;
}

static enum sink_result syslog_sink_send_relp(void *self, const struct event *event,
                                              struct error *err)
{
    struct syslog_sink *s = self;
    char buffer[FORMAT_SIZE];
    struct text t = syslog_sink_message(s, event, buffer, sizeof buffer);
    return relp_send(s->relp, t.buf, t.len, err) ? SINK_PENDING : SINK_FAILED;
}

static bool syslog_sink_wait_relp(void *self, int timeout_ms, struct error *err)
{
    struct syslog_sink *s = self;
    return relp_wait(s->relp, timeout_ms, err);
}

// Standard output.

static enum sink_result syslog_sink_send_stdout(void *self, const struct event *event,
                                                struct error *err)
{
    struct syslog_sink *s = self;
    char buffer[FORMAT_SIZE + 1];
    struct text t = text_in(buffer, FORMAT_SIZE);
    format_line(&t, s->receiver->syslog.format, &s->origin, event);
    buffer[t.len++] = '\n';
    return output_write(buffer, t.len, err) ? SINK_DONE : SINK_FAILED;
}

// The sink.

static void syslog_sink_close(void *self)
{
    struct syslog_sink *s = self;
    syslog_sink_close_socket(s);
    if (s->stream)
        stream_close(s->stream);
    if (s->relp)
        relp_close(s->relp);
    s->stream = NULL;
    s->relp = NULL;
}

static const struct row {
    const char *word;
    unsigned window;
    bool (*open)(void *self, struct tickets *tickets, struct error *err);
    enum sink_result (*send)(void *self, const struct event *event, struct error *err);
    bool (*wait)(void *self, int timeout_ms, struct error *err);
} ROWS[TRANSPORT_COUNT] = {
    [TRANSPORT_LOCAL] = {"local", 0, syslog_sink_open_local, syslog_sink_send_local, NULL},
    [TRANSPORT_UDP] = {"udp", 0, syslog_sink_open_udp, syslog_sink_send_udp, NULL},
    [TRANSPORT_TCP] = {"tcp", STREAM_IN_FLIGHT_MAX, syslog_sink_open_stream,
                       syslog_sink_send_stream, syslog_sink_wait_stream},
    [TRANSPORT_TLS] = {"tls", STREAM_IN_FLIGHT_MAX, syslog_sink_open_stream,
                       syslog_sink_send_stream, syslog_sink_wait_stream},
    [TRANSPORT_RELP] = {"relp", RELP_WINDOW, syslog_sink_open_relp, syslog_sink_send_relp,
                        syslog_sink_wait_relp},
    [TRANSPORT_RELP_TLS] = {"relp-tls", RELP_WINDOW, syslog_sink_open_relp, syslog_sink_send_relp,
                            syslog_sink_wait_relp},
    [TRANSPORT_STDOUT] = {"stdout", 0, NULL, syslog_sink_send_stdout, NULL},
};

static void syslog_sink_describe_address(const struct conf_receiver *r, char *out, size_t size)
{
    if (r->transport == TRANSPORT_STDOUT)
        snprintf(out, size, "standard output");
    else if (r->transport == TRANSPORT_LOCAL)
        snprintf(out, size, "%s", r->syslog.path);
    else
        snprintf(out, size, "%s %s port %u", ROWS[r->transport].word, r->host, r->port);
}

static void syslog_sink_describe_origin(struct syslog_sink *s, int64_t started_us)
{
    const struct conf_syslog *conf = &s->receiver->syslog;
    snmp_engine_text(s->engine_id);
    format_origin_own(&s->origin, &s->process);
    s->origin.facility = conf->facility;
    s->origin.local = s->receiver->transport == TRANSPORT_LOCAL;
    s->origin.engine_id = s->engine_id[0] ? s->engine_id : NULL;
    s->origin.started_us = started_us;
    for (size_t i = 0; i < FORMAT_SEVERITIES; i++)
        s->origin.severity_map[i] = (enum severity)conf->severities[i];
}

void syslog_sink(struct sink *out, const struct conf_receiver *receiver, int64_t started_us,
                 struct log *log)
{
    const struct row *row = &ROWS[receiver->transport];
    struct syslog_sink *s = memory_zeroed(1, sizeof *s);
    s->receiver = receiver;
    s->tls = tls_options_of(&receiver->tls, log);
    s->fd = -1;
    if (s->tls.name[0] == '\0')
        s->tls.name = receiver->host;
    syslog_sink_describe_origin(s, started_us);
    *out = (struct sink){.open = row->open,
                         .send = row->send,
                         .wait = row->wait,
                         .close = syslog_sink_close,
                         .free = free,
                         .self = s,
                         .in_flight_max = row->window,
                         .kind = "syslog"};
    snprintf(out->name, sizeof out->name, "%s", receiver->name);
    syslog_sink_describe_address(receiver, out->address, sizeof out->address);
}
