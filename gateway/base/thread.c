// SPDX-License-Identifier: BSD-2-Clause
#include "base/thread.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    char cut[THREAD_NAME_SIZE];
    snprintf(cut, sizeof cut, "%s", name);
    int rc = pthread_create(thread, NULL, run, arg);
    if (rc == 0)
        pthread_setname_np(*thread, cut); // without a name, the thread works, too
    return rc;
}

// Linux has a nice value for each thread, and 0 stands for the calling one (setpriority(2)).
bool thread_yield(void)
{
    errno = 0;
    int now = getpriority(PRIO_PROCESS, 0);
    return errno == 0 && setpriority(PRIO_PROCESS, 0, now + THREAD_YIELDING) == 0;
}
