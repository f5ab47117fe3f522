// SPDX-License-Identifier: BSD-2-Clause
#include "sink/datagram.h"

#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PROOF_MS = 50 };

// Connects to the first address from `first` on that the kernel has a way to. False with the
// reasons; the socket then stays as it is.
static bool datagram_connect(struct datagram *d, size_t first, struct error *err)
{
    struct text t = text_in(err->text, sizeof err->text);
    for (size_t i = first; i < d->count; i++) {
        const struct resolve_address *to = &d->all[i];
        const int fd = resolve_connect(to, SOCK_DGRAM, 0, 0);
        if (fd >= 0) {
            datagram_close(d);
            d->fd = fd;
            d->at = i;
            d->proven = false;
            resolve_describe(d->host, to, d->port, d->peer, sizeof d->peer);
            return true;
        }
        text_addf(&t, "%s %s port %u: %s", i == first ? "cannot reach" : ", nor", to->text, d->port,
                  strerror(errno));
    }
    return false;
}

bool datagram_open(struct datagram *datagram, const char *host, uint16_t port,
                   enum resolve_order order, struct error *err)
{
    *datagram = (struct datagram){.fd = -1, .host = host, .port = port};
    datagram->count = resolve_all(host, port, order, datagram->all, err);
    return datagram->count > 0 && datagram_connect(datagram, 0, err);
}

// Whether the kernel says that nobody is at the address.
static bool datagram_is_refused(const struct datagram *d, int timeout_ms)
{
    struct pollfd p = {.fd = d->fd};
    int problem = 0;
    socklen_t size = sizeof problem;
    return poll(&p, 1, timeout_ms) == 1 &&
           getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 &&
           resolve_is_nobody(problem);
}

static bool datagram_put(const struct datagram *d, const void *octets, size_t size,
                         struct error *err)
{
    ssize_t n = send(d->fd, octets, size, MSG_NOSIGNAL);
    // The kernel reports that an earlier datagram was refused, and did not send this one.
    if (n < 0 && errno == ECONNREFUSED)
        n = send(d->fd, octets, size, MSG_NOSIGNAL);
    return n == (ssize_t)size || error_set(err, "cannot send to %s: %s", d->peer, strerror(errno));
}

bool datagram_send(struct datagram *datagram, const void *octets, size_t size, struct error *err)
{
    struct datagram *d = datagram;
    struct error none_left;
    if (d->count > 1 && d->proven && datagram_is_refused(d, 0))
        datagram_connect(d, 0, &none_left); // its program has ended: look for it again
    do {
        if (!datagram_put(d, octets, size, err))
            return false;
    } while (d->count > 1 && !d->proven && datagram_is_refused(d, PROOF_MS) &&
             datagram_connect(d, d->at + 1, &none_left));
    d->proven = true;
    return true;
}

void datagram_close(struct datagram *datagram)
{
    if (datagram->fd >= 0)
        close(datagram->fd);
    datagram->fd = -1;
}
