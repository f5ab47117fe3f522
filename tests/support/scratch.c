// SPDX-License-Identifier: BSD-2-Clause
#include "scratch.h"

#include "require.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_A_TIME = 16, DEPTH = 16 };

static char paths[AT_A_TIME][SCRATCH_PATH_SIZE]; // empty: free
static pid_t owner; // children of this process remove nothing when they exit

static void remove_all(void)
{
    for (int i = 0; i < AT_A_TIME && getpid() == owner; i++) {
        if (paths[i][0] != '\0')
            scratch_remove(paths[i]);
    }
}

static const char *make_below(const char *parent)
{
    static const char NAME[] = "ibtrapd-test-XXXXXX";
    int i = 0;
    while (i < AT_A_TIME && paths[i][0] != '\0')
        i++;
    REQUIRE(i < AT_A_TIME);
    snprintf(paths[i], sizeof paths[i], "%s/%s", parent, NAME);
    REQUIRE(mkdtemp(paths[i]));
    if (owner == 0)
        REQUIRE(atexit(remove_all) == 0);
    owner = getpid();
    return paths[i];
}

const char *scratch_make(void)
{
    const char *parent = getenv("TMPDIR");
    return make_below(
        parent && parent[0] == '/' && strlen(parent) < SCRATCH_PATH_SIZE / 2 ? parent : "/tmp");
}

const char *scratch_make_in_memory(void)
{
    return access("/dev/shm", W_OK) == 0 ? make_below("/dev/shm") : scratch_make();
}

static int remove_below(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind;
    if (where->level > 0)
        remove(path);
    return 0;
}

void scratch_clear(const char *directory)
{
    nftw(directory, remove_below, DEPTH, FTW_DEPTH | FTW_PHYS);
}

void scratch_remove(const char *directory)
{
    scratch_clear(directory);
    REQUIRE(rmdir(directory) == 0 || errno == ENOENT);
    for (int i = 0; i < AT_A_TIME; i++) {
        if (directory == paths[i])
            paths[i][0] = '\0';
    }
}
