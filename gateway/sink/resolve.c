// SPDX-License-Identifier: BSD-2-Clause
#include "sink/resolve.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool resolve_read(const struct addrinfo *from, const char *host, struct resolve_address *out,
                         struct error *err)
{
    memcpy(&out->storage, from->ai_addr, from->ai_addrlen);
    out->length = from->ai_addrlen;
    int rc = getnameinfo(from->ai_addr, from->ai_addrlen, out->text, sizeof out->text, NULL, 0,
                         NI_NUMERICHOST);
    return rc == 0 ||
           error_set(err, "cannot convert the address of '%s' to text: %s", host, gai_strerror(rc));
}

static bool resolve_is_later(const struct addrinfo *a, enum resolve_order order)
{
    return (order == RESOLVE_IPV4_FIRST && a->ai_family == AF_INET6) ||
           (order == RESOLVE_IPV6_FIRST && a->ai_family != AF_INET6);
}

static size_t resolve_get_addresses(const char *host, uint16_t port, int flags,
                                    enum resolve_order order,
                                    struct resolve_address out[RESOLVE_MAX], struct error *err)
{
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    // With one socket type, each address comes only once.
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV | flags};
    struct addrinfo *found;
    int rc = getaddrinfo(host, service, &hints, &found);
    if (rc != 0) {
        error_set(err, "cannot resolve '%s': %s", host, gai_strerror(rc));
        return 0;
    }
    size_t n = 0;
    for (int later = 0; later < 2; later++) {
        for (struct addrinfo *a = found; a && n < RESOLVE_MAX; a = a->ai_next)
            n += resolve_is_later(a, order) == later && resolve_read(a, host, &out[n], err);
    }
    freeaddrinfo(found);
    return n;
}

static size_t resolve_look_up_name(const char *host, uint16_t port, enum resolve_order order,
                                   struct resolve_address out[RESOLVE_MAX], struct error *err)
{
    return resolve_get_addresses(host, port, 0, order, out, err);
}

// One look-up. Its thread and the waiting caller have a reference each; the last unref frees it.
struct job {
    resolve_look_up *look_up;
    char host[NI_MAXHOST];
    uint16_t port;
    enum resolve_order order;

    pthread_mutex_t lock; // guards the members below
    pthread_cond_t change;
    unsigned refs;
    bool done;
    struct resolve_address found[RESOLVE_MAX];
    size_t count;
    struct error err;
};

static atomic_uint threads; // that are still running

static struct job *resolve_new_job(resolve_look_up *look_up, const char *host, uint16_t port,
                                   enum resolve_order order)
{
    struct job *j = memory_get(sizeof *j);
    *j = (struct job){.look_up = look_up, .port = port, .order = order, .refs = 2};
    snprintf(j->host, sizeof j->host, "%s", host);
    clock_condition_init(&j->change);
    pthread_mutex_init(&j->lock, NULL);
    return j;
}

static void resolve_unref(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    bool last = --j->refs == 0;
    pthread_mutex_unlock(&j->lock);
    if (!last)
        return;
    pthread_cond_destroy(&j->change);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

static void *resolve_run(void *arg)
{
    struct job *j = arg;
    struct resolve_address found[RESOLVE_MAX];
    struct error err = {""};
    size_t count = j->look_up(j->host, j->port, j->order, found, &err);
    pthread_mutex_lock(&j->lock);
    memcpy(j->found, found, count * sizeof *found);
    j->count = count;
    j->err = err;
    j->done = true;
    pthread_cond_signal(&j->change);
    pthread_mutex_unlock(&j->lock);
    resolve_unref(j);
    atomic_fetch_sub(&threads, 1);
    return NULL;
}

static bool resolve_start(struct job *j, struct error *err)
{
    pthread_t thread;
    bool full = atomic_fetch_add(&threads, 1) >= RESOLVE_THREADS_MAX;
    int rc = full ? EAGAIN : pthread_create(&thread, NULL, resolve_run, j);
    if (rc == 0) {
        pthread_detach(thread);
        return true;
    }
    atomic_fetch_sub(&threads, 1);
    resolve_unref(j); // the thread's reference
    error_set(err, "cannot resolve '%s': %s", j->host,
              full ? "too many look-ups wait for the name server" : strerror(rc));
    return false;
}

static size_t resolve_await(struct job *j, int64_t patience_us,
                            struct resolve_address out[RESOLVE_MAX], struct error *err)
{
    pthread_mutex_lock(&j->lock);
    CLOCK_AWAIT(&j->change, &j->lock, patience_us, j->done);
    size_t count = j->count;
    memcpy(out, j->found, count * sizeof *out);
    if (j->done && count == 0)
        *err = j->err;
    if (!j->done)
        error_set(err, "cannot resolve '%s': the name server does not answer", j->host);
    pthread_mutex_unlock(&j->lock);
    return count;
}

size_t resolve_within(int64_t patience_us, resolve_look_up *look_up, const char *host,
                      uint16_t port, enum resolve_order order,
                      struct resolve_address out[RESOLVE_MAX], struct error *err)
{
    struct job *j = resolve_new_job(look_up, host, port, order);
    size_t n = resolve_start(j, err) ? resolve_await(j, patience_us, out, err) : 0;
    // The thread dropped its own reference only.
    resolve_unref(j); // NOLINT(clang-analyzer-unix.Malloc)
    return n;
}

size_t resolve_all_within(int64_t patience_us, const char *host, uint16_t port,
                          enum resolve_order order, struct resolve_address out[RESOLVE_MAX],
                          struct error *err)
{
    const int64_t patience = patience_us < RESOLVE_PATIENCE_US ? patience_us : RESOLVE_PATIENCE_US;
    size_t n = resolve_get_addresses(host, port, AI_NUMERICHOST, order, out, err);
    return n > 0 ? n : resolve_within(patience, resolve_look_up_name, host, port, order, out, err);
}

size_t resolve_all(const char *host, uint16_t port, enum resolve_order order,
                   struct resolve_address out[RESOLVE_MAX], struct error *err)
{
    return resolve_all_within(RESOLVE_PATIENCE_US, host, port, order, out, err);
}

bool resolve_is_nobody(int error)
{
    static const int ERRORS[] = {ECONNREFUSED,  EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN,
                                 EADDRNOTAVAIL, EAFNOSUPPORT, EACCES,      EPERM};
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        if (ERRORS[i] == error)
            return true;
    }
    return false;
}

bool resolve_wait(int fd, short events, int64_t deadline)
{
    struct pollfd p = {.fd = fd, .events = events};
    const int64_t left = deadline - clock_now();
    if (left > 0 && poll(&p, 1, (int)(left / CLOCK_US_PER_MS) + 1) > 0)
        return true;
    errno = ETIMEDOUT;
    return false;
}

static bool resolve_connect_socket(int fd, const struct resolve_address *to, int64_t deadline)
{
    int problem = 0;
    socklen_t size = sizeof problem;
    if (connect(fd, (const struct sockaddr *)&to->storage, to->length) == 0)
        return true;
    if (errno != EINPROGRESS || !resolve_wait(fd, POLLOUT, deadline))
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0)
        errno = problem;
    return errno == 0;
}

int resolve_connect(const struct resolve_address *to, int type, unsigned user_timeout_ms,
                    int64_t deadline)
{
    const int on = 1, fd = socket(to->storage.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if ((type & ~SOCK_NONBLOCK) == SOCK_STREAM) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof user_timeout_ms);
    }
    if (resolve_connect_socket(fd, to, deadline))
        return fd;
    const int problem = errno;
    close(fd);
    errno = problem;
    return -1;
}

void resolve_describe(const char *host, const struct resolve_address *address, uint16_t port,
                      char *out, size_t size)
{
    if (strcmp(host, address->text) == 0)
        snprintf(out, size, "%s port %u", host, port);
    else
        snprintf(out, size, "%s (%s) port %u", host, address->text, port);
}
