// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void support_hex(uint8_t *out, size_t size, const char *digits)
{
    size_t n = 0;
    for (const char *p = digits; *p; p++) {
        if (*p == ' ')
            continue;
        char octet[3] = {p[0], p[1], '\0'};
        assert_true(n < size);
        out[n++] = (uint8_t)strtoul(octet, NULL, 16);
        p++;
    }
    assert_int_equal(n, size);
}

const char *support_path(const char *name)
{
    static char paths[64][200];
    static size_t next;
    static const char *directory;
    if (!directory)
        directory = scratch_make();
    char *path = paths[next++ % COUNT(paths)];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *support_file(const char *name, const char *content, mode_t mode)
{
    const char *path = support_path(name);
    unlink(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, strlen(content), f), strlen(content));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

void support_limit_files(uint64_t octets)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = octets < limit.rlim_max ? octets : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

struct log *support_log(FILE *stream)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "we");
    struct log *log = log_open(stream ? stream : nowhere, stream ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG,
                               true, &clock_system);
    assert_non_null(log);
    return log;
}
