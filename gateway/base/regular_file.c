// SPDX-License-Identifier: BSD-2-Clause
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
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
static ssize_t regular_file_fill(int fd, char *out, size_t size)
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
    char *content = longer ? NULL : malloc(room + 1);
    ssize_t n = content ? regular_file_fill(fd, content, room + 1) : 0;
    if (longer || n > (ssize_t)max)
        error_set(err, "'%s' is longer than %zu octets", path, max);
    else if (!content)
        error_set(err, "out of memory");
    else if (n < 0)
        error_set(err, "cannot read '%s': %s", path, strerror(errno));
    else if (n > (ssize_t)room)
        error_set(err, "'%s' grows while it is read", path);
    else {
        content[n] = '\0';
        *size = (size_t)n;
        return content;
    }
    if (content)
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
