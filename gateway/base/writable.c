// SPDX-License-Identifier: BSD-2-Clause
#include "base/writable.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *writable_parent(const char *path, char copy[PATH_MAX])
{
    snprintf(copy, PATH_MAX, "%s", path);
    return dirname(copy);
}

// `directory`: what a systemd unit would have to let the process write to.
static bool writable_ask(const char *path, int mode, const char *directory, struct error *err)
{
    if (access(path, mode) == 0)
        return true;
    if (errno == EROFS)
        return error_set(err,
                         "cannot write to %s: %s; if its systemd unit makes it so, set "
                         "ReadWritePaths=%s there (systemctl edit)",
                         path, strerror(errno), directory);
    return error_set(err, "cannot write to %s: %s; the user that runs ibtrapd must be able to",
                     path, strerror(errno));
}

// Whether something of a name that does not exist may be made in the directory.
static bool writable_may_make_in(const char *directory, struct error *err)
{
    if (access(directory, F_OK) != 0 && errno == ENOENT)
        return error_set(
            err,
            "the directory %s does not exist: make it, and give it to the user that runs ibtrapd",
            directory);
    return writable_ask(directory, W_OK | X_OK, directory, err);
}

bool writable_cannot_look(const char *path, struct error *err)
{
    return error_set(
        err, "cannot look at '%s': %s%s", path, strerror(errno),
        errno == EACCES ? "; let the user that runs ibtrapd into the directory (chmod a+x)" : "");
}

bool writable_check_file(const char *path, struct error *err)
{
    struct stat st;
    char copy[PATH_MAX];
    const char *directory = writable_parent(path, copy);
    if (stat(path, &st) == 0)
        return writable_ask(path, W_OK, directory, err);
    return errno == ENOENT ? writable_may_make_in(directory, err) : writable_cannot_look(path, err);
}

bool writable_check_directory(const char *path, struct error *err)
{
    struct stat st;
    char copy[PATH_MAX];
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? writable_ask(path, W_OK | X_OK, path, err)
                                   : error_set(err, "%s is not a directory", path);
    return errno == ENOENT ? writable_may_make_in(writable_parent(path, copy), err)
                           : writable_cannot_look(path, err);
}
