// SPDX-License-Identifier: BSD-2-Clause
#include "base/path.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_file_open(const char *path, struct error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        error_set(err, "cannot open '%s': %s", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &st) != 0)
        error_set(err, "cannot examine '%s': %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        error_set(err, "'%s' is not a regular file", path);
    else
        return fd;
    close(fd);
    return -1;
}

// Reads up to `size` octets and returns how many; -1: it failed.
static ssize_t path_fill(int fd, char *out, size_t size)
{
    size_t got = 0;
    ssize_t n = 1;
    while (n > 0 && got < size) {
        n = read(fd, out + got, size - got);
        got += n > 0 ? (size_t)n : 0;
    }
    return n < 0 ? -1 : (ssize_t)got;
}

char *regular_file_take(int fd, const char *path, size_t max, size_t *size, struct error *err)
{
    struct stat st;
    // A file of the kernel has a size of 0 and a content nevertheless.
    bool known = fstat(fd, &st) == 0 && st.st_size > 0;
    size_t room = known && (uintmax_t)st.st_size < max ? (size_t)st.st_size : max;
    bool longer = known && (uintmax_t)st.st_size > max;
    char *content = memory_get(room + 1);
    ssize_t n = longer ? 0 : path_fill(fd, content, room + 1);
    if (longer || n > (ssize_t)max)
        error_set(err, "'%s' is longer than %zu octets", path, max);
    else if (n < 0)
        error_set(err, "cannot read '%s': %s", path, strerror(errno));
    else if (n > (ssize_t)room)
        error_set(err, "'%s' grows while it is read", path);
    else {
        content[n] = '\0';
        *size = (size_t)n;
        return content;
    }
    explicit_bzero(content, room + 1);
    free(content);
    return NULL;
}

char *regular_file_read(const char *path, size_t max, size_t *size, struct error *err)
{
    int fd = regular_file_open(path, err);
    char *content = fd >= 0 ? regular_file_take(fd, path, max, size, err) : NULL;
    if (fd >= 0)
        close(fd);
    return content;
}

// Writing.

static const char *path_parent(const char *path, char copy[PATH_MAX])
{
    snprintf(copy, PATH_MAX, "%s", path);
    return dirname(copy);
}

bool directory_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

bool directory_sync_of(const char *path)
{
    char copy[PATH_MAX];
    return directory_sync(path_parent(path, copy));
}

static bool path_write_all(int fd, const char *octets, size_t size)
{
    ssize_t n = 0;
    for (; size > 0 && n >= 0; size -= (size_t)n, octets += n) {
        n = write(fd, octets, size);
        if (n < 0 && errno == EINTR)
            n = 0;
    }
    return n >= 0 && fsync(fd) == 0;
}

// A replacement left by a crash may be open to others.
bool regular_file_replace(const char *path, const char *octets, size_t size)
{
    char next[PATH_MAX];
    snprintf(next, sizeof next, "%s.new", path);
    if (unlink(next) != 0 && errno != ENOENT)
        return false;
    int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && path_write_all(fd, octets, size);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return ok && rename(next, path) == 0 && directory_sync_of(path);
}

// What may be written.

// `directory`: what a systemd unit would have to let the process write to.
static bool path_ask(const char *path, int mode, const char *directory, struct error *err)
{
    if (access(path, mode) == 0)
        return true;
    if (errno == EROFS)
        return error_set(err,
                         "cannot write to %s: %s; if its systemd unit makes it so, set "
                         "ReadWritePaths=%s there (systemctl edit)",
                         path, strerror(errno), directory);
    return error_set(err, "cannot write to %s: %s; the user that runs ibtrapd must be able to",
                     path, strerror(errno));
}

// Whether something of a name that does not exist may be made in the directory.
static bool path_may_make_in(const char *directory, struct error *err)
{
    if (access(directory, F_OK) != 0 && errno == ENOENT)
        return error_set(
            err,
            "the directory %s does not exist: make it, and give it to the user that runs ibtrapd",
            directory);
    return path_ask(directory, W_OK | X_OK, directory, err);
}

bool writable_cannot_look(const char *path, struct error *err)
{
    return error_set(
        err, "cannot look at '%s': %s%s", path, strerror(errno),
        errno == EACCES ? "; let the user that runs ibtrapd into the directory (chmod a+x)" : "");
}

bool writable_check_file(const char *path, struct error *err)
{
    struct stat st;
    char copy[PATH_MAX];
    const char *directory = path_parent(path, copy);
    if (stat(path, &st) == 0)
        return path_ask(path, W_OK, directory, err);
    return errno == ENOENT ? path_may_make_in(directory, err) : writable_cannot_look(path, err);
}

bool writable_check_directory(const char *path, struct error *err)
{
    struct stat st;
    char copy[PATH_MAX];
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? path_ask(path, W_OK | X_OK, path, err)
                                   : error_set(err, "%s is not a directory", path);
    return errno == ENOENT ? path_may_make_in(path_parent(path, copy), err)
                           : writable_cannot_look(path, err);
}
