// SPDX-License-Identifier: BSD-2-Clause
// The main thread's event loop (libevent). The loop ends when it is given a signal.
#pragma once

#include "base/error.h"

enum { LOOP_REASON_SIZE = 32 };

struct loop;
struct loop_wake;
struct event_base; // of libevent

// Ignores SIGPIPE. NULL with a sentence on failure.
struct loop *loop_new(struct error *err);
void loop_free(struct loop *loop); // NULL is allowed

struct event_base *loop_base(struct loop *loop);

// Lets threads ask the loop to call back. When no thread uses the wake any longer, free the wake
// before the loop. Returns NULL with a sentence when descriptors are short.
struct loop_wake *loop_wake_new(struct loop *loop, void (*call)(void *ctx), void *ctx,
                                struct error *err);
void loop_wake_free(struct loop_wake *wake); // NULL is allowed

// Asks the loop to call back soon, once for all requests until then. Any thread; never waits.
void loop_wake_up(struct loop_wake *wake);

// Runs the function in the loop's thread, and waits for the function's end. Any thread, also the
// loop's thread, but no two threads at a time. Before loop_run and after loop_run, the function
// runs in the calling thread. The function must neither wait nor call loop_call.
void loop_call(struct loop *loop, void (*call)(void *ctx), void *ctx);

// Gives the loop a signal of the process: SIGTERM, SIGINT or SIGHUP, also before the loop runs. Any
// thread; never waits.
void loop_signal(struct loop *loop, int number);

// Serves events until SIGTERM or SIGINT; `reason` names the signal. At SIGHUP calls `hang_up`.
void loop_run(struct loop *loop, void (*hang_up)(void *ctx), void *ctx,
              char reason[LOOP_REASON_SIZE]);
