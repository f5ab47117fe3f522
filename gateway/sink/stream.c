// SPDX-License-Identifier: BSD-2-Clause
#include "sink/stream.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "sink/resolve.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// No octets count as received before the connection has been open for this time.
static const int64_t SETTLE_US = 250 * CLOCK_US_PER_MS;

// The largest number of buffered octets. One system call writes many events.
enum { KEPT_MAX = 32768 };

// A connection is broken if the peer acknowledges nothing for this time.
enum { USER_TIMEOUT_MS = 30000 };

struct stream {
    int fd;
    struct tls *tls;  // NULL: none
    uint64_t written; // octets before TLS
    int64_t opened_at;
    char own_address[64], peer[400];
    char kept[KEPT_MAX];
    size_t kept_size;
};

// Opening.

// Connects to the first address that answers. False with the reasons of all.
static bool stream_connect_any(struct stream *s, const char *host, uint16_t port, int64_t deadline,
                               struct error *err)
{
    struct resolve_address all[RESOLVE_MAX];
    struct text t = text_in(err->text, sizeof err->text);
    size_t count = resolve_all(host, port, RESOLVE_AS_FOUND, all, err);
    for (size_t i = 0; i < count; i++) {
        int64_t share = (deadline - clock_now()) / (int64_t)(count - i);
        s->fd = resolve_connect(&all[i], SOCK_STREAM | SOCK_NONBLOCK, USER_TIMEOUT_MS,
                                clock_now() + share);
        const int problem = errno;
        resolve_describe(host, &all[i], port, s->peer, sizeof s->peer);
        if (s->fd >= 0)
            return true;
        text_addf(&t, "%s %s: %s", i == 0 ? "cannot connect to" : ", nor to",
                  i == 0 ? s->peer : all[i].text, strerror(problem));
    }
    return false;
}

static void stream_learn_own_address(struct stream *s)
{
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    if (getsockname(s->fd, (struct sockaddr *)&own, &size) != 0 ||
        getnameinfo((struct sockaddr *)&own, size, s->own_address, sizeof s->own_address, NULL, 0,
                    NI_NUMERICHOST) != 0)
        s->own_address[0] = '\0';
}

struct stream *stream_open(const char *host, uint16_t port, const struct tls_options *tls,
                           struct error *err)
{
    int64_t deadline = clock_now() + STREAM_PATIENCE_US;
    struct stream *s = memory_zeroed(1, sizeof *s);
    s->fd = -1;
    bool ok = stream_connect_any(s, host, port, deadline, err);
    if (ok && tls) {
        s->tls = tls_open(s->fd, tls, deadline, err);
        ok = s->tls || error_prefix(err, "%s", s->peer);
    }
    if (ok) {
        s->opened_at = clock_now();
        stream_learn_own_address(s);
        return s;
    }
    if (s->fd >= 0)
        close(s->fd);
    free(s);
    return NULL;
}

// Use.

long stream_read(struct stream *stream, void *out, size_t size, struct error *err)
{
    if (stream->tls)
        return tls_read(stream->tls, out, size, err);
    ssize_t n = recv(stream->fd, out, size, MSG_DONTWAIT);
    if (n > 0)
        return n;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n == 0)
        error_set(err, "it closed the connection");
    else
        error_set(err, "the connection broke: %s", strerror(errno));
    return -1;
}

// Reads and discards all received data. False with a sentence: the peer closed, or sends without
// end.
static bool stream_drain(struct stream *s, struct error *err)
{
    char forgotten[4096];
    long n = 1;
    for (size_t all = 0; n > 0 && all <= STREAM_DISCARD_MAX; all += n > 0 ? (size_t)n : 0)
        n = stream_read(s, forgotten, sizeof forgotten, err);
    if (n > 0)
        return error_set(err, "it sends more than it was asked for");
    return n == 0;
}

bool stream_is_connected(struct stream *stream, struct error *err)
{
    struct pollfd p = {.fd = stream->fd, .events = POLLIN | POLLRDHUP};
    if (poll(&p, 1, 0) <= 0)
        return true;
    if (!stream_drain(stream, err))
        return false;
    return !(p.revents & (POLLRDHUP | POLLHUP | POLLERR)) ||
           error_set(err, "it closed the connection");
}

static bool stream_put_all(struct stream *stream, const char *octets, size_t size,
                           struct error *err)
{
    int64_t deadline = clock_now() + STREAM_PATIENCE_US;
    for (const char *p = octets; size > 0;) {
        short events = 0;
        long n = tls_send(stream->tls, stream->fd, p, size, &events, err);
        if (n < 0)
            return false;
        stream->written += (uint64_t)n;
        p += n;
        size -= (size_t)n;
        if (n == 0 && !resolve_wait(stream->fd, events, deadline))
            return error_set(err, "it reads no data");
    }
    return true;
}

bool stream_flush(struct stream *stream, struct error *err)
{
    size_t size = stream->kept_size;
    stream->kept_size = 0;
    return stream_put_all(stream, stream->kept, size, err);
}

bool stream_write(struct stream *stream, const void *octets, size_t size, struct error *err)
{
    if (size > KEPT_MAX - stream->kept_size && !stream_flush(stream, err))
        return false;
    if (size > KEPT_MAX)
        return stream_put_all(stream, octets, size, err);
    memcpy(stream->kept + stream->kept_size, octets, size);
    stream->kept_size += size;
    return true;
}

size_t stream_room(const struct stream *stream)
{
    return KEPT_MAX - stream->kept_size;
}

uint64_t stream_written(const struct stream *stream)
{
    return stream->tls ? tls_written(stream->tls) : stream->written;
}

bool stream_received(struct stream *stream, uint64_t *out, struct error *err)
{
    int outstanding = 0;
    bool known = ioctl(stream->fd, SIOCOUTQ, &outstanding) == 0;
    // Checked after SIOCOUTQ: so the connection was open when the kernel answered.
    if (!stream_is_connected(stream, err))
        return false;
    if (!known)
        return error_set(err, "cannot ask the kernel how much the receiver has acknowledged: %s",
                         strerror(errno));
    bool settled =
        clock_now() - stream->opened_at >= SETTLE_US && (!stream->tls || tls_accepted(stream->tls));
    *out = settled ? stream_written(stream) - (uint64_t)outstanding : 0;
    return true;
}

void stream_pause(const struct stream *stream, int milliseconds)
{
    struct pollfd p = {.fd = stream->fd, .events = POLLIN | POLLRDHUP};
    poll(&p, 1, milliseconds);
}

const char *stream_peer(const struct stream *stream)
{
    return stream->peer;
}

const char *stream_own_address(const struct stream *stream)
{
    return stream->own_address;
}

void stream_close(struct stream *stream)
{
    if (stream->tls)
        tls_close(stream->tls);
    close(stream->fd);
    free(stream);
}
