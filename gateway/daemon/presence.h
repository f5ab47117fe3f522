// SPDX-License-Identifier: BSD-2-Clause
// The state of this gateway, for receivers that keep the alarms (sink/kept_state.h), and other
// gateways that these receivers know.
//
// Decides: When does the document of a gateway change?
// Decides: When do two gateways write alarms under one name of a fabric?
//
// The document has the verdict, the role, the version and the last sweep. It changes with the
// verdict, the role and the port, and every PRESENCE_PERIOD_S: an older document belongs to a
// silent gateway.
//
// Another gateway with the same name of the fabric is in another subnet if no port of this fabric
// has the GUID of its port. Two gateways of one fabric write the same alarms if both are active.
// Either counts if the other gateway is alive: its document differs from that of an earlier
// reading.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PRESENCE_PERIOD_S = 60, PRESENCE_LOOK_S = 5 };

struct gateway;
struct presence;

// presence_start begins a timer of the main loop. Main thread. The gateway outlives the presence.
struct presence *presence_new(struct gateway *gateway);
void presence_start(struct presence *presence);
void presence_free(struct presence *presence); // NULL is allowed

// The JSON of this gateway, which the caller frees. NULL: it is not known yet. Any thread.
char *presence_document(struct presence *presence);

// Takes the document of a gateway with the name of this fabric, and tells by an event of a gateway
// that writes the same alarms. Returns whether the document should be read again soon. Any thread.
bool presence_heard(struct presence *presence, const char *gateway, const char *document,
                    size_t size);
