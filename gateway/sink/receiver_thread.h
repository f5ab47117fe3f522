// SPDX-License-Identifier: BSD-2-Clause
// What a receiver's thread does: it reads events from the journal, passes them to the sink in
// order, collects confirmations and moves the cursor, until the receiver is asked to stop.
#ifndef IBTRAPD_SINK_RECEIVER_THREAD_H
#define IBTRAPD_SINK_RECEIVER_THREAD_H

#include "sink/receiver_private.h"

// The thread's function; `arg` is a struct receiver. Returns NULL.
void *receiver_thread_run(void *arg);

#endif
