// SPDX-License-Identifier: BSD-2-Clause
// Preloaded into ibtrapd: there is no user ibtrapd. Root's --check-config judges with this user's
// rights if the user exists, and could not see a test's own files.
#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>

struct passwd *getpwnam(const char *name)
{
    static struct passwd *(*real)(const char *);
    if (strcmp(name, "ibtrapd") == 0) {
        errno = 0;
        return NULL;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getpwnam");
    return real(name);
}
