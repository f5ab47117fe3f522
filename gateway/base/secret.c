#include "base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_file(int fd, const char *path, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_set(err, "cannot examine '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set(err, "'%s' is not a regular file", path);
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return error_set(err, "'%s' can be accessed by others (mode %04o): run chmod 600 on it", path,
                         (unsigned)st.st_mode & 07777U);
    return true;
}

static bool read_first_line(int fd, const char *path, char *out, size_t size, struct error *err)
{
    ssize_t n = read(fd, out, size);
    if (n < 0)
        return error_set(err, "cannot read '%s': %s", path, strerror(errno));
    char *end = memchr(out, '\n', (size_t)n);
    if (!end && (size_t)n == size)
        return error_set(err, "the first line of '%s' is longer than %zu octets", path, size - 1);
    out[end ? end - out : n] = '\0';
    size_t length = strlen(out);
    while (length > 0 && (out[length - 1] == '\r' || out[length - 1] == ' '))
        out[--length] = '\0';
    if (length == 0)
        return error_set(err, "the first line of '%s' is empty", path);
    return true;
}

bool secret_read_line(const char *path, char *out, size_t size, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "cannot open '%s': %s", path, strerror(errno));
    bool ok = check_file(fd, path, err) && read_first_line(fd, path, out, size, err);
    close(fd);
    return ok;
}

bool secret_read_key(const char *path, uint64_t *key, struct error *err)
{
    char line[64];
    if (!secret_read_line(path, line, sizeof line, err))
        return false;
    bool hexadecimal = line[0] == '0' && (line[1] == 'x' || line[1] == 'X');
    char *end;
    errno = 0;
    unsigned long long value = strtoull(line, &end, hexadecimal ? 16 : 10);
    bool ok = errno == 0 && *end == '\0' && line[0] >= '0' && line[0] <= '9';
    explicit_bzero(line, sizeof line);
    if (!ok)
        return error_set(err, "'%s' must hold one 64-bit key, decimal or with 0x before it", path);
    *key = value;
    return true;
}
