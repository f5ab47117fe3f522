// SPDX-License-Identifier: BSD-2-Clause
// Threads with names, for top -H, ps -L and gdb.
#ifndef IBTRAPD_BASE_THREAD_H
#define IBTRAPD_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

enum { THREAD_NAME_SIZE = 16 }; // with its NUL; the kernel keeps no more

// Starts a thread; join it with pthread_join(3). Truncates a longer name. Returns 0 or an errno
// value. Any thread.
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

// Makes the calling thread, and each thread that the caller starts from now on, yield to the other
// threads of the process when processors are short: raises the nice value by THREAD_YIELDING, to 19
// at most. Needs no privilege. Where a sandbox forbids the call, nothing changes; false.
enum { THREAD_YIELDING = 5 };
bool thread_yield(void);

#endif
