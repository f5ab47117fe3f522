// SPDX-License-Identifier: BSD-2-Clause
// The threads and locks of <threads.h> for librdkafka, made from the threads and locks of POSIX.
// TSan knows only POSIX's: TSan crashes in a thread of the C library's thrd_create, and reports
// races in data behind a mtx_lock. Only the build for TSan has this library, before the C library.
// In glibc the types of both kinds are the same but for their names.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a lock of C is one of POSIX");
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition of C is one of POSIX");
static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a flag of C is one of POSIX");

struct beginning {
    thrd_start_t function;
    void *argument;
};

static int tsan_threads_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

static void *tsan_threads_begin(void *given)
{
    struct beginning beginning = *(struct beginning *)given;
    free(given);
    return (void *)(intptr_t)beginning.function(beginning.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct beginning *beginning = malloc(sizeof *beginning);
    if (!beginning)
        return thrd_nomem;
    *beginning = (struct beginning){.function = function, .argument = argument};
    int error = pthread_create(thread, NULL, tsan_threads_begin, beginning);
    if (error)
        free(beginning);
    return tsan_threads_result(error);
}

int thrd_join(thrd_t thread, int *result)
{
    void *ended = NULL;
    int error = pthread_join(thread, &ended);
    if (result)
        *result = (int)(intptr_t)ended;
    return tsan_threads_result(error);
}

int mtx_init(mtx_t *lock, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE
                                                                : PTHREAD_MUTEX_NORMAL);
    int error = pthread_mutex_init((pthread_mutex_t *)lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return tsan_threads_result(error);
}

int mtx_lock(mtx_t *lock)
{
    return tsan_threads_result(pthread_mutex_lock((pthread_mutex_t *)lock));
}

int mtx_trylock(mtx_t *lock)
{
    return tsan_threads_result(pthread_mutex_trylock((pthread_mutex_t *)lock));
}

int mtx_unlock(mtx_t *lock)
{
    return tsan_threads_result(pthread_mutex_unlock((pthread_mutex_t *)lock));
}

void mtx_destroy(mtx_t *lock)
{
    pthread_mutex_destroy((pthread_mutex_t *)lock);
}

int cnd_init(cnd_t *condition)
{
    return tsan_threads_result(pthread_cond_init((pthread_cond_t *)condition, NULL));
}

int cnd_signal(cnd_t *condition)
{
    return tsan_threads_result(pthread_cond_signal((pthread_cond_t *)condition));
}

int cnd_broadcast(cnd_t *condition)
{
    return tsan_threads_result(pthread_cond_broadcast((pthread_cond_t *)condition));
}

int cnd_wait(cnd_t *condition, mtx_t *lock)
{
    return tsan_threads_result(
        pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)lock));
}

int cnd_timedwait(cnd_t *condition, mtx_t *lock, const struct timespec *until)
{
    return tsan_threads_result(
        pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)lock, until));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy((pthread_cond_t *)condition);
}

void call_once(once_flag *flag, void (*function)(void))
{
    pthread_once((pthread_once_t *)flag, function);
}
