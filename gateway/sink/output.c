// SPDX-License-Identifier: BSD-2-Clause
#include "sink/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 4000 };

static atomic_bool in_a_line; // the last line written is unfinished

// Writes at most PIPE_BUF octets: a pipe that poll reports as writable has room for them, so that
// the write does not block.
static ssize_t write_some(const char *octets, size_t size)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&p, 1, PATIENCE_MS) == 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    return write(STDOUT_FILENO, octets, size < PIPE_BUF ? size : PIPE_BUF);
}

static bool write_all(const char *octets, size_t size, struct error *err)
{
    while (size > 0) {
        ssize_t n = write_some(octets, size);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return error_set(err, "cannot write to standard output: %s", strerror(errno));
        if (n > 0) {
            octets += n;
            size -= (size_t)n;
            atomic_store(&in_a_line, octets[-1] != '\n');
        }
    }
    return true;
}

bool output_write(const char *octets, size_t size, struct error *err)
{
    if (atomic_load(&in_a_line) && !write_all("\n", 1, err))
        return false;
    return write_all(octets, size, err);
}
