// SPDX-License-Identifier: BSD-2-Clause
#include "sink/file.h"

#include "base/memory.h"
#include "base/path.h"
#include "sink/format.h"
#include "sink/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_FLIGHT_MAX = 512 };

struct file_sink {
    const char *path;
    enum file_fsync fsync;
    int fd;
    int pending; // lines written and not synced
    bool failed; // an event after these; `wait` reports `problem` once these are on disk
    struct error problem;
    atomic_bool reopen;
};

// Files.

// Syncs the directory of a new file: without that, a power failure may lose the file's name.
static void file_sink_sync_directory(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static bool check_kind(const struct file_sink *f, struct error *err)
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
static bool end_last_line(const struct file_sink *f, struct error *err)
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

static bool file_sink_open_file(void *self, struct error *err)
{
    struct file_sink *f = self;
    bool is_new = access(f->path, F_OK) != 0;
    atomic_store(&f->reopen, false);
    f->pending = 0;
    f->failed = false;
    f->fd = open(f->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
    if (f->fd < 0)
        return error_set(err, "cannot open %s: %s", f->path, strerror(errno));
    if (check_kind(f, err) && end_last_line(f, err)) {
        if (is_new && f->fsync == FILE_FSYNC_EACH)
            file_sink_sync_directory(f->path);
        return true;
    }
    close(f->fd);
    return false;
}

// Removes the octets that were just appended to the file.
static void undo_append(const struct file_sink *f, size_t size)
{
    struct stat st;
    if (size > 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)size)
        (void)!ftruncate(f->fd, st.st_size - (off_t)size);
}

static bool file_sink_append(const struct file_sink *f, const char *octets, size_t size,
                             struct error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(f->fd, octets + done, size - done);
        if (n < 0 && errno != EINTR) {
            error_set(err, "cannot write to %s: %s", f->path, strerror(errno));
            undo_append(f, done);
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool sync_file(const struct file_sink *f, struct error *err)
{
    if (fdatasync(f->fd) == 0 || errno == EINVAL) // a device has nothing to sync
        return true;
    return error_set(err, "cannot sync %s: %s", f->path, strerror(errno));
}

// Syncs pending lines before their file is closed. A failed sync is not repeated, since the kernel
// reports lost data only once.
static bool sync_old_file(struct file_sink *f, struct error *err)
{
    return f->pending == 0 || sync_file(f, err);
}

// Opens the file that the path now names, in place of the old one. On failure the old one stays
// open. Pending lines, which are on disk by now, stay pending.
static bool follow_rename(struct file_sink *f, struct error *err)
{
    int old = f->fd, pending = f->pending;
    bool opened = file_sink_open_file(f, err);
    if (opened)
        close(old);
    else
        f->fd = old;
    f->pending = pending;
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

// Reports a failure only after the pending lines are synced, since lines pending at a failure would
// be written again.
static enum sink_result fail_later(struct file_sink *f, const struct error *err)
{
    if (f->pending == 0)
        return SINK_FAILED;
    f->failed = true;
    f->problem = *err;
    return SINK_PENDING;
}

static enum sink_result send_file(void *self, const struct event *event, struct error *err)
{
    struct file_sink *f = self;
    char buffer[FORMAT_SIZE + 1];
    size_t size;
    if (f->failed)
        return SINK_PENDING;
    bool reopen = atomic_load(&f->reopen); // another thread sets it
    if (reopen && !sync_old_file(f, err))
        return SINK_FAILED;
    file_sink_make_line(buffer, &size, event);
    if ((reopen && !follow_rename(f, err)) || !file_sink_append(f, buffer, size, err))
        return fail_later(f, err);
    if (f->fsync == FILE_FSYNC_NONE)
        return SINK_DONE;
    f->pending++;
    return SINK_PENDING;
}

// Syncs the pending lines. With `timeout_ms` 0 it does not, as further lines follow and share the
// sync.
static int wait_file(void *self, int timeout_ms, struct error *err)
{
    struct file_sink *f = self;
    int n = f->pending;
    if (n == 0 && f->failed) {
        *err = f->problem;
        return -1;
    }
    if (n == 0 || timeout_ms == 0)
        return 0;
    f->pending = 0;
    return sync_file(f, err) ? n : -1;
}

static void close_file(void *self)
{
    struct file_sink *f = self;
    close(f->fd);
}

static void ask_to_reopen(void *self)
{
    struct file_sink *f = self;
    atomic_store(&f->reopen, true);
}

// Standard output.

static bool open_output(void *self, struct error *err)
{
    (void)self;
    (void)err;
    return true;
}

static enum sink_result send_output(void *self, const struct event *event, struct error *err)
{
    (void)self;
    char buffer[FORMAT_SIZE + 1];
    size_t size;
    file_sink_make_line(buffer, &size, event);
    return output_write(buffer, size, err) ? SINK_DONE : SINK_FAILED;
}

static void close_output(void *self)
{
    (void)self;
}

void file_sink(struct sink *out, const char *name, const struct file_options *options)
{
    struct file_sink *f = memory_zeroed(1, sizeof *f);
    f->path = options->path;
    f->fsync = options->fsync;
    *out = (struct sink){.open = file_sink_open_file,
                         .send = send_file,
                         .close = close_file,
                         .reopen = ask_to_reopen,
                         .free = free,
                         .self = f,
                         .kind = "file"};
    if (strcmp(options->path, "-") == 0) {
        out->open = open_output;
        out->send = send_output;
        out->close = close_output;
        out->reopen = NULL;
    } else if (options->fsync == FILE_FSYNC_EACH) {
        out->wait = wait_file;
        out->in_flight_max = IN_FLIGHT_MAX;
    }
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->address, sizeof out->address, "%s",
             strcmp(options->path, "-") == 0 ? "standard output" : options->path);
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
