#include "sink/resolve.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

static bool take(const struct addrinfo *from, const char *host, struct resolve_address *out,
                 struct error *err)
{
    memcpy(&out->storage, from->ai_addr, from->ai_addrlen);
    out->length = from->ai_addrlen;
    int rc = getnameinfo(from->ai_addr, from->ai_addrlen, out->text, sizeof out->text, NULL, 0,
                         NI_NUMERICHOST);
    return rc == 0 ||
           error_set(err, "cannot write the address of '%s': %s", host, gai_strerror(rc));
}

size_t resolve_all(const char *host, uint16_t port, struct resolve_address out[RESOLVE_MAX],
                   struct error *err)
{
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    // One socket type, or each address would come once for every type.
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found;
    int rc = getaddrinfo(host, service, &hints, &found);
    if (rc != 0) {
        error_set(err, "cannot resolve '%s': %s", host, gai_strerror(rc));
        return 0;
    }
    size_t n = 0;
    for (struct addrinfo *a = found; a && n < RESOLVE_MAX; a = a->ai_next)
        n += take(a, host, &out[n], err);
    freeaddrinfo(found);
    return n;
}

bool resolve_host(const char *host, uint16_t port, struct resolve_address *out, struct error *err)
{
    struct resolve_address all[RESOLVE_MAX];
    if (resolve_all(host, port, all, err) == 0)
        return false;
    *out = all[0];
    return true;
}
