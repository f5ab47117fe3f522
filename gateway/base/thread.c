// SPDX-License-Identifier: BSD-2-Clause
#include "base/thread.h"

#include <stdio.h>

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    char cut[THREAD_NAME_SIZE];
    snprintf(cut, sizeof cut, "%s", name);
    int rc = pthread_create(thread, NULL, run, arg);
    if (rc == 0)
        pthread_setname_np(*thread, cut); // without a name, the thread works, too
    return rc;
}
