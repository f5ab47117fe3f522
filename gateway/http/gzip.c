// SPDX-License-Identifier: BSD-2-Clause
#include "http/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

// zlib's window of 32 KiB, with the header of gzip; its usual memory.
enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 };

static bool gzip_make_room(struct gzip *out, size_t size)
{
    if (size <= out->room)
        return true;
    void *longer = realloc(out->octets, size);
    if (!longer)
        return false;
    out->octets = longer;
    out->room = size;
    return true;
}

bool gzip_pack(struct gzip *out, const void *octets, size_t size)
{
    z_stream z = {0};
    if (size > UINT_MAX / 2 || deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                                            Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    bool ok = gzip_make_room(out, deflateBound(&z, size));
    if (ok) {
        z.next_in = (Bytef *)octets;
        z.avail_in = (uInt)size;
        z.next_out = out->octets;
        z.avail_out = (uInt)out->room;
        ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
        out->size = z.total_out;
    }
    deflateEnd(&z);
    return ok;
}

void gzip_free(struct gzip *out)
{
    free(out->octets);
    *out = (struct gzip){0};
}
