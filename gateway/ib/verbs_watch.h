// SPDX-License-Identifier: BSD-2-Clause
// Watches the adapter's asynchronous events through libibverbs, if that was there at build time.
// They report at once changes that polling finds within seconds: a new SM, a new LID, the port up
// or down, ClientReregister.
#ifndef IBTRAPD_IB_VERBS_WATCH_H
#define IBTRAPD_IB_VERBS_WATCH_H

#include "base/log.h"
#include "ib/sa_client.h"

struct verbs_watch;

// Starts a thread that calls sa_client_wake at each event of the device that the client has open.
// NULL: libibverbs was not there at build time, or memory or threads are short; the client then
// relies on polling.
struct verbs_watch *verbs_watch_start(struct sa_client *client, struct log *log);
void verbs_watch_stop(struct verbs_watch *watch); // NULL is allowed; before sa_client_stop

#endif
