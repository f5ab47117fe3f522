// SPDX-License-Identifier: BSD-2-Clause
// Keeps the alarms of failing receivers right across restarts and reloads.
#ifndef IBTRAPD_DAEMON_RECEIVER_ALARMS_H
#define IBTRAPD_DAEMON_RECEIVER_ALARMS_H

#include "model/event.h"

#include <stdbool.h>

struct gateway;

void receiver_alarms_key(const struct gateway *gateway, const char *receiver,
                         char out[EVENT_KEY_SIZE]);

// Whether the alarm that the receiver fails is active.
bool receiver_alarms_is_active(struct gateway *gateway, const char *receiver);

// The journal was read late: lets each receiver whose alarm is active end it once it works. Any
// thread.
void receiver_alarms_recall(struct gateway *gateway);

// Clears the alarms of receivers that neither run nor are configured: nothing else would clear
// them. The thread of settings_apply, which calls it.
void receiver_alarms_clear_departed(struct gateway *gateway);

#endif
