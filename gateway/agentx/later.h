// SPDX-License-Identifier: BSD-2-Clause
// Requests of a master agent whose values are still being fetched: they wait here, and other
// requests pass them. For one thread.
#ifndef IBTRAPD_AGENTX_LATER_H
#define IBTRAPD_AGENTX_LATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

// A further request is not let in: it is answered with genErr at once, if its values are not there.
enum {
    AGENTX_LATER_MAX = 256,              // requests
    AGENTX_LATER_SIZE_MAX = 1024 * 1024, // their octets
};

struct agentx_later_request {
    TAILQ_ENTRY(agentx_later_request) in_order;
    int64_t ticket; // of the value that it waits for
    int64_t until;  // monotonic: it gets its response then in any case
    size_t size;
    uint8_t octets[]; // the whole PDU
};
TAILQ_HEAD(agentx_later_requests, agentx_later_request);

struct agentx_later {
    struct agentx_later_requests requests; // oldest first
    size_t count, size;
};

void agentx_later_init(struct agentx_later *later);
void agentx_later_clear(struct agentx_later *later); // forgets all

// Copies a request, for which agentx_later_has_room returned true.
void agentx_later_add(struct agentx_later *later, const uint8_t *octets, size_t size,
                      int64_t ticket, int64_t until);
void agentx_later_remove(struct agentx_later *later, struct agentx_later_request *request);

// Whether there is room for a further request of that size, as far as the bounds go.
bool agentx_later_has_room(const struct agentx_later *later, size_t size);

// When the first one gets its response in any case; INT64_MAX: none waits.
int64_t agentx_later_until(const struct agentx_later *later);

#endif
