// SPDX-License-Identifier: BSD-2-Clause
#include "base/secret.h"

#include "base/path.h"
#include "install.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool secret_is_trusted(uid_t owner)
{
    if (owner == 0 || owner == geteuid())
        return true;
    const struct passwd *service = geteuid() == 0 ? getpwnam(INSTALL_USER) : NULL;
    return service && service->pw_uid == owner;
}

static bool secret_check_access(int fd, const char *path, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_set(err, "cannot examine '%s': %s", path, strerror(errno));
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return error_set(err, "'%s' can be accessed by others (mode %04o): run chmod 600 on it",
                         path, (unsigned)st.st_mode & 07777U);
    return secret_is_trusted(st.st_uid) ||
           error_set(err,
                     "'%s' belongs to user %u: it must belong to root or to the user that runs "
                     "ibtrapd",
                     path, (unsigned)st.st_uid);
}

// Says what to do where this user may not read the file.
static void secret_add_advice(const char *path, struct error *err)
{
    const struct error why = *err;
    if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 && errno == EACCES)
        error_set(err,
                  "%s; give it to the user that runs ibtrapd (chown), and let that user into its "
                  "directory",
                  why.text);
}

// A descriptor, or -1 with a sentence.
static int secret_open_file(const char *path, struct error *err)
{
    int fd = regular_file_open(path, err);
    if (fd >= 0 && secret_check_access(fd, path, err))
        return fd;
    if (fd >= 0)
        close(fd);
    else
        secret_add_advice(path, err);
    return -1;
}

static bool secret_read_first_line(int fd, const char *path, char *out, size_t size,
                                   struct error *err)
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
    int fd = secret_open_file(path, err);
    if (fd < 0)
        return false;
    bool ok = secret_read_first_line(fd, path, out, size, err);
    close(fd);
    return ok;
}

char *secret_read_file(const char *path, size_t *size, struct error *err)
{
    int fd = secret_open_file(path, err);
    char *content = fd >= 0 ? regular_file_take(fd, path, SECRET_FILE_MAX, size, err) : NULL;
    if (fd >= 0)
        close(fd);
    return content;
}

void secret_free(char *content, size_t size)
{
    if (content)
        explicit_bzero(content, size);
    free(content);
}

void secret_release(void *memory)
{
    if (memory)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

bool secret_check_file(const char *path, struct error *err)
{
    int fd = secret_open_file(path, err);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
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
