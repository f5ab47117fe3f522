// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded before everything else: makes the machine fail while a program runs.
 *
 * FAULTS names a file of numbers that select the failures. The test maps that file and changes it
 * (faults.py). FAULTS_DISK is the directory that disk failures apply to. Without FAULTS nothing
 * fails. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// In the order of faults.py.
struct faults {
    atomic_llong write_errno; /* error of every call that changes a file; 0: none */
    atomic_llong sync_errno;  /* error of fsync and fdatasync; 0: none */
    atomic_llong sync_us;     /* how long a sync takes */
    atomic_llong utc_us;      /* added to the clock */
    atomic_llong thread;      /* the n-th thread start from now on fails, counted down; 0: none */
    atomic_llong allocation;  /* the n-th allocation from now on fails, counted down; 0: none */
    atomic_llong address;     /* moving.test resolves to 127.0.0.ADDRESS */
    atomic_llong allocations; /* number of allocations so far */
    atomic_llong whose; /* whose allocations: 0: the program's; n: those of the n-th of LIBRARIES */
    atomic_llong hangs; /* a sync of a file elsewhere does not end before this is 0 */
    atomic_llong kill_at; /* the n-th point of that kind kills the program, counted down; 0: none */
    atomic_llong kill_kind;  /* enum point */
    atomic_llong kill_when;  /* enum when */
    atomic_llong reads_hang; /* a read on the disk does not end before this is 0 */
    atomic_llong hung;       /* number of reads that hung so far */
};

/* Where a kill may come: a change of a file on the disk, its sync, a change of a name there, the
 * answer to a Report. */
enum point { POINT_NONE, POINT_WRITE, POINT_SYNC, POINT_NAME, POINT_ANSWER };
enum when { WHEN_BEFORE, WHEN_AFTER, WHEN_INSIDE, WHEN_NOT };

static const char *const LIBRARIES[] = {"libnetsnmp.so", "libcrypto.so", "libevent-2",
                                        "libsqlite3.so", "libjansson.so"};
enum { CODES = 1 + sizeof LIBRARIES / sizeof *LIBRARIES };

static struct faults none, *faults = &none;
static const char *disk;
static struct {
    uintptr_t begin, end;
} codes[CODES]; /* code of the program, and of LIBRARIES */

static int find_code(struct dl_phdr_info *info, size_t size, void *ctx);

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

#define NEXT(function, name)                                                                       \
    static __typeof__(name) *function;                                                             \
    if (!function) {                                                                               \
        void *symbol = dlsym(RTLD_NEXT, #name);                                                    \
        memcpy(&function, &symbol, sizeof(symbol));                                                \
    }

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *page = MAP_FAILED;

    if (fd < 0)
        return;
    page = mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page != MAP_FAILED)
        faults = page;
    disk = getenv("FAULTS_DISK");
    dl_iterate_phdr(find_code, NULL);
}

// The disk.

static bool on_disk(int fd)
{
    char link[64], path[512];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof(path) - 1);
    if (!disk || size < 0)
        return false;
    path[size] = '\0';
    return strncmp(path, disk, strlen(disk)) == 0;
}

static bool fails(int fd, const atomic_llong *why)
{
    int saved = errno;
    int code = (int)atomic_load(why);
    bool here = code != 0 && on_disk(fd);

    errno = here ? code : saved;
    return here;
}

static bool is_due(atomic_llong *countdown)
{
    return atomic_load(countdown) > 0 && atomic_fetch_sub(countdown, 1) == 1;
}

static void be_killed(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static bool counts(enum point kind)
{
    return atomic_load(&faults->kill_at) > 0 && atomic_load(&faults->kill_kind) == (int)kind;
}

/* Passes a point of that kind; killed here unless the kill comes later. */
static enum when pass(enum point kind, bool here)
{
    if (!here || !counts(kind) || !is_due(&faults->kill_at))
        return WHEN_NOT;
    if (atomic_load(&faults->kill_when) == WHEN_BEFORE)
        be_killed();
    return (enum when)atomic_load(&faults->kill_when);
}

static void leave(enum when when)
{
    if (when != WHEN_NOT)
        be_killed();
}

/* Whether these octets for a umad device are a ReportResp: behind the device's header of 64 octets,
 * the class SubnAdm (3) and the method ReportResp (0x86) of IBA 13.4.2. */
static bool is_answer(const void *octets, size_t size)
{
    const uint8_t *mad = (const uint8_t *)octets + 64;

    return size == 64 + 256 && mad[1] == 3 && mad[3] == 0x86;
}

static bool is_name_on_disk(const char *path)
{
    return disk && strncmp(path, disk, strlen(disk)) == 0;
}

ssize_t write(int fd, const void *octets, size_t size)
{
    NEXT(next, write)
    enum when when = pass(POINT_ANSWER, counts(POINT_ANSWER) && is_answer(octets, size));
    if (when == WHEN_NOT)
        when = pass(POINT_WRITE, counts(POINT_WRITE) && on_disk(fd));
    ssize_t n = fails(fd, &faults->write_errno)
                    ? -1
                    : next(fd, octets, when == WHEN_INSIDE && size > 1 ? size / 2 : size);
    leave(when);
    return n;
}

ssize_t pwrite(int fd, const void *octets, size_t size, off_t at)
{
    NEXT(next, pwrite)
    enum when when = pass(POINT_WRITE, counts(POINT_WRITE) && on_disk(fd));
    ssize_t n = fails(fd, &faults->write_errno)
                    ? -1
                    : next(fd, octets, when == WHEN_INSIDE ? size / 2 : size, at);
    leave(when);
    return n;
}

ssize_t pwrite64(int fd, const void *octets, size_t size, off64_t at)
{
    NEXT(next, pwrite64)
    enum when when = pass(POINT_WRITE, counts(POINT_WRITE) && on_disk(fd));
    ssize_t n = fails(fd, &faults->write_errno)
                    ? -1
                    : next(fd, octets, when == WHEN_INSIDE ? size / 2 : size, at);
    leave(when);
    return n;
}

/* A disk that hangs lets no signal through either. */
static void await_read(int fd)
{
    if (atomic_load(&faults->reads_hang) == 0 || !on_disk(fd))
        return;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    atomic_fetch_add(&faults->hung, 1);
    while (atomic_load(&faults->reads_hang) != 0)
        usleep(10000);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

ssize_t read(int fd, void *octets, size_t size)
{
    NEXT(next, read)
    await_read(fd);
    return next(fd, octets, size);
}

ssize_t pread64(int fd, void *octets, size_t size, off64_t at)
{
    NEXT(next, pread64)
    await_read(fd);
    return next(fd, octets, size, at);
}

int ftruncate64(int fd, off64_t size)
{
    NEXT(next, ftruncate64)
    enum when when = pass(POINT_WRITE, counts(POINT_WRITE) && on_disk(fd));
    int rc = next(fd, size);
    leave(when);
    return rc;
}

int rename(const char *from, const char *to)
{
    NEXT(next, rename)
    enum when when = pass(POINT_NAME, is_name_on_disk(from));
    int rc = next(from, to);
    leave(when);
    return rc;
}

int unlink(const char *path)
{
    NEXT(next, unlink)
    enum when when = pass(POINT_NAME, is_name_on_disk(path));
    int rc = next(path);
    leave(when);
    return rc;
}

static void take_time(int fd)
{
    long long us = atomic_load(&faults->sync_us);
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};

    if (us > 0 && on_disk(fd))
        nanosleep(&time, NULL);
    while (atomic_load(&faults->hangs) != 0 && !on_disk(fd))
        usleep(10000);
}

int fsync(int fd)
{
    NEXT(next, fsync)
    enum when when = pass(POINT_SYNC, counts(POINT_SYNC) && on_disk(fd));
    take_time(fd);
    int rc = fails(fd, &faults->sync_errno) ? -1 : next(fd);
    leave(when);
    return rc;
}

int fdatasync(int fd)
{
    NEXT(next, fdatasync)
    enum when when = pass(POINT_SYNC, counts(POINT_SYNC) && on_disk(fd));
    take_time(fd);
    int rc = fails(fd, &faults->sync_errno) ? -1 : next(fd);
    leave(when);
    return rc;
}

// The clock.

int clock_gettime(clockid_t id, struct timespec *out)
{
    NEXT(next, clock_gettime)
    int rc = next(id, out);

    if (rc == 0 && id == CLOCK_REALTIME)
        out->tv_sec += (time_t)(atomic_load(&faults->utc_us) / 1000000);
    return rc;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    NEXT(next, gettimeofday)
    int rc = next(out, zone);

    if (rc == 0)
        out->tv_sec += (time_t)(atomic_load(&faults->utc_us) / 1000000);
    return rc;
}

time_t time(time_t *out)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

// Threads and memory.

static bool is_in(size_t which, const void *code)
{
    return (uintptr_t)code >= codes[which].begin && (uintptr_t)code < codes[which].end;
}

// Ignores the simulator's thread, which starts at a random time.
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*run)(void *), void *restrict arg)
{
    NEXT(next, pthread_create)
    return is_in(0, (const void *)(uintptr_t)run) && is_due(&faults->thread)
               ? EAGAIN
               : next(thread, attributes, run, arg);
}

// The program is the first object and has no name.
static size_t which_code(const char *path)
{
    for (size_t i = 1; i < CODES; i++)
        if (strstr(path, LIBRARIES[i - 1]))
            return i;
    return path[0] == '\0' && codes[0].end == 0 ? 0 : CODES;
}

static int find_code(struct dl_phdr_info *info, size_t size, void *ctx)
{
    size_t which = which_code(info->dlpi_name);

    (void)size, (void)ctx;
    for (int i = 0; i < info->dlpi_phnum && which < CODES; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            codes[which].begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            codes[which].end = codes[which].begin + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

// Fails only allocations of the object that the test selects, because the simulator's library
// cannot handle failures.
static bool no_memory(const void *caller)
{
    long long whose = atomic_load(&faults->whose);

    if (whose < 0 || whose >= CODES || !is_in((size_t)whose, caller))
        return false;
    atomic_fetch_add(&faults->allocations, 1);
    if (!is_due(&faults->allocation))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

// Names.

int getaddrinfo(const char *restrict host, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
    char address[32];
    NEXT(next, getaddrinfo)

    if (!host || strcmp(host, "moving.test") != 0 || (hints && hints->ai_flags & AI_NUMERICHOST))
        return next(host, service, hints, out);
    snprintf(address, sizeof(address), "127.0.0.%lld", atomic_load(&faults->address));
    return next(address, service, hints, out);
}
