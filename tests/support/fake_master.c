// SPDX-License-Identifier: BSD-2-Clause
#include "fake_master.h"

#include "base/wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void fake_master_begin(struct fake_master *m, const char *name)
{
    *m = (struct fake_master){.listener = -1, .fd = -1, .path = support_path(name)};
    unlink(m->path);
}

void fake_master_listen(struct fake_master *m)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", m->path);
    unlink(m->path);
    m->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(m->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(m->listener, 4), 0);
}

static void close_both(struct fake_master *m)
{
    if (m->fd >= 0)
        close(m->fd);
    if (m->listener >= 0)
        close(m->listener);
    m->fd = m->listener = -1;
    m->in_size = 0;
}

void fake_master_die(struct fake_master *m)
{
    close_both(m);
}

void fake_master_end(struct fake_master *m)
{
    close_both(m);
    unlink(m->path);
}

bool fake_master_accept(struct fake_master *m)
{
    int fd = accept(m->listener, NULL, NULL);
    if (fd < 0)
        return false;
    if (m->fd >= 0)
        close(m->fd);
    m->fd = fd;
    m->in_size = 0;
    return true;
}

static ssize_t receive(struct fake_master *m)
{
    ssize_t n = recv(m->fd, m->in + m->in_size, sizeof m->in - m->in_size, MSG_DONTWAIT);
    m->in_size += n > 0 ? (size_t)n : 0;
    return n;
}

bool fake_master_is_left(struct fake_master *m)
{
    ssize_t n;
    while ((n = receive(m)) > 0)
        m->in_size = 0;
    return n == 0 || errno == ECONNRESET;
}

bool fake_master_hear(struct fake_master *m, struct fake_pdu *out)
{
    receive(m);
    int whole = pdu_parse(m->in, m->in_size, &out->header);
    assert_true(whole >= 0);
    if (whole == 0)
        return false;
    size_t size = PDU_HEADER_SIZE + out->header.payload;
    memcpy(out->octets, m->in, size);
    m->in_size -= size;
    memmove(m->in, m->in + size, m->in_size);
    assert_true(pdu_read(out->octets, &out->header, &out->rest));
    return true;
}

void fake_master_expect(struct fake_master *m, uint8_t type, struct fake_pdu *out)
{
    assert_true(fake_master_hear(m, out));
    assert_int_equal(out->header.type, type);
}

void fake_master_say(struct fake_master *m, struct pdu_writer *w)
{
    assert_true(pdu_end(w));
    assert_int_equal(send(m->fd, w->octets, w->used, MSG_NOSIGNAL), w->used);
}

void fake_master_respond(struct fake_master *m, const struct fake_pdu *to, unsigned error)
{
    uint8_t octets[64];
    struct pdu_writer w = {.octets = octets, .size = sizeof octets};
    pdu_begin(&w, PDU_RESPONSE, FAKE_MASTER_SESSION, 0, to->header.packet, "");
    pdu_add_result(&w, error, 0);
    wire_put(octets + PDU_HEADER_SIZE, sizeof m->uptime, m->uptime);
    fake_master_say(m, &w);
}
