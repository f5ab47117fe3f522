// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded beside libumad2sim.so: a MAD that nobody waits for is dropped, as the kernel does.
 *
 * umad2sim's thread takes a MAD of a class that no open descriptor has registered, such as a late
 * answer to a client that has ended, and locks the mutex of a descriptor that is NULL before it
 * looks at the descriptor:
 *
 *     #0 pthread_mutex_lock (mutex=0x30)
 *     #1 __receiver (umad2sim.c, before "Empty fd_data or fd_data_enqueue failed")
 *
 * The thread has the name of the thread that began to use umad2sim, as sa-client in ibtrapd. Here
 * the mutex of nothing is locked and unlocked without an effect; umad2sim then drops the MAD. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { PAGE = 4096 };

typedef int mutex_function(pthread_mutex_t *mutex);

static bool is_of_nothing(pthread_mutex_t *mutex)
{
    return (uintptr_t)mutex < PAGE;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static mutex_function *real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return is_of_nothing(mutex) ? 0 : real(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static mutex_function *real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    return is_of_nothing(mutex) ? 0 : real(mutex);
}
