// SPDX-License-Identifier: BSD-2-Clause
#include "ib/mkeys.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MKEYS_FILE_MAX = 32 << 20, MKEYS_PATH_SIZE = 256, MKEYS_DIGITS = 16, MKEYS_PORT_MAX = 254 };
enum { MKEYS_TELL_AT = 2 }; // failures in a row

// What a line says: a port (`port` 0), or port number `port` of a node, has the key `value`, or
// leads to the port with GUID `value`.
struct mkeys_entry {
    uint64_t guid, value;
    uint8_t port;
};

struct mkeys_table {
    struct mkeys_entry *entries; // ascending by GUID and port
    size_t count;
};

// One of the two files.
struct mkeys_file {
    char path[MKEYS_PATH_SIZE]; // empty: none
    bool has_ports;             // `neighbors`: each line is about a port; the file may be missing
    bool is_tried;
    struct stat tried; // the file at the last reading; zero: away
    unsigned failures; // to read it, in a row
    struct mkeys_table table;
};

struct mkeys {
    struct log *log;
    pthread_mutex_t reading; // held while the files are read; locked before `lock`
    pthread_mutex_t lock;    // over the tables, for look-ups
    struct mkeys_file keys, neighbors;
};

// Reading a file.

static int mkeys_compare(const void *a, const void *b)
{
    const struct mkeys_entry *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static void mkeys_drop(struct mkeys_table *table)
{
    if (table->entries)
        explicit_bzero(table->entries, table->count * sizeof *table->entries);
    free(table->entries);
    *table = (struct mkeys_table){0};
}

// Reads 0x and 16 digits, like OpenSM writes numbers. So a number cannot lack its end.
static const char *mkeys_read_number(const char *s, uint64_t *out)
{
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    if (s[0] != '0' || s[1] != 'x' || strspn(s + 2, DIGITS) != MKEYS_DIGITS)
        return NULL;
    char *end;
    *out = strtoull(s, &end, 16);
    return end;
}

static const char *mkeys_read_port(const char *s, uint8_t *out)
{
    char *end;
    if (s[0] != ':' || s[1] < '0' || s[1] > '9')
        return NULL;
    const unsigned long port = strtoul(s + 1, &end, 10);
    *out = (uint8_t)port;
    return port <= MKEYS_PORT_MAX ? end : NULL;
}

static bool mkeys_read_line(const char *line, bool has_ports, struct mkeys_entry *out)
{
    uint8_t ignored;
    *out = (struct mkeys_entry){0};
    const char *at = mkeys_read_number(line, &out->guid);
    if (at && has_ports)
        at = mkeys_read_port(at, &out->port);
    const size_t blanks = at ? strspn(at, " \t") : 0;
    at = blanks > 0 ? mkeys_read_number(at + blanks, &out->value) : NULL;
    if (at && has_ports)
        at = mkeys_read_port(at, &ignored);
    return at && at[strspn(at, " \t\r")] == '\0' && out->guid != 0;
}

// Reads the lines of `content`, and changes `content`. A sentence never has what is in a line.
static bool mkeys_read_lines(char *content, size_t size, const struct mkeys_file *file,
                             struct mkeys_table *out, struct error *err)
{
    enum { LINE_MIN = 37 }; // octets of a readable line; other lines may be many
    size_t number = 0;
    out->entries = memory_zeroed(size / LINE_MIN + 1, sizeof *out->entries);
    for (char *line = content, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        number++;
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        struct mkeys_entry entry;
        if (!mkeys_read_line(line, file->has_ports, &entry))
            return error_set(err, "line %zu of '%s' is not as OpenSM writes it", number,
                             file->path);
        out->entries[out->count++] = entry;
    }
    qsort(out->entries, out->count, sizeof *out->entries, mkeys_compare);
    return true;
}

static bool mkeys_load(const struct mkeys_file *file, struct mkeys_table *out, struct error *err)
{
    size_t size;
    char *content = regular_file_read(file->path, MKEYS_FILE_MAX, &size, err);
    *out = (struct mkeys_table){0};
    if (!content)
        return false;
    bool ok = strlen(content) == size || error_set(err, "'%s' is no text", file->path);
    ok = ok && mkeys_read_lines(content, size, file, out, err);
    explicit_bzero(content, size);
    free(content);
    if (!ok)
        mkeys_drop(out);
    return ok;
}

// Reading again.

static bool mkeys_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool mkeys_is_same(const struct mkeys_table *a, const struct mkeys_table *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = mkeys_compare(&a->entries[i], &b->entries[i]) == 0 &&
               a->entries[i].value == b->entries[i].value;
    return same;
}

// Takes over what was read. True: it differs from before.
static bool mkeys_take(struct mkeys *m, struct mkeys_file *file, struct mkeys_table *table)
{
    const bool same = mkeys_is_same(&file->table, table);
    pthread_mutex_lock(&m->lock);
    struct mkeys_table former = file->table;
    file->table = *table;
    pthread_mutex_unlock(&m->lock);
    mkeys_drop(&former);
    return !same;
}

// Call it with `reading`.
static bool mkeys_refresh_file(struct mkeys *m, struct mkeys_file *file)
{
    struct error err;
    struct stat now;
    struct mkeys_table table;
    if (file->path[0] == '\0')
        return false;
    if (stat(file->path, &now) != 0)
        memset(&now, 0, sizeof now); // it is away
    if (now.st_ino == 0 && file->has_ports)
        return false;
    const bool settled = file->failures == 0 || file->failures >= MKEYS_TELL_AT;
    if (file->is_tried && settled && mkeys_is_same_file(&now, &file->tried))
        return false;
    file->is_tried = true;
    file->tried = now; // as it was before it is read: a later change is seen next time
    if (!mkeys_load(file, &table, &err)) {
        if (++file->failures == MKEYS_TELL_AT)
            log_write(m->log, LOG_LEVEL_WARNING, "the M_Keys are not known, or former ones: %s",
                      err.text);
        return false;
    }
    if (file->failures >= MKEYS_TELL_AT)
        log_write(m->log, LOG_LEVEL_INFO, "'%s' can be read again", file->path);
    file->failures = 0;
    return mkeys_take(m, file, &table);
}

bool mkeys_refresh(struct mkeys *mkeys)
{
    pthread_mutex_lock(&mkeys->reading);
    const bool keys = mkeys_refresh_file(mkeys, &mkeys->keys);
    const bool neighbors = mkeys_refresh_file(mkeys, &mkeys->neighbors);
    if (keys)
        log_debug(mkeys->log, "read %zu M_Keys", mkeys->keys.table.count);
    pthread_mutex_unlock(&mkeys->reading);
    return keys || neighbors;
}

// Call it with `reading`.
static void mkeys_name_file(struct mkeys *m, struct mkeys_file *file, const char *path, int length,
                            const char *name)
{
    struct mkeys_table none = {0};
    mkeys_take(m, file, &none);
    file->is_tried = false;
    file->failures = 0;
    const int n = snprintf(file->path, sizeof file->path, "%.*s%s", length, path, name);
    if (n >= (int)sizeof file->path)
        file->path[0] = '\0';
}

void mkeys_use(struct mkeys *mkeys, const char *path)
{
    const char *slash = strrchr(path, '/');
    pthread_mutex_lock(&mkeys->reading);
    if (strcmp(path, mkeys->keys.path) != 0) {
        mkeys_name_file(mkeys, &mkeys->keys, path, (int)strlen(path), "");
        mkeys_name_file(mkeys, &mkeys->neighbors, path, slash ? (int)(slash - path) : 0,
                        slash ? "/neighbors" : "");
    }
    pthread_mutex_unlock(&mkeys->reading);
    mkeys_refresh(mkeys);
}

struct mkeys *mkeys_new(struct log *log)
{
    struct mkeys *m = memory_zeroed(1, sizeof *m);
    m->log = log;
    m->neighbors.has_ports = true;
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->reading, NULL);
    return m;
}

void mkeys_free(struct mkeys *mkeys)
{
    if (!mkeys)
        return;
    mkeys_drop(&mkeys->keys.table);
    mkeys_drop(&mkeys->neighbors.table);
    pthread_mutex_destroy(&mkeys->reading);
    pthread_mutex_destroy(&mkeys->lock);
    free(mkeys);
}

// Looking up.

static uint64_t mkeys_look_up(struct mkeys *m, const struct mkeys_table *table, uint64_t guid,
                              uint8_t port, uint64_t other)
{
    const struct mkeys_entry wanted = {.guid = guid, .port = port};
    size_t at;
    pthread_mutex_lock(&m->lock);
    SEARCH_FIRST(at, 0, table->count, mkeys_compare(&table->entries[at], &wanted) < 0);
    const bool found =
        at < table->count && mkeys_compare(&table->entries[at], &wanted) == 0 && guid != 0;
    const uint64_t value = found ? table->entries[at].value : other;
    pthread_mutex_unlock(&m->lock);
    return value;
}

uint64_t mkeys_find(struct mkeys *mkeys, uint64_t port_guid, uint64_t other)
{
    return mkeys ? mkeys_look_up(mkeys, &mkeys->keys.table, port_guid, 0, other) : other;
}

uint64_t mkeys_find_behind(struct mkeys *mkeys, uint64_t port_guid, uint8_t port)
{
    return mkeys ? mkeys_look_up(mkeys, &mkeys->neighbors.table, port_guid, port, 0) : 0;
}
