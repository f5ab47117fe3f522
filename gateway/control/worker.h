// SPDX-License-Identifier: BSD-2-Clause
// A thread for jobs that would stop the main loop: a job waits for a disk, or takes long. The
// thread runs one job after the other, in the order of worker_put.
// Decides: What happens to a command when its client leaves?
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct event_base; // of libevent
struct worker;

enum worker_state { WORKER_WAITS, WORKER_RUNS, WORKER_RAN };

// A member of the caller's struct. The struct lives until the job is done or taken back. The caller
// bounds the number of jobs.
struct worker_job {
    void (*run)(struct worker_job *job);  // the worker's thread
    void (*done)(struct worker_job *job); // the loop's thread, after `run`
    // The worker's own.
    TAILQ_ENTRY(worker_job) in_order;
    enum worker_state state;
};

// The struct of the type whose member `job` is this job.
#define WORKER_THING(of, type) ((type *)(void *)((char *)(of)-offsetof(type, job)))

// Starts the thread. Call all functions in the thread of the loop of `base`. NULL with a sentence
// when descriptors or threads are short.
struct worker *worker_start(struct event_base *base, const char *name, struct error *err);

// Never waits. False: the worker has stopped.
bool worker_put(struct worker *worker, struct worker_job *job);

// Takes the job back. WORKER_WAITS: the job never runs; WORKER_RAN: the job ran. In both states,
// the job is the caller's again, and `done` is not called. WORKER_RUNS: the job runs now, and
// `done` will be called.
enum worker_state worker_take_back(struct worker *worker, struct worker_job *job);

// Ends the thread, and begins no further job. Waits at most `wait_us` for the end of a running job.
// False: the job still runs, and may use its parts. Jobs may be taken back then. NULL is allowed.
bool worker_stop(struct worker *worker, int64_t wait_us);

// Frees a stopped worker, after a last `done` for each job that ran. NULL is allowed.
void worker_free(struct worker *worker);
