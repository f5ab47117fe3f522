// SPDX-License-Identifier: BSD-2-Clause
// Threads with names, for top -H, ps -L and gdb.
#pragma once

#include <pthread.h>

enum { THREAD_NAME_SIZE = 16 }; // with its NUL; the kernel keeps no more

// Starts a thread; join it with pthread_join(3). Truncates a longer name. Returns 0 or an errno
// value. Any thread.
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);
