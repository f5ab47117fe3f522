// SPDX-License-Identifier: BSD-2-Clause
#include "trap_sink.h"

#include "flood_sm.h"

#include "base/clock.h"
#include "base/wire.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, DATAGRAM_MAX = 2048, BUFFER = 256 << 20, NAP_US = 1000 };

struct trap_sink {
    int fd;
    uint32_t max;
    pthread_t thread;
    atomic_bool stop;
    atomic_uint count, misplaced;
    int64_t *times;
    uint8_t octets[BATCH][DATAGRAM_MAX];
    uint8_t control[BATCH][CMSG_SPACE(sizeof(struct timespec))];
};

static int64_t time_of(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct timespec ts;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&ts, CMSG_DATA(c), sizeof ts);
        return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
    }
    return 0;
}

// Events go out in order: the n-th datagram is about the n-th Report.
static bool is_about(const uint8_t *octets, size_t size, uint32_t report)
{
    uint8_t guid[8];
    wire_put(guid, 8, FLOOD_SM_GUID + report % FLOOD_SM_PORTS);
    return memmem(octets, size, guid, sizeof guid) != NULL;
}

static void take(struct trap_sink *s, struct mmsghdr *m, size_t i)
{
    uint32_t n = atomic_load_explicit(&s->count, memory_order_relaxed);
    if (n < s->max) {
        s->times[n] = time_of(&m->msg_hdr);
        if (!is_about(s->octets[i], m->msg_len, n))
            atomic_fetch_add(&s->misplaced, 1);
    }
    atomic_store(&s->count, n + 1);
}

static void *run(void *arg)
{
    struct trap_sink *s = arg;
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH];
    setpriority(PRIO_PROCESS, 0, -20); // this thread stands for another machine
    while (!atomic_load(&s->stop)) {
        for (size_t i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){s->octets[i], DATAGRAM_MAX};
            messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i],
                                                  .msg_iovlen = 1,
                                                  .msg_control = s->control[i],
                                                  .msg_controllen = sizeof s->control[i]};
        }
        int n = recvmmsg(s->fd, messages, BATCH, MSG_DONTWAIT, NULL);
        for (int i = 0; i < n; i++)
            take(s, &messages[i], (size_t)i);
        if (n < BATCH)
            clock_sleep(NAP_US); // the sender need not wake this thread for each datagram
    }
    return NULL;
}

static bool open_socket(struct trap_sink *s, uint16_t port)
{
    const struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int on = 1, size = BUFFER;
    s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    return s->fd >= 0 && setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
           bind(s->fd, (const struct sockaddr *)&own, sizeof own) == 0;
}

struct trap_sink *trap_sink_start(uint16_t port, uint32_t max)
{
    struct trap_sink *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->max = max;
    s->times = calloc(max, sizeof *s->times);
    if (s->times && open_socket(s, port) && pthread_create(&s->thread, NULL, run, s) == 0)
        return s;
    perror("the sink of traps");
    return NULL;
}

void trap_sink_stop(struct trap_sink *sink)
{
    atomic_store(&sink->stop, true);
    pthread_join(sink->thread, NULL);
    close(sink->fd);
    free(sink->times);
    free(sink);
}

uint32_t trap_sink_count(struct trap_sink *sink)
{
    return atomic_load(&sink->count);
}

uint32_t trap_sink_misplaced(struct trap_sink *sink)
{
    return atomic_load(&sink->misplaced);
}

int64_t trap_sink_time_ns(const struct trap_sink *sink, uint32_t datagram)
{
    return sink->times[datagram];
}

int64_t trap_sink_cpu_ns(const struct trap_sink *sink)
{
    clockid_t id;
    struct timespec ts;
    if (pthread_getcpuclockid(sink->thread, &id) != 0 || clock_gettime(id, &ts) != 0)
        return 0;
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
