// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/lookup.h"

#include "base/memory.h"
#include "sink/resolve.h"

#include <netdb.h>
#include <stdlib.h>

// An address as getaddrinfo returns it, in one piece.
struct lookup_address {
    struct addrinfo info;
    struct sockaddr_storage storage;
};

static void lookup_free(struct addrinfo *first)
{
    while (first) {
        struct addrinfo *next = first->ai_next;
        free(first); // the first member of a lookup_address
        first = next;
    }
}

static void lookup_add(struct addrinfo **end, const struct resolve_address *address,
                       const struct addrinfo *hints)
{
    struct lookup_address *a = memory_zeroed(1, sizeof *a);
    a->storage = address->storage;
    a->info = (struct addrinfo){.ai_family = address->storage.ss_family,
                                .ai_socktype = hints->ai_socktype,
                                .ai_protocol = hints->ai_protocol,
                                .ai_addrlen = address->length,
                                .ai_addr = (struct sockaddr *)&a->storage};
    *end = &a->info;
}

int lookup_resolve(const char *node, const char *service, const struct addrinfo *hints,
                   struct addrinfo **result, int64_t patience_us)
{
    struct resolve_address all[RESOLVE_MAX];
    struct error err;
    if (!node) {
        lookup_free(*result);
        return 0;
    }
    *result = NULL;
    if (patience_us <= 0)
        return EAI_AGAIN;
    const unsigned long port = service ? strtoul(service, NULL, 10) : 0;
    const size_t n =
        resolve_all_within(patience_us, node, (uint16_t)port, RESOLVE_AS_FOUND, all, &err);
    struct addrinfo **end = result;
    for (size_t i = 0; i < n; i++) {
        if (hints->ai_family != AF_UNSPEC && hints->ai_family != all[i].storage.ss_family)
            continue;
        lookup_add(end, &all[i], hints);
        end = &(*end)->ai_next;
    }
    return *result ? 0 : EAI_NONAME;
}
