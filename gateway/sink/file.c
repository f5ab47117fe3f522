// SPDX-License-Identifier: BSD-2-Clause
#include "sink/file.h"

#include "base/memory.h"
#include "base/path.h"
#include "sink/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 4000 };

static atomic_bool in_a_line; // the last line written is unfinished

// Writes at most PIPE_BUF octets: a pipe that is writable for poll has room for PIPE_BUF octets,
// and the write does not block.
static ssize_t file_output_some(const char *octets, size_t size)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&p, 1, PATIENCE_MS) == 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    return write(STDOUT_FILENO, octets, size < PIPE_BUF ? size : PIPE_BUF);
}

static bool file_output_all(const char *octets, size_t size, struct error *err)
{
    while (size > 0) {
        ssize_t n = file_output_some(octets, size);
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
    if (atomic_load(&in_a_line) && !file_output_all("\n", 1, err))
        return false;
    return file_output_all(octets, size, err);
}

enum { IN_FLIGHT_MAX = 512 };

struct file_sink {
    const char *path;
    bool fsync;
    int fd;
    struct tickets *tickets; // of lines that are written and not synced
    atomic_bool reopen;
};

// Files.

static bool file_sink_check_kind(const struct file_sink *f, struct error *err)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return error_set(err, "cannot get the status of %s: %s", f->path, strerror(errno));
    return S_ISREG(st.st_mode) || S_ISCHR(st.st_mode) ||
           error_set(err, "%s is neither a regular file nor a character device", f->path);
}

static bool file_sink_append(const struct file_sink *f, const char *octets, size_t size,
                             struct error *err);

// Ends an unfinished last line, which stays as a line of its own.
static bool file_sink_end_last_line(const struct file_sink *f, struct error *err)
{
    char last = '\n';
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        pread(fd, &last, 1, st.st_size - 1) != 1)
        last = '\n';
    if (fd >= 0)
        close(fd);
    return last == '\n' || file_sink_append(f, "\n", 1, err);
}

static bool file_sink_open_file(void *self, struct tickets *tickets, struct error *err)
{
    struct file_sink *f = self;
    bool is_new = access(f->path, F_OK) != 0;
    f->tickets = tickets;
    atomic_store(&f->reopen, false);
    f->fd = open(f->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
    if (f->fd < 0)
        return error_set(err, "cannot open %s: %s", f->path, strerror(errno));
    if (file_sink_check_kind(f, err) && file_sink_end_last_line(f, err)) {
        // Without that, a power failure may lose the name of a new file.
        if (is_new && f->fsync)
            directory_sync_of(f->path);
        return true;
    }
    close(f->fd);
    return false;
}

static bool file_sink_append(const struct file_sink *f, const char *octets, size_t size,
                             struct error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(f->fd, octets + done, size - done);
        if (n < 0 && errno != EINTR) {
            error_set(err, "cannot write to %s: %s", f->path, strerror(errno));
            // Takes the octets back that were just appended.
            struct stat st;
            if (done > 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) &&
                st.st_size >= (off_t)done)
                (void)!ftruncate(f->fd, st.st_size - (off_t)done);
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

// Syncs the lines up to the ticket `last`. A failed sync is not repeated, since the kernel reports
// lost data only once.
static bool file_sink_sync(const struct file_sink *f, uint64_t last, struct error *err)
{
    uint64_t ticket = f->fsync ? tickets_behind(f->tickets, 0) : 0;
    if (ticket == 0 || ticket > last)
        return true;
    if (fdatasync(f->fd) != 0 && errno != EINVAL) // a device has nothing to sync
        return error_set(err, "cannot sync %s: %s", f->path, strerror(errno));
    for (; ticket != 0 && ticket <= last; ticket = tickets_behind(f->tickets, ticket))
        tickets_settle(f->tickets, ticket, TICKET_DONE);
    return true;
}

// Syncs the lines before that of the event in `send`.
static bool file_sink_sync_earlier(const struct file_sink *f, struct error *err)
{
    return !f->fsync || file_sink_sync(f, f->tickets->newest - 1, err);
}

// Opens the file that the path now names, in place of the old file, whose lines are on disk. On
// failure the old file stays open.
static bool file_sink_follow_rename(struct file_sink *f, struct error *err)
{
    int old = f->fd;
    bool opened = file_sink_open_file(f, f->tickets, err);
    if (opened)
        close(old);
    else
        f->fd = old;
    return opened;
}

static void file_sink_make_line(char buffer[FORMAT_SIZE + 1], size_t *size,
                                const struct event *event)
{
    struct text t = text_in(buffer, FORMAT_SIZE);
    format_line(&t, FORMAT_JSON, NULL, event);
    buffer[t.len] = '\n';
    *size = t.len + 1;
}

static enum sink_result file_sink_send(void *self, const struct event *event, struct error *err)
{
    struct file_sink *f = self;
    struct error unsynced;
    char buffer[FORMAT_SIZE + 1];
    size_t size;
    const bool reopen = atomic_load(&f->reopen); // another thread sets it
    if (reopen && !file_sink_sync_earlier(f, err))
        return SINK_FAILED;
    file_sink_make_line(buffer, &size, event);
    if ((!reopen || file_sink_follow_rename(f, err)) && file_sink_append(f, buffer, size, err))
        return f->fsync ? SINK_PENDING : SINK_DONE;
    // Lines that are not on disk at a failure would be written again.
    file_sink_sync_earlier(f, &unsynced);
    return SINK_FAILED;
}

// With `timeout_ms` 0, further lines follow and share the sync.
static bool file_sink_wait(void *self, int timeout_ms, struct error *err)
{
    struct file_sink *f = self;
    return timeout_ms == 0 || file_sink_sync(f, f->tickets->newest, err);
}

static void file_sink_close(void *self)
{
    struct file_sink *f = self;
    close(f->fd);
}

static void file_sink_ask_to_reopen(void *self)
{
    struct file_sink *f = self;
    atomic_store(&f->reopen, true);
}

// Standard output.

static enum sink_result file_sink_send_output(void *self, const struct event *event,
                                              struct error *err)
{
    (void)self;
    char buffer[FORMAT_SIZE + 1];
    size_t size;
    file_sink_make_line(buffer, &size, event);
    return output_write(buffer, size, err) ? SINK_DONE : SINK_FAILED;
}

void file_sink(struct sink *out, const char *name, const char *path, bool fsync)
{
    struct file_sink *f = memory_zeroed(1, sizeof *f);
    f->path = path;
    f->fsync = fsync;
    *out = (struct sink){.open = file_sink_open_file,
                         .send = file_sink_send,
                         .close = file_sink_close,
                         .reopen = file_sink_ask_to_reopen,
                         .free = free,
                         .self = f,
                         .kind = "file"};
    if (strcmp(path, "-") == 0) {
        out->open = NULL;
        out->send = file_sink_send_output;
        out->close = NULL;
        out->reopen = NULL;
    } else if (fsync) {
        out->wait = file_sink_wait;
        out->in_flight_max = IN_FLIGHT_MAX;
    }
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->address, sizeof out->address, "%s",
             strcmp(path, "-") == 0 ? "standard output" : path);
}

bool file_sink_check(const char *path, struct error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
        return error_set(err, "%s is neither a regular file nor a character device", path);
    return writable_check_file(path, err);
}
