// SPDX-License-Identifier: BSD-2-Clause
#include "talker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

// A receiver of datagrams that has closed is no reason to end: it may have opened another socket.
static void *talker_run(void *arg)
{
    struct talker *t = arg;
    for (size_t sent = 0; sent < TALKER_LIMIT && !atomic_load(&t->ended); sent += t->size) {
        ssize_t n = send(t->fd, t->octets, t->size, MSG_NOSIGNAL);
        if (n < 0 && errno != ECONNREFUSED)
            break;
    }
    atomic_store(&t->silent, true);
    return NULL;
}

void talker_start(struct talker *talker, int fd, const void *octets, size_t size)
{
    *talker = (struct talker){.fd = fd, .octets = octets, .size = size};
    if (pthread_create(&talker->thread, NULL, talker_run, talker) != 0)
        abort();
}

void talker_end(struct talker *talker)
{
    atomic_store(&talker->ended, true);
    shutdown(talker->fd, SHUT_RDWR); // ends a send that waits
    pthread_join(talker->thread, NULL);
}
