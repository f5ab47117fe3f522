// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/link.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

// Addresses.

static bool link_read_path(const char *path, struct agentx_address *out, struct error *err)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&out->sockaddr;
    if (path[0] == '\0' || strlen(path) >= sizeof un->sun_path)
        return error_set(err, "the path '%s' of the master agent's socket is empty or too long",
                         path);
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path, strlen(path) + 1);
    out->size = sizeof *un;
    return true;
}

// Splits `text` into the host, without brackets, and the port, the result. NULL: there is no port.
static const char *link_split_port(char *text, const char **host)
{
    char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return NULL;
    *colon = '\0';
    bool in_brackets = text[0] == '[' && colon[-1] == ']';
    if (in_brackets)
        colon[-1] = '\0';
    *host = text + in_brackets;
    return colon + 1;
}

static bool link_read_host(const char *host_and_port, struct agentx_address *out, struct error *err)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char text[128];
    const char *host = NULL;
    snprintf(text, sizeof text, "%s", host_and_port);
    const char *port = link_split_port(text, &host);
    if (!port || getaddrinfo(host, port, &hints, &found) != 0)
        return error_set(err,
                         "'tcp:%s' is no address of a master agent: write it as "
                         "tcp:127.0.0.1:705 or tcp:[::1]:705, without names",
                         host_and_port);
    memcpy(&out->sockaddr, found->ai_addr, found->ai_addrlen);
    out->size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

bool agentx_link_address(const char *master, struct agentx_address *out, struct error *err)
{
    *out = (struct agentx_address){0};
    bool ok = strncmp(master, "tcp:", 4) == 0 ? link_read_host(master + 4, out, err)
                                              : link_read_path(master, out, err);
    out->family = out->sockaddr.ss_family;
    return ok;
}

// Connecting.

static const char *link_advice(int reason)
{
    switch (reason) {
    case ENOENT:
    case ECONNREFUSED:
        return " (does snmpd run, and is 'master agentx' in snmpd.conf?)";
    case EACCES:
    case EPERM:
        return " (allow it with 'agentXPerms' in snmpd.conf, and let the user into the directory: "
               "snmpd does so only where it makes the directory itself)";
    default:
        return "";
    }
}

static bool link_refuse(struct agentx_link *link, int reason, struct error *err)
{
    agentx_link_close(link);
    return error_set(err, "cannot connect: %s%s", strerror(reason), link_advice(reason));
}

bool agentx_link_open(struct agentx_link *link, const struct agentx_address *address, int64_t now,
                      struct error *err)
{
    link->in_size = link->out_start = link->out_end = 0;
    link->moved_at = now;
    link->connecting = false;
    link->fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0)
        return link_refuse(link, errno, err);
    if (connect(link->fd, (const struct sockaddr *)&address->sockaddr, address->size) == 0)
        return true;
    link->connecting = errno == EINPROGRESS;
    return link->connecting || link_refuse(link, errno, err);
}

void agentx_link_close(struct agentx_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    link->connecting = false;
    link->in_size = link->out_start = link->out_end = 0;
}

bool agentx_link_finish_connecting(struct agentx_link *link, int64_t now, struct error *err)
{
    int reason = 0;
    socklen_t size = sizeof reason;
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &reason, &size) != 0)
        reason = errno;
    if (reason != 0)
        return link_refuse(link, reason, err);
    link->connecting = false;
    link->moved_at = now;
    return true;
}

// Reading and writing.

static bool link_is_transient(int reason)
{
    return reason == EAGAIN || reason == EINTR;
}

bool agentx_link_read(struct agentx_link *link, struct error *err)
{
    size_t room = sizeof link->in - link->in_size;
    if (room == 0)
        return true;
    ssize_t n = recv(link->fd, link->in + link->in_size, room, 0);
    if (n == 0)
        return error_set(err, "it closed the connection");
    if (n < 0)
        return link_is_transient(errno) ||
               error_set(err, "the connection broke: %s", strerror(errno));
    link->in_size += (size_t)n;
    return true;
}

void agentx_link_drop_read(struct agentx_link *link, size_t size)
{
    link->in_size -= size;
    memmove(link->in, link->in + size, link->in_size);
}

size_t agentx_link_waiting(const struct agentx_link *link)
{
    return link->out_end - link->out_start;
}

struct pdu_writer agentx_link_writer(struct agentx_link *link)
{
    size_t waiting = agentx_link_waiting(link);
    if (link->out_start > 0)
        memmove(link->out, link->out + link->out_start, waiting);
    link->out_start = 0;
    link->out_end = waiting;
    size_t room = sizeof link->out - waiting;
    return (struct pdu_writer){.octets = link->out + waiting,
                               .size = room < PDU_SIZE_MAX ? room : PDU_SIZE_MAX};
}

void agentx_link_add(struct agentx_link *link, const struct pdu_writer *w, int64_t now)
{
    if (agentx_link_waiting(link) == 0)
        link->moved_at = now;
    link->out_end += w->used;
}

bool agentx_link_write(struct agentx_link *link, int64_t now, struct error *err)
{
    while (agentx_link_waiting(link) > 0) {
        ssize_t n =
            send(link->fd, link->out + link->out_start, agentx_link_waiting(link), MSG_NOSIGNAL);
        if (n < 0)
            return link_is_transient(errno) ||
                   error_set(err, "the connection broke: %s", strerror(errno));
        link->out_start += (size_t)n;
        link->moved_at = now;
    }
    return true;
}
