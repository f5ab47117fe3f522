// SPDX-License-Identifier: BSD-2-Clause
// The events that the server accepted although it did not accept others of their request: they are
// not sent again with those.
#ifndef IBTRAPD_HTTP_KNOWN_H
#define IBTRAPD_HTTP_KNOWN_H

#include "http/options.h"
#include "model/event.h"

#include <string.h>

struct known {
    unsigned count;
    char ids[HTTP_IN_FLIGHT_MAX][EVENT_ID_SIZE];
};

// Of more than fit, the further ones are sent again.
static inline void known_add(struct known *k, const char id[EVENT_ID_SIZE])
{
    if (k->count < HTTP_IN_FLIGHT_MAX)
        memcpy(k->ids[k->count++], id, EVENT_ID_SIZE);
}

// Takes out the event. False: it is not there.
static inline bool known_take(struct known *k, const char id[EVENT_ID_SIZE])
{
    for (unsigned i = 0; i < k->count; i++) {
        if (strcmp(k->ids[i], id) == 0) {
            memmove(k->ids[i], k->ids[--k->count], EVENT_ID_SIZE);
            return true;
        }
    }
    return false;
}

#endif
