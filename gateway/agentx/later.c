// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/later.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void agentx_later_init(struct agentx_later *later)
{
    *later = (struct agentx_later){.count = 0};
    TAILQ_INIT(&later->requests);
}

void agentx_later_remove(struct agentx_later *later, struct agentx_later_request *request)
{
    TAILQ_REMOVE(&later->requests, request, in_order);
    later->count--;
    later->size -= request->size;
    free(request);
}

void agentx_later_clear(struct agentx_later *later)
{
    struct agentx_later_request *request, *next;
    for (request = TAILQ_FIRST(&later->requests); request; request = next) {
        next = TAILQ_NEXT(request, in_order);
        free(request);
    }
    agentx_later_init(later);
}

bool agentx_later_has_room(const struct agentx_later *later, size_t size)
{
    return later->count < AGENTX_LATER_MAX && size <= AGENTX_LATER_SIZE_MAX - later->size;
}

void agentx_later_add(struct agentx_later *later, const uint8_t *octets, size_t size,
                      int64_t ticket, int64_t until)
{
    struct agentx_later_request *request = memory_get(sizeof *request + size);
    *request = (struct agentx_later_request){.ticket = ticket, .until = until, .size = size};
    memcpy(request->octets, octets, size);
    TAILQ_INSERT_TAIL(&later->requests, request, in_order);
    later->count++;
    later->size += size;
}

int64_t agentx_later_until(const struct agentx_later *later)
{
    const struct agentx_later_request *first = TAILQ_FIRST(&later->requests);
    return first ? first->until : INT64_MAX;
}
