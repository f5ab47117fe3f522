// SPDX-License-Identifier: BSD-2-Clause
#include "journal/communities.h"

#include "base/memory.h"
#include "base/secret.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A line is "0x<GUID> <row> <community in hexadecimal>".
enum { LINE_MAX_SIZE = 18 + 1 + 3 + 1 + 2 * SETTING_COMMUNITY_MAX + 1 };
enum { FILE_MAX = SETTINGS_MAX * LINE_MAX_SIZE };

// The file and its replacement.
struct communities_paths {
    char file[PATH_MAX], next[PATH_MAX];
};

static void communities_name(const char *directory, struct communities_paths *out)
{
    snprintf(out->file, sizeof out->file, "%s/communities", directory);
    snprintf(out->next, sizeof out->next, "%s/communities.new", directory);
}

// Saving.

static void communities_add(struct text *t, const struct setting *s)
{
    text_add(t, "0x");
    text_add_hex_number(t, s->guid, 16);
    text_addf(t, " %u ", (unsigned)s->number);
    text_add_hex(t, s->value, s->size);
    text_add(t, "\n");
}

static bool communities_write_all(int fd, const char *octets, size_t size)
{
    ssize_t n = 0;
    for (; size > 0 && n >= 0; size -= (size_t)n, octets += n) {
        n = write(fd, octets, size);
        if (n < 0 && errno == EINTR)
            n = 0;
    }
    return n >= 0 && fsync(fd) == 0;
}

static bool communities_sync_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

// An earlier replacement, which a crash has left, may be open to others.
static bool communities_replace(const struct communities_paths *paths, const struct text *t)
{
    if (unlink(paths->next) != 0 && errno != ENOENT)
        return false;
    int fd = open(paths->next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && communities_write_all(fd, t->buf, t->len);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return ok && rename(paths->next, paths->file) == 0;
}

bool communities_save(const char *directory, const struct settings *settings, struct error *err)
{
    struct communities_paths paths = {"", ""};
    char *octets = memory_get(FILE_MAX + 1);
    communities_name(directory, &paths);
    struct text t = text_in(octets, FILE_MAX + 1);
    for (size_t i = 0; i < settings_count(settings); i++) {
        if (settings_at(settings, i)->kind == SETTING_COMMUNITY)
            communities_add(&t, settings_at(settings, i));
    }
    bool ok =
        t.len > 0 ? communities_replace(&paths, &t) : unlink(paths.file) == 0 || errno == ENOENT;
    ok = ok && communities_sync_directory(directory);
    if (!ok)
        error_set(err, "cannot save the communities in %s: %s", paths.file, strerror(errno));
    secret_free(octets, t.len);
    return ok;
}

// Loading.

static bool communities_parse(const char *line, struct setting *out)
{
    char digits[2 * SETTING_COMMUNITY_MAX + 1];
    unsigned row;
    int end = 0;
    *out = (struct setting){.kind = SETTING_COMMUNITY};
    if (sscanf(line, "0x%16" SCNx64 " %3u %32[0-9a-f]%n", &out->guid, &row, digits, &end) != 3 ||
        line[end] != '\0' || row > SETTING_ROWS_MAX || strlen(digits) % 2 != 0)
        return false;
    out->number = (uint8_t)row;
    out->size = (uint16_t)(strlen(digits) / 2);
    for (size_t i = 0; i < out->size; i++)
        sscanf(digits + 2 * i, "%2" SCNx8, &out->value[i]);
    explicit_bzero(digits, sizeof digits);
    return setting_is_valid(out);
}

static void communities_read_lines(char *octets,
                                   void (*each)(void *ctx, const struct setting *setting),
                                   void *ctx)
{
    struct setting setting;
    for (char *line; (line = strsep(&octets, "\n"));) {
        if (communities_parse(line, &setting))
            each(ctx, &setting);
    }
    explicit_bzero(&setting, sizeof setting);
}

// Reads up to FILE_MAX octets, and adds a NUL. Returns their number; -1: it failed.
static ssize_t communities_read_all(int fd, char *octets)
{
    ssize_t n = 1;
    size_t size = 0;
    while (n > 0 && size < FILE_MAX) {
        n = read(fd, octets + size, FILE_MAX - size);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            size += (size_t)n;
    }
    octets[size] = '\0';
    return n < 0 ? -1 : (ssize_t)size;
}

bool communities_load(const char *directory, void (*each)(void *ctx, const struct setting *setting),
                      void *ctx, struct error *err)
{
    struct communities_paths paths = {"", ""};
    communities_name(directory, &paths);
    int fd = open(paths.file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    char *octets = memory_get(FILE_MAX + 1);
    ssize_t size = fd >= 0 ? communities_read_all(fd, octets) : -1;
    if (size < 0)
        error_set(err, "cannot read the communities in %s: %s", paths.file, strerror(errno));
    else
        communities_read_lines(octets, each, ctx);
    if (fd >= 0)
        close(fd);
    secret_free(octets, size > 0 ? (size_t)size : 0);
    return size >= 0;
}
