// SPDX-License-Identifier: BSD-2-Clause
// Packs a body by gzip (RFC 1952).
#ifndef IBTRAPD_HTTP_GZIP_H
#define IBTRAPD_HTTP_GZIP_H

#include <stdbool.h>
#include <stddef.h>

// Zeroed at first.
struct gzip {
    void *octets; // the packed body
    size_t size, room;
};

// False: out of memory.
bool gzip_pack(struct gzip *out, const void *octets, size_t size);

void gzip_free(struct gzip *out);

#endif
