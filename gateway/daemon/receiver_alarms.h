// The alarms of receivers that do not take events, across restarts and reloads.
#ifndef IBTRAPD_DAEMON_RECEIVER_ALARMS_H
#define IBTRAPD_DAEMON_RECEIVER_ALARMS_H

#include "model/event.h"

#include <stdbool.h>

struct gateway;

void receiver_alarms_key(const char *receiver, char out[EVENT_KEY_SIZE]);

// Whether receivers were told that this one fails.
bool receiver_alarms_is_active(struct gateway *gateway, const char *receiver);

// Clears those of receivers that neither run nor are configured: nothing else would. Main thread.
void receiver_alarms_clear_departed(struct gateway *gateway);

#endif
