// SPDX-License-Identifier: BSD-2-Clause
// The main thread's event loop (libevent), which ends at a signal that it is given.
#ifndef IBTRAPD_DAEMON_LOOP_H
#define IBTRAPD_DAEMON_LOOP_H

#include "base/error.h"

#include <stdint.h>

enum { LOOP_REASON_SIZE = 32 };

struct loop;
struct loop_wake;
struct event_base; // of libevent

// Ignores SIGPIPE. NULL with a sentence on failure.
struct loop *loop_new(struct error *err);
void loop_free(struct loop *loop); // NULL is allowed

struct event_base *loop_base(struct loop *loop);

// Lets other threads ask the loop to call back. Free it before the loop, when no thread uses it any
// longer. Returns NULL with a sentence when descriptors are short.
struct loop_wake *loop_wake_new(struct loop *loop, void (*call)(void *ctx), void *ctx,
                                struct error *err);
void loop_wake_free(struct loop_wake *wake); // NULL is allowed

// Asks the loop to call back soon, once for all requests until then. Any thread; never waits.
void loop_wake_up(struct loop_wake *wake);

// Runs the function in the loop's thread, and waits until it has. One at a time: any thread, the
// loop's, too. While the loop does not run, which is before loop_run or after it, the function runs
// in the calling thread. It must neither wait nor call this.
void loop_call(struct loop *loop, void (*call)(void *ctx), void *ctx);

// Gives the loop a signal of the process: SIGTERM, SIGINT or SIGHUP, also before it runs. Any
// thread; never waits.
void loop_signal(struct loop *loop, int number);

// Serves events until SIGTERM or SIGINT; `reason` says which. At SIGHUP calls `hang_up`.
void loop_run(struct loop *loop, void (*hang_up)(void *ctx), void *ctx,
              char reason[LOOP_REASON_SIZE]);

#endif
