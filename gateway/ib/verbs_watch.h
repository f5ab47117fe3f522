// SPDX-License-Identifier: BSD-2-Clause
// Watches the adapter's asynchronous events through libibverbs, if that was there at build time.
// They report at once changes that polling finds within seconds: a new SM, a new LID, the port up
// or down, ClientReregister.
#pragma once

#include "base/log.h"
#include "ib/sa_client.h"

struct verbs_watch;

// One thread calls these functions. Client and log outlive the watch. Returns NULL if libibverbs
// was not there at build time, or if descriptors are short; the client then relies on polling.
struct verbs_watch *verbs_watch_new(struct sa_client *client, struct log *log);
void verbs_watch_free(struct verbs_watch *watch); // NULL is allowed

// The descriptor is readable when there is work for verbs_watch_process: an event of the device
// that the client has open, or the time to look which device that is.
int verbs_watch_fd(const struct verbs_watch *watch);

// Makes the client check its port after each event. Never waits for an event.
void verbs_watch_process(struct verbs_watch *watch);
