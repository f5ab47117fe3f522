// SPDX-License-Identifier: BSD-2-Clause
// Says what becomes of the events that wait for a receiver when it goes, comes back or changes: in
// the log and, during a reload, in its answer (`backlogs` of struct gateway). The thread
// of reloads, or the pipeline's while that waits for it.
#ifndef IBTRAPD_DAEMON_RECEIVER_BACKLOGS_H
#define IBTRAPD_DAEMON_RECEIVER_BACKLOGS_H

#include "daemon/gateway.h"

// Call it before the receiver starts. `former`: the name that it had until now, which may be the
// same; empty: it did not run.
void receiver_backlogs_tell_start(struct gateway *gateway, const struct conf_receiver *conf,
                                  const char *former);

// Call it before journal_end_receivers with the same arguments.
void receiver_backlogs_tell_gone(struct gateway *gateway, bool (*runs)(void *ctx, const char *name),
                                 void *ctx);

#endif
