// SPDX-License-Identifier: BSD-2-Clause
#include "smlog/log_tail.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEFORE_MAX = 128, PIECE_SIZE = 64 << 10 };

struct log_tail {
    char path[PATH_MAX];
    struct log *log;
    int fd;          // -1: none
    bool began;      // the place is known
    bool stopped;    // `each` stopped this round
    bool told;       // the log has a line about why the file cannot be read
    uint64_t offset; // behind the last line
    uint64_t digest; // of the octets before `offset`, at most BEFORE_MAX
};

// The digest of the octets before the offset: another file does not have the same octets there by
// chance. False: the file is shorter, or cannot be read.
static bool log_tail_digest_before(int fd, uint64_t offset, uint64_t *out)
{
    uint8_t octets[BEFORE_MAX];
    const size_t n = offset < BEFORE_MAX ? (size_t)offset : BEFORE_MAX;
    if (pread(fd, octets, n, (off_t)(offset - n)) != (ssize_t)n)
        return false;
    *out = digest_add(DIGEST_OF_NOTHING, octets, n);
    return true;
}

static bool log_tail_is_place(const struct log_tail *t, int fd)
{
    uint64_t digest;
    return log_tail_digest_before(fd, t->offset, &digest) && digest == t->digest;
}

static void log_tail_close(struct log_tail *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

struct log_tail *log_tail_new(const char *path, const char *place, struct log *log)
{
    struct log_tail *t = memory_zeroed(1, sizeof *t);
    snprintf(t->path, sizeof t->path, "%s", path);
    t->log = log;
    t->fd = -1;
    t->began = sscanf(place, "%" SCNu64 " %" SCNx64, &t->offset, &t->digest) == 2;
    return t;
}

void log_tail_free(struct log_tail *tail)
{
    log_tail_close(tail);
    free(tail);
}

// Notes the octets before the place. After a truncation since, the next round looks for the place.
static void log_tail_note(struct log_tail *t)
{
    if (t->fd >= 0 && !log_tail_digest_before(t->fd, t->offset, &t->digest))
        t->digest = 0;
}

void log_tail_place(struct log_tail *tail, char out[LOG_TAIL_PLACE_SIZE])
{
    out[0] = '\0';
    log_tail_note(tail);
    if (tail->began)
        snprintf(out, LOG_TAIL_PLACE_SIZE, "%" PRIu64 " %" PRIx64, tail->offset, tail->digest);
}

static void log_tail_open(struct log_tail *t)
{
    struct error err;
    t->fd = regular_file_open(t->path, &err);
    if (t->fd < 0 && !t->told)
        log_write(t->log, LOG_LEVEL_WARNING,
                  "cannot read the log of the subnet manager, %s; ibtrapd tries again each second",
                  err.text);
    t->told = t->fd < 0;
}

// Opens the file beside the log whose name begins with the log's name and that has the place. -1:
// none has.
static int log_tail_find_rotated(const struct log_tail *t)
{
    char directory[PATH_MAX], path[2 * PATH_MAX];
    const char *slash = strrchr(t->path, '/'), *name = slash ? slash + 1 : t->path;
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(name - t->path) : 1,
             slash ? t->path : ".");
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    struct error err;
    int found = -1;
    for (int files = 0; dir && found < 0 && files < LOG_TAIL_FILES_MAX && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, name, strlen(name)) != 0)
            continue;
        files++;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        found = regular_file_open(path, &err);
        if (found >= 0 && !log_tail_is_place(t, found)) {
            close(found);
            found = -1;
        }
    }
    if (dir)
        closedir(dir);
    return found;
}

// Begins at the first line of the log; without a log, at the first line of the next one.
static void log_tail_begin(struct log_tail *t)
{
    log_tail_close(t);
    log_tail_open(t);
    t->began = true;
    t->offset = 0;
    t->digest = DIGEST_OF_NOTHING;
}

static void log_tail_begin_at_end(struct log_tail *t)
{
    struct stat s;
    log_tail_begin(t);
    if (t->fd >= 0 && fstat(t->fd, &s) == 0)
        t->offset = (uint64_t)s.st_size;
    log_tail_note(t);
}

static void log_tail_find(struct log_tail *t)
{
    log_tail_close(t);
    log_tail_open(t);
    if (t->fd < 0 || log_tail_is_place(t, t->fd))
        return;
    close(t->fd);
    t->fd = log_tail_find_rotated(t);
    if (t->fd >= 0)
        return;
    log_write(t->log, LOG_LEVEL_WARNING,
              "the place in %s is gone: it was truncated, or rotated and compressed; lines may be "
              "missed. ibtrapd reads on at its first line",
              t->path);
    log_tail_begin(t);
}

// Whether the place is within a line: its rest is skipped.
static bool log_tail_is_in_line(const struct log_tail *t)
{
    char last;
    return t->offset > 0 && pread(t->fd, &last, 1, (off_t)t->offset - 1) == 1 && last != '\n';
}

// Takes the line at the begin of a piece of the file; `whole`: the piece has the end of the line.
static bool log_tail_take_line(struct log_tail *t, const char *piece, size_t size, bool whole,
                               bool (*each)(void *ctx, const char *line), void *ctx)
{
    char line[LOG_TAIL_LINE_MAX + 1];
    const size_t kept = size < LOG_TAIL_LINE_MAX ? size : LOG_TAIL_LINE_MAX;
    memcpy(line, piece, kept);
    line[kept] = '\0';
    t->offset += size + whole;
    if (each(ctx, line))
        return true;
    t->offset -= size + whole;
    t->stopped = true;
    return false;
}

// Takes the lines of a piece of the file. False: `each` stopped, or the last line has no end yet.
static bool log_tail_take_lines(struct log_tail *t, const char *piece, size_t size, bool in_line,
                                bool (*each)(void *ctx, const char *line), void *ctx)
{
    const char *at = piece, *const all = piece + size;
    while (at < all) {
        const char *end = memchr(at, '\n', (size_t)(all - at));
        if (!end && !in_line && (at > piece || size < PIECE_SIZE))
            return at > piece && size == PIECE_SIZE; // the next piece begins with the line
        const size_t n = (size_t)((end ? end : all) - at);
        if (in_line)
            t->offset += n + (end != NULL);
        else if (!log_tail_take_line(t, at, n, end != NULL, each, ctx))
            return false;
        in_line = false;
        at += n + (end != NULL);
    }
    return true;
}

// Reads the open file. True: there may be more.
static bool log_tail_read(struct log_tail *t, bool (*each)(void *ctx, const char *line), void *ctx)
{
    char *piece = memory_get(PIECE_SIZE);
    ssize_t n = 0;
    bool more = true;
    for (size_t done = 0; more && done < LOG_TAIL_ROUND_MAX; done += (size_t)n) {
        n = pread(t->fd, piece, PIECE_SIZE, (off_t)t->offset);
        more = n > 0 && log_tail_take_lines(t, piece, (size_t)n, log_tail_is_in_line(t), each, ctx);
        n = n > 0 ? n : 0;
    }
    free(piece);
    log_tail_note(t);
    return more;
}

// Whether the log is another file by now, and has something.
static bool log_tail_is_rotated(const struct log_tail *t)
{
    struct stat open_one, named;
    return stat(t->path, &named) == 0 && named.st_size > 0 && fstat(t->fd, &open_one) == 0 &&
           (named.st_ino != open_one.st_ino || named.st_dev != open_one.st_dev);
}

bool log_tail_round(struct log_tail *tail, bool (*each)(void *ctx, const char *line), void *ctx)
{
    tail->stopped = false;
    if (!tail->began)
        log_tail_begin_at_end(tail);
    else if (tail->fd < 0 || !log_tail_is_place(tail, tail->fd))
        log_tail_find(tail);
    if (tail->fd < 0)
        return false;
    // Asked before the reading: what was written to the former file by then is read.
    const bool rotated = log_tail_is_rotated(tail);
    if (log_tail_read(tail, each, ctx))
        return true;
    if (!rotated || tail->stopped)
        return false;
    log_tail_begin(tail);
    return true;
}
