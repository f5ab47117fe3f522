// SPDX-License-Identifier: BSD-2-Clause
#include "faulty_disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 8, WRITES_MAX = 8192, PATH_SIZE = 256 };

// A write that waits for the next sync. Without octets: a truncation of the file.
struct write {
    sqlite3_int64 at;
    size_t size;
    char *octets;
};

struct platter {
    char path[PATH_SIZE]; // empty: free
    char *octets;
    size_t size;
    struct write writes[WRITES_MAX];
    size_t write_count;
};

struct file {
    sqlite3_file base;
    struct platter *platter; // NULL: the disk ignores this file
    sqlite3_file *real;      // allocated after this struct
};

static sqlite3_vfs *real_vfs;
// Protects the variables below: connections run in several threads.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct platter *platters;
static char place[PATH_SIZE];
static unsigned operations, fail_at;
static bool fail_for_good, failed;
static unsigned syncs_left; // syncs of the database up to the failing sync; 0: none fails

// Failing.

static bool fails(void)
{
    operations++;
    bool now = fail_at > 0 && (operations == fail_at || (fail_for_good && operations > fail_at));
    failed |= now;
    return now;
}

static bool sync_fails(const char *path)
{
    const char *end = strrchr(path, '-');
    bool now = syncs_left > 0 && !(end && strcmp(end, "-wal") == 0) && --syncs_left == 0;
    failed |= now;
    return fails() || now;
}

void faulty_disk_fail(unsigned nth, bool for_good)
{
    pthread_mutex_lock(&mutex);
    fail_at = nth > 0 ? operations + nth : 0;
    fail_for_good = for_good;
    pthread_mutex_unlock(&mutex);
}

void faulty_disk_fail_sync(unsigned nth)
{
    pthread_mutex_lock(&mutex);
    syncs_left = nth;
    pthread_mutex_unlock(&mutex);
}

unsigned faulty_disk_operations(void)
{
    pthread_mutex_lock(&mutex);
    unsigned n = operations;
    pthread_mutex_unlock(&mutex);
    return n;
}

bool faulty_disk_failed(void)
{
    pthread_mutex_lock(&mutex);
    bool has = failed;
    pthread_mutex_unlock(&mutex);
    return has;
}

// The content of the disk.

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void forget_writes(struct platter *p)
{
    for (size_t i = 0; i < p->write_count; i++)
        free(p->writes[i].octets);
    p->write_count = 0;
}

static void clear(struct platter *p)
{
    forget_writes(p);
    free(p->octets);
    memset(p, 0, sizeof *p);
}

static struct platter *find(const char *path)
{
    for (size_t i = 0; i < FILES_MAX; i++) {
        if (strcmp(platters[i].path, path) == 0)
            return &platters[i];
    }
    return NULL;
}

static bool is_here(const char *path)
{
    size_t length = strlen(place);
    return strncmp(path, place, length) == 0 && path[length] == '/';
}

static struct platter *find_or_make(const char *path)
{
    struct platter *p = find(path);
    if (!p) {
        p = must(find(""));
        snprintf(p->path, sizeof p->path, "%s", path);
    }
    return p;
}

static void remember(struct platter *p, sqlite3_int64 at, const void *octets, size_t size)
{
    if (p->write_count == WRITES_MAX)
        abort();
    struct write *w = &p->writes[p->write_count++];
    *w = (struct write){at, size, NULL};
    if (octets) {
        w->octets = must(malloc(size));
        memcpy(w->octets, octets, size);
    }
}

static void resize(struct platter *p, size_t size)
{
    p->octets = must(realloc(p->octets, size + 1));
    if (size > p->size)
        memset(p->octets + p->size, 0, size - p->size);
    p->size = size;
}

static void apply(struct platter *p, const struct write *w)
{
    size_t end = (size_t)w->at + w->size;
    if (!w->octets || end > p->size)
        resize(p, end);
    if (w->octets)
        memcpy(p->octets + w->at, w->octets, w->size);
}

static void write_out(struct platter *p)
{
    for (size_t i = 0; i < p->write_count; i++)
        apply(p, &p->writes[i]);
    forget_writes(p);
}

void faulty_disk_after_power_failure(const char *directory)
{
    char path[2 * PATH_SIZE];
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < FILES_MAX; i++) {
        const struct platter *p = &platters[i];
        if (p->path[0] == '\0')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, strrchr(p->path, '/') + 1);
        FILE *f = must(fopen(path, "w"));
        if (p->size > 0 && fwrite(p->octets, p->size, 1, f) != 1)
            abort();
        fclose(f);
    }
    pthread_mutex_unlock(&mutex);
}

// The files.

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct file *)file)->real;
}

static int close_file(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int read_file(sqlite3_file *file, void *out, int size, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), out, size, at);
}

// Without octets: truncates the file. False: the operation fails.
static bool change(struct platter *p, sqlite3_int64 at, const void *octets, size_t size)
{
    if (!p)
        return true;
    pthread_mutex_lock(&mutex);
    bool good = !fails();
    if (good)
        remember(p, at, octets, size);
    pthread_mutex_unlock(&mutex);
    return good;
}

static int write_file(sqlite3_file *file, const void *octets, int size, sqlite3_int64 at)
{
    if (!change(((struct file *)file)->platter, at, octets, (size_t)size))
        return SQLITE_FULL;
    return real_of(file)->pMethods->xWrite(real_of(file), octets, size, at);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    if (!change(((struct file *)file)->platter, size, NULL, 0))
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

// The real file is not synced, which would only take time.
static int sync_file(sqlite3_file *file, int flags)
{
    (void)flags;
    struct platter *p = ((struct file *)file)->platter;
    if (!p)
        return SQLITE_OK;
    pthread_mutex_lock(&mutex);
    bool good = !sync_fails(p->path);
    if (good)
        write_out(p);
    else
        forget_writes(p);
    pthread_mutex_unlock(&mutex);
    return good ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), out);
}

static int lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int check_lock(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static bool operation_fails(void)
{
    pthread_mutex_lock(&mutex);
    bool now = fails();
    pthread_mutex_unlock(&mutex);
    return now;
}

static int map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    if (extend && ((struct file *)file)->platter && operation_fails())
        return SQLITE_IOERR_SHMSIZE;
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}

static int lock_map(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map,
    .xShmLock = lock_map,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    (void)vfs;
    struct file *f = (struct file *)file;
    bool known = name && is_here(name) &&
                 (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL));
    *f = (struct file){.real = (sqlite3_file *)(f + 1)};
    if (known && (flags & SQLITE_OPEN_CREATE) && operation_fails())
        return SQLITE_CANTOPEN;
    int code = real_vfs->xOpen(real_vfs, name, f->real, flags, out_flags);
    if (code != SQLITE_OK)
        return code;
    pthread_mutex_lock(&mutex);
    f->platter = known ? find_or_make(name) : NULL;
    pthread_mutex_unlock(&mutex);
    f->base.pMethods = &METHODS;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
    (void)vfs, (void)sync_directory;
    if (is_here(name) && operation_fails())
        return SQLITE_IOERR_DELETE;
    pthread_mutex_lock(&mutex);
    struct platter *p = find(name);
    if (p)
        clear(p);
    pthread_mutex_unlock(&mutex);
    return real_vfs->xDelete(real_vfs, name, 0);
}

static sqlite3_vfs faulty_vfs;

void faulty_disk_begin(const char *directory)
{
    snprintf(place, sizeof place, "%s", directory);
    real_vfs = sqlite3_vfs_find("unix");
    platters = must(calloc(FILES_MAX, sizeof *platters));
    operations = fail_at = syncs_left = 0;
    failed = false;
    faulty_vfs = *real_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.pNext = NULL;
    faulty_vfs.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
    faulty_vfs.xOpen = open_file;
    faulty_vfs.xDelete = delete_file;
    sqlite3_vfs_register(&faulty_vfs, 1);
}

void faulty_disk_end(void)
{
    sqlite3_vfs_unregister(&faulty_vfs);
    sqlite3_vfs_register(real_vfs, 1);
    for (size_t i = 0; i < FILES_MAX; i++)
        clear(&platters[i]);
    free(platters);
}
